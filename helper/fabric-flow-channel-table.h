/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_CHANNEL_TABLE_H
#define FABRIC_FLOW_CHANNEL_TABLE_H

#include "fabric-network.h"

#include <ostream>

namespace ns3
{

/**
 * Writes channels.csv: a row for each flow channel at each input port of a switch, by the times of
 * their ends, then those that are open.
 *
 * @param os where to write
 * @param network whose switches have `FlowStatistics=all`; others have no rows
 */
void WriteFlowChannels(std::ostream& os, const FabricNetwork& network);

} // namespace ns3

#endif // FABRIC_FLOW_CHANNEL_TABLE_H
