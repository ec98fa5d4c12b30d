/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ingress-arbiter.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

// ---- groups ----

/// @return rules with one for class 2
GroupRules
RulesWith(GroupId base, uint8_t bits, bool hashes)
{
    GroupRules rules;
    rules[2] = {base, bits, hashes};
    return rules;
}

/// @return key of a native frame of class 2
FlowKey
NativeKey(uint16_t vni)
{
    FlowKey key;
    key.trafficClass = 2;
    key.vni = vni;
    return key;
}

/// The group of a flow is the first of its class and the low bits of what is looked at.
void
TestGroups(FunctionCase& self)
{
    FlowKey bridged = NativeKey(7);
    bridged.vlan = 0x0abc;
    FlowKey ip = bridged;
    ip.ipDestination[15] = 9;
    ip.flowLabel = 0x12345;
    FlowKey untagged = NativeKey(7);
    untagged.macDestination[0] = 2;
    const std::vector<std::tuple<FlowKey, GroupRules, uint32_t>> cases{
        {NativeKey(0x1234), RulesWith(16, 3, false), 16 + 4},
        {NativeKey(0x1234), RulesWith(16, 0, false), 16},
        {NativeKey(0xffff), RulesWith(0, 7, false), 126}, // 127 is for frames without flow
        {NativeKey(0xffff), RulesWith(1, 5, false), 32},
        {NativeKey(1), RulesWith(126, 1, false), 126},
        {NativeKey(1), GroupRules(), 0},
        {bridged, RulesWith(0, 5, false), 0x1c},
        {untagged, RulesWith(8, 5, false), 8},
        {ip, RulesWith(64, 4, false), 64 + 5}};
    for (const auto& [key, rules, expected] : cases)
    {
        self.Expect(GroupOf(rules, key) == expected,
                    Text("group ", +GroupOf(rules, key), " instead of ", expected));
    }
    const GroupRules hashed = RulesWith(0, 7, true);
    uint32_t reserved = 0;
    for (uint32_t vni = 0; vni < 10'000; ++vni)
    {
        reserved += GroupOf(hashed, NativeKey(static_cast<uint16_t>(vni))) == NO_FLOW_GROUP;
    }
    self.Expect(reserved == 0, Text(reserved, " flows are in the group of those without"));
}

/// A hash spreads what differs, and looks only at what tells applications apart.
void
TestHashedGroups(FunctionCase& self)
{
    constexpr uint32_t GROUPS = 8;
    constexpr uint32_t KEYS = 8000;
    const GroupRules rules = RulesWith(40, 3, true);
    FlowKey ip = NativeKey(0);
    ip.ipDestination[15] = 1;
    FlowKey bridged = NativeKey(0);
    for (const uint32_t kind : {0U, 1U, 2U})
    {
        std::vector<double> counts(GROUPS, 0);
        for (uint32_t i = 0; i < KEYS; ++i)
        {
            ip.sourcePort = static_cast<uint16_t>(i);
            bridged.macSource = {2, 0, 0, 0, static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i)};
            bridged.macDestination = {2, 1, 1, 1, 1, 1};
            const std::vector<FlowKey> keys{NativeKey(static_cast<uint16_t>(i)), bridged, ip};
            counts.at(GroupOf(rules, keys[kind]) - 40U) += 1;
        }
        // Of a fair choice a count is within 5 standard deviations.
        const double mean = double{KEYS} / GROUPS;
        const double most = 5 * std::sqrt(mean * (1 - 1.0 / GROUPS));
        for (const double count : counts)
        {
            self.Expect(std::abs(count - mean) < most,
                        Text("kind ", kind, ": ", count, " of ", KEYS, " keys in a group"));
        }
    }
    FlowKey other = ip;
    other.destination = 77;
    other.vni = 3;
    other.process = 5;
    self.Expect(GroupOf(rules, ip) == GroupOf(rules, other),
                "the hash of IP is that of its header");
}

/// Texts of rules.
void
TestGroupTexts(FunctionCase& self)
{
    const GroupRules rules = ParseGroupRules("0:0:4,1:16:3:hash,15:127:0");
    self.Expect(rules[0] == GroupRule{0, 4, false} && rules[1] == GroupRule{16, 3, true} &&
                    rules[15] == GroupRule{127, 0, false} && rules[2] == GroupRule(),
                "rules are as written");
    for (const char* text : {"16:0:0",
                             "0:128:0",
                             "0:0:8",
                             "0:121:3",
                             "0:1",
                             "0:1:2:Hash",
                             "0:1:2:hash:",
                             "0:1:2hash",
                             "-1:0:0",
                             "0:-1:0",
                             "0;1;2",
                             "a:b:c",
                             "0:0:0,,1:0:0",
                             "0:4294967297:0"})
    {
        const std::string said = Refusal([text] { ParseGroupRules(text); });
        self.Expect(said.find("AppGroups: '") == 0, Text(text, ": ", said));
    }
}

// ---- limits ----

/// Limits that are active share the limit of the port by their ratios.
void
TestSharesOfPortLimit(FunctionCase& self)
{
    InjectionSettings settings;
    settings.portLimit = 100;
    settings.ratios = {3, 1, 1, 5, 1, 1, 1, 1};
    settings.limits[3] = 20;
    InjectionLimits limits(settings);
    self.Expect(limits.LimitOf(0) == 100 && limits.LimitOf(1) == 100, "who is alone gets all");
    limits.Add(0, 1);
    self.Expect(limits.LimitOf(0) == 100, "of limit 0 alone");
    self.Expect(limits.LimitOf(1) == 25, "what limit 1 would get");
    limits.Add(1, 25);
    self.Expect(limits.LimitOf(0) == 75 && limits.LimitOf(1) == 25, "three to one");
    self.Expect(!limits.IsOk(1) && limits.IsOk(0), "limit 1 has its share");
    self.Expect(limits.LimitOf(3) == 20, "the absolute limit is lower than 5/9");
    limits.Remove(0, 1);
    self.Expect(limits.LimitOf(1) == 100 && limits.IsOk(1), "the other has ceased");
    self.Expect(limits.LimitOf(UNLIMITED_ID) == InjectionLimits::NONE, "8 has no limit");
    settings.forcesFirst = true;
    self.Expect(limits.LimitOf(0) == InjectionLimits::NONE, "limit 0 is forced on");
}

/// Shares of any limits add up to the port's, but for what rounding leaves out.
void
TestSumOfShares(FunctionCase& self)
{
    std::mt19937_64 random(TestSeeds(1).first);
    for (uint32_t round = 0; round < 1000; ++round)
    {
        InjectionSettings settings;
        settings.portLimit = 100 + random() % 10'000;
        for (uint32_t& ratio : settings.ratios)
        {
            ratio = 1 + random() % 9;
        }
        InjectionLimits limits(settings);
        std::vector<LimitId> active;
        for (LimitId id = 0; id < INJECTION_LIMITS; ++id)
        {
            if (random() % 2 == 0)
            {
                limits.Add(id, 1);
                active.push_back(id);
            }
        }
        uint64_t sum = 0;
        for (const LimitId id : active)
        {
            sum += limits.LimitOf(id);
        }
        self.Expect(
            active.empty() ||
                (sum <= settings.portLimit && sum + active.size() > settings.portLimit),
            Text("shares of ", active.size(), " add up to ", sum, " of ", settings.portLimit));
    }
}

// ---- turns ----

/// @return an arbiter whose groups 1, 2, 3 have limits 0, 0 and 1
std::shared_ptr<InjectionSettings>
ThreeGroups(uint32_t portLimit)
{
    auto settings = std::make_shared<InjectionSettings>();
    settings->portLimit = portLimit;
    settings->limitIds[3] = 1;
    return settings;
}

/// Who asks gets turns between limits, then between groups, then in the order of asking.
void
TestThreeLevels(FunctionCase& self)
{
    IngressArbiter arbiter(ThreeGroups(1'000'000));
    const std::map<FlowId, GroupId> groups{{1, 1}, {2, 1}, {3, 1}, {4, 2}, {5, 3}};
    for (const auto& [flow, group] : groups)
    {
        arbiter.Begin(flow, group);
        arbiter.Ask(flow);
        arbiter.Ask(flow); // it asks once
    }
    std::vector<FlowId> turns;
    for (uint32_t i = 0; i < 16; ++i)
    {
        const FlowId flow = arbiter.GiveTurn([](FlowId) { return 16U; });
        turns.push_back(flow);
        arbiter.Sent(flow, 16);
        arbiter.Ask(flow);
    }
    const std::vector<FlowId> expected{1, 5, 4, 5, 2, 5, 4, 5, 3, 5, 4, 5, 1, 5, 4, 5};
    self.Expect(turns == expected, "turns go through limits, groups and flows");
}

/// A frame that would pass the limit leaves all as it is: its flow is the next when there is room,
/// and other limits have their turns meanwhile.
void
TestAbortByLimit(FunctionCase& self)
{
    auto settings = ThreeGroups(0);
    settings->limits[0] = 20;
    IngressArbiter arbiter(settings);
    const auto unitsOf = [](FlowId flow) { return flow == 2 ? 16U : 4U; };
    for (const auto& [flow, group] : std::map<FlowId, GroupId>{{1, 1}, {2, 1}, {3, 2}, {4, 3}})
    {
        arbiter.Begin(flow, group);
    }
    arbiter.Ask(1);
    self.Expect(arbiter.GiveTurn(unitsOf) == 1, "the first one has a turn");
    arbiter.Sent(1, 4);
    arbiter.PassOver(1, 4); // 8 of 20 are taken
    arbiter.Ask(3);
    self.Expect(arbiter.GiveTurn(unitsOf) == 3, "then the other group"); // 12 of 20
    arbiter.Ask(2);                                                      // 16 more would be 28
    arbiter.Ask(4);
    self.Expect(arbiter.GiveTurn(unitsOf) == 4, "another limit goes on");
    self.Expect(arbiter.GiveTurn(unitsOf) == NO_FLOW, "there is no room");
    self.Expect(arbiter.Asks(2), "the flow stays");
    arbiter.Ask(1);
    self.Expect(arbiter.GiveTurn(unitsOf) == NO_FLOW, "nobody overtakes it in its group");
    arbiter.Acknowledge(1, 8);
    self.Expect(arbiter.GiveTurn(unitsOf) == 2, "it is the next");
    self.Expect(arbiter.Limits().Injected(0) == 20, "the limit is reached");
    arbiter.Withdraw(2);
    self.Expect(arbiter.Limits().Injected(0) == 4, "a turn given back counts no longer");
    self.Expect(arbiter.GiveTurn(unitsOf) == 1, "it is the next one's turn");
    // A frame alone may be longer than the limit.
    settings->limits[0] = 1;
    IngressArbiter small(settings);
    small.Begin(2, 1);
    small.Ask(2);
    self.Expect(small.GiveTurn(unitsOf) == 2, "a frame alone goes");
}

/// What a slow model knows of a flow.
struct PlainFlow
{
    GroupId group{0};     ///< Its group.
    uint64_t askedAs{0};  ///< Which ask it was, 0 for none.
    uint32_t turn{0};     ///< Units of its turn.
    uint32_t underWay{0}; ///< Units sent.
};

/// An arbiter in the words of the requirements, which looks through all flows.
class PlainArbiter
{
  public:
    explicit PlainArbiter(const InjectionSettings& settings)
        : m_settings(settings)
    {
        m_lastGroups.fill(APPLICATION_GROUPS - 1);
    }

    /// @return who has the next turn
    FlowId GiveTurn(const std::vector<uint32_t>& units)
    {
        for (uint32_t step = 1; step <= INJECTION_LIMITS + 1; ++step)
        {
            const uint32_t id = (m_lastLimit + step) % (INJECTION_LIMITS + 1);
            const FlowId first = FirstOf(id);
            if (first != NO_FLOW && HasRoom(id, units[first]))
            {
                m_lastLimit = id;
                m_lastGroups[id] = flows[first].group;
                flows[first].askedAs = 0;
                flows[first].turn = units[first];
                return first;
            }
        }
        return NO_FLOW;
    }

    std::map<FlowId, PlainFlow> flows; ///< By flow_id.

  private:
    /// @return the flow of a limit whose turn it is
    FlowId FirstOf(uint32_t id) const
    {
        for (uint32_t step = 1; step <= APPLICATION_GROUPS; ++step)
        {
            const uint32_t group = (m_lastGroups[id] + step) % APPLICATION_GROUPS;
            FlowId first = NO_FLOW;
            for (const auto& [flow, its] : flows)
            {
                const bool asks = its.group == group && its.askedAs != 0;
                const bool isEarlier = first == NO_FLOW || its.askedAs < flows.at(first).askedAs;
                first = asks && isEarlier && m_settings.limitIds[group] == id ? flow : first;
            }
            if (first != NO_FLOW)
            {
                return first;
            }
        }
        return NO_FLOW;
    }

    /// @return what flows of a limit have in the fabric
    double Injected(uint32_t id) const
    {
        double sum = 0;
        for (const auto& [flow, its] : flows)
        {
            sum += m_settings.limitIds[its.group] == id ? its.turn + its.underWay : 0;
        }
        return sum;
    }

    /// @return whether a frame may go
    bool HasRoom(uint32_t id, uint32_t units) const
    {
        const double injected = Injected(id);
        if (injected == 0 || id == UNLIMITED_ID || (id == 0 && m_settings.forcesFirst))
        {
            return true;
        }
        double ratios = 0;
        for (uint32_t other = 0; other < INJECTION_LIMITS; ++other)
        {
            ratios += Injected(other) != 0 ? m_settings.ratios[other] : 0;
        }
        const double share = m_settings.portLimit * double(m_settings.ratios[id]) / ratios;
        return (m_settings.portLimit == 0 || injected + units <= std::floor(share + 1e-9)) &&
               (m_settings.limits[id] == 0 || injected + units <= m_settings.limits[id]);
    }

    const InjectionSettings& m_settings;                       ///< Limits of groups.
    uint32_t m_lastLimit{INJECTION_LIMITS};                    ///< That had a turn.
    std::array<uint32_t, INJECTION_LIMITS + 1> m_lastGroups{}; ///< That had one, by limit.
};

/// Random flows have the turns that the requirements give them.
void
TestRandomTurns(FunctionCase& self, uint64_t seed)
{
    std::mt19937_64 random(seed);
    auto settings = std::make_shared<InjectionSettings>();
    settings->portLimit = random() % 3 == 0 ? 0 : 10 + random() % 200;
    settings->forcesFirst = random() % 5 == 0;
    for (uint32_t id = 0; id < INJECTION_LIMITS; ++id)
    {
        settings->ratios[id] = 1 + random() % 4;
        settings->limits[id] = random() % 2 == 0 ? 0 : 1 + random() % 100;
    }
    for (LimitId& id : settings->limitIds)
    {
        id = random() % (UNLIMITED_ID + 1);
    }
    IngressArbiter arbiter(settings);
    PlainArbiter plain(*settings);
    constexpr FlowId FLOWS = 20;
    const uint32_t groups = 1 + random() % 8;
    std::vector<uint32_t> units(FLOWS + 1);
    for (FlowId flow = 1; flow <= FLOWS; ++flow)
    {
        plain.flows[flow].group = static_cast<GroupId>(random() % groups);
        arbiter.Begin(flow, plain.flows[flow].group);
        units[flow] = 1 + random() % 40;
    }
    uint64_t asks = 0;
    uint64_t given = 0;
    for (uint32_t step = 0; step < 600; ++step)
    {
        const auto flow = static_cast<FlowId>(1 + random() % FLOWS);
        PlainFlow& its = plain.flows[flow];
        switch (random() % 5)
        {
        case 0:
        case 1:
            arbiter.Ask(flow);
            its.askedAs = its.turn != 0 ? 0 : (its.askedAs != 0 ? its.askedAs : ++asks);
            break;
        case 2:
            arbiter.Withdraw(flow);
            its.askedAs = its.turn = 0;
            break;
        case 3:
            if (its.turn != 0)
            {
                const uint32_t sent = 1 + random() % its.turn; // a shorter frame of another way
                arbiter.Sent(flow, sent);
                its.underWay += sent;
                its.turn = 0;
                units[flow] = 1 + random() % 40;
            }
            break;
        default:
            const uint32_t acknowledged = its.underWay == 0 ? 0 : 1 + random() % its.underWay;
            arbiter.Acknowledge(flow, acknowledged);
            its.underWay -= acknowledged;
        }
        FlowId expected = 0;
        do
        {
            expected = plain.GiveTurn(units);
            const FlowId got = arbiter.GiveTurn([&units](FlowId id) { return units[id]; });
            self.Expect(
                got == expected,
                Text("seed ", seed, ", step ", step, ": flow ", got, " instead of ", expected));
            given += got != NO_FLOW;
            if (got != expected)
            {
                return;
            }
        } while (expected != NO_FLOW);
    }
    self.Expect(given > 3, Text("seed ", seed, ": only ", given, " turns were given"));
}

/// Registers the suite.
class IngressArbiterSuite : public FunctionSuite
{
  public:
    IngressArbiterSuite()
        : FunctionSuite("fabric-ingress-arbiter", kUnit)
    {
        Add("IF-6 groups of flows", TestGroups);
        Add("IF-6 hashed groups", TestHashedGroups);
        Add("IF-6 texts of groups", TestGroupTexts);
        Add("IF-7 IF-8 shares of the port's limit", TestSharesOfPortLimit);
        Add("IF-8 shares add up", TestSumOfShares);
        Add("IF-2 turns on three levels", TestThreeLevels);
        Add("IF-3 a frame that would pass the limit", TestAbortByLimit);
        Add("IF-2 IF-3 IF-5 IF-7 IF-8 random flows have turns as a slow model says",
            [](FunctionCase& self) {
                const TestSeeds seeds(40);
                for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
                {
                    TestRandomTurns(self, seed);
                }
            });
    }
};

IngressArbiterSuite g_ingressArbiterSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
