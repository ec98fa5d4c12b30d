/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_COLLECTIVE_TRANSPORT_H
#define FABRIC_PIO_COLLECTIVE_TRANSPORT_H

#include "fabric-collective-transport.h"
#include "fabric-helper.h"
#include "fabric-pio.h"
#include "fabric-rank-placement.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Messages that hosts of a fabric send by programmed I/O.
/// The threads of a host, one unless ns3::FabricPio::Threads says more, share them by receiver.
class PioCollectiveTransport : public CollectiveTransport
{
  public:
    /// @param hosts by rank, another one each; they have no ns3::FabricPio yet
    PioCollectiveTransport(const FabricContainer& fabric, const std::vector<uint32_t>& hosts);

    /// @param ranks hosts that take part, rank r at host r; they have no ns3::FabricPio yet
    PioCollectiveTransport(const FabricContainer& fabric, uint32_t ranks)
        : PioCollectiveTransport(fabric, FirstHosts(ranks))
    {
    }

    bool IsElsewhere(uint32_t rank) const override;

    void Send(const Message& message) override;

  private:
    std::vector<LocationId> m_locations; ///< By rank.
    std::vector<Ptr<FabricPio>> m_hosts; ///< By rank.
    MessageFlow m_flow;                  ///< Of the messages.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_COLLECTIVE_TRANSPORT_H
