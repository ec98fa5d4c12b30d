/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-window-sampler.h"

#include "fabric-csv-writer.h"
#include "fabric-summary.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <string>
#include <vector>

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
    std::vector<std::string> columns{"time_s",
                                     "host",
                                     "window_packets",
                                     "in_flight_packets",
                                     "round_trip_s"};
    const bool hasRates = std::any_of(m_samples.begin(), m_samples.end(), [](const Sample& each) {
        return each.view.rate > 0;
    });
    if (hasRates)
    {
        columns.emplace_back("rate_bps");
    }
    fabric::CsvWriter csv(os, columns);
    for (const Sample& sample : m_samples)
    {
        const auto write = [&](auto... rate) {
            csv.Row(fabric::ToSeconds(sample.at),
                    sample.host,
                    sample.view.congestionWindow,
                    sample.view.dataInFlight,
                    fabric::ToSeconds(sample.view.smoothedRtt),
                    rate...);
        };
        hasRates ? write(sample.view.rate) : write();
    }
}

} // namespace ns3
