/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_PIECES_H
#define FABRIC_MESSAGE_PIECES_H

#include "fabric-byte-stream.h"

#include <cstdint>
#include <functional>
#include <map>

namespace ns3::fabric
{

/**
 * Cuts messages from one rank to another into pieces, since ns-3's messages between ranks are
 * small, and numbers them, since those of one time may come in any order.
 */
class MessageCutter
{
  public:
    /// @param from rank that sends
    explicit MessageCutter(uint32_t from)
        : m_from(from)
    {
    }

    /// Is given each piece, which is overwritten by the next.
    using TakePiece = std::function<void(const RankBytes& piece)>;

    /**
     * @param message not empty
     * @param take is called for each piece, in order
     */
    void Cut(const RankBytes& message, const TakePiece& take);

    /// @return the rank that has sent a piece
    static uint32_t SenderOf(const RankBytes& piece);

  private:
    uint32_t m_from;      ///< Sends.
    uint64_t m_pieces{0}; ///< Number of pieces so far.
    RankBytes m_piece;    ///< The last one.
};

/// Puts the pieces of messages from one rank to another together again.
class MessageJoiner
{
  public:
    /// Is given each message.
    using TakeMessage = std::function<void(const RankBytes& message)>;

    /**
     * @param piece that has come
     * @param take is called for each message that is complete now, in the order in which they were
     * sent
     */
    void Take(const RankBytes& piece, const TakeMessage& take);

  private:
    /// Goes on with the next piece.
    void Append(const RankBytes& piece, const TakeMessage& take);

    uint64_t m_next{0};                    ///< Number of the piece that goes on.
    std::map<uint64_t, RankBytes> m_early; ///< Pieces that have come before it, by number.
    RankBytes m_begun;                     ///< Of the next message: what has come in order.
};

} // namespace ns3::fabric

#endif // FABRIC_MESSAGE_PIECES_H
