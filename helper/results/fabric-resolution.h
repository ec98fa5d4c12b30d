/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RESOLUTION_H
#define FABRIC_RESOLUTION_H

namespace ns3::fabric
{

/**
 * Lets ns-3 count in picoseconds, as a fabric needs it: at 200 Gb/s 32 bytes last 1.28 ns.
 *
 * @throws std::invalid_argument with a sentence if ns-3 counts otherwise and it is too late to
 * change that: it allows one change in a process, and none once Simulator::Run() was called
 */
void RequirePicoseconds();

} // namespace ns3::fabric

#endif // FABRIC_RESOLUTION_H
