/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-plans.h"
#include "fabric-line-array.h"
#include "fabric-test-compat.h"
#include "fabric-turn-table.h"
#include "fabric-vl-arbiter.h"

#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a table of so many lanes in two groups
LaneTable
Lanes(uint8_t count, uint32_t share = 4000)
{
    LaneTable table;
    for (uint8_t lane = 0; lane < count; ++lane)
    {
        const auto level = static_cast<uint8_t>(lane % 3);
        table.lanes.push_back({lane, level, 0, static_cast<uint8_t>(lane % 2), false});
    }
    table.groups = {{0, share}, {1, 2000}};
    return table;
}

/// @return settings for a link of so many Gb/s
VlArbiterSettings
SettingsFor(uint64_t gigabits)
{
    VlArbiterSettings settings;
    settings.rate = LinkRate(gigabits * 1'000'000'000);
    return settings;
}

/// What follows from equal tables is there once, as long as anybody uses it.
void
TestSharing(FunctionCase& test)
{
    const std::shared_ptr<LanePlans> plans = LanePlans::Of(Lanes(4));
    test.Expect(LanePlans::Of(Lanes(4)) == plans, "an equal table");
    test.Expect(LanePlans::Of(Lanes(5)) != plans, "a table with one more lane");
    test.Expect(LanePlans::Of(Lanes(4, 4001)) != plans, "a table with another share");
    LaneTable named = Lanes(4);
    named.levels[1] = "middle";
    test.Expect(LanePlans::Of(named) != plans, "a table with another name of a level");

    const std::shared_ptr<const LanePlan> plan = plans->For(SettingsFor(100));
    test.Expect(plans->For(SettingsFor(100)) == plan, "equal links");
    test.Expect(plans->For(SettingsFor(200)) != plan, "a link of another rate");
    VlArbiterSettings flits = SettingsFor(100);
    flits.checkTime = CHECK_AT_FLITS;
    test.Expect(plans->For(flits) != plan, "a link with other checks");

    std::weak_ptr<LanePlans> unused = LanePlans::Of(Lanes(7));
    test.Expect(unused.expired(), "what nobody uses is kept");
}

/// Memory is that of the table, and grows with it.
void
TestMemory(FunctionCase& test)
{
    // Four rows of eight turns, and two buckets of 16 bytes: a line of the cache together.
    test.Expect(VlArbiter::LinesFor(LanePlan(SettingsFor(100), Lanes(8))) == 64, "eight lanes");
    test.Expect(VlArbiter::LinesFor(LanePlan(SettingsFor(100), Lanes(16))) == 128, "sixteen lanes");
}

/// A lane that leaves the table and comes back has the turn that it had.
void
TestLaneThatComesBack(FunctionCase& test)
{
    VlArbiter arbiter(SettingsFor(100), Lanes(8, 0));
    constexpr LaneMask ALL = 0xFF;
    std::vector<uint8_t> order;
    TimePs now = 0;
    const auto serve = [&](LaneMask lanes) {
        const std::optional<Grant> grant = arbiter.Arbitrate(
            lanes,
            [](uint8_t) { return 1000U; },
            now += 1'000'000);
        order.push_back(grant ? grant->lane : 255);
    };
    // Group 0 has no share: its lanes are Over-Bandwidth, and have turns there.
    constexpr LaneMask OVER = ALL & 0x55;
    serve(OVER);
    serve(OVER);
    serve(OVER);                        // lanes 0, 2, 4: 6 is next
    arbiter.SetTable(Lanes(3, 0), now); // lanes 0 to 2
    serve(OVER);                        // lane 0 was served before lane 2
    arbiter.SetTable(Lanes(8, 0), now);
    serve(OVER);
    serve(OVER);
    serve(OVER);
    serve(OVER);
    const std::vector<uint8_t> expected{0, 2, 4, 0, 6, 2, 4, 0};
    test.Expect(order == expected, "turns of lanes that were not in the table for a while");
}

/// Whose turn never was comes before all others, by number, however many turns there were.
void
TestWhoNeverHadATurn(FunctionCase& test)
{
    LineMemory memory(0);
    TurnTable turns(memory, LEAST_RECENTLY_USED, 1, 4);
    for (uint32_t i = 0; i < 200'000; ++i)
    {
        turns.Served(0, i % 2);
    }
    TurnTable more(memory, LEAST_RECENTLY_USED, 1, 8);
    more.Keep(0, turns, 0);
    for (const uint32_t next : {2, 3, 4, 5, 6, 7, 0, 1, 2})
    {
        const uint32_t picked = more.Pick(0, 0xFF);
        test.ExpectEqual(picked, next, "the next one");
        more.Served(0, picked);
    }
}

/// An array in whole lines of the cache.
void
TestLineArray(FunctionCase& test)
{
    using Array = LineArray<uint64_t>;
    test.Expect(sizeof(Array) == sizeof(void*), "the object is a pointer");
    test.Expect(Array::BytesOf(0) == 0 && Array::BytesOf(3) == 64 && Array::BytesOf(8) == 64 &&
                    Array::BytesOf(9) == 128,
                "whole lines");
    LineMemory memory(Array::BytesOf(3) + Array::BytesOf(9));
    Array first(memory, 3);
    const Array second(memory, 9);
    const Array beyond(memory, 100); // more than was asked for
    for (const Array* array : {&std::as_const(first), &second, &beyond})
    {
        test.Expect(reinterpret_cast<std::uintptr_t>(array->begin()) % 64 == 0, "it begins a line");
        test.Expect((*array)[0] == 0 && (*array)[2] == 0, "items are as they are at first");
    }
    test.Expect(second.begin() - first.begin() == 8, "one stands behind the other");
    LineMemory together(64);
    const Array three(together, 3);
    const Array more(together, 2, Array::BEHIND);
    test.Expect(more.begin() - three.begin() == 3, "both in a line");
    first[2] = 7;
    const Array copy = first;
    test.Expect(copy[2] == 7 && second[0] == 0, "a copy is the same array");
}

/// The suite.
class LanePlansTestSuite : public FunctionSuite
{
  public:
    LanePlansTestSuite()
        : FunctionSuite("fabric-lane-plans", kUnit)
    {
        Add("VA-11 switches with equal tables share what follows from them", TestSharing);
        Add("VA-12 an arbiter's memory is that of its table", TestMemory);
        Add("VA-11 VA-3 a lane that comes back has its turn", TestLaneThatComesBack);
        Add("VA-3 who never had a turn is first", TestWhoNeverHadATurn);
        Add("VA-12 an array in whole lines of the cache", TestLineArray);
    }
};

LanePlansTestSuite g_lanePlansTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
