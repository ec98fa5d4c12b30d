/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TABLE_CSV_H
#define FABRIC_TABLE_CSV_H

#include <map>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// A part of a table in CSV: a line with the names of columns, and lines with values.
struct TableSection
{
    /// What it is in JSON.
    enum Shape
    {
        ENTRIES, ///< A list of objects, one a line.
        WORDS,   ///< A list of texts, one a line.
        NUMBER,  ///< A number, in one line.
        ENTRY,   ///< An object, in one line.
    };

    std::string key; ///< In the JSON.
    Shape shape;     ///< What it is there.
    bool isRequired; ///< Whether each table has one.
    /// Columns that it must have; the first tells it from others.
    std::vector<std::string> required;
    /// Columns that it may have; an empty cell in one counts for nothing.
    std::vector<std::string> optional{};
    std::string word{}; ///< Column whose cells are texts, also if they look like numbers.
    std::string noun{}; ///< What is told of a second line where there is one.

    /// @return whether it has one line
    bool IsOne() const
    {
        return shape == NUMBER || shape == ENTRY;
    }
};

/// A table that was written in CSV, in the words of JSON, so that one reader checks both.
struct TableCsv
{
    std::string json; ///< Says the same.
    /// Where in the CSV what is in `json` stands: `lanes[3]` is at `t.csv: line 5:`.
    std::map<std::string, std::string> lines;
};

/**
 * Reads the sections and cells of a table in CSV (PR-5). Numbers, names and what belongs together
 * are not checked here.
 *
 * Cells are separated by commas; one in double quotes may hold commas and doubled quotes (RFC
 * 4180), but no end of a line. Blanks around cells, empty lines at both ends and lines that begin
 * with `#` count for nothing.
 *
 * @param name what sentences call it, such as its file's name
 * @param sections that it may have
 * @return the same as JSON
 * @throws std::invalid_argument with one sentence that says the name, the line and what is allowed
 */
TableCsv ReadTableCsv(const std::string& text,
                      const std::string& name,
                      const std::vector<TableSection>& sections);

} // namespace ns3::fabric

#endif // FABRIC_TABLE_CSV_H
