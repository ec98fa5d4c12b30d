/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONGESTION_SETTINGS_H
#define FABRIC_CONGESTION_SETTINGS_H

#include "fabric-endpoint-detector.h"
#include "fabric-fgfc-settings.h"
#include "fabric-hop-meter.h"
#include "fabric-link-overload.h"
#include "fabric-path-loads.h"
#include "fabric-slow-path-settings.h"

namespace ns3::fabric
{

/// What keeps a flow that meets congestion from taking the buffer from others.
struct CongestionSettings
{
    bool hopCredits{true}; ///< Hop-by-hop credits of each flow channel (CM-5).
    Watermarks watermarks; ///< Of hop credits.
    /// Those of flows that take several ways are lower by this in switches to which a part of their
    /// frames comes. Chosen by a sweep, see doc/rerouting.rst.
    uint32_t wayDivisor{4};
    FgfcSettings fgfc;         ///< Fine-grain flow control of hosts (CM-4).
    EndpointSettings endpoint; ///< When links to hosts are congested (CM-1).
    SeveritySettings severity; ///< What flows to them may do (CM-3).
    bool flowLimits{false};    ///< Limits of unacknowledged data of flows, by severity (CM-6).
    RerouteSettings reroute;   ///< How flows leave overloaded links between switches (CM-9).
    NeighbourLoadSettings neighbourLoads; ///< What neighbours tell of paths (FC-12).
    /// Limit of a flow's unacknowledged data from its start to its first ACK, units of 256 bytes; 0
    /// for none. It is that of a severity, the next lower one (CM-6).
    uint32_t firstFlight{0};
    SlowPathSettings slowPaths; ///< Which flows of hosts leave slow paths (CM-9).
    bool pacing{false};         ///< Less than a frame in a round trip, by severity (CM-7).
    /// Delays of pacing are longer or shorter by up to this part. Chosen: 0.3, so that senders who
    /// begin together do not stay together.
    double pacingSpread{0.3};
    /// The high watermark is raised on long and fast links, so that queues do not run dry between a
    /// word of credit and what it brings.
    bool coversLinks{false};
    uint32_t roomDivisor{16}; ///< A flow may take 1/roomDivisor of the free buffer; 0 for no limit.

    /// @throws std::invalid_argument if settings contradict each other
    void Validate() const;
};

} // namespace ns3::fabric

#endif // FABRIC_CONGESTION_SETTINGS_H
