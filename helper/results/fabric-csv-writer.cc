/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-csv-writer.h"

#include <ostream>
#include <stdexcept>

namespace ns3::fabric
{

CsvWriter::CsvWriter(std::ostream& os, const std::vector<std::string>& columns)
    : m_os(os),
      m_columns(columns.size())
{
    Row(columns);
}

std::string
CsvWriter::Quote(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text)
    {
        quoted += c;
        if (c == '"')
        {
            quoted += c;
        }
    }
    return quoted + '"';
}

void
CsvWriter::RequireFields(std::size_t fields) const
{
    if (fields != m_columns)
    {
        throw std::logic_error("a row has " + NumberText(fields) + " fields for " +
                               NumberText(m_columns) + " columns");
    }
}

void
CsvWriter::EndRow()
{
    m_line.back() = '\n';
    m_os.write(m_line.data(), static_cast<std::streamsize>(m_line.size()));
}

void
CsvWriter::Row(const std::vector<std::string>& fields)
{
    RequireFields(fields.size());
    m_line.clear();
    for (const std::string& field : fields)
    {
        Append(field);
    }
    EndRow();
}

} // namespace ns3::fabric
