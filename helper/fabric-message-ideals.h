/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_IDEALS_H
#define FABRIC_MESSAGE_IDEALS_H

#include "fabric-empty-path.h"
#include "fabric-message-table.h"
#include "fabric-network.h"

#include <optional>
#include <vector>

namespace ns3
{

class FabricPio;

/**
 * When messages are delivered that have the fabric to themselves, also those that a thread stores
 * into the NIC: these have its core, PCIe and credits to themselves, too.
 */
class FabricMessageIdeals
{
  public:
    /// Messages of one flow.
    using Messages = std::vector<const fabric::Message*>;

    /// @param network that the messages were sent in
    explicit FabricMessageIdeals(Ptr<FabricNetwork> network);

    /**
     * @param path of the message
     * @return how long it takes alone, ps; nothing if it has gone by SDMA, of which no closed form
     * is known
     */
    std::optional<fabric::TimePs> TimeOf(const fabric::Message& message,
                                         const fabric::EmptyPath& path) const;

    /**
     * @param messages of one host on one path, in the order in which they were handed over
     * @param path of them
     * @return when the last one is delivered, ps; nothing if one has gone by SDMA
     */
    std::optional<fabric::TimePs> EndOf(const Messages& messages, fabric::EmptyPath path) const;

  private:
    /// Bytes that a NIC gets.
    struct Piece
    {
        fabric::TimePs at; ///< When, ps.
        uint64_t bytes;    ///< How many.
    };

    /// @return what has sent a message, null for its device itself
    Ptr<FabricPio> PioOf(const fabric::Message& message) const;
    /// @return whether a message has gone by SDMA
    bool IsBySdma(const fabric::Message& message) const;
    /// @return what the NIC gets of messages, by time
    std::vector<Piece> PiecesOf(const Messages& messages) const;

    Ptr<FabricNetwork> m_network; ///< Of the messages.
};

} // namespace ns3

#endif // FABRIC_MESSAGE_IDEALS_H
