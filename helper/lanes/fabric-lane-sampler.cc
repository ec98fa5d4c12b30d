/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-sampler.h"

#include "ns3/simulator.h"

namespace ns3::fabric
{

LaneSampler::LaneSampler(LanePath& path,
                         const LaneRecorder& recorder,
                         std::ostream& os,
                         Time period,
                         uint64_t packetBytes)
    : m_path(path),
      m_recorder(recorder),
      m_csv(os, {"time_s", "lane", "conforming_bytes", "over_bandwidth_bytes"}),
      m_period(period),
      m_packetBytes(packetBytes),
      m_next(Simulator::Schedule(period, &LaneSampler::Sample, this))
{
}

LaneSampler::~LaneSampler()
{
    m_next.Cancel();
}

void
LaneSampler::Write()
{
    if (Simulator::Now() == m_last)
    {
        return;
    }
    m_last = Simulator::Now();
    m_path.Settle();
    for (const auto& [lane, counts] : m_recorder.GetLanes())
    {
        Known& known = m_known[lane];
        m_csv.Row(ToSeconds(m_last.GetPicoSeconds()),
                  lane,
                  (counts.conforming - known.conforming) * m_packetBytes,
                  (counts.over - known.over) * m_packetBytes);
        known = {counts.conforming, counts.over};
    }
}

void
LaneSampler::Sample()
{
    Write();
    m_next = Simulator::Schedule(m_period, &LaneSampler::Sample, this);
}

} // namespace ns3::fabric
