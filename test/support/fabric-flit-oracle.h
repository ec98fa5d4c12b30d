/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLIT_ORACLE_H
#define FABRIC_FLIT_ORACLE_H

#include "fabric-link-rate.h"
#include "fabric-preemption-rules.h"
#include "fabric-wide-integer.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Bytes of a frame that come in without a gap.
struct FlitRun
{
    TimePs start{0};  ///< The first of them takes effect, ps.
    uint32_t byte{0}; ///< The first of them, at a flit boundary.
};

/// A frame that is sent on by a wire.
struct FlitFrame
{
    uint32_t bytes{0};         ///< On the wire.
    uint8_t lane{0};           ///< Virtual lane.
    LinkRate rate;             ///< Of the link on which it comes; none: all of it is there at once.
    std::vector<FlitRun> runs; ///< In their order; one if it is there at once.
    uint32_t flow{0};          ///< Flows of a lane have turns, frame by frame.
};

/// A virtual lane of a wire.
struct FlitLane
{
    uint8_t rank{0};              ///< Of its frames; the highest goes first.
    bool latencySensitive{false}; ///< Whether its frames may interrupt others.
    uint8_t level{0};             ///< Whose turns count.
};

/// Lanes get other settings, and so do their frames that are partly sent (VA-11).
struct FlitChange
{
    TimePs time{0};              ///< When, ps.
    std::vector<FlitLane> lanes; ///< By number.
    uint32_t open{0};            ///< Frames that are partly sent at a time from then on.
    uint8_t levels{0};           ///< The first so many levels stay, and keep their turns.
};

/// What a link damages, and repeats until it comes through.
struct FlitErrors
{
    std::function<bool()> damages; ///< Asked for each unit and each request; empty: never.
    uint32_t unit{0};              ///< What is damaged and repeated, bytes.
    TimePs confirmed{0};           ///< From the end of a unit to its repeat, ps.
    TimePs timeout{0};             ///< The same if the request is damaged, ps.
};

/// A wire, and what it has to send.
struct FlitPlan
{
    PreemptionSettings settings;     ///< Of the wire.
    LinkRate rate;                   ///< Of the wire.
    std::vector<FlitLane> lanes;     ///< By number.
    std::vector<FlitFrame> frames;   ///< By handle; those of a lane never come at the same time.
    std::vector<FlitChange> changes; ///< In their order.
    FlitErrors errors;               ///< What the link damages.
};

/**
 * The wire of an output, flit by flit: every flit is sent by itself, arrives by itself, and at
 * every flit boundary everything is looked at anew. Slow, and written from the rules alone; it
 * shares no code with LaneWire and what is around it in a switch.
 */
class FlitOracle
{
  public:
    /// What was sent in a run: start in ps, lane, handle, first byte, bytes.
    using Segment = std::tuple<TimePs, uint32_t, uint32_t, uint32_t, uint32_t>;

    /// What came of a plan.
    struct Outcome
    {
        std::vector<Segment> segments; ///< In the order sent.
        TimePs idle{0};                ///< Idle while a frame waited, ps.
        uint64_t wasted{0};            ///< Whole flits that would fit into each such time.
        uint64_t flits{0};             ///< That were sent.
        uint64_t repeats{0};           ///< Of units.
    };

    /// @param plan to run; must stay
    explicit FlitOracle(const FlitPlan& plan)
        : m_plan(plan),
          m_flit(plan.settings.flitBytes),
          m_mostOpen(plan.settings.levels),
          m_lanes(plan.lanes),
          m_waiting(plan.lanes.size()),
          m_frames(plan.frames.size())
    {
        for (uint32_t handle = 0; handle < plan.frames.size(); ++handle)
        {
            PushFrame(handle);
        }
    }

    /// @return what came of the plan
    Outcome Run()
    {
        for (TimePs now = NextTime(); now != NEVER; now = NextTime())
        {
            while (!m_arrivals.empty() && m_arrivals.top().time == now)
            {
                const Arrival arrival = m_arrivals.top();
                m_arrivals.pop();
                Arrive(arrival);
            }
            ChangeLanes(now);
            Act(now);
        }
        return std::move(m_outcome);
    }

  private:
    using Fixed = WideInt; ///< Time in 1/65536 ps.

    /// A flit that comes in.
    struct Arrival
    {
        TimePs time;
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
            return std::tie(time, order) > std::tie(other.time, other.order);
        }
    };

    /// What waits in a lane: handles of frames by flow, the flow whose turn it is first.
    struct Waiting
    {
        void Add(uint32_t flow, uint32_t handle)
        {
            const auto place = std::find_if(flows.begin(), flows.end(), [flow](const auto& other) {
                return other.first == flow;
            });
            if (place != flows.end())
            {
                place->second.push_back(handle);
                return;
            }
            flows.push_back({flow, {handle}});
        }

        void TakeFirst()
        {
            auto first = std::move(flows.front());
            flows.pop_front();
            first.second.pop_front();
            if (!first.second.empty())
            {
                flows.push_back(std::move(first));
            }
        }

        std::deque<std::pair<uint32_t, std::deque<uint32_t>>> flows;
    };

    /// A frame at the wire.
    struct FrameState
    {
        std::vector<Fixed> there;           ///< When each flit came, exactly.
        TimePs ends{0};                     ///< Last bit of the last of them, ps.
        Fixed perFlit{0};                   ///< On its link.
        uint32_t sent{0};                   ///< Flits.
        uint32_t limit{0};                  ///< Flits up to which its run goes without asking.
        uint32_t interruptedBy{0};          ///< Bytes.
        std::map<uint32_t, TimePs> repeats; ///< How long the wire is taken before a flit, ps.
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

    const FlitLane& LaneOf(uint32_t handle) const
    {
        return m_lanes[m_plan.frames[handle].lane];
    }

    TimePs NextTime() const
    {
        const TimePs arrival = m_arrivals.empty() ? NEVER : m_arrivals.top().time;
        const bool changes = m_changed < m_plan.changes.size();
        return std::min({arrival, changes ? m_plan.changes[m_changed].time : NEVER, m_next});
    }

    void ChangeLanes(TimePs now)
    {
        if (m_changed < m_plan.changes.size() && m_plan.changes[m_changed].time == now)
        {
            const FlitChange& change = m_plan.changes[m_changed++];
            m_mostOpen = change.open;
            m_lanes = change.lanes;
            m_turns.erase(m_turns.lower_bound({change.levels, 0}), m_turns.end());
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
                handle,
                flit,
                exact,
                Ceil(start * ONE + end * perByte),
                m_flit * perByte,
                flit == first,
                false,
                false};
    }

    void PushFrame(uint32_t handle)
    {
        const FlitFrame& frame = m_plan.frames[handle];
        if (frame.rate.BitsPerSecond() == 0)
        {
            Push({frame.runs[0].start, 0, handle, 0, 0, 0, 0, true, true, false});
            return;
        }
        for (std::size_t run = 0; run < frame.runs.size(); ++run)
        {
            const bool isLast = run + 1 == frame.runs.size();
            const uint32_t first = frame.runs[run].byte / m_flit;
            const uint32_t end = isLast ? FlitsOf(handle) : frame.runs[run + 1].byte / m_flit;
            for (uint32_t flit = first; flit < end; ++flit)
            {
                Push(FlitOf(frame.rate, handle, frame.runs[run].start, first, flit));
            }
        }
    }

    void Arrive(const Arrival& arrival)
    {
        FrameState& state = m_frames[arrival.handle];
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
            m_waiting[m_plan.frames[arrival.handle].lane].Add(m_plan.frames[arrival.handle].flow,
                                                              arrival.handle);
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
    uint32_t Known(uint32_t handle, TimePs now) const
    {
        const FrameState& state = m_frames[handle];
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
    bool Flows(uint32_t handle, TimePs start, uint32_t first, uint32_t known) const
    {
        const FrameState& state = m_frames[handle];
        const Fixed perFlit = m_flit * PerByte(m_plan.rate);
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
    TimePs ReadyAt(uint32_t handle, TimePs now) const
    {
        const FrameState& state = m_frames[handle];
        const uint32_t known = Known(handle, now);
        if (state.sent >= known)
        {
            return NEVER;
        }
        TimePs ready = now;
        if (now < state.ends)
        {
            const Fixed perFlit = m_flit * PerByte(m_plan.rate);
            for (uint32_t flit = state.sent; flit < known; ++flit)
            {
                ready = std::max(ready, Ceil(There(state, flit) - (flit - state.sent) * perFlit));
            }
        }
        return ready;
    }

    bool IsOpen(uint32_t lane) const
    {
        for (const uint32_t handle : m_open)
        {
            if (m_plan.frames[handle].lane == lane)
            {
                return true;
            }
        }
        return false;
    }

    /**
     * @param urgentOnly whether only those count that may interrupt others: where a frame is sent
     * or could go on nobody else matters
     * @return handle of the best frame that could be sent now, or -1
     */
    int64_t Best(TimePs now, bool urgentOnly)
    {
        int64_t best = -1;
        for (uint32_t lane = 0; lane < m_lanes.size(); ++lane)
        {
            const bool mayInterrupt = m_plan.settings.preempt && m_lanes[lane].latencySensitive;
            if ((urgentOnly && !mayInterrupt) || m_waiting[lane].flows.empty() || IsOpen(lane))
            {
                continue;
            }
            const uint32_t handle = m_waiting[lane].flows.front().second.front();
            if (Known(handle, now) < FlitsOf(handle))
            {
                continue; // it has stopped upstream
            }
            const TimePs ready = ReadyAt(handle, now);
            if (ready > now)
            {
                m_next = std::min(m_next, ready);
            }
            else if (best < 0 || IsBetter(handle, best))
            {
                best = handle;
            }
        }
        return best;
    }

    /// @return whether a frame goes before one of a lower lane: by rank, then by turns of the lanes
    bool IsBetter(uint32_t handle, uint32_t other) const
    {
        const uint8_t rank = LaneOf(handle).rank;
        const uint8_t otherRank = LaneOf(other).rank;
        return rank > otherRank || (rank == otherRank && TurnOf(handle) < TurnOf(other));
    }

    /// @return when a frame's lane was served last at its level, counted in frames; 0 for never
    uint64_t TurnOf(uint32_t handle) const
    {
        const auto turn = m_turns.find({LaneOf(handle).level, m_plan.frames[handle].lane});
        return turn == m_turns.end() ? 0 : turn->second;
    }

    /// The rules of VA-9 with Omni-Path's limits, once more.
    bool MayPreempt(uint32_t urgent, uint32_t victim) const
    {
        const PreemptionSettings& s = m_plan.settings;
        const uint32_t sent = m_frames[victim].sent * m_flit;
        bool ok = s.preempt && m_open.size() < m_mostOpen;
        ok = ok && LaneOf(urgent).latencySensitive;
        ok = ok && LaneOf(victim).rank > 0 && LaneOf(urgent).rank > LaneOf(victim).rank;
        ok = ok && Bytes(urgent) <= s.mostUrgentBytes && Bytes(victim) >= s.leastVictimBytes;
        ok = ok && sent >= s.leastSentBytes && sent + s.leastLeftBytes <= Bytes(victim);
        for (const uint32_t open : m_open)
        {
            ok = ok && m_frames[open].interruptedBy + Bytes(urgent) <= s.mostBytesPerVictim;
        }
        return ok;
    }

    void Act(TimePs now)
    {
        m_outcome.idle += m_isKept ? now - m_last : 0;
        m_gap += m_isKept ? now - m_last : 0;
        m_isKept = false;
        m_last = now;
        if (now < m_repeatsUntil)
        {
            m_next = m_repeatsUntil;
            return;
        }
        if (m_runs && now < m_flitEnd)
        {
            m_next = m_flitEnd;
            return;
        }
        m_next = NEVER;
        if (m_runs)
        {
            EndFlit(now);
        }
        if (m_runs)
        {
            const int64_t urgent = Best(now, true);
            if (urgent >= 0 && MayPreempt(urgent, m_open.back()))
            {
                EndRun();
                Preempt(urgent, now);
            }
        }
        else
        {
            TakeWire(now);
        }
        if (!m_isKept)
        {
            const Fixed flits = m_gap * ONE / PerByte(m_plan.rate) / m_flit;
            m_outcome.wasted += static_cast<uint64_t>(flits);
            m_gap = 0;
        }
        if (m_runs)
        {
            SendFlit();
        }
        else if (now < m_repeatsUntil)
        {
            m_isKept = false;
            m_next = m_repeatsUntil;
        }
    }

    /// The flit on the wire has ended; so may the frame, or what is there of it.
    void EndFlit(TimePs now)
    {
        const uint32_t handle = m_open.back();
        FrameState& state = m_frames[handle];
        ++state.sent;
        if (state.sent == FlitsOf(handle))
        {
            EndRun();
            m_open.pop_back();
            return;
        }
        const uint32_t known = Known(handle, now);
        if (state.sent < known && state.repeats.count(state.sent) != 0)
        {
            EndRun();
            return;
        }
        state.limit = std::min(state.limit, known);
        if (state.sent < state.limit)
        {
            return;
        }
        if (now < state.ends || known == FlitsOf(handle)
                ? Flows(handle, m_runStart, m_runFirst, known)
                : state.sent < known)
        {
            state.limit = known;
            return;
        }
        EndRun();
    }

    void EndRun()
    {
        const uint32_t handle = m_open.back();
        const uint32_t first = m_runFirst * m_flit;
        const uint32_t end = std::min(m_frames[handle].sent * m_flit, Bytes(handle));
        m_outcome.segments.emplace_back(m_runStart,
                                        m_plan.frames[handle].lane,
                                        handle,
                                        first,
                                        end - first);
        m_runs = false;
    }

    /// The free wire is given to somebody.
    void TakeWire(TimePs now)
    {
        const PreemptionSettings& settings = m_plan.settings;
        const int64_t urgent = Best(now, true);
        for (std::size_t i = m_open.size(); i-- > 0;)
        {
            const uint32_t handle = m_open[i];
            const TimePs ready = ReadyAt(handle, now);
            if (ready <= now)
            {
                if (urgent >= 0 && MayPreempt(urgent, handle))
                {
                    Preempt(urgent, now);
                    return;
                }
                m_open.erase(m_open.begin() + i);
                Run(handle, now);
                return;
            }
            m_next = std::min(m_next, ready);
            if (!settings.interleave)
            {
                break;
            }
        }
        const int64_t best = Best(now, false);
        if (best < 0)
        {
            return;
        }
        if (m_open.empty() || (settings.interleave && m_open.size() < m_mostOpen))
        {
            Begin(best, now);
        }
        else if (urgent >= 0 && MayPreempt(urgent, m_open.back()))
        {
            Preempt(urgent, now);
        }
        else
        {
            m_isKept = true;
        }
    }

    void Preempt(uint32_t urgent, TimePs now)
    {
        const std::vector<uint32_t> open = m_open;
        Begin(urgent, now);
        for (const uint32_t handle : open)
        {
            m_frames[handle].interruptedBy += m_runs ? Bytes(urgent) : 0;
        }
    }

    /// @return how long the wire is taken by a unit that is damaged, until it is sent again, ps
    TimePs RepeatTime(uint32_t bytes)
    {
        ++m_outcome.repeats;
        const FlitErrors& errors = m_plan.errors;
        return Ceil(bytes * PerByte(m_plan.rate)) +
               (errors.damages() ? errors.timeout : errors.confirmed);
    }

    /// @return whether the first unit of a frame comes through; if so, finds out about the others
    bool ComesThrough(uint32_t handle, TimePs now)
    {
        const FlitErrors& errors = m_plan.errors;
        if (!errors.damages)
        {
            return true;
        }
        for (uint32_t byte = 0; byte < Bytes(handle); byte += errors.unit)
        {
            const uint32_t bytes = std::min(errors.unit, Bytes(handle) - byte);
            while (errors.damages())
            {
                const TimePs taken = RepeatTime(bytes);
                if (byte == 0)
                {
                    m_repeatsUntil = now + taken;
                    return false;
                }
                m_frames[handle].repeats[byte / m_flit] += taken;
            }
        }
        return true;
    }

    void Begin(uint32_t handle, TimePs now)
    {
        if (!ComesThrough(handle, now))
        {
            return;
        }
        m_waiting[m_plan.frames[handle].lane].TakeFirst();
        m_turns[{LaneOf(handle).level, m_plan.frames[handle].lane}] = ++m_turn;
        Run(handle, now);
    }

    void Run(uint32_t handle, TimePs now)
    {
        m_open.push_back(handle);
        FrameState& state = m_frames[handle];
        const auto repeat = state.repeats.find(state.sent);
        if (repeat != state.repeats.end())
        {
            m_repeatsUntil = now + repeat->second;
            state.repeats.erase(repeat);
            return;
        }
        m_runs = true;
        m_runStart = now;
        m_runFirst = m_frames[handle].sent;
        m_frames[handle].limit = Known(handle, now);
    }

    void SendFlit()
    {
        const uint32_t handle = m_open.back();
        const uint32_t flit = m_frames[handle].sent;
        m_flitEnd = FlitOf(m_plan.rate, handle, m_runStart, m_runFirst, flit).ends;
        m_next = m_flitEnd;
        ++m_outcome.flits;
    }

    const FlitPlan& m_plan;
    uint32_t m_flit;
    uint32_t m_mostOpen;                     ///< Frames that may be partly sent, now.
    std::vector<FlitLane> m_lanes;           ///< As they are now.
    std::size_t m_changed{0};                ///< Changes so far.
    std::vector<Waiting> m_waiting;          ///< By lane.
    std::vector<FrameState> m_frames;        ///< By handle.
    std::vector<uint32_t> m_open;            ///< Handles, latest on the wire last.
    bool m_runs{false};                      ///< The last of m_open is on the wire.
    TimePs m_runStart{0};                    ///< Of the present run, ps.
    uint32_t m_runFirst{0};                  ///< Its first flit.
    TimePs m_flitEnd{0};                     ///< Of the flit on the wire, ps.
    TimePs m_repeatsUntil{0};                ///< The link repeats something, ps.
    bool m_isKept{false};                    ///< Idle while a frame waits.
    TimePs m_gap{0};                         ///< Such time without a break, ps.
    TimePs m_last{0};                        ///< Last look, ps.
    TimePs m_next{NEVER};                    ///< Next look, ps.
    std::priority_queue<Arrival> m_arrivals; ///< Flits that come.
    uint64_t m_order{0};                     ///< Of arrivals so far.
    /// When a lane was served last at a level, counted in frames.
    std::map<std::pair<uint8_t, uint8_t>, uint64_t> m_turns;
    uint64_t m_turn{0}; ///< Frames so far.
    Outcome m_outcome;
};

} // namespace ns3::fabric

#endif // FABRIC_FLIT_ORACLE_H
