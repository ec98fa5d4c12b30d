/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-collective.h"

#include "fabric-net-device.h"
#include "fabric-rank-link.h"

#include "ns3/simulator.h"

namespace ns3::fabric
{

SwitchCollective::SwitchCollective(const FabricContainer& fabric,
                                   const std::vector<uint32_t>& hosts,
                                   bool isToAll,
                                   uint32_t window)
    : m_groups(fabric),
      m_reductions(m_groups),
      m_rankTimes(hosts.size())
{
    if (window != 0)
    {
        m_reductions.SetWindow(window);
    }
    m_reduction = isToAll ? m_reductions.Create(hosts, ReductionOperation::SUM)
                          : m_reductions.CreateTo(hosts.empty() ? 0 : hosts.front(),
                                                  hosts,
                                                  ReductionOperation::SUM);
    for (uint32_t rank = 0; rank < hosts.size(); ++rank)
    {
        m_devices.push_back(fabric.GetDevice(hosts[rank]));
        m_devices.back()->SetReductionCallback(Callback<void, const ReductionResult&>(
            [this, rank](const ReductionResult& result) { Take(rank, result); }));
    }
}

SwitchCollective::~SwitchCollective()
{
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        device->SetReductionCallback({});
    }
}

void
SwitchCollective::Start(uint64_t bytes)
{
    m_begin = Simulator::Now().GetPicoSeconds();
    for (std::size_t rank = 0; rank < m_devices.size(); ++rank)
    {
        if (!m_devices[rank]->IsElsewhere())
        {
            m_devices[rank]->Reduce(m_reduction, bytes, static_cast<int64_t>(rank) + 1);
        }
    }
}

void
SwitchCollective::AddRanks()
{
    const std::vector<uint64_t> sums = SumOverRanks({m_done, m_isRight ? 0U : 1U});
    m_done = sums[0];
    m_isRight = sums[1] == 0;
    std::vector<uint64_t> times(m_rankTimes.begin(), m_rankTimes.end());
    times.push_back(static_cast<uint64_t>(m_end));
    const std::vector<uint64_t> latest = MostOfRanks(times);
    m_rankTimes.assign(latest.begin(), latest.end() - 1);
    m_end = static_cast<TimePs>(latest.back());
}

double
SwitchCollective::GetDone() const
{
    return static_cast<double>(m_done) / static_cast<double>(m_devices.size());
}

void
SwitchCollective::Take(uint32_t rank, const ReductionResult& result)
{
    const auto ranks = static_cast<int64_t>(m_devices.size());
    ++m_done;
    m_isRight = m_isRight && (!result.hasValue || result.Value() == ranks * (ranks + 1) / 2);
    m_end = Simulator::Now().GetPicoSeconds();
    m_rankTimes[rank] = m_end - m_begin;
}

} // namespace ns3::fabric
