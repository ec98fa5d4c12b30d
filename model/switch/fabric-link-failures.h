/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_FAILURES_H
#define FABRIC_LINK_FAILURES_H

#include "fabric-flow-repair.h"
#include "fabric-piece-receiver.h"
#include "fabric-planned-changes.h"
#include "fabric-reachability.h"
#include "fabric-tile-sender.h"

#include <functional>
#include <memory>

namespace ns3::fabric
{

/**
 * What a switch does when links fail and are repaired (WL-8); LinkStates has the states.
 *
 * When a link fails, the sender takes its flow channels back: what they had under way counts as
 * lost, the flow_ids of the link are free, and what waits goes by other ports or is dropped. At the
 * receiver the channels end when what has come of them has left; they tell nobody. The room of what
 * is lost on the link is given back to the sender, so that the credits are whole when it comes up.
 */
class LinkFailures
{
  public:
    /**
     * @param links their states
     * @param acks that go upstream
     * @param tiles null if the crossbar is ideal
     */
    LinkFailures(const SwitchPorts& ports,
                 SwitchClock& clock,
                 PlannedChanges& changes,
                 LinkStates& links,
                 RoutingFunction& routing,
                 CrossbarArbiter& crossbar,
                 InputQueues& queues,
                 AckReturn& acks,
                 const PathChange& paths,
                 FlowRepair& repair,
                 LoadTelling& telling,
                 Acknowledgement& acknowledgement,
                 TileSender* tiles,
                 PieceSender& sender,
                 PieceReceiver& receiver,
                 PortContainment& containment)
        : m_ports(ports),
          m_clock(clock),
          m_changes(changes),
          m_links(links),
          m_routing(routing),
          m_crossbar(crossbar),
          m_queues(queues),
          m_acks(acks),
          m_paths(paths),
          m_repair(repair),
          m_telling(telling),
          m_acknowledgement(acknowledgement),
          m_tiles(tiles),
          m_sender(sender),
          m_receiver(receiver),
          m_containment(containment)
    {
    }

    /**
     * @param port with a link, which is up at that time
     * @param known from when on this switch knows of it, ps
     */
    void FailAt(uint32_t port, TimePs at, TimePs known);

    /// @param port whose link is down at that time
    void RepairAt(uint32_t port, TimePs at);

    /**
     * Routing learns which ports lead nowhere.
     *
     * @param ways knows it at that time
     */
    void UpdateWaysAt(TimePs at, std::shared_ptr<Reachability> ways, uint32_t number);

  private:
    /// A change that matters though nothing else happens.
    void Plan(TimePs at,
              PlannedChanges::Kind kind,
              uint32_t port,
              std::function<void(TimePs)> apply);
    /// A link fails.
    void Fail(uint32_t port, TimePs now);
    /// A link is repaired.
    void Repair(uint32_t port, TimePs now);
    /// What was sent before the failure would have come in.
    void EndCut(uint32_t port, TimePs now);
    /// A link may be used again.
    void BringUp(uint32_t port, TimePs now);
    /// The flow channels of an output link are free; what they had under way is lost.
    void Abandon(uint32_t port, TimePs now);
    /// What waits for ports that lead nowhere goes by others, or is dropped.
    void LeaveDeadEnds(TimePs now);

    const SwitchPorts& m_ports;         ///< Of the switch.
    SwitchClock& m_clock;               ///< Of the switch.
    PlannedChanges& m_changes;          ///< Of the switch.
    LinkStates& m_links;                ///< Their states.
    RoutingFunction& m_routing;         ///< Of the switch.
    CrossbarArbiter& m_crossbar;        ///< Of the switch.
    InputQueues& m_queues;              ///< Of the switch.
    AckReturn& m_acks;                  ///< Go upstream.
    const PathChange& m_paths;          ///< That change.
    FlowRepair& m_repair;               ///< Of the switch.
    LoadTelling& m_telling;             ///< Loads of paths.
    Acknowledgement& m_acknowledgement; ///< Of the switch.
    TileSender* m_tiles;                ///< Of granted frames; null if the crossbar is ideal.
    PieceSender& m_sender;              ///< Of frames in pieces.
    PieceReceiver& m_receiver;          ///< Of frames in pieces.
    PortContainment& m_containment;     ///< Of ports with faults.
    uint32_t m_heard{0};                ///< Failures and repairs of the fabric that it knows of.
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_FAILURES_H
