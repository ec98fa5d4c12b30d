/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-target-network.h"

#include <algorithm>

namespace ns3
{

TargetNetwork::TargetNetwork(DataRate rate)
    : m_rate(rate)
{
}

const NodeContainer&
TargetNetwork::GetHosts() const
{
    return m_hosts;
}

uint32_t
TargetNetwork::GetSenders() const
{
    return m_hosts.GetN() - 1;
}

Ptr<Node>
TargetNetwork::GetTarget() const
{
    return m_hosts.Get(GetSenders());
}

Ptr<FabricTransport>
TargetNetwork::GetTransport(uint32_t host) const
{
    return m_hosts.Get(host)->GetObject<FabricTransport>();
}

void
TargetNetwork::AddCompletion(fabric::Summary& summary, const Completion& completion) const
{
    const double seconds = fabric::ToSeconds(completion.end);
    const uint64_t linkBytes = std::max(completion.bytesToTarget, completion.bytesFromTarget);
    const auto by = [](double value, double whole) {
        return whole > 0 ? value / whole : 0.0; // nothing at all if no operation was ever posted
    };
    summary.AddTime("completion_time", {}, completion.end);
    summary.Add("goodput", {}, by(8 * static_cast<double>(completion.bytes), seconds), "bit/s");
    const auto rate = static_cast<double>(m_rate.GetBitRate());
    summary.Add("receiver_link_busy",
                {},
                by(8 * static_cast<double>(linkBytes), rate * seconds),
                "1");
    summary.Add("peak_queue", {}, GetPeakQueue(), "B");
}

} // namespace ns3
