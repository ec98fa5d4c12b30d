/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GOODPUT_METER_H
#define FABRIC_GOODPUT_METER_H

#include "fabric-net-device.h"
#include "fabric-rank-link.h"
#include "fabric-seconds.h"

#include "ns3/simulator.h"

#include <vector>

namespace ns3::fabric
{

/// What hosts receive during a phase of a run.
class GoodputMeter
{
  public:
    /// @param receiver is measured, too, from the next phase on
    void Add(Ptr<FabricNetDevice> receiver)
    {
        m_receivers.push_back(receiver);
    }

    /// A phase begins at the present.
    void Begin()
    {
        m_from = Simulator::Now().GetPicoSeconds();
        m_bytes = Delivered();
    }

    /// @return goodput of all receivers together since the phase began, bit/s; on several ranks all
    /// have to call it, when the simulation is over
    double Measure() const
    {
        const TimePs now = Simulator::Now().GetPicoSeconds();
        const uint64_t bytes = SumOverRanks({Delivered() - m_bytes}).front();
        return static_cast<double>(bytes) * 8 / ToSeconds(now - m_from);
    }

  private:
    /// @return bytes that they have received by now
    uint64_t Delivered() const
    {
        uint64_t bytes = 0;
        for (const Ptr<FabricNetDevice>& receiver : m_receivers)
        {
            bytes += receiver->GetNic().DeliveredBy(Simulator::Now().GetPicoSeconds());
        }
        return bytes;
    }

    std::vector<Ptr<FabricNetDevice>> m_receivers; ///< Are measured.
    TimePs m_from{0};                              ///< Begin of the phase, ps.
    uint64_t m_bytes{0};                           ///< Received before the phase.
};

} // namespace ns3::fabric

#endif // FABRIC_GOODPUT_METER_H
