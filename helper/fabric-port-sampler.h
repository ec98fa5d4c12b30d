/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_SAMPLER_H
#define FABRIC_PORT_SAMPLER_H

#include "fabric-switch-sampler.h"

#include <ostream>

namespace ns3
{

namespace fabric
{

/// What waits at a port.
struct PortSample
{
    TimePs at;            ///< When, ps.
    uint32_t switchIndex; ///< Number of the switch.
    uint32_t port;        ///< Number of the port.
    uint64_t queued;      ///< Bytes in the switch that wait for this output.
    uint32_t held;        ///< Bytes in the input buffer of this port.
    uint64_t sent;        ///< Bytes of data that the output has sent so far.
    uint32_t granted;     ///< Bytes in the output buffer behind tiles, else 0 (SW-13).
};

} // namespace fabric

/// Looks at the ports of all switches at equal distances of time (SC-5).
class FabricPortSampler : public fabric::SwitchSampler<fabric::PortSample>
{
  public:
    /**
     * @param network whose switches are looked at
     * @param period between samples, above 0
     */
    FabricPortSampler(Ptr<FabricNetwork> network, Time period);

    /**
     * Writes ports.csv: a row per sample and port at which anything waits. It has a column for
     * output buffers if a switch has any.
     *
     * @param os where to write
     * @param end of the run; samples up to it, not included, are written
     */
    void Write(std::ostream& os, Time end);
};

} // namespace ns3

#endif // FABRIC_PORT_SAMPLER_H
