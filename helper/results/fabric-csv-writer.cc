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
CsvWriter::Row(const std::vector<std::string>& fields)
{
    if (fields.size() != m_columns)
    {
        throw std::logic_error("a row has " + NumberText(fields.size()) + " fields for " +
                               NumberText(m_columns) + " columns");
    }
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i)
    {
        line += i == 0 ? "" : ",";
        line += Quote(fields[i]);
    }
    m_os << line + '\n';
}

} // namespace ns3::fabric
