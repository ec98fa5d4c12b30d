/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shaping-table-file.h"

#include "fabric-table-entry.h"
#include "fabric-wide-integer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Units of a quantity: the name of each, and how many of the smallest it is.
using Units = std::vector<std::pair<std::string, uint64_t>>;

const Units RATE_UNITS{{"bps", 1},
                       {"kbps", 1'000},
                       {"Mbps", 1'000'000},
                       {"Gbps", 1'000'000'000},
                       {"Tbps", 1'000'000'000'000}}; ///< In bit/s.
const Units SIZE_UNITS{{"B", 1},
                       {"kB", 1'000},
                       {"KB", 1'000},
                       {"MB", 1'000'000},
                       {"GB", 1'000'000'000},
                       {"KiB", 1024},
                       {"MiB", 1024 * 1024},
                       {"GiB", 1024 * 1024 * 1024}}; ///< In bytes.

constexpr std::size_t MOST_DIGITS = 15; ///< Of a number in a text, so that nothing overflows.

/// @return what a text such as `12.5Gbps` says, exact; nothing if it says nothing, or a fraction
std::optional<uint64_t>
ReadQuantity(const std::string& text, const Units& units)
{
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::size_t point = std::min(text.find('.'), end);
    const std::string whole = text.substr(0, point);
    const std::string fraction = point < end ? text.substr(point + 1, end - point - 1) : "0";
    const auto unit = std::find_if(units.begin(), units.end(), [&](const auto& one) {
        return one.first == text.substr(end);
    });
    const bool isNumber = !whole.empty() && !fraction.empty() &&
                          whole.size() + fraction.size() <= MOST_DIGITS &&
                          fraction.find('.') == std::string::npos;
    if (!isNumber || unit == units.end())
    {
        return std::nullopt;
    }
    WideUint value = WideUint{std::stoull(whole + fraction)} * unit->second;
    for (std::size_t i = 0; i < fraction.size(); ++i)
    {
        if (value % 10 != 0)
        {
            return std::nullopt;
        }
        value /= 10;
    }
    const bool isLarge = value >= WideUint{BucketSettings::UNLIMITED};
    return isLarge ? std::nullopt : std::make_optional(static_cast<uint64_t>(value));
}

/// @return a quantity: a number, or a text with a unit
std::optional<uint64_t>
ReadQuantity(const TableEntry& entry, const Units& units)
{
    if (entry.value.is_number_unsigned())
    {
        return entry.value.get<uint64_t>();
    }
    return entry.value.is_string() ? ReadQuantity(entry.value.get<std::string>(), units)
                                   : std::nullopt;
}

/// @return a rate in bit/s
uint64_t
ReadRate(const TableEntry& entry)
{
    if (entry.value.is_string() && entry.value.get<std::string>() == "unlimited")
    {
        return BucketSettings::UNLIMITED;
    }
    const std::optional<uint64_t> rate = ReadQuantity(entry, RATE_UNITS);
    if (!rate || (*rate != 0 && (*rate < LinkRate::LOWEST || *rate > LinkRate::HIGHEST)))
    {
        entry.Refuse("0, 10kbps to 1000Tbps in whole bit/s, as 12.5Gbps, or unlimited");
    }
    return *rate;
}

/// @return a burst in bytes
uint32_t
ReadBurst(const TableEntry& entry)
{
    const std::optional<uint64_t> burst = ReadQuantity(entry, SIZE_UNITS);
    if (!burst || *burst > BucketSettings::MOST_BURST)
    {
        entry.Refuse("0 to 1GiB in whole bytes, as 16KiB");
    }
    return static_cast<uint32_t>(*burst);
}

/// @return the bucket of an entry
BucketSettings
ReadBucket(const TableEntry& entry)
{
    BucketSettings bucket;
    if (entry.Has("rate"))
    {
        bucket.rate = ReadRate(entry.Of("rate"));
    }
    if (entry.Has("burst"))
    {
        bucket.burst = ReadBurst(entry.Of("burst"));
        if (bucket.IsOff() || bucket.IsUnlimited())
        {
            throw std::invalid_argument(entry.where + " has a burst, and its rate is " +
                                        (bucket.IsOff() ? "0" : "unlimited") +
                                        ", so that it has no effect; allowed is none, or a rate");
        }
    }
    if (entry.Has("priority"))
    {
        bucket.priority = static_cast<uint8_t>(
            entry.Of("priority").ReadNumber(0, BucketSettings::PRIORITIES - 1));
    }
    return bucket;
}

/// @return the class of an entry
ShapingClass
ReadClass(const TableEntry& entry, uint32_t queues)
{
    entry.CheckKeys({"class", "queue"}, {"trafficClass", "vni", "vniMask"});
    ShapingClass one;
    one.number = static_cast<uint16_t>(entry.Of("class").ReadNumber(0, 0xFFFF));
    one.queue = static_cast<uint8_t>(entry.Of("queue").ReadNumber(0, queues - 1));
    FlowRule& rule = one.rule;
    if (entry.Has("trafficClass"))
    {
        rule.mask.trafficClass = 0xFF;
        rule.value.trafficClass =
            static_cast<uint8_t>(entry.Of("trafficClass").ReadNumber(0, TRAFFIC_CLASSES - 1));
    }
    if (entry.Has("vni"))
    {
        rule.mask.vni = 0xFFFF;
        rule.value.vni = static_cast<uint16_t>(entry.Of("vni").ReadNumber(0, 0xFFFF));
    }
    if (entry.Has("vniMask"))
    {
        if (!entry.Has("vni"))
        {
            throw std::invalid_argument(entry.where + " has a vniMask and no vni, allowed is none, "
                                                      "or a vni");
        }
        rule.mask.vni = static_cast<uint16_t>(entry.Of("vniMask").ReadNumber(1, 0xFFFF));
        if ((rule.value.vni & ~rule.mask.vni) != 0)
        {
            entry.Of("vni").Refuse("a number whose bits are in vniMask, " +
                                   std::to_string(rule.mask.vni));
        }
    }
    return one;
}

/// @return the leaf of an entry
ShapingLeaf
ReadLeaf(const TableEntry& entry, uint32_t queues)
{
    entry.CheckKeys({"queue"}, {"rate", "burst", "priority", "branch"});
    ShapingLeaf leaf;
    leaf.queue = static_cast<uint8_t>(entry.Of("queue").ReadNumber(0, queues - 1));
    leaf.bucket = ReadBucket(entry);
    if (entry.Has("branch"))
    {
        leaf.branch = static_cast<uint8_t>(entry.Of("branch").ReadNumber(0, SHAPING_BRANCHES - 1));
    }
    return leaf;
}

/// @return the branch of an entry
ShapingBranch
ReadBranch(const TableEntry& entry)
{
    entry.CheckKeys({"branch", "rate"}, {"burst", "priority"});
    ShapingBranch branch;
    branch.branch = static_cast<uint8_t>(entry.Of("branch").ReadNumber(0, SHAPING_BRANCHES - 1));
    branch.bucket = ReadBucket(entry);
    return branch;
}

/// @return what a list of entries says, nothing without it
template <typename Read>
auto
ReadEntries(const TableEntry& top, const std::string& key, Read&& read)
{
    std::vector<decltype(read(top))> all;
    if (top.Has(key))
    {
        const TableEntry list = top.Of(key);
        for (std::size_t i = 0; i < list.RequireList(key).value.size(); ++i)
        {
            all.push_back(read(list.At(i)));
        }
    }
    return all;
}

/// @return the table that entries say
ShapingTable
MakeShapingTable(const TableEntry& top, uint32_t queues)
{
    top.CheckKeys({"leaves"}, {"classes", "branches", "head"});
    ShapingTable table;
    table.classes = ReadEntries(top, "classes", [queues](const TableEntry& entry) {
        return ReadClass(entry, queues);
    });
    table.leaves = ReadEntries(top, "leaves", [queues](const TableEntry& entry) {
        return ReadLeaf(entry, queues);
    });
    table.branches = ReadEntries(top, "branches", ReadBranch);
    if (top.Has("head"))
    {
        const TableEntry head = top.Of("head");
        head.CheckKeys({"rate"}, {"burst"});
        table.head = ReadBucket(head);
    }
    return table;
}

/// @return parts of a table in CSV
const std::vector<TableSection>&
ShapingTableSections()
{
    static const std::vector<TableSection> sections{
        {"classes",
         TableSection::ENTRIES,
         false,
         {"class", "queue"},
         {"trafficClass", "vni", "vniMask"}},
        {"leaves", TableSection::ENTRIES, true, {"queue"}, {"rate", "burst", "priority", "branch"}},
        {"branches", TableSection::ENTRIES, false, {"branch", "rate"}, {"burst", "priority"}},
        {"head", TableSection::ENTRY, false, {"rate"}, {"burst"}, "", "head"}};
    return sections;
}

} // namespace

ShapingTable
ParseShapingTable(const std::string& text, const std::string& name, uint32_t queues)
{
    ShapingTable table;
    ReadTableText(text, name, ShapingTableSections(), [&table, queues](const TableEntry& top) {
        table = MakeShapingTable(top, queues);
    });
    try
    {
        table.Validate(queues);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(name + ": " + error.what());
    }
    return table;
}

ShapingTable
ReadShapingTable(const std::string& file, uint32_t queues)
{
    return ParseShapingTable(ReadTableFile(file, "shaping table"), file, queues);
}

} // namespace ns3::fabric
