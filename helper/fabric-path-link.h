/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_LINK_H
#define FABRIC_PATH_LINK_H

#include "fabric-empty-path.h"
#include "fabric-switch-chip.h"
#include "fabric-transmitter.h"

#include <cstdint>

namespace ns3::fabric
{

/// @return a link of a path, to a host, by what sends on it
inline PathLink
MakePathLink(const Transmitter& sender)
{
    PathLink link;
    link.rate = sender.Rate();
    link.delay = sender.Timing().delay + sender.Timing().dataLatency;
    return link;
}

/**
 * @param sender on the link
 * @param chip switch to which the link leads
 * @param input port by which it comes
 * @param output port by which the switch sends on
 * @return a link of a path, to a switch
 */
inline PathLink
MakePathLink(const Transmitter& sender, const SwitchChip& chip, uint32_t input, uint32_t output)
{
    PathLink link = MakePathLink(sender);
    link.delay += chip.Config().crossbar.TransitTime(); // after it has asked its output
    link.handover = chip.HandoverAt(input);
    const PortWire* wire = chip.Wire(output);
    link.flitBytes = wire ? wire->FlitBytes() : 0;
    return link;
}

} // namespace ns3::fabric

#endif // FABRIC_PATH_LINK_H
