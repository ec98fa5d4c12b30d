/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_CONTROL_SETTINGS_H
#define FABRIC_LINK_CONTROL_SETTINGS_H

#include "fabric-pause-settings.h"

namespace ns3::fabric
{

/// What keeps other switches from overrunning the input buffers (WL-5).
struct LinkControlSettings
{
    LinkFlowControl flowControl{LINK_CREDITS}; ///< What holds them back.
    PauseThresholds thresholds;                ///< Where they are paused; see LinkThresholds().
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_CONTROL_SETTINGS_H
