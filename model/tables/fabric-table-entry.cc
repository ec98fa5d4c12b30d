/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-table-entry.h"

#include "fabric-word-list.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

using Json = TableEntry::Json;

constexpr int DEEPEST = 8; ///< Brackets in brackets; JSON's own functions call themselves for each.

/// @return the parsed text; of a key that an object has twice JSON would keep one without a word
Json
ParseJson(const std::string& text, const std::string& name)
{
    std::vector<std::set<std::string>> keys;
    const auto noteKeys = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > DEEPEST)
        {
            throw std::invalid_argument(name + ": brackets are nested more than " +
                                        std::to_string(DEEPEST) + " deep, a table has three");
        }
        if (event == Json::parse_event_t::object_start)
        {
            keys.emplace_back();
        }
        else if (event == Json::parse_event_t::object_end)
        {
            keys.pop_back();
        }
        else if (event == Json::parse_event_t::key &&
                 !keys.back().insert(parsed.get<std::string>()).second)
        {
            throw std::invalid_argument(name + ": an object has the key '" +
                                        parsed.get<std::string>() + "' twice, allowed is once");
        }
        return true;
    };
    try
    {
        return Json::parse(text, noteKeys);
    }
    catch (const Json::parse_error& error)
    {
        // "[json.exception.parse_error.101] parse error at line 2, column 3: ..."
        const std::string what = error.what();
        const std::size_t bracket = what.find("] ");
        throw std::invalid_argument(name + ": this is not JSON, " +
                                    what.substr(bracket == std::string::npos ? 0 : bracket + 2));
    }
}

/// @return whether a file's name says that it is CSV
bool
IsCsv(const std::string& name)
{
    const std::string ending = ".csv";
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

} // namespace

void
TableEntry::Refuse(const std::string& allowed) const
{
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    throw std::invalid_argument(where + " is " + text + ", allowed is " + allowed);
}

TableEntry
TableEntry::Of(const std::string& key) const
{
    const auto line = lines.find(key);
    const std::string before = place.empty() && line != lines.end() ? line->second : where;
    return {value.at(key), before + (before.back() == ':' ? " " : ".") + key, lines, key};
}

TableEntry
TableEntry::At(std::size_t index) const
{
    const std::string number = std::string("[").append(std::to_string(index)).append("]");
    const auto line = lines.find(place + number);
    return {value.at(index), line == lines.end() ? where + number : line->second, lines, ""};
}

void
TableEntry::CheckKeys(const std::vector<std::string>& required,
                      const std::vector<std::string>& optional) const
{
    std::vector<std::string> known = required;
    known.insert(known.end(), optional.begin(), optional.end());
    if (!value.is_object())
    {
        Refuse("an object with the keys " + WordList(known));
    }
    for (const auto& item : value.items())
    {
        if (std::find(known.begin(), known.end(), item.key()) == known.end())
        {
            throw std::invalid_argument(where + " has the key '" + item.key() + "', allowed are " +
                                        WordList(known));
        }
    }
    for (const std::string& key : required)
    {
        if (!Has(key))
        {
            throw std::invalid_argument(where + " has no key '" + key + "', it must have " +
                                        WordList(required));
        }
    }
}

const TableEntry&
TableEntry::RequireList(const std::string& of) const
{
    if (!value.is_array())
    {
        Refuse("a list of " + of);
    }
    return *this;
}

uint32_t
TableEntry::ReadNumber(uint32_t low, uint32_t high) const
{
    if (!value.is_number_unsigned() || value.get<uint64_t>() < low || value.get<uint64_t>() > high)
    {
        Refuse("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value.get<uint32_t>();
}

void
ReadTableText(const std::string& text,
              const std::string& name,
              const std::vector<TableSection>& sections,
              const std::function<void(const TableEntry&)>& read)
{
    const TableCsv csv = IsCsv(name) ? ReadTableCsv(text, name, sections) : TableCsv{text, {}};
    const Json json = ParseJson(csv.json, name);
    read({json, name + ":", csv.lines, ""});
}

std::string
ReadTableFile(const std::string& file, const std::string& kind)
{
    std::ifstream stream(file);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf()))
    {
        throw std::invalid_argument(file +
                                    ": this file cannot be read, or is empty; allowed is a " +
                                    kind + " in JSON, or in CSV if the name ends in .csv");
    }
    return text.str();
}

} // namespace ns3::fabric
