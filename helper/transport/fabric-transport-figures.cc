/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-figures.h"

#include "fabric-program.h"
#include "fabric-rank-link.h"

#include "ns3/node.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

namespace ns3
{

FabricTransportFigures::FabricTransportFigures(const std::vector<Ptr<FabricTransport>>& hosts)
    : m_usesCnps(hosts.front()->UsesCnps())
{
    std::copy_if(hosts.begin(), hosts.end(), std::back_inserter(m_hosts), [](const auto& host) {
        return !host->IsElsewhere();
    });
    for (const Ptr<FabricTransport>& host : m_hosts)
    {
        Count(*host);
    }
    m_sums = fabric::SumOverRanks(m_sums);
    m_peaks = fabric::MostOfRanks(m_peaks);
}

void
FabricTransportFigures::Count(const FabricTransport& host)
{
    const fabric::RdmaCounts& counts = host.GetEndpoint().Counts();
    m_sums[POSTED_BYTES] += counts.postedBytes;
    m_sums[COMPLETED_BYTES] += counts.completedBytes;
    m_sums[OUTSTANDING_BYTES] += counts.outstandingBytes;
    m_sums[FAILED_BYTES] += counts.failedBytes;
    m_sums[MOVED_BYTES] += counts.placedBytes + counts.suppliedBytes;
    const fabric::TransportEndpoint& transport = host.GetEndpoint().GetTransport();
    CountPackets(transport);
    const fabric::TransportOccupancy occupancy = transport.Occupancy();
    const auto raise = [this](Peak peak, uint64_t value) {
        m_peaks[peak] = std::max(m_peaks[peak], value);
    };
    raise(REORDER_CAM, std::max(occupancy.initiatorEntries.peak, occupancy.targetEntries.peak));
    raise(TARGET_CAM, occupancy.targetEntries.peak);
    raise(PACKET_CAM, occupancy.packetEntries.peak);
    raise(GRANTED, occupancy.granted.peak);
}

void
FabricTransportFigures::CountPackets(const fabric::TransportEndpoint& transport)
{
    const fabric::TransportCounters& counters = transport.Counters();
    m_sums[PACKETS] += std::accumulate(counters.sent.begin(), counters.sent.end(), uint64_t{0});
    m_sums[RESENDS] += counters.resends;
    m_sums[TIME_OUTS] += counters.timeOuts;
    m_sums[EARLY_RESENDS] += counters.earlyResends;
    m_sums[TRIMMED] += counters.trimmed;
    m_sums[TRIM_RESENDS] += counters.trimResends;
    m_sums[PROBES] += counters.probes;
    m_sums[SPURIOUS_RESENDS] += counters.spuriousResends;
    m_sums[UNDOS] += counters.undos;
    m_sums[DUPLICATES] += counters.duplicates;
    m_sums[REFUSED_REQUESTS] += counters.refusals;
    m_sums[REFUSED_PACKETS] += counters.noResource;
    m_sums[REFUSED_RESENDS] += counters.refusedResends;
    m_sums[CREDIT_WAITS] += counters.creditWaits;
    m_sums[CNPS_SENT] += counters.cnpsSent;
    m_sums[CNPS_TAKEN] += counters.cnpsTaken;
}

void
FabricTransportFigures::AddTo(fabric::Summary& summary) const
{
    summary.Add("packets", {}, m_sums[PACKETS], "1");
    summary.Add("resends", {}, m_sums[RESENDS], "1");
    summary.Add("time_outs", {}, m_sums[TIME_OUTS], "1");
    summary.Add("early_resends", {}, m_sums[EARLY_RESENDS], "1");
    if (m_sums[TRIMMED] > 0)
    {
        summary.Add("trimmed_packets", {}, m_sums[TRIMMED], "1");
        summary.Add("trim_resends", {}, m_sums[TRIM_RESENDS], "1");
    }
    summary.Add("probes", {}, m_sums[PROBES], "1");
    summary.Add("spurious_resends", {}, m_sums[SPURIOUS_RESENDS], "1");
    summary.Add("undos", {}, m_sums[UNDOS], "1");
    summary.Add("duplicates_discarded", {}, m_sums[DUPLICATES], "1");
    summary.Add("cam_peak", {{"engine", "reorder"}}, m_peaks[REORDER_CAM], "1");
    summary.Add("cam_peak", {{"engine", "target"}}, m_peaks[TARGET_CAM], "1");
    summary.Add("cam_peak", {{"engine", "retransmission"}}, m_peaks[PACKET_CAM], "1");
    summary.Add("granted_peak", {}, m_peaks[GRANTED], "B");
    summary.Add("refused_requests", {}, m_sums[REFUSED_REQUESTS], "1");
    summary.Add("refused_packets", {}, m_sums[REFUSED_PACKETS], "1");
    summary.Add("refused_resends", {}, m_sums[REFUSED_RESENDS], "1");
    summary.Add("credit_waits", {}, m_sums[CREDIT_WAITS], "1");
    if (m_usesCnps)
    {
        summary.Add("cnps_sent", {}, m_sums[CNPS_SENT], "1");
        summary.Add("cnps_taken", {}, m_sums[CNPS_TAKEN], "1");
    }
}

fabric::RunTotals
FabricTransportFigures::GetTotals() const
{
    fabric::RunTotals totals;
    totals.bytesOffered = m_sums[POSTED_BYTES];
    totals.bytesDelivered = m_sums[COMPLETED_BYTES];
    totals.bytesInFlight = m_sums[OUTSTANDING_BYTES];
    totals.bytesDropped["failed"] = m_sums[FAILED_BYTES];
    return totals;
}

void
FabricTransportFigures::CheckComplete() const
{
    const uint64_t complete = m_sums[COMPLETED_BYTES];
    const uint64_t failed = m_sums[FAILED_BYTES];
    const uint64_t moved = m_sums[MOVED_BYTES];
    if (moved < complete || moved > complete + failed)
    {
        throw fabric::InvariantError("initiators have " + std::to_string(complete) +
                                     " bytes complete and " + std::to_string(failed) +
                                     " failed, but targets have moved " + std::to_string(moved));
    }
    CheckTables(failed == 0);
}

void
FabricTransportFigures::CheckTables(bool isClean) const
{
    for (const Ptr<FabricTransport>& host : m_hosts)
    {
        const fabric::TableOccupancy table =
            host->GetEndpoint().GetTransport().Occupancy().targetEntries;
        if ((isClean && table.used > 0) || table.peak > table.limit)
        {
            throw fabric::InvariantError("the CAM for peers' requests at node " +
                                         std::to_string(host->GetNode()->GetId()) + " has " +
                                         std::to_string(table.limit) + " entries, at most " +
                                         std::to_string(table.peak) + " were in use, and " +
                                         std::to_string(table.used) + " are at the end");
        }
    }
}

} // namespace ns3
