/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-bed.h"
#include "fabric-output-lists.h"
#include "fabric-refusal.h"
#include "fabric-switch-config.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Largest frame on the wire, bytes.
constexpr uint32_t LARGEST = WireBytes(JUMBO_PAYLOAD);

/// Turns as Shreedhar and Varghese write them, with a list.
struct SlowTurns
{
    /// Who waits.
    struct Party
    {
        uint32_t name;    ///< Its name.
        uint32_t deficit; ///< What was left of its last turn, or is of this one.
        bool hasTurn;     ///< Whether its turn has begun.
    };

    /// @param cost of a party's next item
    /// @return who sends it; one must wait
    template <typename Cost>
    uint32_t Next(Cost&& cost)
    {
        while (true)
        {
            Party& party = waiting.front();
            party.deficit += party.hasTurn ? 0 : quantum;
            party.hasTurn = true;
            if (cost(party.name) <= party.deficit)
            {
                return party.name;
            }
            EndTurn();
        }
    }

    /// The first one has sent, and waits or not.
    void Served(uint32_t cost, bool stays)
    {
        waiting.front().deficit -= cost;
        if (!stays)
        {
            waiting.pop_front();
        }
        else if (waiting.front().deficit == 0)
        {
            EndTurn();
        }
    }

    /// The turn of the first one is over.
    void EndTurn()
    {
        waiting.front().hasTurn = false;
        waiting.splice(waiting.end(), waiting, waiting.begin());
    }

    uint32_t quantum;         ///< Added for a turn.
    std::list<Party> waiting; ///< Whose turn it is first.
};

/// @return the size of a frame on the wire: few sizes, or any
uint32_t
DrawBytes(std::mt19937_64& random)
{
    constexpr std::array<uint32_t, 5> USUAL{88, 280, 1524, 4120, LARGEST};
    return random() % 2 == 0 ? USUAL[random() % USUAL.size()]
                             : static_cast<uint32_t>(24 + random() % (LARGEST - 23));
}

/// @return a quantum that is allowed, often an end of what is, or a largest frame
uint32_t
DrawQuantum(std::mt19937_64& random)
{
    constexpr uint32_t LEAST = TurnSettings::LEAST_QUANTUM;
    constexpr uint32_t MOST = TurnSettings::MOST_QUANTUM;
    const std::array<uint32_t, 5> quanta{LEAST,
                                         LARGEST,
                                         MOST,
                                         DrawBytes(random) + LEAST,
                                         static_cast<uint32_t>(LEAST + random() % (MOST - LEAST))};
    return quanta[random() % quanta.size()];
}

/// Parties that come, send and go in any order.
void
CompareWithSlowTurns(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    SlowTurns slow{DrawQuantum(random), {}};
    DeficitRoundRobin<uint32_t> turns(slow.quantum);
    std::vector<uint32_t> next(2 + random() % 6, 0); // by party: size of its next frame, 0 for none
    const auto cost = [&next](uint32_t party) { return next[party]; };
    for (uint32_t step = 0; step < 500; ++step)
    {
        const auto party = static_cast<uint32_t>(random() % next.size());
        if (next[party] == 0 && random() % 2 == 0)
        {
            next[party] = DrawBytes(random);
            turns.Append(party);
            slow.waiting.push_back({party, 0, false});
        }
        test.ExpectEqual(turns.IsEmpty(), slow.waiting.empty(), Text("seed ", seed));
        if (slow.waiting.empty())
        {
            continue;
        }
        turns.Settle(cost);
        const uint32_t first = slow.Next(cost);
        test.ExpectEqual(turns.Front(), first, Text("seed ", seed, ", step ", step));
        const uint32_t sent = next[first];
        const bool stays = random() % 8 != 0;
        next[first] = stays ? DrawBytes(random) : 0;
        stays ? turns.Charge(sent) : turns.RemoveFront();
        slow.Served(sent, stays);
    }
    std::vector<uint32_t> order;
    turns.ForEach([&order](uint32_t party) { order.push_back(party); });
    test.Expect(std::equal(order.begin(),
                           order.end(),
                           slow.waiting.begin(),
                           slow.waiting.end(),
                           [](uint32_t name, const SlowTurns::Party& p) { return name == p.name; }),
                Text("order of turns, seed ", seed));
}

/// What parties that always wait have sent differs by a quantum and a largest frame at most.
void
CheckBound(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    const uint32_t quantum = DrawQuantum(random);
    DeficitRoundRobin<uint32_t> turns(quantum);

    struct Source
    {
        bool hasOneSize; ///< Whether all its frames have the same.
        uint32_t next;   ///< Size of its next frame.
        uint64_t sent;   ///< Bytes.
    };

    std::vector<Source> sources(2 + random() % 6);
    for (uint32_t i = 0; i < sources.size(); ++i)
    {
        sources[i] = {random() % 2 == 0, DrawBytes(random), 0};
        turns.Append(i);
    }
    const auto bySent = [](const Source& a, const Source& b) { return a.sent < b.sent; };
    for (uint32_t step = 0; step < 1000; ++step)
    {
        turns.Settle([&sources](uint32_t party) { return sources[party].next; });
        Source& source = sources[turns.Front()];
        turns.Charge(source.next);
        source.sent += source.next;
        source.next = source.hasOneSize ? source.next : DrawBytes(random);
        const auto [least, most] = std::minmax_element(sources.begin(), sources.end(), bySent);
        test.Expect(most->sent - least->sent <= quantum + LARGEST,
                    Text("seed ", seed, ", step ", step, ": ", least->sent, " and ", most->sent));
    }
}

void
TestTurnsOfAnySizes(FunctionCase& test)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        CompareWithSlowTurns(test, seed);
        CheckBound(test, seed);
    }
}

/// Queues with frames of one size each, which wait for an output as long as there are frames.
class SizedQueues
{
    /// @return the name of a queue
    static QueueRef RefOf(uint32_t number)
    {
        return {static_cast<uint16_t>(number / QUEUES), static_cast<uint16_t>(number % QUEUES)};
    }

    /// @return what finds a queue
    auto Find()
    {
        return [this](QueueRef ref) -> InputQueue& {
            InputQueue& queue = m_queues[ref.input * QUEUES + ref.queue];
            queue.head = ref.input * QUEUES + ref.queue;
            return queue;
        };
    }

  public:
    /**
     * @param payloads of each queue's frames, by queue, bytes
     * @param arbitration between what the output is shared
     * @param turns how long they are
     */
    SizedQueues(const std::map<uint32_t, uint32_t>& payloads,
                Arbitration arbitration,
                const TurnSettings& turns)
    {
        m_lists.Configure(arbitration, turns, INPUTS);
        for (const auto& [number, payload] : payloads)
        {
            Frame frame{};
            frame.payload = payload;
            m_firsts[number] = frame;
            m_lists.Append(0, Find(), RefOf(number));
        }
    }

    /// @param stays tells whether a queue that was served still waits: `bool stays(uint32_t)`
    /// @return the queue that was served
    template <typename Stays>
    uint32_t Serve(Stays&& stays)
    {
        m_lists.SettleTurn(0, Find(), [this](const InputQueue& queue) -> const Frame& {
            return m_firsts.at(queue.head);
        });
        const QueueRef ref = m_lists.Front(0, Find());
        const uint32_t number = ref.input * QUEUES + ref.queue;
        m_lists.Served(0, Find(), stays(number), WireBytes(m_firsts.at(number).payload));
        return number;
    }

    /// @param bytes to be sent in all, on the wire
    /// @return the part of each queue
    std::map<uint32_t, double> SharesOf(uint64_t bytes)
    {
        std::map<uint32_t, double> shares;
        for (uint64_t sent = 0; sent < bytes;)
        {
            const uint32_t number = Serve([](uint32_t) { return true; });
            const uint32_t frame = WireBytes(m_firsts.at(number).payload);
            shares[number] += static_cast<double>(frame) / static_cast<double>(bytes);
            sent += frame;
        }
        return shares;
    }

    /// @param number of a queue that begins to wait
    void Append(uint32_t number)
    {
        m_lists.Append(0, Find(), RefOf(number));
    }

    static constexpr uint32_t INPUTS = 3; ///< Number of input ports.
    static constexpr uint32_t QUEUES = 4; ///< Of each.

  private:
    OutputLists m_lists;                              ///< Under test.
    std::array<InputQueue, INPUTS * QUEUES> m_queues; ///< By number.
    std::map<uint32_t, Frame> m_firsts;               ///< First frame of each queue.
};

void
TestThirds(FunctionCase& test)
{
    const std::map<uint32_t, uint32_t> payloads{{0, 4096}, {1, 256}, {8, 64}}; // two ports
    const auto shares = [&payloads](Arbitration arbitration, TurnUnit unit) {
        return SizedQueues(payloads, arbitration, {unit, LARGEST}).SharesOf(100'000'000);
    };
    const auto expect = [&test](std::map<uint32_t, double> got,
                                const std::map<uint32_t, double>& wanted) {
        for (const auto& [queue, share] : wanted)
        {
            test.ExpectNear(got[queue], share, 0.001, Text("share of queue ", queue));
        }
    };
    const double frames = 4120 + 280 + 88;
    expect(shares(ARBITRATE_BY_FLOW, TURNS_BY_FRAMES),
           {{0, 4120 / frames}, {1, 280 / frames}, {8, 88 / frames}});
    expect(shares(ARBITRATE_BY_FLOW, TURNS_BY_BYTES), {{0, 1. / 3}, {1, 1. / 3}, {8, 1. / 3}});
    // The frames of the first port's queues are equally old, so that they go one by one.
    expect(shares(ARBITRATE_BY_PORT, TURNS_BY_BYTES),
           {{0, 4120 / 4400. / 2}, {1, 280 / 4400. / 2}, {8, 1. / 2}});
}

/// A queue of 600 bytes a frame has 400 of 1000 left when it empties.
void
TestEmptiedTurn(FunctionCase& test)
{
    for (const bool empties : {false, true})
    {
        SizedQueues queues({{0, 576}, {4, 976}}, ARBITRATE_BY_FLOW, {TURNS_BY_BYTES, 1000});
        std::string order;
        for (uint32_t i = 0; i < 6; ++i)
        {
            const bool leaves = empties && i == 0;
            order += queues.Serve([leaves](uint32_t) { return !leaves; }) == 0 ? 'a' : 'b';
            if (leaves)
            {
                queues.Append(0);
            }
        }
        // With 400 bytes more its second turn has two frames.
        test.ExpectSame(order, empties ? "ababaa" : "abaaba", "turns");
    }
}

/// With frames of a quantum each, a turn by bytes is a frame.
void
TestTurnsOfEqualFrames(FunctionCase& test)
{
    const TestSeeds seeds(50);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (const Arbitration arbitration : {ARBITRATE_BY_FLOW, ARBITRATE_BY_PORT})
        {
            std::map<uint32_t, uint32_t> payloads;
            for (uint32_t number = 0; number < SizedQueues::INPUTS * SizedQueues::QUEUES; ++number)
            {
                payloads[number] = 1000;
            }
            SizedQueues byBytes(payloads, arbitration, {TURNS_BY_BYTES, WireBytes(1000)});
            SizedQueues byFrames(payloads, arbitration, {});
            std::mt19937_64 random(seed);
            std::vector<uint32_t> away;
            for (uint32_t step = 0; step < 200 && away.size() < payloads.size(); ++step)
            {
                const bool stays = random() % 3 != 0;
                const uint32_t served = byFrames.Serve([stays](uint32_t) { return stays; });
                test.ExpectEqual(byBytes.Serve([stays](uint32_t) { return stays; }),
                                 served,
                                 Text("seed ", seed, ", step ", step));
                if (!stays)
                {
                    away.push_back(served);
                }
                if (!away.empty() && random() % 2 == 0)
                {
                    byFrames.Append(away.back());
                    byBytes.Append(away.back());
                    away.pop_back();
                }
            }
        }
    }
}

/// Bytes on the wire that each of three hosts has sent to a fourth, all by one output of a switch.
std::array<uint64_t, 3>
BytesOverSwitch(bool flowChannels, Arbitration arbitration, bool inPieces, TimePs until)
{
    LaneBed lanes({3});
    lanes.config.flowChannels.enabled = flowChannels;
    lanes.config.arbitration = arbitration;
    lanes.config.turns.unit = TURNS_BY_BYTES;
    lanes.config.lanes.reset();
    if (inPieces)
    {
        LaneTable table;
        table.lanes = {{0, 0, 0, 0, false}};
        table.groups = {{0, GroupSettings::FULL_SHARE}};
        lanes.config.lanes = LaneArbitration{table, {}};
        lanes.config.lanes->preemption.interleave = true;
    }
    lanes.nic.mtu = MAX_PAYLOAD;
    lanes.Build();
    constexpr std::array<uint32_t, 3> PAYLOADS{4096, 256, 64};
    for (uint32_t host = 0; host < PAYLOADS.size(); ++host)
    {
        const uint64_t frames = 400'000 / WireBytes(PAYLOADS[host]);
        for (uint64_t i = 0; i < frames; ++i)
        {
            lanes.bed->Send(host, 3, PAYLOADS[host], 0, 0);
        }
    }
    lanes.bed->RunUntil(until);
    lanes.bed->Check();
    std::array<uint64_t, 3> bytes{};
    for (const TestBed::Delivery& delivery : lanes.bed->Deliveries())
    {
        bytes[HostOf(delivery.src)] += WireBytes(static_cast<uint32_t>(delivery.bytes));
    }
    return bytes;
}

void
TestTurnsOverSwitch(FunctionCase& test)
{
    for (const bool inPieces : {false, true})
    {
        for (const bool flowChannels : {false, true})
        {
            for (const Arbitration arbitration : {ARBITRATE_BY_FLOW, ARBITRATE_BY_PORT})
            {
                const auto before = BytesOverSwitch(flowChannels, arbitration, inPieces, 20 * US);
                const auto after = BytesOverSwitch(flowChannels, arbitration, inPieces, 60 * US);
                for (uint32_t host = 0; host < after.size(); ++host)
                {
                    // Of 100 Gb/s a third each in 40 us, but for a turn.
                    test.ExpectNear(static_cast<double>(after[host] - before[host]),
                                    500'000. / 3,
                                    LARGEST + 4120,
                                    Text("host ",
                                         host,
                                         inPieces ? ", in pieces" : "",
                                         flowChannels ? ", flow channels" : "",
                                         arbitration == ARBITRATE_BY_PORT ? ", by port" : ""));
                }
            }
        }
    }
}

void
TestQuantumBounds(FunctionCase& test)
{
    for (const uint32_t quantum : {TurnSettings::LEAST_QUANTUM, TurnSettings::MOST_QUANTUM})
    {
        TurnSettings{TURNS_BY_BYTES, quantum}.Validate();
    }
    for (const uint32_t quantum : {0U, 63U, 65'537U})
    {
        SwitchConfig config;
        config.turns = {TURNS_BY_BYTES, quantum};
        test.ExpectSame(Refusal([&config] { config.Validate(); }),
                        "TurnQuantum is " + std::to_string(quantum) +
                            " bytes, allowed are 64 to 65536",
                        "a quantum out of bounds");
    }
}

/// Suite of turns by bytes.
class TurnsByBytesTestSuite : public FunctionSuite
{
  public:
    TurnsByBytesTestSuite()
        : FunctionSuite("fabric-turns-by-bytes", kUnit)
    {
        Add("FC-18 deficit round robin of frames of any sizes: as a list does it, within its bound",
            TestTurnsOfAnySizes);
        Add("FC-18 frames of 4096, 256 and 64 bytes get a third each by bytes", TestThirds);
        Add("FC-18 a queue that empties loses what is left of its turn", TestEmptiedTurn);
        Add("FC-18 turns by bytes of equal frames are turns by frames", TestTurnsOfEqualFrames);
        Add("FC-18 hosts with frames of 4096, 256 and 64 bytes get a third each over a switch",
            TestTurnsOverSwitch);
        Add("FC-18 the quantum is bounded", TestQuantumBounds);
    }
};

TurnsByBytesTestSuite g_turnsByBytesTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
