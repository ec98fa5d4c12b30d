/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WIRE_CHAIN_H
#define FABRIC_WIRE_CHAIN_H

#include "fabric-lane-assembler.h"
#include "fabric-lane-wire.h"
#include "fabric-wire-scenario.h"

#include <deque>
#include <map>
#include <queue>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace fabric
{

/**
 * Wires in a row, driven as a switch would: entries with the time at which they take effect go from
 * the wire of one hop to the assembler of the next, and frames are sent on by cut-through.
 */
class WireChain
{
  public:
    /// @param scenario to run; must stay
    explicit WireChain(const WireScenario& scenario)
        : m_scenario(scenario)
    {
        const std::size_t hops = scenario.rates.size();
        m_outcome.segments.resize(hops);
        m_outcome.heads.resize(hops, std::vector<TimePs>(scenario.frames.size(), NEVER));
        m_outcome.tails = m_outcome.heads;
        for (std::size_t hop = 0; hop < hops; ++hop)
        {
            m_hops.emplace_back(scenario, hop);
        }
        for (uint32_t handle = 0; handle < scenario.frames.size(); ++handle)
        {
            PushSource(handle);
        }
        for (const RankChange& change : scenario.changes)
        {
            Push({change.time, change.hop, RANKS, 0, WireEvent::NONE, change.lane, change.rank, 0});
        }
    }

    /// @return what came of the scenario
    WireOutcome Run()
    {
        TimePs now = NextTime();
        while (now != NEVER)
        {
            while (!m_entries.empty() && m_entries.top().time == now)
            {
                const Entry entry = m_entries.top();
                m_entries.pop();
                Handle(entry);
            }
            for (uint32_t hop = 0; hop < m_hops.size(); ++hop)
            {
                StepHop(hop, now);
            }
            now = NextTime();
        }
        Finish();
        return std::move(m_outcome);
    }

    /**
     * @param hop position
     * @return what its wire did
     */
    const WireCounts& Counts(uint32_t hop) const
    {
        return m_hops[hop].wire.Counts();
    }

    /// @return frames that were interrupted on a link, and assembled
    uint64_t Pieces() const
    {
        return m_pieces;
    }

  private:
    /// Source of an entry that changes a rank: after all that comes at the same time.
    static constexpr uint32_t RANKS = UINT32_MAX;

    /// What travels on a link.
    struct Entry
    {
        TimePs time;     ///< Takes effect at the hop, ps.
        uint32_t hop;    ///< Where.
        uint32_t source; ///< 0 for the wire of the hop before.
        uint64_t order;  ///< Of entries of one link and instant.
        WireEvent event;
        uint8_t lane;
        uint32_t byte;
        uint32_t handle;

        /// For a queue whose top is the least.
        bool operator<(const Entry& other) const
        {
            return std::tie(time, hop, source, order) >
                   std::tie(other.time, other.hop, other.source, other.order);
        }
    };

    /// A port: what comes in, what waits, what goes out.
    struct Hop
    {
        Hop(const WireScenario& scenario, std::size_t hop)
            : wire(scenario.rates[hop], PreemptionRules(scenario.settings)),
              waiting(scenario.lanes.size()),
              arrivals(scenario.frames.size()),
              lanes(scenario.lanes),
              open(scenario.lanes.size(), 0)
        {
        }

        LaneWire wire;
        std::map<uint32_t, LaneAssembler> inputs;  ///< By source.
        std::vector<std::deque<uint32_t>> waiting; ///< Handles by lane.
        std::vector<FrameArrival> arrivals;        ///< By handle.
        std::vector<ChainLane> lanes;              ///< By number.
        std::vector<uint32_t> open;                ///< Last frame that was begun, by lane.
        TimePs next{NEVER};                        ///< When it has to be looked at, ps.
        bool isTouched{false};                     ///< Whether something has come in now.
    };

    TimePs NextTime() const
    {
        TimePs next = m_entries.empty() ? NEVER : m_entries.top().time;
        for (const Hop& hop : m_hops)
        {
            next = std::min(next, hop.next);
        }
        return next;
    }

    void PushSource(uint32_t handle)
    {
        const ChainFrame& frame = m_scenario.frames[handle];
        Push({frame.time, frame.enter, frame.source, 0, WireEvent::STARTS, frame.lane, 0, handle});
        TimePs start = frame.time;
        uint32_t first = 0;
        for (const SourceStall& stall : frame.stalls)
        {
            const TimePs stop = start + frame.rate.TxTime(stall.byte - first);
            start = stop + stall.time;
            first = stall.byte;
            Push({stop, frame.enter, frame.source, 0, WireEvent::STOPS, frame.lane, first, handle});
            Push({start,
                  frame.enter,
                  frame.source,
                  0,
                  WireEvent::GOES_ON,
                  frame.lane,
                  first,
                  handle});
        }
    }

    void Push(Entry entry)
    {
        entry.order = m_order++;
        m_entries.push(entry);
    }

    /// @return the assembler of a link, made when it is first needed
    LaneAssembler& Input(const Entry& entry)
    {
        const LinkRate rate = entry.source == 0 ? m_scenario.rates[entry.hop - 1]
                                                : m_scenario.frames[entry.handle].rate;
        LaneAssembler::Link link;
        link.rate = rate;
        link.levels = entry.source == 0 ? m_scenario.settings.levels : 1;
        link.flitBytes = m_scenario.settings.flitBytes;
        return m_hops[entry.hop].inputs.try_emplace(entry.source, link).first->second;
    }

    void Handle(const Entry& entry)
    {
        Hop& hop = m_hops[entry.hop];
        const ChainFrame& frame = m_scenario.frames[entry.handle];
        hop.isTouched = true;
        if (entry.source == RANKS)
        {
            const auto rank = static_cast<uint8_t>(entry.byte);
            hop.lanes[entry.lane].rank = rank;
            if ((hop.wire.OpenLanes() >> entry.lane & 1) != 0)
            {
                hop.wire.SetRank(hop.open[entry.lane], rank);
            }
            return;
        }
        if (entry.source != 0 && frame.rate.BitsPerSecond() == 0)
        {
            hop.arrivals[entry.handle] = FrameArrival(frame.bytes);
            hop.waiting[entry.lane].push_back(entry.handle);
            return;
        }
        LaneAssembler& input = Input(entry);
        Take(input, entry.time);
        FrameArrival& arrival = hop.arrivals[entry.handle];
        if (entry.event == WireEvent::STARTS)
        {
            input.Start(entry.time, entry.lane, frame.bytes, entry.handle);
            arrival = input.Arrival(entry.lane);
            if (frame.leave >= entry.hop)
            {
                hop.waiting[entry.lane].push_back(entry.handle);
            }
            return;
        }
        if (entry.event == WireEvent::STOPS)
        {
            const uint32_t handle = input.Stop(entry.time, entry.lane, entry.byte);
            hop.arrivals[handle].Stop(entry.byte);
            hop.wire.UpstreamStops(handle, entry.byte);
            return;
        }
        const uint32_t handle = input.GoOn(entry.time, entry.lane, entry.byte);
        hop.arrivals[handle].GoOn(entry.time);
        hop.wire.UpstreamGoesOn(handle, entry.time);
    }

    /// Takes what has become whole.
    void Take(LaneAssembler& input, TimePs now)
    {
        if (const std::optional<AssembledFrame> whole = input.TakeWhole(now))
        {
            m_pieces += whole->stops;
            m_whole += 1;
            if (whole->bytes != m_scenario.frames[whole->handle].bytes || input.NextTail() != NEVER)
            {
                throw std::logic_error("a frame was assembled wrongly");
            }
        }
    }

    WireFrame Offer(const Hop& hop, uint8_t lane) const
    {
        const uint32_t handle = hop.waiting[lane].front();
        const ChainLane& chain = hop.lanes[lane];
        return {lane,
                {m_scenario.frames[handle].bytes, chain.rank, chain.latencySensitive},
                hop.arrivals[handle],
                handle};
    }

    /// @return lane of the frame to offer, or the number of lanes; sets when another is ready
    std::size_t Best(const Hop& hop, TimePs now, TimePs& ready) const
    {
        std::size_t best = m_scenario.lanes.size();
        for (std::size_t lane = 0; lane < m_scenario.lanes.size(); ++lane)
        {
            if (hop.waiting[lane].empty() || (hop.wire.OpenLanes() >> lane & 1) != 0)
            {
                continue;
            }
            const WireFrame frame = Offer(hop, static_cast<uint8_t>(lane));
            const bool isStopped =
                !frame.arrival.IsFlowing() && frame.arrival.KnownBytes() < frame.arrival.Bytes();
            const TimePs at =
                isStopped && !m_scenario.startsStopped ? NEVER : hop.wire.ReadyAt(frame);
            if (at > now)
            {
                ready = std::min(ready, at);
            }
            else if (best == m_scenario.lanes.size() ||
                     m_scenario.lanes[lane].priority > m_scenario.lanes[best].priority)
            {
                best = lane;
            }
        }
        return best;
    }

    void StepHop(uint32_t position, TimePs now)
    {
        Hop& hop = m_hops[position];
        if (!hop.isTouched && hop.next != now)
        {
            return;
        }
        hop.isTouched = false;
        WireStep step = hop.wire.Settle(now);
        Note(position, step, now);
        do
        {
            TimePs ready = NEVER;
            const std::size_t lane = Best(hop, now, ready);
            const bool isOffered = lane < m_scenario.lanes.size();
            const WireFrame frame =
                isOffered ? Offer(hop, static_cast<uint8_t>(lane)) : WireFrame{};
            step = hop.wire.Step(now, isOffered ? &frame : nullptr);
            Note(position, step, now);
            hop.next = std::min(step.nextTime, ready);
        } while (step.takes.event == WireEvent::STARTS);
    }

    void Note(uint32_t position, const WireStep& step, TimePs now)
    {
        Hop& hop = m_hops[position];
        const WireSegment& segment = step.segment;
        if (step.leaves.event != WireEvent::NONE)
        {
            m_outcome.segments[position].emplace_back(segment.start,
                                                      segment.lane,
                                                      segment.handle,
                                                      segment.first,
                                                      segment.bytes);
        }
        if (step.leaves.event == WireEvent::ENDS)
        {
            m_outcome.tails[position][step.leaves.handle] = now;
        }
        if (step.takes.event == WireEvent::STARTS)
        {
            hop.waiting[step.takes.lane].pop_front();
            hop.open[step.takes.lane] = step.takes.handle;
            m_outcome.heads[position][step.takes.handle] = now;
        }
        for (const WireChange& change : {step.leaves, step.takes})
        {
            const bool travels = change.event != WireEvent::NONE && change.event != WireEvent::ENDS;
            if (travels && position + 1 < m_hops.size())
            {
                Push({now + m_scenario.latencies[position],
                      position + 1,
                      0,
                      0,
                      change.event,
                      change.lane,
                      change.byte,
                      change.handle});
            }
        }
    }

    /// Nothing may be left anywhere.
    void Finish()
    {
        for (Hop& hop : m_hops)
        {
            m_outcome.idle.push_back(hop.wire.Counts().idleWhileWaiting);
            for (auto& [source, input] : hop.inputs)
            {
                Take(input, input.NextTail());
                if (input.OpenLanes() != 0)
                {
                    throw std::logic_error("a frame is still partly in");
                }
            }
            if (hop.wire.OpenFrames() != 0)
            {
                throw std::logic_error("a frame is still partly sent");
            }
        }
    }

    const WireScenario& m_scenario;
    std::vector<Hop> m_hops;
    std::priority_queue<Entry> m_entries;
    uint64_t m_order{0};
    uint64_t m_pieces{0};
    uint64_t m_whole{0};
    WireOutcome m_outcome;
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_WIRE_CHAIN_H
