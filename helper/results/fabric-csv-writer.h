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
        Row(std::vector<std::string>{Text(fields)...});
    }

    /// @param fields texts of a row's fields, not yet quoted; as above
    void Row(const std::vector<std::string>& fields);

    /// @return the text as a field: between quotes if it holds a comma, quote or line break
    static std::string Quote(const std::string& text);

  private:
    /// @param value a number or a text
    template <typename T>
    static std::string Text(const T& value)
    {
        if constexpr (std::is_arithmetic_v<T>)
        {
            return NumberText(value);
        }
        else
        {
            return value;
        }
    }

    /// @param value a number or a text, or nothing
    /// @return its text, empty for nothing
    template <typename T>
    static std::string Text(const std::optional<T>& value)
    {
        return value ? Text(*value) : std::string();
    }

    std::ostream& m_os;    ///< Where to write.
    std::size_t m_columns; ///< How many columns there are.
};

} // namespace ns3::fabric

#endif // FABRIC_CSV_WRITER_H
