/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HOST_CONTROL_SETTINGS_H
#define FABRIC_HOST_CONTROL_SETTINGS_H

#include "fabric-pause-settings.h"

namespace ns3::fabric
{

/// What keeps hosts from overrunning the input buffers (WL-5).
struct HostControlSettings
{
    LinkFlowControl edgeFlowControl{LINK_CREDITS}; ///< What holds hosts back.
    PauseSettings pause;                           ///< Where hosts are paused.
};

} // namespace ns3::fabric

#endif // FABRIC_HOST_CONTROL_SETTINGS_H
