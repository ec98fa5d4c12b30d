/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-figures.h"

#include "fabric-program.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

FabricTransportFigures::FabricTransportFigures(std::vector<Ptr<FabricTransport>> hosts)
    : m_hosts(std::move(hosts))
{
}

void
FabricTransportFigures::AddTo(fabric::Summary& summary) const
{
    fabric::TransportCounters all;
    uint64_t reorderPeak = 0;
    uint64_t targetPeak = 0;
    uint64_t packetPeak = 0;
    uint64_t grantedPeak = 0;
    uint64_t packets = 0;
    for (const Ptr<FabricTransport>& host : m_hosts)
    {
        const fabric::TransportEndpoint& transport = host->GetEndpoint().GetTransport();
        const fabric::TransportOccupancy occupancy = transport.Occupancy();
        const fabric::TransportCounters& counters = transport.Counters();
        reorderPeak =
            std::max({reorderPeak, occupancy.initiatorEntries.peak, occupancy.targetEntries.peak});
        targetPeak = std::max(targetPeak, occupancy.targetEntries.peak);
        packetPeak = std::max(packetPeak, occupancy.packetEntries.peak);
        grantedPeak = std::max(grantedPeak, occupancy.granted.peak);
        all.resends += counters.resends;
        all.timeOuts += counters.timeOuts;
        all.earlyResends += counters.earlyResends;
        all.trimmed += counters.trimmed;
        all.trimResends += counters.trimResends;
        all.probes += counters.probes;
        all.spuriousResends += counters.spuriousResends;
        all.undos += counters.undos;
        all.duplicates += counters.duplicates;
        all.refusals += counters.refusals;
        all.noResource += counters.noResource;
        all.refusedResends += counters.refusedResends;
        all.creditWaits += counters.creditWaits;
        all.cnpsSent += counters.cnpsSent;
        all.cnpsTaken += counters.cnpsTaken;
        for (const uint64_t sent : counters.sent)
        {
            packets += sent;
        }
    }
    summary.Add("packets", {}, packets, "1");
    summary.Add("resends", {}, all.resends, "1");
    summary.Add("time_outs", {}, all.timeOuts, "1");
    summary.Add("early_resends", {}, all.earlyResends, "1");
    if (all.trimmed > 0)
    {
        summary.Add("trimmed_packets", {}, all.trimmed, "1");
        summary.Add("trim_resends", {}, all.trimResends, "1");
    }
    summary.Add("probes", {}, all.probes, "1");
    summary.Add("spurious_resends", {}, all.spuriousResends, "1");
    summary.Add("undos", {}, all.undos, "1");
    summary.Add("duplicates_discarded", {}, all.duplicates, "1");
    summary.Add("cam_peak", {{"engine", "reorder"}}, reorderPeak, "1");
    summary.Add("cam_peak", {{"engine", "target"}}, targetPeak, "1");
    summary.Add("cam_peak", {{"engine", "retransmission"}}, packetPeak, "1");
    summary.Add("granted_peak", {}, grantedPeak, "B");
    summary.Add("refused_requests", {}, all.refusals, "1");
    summary.Add("refused_packets", {}, all.noResource, "1");
    summary.Add("refused_resends", {}, all.refusedResends, "1");
    summary.Add("credit_waits", {}, all.creditWaits, "1");
    if (m_hosts.front()->UsesCnps())
    {
        summary.Add("cnps_sent", {}, all.cnpsSent, "1");
        summary.Add("cnps_taken", {}, all.cnpsTaken, "1");
    }
}

fabric::RunTotals
FabricTransportFigures::GetTotals() const
{
    fabric::RunTotals totals;
    totals.bytesDropped["failed"] = 0;
    for (const Ptr<FabricTransport>& host : m_hosts)
    {
        const fabric::RdmaCounts& counts = host->GetEndpoint().Counts();
        totals.bytesOffered += counts.postedBytes;
        totals.bytesDelivered += counts.completedBytes;
        totals.bytesInFlight += counts.outstandingBytes;
        totals.bytesDropped["failed"] += counts.failedBytes;
    }
    return totals;
}

void
FabricTransportFigures::CheckComplete() const
{
    const fabric::RunTotals totals = GetTotals();
    const uint64_t failed = totals.bytesDropped.at("failed");
    uint64_t moved = 0;
    for (const Ptr<FabricTransport>& host : m_hosts)
    {
        const fabric::RdmaCounts& counts = host->GetEndpoint().Counts();
        moved += counts.placedBytes + counts.suppliedBytes;
    }
    if (moved < totals.bytesDelivered || moved > totals.bytesDelivered + failed)
    {
        throw fabric::InvariantError("initiators have " + std::to_string(totals.bytesDelivered) +
                                     " bytes complete and " + std::to_string(failed) +
                                     " failed, but targets have moved " + std::to_string(moved));
    }
    CheckTables(failed == 0);
}

void
FabricTransportFigures::CheckTables(bool isClean) const
{
    for (std::size_t host = 0; host < m_hosts.size(); ++host)
    {
        const fabric::TableOccupancy table =
            m_hosts[host]->GetEndpoint().GetTransport().Occupancy().targetEntries;
        if ((isClean && table.used > 0) || table.peak > table.limit)
        {
            throw fabric::InvariantError(
                "the CAM for peers' requests at host " + std::to_string(host) + " has " +
                std::to_string(table.limit) + " entries, at most " + std::to_string(table.peak) +
                " were in use, and " + std::to_string(table.used) + " are at the end");
        }
    }
}

} // namespace ns3
