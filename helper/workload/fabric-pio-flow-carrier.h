/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_FLOW_CARRIER_H
#define FABRIC_PIO_FLOW_CARRIER_H

#include "fabric-message-flow-carrier.h"
#include "fabric-pio.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Each flow is a message that its host sends by programmed I/O. The threads of a host, one unless
 * ns3::FabricPio::Threads says more, share its flows by receiver, and those to one receiver in
 * turn. A thread writes one flow after the other.
 */
class PioFlowCarrier : public MessageFlowCarrier
{
  public:
    /// @param fabric whose hosts send, and have no ns3::FabricPio yet @param list what they send;
    /// both stay as long as they do
    PioFlowCarrier(const FabricContainer& fabric, const FlowList& list);

  private:
    void Send(const FlowList::Flow& flow, uint64_t tag) override;

    std::vector<Ptr<FabricPio>> m_hosts; ///< By number.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_FLOW_CARRIER_H
