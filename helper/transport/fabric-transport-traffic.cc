/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-traffic.h"

#include "fabric-program.h"
#include "fabric-rank-link.h"
#include "fabric-transport-figures.h"

#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace ns3
{

FabricTransportTraffic::FabricTransportTraffic(const TargetNetwork& network)
    : m_network(network)
{
}

void
FabricTransportTraffic::SetGrantDefaults(const fabric::ProgramOptions& options,
                                         DataRate rate,
                                         Time roundTrip)
{
    constexpr uint64_t LOWEST = 16 * 1024;             // of both attributes
    constexpr uint64_t HIGHEST = 0xFFFFFFFF;           // of both attributes
    constexpr uint64_t QUANTA = 8;                     // of 64 KiB in 512 KiB
    constexpr double USUAL = 512.0 * 1024 * 8 / 200e9; // s
    // What is granted comes a round trip later; twice that, so that no link idles between grants.
    const double seconds = std::max(USUAL, 2 * roundTrip.GetSeconds());
    const double bytes = static_cast<double>(rate.GetBitRate()) / 8 * seconds;
    const auto limit = std::clamp(static_cast<uint64_t>(std::llround(bytes)), LOWEST, HIGHEST);
    options.SetDefault("ns3::FabricTransport::GrantLimitBytes", UintegerValue(limit));
    options.SetDefault("ns3::FabricTransport::GrantQuantumBytes",
                       UintegerValue(std::max(limit / QUANTA, LOWEST)));
}

void
FabricTransportTraffic::LetTargetAsk()
{
    m_targetAsks = true;
}

ApplicationContainer
FabricTransportTraffic::GetInitiators() const
{
    ApplicationContainer applications;
    for (const Initiator& initiator : m_initiators)
    {
        applications.Add(initiator.application);
    }
    return applications;
}

void
FabricTransportTraffic::SampleWindows(Time period)
{
    m_windows = std::make_unique<FabricWindowSampler>(period);
}

void
FabricTransportTraffic::Install(const FabricTransportHelper& helper, bool tracesPackets)
{
    m_tracesPackets = tracesPackets;
    m_network.InstallTransport(helper);
    const uint32_t target = m_network.GetSenders();
    for (uint32_t host = 0; host <= target; ++host)
    {
        if (m_targetAsks == (host < target))
        {
            const ApplicationContainer target =
                helper.InstallTarget(m_network.GetHosts().Get(host));
            target.Get(0)->SetAttribute("Transport", PointerValue(m_network.GetTransport(host)));
        }
    }
    for (uint32_t host = 0; host < target; ++host)
    {
        InstallInitiator(host, helper);
    }
    for (uint32_t host = 0; tracesPackets && host < m_network.GetHosts().GetN(); ++host)
    {
        m_recorder.Add(host, m_network.GetTransport(host));
    }
}

void
FabricTransportTraffic::InstallInitiator(uint32_t host, const FabricTransportHelper& helper)
{
    const uint32_t target = m_network.GetSenders();
    const uint32_t asking = m_targetAsks ? target : host;
    const uint32_t asked = m_targetAsks ? host : target;
    const ApplicationContainer application =
        helper.InstallInitiator(m_network.GetHosts().Get(asking),
                                m_network.GetTransportAddress(asked));
    const auto initiator = DynamicCast<FabricInitiatorApplication>(application.Get(0));
    initiator->SetAttribute("Transport", PointerValue(m_network.GetTransport(asking)));
    UintegerValue count;
    initiator->GetAttribute("Count", count);
    m_operations += count.Get();
    m_recorder.Add(host, initiator);
    m_initiators.push_back({initiator});
    m_atWork += m_network.GetTransport(asking)->IsElsewhere() ? 0 : 1;
    // After the recorder, which knows the last operation then.
    initiator->TraceConnectWithoutContext(
        "Completed",
        Callback<void, const fabric::RdmaEvent&, Time>(
            [this, host](const fabric::RdmaEvent&, Time) { Look(host); }));
    for (const char* trace : {"Error", "Connection"})
    {
        initiator->TraceConnectWithoutContext(
            trace,
            Callback<void, const fabric::RdmaEvent&>(
                [this, host](const fabric::RdmaEvent&) { Look(host); }));
    }
    if (m_windows)
    {
        m_windows->Add(host, initiator);
    }
}

void
FabricTransportTraffic::Look(uint32_t host)
{
    Initiator& initiator = m_initiators[host];
    if (initiator.isDone || !initiator.application->IsDone())
    {
        return;
    }
    initiator.isDone = true;
    if (--m_atWork == 0)
    {
        m_allDone = Simulator::Now().GetPicoSeconds();
        CountBytes();
    }
}

void
FabricTransportTraffic::CountBytes()
{
    const bool pulls = m_recorder.GetPulls() != 0;
    const bool pushes = m_recorder.GetPulls() != m_recorder.GetFinished();
    m_bytesToTarget = (m_targetAsks ? pulls : pushes) ? m_network.GetBytesToTarget(m_allDone) : 0;
    m_bytesFromTarget =
        (m_targetAsks ? pushes : pulls) ? m_network.GetBytesFromTarget(m_allDone) : 0;
}

void
FabricTransportTraffic::AddRanks()
{
    if (fabric::RankCount() == 1)
    {
        return;
    }
    m_recorder.AddRanks();
    const auto allDone = static_cast<uint64_t>(m_allDone);
    m_allDone = static_cast<fabric::TimePs>(fabric::MostOfRanks({allDone}).front());
    CountBytes();
    const std::vector<uint64_t> sums = fabric::SumOverRanks({m_bytesToTarget, m_bytesFromTarget});
    m_bytesToTarget = sums[0];
    m_bytesFromTarget = sums[1];
}

uint64_t
FabricTransportTraffic::GetUnposted() const
{
    uint64_t unposted = 0;
    for (const Initiator& initiator : m_initiators)
    {
        unposted += initiator.application->GetUnposted();
    }
    return fabric::SumOverRanks({unposted}).front(); // 0 where another rank runs the initiator
}

std::vector<Ptr<FabricTransport>>
FabricTransportTraffic::GetTransports() const
{
    std::vector<Ptr<FabricTransport>> transports;
    for (uint32_t host = 0; host < m_network.GetHosts().GetN(); ++host)
    {
        transports.push_back(m_network.GetTransport(host));
    }
    return transports;
}

double
FabricTransportTraffic::GetDone() const
{
    return static_cast<double>(m_recorder.GetFinished() + GetUnposted()) /
           static_cast<double>(m_operations);
}

void
FabricTransportTraffic::CheckComplete() const
{
    const uint64_t over = m_recorder.GetFinished() + GetUnposted();
    if (over != m_operations)
    {
        throw fabric::InvariantError("the run ended with " + std::to_string(over) + " of " +
                                     std::to_string(m_operations) + " operations over");
    }
    FabricTransportFigures(GetTransports()).CheckComplete();
}

TargetNetwork::Completion
FabricTransportTraffic::GetCompletion() const
{
    return {GetTotals().bytesDelivered, m_bytesToTarget, m_recorder.GetEnd(), m_bytesFromTarget};
}

fabric::RunTotals
FabricTransportTraffic::GetTotals() const
{
    fabric::RunTotals totals = FabricTransportFigures(GetTransports()).GetTotals();
    totals.simulatedTime = m_recorder.GetEnd();
    m_network.AddHops(totals);
    return totals;
}

void
FabricTransportTraffic::AddFigures(fabric::Summary& summary) const
{
    summary.AddDistribution("latency", {}, m_recorder.GetLatencies(), "s");
    summary.AddDistribution("fct", {}, m_recorder.GetLatencies(), "s");
    FabricTransportFigures(GetTransports()).AddTo(summary);
    std::map<std::string, uint64_t> statuses = m_recorder.CountStatuses();
    if (const uint64_t unposted = GetUnposted())
    {
        statuses["not-posted"] = unposted;
    }
    for (const auto& [status, operations] : statuses)
    {
        summary.Add("operations", {{"status", status}}, operations, "1");
    }
}

void
FabricTransportTraffic::Write(fabric::RunDirectory& directory) const
{
    m_recorder.WriteOperations(directory.Open("messages.csv"));
    if (m_windows)
    {
        m_windows->Write(directory.Open("windows.csv"));
    }
    if (m_tracesPackets)
    {
        m_recorder.WritePackets(directory.Open("packets.csv"));
    }
}

} // namespace ns3
