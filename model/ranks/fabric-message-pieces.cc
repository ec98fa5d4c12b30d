/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-pieces.h"

#include <algorithm>
#include <cstring>

namespace ns3::fabric
{

namespace
{

/// A message of ns-3 between ranks has at most 2000 bytes with what ns-3 adds: MAX_MPI_MSG_SIZE in
/// its granted-time-window-mpi-interface.h.
constexpr std::size_t PIECE_BYTES = 1900;

/// Stands before the bytes of a piece.
struct PieceHeader
{
    uint64_t number; ///< Of the piece, from one rank to another.
    uint32_t from;   ///< Rank that has sent it.
    uint32_t isLast; ///< Whether the message ends with it.
};

/// @return header of a piece
PieceHeader
HeaderOf(const RankBytes& piece)
{
    return ByteReader(piece).Get<PieceHeader>();
}

} // namespace

void
MessageCutter::Cut(const RankBytes& message, const TakePiece& take)
{
    for (std::size_t at = 0; at < message.size(); at += PIECE_BYTES)
    {
        const std::size_t size = std::min(PIECE_BYTES, message.size() - at);
        const PieceHeader header{m_pieces++, m_from, at + size == message.size()};
        m_piece.resize(sizeof(header) + size);
        std::memcpy(m_piece.data(), &header, sizeof(header));
        std::memcpy(m_piece.data() + sizeof(header), message.data() + at, size);
        take(m_piece);
    }
}

uint32_t
MessageCutter::SenderOf(const RankBytes& piece)
{
    return HeaderOf(piece).from;
}

void
MessageJoiner::Take(const RankBytes& piece, const TakeMessage& take)
{
    const uint64_t number = HeaderOf(piece).number;
    if (number != m_next)
    {
        m_early.emplace(number, piece);
        return;
    }
    Append(piece, take);
    for (auto first = m_early.begin(); first != m_early.end() && first->first == m_next;
         first = m_early.erase(first))
    {
        Append(first->second, take);
    }
}

void
MessageJoiner::Append(const RankBytes& piece, const TakeMessage& take)
{
    ++m_next;
    m_begun.insert(m_begun.end(), piece.begin() + sizeof(PieceHeader), piece.end());
    if (HeaderOf(piece).isLast != 0)
    {
        take(m_begun);
        m_begun.clear();
    }
}

} // namespace ns3::fabric
