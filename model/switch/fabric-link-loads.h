/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_LOADS_H
#define FABRIC_LINK_LOADS_H

#include "fabric-next-loads.h"
#include "fabric-output-loads.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-ports.h"
#include "fabric-told-loads.h"

#include <vector>

namespace ns3::fabric
{

/**
 * How many bytes are ahead on links of neighbours, where ways depend on how a frame came (FC-12):
 * in a dragonfly, switches of a group tell each other of their global links, as by piggybacking
 * (Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA
 * 2009).
 *
 * A detour takes one more global link, in another group, of which nothing is known. As much is
 * expected there as on the links of this group on average: with that, traffic that loads all links
 * alike takes few detours, and traffic that crowds one of them many.
 *
 * The number of an output is its port less the first that is told, plus 1. Its load is what waits
 * for it and what credits say is on its link or in the buffer behind, in units of 256 bytes.
 */
class LinkLoads : public ToldLoads, public NextLoads
{
  public:
    static constexpr uint32_t UNIT = 256; ///< Bytes of a load of 1.

    /// @param paths of the switch
    LinkLoads(const SwitchPorts& ports,
              SwitchClock& clock,
              const OutputLoads& loads,
              const PathRule& paths);

    uint32_t End() const override
    {
        return static_cast<uint32_t>(m_values.size());
    }

    bool IsTold(uint32_t port) const override
    {
        return IsIn(m_told.neighbours, port) && m_ports.inputs[port].sender;
    }

    bool DependsOn(uint32_t port) const override
    {
        return IsIn(m_told.outputs, port);
    }

    const std::vector<uint8_t>& Look(TimePs now) override;

    bool IsFor(uint32_t, FlowId) const override
    {
        return true;
    }

    bool Hear(uint32_t port, const Ack& ack) override;
    void Forget(uint32_t port) override;
    void Watch(TimePs now) override;

    uint64_t BytesBehind(LocationId dst, const Way& way) override;

  private:
    static bool IsIn(const PortRange& range, uint32_t port)
    {
        return port >= range.first && port < static_cast<uint32_t>(range.first + range.count);
    }

    /// What was heard is another code now.
    void Change(uint8_t& heard, uint8_t code);

    /// @return what was heard from a neighbour, by number
    uint8_t* HeardFrom(uint32_t port)
    {
        return &m_heard[(port - m_told.neighbours.first) * m_values.size()];
    }

    const SwitchPorts& m_ports;          ///< Of the switch.
    SwitchClock& m_clock;                ///< Of the switch.
    const OutputLoads& m_loads;          ///< Of the switch.
    const PathRule& m_paths;             ///< Of the switch.
    const ToldLinks m_told;              ///< What is told to whom.
    std::vector<uint8_t> m_values;       ///< Own outputs, by number.
    std::vector<uint8_t> m_heard;        ///< By neighbour and number.
    uint64_t m_sum{0};                   ///< Of the loads that were heard.
    std::vector<uint16_t> m_nextOutputs; ///< Of the way that is looked at.
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_LOADS_H
