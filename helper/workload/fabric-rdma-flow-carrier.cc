/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-flow-carrier.h"

#include "fabric-device-engines.h"
#include "fabric-ideal-completion.h"
#include "fabric-ideal-paths.h"
#include "fabric-messages-csv.h"
#include "fabric-program.h"
#include "fabric-rank-link.h"
#include "fabric-switch.h"
#include "fabric-topology.h"
#include "fabric-transport-ideal.h"
#include "fabric-transport-recorder.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
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

/// Adds what switches have marked, and dropped where they may: frames of any kind.
void
AddFrames(Summary& summary, const FabricNetwork& network)
{
    bool isMarking = false;
    bool isLossy = false;
    uint64_t marked = 0;
    for (const Ptr<FabricSwitch>& fabricSwitch : network.GetSwitches())
    {
        const SwitchChip& chip = fabricSwitch->GetChip();
        isLossy = isLossy || chip.Config().buffer.lossyClasses != 0;
        if (chip.Marker())
        {
            isMarking = true;
            marked += chip.Marker()->MarkedFrames();
        }
    }
    if (isMarking)
    {
        summary.Add("marked_frames", {}, SumOverRanks({marked}).front(), "1");
    }
    for (const auto& [cause, bytes] : network.GetTotalsOfRanks().dropped)
    {
        if (isLossy)
        {
            summary.Add("fabric_dropped", {{"cause", cause}}, bytes, "B");
        }
    }
}

constexpr std::size_t NOT_POSTED = TRANSPORT_STATUSES; ///< Place among outcomes.

/// @return place of a status among outcomes
std::size_t
PlaceOf(TransportStatus status)
{
    return static_cast<std::size_t>(status);
}

/// @return what an outcome is called
std::string
NameOf(std::size_t outcome)
{
    return outcome == NOT_POSTED
               ? "not-posted"
               : FabricTransportRecorder::NameOf(static_cast<TransportStatus>(outcome));
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
    : m_fabric(fabric),
      m_list(list),
      m_states(list.flows.size()),
      m_outcomes(TRANSPORT_STATUSES + 1)
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
    for (const FlowList::Flow& flow : m_list.flows)
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
    for (const FlowList::Flow& flow : m_list.flows)
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
RdmaFlowCarrier::Start(uint32_t flow, uint32_t place)
{
    const FlowList::Flow& starts = m_list.flows[flow];
    m_states[flow].start = Simulator::Now().GetPicoSeconds();
    ++m_started;
    if (!m_hosts[starts.src]->Post(m_carriers[flow],
                                   RdmaOperation::WRITE,
                                   static_cast<uint32_t>(starts.bytes),
                                   uint64_t{place} << PLACE_BITS | flow))
    {
        ++m_outcomes[NOT_POSTED];
    }
}

void
RdmaFlowCarrier::Listen(Listener sent, Listener received)
{
    m_sent = std::move(sent);
    m_received = std::move(received);
}

void
RdmaFlowCarrier::HandleSender(const RdmaEvent& event)
{
    if (event.type != RdmaEventType::COMPLETION)
    {
        return;
    }
    m_end = Simulator::Now().GetPicoSeconds();
    ++m_outcomes[PlaceOf(event.status)];
    const auto flow = static_cast<uint32_t>(event.cookie);
    if (event.status == TransportStatus::OK)
    {
        m_states[flow].told = m_end;
        if (m_sent)
        {
            m_sent(flow, static_cast<uint32_t>(event.cookie >> PLACE_BITS));
        }
    }
}

void
RdmaFlowCarrier::HandleReceiver(const RdmaEvent& event)
{
    if (event.type != RdmaEventType::PRESENTED)
    {
        return;
    }
    m_end = Simulator::Now().GetPicoSeconds();
    const auto flow = static_cast<uint32_t>(event.cookie);
    m_states[flow].received = event.at;
    if (m_received)
    {
        m_received(flow, static_cast<uint32_t>(event.cookie >> PLACE_BITS));
    }
}

uint64_t
RdmaFlowCarrier::CountOver() const
{
    return std::accumulate(m_outcomes.begin(), m_outcomes.end(), uint64_t{0});
}

double
RdmaFlowCarrier::GetDone() const
{
    return static_cast<double>(CountOver()) / static_cast<double>(m_states.size());
}

void
RdmaFlowCarrier::AddRanks()
{
    if (RankCount() == 1)
    {
        return;
    }
    const std::vector<State> all = CollectFromRanks(m_states);
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        State& state = m_states[i % m_states.size()]; // NEVER where another rank knows
        state.start = std::min(state.start, all[i].start);
        state.received = std::min(state.received, all[i].received);
        state.told = std::min(state.told, all[i].told);
    }
    m_outcomes = SumOverRanks(m_outcomes);
    m_started = SumOverRanks({m_started}).front();
    m_end = static_cast<TimePs>(MostOfRanks({static_cast<uint64_t>(m_end)}).front());
}

FabricTransportFigures
RdmaFlowCarrier::Figures() const
{
    return FabricTransportFigures({m_hosts.begin(), m_hosts.end()});
}

void
RdmaFlowCarrier::CheckComplete() const
{
    const uint64_t complete = m_outcomes[PlaceOf(TransportStatus::OK)];
    const uint64_t over = CountOver();
    // What was to start after one that has failed does not start.
    const uint64_t expected = complete == over ? m_states.size() : m_started;
    if (over != expected)
    {
        throw InvariantError("the run ended with " + std::to_string(over) + " of " +
                             std::to_string(expected) + " flows over");
    }
    Figures().CheckComplete();
}

RunTotals
RdmaFlowCarrier::GetTotals(TimePs end) const
{
    RunTotals totals = Figures().GetTotals();
    const FabricTotals counted = m_fabric.network->GetTotalsOfRanks();
    totals.simulatedTime = end;
    totals.dataHops = counted.dataHops;
    totals.controlHops = counted.controlHops;
    return totals;
}

std::vector<FlowTimes>
RdmaFlowCarrier::GetTimes() const
{
    const FabricIdealPaths paths(m_fabric.network);
    std::map<std::pair<uint32_t, uint32_t>, TransportIdeal> ideals;
    std::vector<FlowTimes> times;
    for (uint32_t i = 0; i < m_states.size(); ++i)
    {
        const State& state = m_states[i];
        if (state.received == NEVER)
        {
            continue;
        }
        const FlowList::Flow& flow = m_list.flows[i];
        auto ideal = ideals.find({flow.src, flow.dst});
        if (ideal == ideals.end())
        {
            const LocationId src = LocationOf(flow.src);
            const LocationId dst = LocationOf(flow.dst);
            const Address remote = m_fabric.GetDevice(flow.dst)->GetAddress();
            ideal = ideals
                        .emplace(std::pair(flow.src, flow.dst),
                                 TransportIdeal(paths.Find(src, dst),
                                                paths.Find(dst, src),
                                                m_hosts[flow.src]->SettingsTo(remote, false),
                                                m_hosts[flow.src]->TelemetryInHeaders()))
                        .first;
        }
        const auto bytes = static_cast<uint32_t>(flow.bytes);
        times.push_back({i,
                         state.start,
                         state.received - state.start,
                         ideal->second.CompletionTime(bytes),
                         ideal->second.HpccIdeal(bytes)});
    }
    std::sort(times.begin(), times.end(), [this](const FlowTimes& a, const FlowTimes& b) {
        const auto key = [this](const FlowTimes& of) {
            return std::tuple(of.start + of.fct, m_list.flows[of.flow].src, of.flow);
        };
        return key(a) < key(b);
    });
    return times;
}

void
RdmaFlowCarrier::AddFigures(Summary& summary) const
{
    std::vector<double> latencies;
    for (const State& state : m_states)
    {
        if (state.told != NEVER)
        {
            latencies.push_back(ToSeconds(state.told - state.start));
        }
    }
    summary.AddDistribution("latency", {}, latencies, "s");
    summary.Add("connections", {}, m_connections.size(), "1");
    Figures().AddTo(summary);
    AddFrames(summary, *m_fabric.network);
    std::map<std::string, uint64_t> operations;
    for (std::size_t outcome = 0; outcome < m_outcomes.size(); ++outcome)
    {
        if (m_outcomes[outcome] != 0 || outcome == PlaceOf(TransportStatus::OK))
        {
            operations[NameOf(outcome)] = m_outcomes[outcome];
        }
    }
    for (const auto& [status, number] : operations)
    {
        summary.Add("operations", {{"status", status}}, number, "1");
    }
}

void
RdmaFlowCarrier::WriteMessages(std::ostream& os) const
{
    MessagesCsv csv(os, {"latency_s"});
    for (const FlowTimes& times : GetTimes())
    {
        const FlowList::Flow& flow = m_list.flows[times.flow];
        const TimePs told = m_states[times.flow].told;
        csv.Row({flow.src,
                 flow.dst,
                 times.flow,
                 flow.trafficClass,
                 flow.bytes,
                 times.start,
                 times.fct,
                 times.ideal,
                 times.standalone},
                told == NEVER ? std::nullopt : std::make_optional(ToSeconds(told - times.start)));
    }
}

} // namespace ns3::fabric
