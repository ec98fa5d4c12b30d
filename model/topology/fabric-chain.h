/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CHAIN_H
#define FABRIC_CHAIN_H

#include "fabric-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// Hosts that send, per switch of a chain, from its first switch on.
using ChainSources = std::vector<uint32_t>;

/**
 * @param text whole numbers, separated by commas, as 3,3,3,2
 * @return the numbers
 * @throws std::invalid_argument if the text is anything else
 */
ChainSources ParseChainSources(const std::string& text);

/**
 * Switches in a row (FC-18): hosts that send hang on all of them, and one host more, to which they
 * may all send, on the last. With 3,3,3,2:
 *
 *   A B C   D E F   G H I   J K L      hosts 0, 1, ... 10, and the destination 11
 *   |||     |||     |||     |||
 *    S0 ---- S1 ---- S2 ---- S3
 *
 * The ports of a switch: its hosts in their order, then the link to the switch before it, then the
 * link to the one after it.
 *
 * @param sources hosts that send, per switch; the first has at least one
 * @return the plan; the last host is the destination
 * @throws std::invalid_argument if there is no switch, no host on the first switch, or more hosts
 *         than there are locations
 */
TopologyPlan MakeChainPlan(const ChainSources& sources);

} // namespace ns3::fabric

#endif // FABRIC_CHAIN_H
