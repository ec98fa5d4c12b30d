/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TARGET_NETWORK_H
#define FABRIC_TARGET_NETWORK_H

#include "fabric-run-totals.h"
#include "fabric-summary.h"
#include "fabric-transport-helper.h"

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"

#include <cstdint>

namespace ns3
{

/**
 * Hosts of which all but the last, the target, exchange bytes with that one, and what is between
 * them: the same measurements for the reliable transport and TCP, over a fabric or over IP.
 */
class TargetNetwork
{
  public:
    /// What a transfer came to.
    struct Completion
    {
        uint64_t bytes{0};           ///< Payload that was delivered.
        uint64_t bytesToTarget{0};   ///< Over the target's link by the end, frames' headers apart.
        fabric::TimePs end{0};       ///< When the last byte was delivered, ps.
        uint64_t bytesFromTarget{0}; ///< As bytesToTarget, the other way; both are 0 where there
                                     ///< are no data.
    };

    virtual ~TargetNetwork() = default;

    TargetNetwork(const TargetNetwork&) = delete;
    TargetNetwork& operator=(const TargetNetwork&) = delete;

    /// @return the hosts; the last is the target
    const NodeContainer& GetHosts() const;

    /// @return number of hosts besides the target, which have the numbers from 0
    uint32_t GetSenders() const;

    Ptr<Node> GetTarget() const;

    /// @param host number of it @return its transport, after InstallTransport()
    virtual Ptr<FabricTransport> GetTransport(uint32_t host) const;

    /// @param host number of it @return its address for FabricInitiatorApplication::Remote
    virtual Address GetTransportAddress(uint32_t host) const = 0;

    /// @return address of the target for sockets; any, if its hosts have no IP
    virtual Ipv4Address GetIpAddress() const = 0;

    /// Puts the reliable transport on all hosts. @param helper makes it
    virtual void InstallTransport(const FabricTransportHelper& helper) const = 0;

    /// @return most bytes that waited for the target's link; on several ranks all call it, when the
    /// simulation is over, and AddHops() and AddOwnFigures(), too
    virtual uint64_t GetPeakQueue() const = 0;

    /**
     * @param by the present; on several ranks, where each tells of its own hosts, any time of the
     * run, ps
     * @return bytes over the target's link by then, frames' headers apart
     */
    virtual uint64_t GetBytesToTarget(fabric::TimePs by) const = 0;

    /// @return bytes over the target's link to the other hosts; see GetBytesToTarget()
    virtual uint64_t GetBytesFromTarget(fabric::TimePs by) const = 0;

    /// Adds what links have carried. @param totals the common figures
    virtual void AddHops(fabric::RunTotals& totals) const = 0;

    /// Adds figures that only this kind of network has. @param summary the figures
    virtual void AddOwnFigures(fabric::Summary& summary) const = 0;

    /**
     * Adds completion_time, goodput, receiver_link_busy and peak_queue. The link is the target's,
     * the way that data take; the busier way if they take both.
     *
     * @param summary the figures
     * @param completion of what was sent
     */
    void AddCompletion(fabric::Summary& summary, const Completion& completion) const;

  protected:
    /// @param rate of the target's link
    explicit TargetNetwork(DataRate rate);

    NodeContainer m_hosts; ///< The last is the target.

  private:
    DataRate m_rate; ///< Of the target's link.
};

} // namespace ns3

#endif // FABRIC_TARGET_NETWORK_H
