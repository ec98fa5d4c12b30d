/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_LANES_H
#define FABRIC_OUTPUT_LANES_H

#include "fabric-lane-map.h"
#include "fabric-lane-plans.h"
#include "fabric-lane-sender.h"
#include "fabric-switch-config.h"
#include "fabric-switch-ports.h"

#include <memory>
#include <vector>

namespace ns3::fabric
{

/// The virtual lanes of a switch: the table, what it means for each output, and the memory in which
/// the outputs' lanes stand (VA-12).
class OutputLanes
{
  public:
    /// @param config of the switch; a new table is noted there
    OutputLanes(const SwitchPorts& ports, SwitchConfig& config);

    /**
     * An output begins to arbitrate between lanes, if there is a table.
     *
     * @param port whose transmitter has its rate
     */
    void Connect(uint32_t port);

    /**
     * @return what it is for this switch
     * @throws std::invalid_argument with a sentence if this switch can't have it
     */
    std::shared_ptr<LanePlans> PlansFor(const LaneTable& table) const;

    /// A table counts from now on.
    void Apply(const std::shared_ptr<LanePlans>& plans, TimePs now);

    /// @return what the table is for this switch; null without one
    const std::shared_ptr<LanePlans>& Plans() const
    {
        return m_plans;
    }

    /// @return settings of the arbiter of its output; only if there is a table
    VlArbiterSettings ArbiterSettings(uint32_t port) const;

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     * @return the virtual lane of its frames (VA-1); only if there is a table
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        return m_map->LaneOfFlow(trafficClass, src, dst);
    }

    /**
     * @param vc virtual channel of a flow
     * @param trafficClass of the flow
     * @param src its source
     * @param dst its destination
     * @return list of an output in which it waits: that of its lane, or of its channel
     */
    uint8_t ListOf(uint8_t vc, uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        return m_map ? LaneOfFlow(trafficClass, src, dst) & (DEFAULT_LANES - 1) : vc;
    }

    /// @return whether virtual lanes are arbitrated
    bool Arbitrates() const
    {
        return m_map != nullptr;
    }

  private:
    /// @return memory for all outputs
    std::unique_ptr<LineMemory> MakeMemory(const LanePlan& plan) const;

    const SwitchPorts& m_ports;           ///< Of the switch.
    SwitchConfig& m_config;               ///< Of the switch.
    std::shared_ptr<LanePlans> m_plans;   ///< Of the table; null for none.
    const LaneMap* m_map{nullptr};        ///< Lanes of each class, of the plans.
    std::unique_ptr<LineMemory> m_memory; ///< Where the outputs' lanes stand.
    std::vector<LaneSender> m_senders;    ///< Lanes of outputs, in no order.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_LANES_H
