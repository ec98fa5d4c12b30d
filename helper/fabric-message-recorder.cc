/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-recorder.h"

#include "fabric-csv-writer.h"
#include "fabric-ideal-completion.h"
#include "fabric-ideal-path.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-ideals.h"
#include "fabric-messages-csv.h"
#include "fabric-rank-link.h"
#include "fabric-summary.h"
#include "fabric-topology.h"

#include "ns3/callback.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace ns3
{

using fabric::CsvWriter;
using fabric::IdealPath;
using fabric::LocationId;
using fabric::TimePs;
using fabric::ToSeconds;

namespace
{

/// What one flow delivered.
struct Flow
{
    FabricMessageIdeals::Messages messages; ///< All of them.
    uint64_t bytes{0};                      ///< In them.
    TimePs end{0};                          ///< When the last one was delivered, ps.

    /// Puts the messages into the order in which they were handed over.
    void Sort()
    {
        std::sort(messages.begin(),
                  messages.end(),
                  [](const fabric::Message* a, const fabric::Message* b) {
                      return a->sequence < b->sequence;
                  });
    }
};

} // namespace

FabricMessageRecorder::FabricMessageRecorder(Ptr<FabricNetwork> network)
    : m_network(network)
{
    m_network->TraceConnectWithoutContext("MessageDelivered",
                                          MakeCallback(&FabricMessageRecorder::Delivered, this));
    m_network->TraceConnectWithoutContext("MessageLost",
                                          MakeCallback(&FabricMessageRecorder::Lost, this));
}

FabricMessageRecorder::~FabricMessageRecorder()
{
    m_network->TraceDisconnectWithoutContext("MessageDelivered",
                                             MakeCallback(&FabricMessageRecorder::Delivered, this));
    m_network->TraceDisconnectWithoutContext("MessageLost",
                                             MakeCallback(&FabricMessageRecorder::Lost, this));
}

void
FabricMessageRecorder::SetCallback(std::function<void(const Record&)> onDelivery)
{
    m_onDelivery = std::move(onDelivery);
}

void
FabricMessageRecorder::SetFilter(std::function<bool(const fabric::Message&)> keeps)
{
    m_keeps = std::move(keeps);
}

void
FabricMessageRecorder::Delivered(const fabric::Message& message, Time now)
{
    const Record record{message, now.GetPicoSeconds()};
    if (!m_keeps || m_keeps(message))
    {
        m_records.push_back(record);
        m_isSorted = false;
    }
    if (m_onDelivery)
    {
        m_onDelivery(record);
    }
}

void
FabricMessageRecorder::AddRanks()
{
    if (fabric::RankCount() == 1)
    {
        return;
    }
    const auto known = m_records.begin() + static_cast<std::ptrdiff_t>(m_known);
    const std::vector<Record> all = fabric::CollectFromRanks(std::vector(known, m_records.end()));
    m_records.erase(known, m_records.end());
    m_records.insert(m_records.end(), all.begin(), all.end());
    m_known = m_records.size();
    m_isSorted = false;
}

void
FabricMessageRecorder::SetLossCallback(std::function<void(const fabric::Message&)> onLoss)
{
    m_onLoss = std::move(onLoss);
}

void
FabricMessageRecorder::Lost(const fabric::Message& message)
{
    if (m_onLoss)
    {
        m_onLoss(message);
    }
}

const std::vector<FabricMessageRecorder::Record>&
FabricMessageRecorder::GetRecords() const
{
    if (!m_isSorted)
    {
        const auto key = [](const Record& record) {
            const fabric::Message& message = record.message; // of a group to several at a time
            return std::make_tuple(record.deliveredAt, message.src, message.sequence, message.dst);
        };
        const auto isBefore = [&key](const Record& a, const Record& b) { return key(a) < key(b); };
        // They often are in order, and looking costs much less than sorting.
        if (!std::is_sorted(m_records.begin(), m_records.end(), isBefore))
        {
            std::sort(m_records.begin(), m_records.end(), isBefore);
        }
        m_isSorted = true;
    }
    return m_records;
}

void
FabricMessageRecorder::WriteMessages(std::ostream& os) const
{
    fabric::MessagesCsv csv(os);
    const FabricIdealPaths paths(m_network);
    const FabricMessageIdeals ideals(m_network);
    std::pair<LocationId, LocationId> ends;
    std::optional<IdealPath> alone;
    for (const Record& record : GetRecords())
    {
        const fabric::Message& message = record.message;
        const std::pair hosts(message.src, message.dst);
        if (!alone || ends != hosts)
        {
            alone.emplace(paths.Find(message.src, message.dst));
            ends = hosts;
        }
        csv.Row({fabric::HostOf(message.src),
                 fabric::HostOf(message.dst),
                 message.sequence,
                 message.trafficClass,
                 message.bytes,
                 message.sentAt,
                 record.CompletionTime(),
                 ideals.TimeOf(message, alone->path),
                 alone->HpccIdeal(message.bytes)});
    }
}

void
FabricMessageRecorder::WriteFlows(std::ostream& os) const
{
    std::map<std::tuple<LocationId, LocationId, uint8_t>, Flow> flows;
    for (const Record& record : GetRecords())
    {
        const fabric::Message& message = record.message;
        Flow& flow = flows[{message.src, message.dst, message.trafficClass}];
        flow.messages.push_back(&message);
        flow.bytes += message.bytes;
        flow.end = std::max(flow.end, record.deliveredAt);
    }
    CsvWriter csv(os,
                  {"src",
                   "dst",
                   "traffic_class",
                   "messages",
                   "bytes",
                   "start_s",
                   "end_s",
                   "goodput_bps",
                   "ideal_s",
                   "slowdown",
                   "hpcc_ideal_s"});
    const FabricIdealPaths paths(m_network);
    const FabricMessageIdeals ideals(m_network);
    for (auto& [key, flow] : flows)
    {
        const auto& [src, dst, trafficClass] = key;
        const IdealPath alone(paths.Find(src, dst));
        flow.Sort();
        const TimePs start = flow.messages.front()->sentAt;
        const TimePs duration = flow.end - start;
        const std::optional<TimePs> idealEnd = ideals.EndOf(flow.messages, alone.path);
        const fabric::IdealFields ideal(duration,
                                        idealEnd ? std::make_optional(*idealEnd - start)
                                                 : std::nullopt);
        csv.Row(fabric::HostOf(src),
                fabric::HostOf(dst),
                trafficClass,
                flow.messages.size(),
                flow.bytes,
                ToSeconds(start),
                ToSeconds(flow.end),
                static_cast<double>(flow.bytes) * 8 / ToSeconds(duration),
                ideal.seconds,
                ideal.slowdown,
                ToSeconds(alone.HpccIdeal(flow.bytes)));
    }
}

} // namespace ns3
