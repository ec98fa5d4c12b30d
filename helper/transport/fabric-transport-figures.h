/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_FIGURES_H
#define FABRIC_TRANSPORT_FIGURES_H

#include "fabric-run-totals.h"
#include "fabric-summary.h"
#include "fabric-transport.h"

#include <vector>

namespace ns3
{

/**
 * What the reliable transports of some hosts have counted so far: figures of a summary, totals, and
 * whether initiators and targets agree. It is that of all ranks of MPI.
 */
class FabricTransportFigures
{
  public:
    /// All ranks have to make it, when the simulation is over.
    /// @param hosts their transports, installed, of which the first says what all use
    explicit FabricTransportFigures(const std::vector<Ptr<FabricTransport>>& hosts);

    /**
     * Adds packets, resends and what they were for, duplicates_discarded, cam_peak, granted_peak,
     * what was refused, and with DCQCN the CNPs.
     */
    void AddTo(fabric::Summary& summary) const;

    /// @return payload of operations: posted, complete, failed and under way; time and hops are
    /// not counted
    fabric::RunTotals GetTotals() const;

    /**
     * To be called when nothing is under way any more.
     *
     * @throws fabric::InvariantError if what the initiators have complete is not what the targets
     * have placed or supplied, a table for peers' requests was overrun, or, where nothing has
     * failed, one is not empty
     */
    void CheckComplete() const;

  private:
    /// What is added up over hosts.
    enum Sum : std::size_t
    {
        PACKETS,           ///< Sent.
        RESENDS,           ///< Sent again.
        TIME_OUTS,         ///< Of packets.
        EARLY_RESENDS,     ///< Before a time-out.
        TRIMMED,           ///< That came as headers.
        TRIM_RESENDS,      ///< Sent again since they were trimmed.
        PROBES,            ///< For the last of a window.
        SPURIOUS_RESENDS,  ///< Of what had come.
        UNDOS,             ///< Of windows that were made smaller for them.
        DUPLICATES,        ///< Discarded.
        REFUSED_REQUESTS,  ///< By targets.
        REFUSED_PACKETS,   ///< For want of a resource.
        REFUSED_RESENDS,   ///< For these.
        CREDIT_WAITS,      ///< For credit of requests.
        CNPS_SENT,         ///< By receivers.
        CNPS_TAKEN,        ///< By senders.
        POSTED_BYTES,      ///< Of operations.
        COMPLETED_BYTES,   ///< Of operations.
        OUTSTANDING_BYTES, ///< Of operations.
        FAILED_BYTES,      ///< Of operations.
        MOVED_BYTES,       ///< That targets have placed or supplied.
        SUMS               ///< Number of them.
    };

    /// Of what the largest of all hosts counts.
    enum Peak : std::size_t
    {
        REORDER_CAM, ///< Entries in use.
        TARGET_CAM,  ///< Entries in use.
        PACKET_CAM,  ///< Entries in use.
        GRANTED,     ///< Bytes.
        PEAKS        ///< Number of them.
    };

    /// Adds what a transport of this rank has counted.
    void Count(const FabricTransport& host);
    /// Adds what a transport's packets were, and what happened to them.
    void CountPackets(const fabric::TransportEndpoint& transport);
    /// No table for peers' requests was overrun. @param isClean whether all have to be empty
    void CheckTables(bool isClean) const;

    std::vector<Ptr<FabricTransport>> m_hosts;                    ///< Those of this rank.
    bool m_usesCnps;                                              ///< Whether CNPs are sent.
    std::vector<uint64_t> m_sums = std::vector<uint64_t>(SUMS);   ///< By Sum.
    std::vector<uint64_t> m_peaks = std::vector<uint64_t>(PEAKS); ///< By Peak.
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_FIGURES_H
