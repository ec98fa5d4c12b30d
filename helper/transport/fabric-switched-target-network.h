/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCHED_TARGET_NETWORK_H
#define FABRIC_SWITCHED_TARGET_NETWORK_H

#include "fabric-helper.h"
#include "fabric-target-network.h"

namespace ns3
{

/// Hosts of a fabric that exchange bytes with its last host.
class SwitchedTargetNetwork : public TargetNetwork
{
  public:
    /**
     * @param senders number of its first hosts that take part besides the target
     * @throw std::invalid_argument if the fabric has too few hosts
     */
    SwitchedTargetNetwork(const FabricContainer& fabric, uint32_t senders);

    /// Puts IPv4 on all hosts of the fabric, 10.0.0.1 and up.
    void InstallIp();

    /// Adds what the fabric drops, by cause, to its own figures.
    void ReportDrops();

    Ptr<FabricTransport> GetTransport(uint32_t host) const override;
    Address GetTransportAddress(uint32_t host) const override;
    Ipv4Address GetIpAddress() const override;
    void InstallTransport(const FabricTransportHelper& helper) const override;
    uint64_t GetPeakQueue() const override;
    uint64_t GetBytesToTarget(fabric::TimePs by) const override;
    uint64_t GetBytesFromTarget(fabric::TimePs by) const override;
    void AddHops(fabric::RunTotals& totals) const override;
    /// Adds marked_frames, where the target's switch marks, and fabric_dropped, see ReportDrops().
    void AddOwnFigures(fabric::Summary& summary) const override;

  private:
    /// @return the target's switch
    const fabric::SwitchChip& GetChip() const;
    /// @return device of a host that takes part
    Ptr<FabricNetDevice> DeviceOf(uint32_t host) const;

    FabricContainer m_fabric;    ///< The fabric.
    Ptr<FabricNetDevice> m_last; ///< Device of the target.
    Ipv4Address m_address;       ///< Of the target.
    bool m_reportsDrops{false};  ///< Whether drops are a figure.
};

} // namespace ns3

#endif // FABRIC_SWITCHED_TARGET_NETWORK_H
