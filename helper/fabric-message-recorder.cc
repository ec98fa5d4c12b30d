/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-recorder.h"

#include "fabric-csv-writer.h"
#include "fabric-ideal-completion.h"
#include "fabric-summary.h"
#include "fabric-topology.h"

#include "ns3/callback.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

using fabric::CsvWriter;
using fabric::ToSeconds;

FabricMessageRecorder::FabricMessageRecorder(Ptr<FabricNetwork> network)
    : m_network(network)
{
    m_network->TraceConnectWithoutContext("MessageDelivered",
                                          MakeCallback(&FabricMessageRecorder::Delivered, this));
}

FabricMessageRecorder::~FabricMessageRecorder()
{
    m_network->TraceDisconnectWithoutContext("MessageDelivered",
                                             MakeCallback(&FabricMessageRecorder::Delivered, this));
}

void
FabricMessageRecorder::SetCallback(std::function<void(const Record&)> onDelivery)
{
    m_onDelivery = std::move(onDelivery);
}

void
FabricMessageRecorder::Delivered(const fabric::Message& message, Time now)
{
    m_records.push_back({message, now.GetPicoSeconds()});
    m_isSorted = false;
    if (m_onDelivery)
    {
        m_onDelivery(m_records.back());
    }
}

const std::vector<FabricMessageRecorder::Record>&
FabricMessageRecorder::GetRecords() const
{
    if (!m_isSorted)
    {
        const auto key = [](const Record& record) {
            return std::make_tuple(record.deliveredAt, record.message.src, record.message.sequence);
        };
        std::sort(m_records.begin(), m_records.end(), [&key](const Record& a, const Record& b) {
            return key(a) < key(b);
        });
        m_isSorted = true;
    }
    return m_records;
}

void
FabricMessageRecorder::WriteMessages(std::ostream& os, const AloneTime& alone) const
{
    CsvWriter csv(os,
                  {"src",
                   "dst",
                   "message",
                   "traffic_class",
                   "bytes",
                   "start_s",
                   "end_s",
                   "fct_s",
                   "ideal_s",
                   "slowdown"});
    for (const Record& record : GetRecords())
    {
        const fabric::Message& message = record.message;
        const fabric::TimePs ideal = alone(message.src, message.dst, message.bytes);
        csv.Row(fabric::HostOf(message.src),
                fabric::HostOf(message.dst),
                message.sequence,
                message.trafficClass,
                message.bytes,
                ToSeconds(message.sentAt),
                ToSeconds(record.deliveredAt),
                ToSeconds(record.CompletionTime()),
                ToSeconds(ideal),
                fabric::Slowdown(record.CompletionTime(), ideal));
    }
}

void
FabricMessageRecorder::WriteFlows(std::ostream& os, const AloneTime& alone) const
{
    /// What one flow delivered.
    struct Flow
    {
        uint64_t messages{0};
        uint64_t bytes{0};
        fabric::TimePs start{fabric::NEVER};
        fabric::TimePs end{0};
    };

    std::map<std::tuple<fabric::LocationId, fabric::LocationId, uint8_t>, Flow> flows;
    for (const Record& record : GetRecords())
    {
        const fabric::Message& message = record.message;
        Flow& flow = flows[{message.src, message.dst, message.trafficClass}];
        ++flow.messages;
        flow.bytes += message.bytes;
        flow.start = std::min(flow.start, message.sentAt);
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
                   "slowdown"});
    for (const auto& [key, flow] : flows)
    {
        const auto& [src, dst, trafficClass] = key;
        const fabric::TimePs duration = flow.end - flow.start;
        const fabric::TimePs ideal = alone(src, dst, flow.bytes);
        csv.Row(fabric::HostOf(src),
                fabric::HostOf(dst),
                trafficClass,
                flow.messages,
                flow.bytes,
                ToSeconds(flow.start),
                ToSeconds(flow.end),
                static_cast<double>(flow.bytes) * 8 / ToSeconds(duration),
                ToSeconds(ideal),
                fabric::Slowdown(duration, ideal));
    }
}

} // namespace ns3
