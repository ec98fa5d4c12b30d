/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CSV_ROWS_H
#define FABRIC_CSV_ROWS_H

#include "fabric-function-case.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// The rows of a CSV file without quotes: texts by column.
using CsvRows = std::vector<std::map<std::string, std::string>>;

/// @return the rows of a table; it must not have empty fields at the end of a row
inline CsvRows
ReadCsv(std::istream&& file)
{
    const auto fields = [](const std::string& line) {
        std::vector<std::string> texts;
        std::istringstream stream(line);
        for (std::string text; std::getline(stream, text, ',');)
        {
            texts.push_back(text);
        }
        return texts;
    };
    CsvRows rows;
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> columns = fields(line);
    while (std::getline(file, line))
    {
        const std::vector<std::string> texts = fields(line);
        rows.emplace_back();
        for (std::size_t i = 0; i < texts.size(); ++i)
        {
            rows.back()[columns.at(i)] = texts[i];
        }
    }
    return rows;
}

/// @return the rows of a result file
inline CsvRows
ReadCsv(const std::filesystem::path& path)
{
    return ReadCsv(std::ifstream(path));
}

/// @return what a row of a summary is about: `key=value`, with blanks between
inline std::string
SubjectOf(const std::map<std::string, std::string>& row)
{
    std::string subject;
    for (const auto& [column, text] : row)
    {
        if (column != "metric" && column != "value" && column != "unit" && !text.empty())
        {
            subject += (subject.empty() ? "" : " ") + column + "=" + text;
        }
    }
    return subject;
}

/// Compares numbers of a row with what they are by hand, but for rounding.
inline void
ExpectRow(FunctionCase& self,
          const CsvRows& rows,
          std::size_t index,
          const std::map<std::string, double>& expected)
{
    for (const auto& [column, value] : expected)
    {
        const bool isThere = index < rows.size() && rows[index].count(column) != 0;
        const std::string text = isThere ? rows[index].at(column) : "nothing";
        self.Expect(isThere && std::abs(std::stod(text) - value) <= 1e-12 * std::abs(value),
                    "row " + std::to_string(index) + ": " + column + " is " + text +
                        " instead of " + std::to_string(value));
    }
}

} // namespace ns3::fabric

#endif // FABRIC_CSV_ROWS_H
