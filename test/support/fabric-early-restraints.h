/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EARLY_RESTRAINTS_H
#define FABRIC_EARLY_RESTRAINTS_H

#include "fabric-helper.h"

#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

namespace ns3::fabric
{

/// Switches restrain flows at their hosts and limit them, even where not much waits.
inline void
UseEarlyRestraints(FabricHelper& helper)
{
    for (const char* tool : {"Fgfc", "EndpointCongestion", "FlowLimits"})
    {
        helper.SetSwitchAttribute(tool, BooleanValue(true));
    }
    helper.SetSwitchAttribute("HighWatermark", UintegerValue(48));
    helper.SetSwitchAttribute("TargetWatermark", UintegerValue(32));
    helper.SetSwitchAttribute("DropWatermark", UintegerValue(8));
    helper.SetSwitchAttribute("FgfcPauseTime", TimeValue(MicroSeconds(5)));
    helper.SetSwitchAttribute("EndpointBytes", UintegerValue(8000));
    helper.SetSwitchAttribute("EndpointTarget", UintegerValue(8000));
}

} // namespace ns3::fabric

#endif // FABRIC_EARLY_RESTRAINTS_H
