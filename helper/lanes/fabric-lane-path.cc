/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-path.h"

#include "ns3/simulator.h"

namespace ns3::fabric
{

LanePath::LanePath(LaneRecorder& recorder, uint32_t payload)
    : m_recorder(recorder),
      m_payload(payload)
{
}

RunTotals
LanePath::GetTotals() const
{
    RunTotals totals;
    m_recorder.AddTotals(totals, m_payload);
    totals.bytesInFlight = GetPacketsInFlight() * m_payload;
    totals.simulatedTime = Simulator::Now().GetPicoSeconds();
    totals.dataHops = GetPacketHops();
    return totals;
}

} // namespace ns3::fabric
