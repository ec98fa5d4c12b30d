/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_RECORDER_H
#define FABRIC_TRANSPORT_RECORDER_H

#include "fabric-initiator-application.h"
#include "fabric-transport.h"
#include "fabric-types.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Writes down what transports and initiators trace: operations, and packets for a timeline.
 */
class FabricTransportRecorder
{
  public:
    /// An operation that is complete, or has failed.
    struct Operation
    {
        uint32_t host;           ///< Number of the initiator's host.
        fabric::RdmaEvent event; ///< Its completion.
        fabric::TimePs end;      ///< When the application learned of it, ps.

        /// @return from the post to the end, ps
        fabric::TimePs Latency() const
        {
            return end - event.postedAt;
        }

        /// @return whether it has not failed
        bool IsOk() const
        {
            return event.status == fabric::TransportStatus::OK;
        }

        /// @return its name in messages.csv
        const char* StatusName() const;
    };

    /// @param initiator its operations are recorded
    void Add(uint32_t host, Ptr<FabricInitiatorApplication> initiator);

    /// @param transport its packets are recorded, as they are sent and taken
    void Add(uint32_t host, Ptr<FabricTransport> transport);

    /// @param callback is called when an operation is complete or has failed
    void SetCallback(std::function<void()> callback)
    {
        m_callback = std::move(callback);
    }

    /// Adds operations of other ranks; all call it once, when the simulation is over.
    void AddRanks();

    /// @return operations by end, host and number
    const std::vector<Operation>& GetOperations() const;

    /// @return operations that are complete with status OK or have failed
    uint64_t GetFinished() const
    {
        return m_operations.size();
    }

    /// @return how many of these are pulls
    uint64_t GetPulls() const
    {
        return m_pulls;
    }

    /// @return end of the last operation, ps
    fabric::TimePs GetEnd() const
    {
        return m_end;
    }

    /// @return how many operations have ended with each status, by its name in messages.csv; OK is
    /// among them in any case
    std::map<std::string, uint64_t> CountStatuses() const;

    /// @return latencies of the operations that are complete with status OK, s
    std::vector<double> GetLatencies() const;

    /// @param os where the operations go: messages.csv
    void WriteOperations(std::ostream& os) const;

    /// @param os where the packets go, by time and host: packets.csv
    void WritePackets(std::ostream& os) const;

  private:
    /// A packet that was sent or taken.
    struct Seen
    {
        fabric::TimePs time;            ///< When, ps.
        uint32_t host;                  ///< Where.
        Address peer;                   ///< The other end.
        bool isSent;                    ///< Or taken.
        fabric::TransportPacket packet; ///< What its header says.
    };

    /// First sending of each packet with a PSN: sender, receiver, CID, window and PSN; ps.
    using FirstSent = std::map<std::tuple<uint32_t, uint32_t, fabric::ConnectionId, bool, uint32_t>,
                               fabric::TimePs>;

    /// @return number of the host, nothing if it is none of those that were added
    std::optional<uint32_t> HostOf(const Address& peer) const;

    /**
     * @param peer the other end's host
     * @param first what was sent before; a packet that is sent is added
     * @return whether the packet was sent before it was sent here, or came here
     */
    static bool IsResend(const Seen& seen, uint32_t peer, FirstSent& first);

    /// Writes an operation down.
    void Finished(uint32_t host, const fabric::RdmaEvent& event);

    mutable std::vector<Operation> m_operations; ///< Sorted when somebody looks.
    std::map<Address, uint32_t> m_hosts;         ///< By address: MAC or IPv4.
    std::map<uint32_t, uint32_t> m_nodes;        ///< Numbers of nodes, by host.
    std::vector<Seen> m_packets;                 ///< As they were traced.
    uint64_t m_pulls{0};                         ///< Pulls among them.
    fabric::TimePs m_end{0};                     ///< Of the last operation, ps.
    std::function<void()> m_callback;            ///< Is called after each.
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_RECORDER_H
