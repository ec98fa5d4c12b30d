/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_RULE_H
#define FABRIC_ROUTING_RULE_H

#include "fabric-frame.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace fabric
{

/// Whether a frame may go by an output port that leads to its destination (FC-12). It has to answer
/// the same for all frames of a flow, and in all runs.
using RoutingRule = std::function<bool(const Frame& frame, uint32_t port)>;

} // namespace fabric
} // namespace ns3

#endif // FABRIC_ROUTING_RULE_H
