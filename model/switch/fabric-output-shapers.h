/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_SHAPERS_H
#define FABRIC_OUTPUT_SHAPERS_H

#include "fabric-switch-config.h"
#include "fabric-switch-ports.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// Which outputs of a switch shape their traffic, and in which lists of theirs frames wait (SW-10,
/// SW-12).
class OutputShapers
{
  public:
    /// @param config of the switch
    OutputShapers(const SwitchPorts& ports, const SwitchConfig& config);

    /// An output begins to shape its traffic, if there is a table for its kind.
    void Connect(uint32_t port);

    /**
     * @param vc virtual channel by which a frame leaves
     * @return list of the output in which its queue waits
     */
    uint8_t ListOf(uint32_t output, uint8_t vc, const Frame& frame) const
    {
        const Shaper* shaper = m_ports.outputs[output].lists.GetShaper();
        return (shaper ? shaper->Plan().ListOf(QueueOf(*shaper, frame), vc) : vc) &
               (OutputLists::MOST - 1);
    }

    /**
     * @param vc virtual channel by which a frame leaves
     * @return kind of its virtual output queue: all frames of one have one list and one channel
     */
    uint8_t KindOf(uint32_t output, uint8_t vc, const Frame& frame) const
    {
        const Shaper* shaper = m_ports.outputs[output].lists.GetShaper();
        return static_cast<uint8_t>(shaper ? QueueOf(*shaper, frame) * VIRTUAL_CHANNELS + vc
                                           : uint32_t{vc});
    }

  private:
    /// @return the shaping queue of a frame
    static uint8_t QueueOf(const Shaper& shaper, const Frame& frame)
    {
        return shaper.Plan().QueueOf(frame.trafficClass, frame.vni);
    }

    const SwitchPorts& m_ports;                     ///< Of the switch.
    const SwitchConfig& m_config;                   ///< Of the switch.
    std::shared_ptr<const ShapingPlan> m_links;     ///< Of outputs to switches; null for none.
    std::shared_ptr<const ShapingPlan> m_hosts;     ///< Of outputs to hosts; null for none.
    std::vector<std::unique_ptr<Shaper>> m_shapers; ///< In no order; outputs point to them.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_SHAPERS_H
