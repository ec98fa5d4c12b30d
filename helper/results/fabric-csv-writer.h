/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CSV_WRITER_H
#define FABRIC_CSV_WRITER_H

#include "fabric-number-text.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3::fabric
{

/**
 * Writes a table as CSV (RFC 4180, but lines end in LF): a header, then rows of numbers and texts.
 *
 * Numbers have the shortest form that reads back as the same number, whatever the locale.
 */
class CsvWriter
{
  public:
    /**
     * Writes the header.
     *
     * @param os where to write; outlives the writer
     * @param columns names of the columns
     */
    CsvWriter(std::ostream& os, const std::vector<std::string>& columns);

    /**
     * @tparam Fields numbers, texts, or std::optional of them (nothing becomes an empty field)
     * @param fields one for each column
     * @throws std::logic_error if there are more or fewer than columns
     */
    template <typename... Fields>
    void Row(const Fields&... fields)
    {
        RequireFields(sizeof...(fields));
        m_line.clear();
        (Append(fields), ...);
        EndRow();
    }

    /// @param fields texts of a row's fields, not yet quoted; as above
    void Row(const std::vector<std::string>& fields);

    /// @return the text as a field: between quotes if it holds a comma, quote or line break
    static std::string Quote(const std::string& text);

  private:
    /// Adds a field to the line. @param value a number or a text
    template <typename T>
    void Append(const T& value)
    {
        if constexpr (std::is_arithmetic_v<T>)
        {
            AppendNumber(m_line, value); // it has nothing to quote
        }
        else
        {
            m_line += Quote(value);
        }
        m_line += ',';
    }

    /// Adds a field to the line. @param value a number or a text, or nothing: an empty field
    template <typename T>
    void Append(const std::optional<T>& value)
    {
        if (value)
        {
            Append(*value);
            return;
        }
        m_line += ',';
    }

    /// @param fields of a row. @throws std::logic_error if there are not as many as columns
    void RequireFields(std::size_t fields) const;
    /// Writes the line, whose last comma becomes its end.
    void EndRow();

    std::ostream& m_os;    ///< Where to write.
    std::size_t m_columns; ///< How many columns there are.
    std::string m_line;    ///< The row, made in the same memory each time.
};

} // namespace ns3::fabric

#endif // FABRIC_CSV_WRITER_H
