/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_FRAMES_H
#define FABRIC_GROUP_FRAMES_H

#include "fabric-flow-entry.h"
#include "fabric-input-buffers.h"
#include "fabric-reduction-engine.h"
#include "fabric-routing-function.h"
#include "fabric-switch-ports.h"
#include "fabric-tree-port.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * Frames to groups (FC-16): each leaves by all ports of its group's tree but the one by which it
 * came. The copies share its room in the input buffer, each waits in the virtual output queue of
 * its output and takes a credit of its own there; so one that can't go holds up no other, but keeps
 * the room. They have no flow channels, so no limit of a flow counts them.
 */
class GroupFrames
{
  public:
    /// @param reductions takes frames to them; null as long as there are none
    /// @param routing tells virtual channels of classes
    GroupFrames(const SwitchPorts& ports,
                InputBuffers& buffers,
                FlowEntry& entry,
                const std::unique_ptr<ReductionEngine>& reductions,
                const RoutingFunction& routing)
        : m_ports(ports),
          m_buffers(buffers),
          m_entry(entry),
          m_reductions(reductions),
          m_routing(routing)
    {
    }

    /**
     * @param group location of a group
     * @param ports of its tree
     */
    void SetPorts(LocationId group, TreePorts ports);

    /**
     * A frame to a group or a reduction has come, and is held.
     *
     * @param port where it has come in
     * @param frame of kind GROUP
     */
    void Take(uint32_t port, const Frame& frame, TimePs now);

  private:
    /// @return the ports of its tree @param group location of a group
    const TreePorts& PortsOf(LocationId group) const;

    const SwitchPorts& m_ports;                           ///< Of the switch.
    InputBuffers& m_buffers;                              ///< Of the switch.
    FlowEntry& m_entry;                                   ///< Of the switch.
    const std::unique_ptr<ReductionEngine>& m_reductions; ///< Takes frames to reductions.
    const RoutingFunction& m_routing;                     ///< Of the switch.
    std::vector<TreePorts> m_groups; ///< Ports by location, from FIRST_GROUP on.
};

} // namespace ns3::fabric

#endif // FABRIC_GROUP_FRAMES_H
