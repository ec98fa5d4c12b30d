/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-table-csv.h"

#include "fabric-word-list.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

namespace
{

using Json = nlohmann::json;
using Cells = std::vector<std::string>; ///< Of a line.

/// @return all columns that a section may have
Cells
ColumnsOf(const TableSection& section)
{
    Cells all = section.required;
    all.insert(all.end(), section.optional.begin(), section.optional.end());
    return all;
}

/// @return a text in quotes, without what could break a line of a message
std::string
Quoted(const std::string& text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// @return a text without blanks at both ends
std::string
Trim(const std::string& text)
{
    const char* const blanks = " \t\r\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// @return the value of a cell: a number, true or false as JSON has them, else a text
Json
ValueOf(const std::string& cell)
{
    const Json value = Json::parse(cell, nullptr, false);
    return value.is_number() || value.is_boolean() ? value : Json(cell);
}

/// Reads the lines of a file one after the other.
class CsvReader
{
  public:
    /// @param name of the file @param sections that it may have
    CsvReader(const std::string& name, const std::vector<TableSection>& sections)
        : m_name(name),
          m_sections(sections)
    {
    }

    /// Reads the next line.
    void Read(const std::string& line)
    {
        ++m_number;
        const std::string text = Trim(line);
        if (text.empty())
        {
            m_section = nullptr; // what follows is another one
        }
        else if (text.front() != '#')
        {
            m_section ? ReadValues(Split(text)) : ReadColumns(Split(text));
        }
    }

    TableCsv Finish() const
    {
        for (const TableSection& section : m_sections)
        {
            if (section.isRequired && !m_json.contains(section.key))
            {
                throw std::invalid_argument(
                    m_name + ": no section begins with the column '" + section.required.front() +
                    "', allowed is exactly one, with the columns " + WordList(ColumnsOf(section)));
            }
        }
        return {m_json.dump(-1, ' ', false, Json::error_handler_t::replace), m_lines};
    }

  private:
    /// @return `t.csv: line 5:`
    std::string Here() const
    {
        return m_name + ": line " + std::to_string(m_number) + ":";
    }

    /// @throws std::invalid_argument with a sentence
    [[noreturn]] void Refuse(const std::string& sentence) const
    {
        throw std::invalid_argument(Here() + " " + sentence);
    }

    Cells Split(const std::string& line) const
    {
        Cells cells;
        std::size_t at = 0;
        do
        {
            cells.push_back(TakeCell(line, at));
        } while (at++ < line.size()); // past the comma
        return cells;
    }

    /// @param at where a cell begins; then where its comma is, or the end of the line
    std::string TakeCell(const std::string& line, std::size_t& at) const
    {
        at = std::min(line.find_first_not_of(" \t", at), line.size());
        if (at < line.size() && line[at] == '"')
        {
            return TakeQuoted(line, at);
        }
        const std::size_t begin = at;
        at = std::min(line.find(',', at), line.size());
        return Trim(line.substr(begin, at - begin));
    }

    /// A cell in quotes. @copydetails TakeCell()
    std::string TakeQuoted(const std::string& line, std::size_t& at) const
    {
        std::string cell;
        for (++at; at < line.size(); ++at)
        {
            const bool isQuote = line[at] == '"';
            if (isQuote && (at + 1 == line.size() || line[at + 1] != '"'))
            {
                at = std::min(line.find_first_not_of(" \t", at + 1), line.size());
                if (at < line.size() && line[at] != ',')
                {
                    Refuse("a cell goes on behind its quotes, allowed is a comma");
                }
                return cell;
            }
            at += isQuote; // of two quotes the second one counts
            cell += line[at];
        }
        Refuse("a cell has no second quote, allowed are two in one line");
    }

    /// A section begins.
    void ReadColumns(const Cells& columns)
    {
        for (const TableSection& section : m_sections)
        {
            if (section.required.front() == columns.front())
            {
                Begin(section, columns);
                return;
            }
        }
        std::vector<std::string> names;
        for (const TableSection& section : m_sections)
        {
            names.push_back(section.required.front());
        }
        Refuse("a section begins with the column " + Quoted(columns.front()) +
               ", allowed is one of " + WordList(names));
    }

    /// A section begins with these columns.
    void Begin(const TableSection& section, const Cells& columns)
    {
        const std::string begins = "a section begins with '" + columns.front() + "'";
        if (m_json.contains(section.key))
        {
            Refuse(begins + " for the second time, allowed is once");
        }
        const Cells known = ColumnsOf(section);
        for (auto column = columns.begin(); column != columns.end(); ++column)
        {
            if (std::find(known.begin(), known.end(), *column) == known.end())
            {
                Refuse(begins + " and has the column " + Quoted(*column) + ", allowed are " +
                       WordList(known));
            }
            if (std::find(columns.begin(), column, *column) != column)
            {
                Refuse(begins + " and has the column '" + *column + "' twice, allowed is once");
            }
        }
        for (const std::string& column : section.required)
        {
            if (std::find(columns.begin(), columns.end(), column) == columns.end())
            {
                Refuse(begins + " and has no column '" + column + "', it must have " +
                       WordList(section.required));
            }
        }
        m_section = &section;
        m_columns = columns;
        m_json[section.key] = Json::array();
    }

    /// A line with values.
    void ReadValues(const Cells& values)
    {
        if (values.size() != m_columns.size())
        {
            Refuse("there are " + std::to_string(values.size()) + " values, allowed are " +
                   std::to_string(m_columns.size()) + ", one for each of " + WordList(m_columns));
        }
        Json& entries = m_json[m_section->key];
        if (m_section->IsOne())
        {
            RequireFirst(entries);
            m_lines[m_section->key] = Here();
            entries = m_section->shape == TableSection::NUMBER ? ValueOf(values.front())
                                                               : MakeEntry(values);
            return;
        }
        m_lines[m_section->key + "[" + std::to_string(entries.size()) + "]"] = Here();
        entries.push_back(m_section->shape == TableSection::WORDS ? Json(values.front())
                                                                  : MakeEntry(values));
    }

    /// @param entry what was read of a section that has one line
    void RequireFirst(const Json& entry) const
    {
        if (!entry.is_array())
        {
            Refuse("there is a second " + m_section->noun + ", allowed is one");
        }
    }

    /// @return an object with the values of a line
    Json MakeEntry(const Cells& values) const
    {
        const Cells& required = m_section->required;
        Json entry = Json::object();
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            const std::string& column = m_columns[i];
            const bool isNeeded =
                std::find(required.begin(), required.end(), column) != required.end();
            if (isNeeded || !values[i].empty())
            {
                entry[column] = column == m_section->word ? Json(values[i]) : ValueOf(values[i]);
            }
        }
        return entry;
    }

    std::string m_name;                          ///< Of the file.
    const std::vector<TableSection>& m_sections; ///< That it may have.
    uint32_t m_number{0};                        ///< Of the line.
    const TableSection* m_section{nullptr};      ///< Of this line; null between sections.
    Cells m_columns;                             ///< Of the section.
    Json m_json = Json::object();                ///< What was read.
    std::map<std::string, std::string> m_lines;  ///< See TableCsv.
};

} // namespace

TableCsv
ReadTableCsv(const std::string& text,
             const std::string& name,
             const std::vector<TableSection>& sections)
{
    const std::string mark = "\xEF\xBB\xBF"; // some programs write it to say that this is UTF-8
    std::istringstream lines(text.rfind(mark, 0) == 0 ? text.substr(mark.size()) : text);
    CsvReader reader(name, sections);
    for (std::string line; std::getline(lines, line);)
    {
        reader.Read(line);
    }
    return reader.Finish();
}

} // namespace ns3::fabric
