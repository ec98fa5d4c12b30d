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
    m_early.emplace(HeaderOf(piece).number, piece);
    for (auto first = m_early.begin(); first != m_early.end() && first->first == m_next;
         first = m_early.begin())
    {
        const RankBytes& next = first->second;
        m_begun.insert(m_begun.end(), next.begin() + sizeof(PieceHeader), next.end());
        const bool isLast = HeaderOf(next).isLast != 0;
        m_early.erase(first);
        ++m_next;
        if (isLast)
        {
            take(m_begun);
            m_begun.clear();
        }
    }
}

} // namespace ns3::fabric
