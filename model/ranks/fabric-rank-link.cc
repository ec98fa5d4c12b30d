/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-link.h"

#include "ns3/packet.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#ifdef FABRIC_HAS_MPI
#include "ns3/distributed-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <mpi.h>
#endif

namespace ns3::fabric
{

#ifdef FABRIC_HAS_MPI

bool
HasMpi()
{
    return true;
}

void
EnableRanks()
{
    if (!MpiInterface::IsEnabled())
    {
        GlobalValue::Bind("SimulatorImplementationType",
                          StringValue("ns3::DistributedSimulatorImpl"));
        MpiInterface::Enable(nullptr, nullptr);
    }
}

void
DisableRanks()
{
    MpiInterface::Disable();
}

uint32_t
RankCount()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSize() : 1;
}

uint32_t
OwnRank()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSystemId() : 0;
}

void
BoundLookahead(Time lookahead)
{
    const auto simulator = DynamicCast<DistributedSimulatorImpl>(Simulator::GetImplementation());
    if (!simulator)
    {
        throw std::invalid_argument(
            "a fabric on several ranks is run by another simulator; allowed "
            "is SimulatorImplementationType=ns3::DistributedSimulatorImpl");
    }
    simulator->BoundLookAhead(lookahead);
}

std::vector<RankBytes>
GatherFromRanks(const RankBytes& own)
{
    if (RankCount() == 1)
    {
        return {own};
    }
    const MPI_Comm communicator = MpiInterface::GetCommunicator();
    std::vector<RankBytes> all(RankCount());
    for (uint32_t rank = 0; rank < all.size(); ++rank)
    {
        // One after the other, since a count of MPI has 31 bits for all together.
        uint64_t size = own.size();
        MPI_Bcast(&size, 1, MPI_UINT64_T, static_cast<int>(rank), communicator);
        all[rank].resize(size);
        if (rank == OwnRank())
        {
            all[rank] = own;
        }
        constexpr uint64_t MOST = 1 << 30;
        for (uint64_t at = 0; at < size; at += MOST)
        {
            MPI_Bcast(all[rank].data() + at,
                      static_cast<int>(std::min(MOST, size - at)),
                      MPI_BYTE,
                      static_cast<int>(rank),
                      communicator);
        }
    }
    return all;
}

#else

bool
HasMpi()
{
    return false;
}

void
EnableRanks()
{
    throw std::invalid_argument("the module was built with an ns-3 without MPI, so there is one "
                                "rank; allowed is an ns-3 that was configured with --enable-mpi");
}

void
DisableRanks()
{
}

uint32_t
RankCount()
{
    return 1;
}

uint32_t
OwnRank()
{
    return 0;
}

void
BoundLookahead(Time /* lookahead */)
{
}

std::vector<RankBytes>
GatherFromRanks(const RankBytes& own)
{
    return {own};
}

#endif

std::vector<uint64_t>
SumOverRanks(const std::vector<uint64_t>& own)
{
    std::vector<uint64_t> sums(own.size());
    ByteWriter writer;
    writer.PutAll(own);
    for (const RankBytes& bytes : GatherFromRanks(writer.Written()))
    {
        const std::vector<uint64_t> values = ByteReader(bytes).GetAll<uint64_t>();
        std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
    }
    return sums;
}

namespace
{

/// A message of ns-3 between ranks has at most 2000 bytes with what ns-3 adds: MAX_MPI_MSG_SIZE in
/// its granted-time-window-mpi-interface.h.
constexpr std::size_t PIECE_BYTES = 1900;

/// What stands before the bytes of a piece.
struct PieceHeader
{
    uint32_t from;   ///< Rank that has sent it.
    uint32_t isLast; ///< Whether the message ends with it.
};

} // namespace

#ifdef FABRIC_HAS_MPI

RankLink::RankLink(std::vector<Ptr<NetDevice>> doors, Receiver receiver)
    : m_doors(std::move(doors)),
      m_receiver(receiver)
{
    const auto mpi = CreateObject<MpiReceiver>();
    mpi->SetReceiveCallback(MakeCallback(&RankLink::Receive, this));
    m_doors[OwnRank()]->AggregateObject(mpi);
}

void
RankLink::Send(uint32_t rank, const RankBytes& bytes, Time at)
{
    RankBytes piece;
    for (std::size_t from = 0; from < bytes.size(); from += PIECE_BYTES)
    {
        const std::size_t size = std::min(PIECE_BYTES, bytes.size() - from);
        const PieceHeader header{OwnRank(), from + size == bytes.size()};
        piece.resize(sizeof(header) + size);
        std::memcpy(piece.data(), &header, sizeof(header));
        std::memcpy(piece.data() + sizeof(header), bytes.data() + from, size);
        MpiInterface::SendPacket(Create<Packet>(piece.data(), piece.size()),
                                 at,
                                 m_doors[rank]->GetNode()->GetId(),
                                 m_doors[rank]->GetIfIndex());
    }
}

#else

RankLink::RankLink(std::vector<Ptr<NetDevice>> doors, Receiver receiver)
    : m_doors(std::move(doors)),
      m_receiver(receiver)
{
}

void
RankLink::Send(uint32_t /* rank */, const RankBytes& /* bytes */, Time /* at */)
{
    throw std::logic_error("there is no other rank");
}

#endif

void
RankLink::Receive(Ptr<Packet> piece)
{
    RankBytes bytes(piece->GetSize());
    piece->CopyData(bytes.data(), bytes.size());
    PieceHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    RankBytes& message = m_begun[header.from];
    message.insert(message.end(), bytes.begin() + sizeof(header), bytes.end());
    if (header.isLast)
    {
        const RankBytes whole = std::exchange(message, {});
        m_receiver(whole);
    }
}

} // namespace ns3::fabric
