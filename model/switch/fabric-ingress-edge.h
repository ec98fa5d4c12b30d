/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INGRESS_EDGE_H
#define FABRIC_INGRESS_EDGE_H

#include "fabric-flow-entry.h"
#include "fabric-host-control.h"
#include "fabric-input-buffers.h"
#include "fabric-switch-observer.h"

#include <optional>

namespace ns3::fabric
{

/// How frames of hosts enter the fabric: each flow gets a flow channel (FC-2), or its frames wait
/// for one (FC-9). A class whose settings are to change is dropped meanwhile (IF-9).
class IngressEdge
{
  public:
    /// @param discards bit mask of classes that are dropped @param observer sees what happens;
    /// null for nobody
    IngressEdge(const SwitchPorts& ports,
                const RoutingFunction& routing,
                HostControl& hosts,
                InputBuffers& buffers,
                FlowEntry& entry,
                const FlowChannelSettings& settings,
                const SlowPathSettings& slowPaths,
                const uint16_t& discards,
                SwitchObserver* const& observer)
        : m_ports(ports),
          m_routing(routing),
          m_hosts(hosts),
          m_buffers(buffers),
          m_entry(entry),
          m_settings(settings),
          m_slowPaths(slowPaths),
          m_discards(discards),
          m_observer(observer)
    {
    }

    /**
     * A frame of a host has arrived: it joins its queue, waits for a flow channel, or is dropped
     * for want of a way.
     *
     * @param port where it has come in
     * @param frame that has come
     * @return its output; Hop::NO_OUTPUT if it waits or was dropped
     */
    uint16_t Admit(uint32_t port, const Frame& frame, TimePs now);

    /**
     * The rest of a frame that waits for a flow channel never comes (WL-8).
     *
     * @param port where it was to come in
     * @param lane by which it came
     */
    void DropBroken(uint32_t port, uint8_t lane, TimePs now);

    /**
     * Frames of a flow of a host have left the fabric or were lost.
     *
     * @param units of 256 bytes
     * @param lost whether they were lost
     */
    void Acknowledge(uint32_t port, FlowId flow, uint32_t units, bool lost, TimePs now)
    {
        m_buffers.CountReportedLoss(lost ? units : 0);
        if (EndUnits(port, flow, units, now))
        {
            AdmitWaiting(port, now);
        }
    }

    /// @return how often slow flows were to leave their paths
    uint64_t SlowPathsLeft() const
    {
        return m_slowPathsLeft;
    }

  private:
    /// @return whether hosts are to send no frames of its class
    bool IsDiscarded(const Frame& frame) const
    {
        return (m_discards >> frame.trafficClass & 1) != 0;
    }

    /// @return whether a frame of a host may enter
    bool MayEnter(const Frame& frame) const
    {
        return !IsDiscarded(frame) && m_routing.IsReachable(frame.dst);
    }

    /// A frame of a host that may not enter is dropped.
    void Refuse(uint32_t port, const Frame& frame, TimePs now);
    /// Frames that waited for a flow channel go on, as far as there are any.
    void AdmitWaiting(uint32_t port, TimePs now);
    /// @return the output of a frame that need not wait for a flow channel; Hop::NO_OUTPUT if it
    /// was dropped
    std::optional<uint16_t> TryAdmit(uint32_t port, Frame frame, TimePs now);

    /// @return whether nothing has been heard of a flow for too long
    bool IsSlow(const EdgeFlowTable& table, FlowId flow, TimePs now) const
    {
        return m_slowPaths.isOn && now - table.HeardAt(flow) > m_slowPaths.Time();
    }

    /// A frame of a slow flow is about to join: the flow leaves its path if there is another, and
    /// nothing else tells why it is slow.
    void LeavePath(uint32_t port, const Frame& frame);

    /// @return whether a frame has another way than one, as far as this switch knows
    bool HasOtherWay(uint32_t port, const Frame& frame) const;

    /// Units of a flow are in the fabric no longer.
    /// @return whether its channel was freed
    bool EndUnits(uint32_t port, FlowId flow, uint32_t units, TimePs now)
    {
        EdgeFlowTable& table = m_ports.inputs[port].edge->table;
        table.Hear(flow, now);
        const bool isFree = table.Acknowledge(flow, units);
        if (isFree)
        {
            if (m_observer)
            {
                m_observer->Ended(port, flow, now);
            }
            m_entry.End({static_cast<uint16_t>(port), flow}, now);
        }
        return isFree;
    }

    const SwitchPorts& m_ports;            ///< Of the switch.
    const RoutingFunction& m_routing;      ///< Of the switch.
    HostControl& m_hosts;                  ///< Told of what waits.
    InputBuffers& m_buffers;               ///< Of the switch.
    FlowEntry& m_entry;                    ///< Of the switch.
    const FlowChannelSettings& m_settings; ///< Of flow channels.
    const SlowPathSettings& m_slowPaths;   ///< Which flows leave slow paths.
    const uint16_t& m_discards;            ///< Classes that are dropped.
    SwitchObserver* const& m_observer;     ///< Sees what happens; null for nobody.
    uint64_t m_slowPathsLeft{0};           ///< See SlowPathsLeft().
};

} // namespace ns3::fabric

#endif // FABRIC_INGRESS_EDGE_H
