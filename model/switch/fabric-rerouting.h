/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REROUTING_H
#define FABRIC_REROUTING_H

#include "fabric-ack-return.h"
#include "fabric-crossbar-arbiter.h"
#include "fabric-link-overload.h"
#include "fabric-load-telling.h"
#include "fabric-output-loads.h"
#include "fabric-routing-function.h"

#include <limits>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/**
 * Which flows leave overloaded links, and where they go (CM-9).
 *
 * An overloaded link gives up one flow at a time. If the switch has another output for it, with so
 * few flows for its rate that the flow is better off there, it leaves here. Else a REROUTE ACK
 tells
 * the switch before, and how many switches with a choice it has still to reach, the last of which
 is
 * to choose:
 *
 * @verbatim
   up, with a choice     down, without
   edge <- aggregation <- core <- aggregation -> overloaded link to an edge switch
        1              2       2              1
   @endverbatim
 *
 * A switch without a choice adds one, and one with a choice that passes it on takes one off. So in
 * a tree it is chosen where the path up decides about the overloaded link of the path down; any
 * choice above would lead to that link again.
 *
 * Flows that share a link may have no free way but by a chain of moves, as in rearranging a Clos
 * network. A flow that is told to leave goes by the output where its whole way is free further on,
 * though another flow has that link here: the link is overloaded then, and the other one leaves it
 * for the output that is free here. Where that one ends up it may push away another one, and so on.
 * A chain comes to an end if it never turns back. So it is the flow that is longest at a link which
 * has to leave, and not the one that has come just now; and a flow that was moved to a link stays
 * there for a time, so that the other one leaves it.
 *
 * What is decided here is done by Acknowledgement and PathChange: the flow is held until all that
 * is under way is acknowledged.
 */
class Rerouting
{
  public:
    /// @param acks take REROUTE upstream @param loads what waits for each output
    /// @param seed of the times after which upstream is told, and of who waits; not 0
    Rerouting(const SwitchPorts& ports,
              AckReturn& acks,
              const OutputLoads& loads,
              RoutingFunction& routing,
              const LoadTelling& paths,
              const RerouteSettings& settings,
              uint32_t seed)
        : m_ports(ports),
          m_acks(acks),
          m_loads(loads),
          m_routing(routing),
          m_paths(paths),
          m_settings(settings),
          m_seed(seed),
          m_random(seed)
    {
    }

    /// @param port whose output leads to another switch
    void Watch(uint32_t port, LinkRate rate);

    /**
     * Looks for overload.
     *
     * @param port of an output that is watched, whose wire is free
     * @return a flow that is to leave its path here; NO_QUEUE for none
     */
    QueueRef Look(uint32_t port, TimePs now);

    /**
     * A REROUTE ACK has come.
     *
     * @param ref its flow channel
     * @param word switches with a choice that it has still to reach, and ONLY_IF_BETTER
     * @return whether the flow is to leave its path here
     */
    bool Take(QueueRef ref, uint8_t word, TimePs now);

    /**
     * @param place of a flow that leaves its path, with nothing under way
     * @param frame its first
     * @return where it goes: by the least loaded of the other outputs, if there are any
     */
    Hop Choose(const QueuePlace& place, const Frame& frame, TimePs now);

    /// @return how often a flow was to leave its path here
    uint64_t Moves() const
    {
        return m_moves;
    }

  private:
    /// Load of an output: flows that share its link with a new one, by rate, how busy it was, what
    /// waits (RoutingFunction::WaitBy()). A flow that is held back further on leaves a link idle,
    /// where there is room.
    using Load = std::tuple<double, uint32_t, double>;

    /// What a flow would have by another output.
    struct Elsewhere
    {
        double cost;    ///< CostBy(), without the flow that has to leave it then.
        uint16_t port;  ///< The output.
        bool exchanges; ///< Whether another flow has to leave it then.
    };

    /// An output that is watched.
    struct Watched
    {
        LinkOverload overload;   ///< Its overload.
        QueueRef told{NO_QUEUE}; ///< The flow of which upstream was told last.
        LocationId toldSrc{0};   ///< Its source: another flow may have its channel.
        LocationId toldDst{0};   ///< Its destination.
    };

    /// Flows of an overloaded output; NO_QUEUE for none.
    struct Candidates
    {
        QueueRef leaves{NO_QUEUE}; ///< One that is better off by another output.
        double more{0};            ///< Its cost there less that here.
        QueueRef told{NO_QUEUE};   ///< One of which the switch before may be told.
        uint32_t since{0};         ///< Steps since that one came here.
    };

    /// @return the first of each kind among those that wait for an output
    Candidates FindCandidates(uint32_t port, TimePs now) const;
    /// A flow would be better off by another output: notes it, if it is the best so far.
    void Consider(const QueuePlace& place, const Elsewhere& other, Candidates& found) const;
    /// @return whether a flow that is asked to leave should go by another output, as far as is
    /// known of both ways
    /// @param onlyIfBetter whether it has to be better off, not only as well as now
    bool IsWorthwhile(const QueuePlace& place, const Elsewhere& other, bool onlyIfBetter) const;
    /// Two chains may go round the same ring of links, each after the other, for ever. So a flow
    /// that was moved here sometimes waits with an exchange in one direction, and one chain gets
    /// slower than the other.
    /// @return whether a flow that should go by another output stays until it is asked again
    bool Waits(const FlowRecord& record, const Elsewhere& other);
    /// The switch before is told that a flow should go another way, since a link is overloaded.
    void TellOfOverload(QueueRef ref, TimePs now);
    /// The switch before is told. @param word what a REROUTE ACK says
    void TellUpstream(QueueRef ref, uint8_t word, TimePs now);

    Load LoadOf(const Elsewhere& other, const Frame& frame, TimePs now) const;
    /// @return flows with frames under way by an output that is not about to leave it
    uint32_t FlowsOn(uint32_t port) const;
    /// @return SharedBy() of one flow
    double Alone(uint32_t port) const;
    /// @param more flows than there are @return flows of an output by its rate, see LoadScale
    double SharedBy(uint32_t port, uint32_t more) const;
    /// @return flows that share the links from here to the flow's destination, summed over them;
    /// those of the first one only if neighbours tell no loads
    double CostHere(const QueuePlace& place) const;
    /// @return the same by another output, if the flow goes there
    double CostBy(uint32_t port, LocationId dst) const;
    /// @param here SharedBy() of the flow's present output, with it
    /// @return what it would have by another one
    Elsewhere ElsewhereBy(uint16_t port, LocationId dst, double here) const;
    /// @param below what SharedBy() is to be less than there, with one more
    /// @return the other output where it is least, of those that a flow may take
    std::optional<Elsewhere> BestElsewhere(const QueuePlace& place, double below = ANY) const;
    /// @return the same, of those that fewer flows share with this one than its present output
    std::optional<Elsewhere> BestFreer(const QueuePlace& place) const;
    /// A flow might be told to leave: notes it, if it is the longest here so far.
    void ConsiderTelling(const QueuePlace& place, TimePs now, Candidates& found) const;
    /// @return whether the flow of which upstream was told last has left an output
    bool HasLeft(const Watched& watched, uint32_t port) const;
    /// @return whether a flow may be asked to leave an output
    bool MayLeave(const QueuePlace& place, TimePs now) const;
    /// @return steps since a flow came to its output
    uint32_t StepsHere(const FlowRecord& record, TimePs now) const;

    /// @return whether a flow was moved to its output not long ago
    bool IsSettling(const FlowRecord& record, TimePs now) const
    {
        return record.Is(FlowRecord::MOVED_HERE) &&
               StepsHere(record, now) < RerouteSettings::STEPS_PER_HOLD;
    }

    /// A flow is to leave its path here.
    void BeginMove(FlowRecord& record, TimePs now);
    /// @return a frame of a flow, as far as routing looks at it
    static Frame FrameOf(const FlowRecord& record);

    static constexpr double ANY = std::numeric_limits<double>::infinity(); ///< However many.
    /// What a REROUTE ACK says besides: the overloaded link has a switch before it that could have
    /// chosen otherwise, and knows nothing better. One further back moves the flow if it does.
    static constexpr uint8_t ONLY_IF_BETTER = 0x80;
    /// Most choices that a REROUTE ACK says.
    static constexpr uint8_t MOST_CHOICES = 0x7F;
    /// Flows by which a way has to be better then. Chosen by a sweep: a move further back undoes
    /// what was found there, and is for links that are slow.
    static constexpr double BETTER_BY = 3;

    const SwitchPorts& m_ports;                    ///< Of the switch.
    AckReturn& m_acks;                             ///< Take REROUTE upstream.
    const OutputLoads& m_loads;                    ///< What waits for each output.
    RoutingFunction& m_routing;                    ///< Of the switch.
    const LoadTelling& m_paths;                    ///< Loads further on.
    const RerouteSettings& m_settings;             ///< Thresholds.
    uint32_t m_seed;                               ///< See the constructor.
    std::minstd_rand m_random;                     ///< Draws who waits.
    std::vector<std::optional<Watched>> m_outputs; ///< By port; empty if none is watched.
    uint64_t m_moves{0};                           ///< See Moves().
};

} // namespace ns3::fabric

#endif // FABRIC_REROUTING_H
