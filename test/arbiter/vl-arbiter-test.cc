/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"
#include "fabric-vl-arbiter.h"
#include "lane-link.h"

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t FRAME = 1000; ///< Bytes of packets.

/// @return settings for a link of 100 Gb/s
VlArbiterSettings
Settings(CheckMode mode = CHECK_LANES)
{
    VlArbiterSettings settings;
    settings.rate = LinkRate(100'000'000'000);
    settings.mode = mode;
    return settings;
}

/// @return `0.125 0.25`
std::string
Text(const std::vector<double>& shares)
{
    std::string text;
    for (const double share : shares)
    {
        text += std::to_string(share) + " ";
    }
    return text;
}

/// Expects shares of lanes, after a first millisecond in which bursts pass.
void
ExpectShares(FunctionCase& test,
             LaneLink& link,
             const std::vector<double>& expected,
             double tolerance,
             const std::string& what)
{
    const LaneMask all = link.Arbiter().Table().Lanes();
    link.Run(all, link.Now() + MS);
    link.Reset();
    link.Run(all, link.Now() + 10 * MS);
    std::vector<double> shares;
    bool isRight = true;
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        shares.push_back(link.Share(static_cast<uint32_t>(i)));
        isRight = isRight && std::abs(shares[i] - expected[i]) <= tolerance;
    }
    test.Expect(isRight, what + ": " + Text(shares) + "instead of " + Text(expected));
}

/// Lanes 0-3 in group 0, 4-5 in group 1, every lane allocated 10 % and sending more.
void
TestWorkedExample(FunctionCase& test)
{
    const LaneTable table = MakeTable({0, 0, 0, 0, 1, 1}, {40, 20});
    for (const MeterKind kind : {TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW})
    {
        for (const TurnPolicy turns : {ROUND_ROBIN, LEAST_RECENTLY_USED})
        {
            for (const CheckMode mode : {CHECK_LANES, CHECK_GROUPS})
            {
                VlArbiterSettings settings = Settings(mode);
                settings.meter.kind = kind;
                settings.turns = turns;
                settings.chargeOver = true; // the example's lanes exceed their limits all the time
                LaneLink link(settings, table, FRAME);
                link.Run(0x3f, MS);
                link.Reset();
                link.Run(0x3f, MS + TimePs{240'000} * 80'000);
                // Equal to the byte: turns come round 10,000 times in 24 packets each.
                const uint64_t all = 240'000 * FRAME;
                bool isRight = true;
                for (uint32_t lane = 0; lane < 6; ++lane)
                {
                    const uint64_t parts = mode == CHECK_LANES ? 6 : (lane < 4 ? 8 : 4);
                    isRight = isRight && link.Sent(lane) == all / parts &&
                              link.Over(lane) == link.Sent(lane);
                }
                test.Expect(isRight,
                            std::string(mode == CHECK_LANES ? "1/6 each" : "1/8 and 1/4") +
                                " with meter " + std::to_string(kind) + ", turns " +
                                std::to_string(turns));
            }
        }
    }
}

/// A random assignment of lanes to groups, all at one level.
struct Assignment
{
    std::vector<uint8_t> groupOf;  ///< By lane.
    std::vector<uint32_t> shares;  ///< By group, percent.
    std::vector<uint32_t> members; ///< By group.
    std::string text;              ///< For failures.

    explicit Assignment(uint64_t seed)
    {
        std::mt19937_64 random(seed);
        const auto lanes = static_cast<uint32_t>(2 + random() % 15);
        const auto groups = static_cast<uint32_t>(1 + random() % std::min(lanes, 6U));
        members.assign(groups, 0);
        text = "seed " + std::to_string(seed) + ", groups";
        for (uint32_t lane = 0; lane < lanes; ++lane)
        {
            // Each group has a lane.
            const auto group = static_cast<uint8_t>(lane < groups ? lane : random() % groups);
            groupOf.push_back(group);
            ++members[group];
            text.append(" ").append(std::to_string(group));
        }
        // Together less than the link, so that all can have their share and there is some left.
        for (uint32_t group = 0; group < groups; ++group)
        {
            shares.push_back(static_cast<uint32_t>(1 + random() % (80 / groups)));
            text.append(", ").append(std::to_string(shares[group])).append(" %");
        }
    }

    /// @return sum of all shares, 0 to 1
    double Sum() const
    {
        double sum = 0;
        for (const uint32_t share : shares)
        {
            sum += share / 100.0;
        }
        return sum;
    }

    /// @return shares of the lanes by a rule for a group's part of its own and of what is left
    template <typename Rule>
    std::vector<double> Expected(Rule&& rule) const
    {
        std::vector<double> expected;
        for (const uint8_t group : groupOf)
        {
            expected.push_back(rule(shares[group] / 100.0, members[group]));
        }
        return expected;
    }
};

/// Random assignments against closed forms; packets that do not conform are not charged.
void
TestClosedForm(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 30; ++seed)
    {
        const Assignment drawn(seed);
        const LaneTable table = MakeTable(drawn.groupOf, drawn.shares);
        const auto lanes = static_cast<double>(drawn.groupOf.size());
        const auto groups = static_cast<double>(drawn.shares.size());
        const double rest = 1 - drawn.Sum();

        LaneLink byLane(Settings(), table, FRAME);
        ExpectShares(test,
                     byLane,
                     drawn.Expected([&](double share, uint32_t members) {
                         return share / members + rest / lanes;
                     }),
                     0.002,
                     "lanes, " + drawn.text);

        LaneLink byGroup(Settings(CHECK_GROUPS), table, FRAME);
        ExpectShares(test,
                     byGroup,
                     drawn.Expected([&](double share, uint32_t members) {
                         return (share + rest / groups) / members;
                     }),
                     0.002,
                     "groups, " + drawn.text);

        VlArbiterSettings strict = Settings(seed % 2 == 0 ? CHECK_GROUPS : CHECK_LANES);
        strict.over = OVER_DISQUALIFY;
        LaneLink disqualified(strict, table, FRAME);
        ExpectShares(
            test,
            disqualified,
            drawn.Expected([&](double share, uint32_t members) { return share / members; }),
            0.002,
            "disqualified, " + drawn.text);
    }
}

/// Groups that always exceed their share: what VA-6 says, for any assignment.
void
TestAnyAssignment(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 30; ++seed)
    {
        Assignment drawn(seed);
        // None can ever get as little as this.
        drawn.shares.assign(drawn.shares.size(), 1);
        const LaneTable table = MakeTable(drawn.groupOf, drawn.shares);
        const auto lanes = static_cast<double>(drawn.groupOf.size());
        const auto groups = static_cast<double>(drawn.shares.size());
        VlArbiterSettings settings = Settings();
        settings.chargeOver = true;
        settings.meter.kind = static_cast<MeterKind>(seed % 3);
        LaneLink byLane(settings, table, FRAME);
        ExpectShares(test,
                     byLane,
                     drawn.Expected([&](double, uint32_t) { return 1 / lanes; }),
                     1e-4,
                     "lanes, " + drawn.text);
        settings.mode = CHECK_GROUPS;
        LaneLink byGroup(settings, table, FRAME);
        ExpectShares(test,
                     byGroup,
                     drawn.Expected([&](double, uint32_t members) { return 1 / groups / members; }),
                     1e-4,
                     "groups, " + drawn.text);
    }
}

/// The highest level goes first while it conforms.
void
TestLevels(FunctionCase& test)
{
    // One lane a level; the first two groups may use more than the link.
    LaneLink link(Settings(), MakeTable({0, 1, 2}, {100, 100, 100}, {2, 0, 1}), FRAME);
    link.Run(0x7, MS);
    test.Expect(link.Sent(0) == 0 && link.Sent(2) == 0 && link.Over(1) == 0,
                "a share of 100 % at the highest level leaves nothing");
    LaneLink shared(Settings(), MakeTable({0, 1, 2}, {30, 50, 60}, {0, 1, 2}), FRAME);
    ExpectShares(test, shared, {0.3, 0.5, 0.2}, 0.001, "shares add up to more than 100 %");
}

/// Round robin gives all of a group's share to one lane where the group returns in step with
/// another.
void
TestTurnsOfReturningLanes(FunctionCase& test)
{
    VlArbiterSettings settings = Settings();
    settings.over = OVER_DISQUALIFY;
    LaneLink fair(settings, MakeTable({0, 1, 0}, {17, 38}), FRAME);
    ExpectShares(test, fair, {0.085, 0.38, 0.085}, 0.001, "least recently used, the default");
    settings.turns = ROUND_ROBIN;
    LaneLink unfair(settings, MakeTable({0, 1, 0}, {17, 38}), FRAME);
    ExpectShares(test, unfair, {0, 0.38, 0.17}, 0.001, "round robin");
}

/// Turns that are numbered anew all the time give the same order as those with numbers enough.
void
TestNumberedTurns(FunctionCase& test)
{
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        std::mt19937 random(seed);
        LineMemory memory(512);
        constexpr uint32_t SETS = 5; // whose turns are counted together
        BasicTurnTable<uint8_t> few(memory, LEAST_RECENTLY_USED, SETS, 32);
        BasicTurnTable<uint64_t> enough(memory, LEAST_RECENTLY_USED, SETS, 32);
        bool isSame = true;
        for (uint32_t turn = 0; turn < 3000; ++turn)
        {
            const uint32_t requests = random() | 1U << random() % 32;
            const uint32_t set = random() % SETS;
            const uint32_t next = enough.Pick(set, requests);
            isSame = isSame && few.Pick(set, requests) == next;
            few.Served(set, next);
            enough.Served(set, next);
        }
        test.Expect(isSame, "seed " + std::to_string(seed));
    }
}

/// A high-priority class with a guarantee of 10 % misbehaves and returns.
void
TestMisbehaving(FunctionCase& test)
{
    for (const bool chargeOver : {false, true})
    {
        VlArbiterSettings settings = Settings();
        settings.chargeOver = chargeOver;
        // Lane 0 is high, 10 %; lanes 1 and 2 are low, 45 % each.
        LaneLink link(settings, MakeTable({0, 1, 2}, {10, 45, 45}, {0, 2, 2}), FRAME);
        ExpectShares(test, link, {0.1, 0.45, 0.45}, 0.002, "it sends all it can, others too");
        const uint64_t over = link.Over(0);
        link.Reset();
        // Only its own packets for a while: it may have the whole link.
        link.Run(0x1, link.Now() + MS);
        test.Expect(link.Share(0) > 0.999 && link.Over(0) > link.Sent(0) * 8 / 10,
                    "nobody else sends: the rest of the link is its own");
        // It behaves: one packet each 10 us is 0.8 %.
        link.Run(0x6, link.Now() + MS);
        link.Reset();
        for (uint32_t i = 0; i < 1000; ++i)
        {
            link.Run(0x7, link.Now() + 1); // a packet of lane 0, if its level is high again
            link.Run(0x6, link.Now() + 10'000'000);
        }
        test.Expect(link.Sent(0) == 1000 * FRAME && link.Over(0) == 0,
                    "it behaves: each of its packets goes first again (of " + std::to_string(over) +
                        " B over before)");
    }
}

/// A packet that waits moves between its level and Over-Bandwidth as the meter says.
void
TestWaiting(FunctionCase& test)
{
    VlArbiterSettings settings = Settings();
    settings.meter.kind = LEAKY_BUCKET;
    VlArbiter arbiter(settings, MakeTable({0, 1}, {10, 100}, {0, 2}));
    arbiter.Begin(*arbiter.Choose(1, 0), FRAME, 0);
    // 1000 B at 10 Gb/s are 800 ns.
    test.Expect(arbiter.Choose(0x1, 1) == Grant{0, 3, false}, "lane 0 is Over-Bandwidth");
    test.Expect(arbiter.Choose(0x3, 799'999) == Grant{1, 2, true}, "a low lane goes first");
    test.Expect(arbiter.NextChange(0x3, 799'999) == 800'000, "told when it returns");
    test.Expect(arbiter.NextChange(0x2, 799'999) == NEVER, "nothing to wait for");
    test.Expect(arbiter.Choose(0x3, 800'000) == Grant{0, 0, true}, "it is high again");
    test.Expect(!arbiter.Choose(0, 800'000), "no candidate, no grant");
    test.Expect(!arbiter.Choose(0x4, 800'000), "a lane that is not in the table has no turn");

    settings.over = OVER_DISQUALIFY;
    VlArbiter strict(settings, MakeTable({0, 1}, {10, 100}, {0, 2}));
    strict.Begin(*strict.Choose(1, 0), FRAME, 0);
    test.Expect(!strict.Choose(0x1, 799'999) && strict.NextChange(0x1, 799'999) == 800'000,
                "disqualified until it conforms");
    test.Expect(strict.Choose(0x1, 800'000) == Grant{0, 0, true}, "then it goes");
}

/// A packet passes the limit half way.
void
TestHalfWay(FunctionCase& test)
{
    VlArbiterSettings settings = Settings();
    settings.meter.burst = 400;
    const LaneTable table = MakeTable({0, 1}, {10, 100}, {0, 1});
    VlArbiter packets(settings, table);
    packets.Begin(*packets.Choose(0x1, 0), FRAME, 0);
    test.Expect(packets.NextStanding() == NEVER,
                "checked at packets: it is finished as conforming");

    settings.checkTime = CHECK_AT_FLITS;
    VlArbiter flits(settings, table);
    flits.Begin(*flits.Choose(0x1, 0), FRAME, 0);
    // After n flits of 640 ps, 8 n B were sent and 0.8 n B of tokens came: 400 B last 55.6 flits.
    test.Expect(flits.NextStanding() == 56 * 640, "Over-Bandwidth from the 57th flit on");
    test.Expect(flits.Settle(56 * 640 - 1) == Grant{0, 0, true}, "conforming until then");
    test.Expect(flits.Settle(56 * 640) == Grant{0, 3, false}, "and not from then on");
    test.Expect(flits.Choose(0x2, 56 * 640) == Grant{1, 1, true},
                "a lane of a lower level may preempt it now");
    // Not charged any more, it conforms again when tokens have come: 448 - 44.8 - 400 = 3.2 B.
    const TimePs again = flits.NextStanding();
    test.Expect(again == 61 * 640,
                "a lane that is not charged returns, at " + std::to_string(again));
    flits.End(58 * 640);
    const Grant resumed = flits.Resume({0, 3, false}, FRAME - 58 * 8, 100'000);
    test.Expect(resumed == Grant{0, 0, true}, "what is left is checked anew");
    flits.End(100'000 + 67 * 640);
}

/// The table changes during the run.
void
TestTableChange(FunctionCase& test)
{
    VlArbiterSettings settings = Settings();
    settings.over = OVER_DISQUALIFY;
    settings.meter.kind = LEAKY_BUCKET;
    const LaneTable before = MakeTable({0, 0, 1, 2}, {10, 10, 100}, {0, 0, 1, 2});
    VlArbiter arbiter(settings, before);
    arbiter.Begin(*arbiter.Choose(0x3, 0), FRAME, 0); // lane 0
    arbiter.Begin(*arbiter.Choose(0x4, 0), FRAME, 0); // lane 2
    // Group 0 keeps its share, group 1 gets another, lane 3 joins group 0, and there is a level
    // more.
    LaneTable after = before;
    after.levels = {"urgent", "high", "medium", "low"};
    after.lanes[0].level = after.lanes[1].level = 1;
    after.lanes[3].group = 0;
    after.groups[1].share = 2000;
    arbiter.SetTable(after, 100);
    test.Expect(!arbiter.Choose(0x3, 799'999), "the meter of group 0 goes on");
    test.Expect(!arbiter.Choose(0x8, 799'999), "lane 3 is checked by it now");
    test.Expect(arbiter.Choose(0x4, 101) == Grant{2, 1, true}, "group 1 begins anew");
    test.Expect(arbiter.Choose(0x3, 800'000) == Grant{1, 1, true},
                "lane 0 has had its turn at this level");

    LaneTable bad = after;
    bad.lanes[0].group = 9;
    try
    {
        arbiter.SetTable(bad, 800'000);
        test.Expect(false, "a bad table is refused");
    }
    catch (const std::invalid_argument&)
    {
        test.Expect(arbiter.Choose(0x3, 800'000) == Grant{1, 1, true},
                    "a bad table changes nothing");
    }
    LaneLink link(Settings(), before, FRAME);
    link.Run(0xf, MS);
    link.Arbiter().SetTable(MakeTable({0, 1}, {70, 30}), link.Now());
    ExpectShares(test, link, {0.7, 0.3}, 0.002, "shares of the new table");
}

/// The table changes while a packet is being sent whose flits are checked.
void
TestTableChangeWithinPacket(FunctionCase& test)
{
    VlArbiterSettings settings = Settings();
    settings.meter.burst = 400;
    settings.checkTime = CHECK_AT_FLITS;
    const LaneTable before = MakeTable({0, 1}, {10, 100}, {0, 1});
    VlArbiter over(settings, before);
    over.Begin(*over.Choose(0x1, 0), FRAME, 0);
    test.Expect(over.Settle(56 * 640) == Grant{0, 3, false},
                "Over-Bandwidth from the 57th flit on");
    LaneTable more = before;
    more.levels = {"urgent", "high", "medium", "low"};
    over.SetTable(more, 56 * 640 + 100);
    test.Expect(over.Settle(56 * 640 + 100) == Grant{0, 4, false},
                "it stands below all levels of the new table within the flit");

    VlArbiter left(settings, before);
    left.Begin(*left.Choose(0x1, 0), FRAME, 0);
    LaneTable without = before;
    without.lanes.erase(without.lanes.begin());
    left.SetTable(without, 100);
    test.Expect(left.NextStanding() == NEVER, "nothing checks a lane that is in no table");
}

/// Groups choose by level first.
void
TestGroupLevels(FunctionCase& test)
{
    VlArbiterSettings settings = Settings(CHECK_GROUPS);
    settings.meter.kind = LEAKY_BUCKET;
    VlArbiter arbiter(settings, MakeTable({0, 0, 1}, {10, 10}, {2, 0, 1}));
    test.Expect(arbiter.Choose(0x7, 0) == Grant{1, 0, true}, "group 0 sends its high lane");
    test.Expect(arbiter.Choose(0x5, 0) == Grant{2, 1, true}, "its low lane stands behind group 1");
    arbiter.Begin({1, 0, true}, FRAME, 0);
    arbiter.Begin({2, 1, true}, FRAME, 0);
    test.Expect(arbiter.Choose(0x7, 1) == Grant{1, 3, false}, "the same if it does not conform");
    arbiter.Begin({1, 3, false}, FRAME, 1);
    test.Expect(arbiter.Choose(0x7, 2) == Grant{2, 3, false}, "groups have turns there");
}

/// A lane joins a group whose lanes have had turns: it and the others go before those that had.
void
TestGroupTurnsOfNewTable(FunctionCase& test)
{
    for (const TurnPolicy turns : {LEAST_RECENTLY_USED, ROUND_ROBIN})
    {
        VlArbiterSettings settings = Settings(CHECK_GROUPS);
        settings.meter.kind = LEAKY_BUCKET;
        settings.turns = turns;
        const std::string what = turns == ROUND_ROBIN ? "round robin: " : "least recently used: ";
        VlArbiter arbiter(settings, MakeTable({0, 0, 1, 1}, {10, 10}));
        arbiter.Begin({0, 0, true}, FRAME, 0);
        arbiter.Begin({2, 0, true}, FRAME, 0);
        arbiter.SetTable(MakeTable({0, 0, 1, 1, 0}, {10, 10}), 1);
        uint32_t expected[2][3] = {{1, 4, 0}, {3, 2, 3}};
        for (uint32_t turn = 0; turn < 3; ++turn)
        {
            for (const LaneMask lanes : {0x13, 0x0c})
            {
                const auto grant = arbiter.Choose(lanes, 2);
                const uint32_t next = expected[lanes == 0x13 ? 0 : 1][turn];
                test.Expect(grant && grant->lane == next && !grant->conforming,
                            what + "turn " + std::to_string(turn) + " of a group");
                arbiter.Begin(*grant, FRAME, 2);
            }
        }
    }
}

/// The arbiter.
class VlArbiterSuite : public FunctionSuite
{
  public:
    VlArbiterSuite()
        : FunctionSuite("fabric-vl-arbiter", kUnit)
    {
        Add("VA-6 worked example: a sixth each by lane; an eighth and a quarter by group",
            TestWorkedExample);
        Add("VA-6 any assignment of lanes to groups by the same rule", TestAnyAssignment);
        Add("VA-5 random tables: shares by closed forms where Over-Bandwidth is not charged",
            TestClosedForm);
        Add("VA-3 the highest level with a conforming candidate is sent", TestLevels);
        Add("VA-3 round robin can starve a lane of a group that returns, least recently used "
            "cannot",
            TestTurnsOfReturningLanes);
        Add("VA-3 least recently used, with turns that are numbered anew", TestNumberedTurns);
        Add("VA-5 a group's candidate is of its highest level", TestGroupLevels);
        Add("VA-13 a high class that misbehaves starves nobody, and returns when it behaves",
            TestMisbehaving);
        Add("VA-7 a waiting packet moves between its level and Over-Bandwidth", TestWaiting);
        Add("VA-7 a packet that passes the limit half way", TestHalfWay);
        Add("VA-11 the table changes during the run", TestTableChange);
        Add("VA-11 lanes of groups keep their turns when the table changes",
            TestGroupTurnsOfNewTable);
        Add("VA-11 VA-7 a table changes within a packet whose flits are checked",
            TestTableChangeWithinPacket);
    }
};

VlArbiterSuite g_vlArbiterSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
