/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SLOW_PATH_SETTINGS_H
#define FABRIC_SLOW_PATH_SETTINGS_H

#include "fabric-types.h"

namespace ns3::fabric
{

/**
 * Which flows of a host are slow: what they have under way has not been heard of for a time (CM-9).
 *
 * A flow keeps its path while anything of it is under way. Flows on free paths end soon and choose
 * anew, and those on slow ones stay, so that flows gather there. Therefore a slow flow lets its
 * next frame wait, and chooses anew when nothing is under way. That path may be slow, too, but who
 * has a fast one stays no longer than before: as with flowlets (Vanini et al., "Let it flow", NSDI
 * 2017) slow paths lose more flows than they get, though nobody knows which they are.
 */
struct SlowPathSettings
{
    bool isOn{true}; ///< Whether flows leave slow paths.
    TimePs time{0};  ///< Without word for longer a flow is slow, ps; 0 for that by the round trip.
    TimePs roundTrip{3'500'000}; ///< Over the longest way, ps; until it is told, as usual.

    /// @return the time that counts, ps: by a sweep (doc/rerouting.rst) the shortest in which no
    /// flow is slow that nobody disturbs
    TimePs Time() const
    {
        return time != 0 ? time : roundTrip;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_SLOW_PATH_SETTINGS_H
