/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-poisson-flows.h"

#include "fabric-option-type.h"

#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3
{

FabricPoissonFlows::FabricPoissonFlows(const fabric::SizeCdf& cdf, double load)
    : m_cdf(cdf),
      m_load(load),
      m_gaps(CreateObject<ExponentialRandomVariable>()),
      m_sizes(CreateObject<UniformRandomVariable>()),
      m_others(CreateObject<UniformRandomVariable>())
{
    m_gaps->SetAttribute("Mean", DoubleValue(1));
}

double
FabricPoissonFlows::MeanGap(uint64_t rate) const
{
    return m_cdf.Mean() * 8e12 / (static_cast<double>(rate) * m_load);
}

int64_t
FabricPoissonFlows::AssignStreams(int64_t stream)
{
    m_gaps->SetStream(stream);
    m_sizes->SetStream(stream + 1);
    m_others->SetStream(stream + 2);
    return 3;
}

fabric::FlowFile
FabricPoissonFlows::Draw(const fabric::NodeNumbers& nodes,
                         const std::vector<uint64_t>& rates,
                         Time until)
{
    if (nodes.hosts.size() < 2)
    {
        throw std::invalid_argument(
            "--cdf: the topology has one host, which has nobody to send to; "
            "allowed are two or more");
    }
    const std::string what = "--arrivalTime=" + fabric::TimeText(until);
    const auto duration = static_cast<double>(until.GetPicoSeconds());
    double expected = 0;
    for (const uint64_t rate : rates)
    {
        expected += duration / MeanGap(rate);
    }
    if (expected > MOST_FLOWS)
    {
        throw std::invalid_argument(what + ": " +
                                    fabric::NumberText(std::llround(std::min(expected, 1e18))) +
                                    " flows would begin; allowed are at most " +
                                    fabric::NumberText(std::llround(MOST_FLOWS)));
    }
    fabric::FlowFile file;
    for (uint32_t host = 0; host < nodes.hosts.size(); ++host)
    {
        DrawHost(file, nodes, host, MeanGap(rates[host]), until);
    }
    if (file.flows.empty())
    {
        throw std::invalid_argument(what + ": no flow begins in it; allowed are times in which " +
                                    "some do, on average one in " +
                                    fabric::TimeText(PicoSeconds(std::llround(
                                        std::min(duration / std::max(expected, 1e-6), 1e18)))));
    }
    std::stable_sort(file.flows.begin(), file.flows.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    return file;
}

void
FabricPoissonFlows::DrawHost(fabric::FlowFile& file,
                             const fabric::NodeNumbers& nodes,
                             uint32_t host,
                             double gap,
                             Time until)
{
    const auto hosts = static_cast<uint32_t>(nodes.hosts.size());
    const auto duration = static_cast<double>(until.GetPicoSeconds());
    for (double at = gap * m_gaps->GetValue(); at < duration; at += gap * m_gaps->GetValue())
    {
        const uint32_t other = (host + m_others->GetInteger(1, hosts - 1)) % hosts;
        fabric::FlowFile::Flow flow{};
        flow.src = nodes.hosts[host];
        flow.dst = nodes.hosts[other];
        flow.port = fabric::FlowFile::USUAL_PORT;
        flow.bytes = m_cdf.BytesAt(m_sizes->GetValue(0, 1));
        flow.start = static_cast<fabric::TimePs>(at);
        file.flows.push_back(flow);
    }
}

} // namespace ns3
