/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-window-sampler.h"

#include "fabric-csv-writer.h"
#include "fabric-summary.h"

#include "ns3/simulator.h"

namespace ns3
{

FabricWindowSampler::FabricWindowSampler(Time period)
    : m_period(period),
      m_next(Simulator::Schedule(period, &FabricWindowSampler::Take, this))
{
}

FabricWindowSampler::~FabricWindowSampler()
{
    m_next.Cancel();
}

void
FabricWindowSampler::Add(uint32_t host, Ptr<FabricInitiatorApplication> initiator)
{
    m_watched.push_back({host, initiator});
}

void
FabricWindowSampler::Take()
{
    const fabric::TimePs now = Simulator::Now().GetPicoSeconds();
    bool isAnyAtWork = false;
    for (const Watched& watched : m_watched)
    {
        isAnyAtWork = isAnyAtWork || !watched.initiator->IsDone();
        const auto view = watched.initiator->LookAtConnection();
        if (view && view->isOpen)
        {
            m_samples.push_back({now, watched.host, *view});
        }
    }
    if (isAnyAtWork)
    {
        m_next = Simulator::Schedule(m_period, &FabricWindowSampler::Take, this);
    }
}

void
FabricWindowSampler::Write(std::ostream& os) const
{
    fabric::CsvWriter csv(
        os,
        {"time_s", "host", "window_packets", "in_flight_packets", "round_trip_s"});
    for (const Sample& sample : m_samples)
    {
        csv.Row(fabric::ToSeconds(sample.at),
                sample.host,
                sample.view.congestionWindow,
                sample.view.dataInFlight,
                fabric::ToSeconds(sample.view.smoothedRtt));
    }
}

} // namespace ns3
