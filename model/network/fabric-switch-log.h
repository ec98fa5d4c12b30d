/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_LOG_H
#define FABRIC_SWITCH_LOG_H

namespace ns3
{

class FabricSwitch;

namespace fabric
{

/**
 * Logs what the trace sources of a switch tell, as far as the component `FabricSwitch` is enabled
 * now:
 *
 * | level       | what                                                                    |
 * |-------------|-------------------------------------------------------------------------|
 * | `LOG_WARN`  | frames that are dropped                                                 |
 * | `LOG_INFO`  | trimmed frames, pauses, fine-grain flow control, ends of flow channels  |
 * | `LOG_LOGIC` | frames and ACKs that come and go, credit frames, choices of arbiters    |
 *
 * Only sources of these levels get a sink: a switch with one is run instant by instant. Ends of
 * flow channels need `FlowStatistics`.
 */
void LogSwitch(FabricSwitch& fabricSwitch);

} // namespace fabric

} // namespace ns3

#endif // FABRIC_SWITCH_LOG_H
