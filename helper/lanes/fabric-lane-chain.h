/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_CHAIN_H
#define FABRIC_LANE_CHAIN_H

#include "fabric-lane-assembler.h"
#include "fabric-lane-chain-plan.h"
#include "fabric-lane-wire.h"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>

namespace ns3
{
namespace fabric
{

/**
 * Ports in a row, each a wire with virtual lanes: entries with the time at which they take effect
 * go from the wire of one hop to the assembler of the next, and frames are sent on by cut-through,
 * as switches do it. There are no switches: a port has room for everything, and frames without flow
 * channels wait in a queue for each lane.
 */
class LaneChain
{
  public:
    /**
     * @param plan to run; must stay
     * @throw std::invalid_argument if a setting is out of its range, or there are more lanes than
     * MAX_LANES
     */
    explicit LaneChain(const LaneChainPlan& plan);

    /**
     * Runs until every frame has left.
     *
     * @throw std::logic_error if a frame is left, or a link's order was broken
     */
    void Run();

    /// @return when something happens next, NEVER for nothing, ps
    TimePs NextTime() const;

    /**
     * Handles everything at one hop before `until`. Hops may be advanced in any order, window by
     * window, if a window is no longer than the least latency between hops (DP-2).
     *
     * @param hop position
     * @param until time, ps
     * @throw std::logic_error if a link's order was broken
     */
    void Advance(uint32_t hop, TimePs until);

    /**
     * To be called at the end.
     *
     * @throw std::logic_error if a frame is left anywhere
     */
    void CheckEmpty();

    /**
     * @param hop position
     * @param handle of a frame
     * @return when its first byte was on the wire of that hop, NEVER for not, ps
     */
    TimePs HeadAt(uint32_t hop, uint32_t handle) const
    {
        return m_hops[hop].heads[handle];
    }

    /**
     * @param hop position
     * @param handle of a frame
     * @return when its last byte had left by the wire of that hop, NEVER for not, ps
     */
    TimePs TailAt(uint32_t hop, uint32_t handle) const
    {
        return m_hops[hop].tails[handle];
    }

    /**
     * @param hop position
     * @return what its wire has sent, in its order
     */
    const std::vector<WireSegment>& Segments(uint32_t hop) const
    {
        return m_hops[hop].segments;
    }

    /**
     * @param hop position
     * @return what its wire did
     */
    const WireCounts& Counts(uint32_t hop) const
    {
        return m_hops[hop].wire.Counts();
    }

    /// @return how often frames were interrupted on links between hops, and assembled
    uint64_t Interruptions() const
    {
        return m_interruptions;
    }

  private:
    /// What travels on a link.
    struct Entry
    {
        TimePs time;     ///< Takes effect at the hop, ps.
        uint32_t hop;    ///< Where.
        uint32_t source; ///< 0 for the wire of the hop before, RANKS for a change of rank.
        uint64_t order;  ///< Of entries of one link and instant.
        WireEvent event; ///< What happens.
        uint8_t lane;    ///< Virtual lane.
        uint32_t byte;   ///< Of the frame; of a change: the rank.
        uint32_t handle; ///< Of the frame.

        /// For a queue whose top is the least.
        bool operator<(const Entry& other) const
        {
            return std::tie(time, source, order) > std::tie(other.time, other.source, other.order);
        }
    };

    /// A port: what comes in, what waits, what goes out.
    struct Hop
    {
        /**
         * @param plan of the chain
         * @param hop its position
         */
        Hop(const LaneChainPlan& plan, std::size_t hop);

        /// @return when something happens next, NEVER for nothing, ps
        TimePs NextTime() const
        {
            return entries.empty() ? next : std::min(next, entries.top().time);
        }

        LaneWire wire;                             ///< What goes out.
        std::priority_queue<Entry> entries;        ///< On the links to it.
        std::map<uint32_t, LaneAssembler> inputs;  ///< What comes in, by source.
        std::vector<std::deque<uint32_t>> waiting; ///< Handles by lane.
        std::vector<FrameArrival> arrivals;        ///< By handle.
        std::vector<ChainLane> lanes;              ///< By number.
        std::vector<uint32_t> open;                ///< Last frame that was begun, by lane.
        std::vector<WireSegment> segments;         ///< Sent.
        std::vector<TimePs> heads;                 ///< By handle, ps.
        std::vector<TimePs> tails;                 ///< By handle, ps.
        TimePs next{NEVER};                        ///< When it has to be looked at, ps.
    };

    /// Source of an entry that changes a rank: after all that comes at the same time.
    static constexpr uint32_t RANKS = UINT32_MAX;

    /// Plans what a frame's source sends.
    void PushSource(uint32_t handle);
    /// Plans an entry.
    void Push(Entry entry);
    /// @return the assembler of a link, made when it is first needed
    LaneAssembler& Input(const Entry& entry);
    /// An entry takes effect.
    void Handle(const Entry& entry);
    /// A lane gets another rank.
    static void ChangeRank(Hop& hop, uint8_t lane, uint8_t rank);
    /// A frame's head takes effect.
    void Start(Hop& hop, LaneAssembler& input, const Entry& entry);
    /// Takes the frame that has become whole.
    void TakeWhole(LaneAssembler& input, TimePs now);
    /// @return the first frame of a lane, as the wire needs it
    WireFrame Offer(const Hop& hop, uint8_t lane) const;
    /// @return lane of the frame to offer, or the number of lanes; tells when another is ready
    std::size_t Best(const Hop& hop, TimePs now, TimePs& ready) const;
    /// Lets the wire of a hop do what is due.
    void StepHop(uint32_t position, TimePs now);
    /// Carries out what the wire of a hop has decided.
    void CarryOut(uint32_t position, const WireStep& step, TimePs now);

    const LaneChainPlan& m_plan; ///< What is run.
    std::vector<Hop> m_hops;     ///< By position.
    uint64_t m_order{0};         ///< Entries so far.
    uint64_t m_interruptions{0}; ///< Of frames that were assembled.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_CHAIN_H
