/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_RULE_H
#define FABRIC_ROUTING_RULE_H

#include "fabric-frame.h"

#include <cstdint>
#include <functional>

namespace ns3::fabric
{

/// Whether a frame may go by an output port that leads to its destination (FC-12). It has to answer
/// the same for all frames of a flow, and in all runs.
using RoutingRule = std::function<bool(const Frame& frame, uint32_t port)>;

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_RULE_H
