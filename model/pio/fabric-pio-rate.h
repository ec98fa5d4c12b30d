/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_RATE_H
#define FABRIC_PIO_RATE_H

#include "fabric-link-rate.h"
#include "fabric-pcie-settings.h"
#include "fabric-pio-settings.h"

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

    /// @return whether there are too few credits, so that the thread waits for them
    bool IsShort() const
    {
        return packets * bottleneck < roundTrip - look;
    }

    /// @return packets per second
    double PacketsPerSecond() const;

    uint32_t packets;  ///< That go around: those of all groups that fit into the context.
    TimePs roundTrip;  ///< Of a group's credits, with the look of a thread that waits, ps.
    TimePs look;       ///< That look, which nobody needs who never waits, ps.
    TimePs bottleneck; ///< Of a packet in the slowest stage, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_RATE_H
