/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_TIMING_H
#define FABRIC_SWITCH_TIMING_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// When a switch may begin to send a frame on (WL-4).
enum Forwarding
{
    CUT_THROUGH,       ///< When its head is in, if the link it comes by is not the slower one.
    STORE_AND_FORWARD, ///< When its tail is in.
};

/// How long a switch takes.
struct SwitchTiming
{
    /// From the head's arrival to its earliest start at an idle output, ps. 350 ns is the median of
    /// a Rosetta switch (De Sensi et al., SC'20).
    TimePs latency{350'000};
    /// From the arrival of an ACK to its effect, and from the departure of a frame to its credit,
    /// ps. Not published for any switch; chosen.
    TimePs controlLatency{50'000};
    Forwarding forwarding{CUT_THROUGH}; ///< When a frame may be sent on.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_TIMING_H
