/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-composer.h"
#include "fabric-function-case.h"
#include "fabric-hpcc-point.h"
#include "fabric-path-telemetry.h"
#include "fabric-rate-pacer.h"
#include "fabric-refusal.h"
#include "fabric-side-table.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-transport-layout.h"
#include "fabric-transport-settings.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr double WIRE = 100e9;     ///< Line rate in these tests, b/s.
constexpr TimePs TRIP = 8 * US;    ///< T in these tests: W_init is 100 kB.
constexpr double FIRST = 100'000;  ///< W_init, bytes.
constexpr uint32_t PACKET = 1'000; ///< Bytes of a packet on the wire, 80 ns.

/// @return settings with this T
HpccSettings
WithTrip()
{
    HpccSettings settings;
    settings.baseRtt = TRIP;
    return settings;
}

/// @return a record of an output of this line rate
HopRecord
RecordOf(TimePs time, uint64_t sent, uint32_t queued, uint16_t switchId = 0)
{
    return {time, sent, static_cast<uint64_t>(WIRE), queued, switchId, 0};
}

/// @return the records of a way
HopStack
StackOf(const std::vector<HopRecord>& records)
{
    HopStack stack;
    stack.Clear(MOST_HOPS);
    for (const HopRecord& record : records)
    {
        stack.Push(record);
    }
    return stack;
}

/// It begins at line rate, and the first ACK is only remembered.
void
HpccBegins(FunctionCase& test)
{
    const HpccSettings settings = WithTrip();
    HpccReaction reaction(settings, WIRE);
    test.ExpectNear(reaction.Window(), FIRST, 1e-6, "W_init");
    test.ExpectNear(reaction.Rate(), WIRE, 1, "line rate");
    reaction.TakeAck(StackOf({RecordOf(0, 0, 1'000'000)}), 1, 100);
    test.ExpectNear(reaction.Window(), FIRST, 1e-6, "nothing to compare with");
}

/// One ACK a T: u alone counts, so the windows are those of the formulas.
void
HpccFormulas(FunctionCase& test)
{
    const HpccSettings settings = WithTrip();
    const double step = FIRST * 0.05 / 100; // W_AI
    HpccReaction reaction(settings, WIRE);
    reaction.TakeAck(StackOf({RecordOf(0, 0, 50'000)}), 1, 100);
    // All of the link for T, and half of W_init waits at its end, but 30 kB at its beginning.
    reaction.TakeAck(StackOf({RecordOf(TRIP, 100'000, 30'000)}), 101, 200);
    test.ExpectNear(reaction.InFlight(), 1.3, 1e-9, "the smaller queue counts");
    const double second = FIRST * 0.95 / 1.3 + step;
    test.ExpectNear(reaction.Window(), second, 1e-6, "W = W_c / (U / eta) + W_AI");
    test.ExpectNear(reaction.Reference(), second, 1e-6, "a round is over");
    // In the next round each ACK reacts to the same W_c.
    reaction.TakeAck(StackOf({RecordOf(3 * TRIP / 2, 150'000, 30'000)}), 150, 230);
    test.ExpectNear(reaction.InFlight(), 0.5 * 1.3 + 0.5 * 1.3, 1e-9, "half a T");
    reaction.TakeAck(StackOf({RecordOf(2 * TRIP, 200'000, 0)}), 200, 260);
    test.ExpectNear(reaction.InFlight(), 0.5 * 1.3 + 0.5 * 1.0, 1e-9, "no queue at its end");
    test.ExpectNear(reaction.Window(), second * 0.95 / 1.15 + step, 1e-6, "from W_c");
    test.ExpectNear(reaction.Reference(), second, 1e-6, "PSN 200 was to be sent when it began");
    reaction.TakeAck(StackOf({RecordOf(3 * TRIP, 250'000, 0)}), 201, 300);
    test.ExpectNear(reaction.InFlight(), 0.5, 1e-9, "half of the link");
    test.ExpectNear(reaction.Reference(), second + step, 1e-6, "additive increase");
}

/// A link that is half used: five rounds of additive increase, then a multiplicative one.
void
HpccStages(FunctionCase& test)
{
    HpccSettings settings = WithTrip();
    const double step = FIRST * 0.05 / 100;
    HpccReaction reaction(settings, WIRE);
    reaction.TakeAck(StackOf({RecordOf(0, 0, 0)}), 1, 1);
    // The first round sets it to half of W_init and a step.
    reaction.TakeAck(StackOf({RecordOf(TRIP, 190'000, 0)}), 2, 2);
    test.ExpectNear(reaction.Window(), FIRST / 2 + step, 1e-6, "U = 1.9");
    uint64_t sent = 190'000;
    for (uint32_t round = 1; round <= 5; ++round)
    {
        sent += 50'000;
        reaction.TakeAck(StackOf({RecordOf((1 + round) * TRIP, sent, 0)}), 2 + round, 2 + round);
        test.ExpectNear(reaction.Window(),
                        FIRST / 2 + (1 + round) * step,
                        1e-6,
                        Text("round ", round));
    }
    reaction.TakeAck(StackOf({RecordOf(7 * TRIP, sent + 50'000, 0)}), 8, 8);
    test.ExpectNear(reaction.Window(),
                    (FIRST / 2 + 6 * step) * 1.9 + step,
                    1e-6,
                    "the sixth is multiplicative");
}

/// The highest and the lowest window.
void
HpccBounds(FunctionCase& test)
{
    HpccSettings settings = WithTrip();
    settings.minRate = 1e9;
    HpccReaction reaction(settings, WIRE);
    reaction.TakeAck(StackOf({RecordOf(0, 0, 0)}), 1, 1);
    for (uint32_t round = 1; round <= 10; ++round)
    {
        reaction.TakeAck(StackOf({RecordOf(round * TRIP, 0, 0)}), 1 + round, 1 + round);
        test.Expect(reaction.Window() <= FIRST, "W_init");
    }
    reaction.TakeAck(StackOf({RecordOf(11 * TRIP, 0, 1U << 30)}), 20, 20);
    reaction.TakeAck(StackOf({RecordOf(12 * TRIP, 0, 1U << 30)}), 21, 21);
    test.ExpectNear(reaction.Rate(), 1e9, 1, "lowest rate");
}

/// Another way, fewer switches, and ACKs that come late say nothing.
void
HpccWays(FunctionCase& test)
{
    const HpccSettings settings = WithTrip();
    HpccReaction reaction(settings, WIRE);
    const uint32_t full = 1'000'000;
    reaction.TakeAck(StackOf({RecordOf(0, 0, full, 1), RecordOf(0, 0, full, 2)}), 1, 1);
    reaction.TakeAck(StackOf({RecordOf(TRIP, 1, full, 1), RecordOf(TRIP, 1, full, 3)}), 2, 2);
    test.ExpectNear(reaction.Window(), FIRST, 1e-6, "another switch");
    reaction.TakeAck(StackOf({RecordOf(2 * TRIP, 2, full, 1)}), 3, 3);
    test.ExpectNear(reaction.Window(), FIRST, 1e-6, "a shorter way");
    reaction.TakeAck(StackOf({RecordOf(2 * TRIP, 2, full, 1)}), 3, 3);
    test.ExpectNear(reaction.Window(), FIRST, 1e-6, "the same again");
    reaction.TakeAck(StackOf({RecordOf(TRIP, 1, full, 1)}), 3, 3);
    test.ExpectNear(reaction.Window(), FIRST, 1e-6, "from before");
    reaction.TakeAck(StackOf({RecordOf(3 * TRIP, 100'001, full, 1)}), 3, 3);
    test.Expect(reaction.Window() < FIRST / 5, "the same way");
}

/**
 * Algorithm 1 of the paper, line by line, with its names and its units of seconds and bytes. No
 * other than this test reads it.
 */
struct PaperHpcc
{
    struct Link
    {
        double ts, txBytes, qlen, B;
    };

    double T, eta, maxStage, WAI, Wmax, Wmin;
    double U = 1;
    double Wc, W;
    double incStage = 0;
    uint64_t lastUpdateSeq = 0;
    std::vector<Link> L;

    double MeasureInflight(const std::vector<Link>& ackL)
    {
        double u = 0;
        double tau = 0;
        for (std::size_t i = 0; i < ackL.size(); ++i)
        {
            if (ackL[i].ts <= L[i].ts)
            {
                continue; // not in the paper, where each ACK has later times
            }
            const double txRate = (ackL[i].txBytes - L[i].txBytes) / (ackL[i].ts - L[i].ts);
            const double own =
                std::min(ackL[i].qlen, L[i].qlen) / (ackL[i].B * T) + txRate / ackL[i].B;
            if (own > u)
            {
                u = own;
                tau = ackL[i].ts - L[i].ts;
            }
        }
        tau = std::min(tau, T);
        U = (1 - tau / T) * U + tau / T * u;
        return U;
    }

    double ComputeWind(double u, bool updateWc)
    {
        double w = 0;
        if (u >= eta || incStage >= maxStage)
        {
            w = std::min(Wmax, std::max(Wmin, Wc / (u / eta) + WAI));
            if (updateWc)
            {
                incStage = 0;
                Wc = w;
            }
        }
        else
        {
            w = std::min(Wmax, std::max(Wmin, Wc + WAI));
            if (updateWc)
            {
                incStage = incStage + 1;
                Wc = w;
            }
        }
        return w;
    }

    void NewAck(const std::vector<Link>& ackL, uint64_t seq, uint64_t sndNxt)
    {
        if (L.empty())
        {
            lastUpdateSeq = sndNxt;
        }
        else if (seq > lastUpdateSeq)
        {
            W = ComputeWind(MeasureInflight(ackL), true);
            lastUpdateSeq = sndNxt;
        }
        else
        {
            W = ComputeWind(MeasureInflight(ackL), false);
        }
        L = ackL;
    }
};

/// Any samples of up to eight switches with links of any rates against the paper's steps.
void
HpccAgainstPaper(FunctionCase& test)
{
    const TestSeeds seeds(400);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto draw = [&random](uint64_t low, uint64_t high) {
            return low + random() % (high - low + 1);
        };
        HpccSettings s;
        s.baseRtt = static_cast<TimePs>(draw(1, 30)) * US;
        s.utilization = static_cast<double>(draw(50, 100)) / 100;
        s.maxStage = static_cast<uint32_t>(draw(0, 7));
        s.flows = static_cast<uint32_t>(draw(1, 200));
        s.minRate = static_cast<double>(draw(1'000, 1'000'000'000));
        const double line = static_cast<double>(draw(1, 16)) * 25e9;
        HpccReaction reaction(s, line);
        PaperHpcc paper{};
        paper.T = static_cast<double>(s.baseRtt) * 1e-12;
        paper.eta = s.utilization;
        paper.maxStage = s.maxStage;
        paper.Wmax = line / 8 * paper.T;
        paper.Wmin = s.minRate / 8 * paper.T;
        paper.WAI = paper.Wmax * (1 - paper.eta) / s.flows;
        paper.U = 1;
        paper.W = paper.Wc = paper.Wmax;
        std::vector<HopRecord> way(draw(1, MOST_HOPS));
        for (std::size_t i = 0; i < way.size(); ++i)
        {
            way[i] = {0, 0, draw(1, 16) * 25'000'000'000, 0, static_cast<uint16_t>(i), 7};
        }
        const uint32_t first = static_cast<uint32_t>(random()); // PSNs wrap
        uint64_t base = 0;
        uint64_t next = 0;
        for (uint32_t ack = 0; ack < 200; ++ack)
        {
            next += draw(0, 3);
            base = std::min(next, base + draw(0, 3));
            std::vector<PaperHpcc::Link> links;
            for (HopRecord& hop : way)
            {
                const bool stands = &hop != &way.front() && draw(0, 9) == 0;
                const auto time = static_cast<TimePs>(stands ? 0 : draw(1, 3 * US));
                hop.time += time;
                const double most =
                    static_cast<double>(hop.rate) / 8 * 1e-12 * static_cast<double>(time);
                hop.sent += static_cast<uint64_t>(most * static_cast<double>(draw(0, 100)) / 100);
                hop.queued = static_cast<uint32_t>(draw(0, 2) == 0 ? draw(0, 300'000) : 0);
                links.push_back({static_cast<double>(hop.time) * 1e-12,
                                 static_cast<double>(hop.sent),
                                 static_cast<double>(hop.queued),
                                 static_cast<double>(hop.rate) / 8});
            }
            paper.NewAck(links, base, next);
            reaction.TakeAck(StackOf(way),
                             first + static_cast<uint32_t>(base),
                             first + static_cast<uint32_t>(next));
            const double close = 1e-6 * paper.Wmax;
            test.ExpectNear(reaction.InFlight(), paper.U, 1e-6, Text("seed ", seed, ": U"));
            test.ExpectNear(reaction.Window(), paper.W, close, Text("seed ", seed, ": W"));
            test.ExpectNear(reaction.Reference(), paper.Wc, close, Text("seed ", seed, ": W_c"));
        }
    }
}

/// Flows over one output, each of which obeys HPCC: a loop of events of its own.
class HpccLink
{
  public:
    /// @param flows whose packets all go by the output @param settings outlive it
    HpccLink(uint32_t flows, const HpccSettings& settings)
    {
        for (uint32_t i = 0; i < flows; ++i)
        {
            m_flows.emplace_back(settings);
        }
    }

    /// @param flow begins to send
    void Begin(uint32_t flow, TimePs at)
    {
        m_flows[flow].isOn = true;
        m_events.emplace(at, [this, flow, at] { Send(flow, at); });
    }

    /// All that happens up to a time.
    void RunUntil(TimePs end)
    {
        while (!m_events.empty() && m_events.begin()->first <= end)
        {
            const auto what = m_events.begin()->second;
            m_events.erase(m_events.begin());
            what();
        }
    }

    /// @return bytes that have left
    uint64_t Sent() const
    {
        return m_sent;
    }

    /// @return bytes that have left of a flow
    uint64_t Sent(uint32_t flow) const
    {
        return uint64_t{m_flows[flow].left} * PACKET;
    }

    /// @return most packets that have waited since the last call
    std::size_t TakeLongest()
    {
        return std::exchange(m_longest, m_queue.size());
    }

    std::size_t Waiting() const
    {
        return m_queue.size();
    }

  private:
    /// A sender.
    struct Flow
    {
        explicit Flow(const HpccSettings& settings)
            : point(settings, WIRE, PACKET),
              pacer(WIRE, false)
        {
        }

        HpccPoint point;
        RatePacer pacer;
        bool isOn{false};
        bool isPlanned{false}; ///< A packet goes later.
        uint32_t next{0};
        uint32_t left{0};
        uint32_t acked{0};
    };

    static constexpr TimePs TIME = 80'000; ///< Of a packet on the wire, ps.

    void Send(uint32_t number, TimePs now)
    {
        Flow& flow = m_flows[number];
        flow.isPlanned = false;
        if (!flow.isOn || flow.next - flow.acked + 1 > std::max(1.0, flow.point.Window()))
        {
            return; // the next ACK lets it
        }
        // As a wire lets it: one packet at a time.
        const TimePs ready = std::max(flow.pacer.ReadyAt(), m_wires[number]);
        if (ready <= now)
        {
            ++flow.next;
            flow.pacer.Send(PACKET, now);
            m_wires[number] = now + TIME;
            m_events.emplace(now + TRIP / 2 - TIME,
                             [this, number, now] { Arrive(number, now + TRIP / 2 - TIME); });
            Plan(number, now + TIME);
            return;
        }
        Plan(number, ready);
    }

    void Plan(uint32_t number, TimePs at)
    {
        if (!std::exchange(m_flows[number].isPlanned, true))
        {
            m_events.emplace(at, [this, number, at] { Send(number, at); });
        }
    }

    void Arrive(uint32_t number, TimePs now)
    {
        m_queue.push_back(number);
        m_longest = std::max(m_longest, m_queue.size());
        if (!m_isBusy)
        {
            Start(now);
        }
    }

    void Start(TimePs now)
    {
        m_isBusy = !m_queue.empty();
        if (!m_isBusy)
        {
            return;
        }
        const uint32_t number = m_queue.front();
        m_queue.pop_front();
        const HopStack stack =
            StackOf({RecordOf(now, m_sent, static_cast<uint32_t>(m_queue.size()) * PACKET)});
        m_sent += PACKET;
        const TimePs end = now + TIME;
        m_events.emplace(end, [this, end] { Start(end); });
        m_events.emplace(end + TRIP / 2, [this, number, stack, end] {
            Flow& flow = m_flows[number];
            ++flow.left;
            ++flow.acked;
            flow.pacer.SetRate(flow.point.TakeAck(stack, flow.acked, flow.next), end + TRIP / 2);
            if (!flow.isPlanned)
            {
                Send(number, end + TRIP / 2);
            }
        });
    }

    std::multimap<TimePs, std::function<void()>> m_events;
    std::deque<Flow> m_flows;
    std::map<uint32_t, TimePs> m_wires;
    std::deque<uint32_t> m_queue;
    std::size_t m_longest{0};
    uint64_t m_sent{0};
    bool m_isBusy{false};
};

/**
 * n flows share a link: W = W eta / U + W_AI for each, so U = eta + (1 - eta) n / N, and nothing
 * waits for long. One alone has eta and W_AI.
 */
void
HpccShares(FunctionCase& test)
{
    const HpccSettings settings = WithTrip();
    for (const uint32_t flows : {1U, 2U, 5U, 10U, 40U})
    {
        HpccLink link(flows, settings);
        for (uint32_t i = 0; i < flows; ++i)
        {
            link.Begin(i, static_cast<TimePs>(i) * 123'457);
        }
        link.RunUntil(200 * TRIP);
        link.TakeLongest();
        const uint64_t before = link.Sent();
        link.RunUntil(600 * TRIP);
        const double used = static_cast<double>(link.Sent() - before) / (400 * FIRST);
        const double wanted = 0.95 + 0.05 * flows / 100;
        // Where many meet some packets wait, which count in U, too: one in 2000 bytes for each.
        const double waiting = flows / 2000.0;
        test.ExpectNear(used + waiting / 2,
                        wanted,
                        0.01 + waiting / 2,
                        Text(flows, " flows use eta and their W_AI"));
        const std::size_t longest = link.TakeLongest();
        test.Expect(longest <= 2 + flows,
                    Text(flows, " flows: ", longest, " packets wait at most"));
    }
}

/// An incast at line rate: the queue is gone a few T after the first ACKs, and does not come back.
void
HpccIncast(FunctionCase& test)
{
    const HpccSettings settings = WithTrip();
    for (const uint32_t flows : {2U, 8U, 32U})
    {
        HpccLink link(flows, settings);
        for (uint32_t i = 0; i < flows; ++i)
        {
            link.Begin(i, 0);
        }
        link.RunUntil(TRIP);
        // n W_init have come, and the link has taken what it can in half a T.
        test.Expect(link.Waiting() > (flows - 1) * 40, Text(flows, " flows: the queue is there"));
        // What has come has to leave: n - 1 of n T at line rate. As many again are for the
        // reaction.
        link.RunUntil((2 * flows + 8) * TRIP);
        link.TakeLongest();
        link.RunUntil((flows + 200) * TRIP);
        const std::size_t longest = link.TakeLongest();
        test.Expect(longest <= 4 + flows / 2,
                    Text(flows, " flows: ", longest, " packets wait later"));
    }
}

/// A token bucket of one packet, whose rate changes.
void
HpccPaces(FunctionCase& test)
{
    RatePacer pacer(WIRE, false);
    pacer.Send(1'000, 0);
    test.ExpectEqual(pacer.ReadyAt(), 0, "the wire has line rate itself");
    pacer.SetRate(WIRE / 10, 0);
    test.ExpectEqual(pacer.ReadyAt(), 800'000, "8000 bits at 10 Gb/s");
    pacer.SetRate(WIRE / 5, 400'000);
    test.ExpectEqual(pacer.ReadyAt(), 600'000, "what is left goes at 20 Gb/s");
    pacer.Send(1'000, 700'000);
    test.ExpectEqual(pacer.ReadyAt(), 1'000'000, "the packet was 100 ns late, the next is not");
    pacer.Send(1'000, 5'000'000);
    test.ExpectEqual(pacer.ReadyAt(), 0 + 5'000'000, "one packet was in the bucket");
    pacer.Send(1'000, 5'000'000);
    test.ExpectEqual(pacer.ReadyAt(), 5'400'000, "not two");
    pacer.SetRate(2 * WIRE, 5'000'000);
    test.ExpectEqual(pacer.ReadyAt(), 5'000'000, "no faster than the wire");
    test.ExpectEqual(pacer.Rate(), WIRE, "line rate");
    RatePacer slower(WIRE, true);
    slower.Send(1'000, 0);
    test.ExpectEqual(slower.ReadyAt(), 80'000, "the wire is faster than line rate");
}

/// What outputs write, in order, while there is room.
void
HpccRecords(FunctionCase& test)
{
    struct Source : HopStackSource
    {
        HopStack& StackOf(const Frame& frame) override
        {
            return stacks[frame.handle];
        }

        std::map<uint32_t, HopStack> stacks;
    };

    Source source;
    PathTelemetry telemetry(2);
    Frame frame{};
    frame.kind = FrameKind::TRANSPORT;
    frame.payload = 1'000;
    telemetry.Leave(1, frame, 0, 5); // before anybody reads it
    telemetry.Begin(source, 9);
    telemetry.SetRate(1, 400);
    source.stacks[3].Clear(1);
    source.stacks[4].Clear(0);
    frame.kind = FrameKind::MESSAGE;
    telemetry.Leave(1, frame, 0, 6);
    frame.kind = FrameKind::TRANSPORT;
    frame.handle = 4;
    telemetry.Leave(1, frame, 77, 7);
    frame.handle = 3;
    telemetry.Leave(0, frame, 66, 8);
    telemetry.Leave(1, frame, 88, 9);
    test.ExpectEqual(source.stacks[4].count, 0, "no room");
    test.ExpectEqual(source.stacks[3].count, 1, "room for one");
    const HopRecord& first = source.stacks[3].hops[0];
    test.ExpectEqual(first.time, 8, "time");
    test.ExpectEqual(first.sent, 0, "nothing had left there");
    test.ExpectEqual(first.queued, 66, "queue");
    test.ExpectEqual(first.switchId, 9, "switch");
    test.ExpectEqual(first.port, 0, "port");
    source.stacks[3].Clear(8);
    telemetry.Leave(1, frame, 88, 10);
    test.ExpectEqual(source.stacks[3].hops[0].sent, 4 * WireBytes(1'000), "all kinds count");
    test.ExpectEqual(source.stacks[3].hops[0].rate, 400, "rate");
}

/// Values stay where they are while there is room made.
void
HpccTable(FunctionCase& test)
{
    SideTable<uint64_t> table;
    std::vector<uint64_t*> places;
    constexpr uint32_t MANY = 50'000;
    for (uint32_t i = 0; i < MANY; ++i)
    {
        places.push_back(&table.Begin(i));
        *places.back() = i;
    }
    bool isSame = true;
    for (uint32_t i = 0; i < MANY; ++i)
    {
        isSame = isSame && &table.At(i) == places[i] && table.At(i) == i;
    }
    test.Expect(isSame, "each has its place");
    SideTable<uint64_t> late;
    late.Begin(30'000) = 5;
    test.ExpectEqual(late.At(30'000), 5, "from any handle on");
}

/// @return settings of endpoints with HPCC on a wire on which a packet takes 100 ns, the bed's
TransportSettings
BedSettings()
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::HPCC;
    settings.lineRate = 320e9;
    settings.hpcc.baseRtt = 3 * US;
    return settings;
}

/// Two endpoints that push to each other; one switch between them that a test fills.
class WrittenPushes
{
  public:
    explicit WrittenPushes(bool bothWays)
        : m_ulps(BedSettings(), Never())
    {
        m_ulps.bed.onSend = [this](uint32_t from, const OutgoingPacket& out) {
            OnSend(from, out);
            return true;
        };
        m_cid = m_ulps.bed.Node(0).Connect(1, Never(), 0);
        m_ulps.bed.Run(20 * US);
        m_ulps.bed.Node(0).Push(m_cid, 4'000'000, m_ulps.bed.Now());
        if (bothWays)
        {
            const ConnectionId other = m_ulps.bed.Node(0).View(m_cid)->peerCid;
            m_ulps.bed.Node(1).Push(other, 4'000'000, m_ulps.bed.Now());
        }
    }

    void Run(TimePs until)
    {
        m_ulps.bed.Run(until);
    }

    ConnectionView View()
    {
        return *m_ulps.bed.Node(0).View(m_cid);
    }

    uint32_t queued{0};    ///< What waits at the switch.
    uint32_t told{0};      ///< ACKs to host 0 that tell of packets.
    uint32_t written{0};   ///< Packets of host 0 that the switch has written on.
    uint32_t elsewhere{0}; ///< Packets with telemetry that are no ACKs.

  private:
    static ConnectionSettings Never()
    {
        ConnectionSettings connection;
        connection.solicitation = Solicitation::NEVER;
        return connection;
    }

    void OnSend(uint32_t from, const OutgoingPacket& out)
    {
        const TimePs now = m_ulps.bed.Now();
        if (out.seen)
        {
            elsewhere += out.packet.type != TransportPacketType::ACK;
            told += from == 1;
            m_ulps.bed.Node(1 - from).TakeTelemetry(out.packet, from, *out.seen, now);
        }
        else if (out.packet.PayloadBytes() > 0)
        {
            written += from == 0;
            m_sent[from] += 4'200;
            const HopRecord record{now, m_sent[from], 320'000'000'000, queued, 1, 1};
            m_ulps.bed.Node(1 - from).TakeTelemetry(out.packet, from, StackOf({record}), now);
        }
    }

    TwoUlps m_ulps;
    ConnectionId m_cid{NO_CONNECTION};
    std::array<uint64_t, 2> m_sent{};
};

/// What a switch writes comes back in ACKs, and lowers window and rate; also where data goes both
/// ways, which else carries the acknowledgements.
void
HpccEndToEnd(FunctionCase& test)
{
    for (const bool bothWays : {false, true})
    {
        const std::string what = bothWays ? "both ways: " : "one way: ";
        WrittenPushes pushes(bothWays);
        test.ExpectNear(pushes.View().rate, 320e9, 1, what + "line rate at first");
        pushes.queued = 10'000'000;
        pushes.Run(60 * US);
        test.Expect(pushes.told > 2 && pushes.told < pushes.written,
                    Text(what, pushes.told, " of ", pushes.written, " are told"));
        test.ExpectEqual(pushes.elsewhere, 0, what + "only by ACKs");
        test.Expect(pushes.View().rate < 2e9, Text(what, "lowest rate: ", pushes.View().rate));
        test.ExpectEqual(pushes.View().congestionWindow, 1, what + "one packet");
        pushes.queued = 0;
        pushes.Run(4'000 * US);
        test.Expect(pushes.View().rate > 200e9, Text(what, "rate again: ", pushes.View().rate));
    }
}

/// Telemetry that is damaged, of strangers, or for an end without HPCC changes nothing.
void
HpccNotHeard(FunctionCase& test)
{
    for (const bool isHpcc : {false, true})
    {
        TransportSettings settings = BedSettings();
        settings.congestionControl =
            isHpcc ? CongestionControlKind::HPCC : CongestionControlKind::FIXED;
        TwoUlps ulps(settings, ConnectionSettings());
        const ConnectionId cid = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
        ulps.bed.Run(20 * US);
        TransportPacket ack(TransportPacketType::ACK);
        ack.cid = cid;
        for (uint32_t i = 0; i < 4; ++i)
        {
            const HopRecord record{(20 + i) * US, i, 320'000'000'000, 1U << 30, 1, 1};
            TransportPacket bad = ack;
            bad.isCorrupt = true;
            TransportEndpoint& end = ulps.bed.Node(0);
            end.TakeTelemetry(bad, 1, StackOf({record}), ulps.bed.Now());
            end.TakeTelemetry(ack, 7, StackOf({record}), ulps.bed.Now());
            end.TakeTelemetry(ack, 1, StackOf({}), ulps.bed.Now());
            if (!isHpcc)
            {
                end.TakeTelemetry(ack, 1, StackOf({record}), ulps.bed.Now());
            }
        }
        test.ExpectNear(ulps.bed.Node(0).View(cid)->rate, isHpcc ? 320e9 : 0, 1, "rate");
        test.ExpectEqual(ulps.bed.Node(0).View(cid)->congestionWindow,
                         isHpcc ? 29 : 128,
                         "window: 120 kB of 4230 bytes, or all");
    }
}

/// The window is what telemetry says, whatever losses say, or that they were none.
void
HpccAndLosses(FunctionCase& test)
{
    const TransportSettings settings = BedSettings();
    const PathRules rules(settings);
    TransportPath path(rules);
    const TransmitWindow data(0, 128);
    path.Open(data, 0, 4096);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const HopRecord record{(1 + i) * US, i * 40'000, 320'000'000'000, 60'000, 1, 1};
        path.TakeTelemetry(StackOf({record}), i, i + 10, (2 + i) * US);
    }
    const double window = path.Window();
    test.Expect(window > 1 && window < 29, Text("lower: ", window));
    path.TakeLoss(6 * US);
    path.TakeTimeOut(7 * US, 0);
    path.Restore(100);
    test.ExpectEqual(path.Window(), window, "as before");
}

/// What rides along leaves the ACK due if only that can say all.
void
HpccKeepsAck(FunctionCase& test)
{
    for (const bool needsAck : {false, true})
    {
        AckComposer acks;
        ReceiveWindow requests(0, 64);
        ReceiveWindow data(0, 64);
        TransportPacket packet(TransportPacketType::PUSH_UNSOLICITED_DATA);
        data.Receive(0);
        data.Acknowledge(0);
        acks.Take(packet, 5);
        acks.Count(5, 100);
        acks.RideOn(packet, requests, data, 6, needsAck);
        test.ExpectEqual(acks.Deadline(), needsAck ? 105 : NEVER, "deadline");
        acks.Write(packet, requests, data, 7);
        test.ExpectEqual(acks.Deadline(), NEVER, "all is said");
    }
}

/// 42 bytes for five switches, in data and ACKs alone.
void
HpccHeader(FunctionCase& test)
{
    test.ExpectEqual(TelemetryBytes(5), 42, "the paper's figure");
    using Type = TransportPacketType;
    for (uint32_t type = 0; type < TRANSPORT_PACKET_TYPES; ++type)
    {
        TransportPacket packet(static_cast<Type>(type));
        const bool isData = packet.type == Type::PULL_DATA ||
                            packet.type == Type::PUSH_SOLICITED_DATA ||
                            packet.type == Type::PUSH_UNSOLICITED_DATA;
        if (isData)
        {
            test.ExpectEqual(TransportBytes(packet, 42),
                             TransportBytes(packet),
                             "a push of 0 bytes brings nothing");
            packet.piece.amount = 100;
        }
        const uint32_t more = isData || packet.type == Type::ACK ? 42 : 0;
        test.ExpectEqual(TransportBytes(packet, 42),
                         TransportBytes(packet) + more,
                         Text("type ", type));
        test.ExpectEqual(TransportBytes(packet, 0), TransportBytes(packet), Text("type ", type));
    }
}

/// Parameters out of their ranges.
void
HpccBadParameters(FunctionCase& test)
{
    const auto refuse = [&test](const char* name,
                                const std::function<void(TransportSettings&)>& choose) {
        TransportSettings settings;
        settings.congestionControl = CongestionControlKind::HPCC;
        settings.Validate();
        choose(settings);
        const std::string sentence = Refusal([&settings] { settings.Validate(); });
        test.Expect(sentence.find(std::string("Transport: ") + name) == 0 &&
                        sentence.find("allowed is") != std::string::npos,
                    std::string(name) + ": " + sentence);
    };
    refuse("baseRtt of HPCC is", [](auto& s) { s.hpcc.baseRtt = 0; });
    refuse("utilization of HPCC is", [](auto& s) { s.hpcc.utilization = 1.01; });
    refuse("utilization of HPCC is", [](auto& s) { s.hpcc.utilization = 0; });
    refuse("maxStage of HPCC is", [](auto& s) { s.hpcc.maxStage = 1001; });
    refuse("flows of HPCC is", [](auto& s) { s.hpcc.flows = 0; });
    refuse("minRate of HPCC is", [](auto& s) { s.hpcc.minRate = 999; });
    refuse("hops of HPCC is", [](auto& s) { s.hpcc.hops = 0; });
    refuse("hops of HPCC is", [](auto& s) { s.hpcc.hops = 9; });
    refuse("initialWindow is 10 with congestionControl HPCC",
           [](auto& s) { s.initialWindow = 10; });
}

/// HPCC alone.
class FabricHpccTestSuite : public TestSuite
{
  public:
    FabricHpccTestSuite()
        : TestSuite("fabric-hpcc", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-14 HPCC: it begins at line rate", HpccBegins);
        add("RT-14 HPCC: windows by the formulas", HpccFormulas);
        add("RT-14 HPCC: stages of additive increase", HpccStages);
        add("RT-14 HPCC: lowest and highest window", HpccBounds);
        add("RT-14 HPCC: other ways and old news say nothing", HpccWays);
        add("RT-14 HPCC: any samples, against the paper's algorithm", HpccAgainstPaper);
        add("RT-14 HPCC: flows share a link at eta, and nothing waits", HpccShares);
        add("RT-14 HPCC: the queue of an incast goes", HpccIncast);
        add("RT-14 HPCC: packets are paced at a rate that changes", HpccPaces);
        add("RT-14 HPCC: what outputs write on packets", HpccRecords);
        add("RT-14 HPCC: the table beside that of packets", HpccTable);
        add("RT-14 HPCC: what is written comes back in ACKs", HpccEndToEnd);
        add("RT-14 HPCC: telemetry that nobody hears", HpccNotHeard);
        add("RT-12 HPCC: losses say nothing", HpccAndLosses);
        add("RT-9 HPCC: ACKs that data can't replace", HpccKeepsAck);
        add("RT-2 HPCC: bytes of telemetry", HpccHeader);
        add("RT-14 HPCC: parameters out of range are refused", HpccBadParameters);
    }
};

FabricHpccTestSuite g_fabricHpccTestSuite; ///< Registers the suite.

} // namespace
