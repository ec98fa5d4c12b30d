/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_CHANGE_H
#define FABRIC_PATH_CHANGE_H

#include "fabric-flow-entry.h"
#include "fabric-input-buffers.h"
#include "fabric-input-queues.h"
#include "fabric-rerouting.h"
#include "fabric-routing-function.h"

#include <vector>

namespace ns3::fabric
{

/// How what waits for one port comes to wait for another, when routing has changed (WL-8). A flow
/// channel with frames under way sends no more until they are acknowledged (FC-11).
class PathChange
{
  public:
    PathChange(const SwitchPorts& ports,
               RoutingFunction& routing,
               CrossbarArbiter& crossbar,
               InputBuffers& buffers,
               InputQueues& queues,
               FlowEntry& entry,
               Rerouting& rerouting)
        : m_ports(ports),
          m_routing(routing),
          m_crossbar(crossbar),
          m_buffers(buffers),
          m_queues(queues),
          m_entry(entry),
          m_rerouting(rerouting)
    {
    }

    /// @return queues with frames that wait, or are under way, for ports that lead nowhere
    std::vector<QueueRef> FindStranded() const;

    /**
     * The frames of a queue go by another port. It asks no output; a flow channel with frames under
     * way has to be told again when there are none.
     *
     * @param ref names the queue
     * @return units of 256 bytes that were dropped since there is no way, and have to be
     * acknowledged as lost; 0 for frames without flow channel
     */
    uint32_t Leave(QueueRef ref, TimePs now);

  private:
    /// @return whether frames of a flow channel, if any wait, do so on its ways
    static bool GoesByWays(const QueuePlace& place);
    /// The same, of a flow channel.
    uint32_t LeaveFlow(QueueRef ref, TimePs now);
    /// The same, of a flow's way: each frame goes by another one.
    uint32_t LeaveWay(QueueRef ref, TimePs now);
    /// The same, of a virtual output queue: each frame goes where it has to.
    void LeaveVirtualOutputQueue(QueueRef ref, TimePs now);
    /// The frames of a flow channel have no way.
    /// @return units that were dropped
    uint32_t DropQueue(QueueRef ref, TimePs now);
    /// Nobody asks for the rest of a frame that waits.
    /// @return whether more of it was to come
    bool ForgetRest(uint32_t port, uint32_t handle);
    /// Frames that are partly in go to another output.
    void RedirectRest(const QueuePlace& place, uint16_t output);

    const SwitchPorts& m_ports;  ///< Of the switch.
    RoutingFunction& m_routing;  ///< Of the switch.
    CrossbarArbiter& m_crossbar; ///< Of the switch.
    InputBuffers& m_buffers;     ///< Of the switch.
    InputQueues& m_queues;       ///< Of the switch.
    FlowEntry& m_entry;          ///< Of the switch.
    Rerouting& m_rerouting;      ///< Of the switch.
};

} // namespace ns3::fabric

#endif // FABRIC_PATH_CHANGE_H
