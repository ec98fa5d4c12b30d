/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-incast-traffic.h"

#include "fabric-congestion-marker.h"
#include "fabric-csv-writer.h"
#include "fabric-device-engines.h"
#include "fabric-nic-transport.h"
#include "fabric-program.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

namespace ns3::fabric
{

MessageIncastTraffic::MessageIncastTraffic(const FabricContainer& fabric,
                                           const IncastHelper& incast,
                                           const VictimHelper& victims,
                                           const VictimLoad& load,
                                           const FabricMessageRecorder& recorder)
    : m_recorder(recorder),
      m_senders(incast.GetSenders(fabric).size())
{
    victims.Install(load.bytes, load.interval);
    incast.Install(fabric);
}

void
MessageIncastTraffic::Run(FabricRun& run, const std::function<void()>& then)
{
    run.RunUntilDelivered(IncastHelper::INCAST_TAG, m_senders, then);
}

std::vector<IncastTraffic::VictimMessage>
MessageIncastTraffic::GetVictimMessages() const
{
    std::vector<VictimMessage> messages;
    for (const FabricMessageRecorder::Record& record : m_recorder.GetRecords())
    {
        if (record.message.tag == VictimHelper::TAG)
        {
            messages.push_back({record.message.sentAt, record.CompletionTime()});
        }
    }
    return messages;
}

void
MessageIncastTraffic::AddFigures(Summary&) const
{
}

void
MessageIncastTraffic::WriteMessages(RunDirectory& directory) const
{
    m_recorder.WriteMessages(directory.Open("messages.csv"));
    m_recorder.WriteFlows(directory.Open("flows.csv"));
}

TransportIncastTraffic::TransportIncastTraffic(const FabricContainer& fabric,
                                               const IncastHelper& incast,
                                               const VictimHelper& victims,
                                               const VictimLoad& load)
    : m_fabric(fabric)
{
    FabricTransportHelper helper;
    helper.InstallNic(fabric.devices);
    helper.InstallTarget(fabric.devices);
    helper.SetInitiatorAttribute("Bytes", UintegerValue(incast.GetBytes()));
    const std::vector<uint32_t> senders = incast.GetSenders(fabric);
    const std::vector<Time> starts = incast.GetStarts();
    m_senders = senders.size();
    for (std::size_t i = 0; i < senders.size(); ++i)
    {
        Install(helper, {senders[i], IncastHelper::RECEIVER, false})->SetStartTime(starts[i]);
    }
    helper.SetInitiatorAttribute("Bytes", UintegerValue(load.bytes));
    helper.SetInitiatorAttribute("Interval", TimeValue(load.interval));
    helper.SetInitiatorAttribute("Count", UintegerValue(std::numeric_limits<uint64_t>::max()));
    // As many as there are: victims are to send whatever is still on its way.
    helper.SetInitiatorAttribute("Outstanding",
                                 UintegerValue(std::numeric_limits<uint32_t>::max()));
    for (std::size_t i = 0; i < victims.GetVictims().size(); ++i)
    {
        const auto [src, dst] = victims.GetVictims()[i];
        Install(helper, {src, dst, true})->SetStartTime(victims.GetStart(i, load.interval));
    }
}

Ptr<Application>
TransportIncastTraffic::Install(const FabricTransportHelper& helper, const Initiator& initiator)
{
    const std::size_t number = m_initiators.size();
    m_initiators.push_back(initiator);
    const Ptr<Application> application =
        helper
            .InstallInitiator(m_fabric.GetDevice(initiator.src),
                              m_fabric.GetDevice(initiator.dst)->GetAddress())
            .Get(0);
    application->TraceConnectWithoutContext(
        "Completed",
        Callback<void, const RdmaEvent&, Time>([this, number](const RdmaEvent& event, Time) {
            Complete({Simulator::Now().GetPicoSeconds(), number, event});
        }));
    application->TraceConnectWithoutContext(
        "Connection",
        Callback<void, const RdmaEvent&>([this, number](const RdmaEvent& event) {
            if (event.type == RdmaEventType::CONNECTED)
            {
                m_initiators[number].openedAt = Simulator::Now().GetPicoSeconds();
            }
        }));
    if (!initiator.isVictim)
    {
        // Victims may write without end.
        application->TraceConnectWithoutContext(
            "Error",
            Callback<void, const RdmaEvent&>(
                [this](const RdmaEvent&) { m_fabric.network->StopAt(Simulator::Now()); }));
    }
    return application;
}

void
TransportIncastTraffic::Complete(const Write& write)
{
    m_writes.push_back(write);
    const bool isVictims = m_initiators[write.initiator].isVictim;
    m_over += !isVictims;
    if (!isVictims && m_over == m_senders)
    {
        m_then();
    }
}

void
TransportIncastTraffic::Run(FabricRun& run, const std::function<void()>& then)
{
    m_then = then;
    run.RunUntilIdle(
        [this] { return static_cast<double>(m_over) / static_cast<double>(m_senders); });
    if (m_over != m_senders)
    {
        throw InvariantError("the run ended with " + std::to_string(m_over) + " of " +
                             std::to_string(m_senders) + " writes complete");
    }
    std::sort(m_writes.begin(), m_writes.end(), [](const Write& a, const Write& b) {
        return std::tie(a.end, a.initiator, a.event.cookie) <
               std::tie(b.end, b.initiator, b.event.cookie);
    });
}

std::vector<IncastTraffic::VictimMessage>
TransportIncastTraffic::GetVictimMessages() const
{
    std::vector<VictimMessage> messages;
    for (const Write& write : m_writes)
    {
        const Initiator& initiator = m_initiators[write.initiator];
        if (initiator.isVictim && write.event.postedAt >= initiator.openedAt)
        {
            messages.push_back({write.event.postedAt, write.end - write.event.postedAt});
        }
    }
    return messages;
}

void
TransportIncastTraffic::AddFigures(Summary& summary) const
{
    uint64_t marked = 0;
    for (uint32_t i = 0; i < m_fabric.switches.GetN(); ++i)
    {
        if (const CongestionMarker* marker = m_fabric.GetSwitch(i)->GetChip().Marker())
        {
            marked += marker->MarkedFrames();
        }
    }
    TransportCounters all;
    for (uint32_t i = 0; i < m_fabric.hosts.GetN(); ++i)
    {
        const auto transport = FindEngine<FabricNicTransport>(m_fabric.GetDevice(i));
        const TransportCounters& counters = transport->GetEndpoint().GetTransport().Counters();
        all.resends += counters.resends;
        all.timeOuts += counters.timeOuts;
        all.trimmed += counters.trimmed;
    }
    std::vector<double> times;
    for (const Write& write : m_writes)
    {
        if (!m_initiators[write.initiator].isVictim)
        {
            times.push_back(ToSeconds(write.end - write.event.postedAt));
        }
    }
    summary.AddDistribution("fct", {}, times, "s");
    summary.Add("marked_frames", {}, marked, "1");
    summary.Add("resends", {}, all.resends, "1");
    summary.Add("time_outs", {}, all.timeOuts, "1");
    if (all.trimmed > 0)
    {
        summary.Add("trimmed_packets", {}, all.trimmed, "1");
    }
}

void
TransportIncastTraffic::WriteMessages(RunDirectory& directory) const
{
    CsvWriter csv(directory.Open("messages.csv"),
                  {"src", "dst", "message", "bytes", "start_s", "end_s", "fct_s"});
    for (const Write& write : m_writes)
    {
        csv.Row(m_initiators[write.initiator].src,
                m_initiators[write.initiator].dst,
                write.event.cookie,
                write.event.bytes,
                ToSeconds(write.event.postedAt),
                ToSeconds(write.end),
                ToSeconds(write.end - write.event.postedAt));
    }
}

} // namespace ns3::fabric
