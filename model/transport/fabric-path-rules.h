/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_RULES_H
#define FABRIC_PATH_RULES_H

#include "fabric-congestion-control.h"
#include "fabric-hop-counter.h"
#include "fabric-rtt-estimator.h"
#include "fabric-transport-layout.h"
#include "fabric-transport-settings.h"

#include <memory>

namespace ns3::fabric
{

/// What all ways to peers have in common: how time-outs and windows follow what is measured.
struct PathRules
{
    /// @param settings of the endpoint, which outlive them
    explicit PathRules(const TransportSettings& settings)
        : rto{settings.rtoScale,
              settings.minRto,
              settings.maxRto,
              settings.backsOff,
              settings.initialRtt},
          isFixed(settings.congestionControl == CongestionControlKind::FIXED),
          measuresBase(settings.congestionControl == CongestionControlKind::DELAY &&
                       settings.baseDelay == 0),
          countsHops(settings.congestionControl == CongestionControlKind::DELAY &&
                     settings.hopDelay > 0),
          congestion(CongestionControl::Make(settings)),
          initialWindow(settings.initialWindow),
          baseDelayPeriod(settings.baseDelayPeriod),
          dcqcn(settings.congestionControl == CongestionControlKind::DCQCN ? &settings : nullptr),
          hpcc(settings.congestionControl == CongestionControlKind::HPCC ? &settings.hpcc
                                                                         : nullptr),
          timely(settings.congestionControl == CongestionControlKind::TIMELY ? &settings.timely
                                                                             : nullptr),
          longestBaseDelay(settings.longestBaseDelay),
          lineRate(settings.lineRate),
          isBelowWire(settings.isBelowWire)
    {
    }

    RtoRule rto;                                   ///< Time-outs.
    bool isFixed;                                  ///< Whether windows never change.
    bool measuresBase;                             ///< Whether base delays are measured.
    bool countsHops;                               ///< Whether it matters how far peers are away.
    std::unique_ptr<CongestionControl> congestion; ///< Strategy.
    uint32_t initialWindow;                        ///< That it begins with, packets.
    const HopCounter* hops{nullptr};               ///< Null where nobody counts them.
    TimePs baseDelayPeriod;                        ///< How long a base delay counts, ps.
    const DcqcnSettings* dcqcn;                    ///< Null without DCQCN.
    const HpccSettings* hpcc;                      ///< Null without HPCC.
    const TimelySettings* timely;                  ///< Null without TIMELY.
    TimePs longestBaseDelay;                       ///< NEVER: nobody knows it, ps.
    double lineRate;                               ///< Of the NIC, b/s.
    bool isBelowWire;                              ///< Whether the wire is faster.

    /// @return whether connections have a rate
    bool HasRate() const
    {
        return dcqcn != nullptr || hpcc != nullptr || timely != nullptr;
    }

    /// @return bytes of telemetry in headers that have any
    uint32_t Telemetry() const
    {
        return hpcc != nullptr ? TelemetryBytes(hpcc->hops) : 0;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_PATH_RULES_H
