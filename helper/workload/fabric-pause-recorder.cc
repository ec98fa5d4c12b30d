/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-recorder.h"

#include "fabric-rank-link.h"

#include "ns3/callback.h"

namespace ns3
{

bool
FabricPauseRecorder::HasPauses(const FabricContainer& fabric)
{
    const fabric::SwitchConfig& config = fabric.GetSwitch(0)->GetChip().Config();
    return config.hostControl.edgeFlowControl != fabric::LINK_CREDITS ||
           config.linkControl.flowControl != fabric::LINK_CREDITS;
}

FabricPauseRecorder::FabricPauseRecorder(const FabricContainer& fabric,
                                         const fabric::NodeNumbers& nodes)
    : m_nodes(nodes)
{
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const Ptr<FabricSwitch> fabricSwitch = fabric.GetSwitch(i);
        const fabric::SwitchChip& chip = fabricSwitch->GetChip();
        m_peers.emplace_back(chip.Config().ports);
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            if (const fabric::Nic* nic = chip.Host(port))
            {
                m_peers[i][port] = {nodes.hosts[fabric::HostOf(nic->Location())], false, 0};
            }
        }
        fabricSwitch->TraceConnectWithoutContext(
            "Pause",
            Callback<void, uint32_t, const fabric::PauseOrder&, Time>(
                [this, i](uint32_t port, const fabric::PauseOrder& order, Time /* now */) {
                    Paused(i, port, order);
                }));
        fabricSwitch->TraceConnectWithoutContext(
            "HostPause",
            Callback<void, uint32_t, const fabric::PauseOrder&>(
                [this, i](uint32_t port, const fabric::PauseOrder& order) {
                    HostPaused(i, port, order);
                }));
    }
    for (const fabric::SwitchLink& link : fabric.network->GetSubnetManager().Links())
    {
        for (const auto& [one, other] : {std::pair(link[0], link[1]), std::pair(link[1], link[0])})
        {
            m_peers[one.number][one.port] = {nodes.switches[other.number], true, other.port};
        }
    }
}

void
FabricPauseRecorder::Paused(uint32_t switchIndex, uint32_t port, const fabric::PauseOrder& order)
{
    Add(m_peers[switchIndex][port], order);
}

void
FabricPauseRecorder::HostPaused(uint32_t switchIndex,
                                uint32_t port,
                                const fabric::PauseOrder& order)
{
    Add({m_nodes.switches[switchIndex], true, port}, order);
}

void
FabricPauseRecorder::Add(const Interface& to, const fabric::PauseOrder& order)
{
    if (order.stop != 0)
    {
        m_told.push_back({order.time, to.node, to.isSwitch, to.port, true});
    }
    if (order.go != 0)
    {
        m_told.push_back({order.time, to.node, to.isSwitch, to.port, false});
    }
}

void
FabricPauseRecorder::AddRanks()
{
    m_told = fabric::CollectFromRanks(m_told);
}

void
FabricPauseRecorder::Write(std::ostream& os, fabric::TimePs end) const
{
    fabric::PauseFile file;
    for (const fabric::PauseFile::Row& row : m_told)
    {
        file.Add(row);
    }
    file.Write(os, end);
}

} // namespace ns3
