/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLIT_ORACLE_H
#define FABRIC_FLIT_ORACLE_H

#include "fabric-lane-chain-plan.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * The same wires in a row, flit by flit: every flit is sent by itself, arrives by itself, and at
 * every flit boundary everything is looked at anew. Slow, and written from the rules alone; it
 * shares no code with LaneWire and LaneChain.
 */
class FlitOracle
{
  public:
    /// What was sent in a run: start in ps, lane, handle, first byte, bytes.
    using Segment = std::tuple<TimePs, uint32_t, uint32_t, uint32_t, uint32_t>;

    /// What came of a plan.
    struct Outcome
    {
        std::vector<std::vector<Segment>> segments; ///< By hop, in the order sent.
        std::vector<std::vector<TimePs>> heads;     ///< By hop and handle: first byte sent, ps.
        std::vector<std::vector<TimePs>> tails;     ///< By hop and handle: last byte sent, ps.
        std::vector<TimePs> idle;                   ///< By hop: idle while a frame waited, ps.
        std::vector<uint64_t> wasted; ///< By hop: whole flits that would fit into each such time.
    };

    /// @param plan to run; must stay
    explicit FlitOracle(const LaneChainPlan& plan)
        : m_plan(plan),
          m_flit(plan.settings.flitBytes),
          m_changes(plan.changes)
    {
        const std::size_t hops = plan.rates.size();
        m_outcome.segments.resize(hops);
        m_outcome.idle.resize(hops);
        m_outcome.wasted.resize(hops);
        m_outcome.heads.resize(hops, std::vector<TimePs>(plan.frames.size(), NEVER));
        m_outcome.tails = m_outcome.heads;
        m_hops.resize(hops);
        for (Hop& hop : m_hops)
        {
            hop.waiting.resize(plan.lanes.size());
            hop.frames.resize(plan.frames.size());
            hop.lanes = plan.lanes;
        }
        for (uint32_t handle = 0; handle < plan.frames.size(); ++handle)
        {
            PushSource(handle);
        }
    }

    /// @return what came of the plan
    Outcome Run()
    {
        TimePs now = NextTime();
        while (now != NEVER)
        {
            while (!m_arrivals.empty() && m_arrivals.top().time == now)
            {
                const Arrival arrival = m_arrivals.top();
                m_arrivals.pop();
                Arrive(arrival);
            }
            ChangeRanks(now);
            for (uint32_t hop = 0; hop < m_hops.size(); ++hop)
            {
                if (m_hops[hop].isTouched || m_hops[hop].next == now)
                {
                    Act(hop, now);
                }
            }
            now = NextTime();
        }
        return std::move(m_outcome);
    }

    /// @return flits that were sent
    uint64_t Flits() const
    {
        return m_flits;
    }

  private:
    using Fixed = __int128; ///< Time in 1/65536 ps.

    /// A flit that comes in.
    struct Arrival
    {
        TimePs time;
        uint32_t hop;
        uint32_t source; ///< 0 for the wire before.
        uint64_t order;
        uint32_t handle;
        uint32_t flit;
        Fixed exact;   ///< Without rounding.
        TimePs ends;   ///< Its last bit, ps.
        Fixed perFlit; ///< Time of a flit on its link.
        bool isFirst;  ///< Begins a run.
        bool isWhole;  ///< All flits of the frame come with it.
        bool isEnd;    ///< It is over: if no other has come, the sender has stopped.

        /// For a queue whose top is the least.
        bool operator<(const Arrival& other) const
        {
            return std::tie(time, hop, source, order) >
                   std::tie(other.time, other.hop, other.source, other.order);
        }
    };

    /// A frame at a hop.
    struct FrameState
    {
        std::vector<Fixed> there;  ///< When each flit came, exactly.
        TimePs ends{0};            ///< Last bit of the last of them, ps.
        Fixed perFlit{0};          ///< On its link.
        uint32_t sent{0};          ///< Flits.
        uint32_t limit{0};         ///< Flits up to which its run goes without asking.
        uint32_t interruptedBy{0}; ///< Bytes.
    };

    /// A port.
    struct Hop
    {
        std::vector<std::deque<uint32_t>> waiting; ///< Handles by lane.
        std::vector<FrameState> frames;            ///< By handle.
        std::vector<ChainLane> lanes;              ///< By number.
        std::vector<uint32_t> open;                ///< Handles, latest on the wire last.
        bool runs{false};                          ///< The last of open is on the wire.
        TimePs runStart{0};                        ///< Of the present run, ps.
        uint32_t runFirst{0};                      ///< Its first flit.
        TimePs flitEnd{0};                         ///< Of the flit on the wire, ps.
        bool kept{false};                          ///< Idle while a frame waits.
        TimePs gap{0};                             ///< Such time without a break, ps.
        TimePs last{0};                            ///< Last look, ps.
        TimePs next{NEVER};                        ///< Next look, ps.
        bool isTouched{false};                     ///< A flit came.
    };

    static constexpr Fixed ONE = 65536;

    static Fixed PerByte(const LinkRate& rate)
    {
        return Fixed{8} * 1'000'000'000'000 * ONE / rate.BitsPerSecond();
    }

    static TimePs Ceil(Fixed time)
    {
        return static_cast<TimePs>((time + (Fixed{1} << 100) + ONE - 1) / ONE -
                                   (Fixed{1} << 100) / ONE);
    }

    uint32_t Bytes(uint32_t handle) const
    {
        return m_plan.frames[handle].bytes;
    }

    uint32_t FlitsOf(uint32_t handle) const
    {
        return (Bytes(handle) + m_flit - 1) / m_flit;
    }

    const ChainLane& LaneOf(const Hop& hop, uint32_t handle) const
    {
        return hop.lanes[m_plan.frames[handle].lane];
    }

    TimePs NextTime() const
    {
        TimePs next = m_arrivals.empty() ? NEVER : m_arrivals.top().time;
        for (const RankChange& change : m_changes)
        {
            next = std::min(next, change.time);
        }
        for (const Hop& hop : m_hops)
        {
            next = std::min(next, hop.next);
        }
        return next;
    }

    void ChangeRanks(TimePs now)
    {
        for (RankChange& change : m_changes)
        {
            if (change.time == now)
            {
                m_hops[change.hop].lanes[change.lane].rank = change.rank;
                m_hops[change.hop].isTouched = true;
                change.time = NEVER;
            }
        }
    }

    void Push(Arrival arrival)
    {
        arrival.order = m_order++;
        m_arrivals.push(arrival);
    }

    /// A flit of a run that began with flit `first` at `start`.
    Arrival FlitOf(const LinkRate& rate,
                   uint32_t handle,
                   TimePs start,
                   uint32_t first,
                   uint32_t flit) const
    {
        const Fixed perByte = PerByte(rate);
        const Fixed exact = start * ONE + (flit - first) * m_flit * perByte;
        const uint32_t end = std::min((flit + 1) * m_flit, Bytes(handle)) - first * m_flit;
        return {Ceil(exact),
                0,
                0,
                0,
                handle,
                flit,
                exact,
                Ceil(start * ONE + end * perByte),
                m_flit * perByte,
                flit == first,
                false,
                false};
    }

    void PushSource(uint32_t handle)
    {
        const ChainFrame& frame = m_plan.frames[handle];
        if (frame.rate.BitsPerSecond() == 0)
        {
            Push({frame.time, frame.enter, frame.source, 0, handle, 0, 0, 0, 0, true, true, false});
            return;
        }
        TimePs start = frame.time;
        uint32_t first = 0;
        auto stall = frame.stalls.begin();
        for (uint32_t flit = 0; flit < FlitsOf(handle); ++flit)
        {
            if (stall != frame.stalls.end() && stall->byte == flit * m_flit)
            {
                start = FlitOf(frame.rate, handle, start, first, flit).time + stall->time;
                first = flit;
                ++stall;
            }
            Arrival arrival = FlitOf(frame.rate, handle, start, first, flit);
            arrival.hop = frame.enter;
            arrival.source = frame.source;
            Push(arrival);
        }
    }

    void Arrive(const Arrival& arrival)
    {
        Hop& hop = m_hops[arrival.hop];
        FrameState& state = hop.frames[arrival.handle];
        hop.isTouched = true;
        if (arrival.isEnd)
        {
            return;
        }
        Arrival end = arrival;
        end.time = arrival.ends;
        end.isEnd = true;
        if (!arrival.isWhole)
        {
            Push(end);
        }
        if (arrival.flit == 0)
        {
            hop.waiting[m_plan.frames[arrival.handle].lane].push_back(arrival.handle);
        }
        else if (arrival.isFirst)
        {
            state.limit = std::min(state.limit, arrival.flit); // it had stopped there
        }
        state.there.resize(arrival.isWhole ? FlitsOf(arrival.handle) : arrival.flit + 1,
                           arrival.exact);
        state.ends = arrival.ends;
        state.perFlit = arrival.perFlit;
    }

    /// @return flits that are there, or will be if all goes on
    uint32_t Known(const Hop& hop, uint32_t handle, TimePs now) const
    {
        const FrameState& state = hop.frames[handle];
        const auto there = static_cast<uint32_t>(state.there.size());
        return now < state.ends ? FlitsOf(handle) : there;
    }

    /// @return when a flit came or will come
    static Fixed There(const FrameState& state, uint32_t flit)
    {
        const auto there = static_cast<uint32_t>(state.there.size());
        return flit < there ? state.there[flit]
                            : state.there.back() + (flit + 1 - there) * state.perFlit;
    }

    /// @return whether a run with flit `first` at `start` finds each flit from its next on there
    bool Flows(uint32_t position,
               uint32_t handle,
               TimePs start,
               uint32_t first,
               uint32_t known) const
    {
        const FrameState& state = m_hops[position].frames[handle];
        const Fixed perFlit = m_flit * PerByte(m_plan.rates[position]);
        for (uint32_t flit = state.sent; flit < known; ++flit)
        {
            if (There(state, flit) > start * ONE + (flit - first) * perFlit)
            {
                return false;
            }
        }
        return state.sent < known;
    }

    /// @return when a frame can be sent without a hole, at the earliest now
    TimePs ReadyAt(uint32_t position, uint32_t handle, TimePs now) const
    {
        const Hop& hop = m_hops[position];
        const FrameState& state = hop.frames[handle];
        const uint32_t known = Known(hop, handle, now);
        if (state.sent >= known)
        {
            return NEVER;
        }
        TimePs ready = now;
        if (now < state.ends)
        {
            const Fixed perFlit = m_flit * PerByte(m_plan.rates[position]);
            for (uint32_t flit = state.sent; flit < known; ++flit)
            {
                ready = std::max(ready, Ceil(There(state, flit) - (flit - state.sent) * perFlit));
            }
        }
        return ready;
    }

    bool IsOpen(const Hop& hop, uint32_t lane) const
    {
        for (const uint32_t handle : hop.open)
        {
            if (m_plan.frames[handle].lane == lane)
            {
                return true;
            }
        }
        return false;
    }

    /// @return handle of the best frame that could be sent now, or -1
    int64_t Best(uint32_t position, TimePs now)
    {
        Hop& hop = m_hops[position];
        int64_t best = -1;
        for (uint32_t lane = 0; lane < m_plan.lanes.size(); ++lane)
        {
            if (hop.waiting[lane].empty() || IsOpen(hop, lane))
            {
                continue;
            }
            const uint32_t handle = hop.waiting[lane].front();
            if (!m_plan.startsStopped && Known(hop, handle, now) < FlitsOf(handle))
            {
                continue;
            }
            const TimePs ready = ReadyAt(position, handle, now);
            if (ready > now)
            {
                hop.next = std::min(hop.next, ready);
            }
            else if (best < 0 || m_plan.lanes[lane].priority > LaneOf(hop, best).priority)
            {
                best = handle;
            }
        }
        return best;
    }

    /// The rules of VA-9 with Omni-Path's limits, once more.
    bool MayPreempt(const Hop& hop, uint32_t urgent, uint32_t victim) const
    {
        const PreemptionSettings& s = m_plan.settings;
        const uint32_t sent = hop.frames[victim].sent * m_flit;
        bool ok = s.preempt && hop.open.size() < s.levels;
        ok = ok && LaneOf(hop, urgent).latencySensitive;
        ok = ok && LaneOf(hop, victim).rank > 0 &&
             LaneOf(hop, urgent).rank > LaneOf(hop, victim).rank;
        ok = ok && Bytes(urgent) <= s.mostUrgentBytes && Bytes(victim) >= s.leastVictimBytes;
        ok = ok && sent >= s.leastSentBytes && sent + s.leastLeftBytes <= Bytes(victim);
        for (const uint32_t open : hop.open)
        {
            ok = ok && hop.frames[open].interruptedBy + Bytes(urgent) <= s.mostBytesPerVictim;
        }
        return ok;
    }

    void Act(uint32_t position, TimePs now)
    {
        Hop& hop = m_hops[position];
        hop.isTouched = false;
        m_outcome.idle[position] += hop.kept ? now - hop.last : 0;
        hop.gap += hop.kept ? now - hop.last : 0;
        hop.kept = false;
        hop.last = now;
        if (hop.runs && now < hop.flitEnd)
        {
            hop.next = hop.flitEnd;
            return;
        }
        hop.next = NEVER;
        if (hop.runs)
        {
            EndFlit(position, now);
        }
        const int64_t best = Best(position, now);
        if (hop.runs)
        {
            const uint32_t active = hop.open.back();
            if (best >= 0 && MayPreempt(hop, best, active))
            {
                EndRun(position);
                Preempt(position, best, now);
            }
        }
        else
        {
            TakeWire(position, best, now);
        }
        if (!hop.kept)
        {
            const Fixed flits = hop.gap * ONE / PerByte(m_plan.rates[position]) / m_flit;
            m_outcome.wasted[position] += static_cast<uint64_t>(flits);
            hop.gap = 0;
        }
        if (hop.runs)
        {
            SendFlit(position);
        }
    }

    /// The flit on the wire has ended; so may the frame, or what is there of it.
    void EndFlit(uint32_t position, TimePs now)
    {
        Hop& hop = m_hops[position];
        const uint32_t handle = hop.open.back();
        FrameState& state = hop.frames[handle];
        ++state.sent;
        if (state.sent == FlitsOf(handle))
        {
            EndRun(position);
            hop.open.pop_back();
            m_outcome.tails[position][handle] = now;
            return;
        }
        const uint32_t known = Known(hop, handle, now);
        state.limit = std::min(state.limit, known);
        if (state.sent < state.limit)
        {
            return;
        }
        if (now < state.ends || known == FlitsOf(handle)
                ? Flows(position, handle, hop.runStart, hop.runFirst, known)
                : state.sent < known)
        {
            state.limit = known;
            return;
        }
        EndRun(position);
    }

    void EndRun(uint32_t position)
    {
        Hop& hop = m_hops[position];
        const uint32_t handle = hop.open.back();
        const uint32_t first = hop.runFirst * m_flit;
        const uint32_t end = std::min(hop.frames[handle].sent * m_flit, Bytes(handle));
        m_outcome.segments[position].emplace_back(hop.runStart,
                                                  m_plan.frames[handle].lane,
                                                  handle,
                                                  first,
                                                  end - first);
        hop.runs = false;
    }

    /// The free wire is given to somebody.
    void TakeWire(uint32_t position, int64_t best, TimePs now)
    {
        Hop& hop = m_hops[position];
        const PreemptionSettings& settings = m_plan.settings;
        for (std::size_t i = hop.open.size(); i-- > 0;)
        {
            const uint32_t handle = hop.open[i];
            const TimePs ready = ReadyAt(position, handle, now);
            if (ready <= now)
            {
                if (best >= 0 && MayPreempt(hop, best, handle))
                {
                    Preempt(position, best, now);
                    return;
                }
                hop.open.erase(hop.open.begin() + i);
                Run(position, handle, now);
                return;
            }
            hop.next = std::min(hop.next, ready);
            if (!settings.interleave)
            {
                break;
            }
        }
        if (best < 0)
        {
            return;
        }
        if (hop.open.empty() || (settings.interleave && hop.open.size() < settings.levels))
        {
            Begin(position, best, now);
        }
        else if (MayPreempt(hop, best, hop.open.back()))
        {
            Preempt(position, best, now);
        }
        else
        {
            hop.kept = true;
        }
    }

    void Preempt(uint32_t position, uint32_t urgent, TimePs now)
    {
        for (const uint32_t open : m_hops[position].open)
        {
            m_hops[position].frames[open].interruptedBy += Bytes(urgent);
        }
        Begin(position, urgent, now);
    }

    void Begin(uint32_t position, uint32_t handle, TimePs now)
    {
        m_hops[position].waiting[m_plan.frames[handle].lane].pop_front();
        m_outcome.heads[position][handle] = now;
        Run(position, handle, now);
    }

    void Run(uint32_t position, uint32_t handle, TimePs now)
    {
        Hop& hop = m_hops[position];
        hop.open.push_back(handle);
        hop.runs = true;
        hop.runStart = now;
        hop.runFirst = hop.frames[handle].sent;
        hop.frames[handle].limit = Known(hop, handle, now);
    }

    void SendFlit(uint32_t position)
    {
        Hop& hop = m_hops[position];
        const uint32_t handle = hop.open.back();
        const uint32_t flit = hop.frames[handle].sent;
        const TimePs latency = m_plan.latencies[position];
        const LinkRate& rate = m_plan.rates[position];
        hop.flitEnd = FlitOf(rate, handle, hop.runStart, hop.runFirst, flit).ends;
        hop.next = hop.flitEnd;
        ++m_flits;
        if (m_plan.frames[handle].leave > position)
        {
            Arrival arrival = FlitOf(rate, handle, hop.runStart + latency, hop.runFirst, flit);
            arrival.hop = position + 1;
            Push(arrival);
        }
    }

    const LaneChainPlan& m_plan;
    uint32_t m_flit;
    std::vector<RankChange> m_changes; ///< Of ranks; NEVER is past.
    std::vector<Hop> m_hops;
    std::priority_queue<Arrival> m_arrivals;
    uint64_t m_order{0};
    uint64_t m_flits{0};
    Outcome m_outcome;
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_FLIT_ORACLE_H
