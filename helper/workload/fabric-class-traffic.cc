/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-class-traffic.h"

#include "fabric-net-device.h"
#include "fabric-network.h"
#include "fabric-seconds.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

#include <string>
#include <utility>

namespace ns3
{

FabricClassTraffic::FabricClassTraffic(const FabricContainer& fabric,
                                       uint32_t payload,
                                       std::vector<Class> classes)
    : m_fabric(fabric),
      m_payload(payload),
      m_classes(std::move(classes)),
      m_underWay(m_classes.size(), 0)
{
    for (std::size_t number = 0; number < m_classes.size(); ++number)
    {
        m_gaps.push_back(CreateObject<ExponentialRandomVariable>());
        m_gaps.back()->SetStream(static_cast<int64_t>(number));
    }
    m_fabric.network->TraceConnectWithoutContext("MessageDelivered",
                                                 MakeCallback(&FabricClassTraffic::Deliver, this));
}

void
FabricClassTraffic::Start()
{
    for (uint32_t number = 0; number < m_classes.size(); ++number)
    {
        Plan(number);
    }
}

void
FabricClassTraffic::Plan(uint32_t number)
{
    if (const double mean = m_classes[number].meanGap; mean > 0)
    {
        const fabric::TimePs gap = fabric::WholeGap(m_gaps[number]->GetValue(mean, 0));
        Simulator::Schedule(PicoSeconds(gap), &FabricClassTraffic::Send, this, number);
    }
}

void
FabricClassTraffic::Send(uint32_t number)
{
    if (m_underWay[number] < WAITING)
    {
        ++m_underWay[number];
        m_fabric.GetDevice(m_classes[number].host)
            ->SendMessage(m_classes[number].flow, m_payload, number);
    }
    Plan(number);
}

void
FabricClassTraffic::Deliver(const fabric::Message& message, Time)
{
    --m_underWay.at(message.tag);
}

void
FabricClassTraffic::AddFigures(fabric::Summary& summary,
                               const std::vector<FabricMessageRecorder::Record>& records,
                               const std::vector<uint16_t>& names,
                               Time from,
                               Time to,
                               DataRate rate) const
{
    std::vector<std::vector<double>> latencies(m_classes.size());
    for (const FabricMessageRecorder::Record& record : records)
    {
        if (record.deliveredAt >= from.GetPicoSeconds())
        {
            latencies[record.message.tag].push_back(fabric::ToSeconds(record.CompletionTime()));
        }
    }
    const auto subjectOf = [&names](std::size_t number) {
        return fabric::Summary::Subject{{"class", std::to_string(names[number])}};
    };
    const double all = (to - from).GetSeconds() * static_cast<double>(rate.GetBitRate());
    for (std::size_t number = 0; number < m_classes.size(); ++number)
    {
        const double bits =
            static_cast<double>(latencies[number].size()) * 8 * fabric::WireBytes(m_payload);
        summary.Add("share", subjectOf(number), bits / all, "1");
    }
    for (std::size_t number = 0; number < m_classes.size(); ++number)
    {
        summary.AddDistribution("latency", subjectOf(number), latencies[number], "s");
    }
}

} // namespace ns3
