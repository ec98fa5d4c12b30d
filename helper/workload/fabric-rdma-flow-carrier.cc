/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-flow-carrier.h"

#include "fabric-device-engines.h"
#include "fabric-topology.h"
#include "fabric-transport-ideal.h"
#include "fabric-transport-names.h"
#include "fabric-transport-recorder.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t PLACE_BITS = 32;                                  ///< Of a cookie, above it.
constexpr uint64_t MOST_BYTES = std::numeric_limits<int32_t>::max(); ///< Of an operation.

constexpr std::size_t NOT_POSTED = TRANSPORT_STATUSES; ///< Place among outcomes.

/// @return place of a status among outcomes
std::size_t
PlaceOf(TransportStatus status)
{
    return static_cast<std::size_t>(status);
}

/// @return what outcomes are called
std::vector<std::string>
NamesOfOutcomes()
{
    std::vector<std::string> names;
    for (std::size_t status = 0; status < TRANSPORT_STATUSES; ++status)
    {
        names.emplace_back(NameOf(static_cast<TransportStatus>(status)));
    }
    names.emplace_back("not-posted");
    return names;
}

} // namespace

bool
RdmaFlowCarrier::Link::operator<(const Link& other) const
{
    return std::tie(src, dst, trafficClass, number) <
           std::tie(other.src, other.dst, other.trafficClass, other.number);
}

RdmaFlowCarrier::RdmaFlowCarrier(const FabricContainer& fabric,
                                 const FlowList& list,
                                 FabricTransportHelper helper,
                                 uint32_t connections)
    : LoggedFlowCarrier(fabric, list, NamesOfOutcomes())
{
    RequireSizes(list);
    helper.SetAttribute("ReportsOneSided", BooleanValue(true));
    helper.SetAttribute("TrafficClass", UintegerValue(list.flows.front().trafficClass));
    helper.InstallNic(fabric.devices);
    for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
    {
        m_hosts.push_back(FindEngine<FabricNicTransport>(fabric.GetDevice(host)));
        m_hosts.back()->SetListener(Callback<void, const RdmaEvent&>(
            [this](const RdmaEvent& event) { HandleReceiver(event); }));
    }
    Open(connections);
}

void
RdmaFlowCarrier::RequireSizes(const FlowList& list)
{
    for (const FlowList::Flow& flow : list.flows)
    {
        if (flow.bytes > MOST_BYTES)
        {
            throw std::invalid_argument("a flow has " + std::to_string(flow.bytes) +
                                        " bytes; allowed are up to " + std::to_string(MOST_BYTES) +
                                        ", as much as an operation of the reliable transport has");
        }
    }
}

void
RdmaFlowCarrier::Open(uint32_t connections)
{
    for (const FlowList::Flow& flow : List().flows)
    {
        m_connections.emplace(
            Link{flow.src, flow.dst, flow.trafficClass, flow.ofPair % connections},
            NO_CONNECTION);
    }
    for (auto& [link, connection] : m_connections)
    {
        connection = m_hosts[link.src]->ConnectAtOnce(
            *m_hosts[link.dst],
            false,
            link.trafficClass,
            Callback<void, const RdmaEvent&>(
                [this](const RdmaEvent& event) { HandleSender(event); }));
        if (connection == NO_CONNECTION)
        {
            throw std::invalid_argument(
                "host " + std::to_string(link.src) + " can't connect to host " +
                std::to_string(link.dst) +
                "; allowed are as many connections of a host as "
                "ns3::FabricTransport::MaxConnections says, and AcceptsConnections");
        }
    }
    for (const FlowList::Flow& flow : List().flows)
    {
        m_carriers.push_back(
            m_connections.at({flow.src, flow.dst, flow.trafficClass, flow.ofPair % connections}));
    }
}

bool
RdmaFlowCarrier::IsElsewhere(uint32_t host) const
{
    return m_hosts[host]->IsElsewhere();
}

void
RdmaFlowCarrier::Send(uint32_t flow, uint32_t place)
{
    const FlowList::Flow& starts = List().flows[flow];
    if (!m_hosts[starts.src]->Post(m_carriers[flow],
                                   RdmaOperation::WRITE,
                                   static_cast<uint32_t>(starts.bytes),
                                   uint64_t{place} << PLACE_BITS | flow))
    {
        EndAtStart(NOT_POSTED);
    }
}

void
RdmaFlowCarrier::HandleSender(const RdmaEvent& event)
{
    if (event.type == RdmaEventType::COMPLETION)
    {
        End(static_cast<uint32_t>(event.cookie),
            static_cast<uint32_t>(event.cookie >> PLACE_BITS),
            PlaceOf(event.status));
    }
}

void
RdmaFlowCarrier::HandleReceiver(const RdmaEvent& event)
{
    if (event.type == RdmaEventType::PRESENTED)
    {
        Arrive(static_cast<uint32_t>(event.cookie),
               static_cast<uint32_t>(event.cookie >> PLACE_BITS),
               event.at);
    }
}

FabricTransportFigures
RdmaFlowCarrier::Figures() const
{
    return FabricTransportFigures({m_hosts.begin(), m_hosts.end()});
}

void
RdmaFlowCarrier::CheckEnds() const
{
    Figures().CheckComplete();
}

RunTotals
RdmaFlowCarrier::GetPayload() const
{
    return Figures().GetTotals();
}

LoggedFlowCarrier::IdealOfBytes
RdmaFlowCarrier::IdealBetween(const FabricIdealPaths& paths, uint32_t src, uint32_t dst) const
{
    const Address remote = Fabric().GetDevice(dst)->GetAddress();
    const TransportIdeal alone(paths.Find(LocationOf(src), LocationOf(dst)),
                               paths.Find(LocationOf(dst), LocationOf(src)),
                               m_hosts[src]->SettingsTo(remote, false),
                               m_hosts[src]->TelemetryInHeaders());
    return [alone](uint64_t bytes) {
        const auto size = static_cast<uint32_t>(bytes);
        return Ideal{alone.CompletionTime(size), alone.HpccIdeal(size)};
    };
}

void
RdmaFlowCarrier::AddOwnFigures(Summary& summary) const
{
    summary.Add("connections", {}, m_connections.size(), "1");
    Figures().AddTo(summary);
}

} // namespace ns3::fabric
