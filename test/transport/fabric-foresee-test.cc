/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-rdma-endpoint.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-transport-draw.h"

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What runs have in common that must not be empty for the test to mean anything.
struct ForeseeSums
{
    uint64_t events{0};    ///< Of packets and timers.
    uint64_t quiet{0};     ///< Packets that were said to tell nothing.
    uint64_t told{0};      ///< Packets that told, as was said.
    uint64_t deadlines{0}; ///< Events of timers.
};

/**
 * Two endpoints that are run as a NIC runs them: behind the present, window by window, packets on
 * their way being foreseen with what the endpoint knew at the end of its last run.
 *
 * When a run is over, the endpoint says when it may tell something next: the least of NextReport()
 * and of the arrivals of packets for which Foresee() was true. No event may come before that,
 * whatever has happened in between but for the user's calls.
 *
 * That is the contract that look-ahead rests on (doc/design/009-transport-in-the-nic.md).
 */
class ForeseeRun : private TransportDraw
{
  public:
    /// @param seed of all that varies
    explicit ForeseeRun(uint64_t seed)
        : TransportDraw(seed)
    {
        m_delay = Draw(200'000, 3'000'000);
        m_window = Draw(1, m_delay / 2);
        m_settings = DrawSettings();
        m_isOrdered = Chance(0.5);
        m_connection = DrawConnection();
        m_sends = Chance(0.3) ? 0.05 : 0;
        m_loss = Chance(0.6) ? 0.2 * Unit() : 0;
        m_duplicate = Chance(0.4) ? 0.2 * Unit() : 0;
        m_corrupt = Chance(0.2) ? 0.05 : 0;
        m_marked = Chance(0.3) ? 0.1 : 0;
        m_jitter = Chance(0.5) ? Draw(0, 20'000'000) : 0;
        for (Side& side : m_sides)
        {
            RdmaSettings rdma;
            rdma.memoryLatency = Draw(1, 2'000'000);
            rdma.memoryBytes = Chance(0.2) ? 20000 : rdma.memoryBytes;
            rdma.receives = Draw(0, 10);
            rdma.notReadyDelay = Draw(1, 10'000'000);
            side.endpoint = std::make_unique<RdmaEndpoint>(m_settings, rdma, m_connection);
        }
    }

    /// @param sums are added to @return what went wrong, empty if nothing did
    std::string Run(ForeseeSums& sums)
    {
        Begin();
        for (uint32_t window = 0; window < 3000 && m_wrong.str().empty() && !IsOver(); ++window)
        {
            m_now += m_window;
            for (Side& side : m_sides)
            {
                RunTo(side, m_now);
                Foretell(side);
            }
            Act();
            SkipIdleTime();
        }
        sums.events += m_sums.events;
        sums.quiet += m_sums.quiet;
        sums.told += m_sums.told;
        sums.deadlines += m_sums.deadlines;
        return m_wrong.str();
    }

  private:
    /// A packet on its way.
    struct Flight
    {
        TimePs at;              ///< When it arrives, ps.
        uint64_t order;         ///< Of sending.
        TransportPacket packet; ///< What it says.
        bool isForeseen{false}; ///< Whether Foresee() was asked.
        bool mayTell{false};    ///< Its answer.
    };

    /// One end.
    struct Side
    {
        std::unique_ptr<RdmaEndpoint> endpoint; ///< It.
        ConnectionId cid{NO_CONNECTION};        ///< Its connection.
        std::vector<Flight> coming;             ///< On the way to it.
        TimePs wireFree{0};                     ///< ps.
        TimePs ranTo{0};                        ///< Own time, ps.
        TimePs next{NEVER};                     ///< When it may tell something next, ps.
        uint32_t left{0};                       ///< Operations to post.
        bool isOver{false};                     ///< CLOSED or FAILED.
    };

    TransportSettings DrawSettings()
    {
        TransportSettings s;
        s.ackPackets = Draw(1, 12);
        s.ackDelay = Draw(0, 3'000'000);
        // No time-out is shorter than a window: what is sent in it can't be answered in it.
        const auto window = static_cast<uint32_t>(m_window);
        s.minRto = std::max(1000U, Draw(window, 50'000'000));
        s.maxRto = s.minRto + Draw(0, 400'000'000);
        s.initialRtt = Draw(1'000, 20'000'000);
        s.probeInterval = Draw(2'000'000, 100'000'000);
        s.retryLimit = Chance(0.3) ? Draw(0, 3) : 100;
        s.notReadyLimit = Chance(0.3) ? Draw(0, 3) : 100;
        s.noResourceDelay = std::max(1000U, Draw(window, 20'000'000));
        DrawTables(s);
        s.lossDetection = static_cast<LossDetection>(Draw(0, 2));
        s.sendsProbes = Chance(0.5);
        s.congestionControl = static_cast<CongestionControlKind>(Draw(0, 3));
        s.isStrict = Chance(0.5);
        s.lookupTime = Chance(0.2) ? Draw(1, 300'000) : 0;
        s.lookupLatency = Chance(0.2) ? Draw(1, 2'000'000) : 0;
        return s;
    }

    ConnectionSettings DrawConnection()
    {
        ConnectionSettings c;
        c.isOrdered = m_isOrdered;
        DrawWindows(c);
        return c;
    }

    /// Opens the connection, in both directions if the peer posts too.
    void Begin()
    {
        ConnectionSettings settings = DrawConnection();
        m_sides[0].cid = m_sides[0].endpoint->Connect(1, settings, 0);
        m_sides[0].left = Draw(1, 30);
        m_sides[1].left = Draw(0, 20);
        Plan(m_sides[0]);
        Plan(m_sides[1]);
    }

    /// When a side may tell something next, as its NIC would ask.
    void Plan(Side& side)
    {
        side.next = side.endpoint->NextReport();
        if (side.endpoint->TellsOfAll())
        {
            for (const Flight& flight : side.coming)
            {
                side.next = std::min(side.next, flight.at);
            }
        }
        for (const Flight& flight : side.coming)
        {
            side.next = flight.mayTell ? std::min(side.next, flight.at) : side.next;
        }
    }

    /// The last hop puts packets on the link, some later than others; all before they can arrive.
    void Foretell(Side& side)
    {
        for (Flight& flight : side.coming)
        {
            if (!flight.isForeseen && (flight.at <= m_now + m_window || Chance(0.5)))
            {
                flight.isForeseen = true;
                flight.mayTell = side.endpoint->Foresee(flight.packet);
            }
        }
        Plan(side);
    }

    /// Runs a side as its NIC does: arrivals, timers and the wire in the order of time.
    void RunTo(Side& side, TimePs until)
    {
        for (;;)
        {
            const auto first =
                std::min_element(side.coming.begin(),
                                 side.coming.end(),
                                 [](const Flight& a, const Flight& b) {
                                     return std::tie(a.at, a.order) < std::tie(b.at, b.order);
                                 });
            const TimePs arrival = first == side.coming.end() ? NEVER : first->at;
            const TimePs timer = side.endpoint->NextTime();
            const TimePs wire =
                side.endpoint->HasPacket() ? std::max(side.wireFree, side.ranTo) : NEVER;
            const TimePs at = std::min({arrival, timer, wire});
            if (at > until)
            {
                break;
            }
            side.ranTo = std::max(side.ranTo, at);
            if (timer <= at)
            {
                side.endpoint->RunUntil(at);
                m_sums.deadlines += Collect(side, at, "a timer");
            }
            else if (arrival <= at)
            {
                const Flight flight = *first;
                side.coming.erase(first);
                side.endpoint->Receive(flight.packet, Other(side), at);
                const uint64_t told = Collect(side, at, Name(flight.packet));
                m_sums.told += told > 0 && flight.mayTell;
                m_sums.quiet += !flight.mayTell;
            }
            else
            {
                Send(side, at);
            }
        }
        side.ranTo = until;
    }

    /// @return what a packet is called in a failure
    static std::string Name(const TransportPacket& packet)
    {
        return "a packet of type " + std::to_string(static_cast<int>(packet.type));
    }

    PeerAddress Other(const Side& side) const
    {
        return &side == &m_sides[0] ? 1 : 0;
    }

    /// The wire is free.
    void Send(Side& side, TimePs at)
    {
        const auto out = side.endpoint->NextPacket(at);
        Collect(side, at, "a packet sent");
        if (!out)
        {
            side.wireFree = at + m_window; // asked again later
            return;
        }
        side.wireFree = at + 100'000;
        Side& to = m_sides[Other(side)];
        const uint32_t copies = Chance(m_duplicate) ? 2 : 1;
        for (uint32_t i = 0; i < copies; ++i)
        {
            if (Chance(m_loss))
            {
                continue;
            }
            Flight flight{at + 2 * m_window + m_delay +
                              static_cast<TimePs>(Unit() * static_cast<double>(m_jitter)),
                          m_order++,
                          out->packet};
            flight.packet.isCorrupt = Chance(m_corrupt);
            flight.packet.isMarked = Chance(m_marked);
            to.coming.push_back(flight);
        }
    }

    /// Takes events; none may come before it was to be expected. @return how many
    uint64_t Collect(Side& side, TimePs at, const std::string& cause)
    {
        uint64_t count = 0;
        while (const auto event = side.endpoint->NextEvent())
        {
            ++count;
            if (at < side.next && m_wrong.str().empty())
            {
                m_wrong << cause << " at " << at << " ps told an event of type "
                        << static_cast<int>(event->type) << ", expected from " << side.next
                        << " ps on; ";
            }
            Note(side, *event);
        }
        m_sums.events += count;
        return count;
    }

    /// What an event means for the run.
    static void Note(Side& side, const RdmaEvent& event)
    {
        side.cid = event.type == RdmaEventType::ACCEPTED ? event.cid : side.cid;
        side.isOver = side.isOver || event.type == RdmaEventType::CLOSED ||
                      event.type == RdmaEventType::FAILED;
    }

    /// Users' calls, at the present: what they cause is told at once.
    void Act()
    {
        for (Side& side : m_sides)
        {
            if (side.cid == NO_CONNECTION || side.isOver || !Chance(0.3))
            {
                continue;
            }
            Call(side);
            while (const auto event = side.endpoint->NextEvent())
            {
                Note(side, *event);
            }
            Plan(side);
        }
    }

    void Call(Side& side)
    {
        if (side.left == 0)
        {
            Chance(0.1) ? side.endpoint->Reset(side.cid, m_now)
                        : side.endpoint->Close(side.cid, m_now);
            return;
        }
        --side.left;
        const RdmaOperation operation = Chance(m_sends) ? RdmaOperation::SEND
                                        : Chance(0.6)   ? RdmaOperation::WRITE
                                                        : RdmaOperation::READ;
        const uint32_t bytes = Chance(0.1) ? 0 : Chance(0.3) ? Draw(1, 40000) : Draw(1, 3000);
        side.endpoint->Post(side.cid, operation, bytes, side.left, m_now);
        if (Chance(0.2))
        {
            side.endpoint->PostReceives(1);
        }
    }

    /// @return whether nothing more can happen
    bool IsOver() const
    {
        return m_sides[0].isOver && (m_sides[1].isOver || m_sides[1].cid == NO_CONNECTION) &&
               m_sides[0].coming.empty() && m_sides[1].coming.empty();
    }

    /// Where nothing is on its way, windows without anything are passed over.
    void SkipIdleTime()
    {
        TimePs next = NEVER;
        for (const Side& side : m_sides)
        {
            next = side.endpoint->HasPacket() || !side.coming.empty() ? m_now : next;
            next = std::min(next, side.endpoint->NextTime());
        }
        if (next != NEVER && next > m_now + m_window)
        {
            m_now += (next - m_now) / m_window * m_window;
        }
    }

    TransportSettings m_settings;    ///< Of both.
    ConnectionSettings m_connection; ///< That the second accepts.
    bool m_isOrdered{true};          ///< RT-10.
    double m_sends{0};               ///< Part of operations.
    double m_loss{0};                ///< Part of packets.
    double m_duplicate{0};           ///< Part of packets.
    double m_corrupt{0};             ///< Part of packets.
    double m_marked{0};              ///< Part of packets.
    TimePs m_jitter{0};              ///< ps.
    TimePs m_delay{0};               ///< ps.
    TimePs m_window{1};              ///< ps.
    TimePs m_now{0};                 ///< ps.
    uint64_t m_order{0};             ///< Packets so far.
    std::array<Side, 2> m_sides;     ///< Both ends.
    ForeseeSums m_sums;              ///< Of this run.
    std::ostringstream m_wrong;      ///< First thing that is wrong.
};

/// Many seeds.
void
TestForesee(FunctionCase& test)
{
    const TestSeeds seeds(20000);
    ForeseeSums sums;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ForeseeRun run(seed);
        const std::string wrong = run.Run(sums);
        if (!wrong.empty())
        {
            test.Expect(false, "seed " + std::to_string(seed) + ": " + wrong);
            return;
        }
    }
    test.Expect(sums.events > uint64_t{10} * seeds.count, "events: " + std::to_string(sums.events));
    test.Expect(sums.told > seeds.count, "packets that told: " + std::to_string(sums.told));
    test.Expect(sums.quiet > seeds.count, "packets that did not: " + std::to_string(sums.quiet));
    test.Expect(sums.deadlines > seeds.count / 10, "timers: " + std::to_string(sums.deadlines));
}

/// The suite.
class ForeseeSuite : public TestSuite
{
  public:
    ForeseeSuite()
        : TestSuite("fabric-foresee", kUnit)
    {
        AddTestCase(new FunctionCase("DP-4 no event comes before it was foreseen", TestForesee),
                    kQuick);
    }
};

ForeseeSuite g_foreseeSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
