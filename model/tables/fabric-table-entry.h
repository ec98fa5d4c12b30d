/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TABLE_ENTRY_H
#define FABRIC_TABLE_ENTRY_H

#include "fabric-table-csv.h"

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// A value of a table, and where it stands, for sentences. For sources that read tables.
struct TableEntry
{
    using Json = nlohmann::json; ///< Values.

    const Json& value;       ///< The value.
    const std::string where; ///< `table.json: lanes[3].level`, `table.csv: line 5: level`
    const std::map<std::string, std::string>& lines; ///< Of a file in CSV, see TableCsv.
    const std::string place;                         ///< `lanes`

    /// @throws std::invalid_argument with a sentence
    [[noreturn]] void Refuse(const std::string& allowed) const;

    /// @return the entry of a key, which is known to be there
    TableEntry Of(const std::string& key) const;

    /// @return the entry of an index, which is known to be there
    TableEntry At(std::size_t index) const;

    /// @return whether there is such a key
    bool Has(const std::string& key) const
    {
        return value.contains(key);
    }

    /**
     * Checks that it is an object with the keys that it must have, and no others than it may.
     *
     * @throws std::invalid_argument with a sentence
     */
    void CheckKeys(const std::vector<std::string>& required,
                   const std::vector<std::string>& optional) const;

    /// @param of what, in words @return this @throws std::invalid_argument if it is no list
    const TableEntry& RequireList(const std::string& of) const;

    /// @return it, a whole number @throws std::invalid_argument if it is none from low to high
    uint32_t ReadNumber(uint32_t low, uint32_t high) const;
};

/**
 * Reads a table, in CSV if the name ends in `.csv`, else in JSON.
 *
 * @param name what sentences call it, such as its file's name
 * @param sections that it may have in CSV
 * @param read is given what the text says, and refuses what is wrong in it
 * @throws std::invalid_argument with one sentence that says the name, the line or the key, and what
 * is allowed
 */
void ReadTableText(const std::string& text,
                   const std::string& name,
                   const std::vector<TableSection>& sections,
                   const std::function<void(const TableEntry&)>& read);

/// @param kind of table, as `lane table` @return what a file says @throws std::invalid_argument
/// with a sentence if it can't be read
std::string ReadTableFile(const std::string& file, const std::string& kind);

} // namespace ns3::fabric

#endif // FABRIC_TABLE_ENTRY_H
