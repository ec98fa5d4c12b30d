/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CLASS_MAP_H
#define FABRIC_CLASS_MAP_H

#include "fabric-types.h"

#include <array>
#include <string>

namespace ns3::fabric
{

/// Virtual channel of each traffic class.
using ClassMap = std::array<uint8_t, TRAFFIC_CLASSES>;

/**
 * @param text virtual channels of classes 0, 1, ... as `0,1,1`; classes beyond the list use channel
 * 0
 * @return the channel of each class
 * @throws std::invalid_argument if the text is anything else
 */
ClassMap ParseClassToVc(const std::string& text);

/// Traffic class of each DSCP value (RFC 2474).
using DscpTable = std::array<uint8_t, 64>;

/**
 * @param text pairs of DSCP and traffic class as `46:1,34:2`; values that are not named use class 0
 * @return the class of each DSCP value
 * @throws std::invalid_argument if the text is anything else
 */
DscpTable ParseDscpToClass(const std::string& text);

} // namespace ns3::fabric

#endif // FABRIC_CLASS_MAP_H
