/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_JOURNAL_H
#define FABRIC_WINDOW_JOURNAL_H

#include "fabric-fetch.h"
#include "fabric-frame.h"
#include "fabric-ticker.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace ns3
{

class FabricNetDevice;

namespace fabric
{

/**
 * What the windows of one part want of the rest of the fabric and of ns-3. While windows run beside
 * each other it is written down here, and done when all rest (DP-15).
 *
 * What is done in which order makes no difference but between calls of one device, which are in the
 * order of its link here.
 */
struct alignas(CACHE_LINE) WindowJournal // each part writes its own; they share no cache line
{
    /// A device has to be called.
    struct Call
    {
        TimePs at;               ///< When, ps.
        FabricNetDevice* device; ///< Who.
        Frame frame;             ///< What it receives.
    };

    std::vector<Ticker*> starts;        ///< Whose next windows have to be planned.
    std::vector<Call> calls;            ///< Of devices.
    std::vector<Frame> lostFrames;      ///< Frames that were damaged or have no route.
    std::vector<uint32_t> lostMessages; ///< Handles of messages that are over, but not whole.
    std::chrono::nanoseconds work{0};   ///< Time on the wall that the windows took.

    /// Forgets what is done.
    void Clear()
    {
        starts.clear();
        calls.clear();
        lostFrames.clear();
        lostMessages.clear();
    }
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_WINDOW_JOURNAL_H
