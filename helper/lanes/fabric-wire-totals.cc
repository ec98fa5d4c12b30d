/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-wire-totals.h"

#include "fabric-port-wire.h"
#include "fabric-switch-chip.h"

namespace ns3::fabric
{

void
WireTotals::Add(const WireCounts& counts)
{
    m_sums.frames += counts.frames;
    m_sums.segments += counts.segments;
    m_sums.bytes += counts.bytes;
    m_sums.preemptions += counts.preemptions;
    m_sums.fills += counts.fills;
    m_sums.gaps += counts.gaps;
    m_sums.idleWhileWaiting += counts.idleWhileWaiting;
    m_sums.wastedFlits += counts.wastedFlits;
}

void
WireTotals::Add(const FabricContainer& fabric)
{
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            if (const PortWire* wire = chip.Wire(port))
            {
                Add(wire->wire.Counts());
            }
        }
    }
    for (uint32_t i = 0; i < fabric.hosts.GetN(); ++i)
    {
        if (const UplinkWire* wire = fabric.GetDevice(i)->GetNic().Wire())
        {
            Add(wire->wire.Counts());
        }
    }
}

const WireCounts&
WireTotals::Get() const
{
    return m_sums;
}

void
WireTotals::AddFigures(Summary& summary) const
{
    summary.AddTime("link_idle_while_waiting", {}, m_sums.idleWhileWaiting);
    summary.Add("wasted_flits", {}, m_sums.wastedFlits, "1");
    summary.Add("preemptions", {}, m_sums.preemptions, "1");
    summary.Add("gaps", {}, m_sums.gaps, "1");
    summary.Add("fills", {}, m_sums.fills, "1");
}

} // namespace ns3::fabric
