/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "lane-scenario.h"
#include "slow-lane-link.h"

#include <array>
#include <deque>
#include <string>

namespace ns3::fabric
{

namespace
{

/// A link as an owner of the arbiter makes one: it looks only when something changes.
class FastLaneLink
{
  public:
    /// @param scenario what happens
    explicit FastLaneLink(const LaneScenario& scenario)
        : m_scenario(scenario),
          m_arbiter(scenario.settings, scenario.tables[0].second)
    {
    }

    /// @return what was sent
    LaneLog Run()
    {
        while (m_now < m_scenario.end)
        {
            Step();
            m_now = NextTime();
        }
        return m_log;
    }

  private:
    /// Everything that happens now.
    void Step()
    {
        while (m_tables < m_scenario.tables.size() && m_scenario.tables[m_tables].first == m_now)
        {
            m_arbiter.SetTable(m_scenario.tables[m_tables++].second, m_now);
            // Another number of levels, and no other standing.
            m_grant.level = m_grant.conforming ? m_grant.level : m_arbiter.Plan().OverLevel();
        }
        while (m_arrivals < m_scenario.arrivals.size() &&
               m_scenario.arrivals[m_arrivals].at == m_now)
        {
            const auto& arrival = m_scenario.arrivals[m_arrivals++];
            m_queues[arrival.lane].push_back(arrival.bytes);
            m_candidates |= LaneMask{1} << arrival.lane;
        }
        NoteInterruption();
        Send();
    }

    /// The packet that is being sent is interrupted at its next flit.
    void NoteInterruption()
    {
        const auto& all = m_scenario.interruptions;
        while (m_interruptions < all.size() && all[m_interruptions].first == m_now)
        {
            const TimePs pause = all[m_interruptions++].second;
            if (m_end == NEVER || m_resumeAt != NEVER)
            {
                continue;
            }
            uint32_t boundary = m_scenario.settings.flitBytes;
            while (m_start + m_scenario.settings.rate.TxTime(boundary) < m_now)
            {
                boundary += m_scenario.settings.flitBytes;
            }
            if (boundary < m_bytes)
            {
                m_cut = boundary;
                m_cutAt = m_start + m_scenario.settings.rate.TxTime(boundary);
                m_pause = pause;
            }
        }
    }

    /// Goes on with the packet, or chooses one.
    void Send()
    {
        if (m_now == m_resumeAt)
        {
            const Grant before = m_grant;
            m_resumeAt = NEVER;
            m_grant = m_arbiter.Resume(m_grant, m_bytes, m_now);
            NoteStanding(before);
            Start();
        }
        else if (m_now == m_cutAt)
        {
            m_grant = m_arbiter.Settle(m_now - 1);
            m_log.push_back({m_now, 'i', m_grant});
            m_grant = m_arbiter.Settle(m_now);
            m_arbiter.End(m_now);
            m_bytes -= m_cut;
            m_resumeAt = m_now + m_pause;
            m_cutAt = m_end = NEVER;
        }
        else if (m_now == m_arbiter.NextStanding())
        {
            const Grant before = m_grant;
            m_grant = m_arbiter.Settle(m_now);
            NoteStanding(before);
        }
        if (m_now == m_end)
        {
            m_arbiter.End(m_now);
            m_end = NEVER;
        }
        if (m_end == NEVER && m_resumeAt == NEVER)
        {
            Choose();
        }
        else if (m_scenario.arrivals.size() % 2 == 0)
        {
            // Asking in the midst of a packet changes nothing.
            m_arbiter.Choose(m_candidates, m_now);
        }
    }

    /// Chooses a packet.
    void Choose()
    {
        const auto grant = m_arbiter.Arbitrate(
            m_candidates,
            [this](uint8_t lane) { return m_queues[lane].front(); },
            m_now);
        m_chooseAt = grant ? NEVER : m_arbiter.NextChange(m_candidates, m_now);
        if (!grant)
        {
            return;
        }
        std::deque<uint32_t>& queue = m_queues[grant->lane];
        m_grant = *grant;
        m_bytes = queue.front();
        queue.pop_front();
        m_candidates &= ~(LaneMask{queue.empty()} << grant->lane);
        m_log.push_back({m_now, 'b', m_grant});
        Start();
    }

    /// The packet begins or goes on.
    void Start()
    {
        m_start = m_now;
        m_end = m_now + m_scenario.settings.rate.TxTime(m_bytes);
    }

    /// Notes a packet that stands otherwise.
    void NoteStanding(const Grant& before)
    {
        if (!(before == m_grant))
        {
            m_log.push_back({m_now, 's', m_grant});
        }
    }

    /// @return when something may happen next
    TimePs NextTime() const
    {
        TimePs next = std::min({m_end, m_resumeAt, m_cutAt, m_chooseAt, m_arbiter.NextStanding()});
        if (m_tables < m_scenario.tables.size())
        {
            next = std::min(next, m_scenario.tables[m_tables].first);
        }
        if (m_arrivals < m_scenario.arrivals.size())
        {
            next = std::min(next, m_scenario.arrivals[m_arrivals].at);
        }
        if (m_interruptions < m_scenario.interruptions.size())
        {
            next = std::min(next, m_scenario.interruptions[m_interruptions].first);
        }
        return next;
    }

    const LaneScenario& m_scenario;                       ///< What happens.
    VlArbiter m_arbiter;                                  ///< Who is tested.
    TimePs m_now{0};                                      ///< Time.
    std::size_t m_tables{1};                              ///< Tables set.
    std::size_t m_arrivals{0};                            ///< Packets that have come.
    std::size_t m_interruptions{0};                       ///< Interruptions that were asked for.
    std::array<std::deque<uint32_t>, MAX_LANES> m_queues; ///< Bytes of packets, by lane.
    LaneMask m_candidates{0};                             ///< Lanes with packets.
    Grant m_grant{};                                      ///< How the packet stands.
    uint32_t m_bytes{0};                                  ///< Of the packet, or what is left.
    TimePs m_start{0};                                    ///< When it began or went on.
    TimePs m_end{NEVER};                                  ///< When it ends.
    uint32_t m_cut{0};                                    ///< Bytes before its interruption.
    TimePs m_cutAt{NEVER};                                ///< When it is interrupted.
    TimePs m_pause{0};                                    ///< For how long.
    TimePs m_resumeAt{NEVER};                             ///< When it goes on.
    TimePs m_chooseAt{NEVER};                             ///< When to choose again.
    LaneLog m_log;                                        ///< What was sent.
};

std::string
EventText(const LaneEvent& event)
{
    return std::string(1, event.what) + " lane " + std::to_string(event.grant.lane) + " level " +
           std::to_string(event.grant.level) + (event.grant.conforming ? "" : " over") + " at " +
           std::to_string(event.at);
}

/// The arbiter against the slow model, with random tables, packets and table changes.
void
TestAgainstSlowModel(FunctionCase& test)
{
    uint64_t flits = 0;
    uint64_t packets = 0;
    uint64_t standings = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        const LaneScenario scenario(seed);
        SlowLaneLink slow(scenario);
        const LaneLog expected = slow.Run();
        const LaneLog actual = FastLaneLink(scenario).Run();
        flits += slow.Flits();
        for (const LaneEvent& event : expected)
        {
            packets += event.what == 'b';
            standings += event.what == 's';
        }
        if (actual == expected)
        {
            continue;
        }
        std::size_t i = 0;
        while (i < actual.size() && i < expected.size() && actual[i] == expected[i])
        {
            ++i;
        }
        test.Expect(false,
                    "seed " + std::to_string(seed) + ", event " + std::to_string(i) + ": " +
                        (i < actual.size() ? EventText(actual[i]) : "none") + " instead of " +
                        (i < expected.size() ? EventText(expected[i]) : "none"));
    }
    test.Expect(flits > 1'000'000 && packets > 10'000 && standings > 300,
                "there was something to compare: " + std::to_string(flits) + " flits, " +
                    std::to_string(packets) + " packets, " + std::to_string(standings) +
                    " changes half way");
}

/// Tests against a slow model.
class VlArbiterModelSuite : public TestSuite
{
  public:
    VlArbiterModelSuite()
        : TestSuite("fabric-vl-arbiter-model", kUnit)
    {
        AddTestCase(
            new FunctionCase("VA-3, VA-4, VA-5, VA-7, VA-8, VA-11 same order and times as a "
                             "model flit by flit and picosecond by picosecond",
                             TestAgainstSlowModel),
            kQuick);
    }
};

VlArbiterModelSuite g_vlArbiterModelSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
