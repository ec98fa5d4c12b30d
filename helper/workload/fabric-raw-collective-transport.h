/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RAW_COLLECTIVE_TRANSPORT_H
#define FABRIC_RAW_COLLECTIVE_TRANSPORT_H

#include "fabric-collective-transport.h"
#include "fabric-helper.h"
#include "fabric-rank-placement.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// @return class, virtual network and process that the attributes of ns3::FabricMessageSender say,
/// so that they count for messages of no such application, too
MessageFlow UsualMessageFlow();

/// Native messages of hosts of a fabric.
class RawCollectiveTransport : public CollectiveTransport
{
  public:
    /// @param hosts by rank, another one each; nobody else sends messages to them
    RawCollectiveTransport(const FabricContainer& fabric, const std::vector<uint32_t>& hosts);

    /// @param ranks hosts that take part, rank r at host r; nobody else sends messages to them
    RawCollectiveTransport(const FabricContainer& fabric, uint32_t ranks)
        : RawCollectiveTransport(fabric, FirstHosts(ranks))
    {
    }

    ~RawCollectiveTransport() override;

    bool IsElsewhere(uint32_t rank) const override;

    void Send(const Message& message) override;

  private:
    std::vector<Ptr<FabricNetDevice>> m_devices; ///< By rank.
    MessageFlow m_flow;                          ///< Of the messages.
};

} // namespace ns3::fabric

#endif // FABRIC_RAW_COLLECTIVE_TRANSPORT_H
