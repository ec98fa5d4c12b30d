/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHORT_BUFFERS_H
#define FABRIC_SHORT_BUFFERS_H

#include "fabric-credit-loop.h"
#include "fabric-helper.h"
#include "fabric-topology.h"

#include <cstdint>
#include <string>

namespace ns3::fabric
{

/**
 * @param fabric installed
 * @param host number of a host
 * @param payload of each frame that it sends, bytes
 * @return what the credits of its link let through
 */
CreditLoop UplinkCreditLoop(const FabricContainer& fabric, uint32_t host, uint32_t payload);

/**
 * @param fabric installed
 * @param plan of it
 * @return a sentence about the link that full frames fill least, since the input buffer behind it
 * is too small for its rate and length; empty if they fill all links
 */
std::string DescribeShortBuffers(const FabricContainer& fabric, const TopologyPlan& plan);

} // namespace ns3::fabric

#endif // FABRIC_SHORT_BUFFERS_H
