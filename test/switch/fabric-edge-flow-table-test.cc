/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-edge-flow-table.h"
#include "fabric-function-case.h"
#include "fabric-heap-bytes.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/**
 * @param destination destination endpoint
 * @return a key with these two fields
 */
FlowKey
MakeKey(LocationId destination, uint32_t process = 0)
{
    FlowKey key;
    key.destination = destination;
    key.process = process;
    return key;
}

/**
 * @param fields fields that are chosen
 * @param changed a key that differs from the default one in one field
 * @return whether the two keys get channels of their own and Select() keeps the difference
 */
bool
AreApart(FlowFields fields, const FlowKey& changed)
{
    EdgeFlowTable table(fields);
    const bool apart = table.Classify(FlowKey{}) != table.Classify(changed);
    const bool selected = !(changed.Select(fields) == FlowKey{});
    return apart && selected;
}

/// Each field is compared if it was chosen, and only then; destination, FTAG and VNI always.
void
TestFields(FunctionCase& test)
{
    std::vector<std::pair<FlowFields, FlowKey>> changes;
    const auto change = [&changes](FlowFields field, auto setter) {
        FlowKey key;
        setter(key);
        changes.emplace_back(field, key);
    };
    const FlowFields always = FLOW_ALL + 1; // A bit that stands for no choice.
    change(always, [](FlowKey& key) { key.destination = 0x8000; });
    change(always, [](FlowKey& key) { key.vni = 0x8000; });
    change(always, [](FlowKey& key) { key.trafficClass = 8; });
    change(FLOW_MAC, [](FlowKey& key) { key.macSource[0] = 0x80; });
    change(FLOW_MAC, [](FlowKey& key) { key.macDestination[5] = 1; });
    change(FLOW_VLAN, [](FlowKey& key) { key.vlan = 0x800; });
    change(FLOW_IP, [](FlowKey& key) { key.ipSource[0] = 0x80; });
    change(FLOW_IP, [](FlowKey& key) { key.ipDestination[15] = 1; });
    change(FLOW_PROTOCOL, [](FlowKey& key) { key.protocol = 0x80; });
    change(FLOW_PORTS, [](FlowKey& key) { key.sourcePort = 0x8000; });
    change(FLOW_PORTS, [](FlowKey& key) { key.destinationPort = 1; });
    change(FLOW_LABEL, [](FlowKey& key) { key.flowLabel = 0x80000; });
    change(FLOW_PROCESS, [](FlowKey& key) { key.process = 0x80000000; });
    for (uint32_t fields = 0; fields <= FLOW_ALL; ++fields)
    {
        for (std::size_t i = 0; i < changes.size(); ++i)
        {
            const bool expected = ((fields | always) & changes[i].first) != 0;
            test.ExpectEqual(AreApart(static_cast<FlowFields>(fields), changes[i].second),
                             expected,
                             Text("fields ", fields, ", change ", i));
        }
    }
}

/// Ternary entries: the order decides, keys under an entry share, destinations do not.
void
TestTernary(FunctionCase& test)
{
    EdgeFlowTable table(FLOW_ALL);
    FlowKey value;
    FlowKey mask;
    value.destinationPort = 4791;
    mask.destinationPort = 0xffff;
    mask.process = 0x3;
    value.process = 0xff2; // Only the two low bits are looked at.
    table.AddTernary({value, mask, mask});
    mask.process = 0;
    table.AddTernary({value, mask, mask});

    const auto idOf = [&table](uint32_t process, LocationId destination, uint16_t port) {
        FlowKey key = MakeKey(destination, process);
        key.destinationPort = port;
        return *table.Classify(key);
    };
    const FlowId first = idOf(2, 1, 4791);
    test.ExpectEqual(idOf(6, 1, 4791), first, "process 6 ends in the same two bits");
    const FlowId second = idOf(3, 1, 4791);
    test.Expect(second != first, "process 3 matches only the second entry");
    test.ExpectEqual(idOf(4, 1, 4791), second, "so does process 4");
    test.Expect(idOf(2, 7, 4791) != first, "another destination has its own channel");
    test.Expect(idOf(2, 1, 80) != idOf(6, 1, 80), "no entry: all fields count");
    table.Check();
}

/// @param sentence what was said
void
ExpectWrongInput(FunctionCase& test, const std::string& sentence, const std::string& part)
{
    test.Expect(sentence.find(part) != std::string::npos,
                Text("'", sentence, "' has no '", part, "'"));
}

/// Wrong arguments get a sentence that names the limit.
void
TestWrongInput(FunctionCase& test)
{
    ExpectWrongInput(test, Refusal([] { EdgeFlowTable(FLOW_ALL, 0); }), "allowed are 1 to 2047");
    ExpectWrongInput(test, Refusal([] { EdgeFlowTable(FLOW_ALL, 2048); }), "allowed are 1 to 2047");
    ExpectWrongInput(test, Refusal([] { EdgeFlowTable(0x80); }), "allowed are 0 to 127");
    EdgeFlowTable table;
    ExpectWrongInput(test,
                     Refusal([&] { table.Classify(FlowKey{}, EdgeFlowTable::MAX_HINTS); }),
                     "allowed are 0 to 65535");
    test.ExpectEqual(table.InUse(), 0, "a refused call allocates nothing");
    ExpectWrongInput(test, Refusal([&] { table.Send(1, 1); }), "not in use");
    ExpectWrongInput(test, Refusal([&] { table.Send(NO_FLOW, 1); }), "not in use");
    const FlowId id = *table.Classify(FlowKey{}, EdgeFlowTable::MAX_HINTS - 1);
    ExpectWrongInput(test, Refusal([&] { table.Send(id, 0); }), "0 units");
    table.Send(id, 3);
    ExpectWrongInput(test,
                     Refusal([&] { table.Acknowledge(id, 4); }),
                     "at most the 3 that are out");
    test.ExpectEqual(table.FlowExtent(id), 3, "a refused acknowledgement changes nothing");
    ExpectWrongInput(test, Refusal([&] { table.AddTernary({}); }), "1 ids are in use");
    table.Acknowledge(id, 3);
    ExpectWrongInput(test, Refusal([&] { table.Acknowledge(id, 0); }), "not in use");
    ExpectWrongInput(test, Refusal([&] { table.FlowExtent(id); }), "not in use");
    ExpectWrongInput(test, Refusal([&] { table.Hear(id, 1); }), "not in use");
    ExpectWrongInput(test, Refusal([&] { table.HeardAt(id); }), "not in use");
    table.AddTernary({});
    table.Check();
}

/// The life of a channel, and the order in which ids are reused.
void
TestRelease(FunctionCase& test)
{
    EdgeFlowTable table;
    for (LocationId i = 1; i <= 3; ++i)
    {
        test.ExpectEqual(*table.Classify(MakeKey(i)), i, "new ids rise from 1");
    }
    test.ExpectEqual(table.Send(2, 4), 0, "the first frame is at 0");
    test.ExpectEqual(table.Send(2, 16), 4, "the next behind it");
    test.ExpectEqual(table.FlowExtent(2), 20, "data_flow - ack_flow");
    test.Expect(!table.Acknowledge(2, 4), "16 units are still out");
    test.ExpectEqual(table.FlowExtent(2), 16, "data_flow - ack_flow");
    test.ExpectEqual(*table.Classify(MakeKey(2)), 2, "its pattern still matches");
    test.Expect(table.Acknowledge(2, 16), "nothing is out");
    test.Expect(!table.IsInUse(2), "so the id is free");
    table.Send(1, 1);
    test.Expect(table.Acknowledge(1, 1), "nothing is out");
    test.ExpectEqual(*table.Classify(MakeKey(2)), 1, "1 was freed last");
    test.ExpectEqual(table.Send(1, 1), 0, "a new channel starts at 0");
    test.ExpectEqual(*table.Classify(MakeKey(1)), 2, "2 was freed before");
    test.ExpectEqual(table.Allocated(), 5, "three and two again");
    test.ExpectEqual(table.Released(), 2, "ids 2 and 1");
    test.ExpectEqual(table.PeakInUse(), 3, "never more than three");
    table.Check();
}

/// A sender's hint that outlived its channel must not lead into another flow's.
void
TestStaleHint(FunctionCase& test)
{
    EdgeFlowTable table;
    const FlowId id = *table.Classify(MakeKey(1), 0);
    table.Send(id, 1);
    table.Acknowledge(id, 1);
    test.ExpectEqual(*table.Classify(MakeKey(2), 1), id, "the other flow gets the id");
    const FlowId other = *table.Classify(MakeKey(1), 0);
    test.Expect(other != id, "the first flow's hint is stale");
    test.ExpectEqual(*table.Classify(MakeKey(2), 1), id, "the other's is not");
    test.ExpectEqual(*table.Classify(MakeKey(1), 0), other, "and is good again");
    test.ExpectEqual(*table.Classify(MakeKey(1), 5), other, "a second sender of the flow");

    table.Acknowledge(id, 0);
    table.Acknowledge(other, 0);
    test.ExpectEqual(*table.Classify(MakeKey(1), 0), other, "the same id for the same flow");
    test.ExpectEqual(*table.Classify(MakeKey(1), 5), other, "for both its senders");
    test.ExpectEqual(table.InUse(), 1, "one flow");
    table.Check();
}

/// Different keys with the same 32 bits of hash are different flows.
void
TestCollision(FunctionCase& test)
{
    std::unordered_map<uint32_t, uint32_t> processOfHash;
    EdgeFlowTable table;
    uint32_t pairs = 0;
    // Of 300000 keys about n^2 / 2^33 = 10 pairs have equal 32-bit hashes.
    for (uint32_t process = 0; process < 300000; ++process)
    {
        const FlowKey key = MakeKey(1, process);
        const auto hash = static_cast<uint32_t>(FlowKeyHash()(key));
        const auto [known, isNew] = processOfHash.emplace(hash, process);
        if (!isNew)
        {
            ++pairs;
            test.Expect(*table.Classify(MakeKey(1, known->second)) != *table.Classify(key),
                        Text("processes ", known->second, " and ", process));
        }
    }
    test.Expect(pairs > 0, "no two keys with equal hashes were found");
    table.Check();
}

/// Positions wrap at 2^32 units without harm.
void
TestWrap(FunctionCase& test)
{
    EdgeFlowTable table;
    const FlowId id = *table.Classify(MakeKey(1));
    table.Send(id, 0xfffffff0);
    test.Expect(!table.Acknowledge(id, 0xffffffe0), "16 units are out");
    test.ExpectEqual(table.Send(id, 0x20), 0xfffffff0, "before the wrap");
    test.ExpectEqual(table.Send(id, 1), 0x10, "after the wrap");
    test.ExpectEqual(table.FlowExtent(id), 0x31, "across the wrap");
    test.Expect(!table.Acknowledge(id, 0x30), "1 unit is out");
    test.Expect(table.Acknowledge(id, 1), "nothing is out");
}

/// When a flow was heard of last is known, whatever others hear, while the table grows.
void
TestHearing(FunctionCase& test)
{
    EdgeFlowTable table;
    for (uint32_t process = 0; process < 100; ++process)
    {
        const FlowId id = *table.Classify(MakeKey(1, process));
        table.Send(id, 1);
        table.Hear(id, 10 * id);
    }
    table.Hear(50, 12'345'678'901'234);
    for (FlowId id = 1; id <= 100; ++id)
    {
        test.ExpectEqual(table.HeardAt(id),
                         id == 50 ? TimePs{12'345'678'901'234} : TimePs{10} * id,
                         Text("flow ", id));
    }
}

/**
 * Puts flows into a table and takes them out again, in another order each time.
 *
 * @param flows how many
 * @param offset a number that makes the keys differ from those of another turn
 */
void
Turn(EdgeFlowTable& table, uint32_t flows, uint32_t offset)
{
    std::vector<FlowId> ids;
    for (uint32_t i = 0; i < flows; ++i)
    {
        ids.push_back(*table.Classify(MakeKey(1, offset + i), i));
        table.Send(ids.back(), 1);
    }
    for (uint32_t i = 0; i < flows; ++i)
    {
        table.Acknowledge(ids[(i * 7 + offset) % flows], 1);
    }
}

/// The memory of a table: little at first, and no more once the peak is reached.
void
TestFlowMemory(FunctionCase& test)
{
    const std::size_t before = HeapBytes();
    EdgeFlowTable table;
    test.ExpectEqual(HeapBytes(), before, "an idle table has nothing on the heap");
    Turn(table, 5, 0);
    test.Expect(HeapBytes() < before + 2048, "a few flows take little");
    Turn(table, 2047, 0);
    test.ExpectEqual(table.PeakInUse(), 2047, "full");
    test.Expect(HeapBytes() < before + 2047 * 192, "bytes per flow");
    const std::size_t full = HeapBytes();
    for (uint32_t turn = 1; turn <= 50; ++turn)
    {
        Turn(table, 2047 - turn % 3, turn * 4096); // 2047, 2046 and 2045 are not multiples of 7.
        test.Expect(HeapBytes() <= full, Text("turn ", turn, " takes more"));
        test.ExpectEqual(table.InUse(), 0, "no table entry is left");
        table.Check();
    }
    test.ExpectEqual(table.PeakInUse(), 2047, "nodes of free ids are used again");
}

/// 2047 ids are usable; the next flow has to wait until one is freed.
void
TestFull(FunctionCase& test)
{
    EdgeFlowTable table;
    std::set<FlowId> ids;
    for (uint32_t i = 0; i < 2047; ++i)
    {
        ids.insert(*table.Classify(MakeKey(1, i), i));
    }
    test.ExpectEqual(ids.size(), 2047, "no id twice");
    test.ExpectEqual(*ids.begin(), 1, "0 means no flow");
    test.ExpectEqual(*ids.rbegin(), 2047, "11 bits");
    test.Expect(!table.Classify(MakeKey(2), 2047).has_value(), "none is free");
    test.Expect(!table.Classify(MakeKey(2), 2047).has_value(), "still not");
    test.ExpectEqual(table.Failed(), 2, "both are counted");
    test.Expect(table.Classify(MakeKey(1, 9)).has_value(), "a known flow goes on");
    table.Send(77, 1);
    table.Acknowledge(77, 1);
    test.ExpectEqual(*table.Classify(MakeKey(2), 2047), 77, "the id that became free");
    test.Expect(!table.Classify(MakeKey(1, 76)).has_value(), "full again");
    test.ExpectEqual(table.Allocated(), 2048, "channels made");
    test.ExpectEqual(table.Released(), 1, "channels freed");
    test.ExpectEqual(table.Failed(), 3, "calls without a free id");
    table.Check();
}

/// Reference for the property test, field by field, with maps and a stack of all free ids.
class TableModel
{
  public:
    /// A pattern: number of the ternary entry or 0, destination, VNI, FTAG, VLAN, destination port,
    /// process.
    using Pattern = std::array<uint32_t, 7>;

    /// A channel in use.
    struct Channel
    {
        Pattern pattern; ///< Whose it is.
        uint64_t sent;   ///< Units sent.
        uint64_t acked;  ///< Units acknowledged.
    };

    /// A ternary entry on VLAN and destination port.
    struct Entry
    {
        uint16_t vlan;     ///< Value of the VLAN.
        uint16_t vlanMask; ///< Bits of the VLAN that count.
        uint16_t port;     ///< Value of the port.
        uint16_t portMask; ///< Bits of the port that count.
        uint16_t vlanTold; ///< Bits of the VLAN that tell flows apart.
        uint16_t portTold; ///< Bits of the port that tell flows apart.
    };

    /**
     * @param fields fields that take part
     * @param capacity ids
     */
    TableModel(FlowFields fields, uint32_t capacity)
        : m_fields(fields)
    {
        for (uint32_t id = capacity; id >= 1; --id)
        {
            m_free.push_back(static_cast<FlowId>(id));
        }
    }

    Pattern PatternOf(const FlowKey& key) const
    {
        Pattern pattern{0, key.destination, key.vni, key.trafficClass};
        for (const Entry& entry : entries)
        {
            ++pattern[0];
            if ((key.vlan & entry.vlanMask) == (entry.vlan & entry.vlanMask) &&
                (key.destinationPort & entry.portMask) == (entry.port & entry.portMask))
            {
                pattern[4] = key.vlan & entry.vlanTold;
                pattern[5] = key.destinationPort & entry.portTold;
                return pattern;
            }
        }
        pattern[0] = 0;
        pattern[4] = (m_fields & FLOW_VLAN) != 0 ? key.vlan : 0;
        pattern[5] = (m_fields & FLOW_PORTS) != 0 ? key.destinationPort : 0;
        pattern[6] = (m_fields & FLOW_PROCESS) != 0 ? key.process : 0;
        return pattern;
    }

    /// @return its id, 0 if none is free
    FlowId Classify(const FlowKey& key)
    {
        const Pattern pattern = PatternOf(key);
        const auto known = m_ids.find(pattern);
        if (known != m_ids.end())
        {
            return known->second;
        }
        if (m_free.empty())
        {
            ++failed;
            return NO_FLOW;
        }
        const FlowId id = m_free.back();
        m_free.pop_back();
        m_ids[pattern] = id;
        channels[id] = {pattern, 0, 0};
        ++allocated;
        peak = std::max(peak, channels.size());
        return id;
    }

    /**
     * @param id a channel
     * @param units units that are acknowledged
     * @return whether it is freed
     */
    bool Acknowledge(FlowId id, uint32_t units)
    {
        Channel& channel = channels.at(id);
        channel.acked += units;
        if (channel.acked != channel.sent)
        {
            return false;
        }
        m_ids.erase(channel.pattern);
        channels.erase(id);
        m_free.push_back(id);
        return true;
    }

    std::vector<Entry> entries;         ///< Ternary entries in order.
    std::map<FlowId, Channel> channels; ///< Channels in use.
    uint64_t allocated{0};              ///< Channels made.
    uint64_t failed{0};                 ///< Calls without a free id.
    std::size_t peak{0};                ///< Most channels in use.

  private:
    FlowFields m_fields;             ///< Fields that take part.
    std::map<Pattern, FlowId> m_ids; ///< Ids by pattern.
    std::vector<FlowId> m_free;      ///< Free ids, the next on top.
};

/// Random tables, keys, hints, frames and acknowledgements against the model.
class RandomTable
{
  public:
    /// @param seed from which all is drawn
    explicit RandomTable(uint32_t seed)
        : m_random(seed)
    {
    }

    /// @return what a table did otherwise than the model, empty if nothing
    std::string Run()
    {
        const auto fields = static_cast<FlowFields>(Draw(FLOW_ALL + 1));
        const uint32_t capacity = 1 + Draw(Draw(2) == 0 ? 4 : 40);
        EdgeFlowTable table(fields, capacity);
        TableModel model(fields, capacity);
        for (uint32_t entries = Draw(4); entries > 0; --entries)
        {
            AddEntry(table, model);
        }
        std::vector<FlowKey> keyOfHint(1 + Draw(60));
        for (FlowKey& key : keyOfHint)
        {
            key = DrawKey();
        }
        for (uint32_t step = 0; step < 250; ++step)
        {
            const std::string difference = Step(table, model, keyOfHint);
            if (!difference.empty() || !CountersAgree(table, model))
            {
                return Text("step ", step, ": ", difference.empty() ? "counters" : difference)
                    .Str();
            }
            table.Check();
        }
        while (!model.channels.empty())
        {
            const auto [id, channel] = *model.channels.begin();
            const auto extent = static_cast<uint32_t>(channel.sent - channel.acked);
            if (!table.Acknowledge(id, extent))
            {
                return "the last acknowledgement does not free";
            }
            model.Acknowledge(id, extent);
        }
        table.Check();
        return table.InUse() == 0 ? "" : "an entry is left";
    }

  private:
    /**
     * @param count how many values
     * @return one of 0 to count - 1
     */
    uint32_t Draw(uint32_t count)
    {
        return static_cast<uint32_t>(m_random() % count);
    }

    /// @return a key from a small set, so that keys meet again
    FlowKey DrawKey()
    {
        FlowKey key = MakeKey(static_cast<LocationId>(1 + Draw(3)), Draw(2));
        key.vni = static_cast<uint16_t>(Draw(2));
        key.trafficClass = static_cast<uint8_t>(Draw(2));
        key.vlan = static_cast<uint16_t>(Draw(4));
        key.destinationPort = static_cast<uint16_t>(Draw(4));
        return key;
    }

    /// @param table table to add a random ternary entry to
    void AddEntry(EdgeFlowTable& table, TableModel& model)
    {
        const auto draw = [this] { return static_cast<uint16_t>(Draw(4)); };
        const TableModel::Entry entry{draw(), draw(), draw(), draw(), draw(), draw()};
        model.entries.push_back(entry);
        FlowRule rule{};
        rule.value.vlan = entry.vlan;
        rule.mask.vlan = entry.vlanMask;
        rule.pattern.vlan = entry.vlanTold;
        rule.value.destinationPort = entry.port;
        rule.mask.destinationPort = entry.portMask;
        rule.pattern.destinationPort = entry.portTold;
        table.AddTernary(rule);
    }

    /**
     * One frame or one acknowledgement.
     *
     * @param keyOfHint the key that belongs to each hint
     * @return what differed, empty if nothing did
     */
    std::string Step(EdgeFlowTable& table, TableModel& model, const std::vector<FlowKey>& keyOfHint)
    {
        if (model.channels.empty() || Draw(2) == 0)
        {
            const bool hinted = Draw(4) != 0;
            const uint32_t hint =
                hinted ? Draw(static_cast<uint32_t>(keyOfHint.size())) : EdgeFlowTable::NO_HINT;
            const FlowKey key = hinted ? keyOfHint[hint] : DrawKey();
            const FlowId expected = model.Classify(key);
            const FlowId id = table.Classify(key, hint).value_or(NO_FLOW);
            if (id != expected)
            {
                return "id " + std::to_string(id) + " instead of " + std::to_string(expected);
            }
            if (id == NO_FLOW)
            {
                return {};
            }
            const uint32_t units = 1 + Draw(16);
            TableModel::Channel& channel = model.channels.at(id);
            const uint32_t position = table.Send(id, units);
            const bool right = position == channel.sent;
            channel.sent += units;
            return right ? "" : "position " + std::to_string(position);
        }
        auto chosen = model.channels.begin();
        std::advance(chosen, Draw(static_cast<uint32_t>(model.channels.size())));
        const FlowId id = chosen->first;
        const auto extent = static_cast<uint32_t>(chosen->second.sent - chosen->second.acked);
        if (table.FlowExtent(id) != extent)
        {
            return "extent " + std::to_string(table.FlowExtent(id));
        }
        const uint32_t units = Draw(3) == 0 ? 1 + Draw(extent) : extent;
        const bool freed = table.Acknowledge(id, units);
        return freed == model.Acknowledge(id, units) ? "" : "freed " + std::to_string(freed);
    }

    static bool CountersAgree(const EdgeFlowTable& table, const TableModel& model)
    {
        return table.InUse() == model.channels.size() && table.PeakInUse() == model.peak &&
               table.Allocated() == model.allocated && table.Failed() == model.failed &&
               table.Released() == model.allocated - model.channels.size();
    }

    std::mt19937 m_random; ///< Source of all.
};

void
TestRandomTables(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 4000; ++seed)
    {
        test.ExpectEqual(RandomTable(seed).Run(), "", Text("seed ", seed));
    }
}

/// The suite.
class EdgeFlowTableSuite : public FunctionSuite
{
  public:
    EdgeFlowTableSuite()
        : FunctionSuite("fabric-edge-flow-table", kUnit)
    {
        Add("FC-2 a pattern has the chosen fields and always destination, FTAG and VNI",
            TestFields);
        Add("FC-2 the first ternary entry that matches decides which keys share a channel",
            TestTernary);
        Add("FC-2 wrong set-up and wrong use are refused with a sentence", TestWrongInput);
        Add("FC-8 the last acknowledgement frees a channel, last freed is used first", TestRelease);
        Add("FC-8 a hint that outlived its channel does not lead to another flow's", TestStaleHint);
        Add("FC-2 keys whose hashes are equal have channels of their own", TestCollision);
        Add("FC-8 data_flow and ack_flow wrap and the last acknowledgement still frees", TestWrap);
        Add("CM-9 when a flow was heard of last is known", TestHearing);
        Add("FC-8 allocation, match and release take no memory in steady state", TestFlowMemory);
        Add("FC-9 2047 flows at a time, then a new flow waits and known ones go on", TestFull);
        Add("FC-2 FC-8 FC-9 FC-17 4000 random tables do what a simple model does",
            TestRandomTables);
    }
};

EdgeFlowTableSuite g_edgeFlowTableSuite; ///< Registers the suite.

} // namespace
