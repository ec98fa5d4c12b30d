/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-output-lane-path.h"

#include "ns3/boolean.h"

#include <utility>

namespace ns3::fabric
{

OutputLanePath::OutputLanePath(const LaneLinkSettings& link,
                               LaneRecorder& recorder,
                               FabricHelper helper)
    : SwitchLanePath(ForHostsOfOneLane(std::move(helper)), link, recorder)
{
    AssignHosts(link.table, [this](uint32_t host) { return std::make_pair(host, GetLastHost()); });
    GetFabric().GetSwitch(0)->TraceConnectWithoutContext(
        "Grant",
        MakeCallback(&OutputLanePath::Grant, this));
}

FabricHelper
OutputLanePath::ForHostsOfOneLane(FabricHelper helper)
{
    helper.SetDeviceAttribute("ArbitrateLanes", BooleanValue(false));
    return helper;
}

void
OutputLanePath::Settle()
{
    // The switch tells at once.
}

void
OutputLanePath::Grant(uint32_t, const Frame& frame, const fabric::Grant& grant, Time)
{
    Choose(frame.lane, grant.conforming);
}

} // namespace ns3::fabric
