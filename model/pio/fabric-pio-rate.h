/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_RATE_H
#define FABRIC_PIO_RATE_H

#include "fabric-link-rate.h"
#include "fabric-pcie-settings.h"
#include "fabric-pio-settings.h"

#include <algorithm>

namespace ns3::fabric
{

/**
 * The closed form of PC-11: one thread that polls sends packets of one size without a pause through
 * a context. Short of credits, all packets that fit into the context go around once in a round
 * trip; with enough of them the slowest of core, PCIe and wire counts.
 *
 * A threshold makes groups of packets whose credits come back together. Only whole groups go
 * around, and a group has the round trip of its last packet, which is written after those of the
 * group that have had no room before:
 *
 *     context of 16 packets, groups of 6    [ g g g g g g | g g g g g g | r r r r ]
 *     12 of them go around in               round trip + (6 - 1 - 4) packets
 *
 * A thread that waits has a look at the word in memory in its round trip, and one that never does
 * has not. Where the core is the slowest, it never waits as soon as packets go around without a
 * look. Where PCIe or the wire is, it always waits in the end, but they have enough to do as long
 * as packets go around with it.
 */
struct PioRate
{
    /**
     * @param wire of the NIC's uplink
     * @param payload of each packet, bytes
     */
    PioRate(const PioSettings& settings,
            const PcieSettings& pcie,
            const LinkRate& wire,
            uint32_t payload);

    /// @return whether credits of packets of such a size come back as this form says
    static bool Holds(const PioSettings& settings, uint32_t payload);

    /// @return time of a packet in the slowest stage, ps
    TimePs Bottleneck() const
    {
        return std::max(core, frame);
    }

    /// @return whether there are too few credits, so that the slowest stage waits for them
    bool IsShort() const
    {
        return packets * Bottleneck() < (frame > core ? roundTrip : std::min(roundTrip, unbroken));
    }

    /// @return whether PacketsPerSecond() is right. Where the wire is slower than the core by
    /// little, a thread may wait now and then, but not in each round trip: then it is not.
    bool IsSure() const
    {
        return !IsShort() || packets * core < unbroken;
    }

    /// @return packets per second
    double PacketsPerSecond() const;

    uint32_t packets; ///< That go around: those of all groups that fit into the context.
    TimePs roundTrip; ///< Of a group's credits, with the look of a thread that waits, ps.
    TimePs unbroken;  ///< The same of a thread that never waits, ps.
    TimePs core;      ///< Of a packet, in which its core stores it and PCIe takes it, ps.
    TimePs frame;     ///< Of a packet on the wire, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_RATE_H
