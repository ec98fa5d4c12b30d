/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-uplink-lane-path.h"

#include "ns3/simulator.h"

#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

UplinkLanePath::UplinkLanePath(const LaneLinkSettings& link,
                               LaneRecorder& recorder,
                               FabricHelper helper)
    : SwitchLanePath(std::move(helper), link, recorder)
{
    AssignHosts(link.table, [this](uint32_t host) { return std::make_pair(GetLastHost(), host); });
    for (const LaneSettings& lane : link.table.lanes)
    {
        m_known[lane.lane] = {0, 0};
    }
}

void
UplinkLanePath::CheckSettings() const
{
    if (!GetFabric().GetDevice(GetLastHost())->GetNic().Lanes())
    {
        throw std::invalid_argument("ns3::FabricNetDevice::ArbitrateLanes is false: allowed is "
                                    "true where lanes of the uplink are looked at");
    }
}

void
UplinkLanePath::Settle()
{
    Nic& nic = GetFabric().GetDevice(GetLastHost())->GetNic();
    nic.RunUntil(Simulator::Now().GetPicoSeconds());
    for (auto& [lane, known] : m_known)
    {
        for (const bool isConforming : {false, true})
        {
            for (; known[isConforming] < nic.Lanes()->Totals(lane)[isConforming].frames;
                 ++known[isConforming])
            {
                Choose(lane, isConforming);
            }
        }
    }
}

} // namespace ns3::fabric
