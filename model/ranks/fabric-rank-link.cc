/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-link.h"

#include "ns3/packet.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#ifdef FABRIC_HAS_MPI
#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator-impl.h"
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
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Disable();
    }
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

std::vector<RankBytes>
GatherFromRanks(const RankBytes& own)
{
    return {own};
}

#endif

namespace
{

/// @param join makes one value of two @return what the ranks' values make, for each
template <typename Join>
std::vector<uint64_t>
JoinOverRanks(const std::vector<uint64_t>& own, Join join)
{
    std::vector<uint64_t> joined(own.size());
    ByteWriter writer;
    writer.PutAll(own);
    for (const RankBytes& bytes : GatherFromRanks(writer.Written()))
    {
        const std::vector<uint64_t> values = ByteReader(bytes).GetAll<uint64_t>();
        std::transform(joined.begin(), joined.end(), values.begin(), joined.begin(), join);
    }
    return joined;
}

} // namespace

std::vector<uint64_t>
SumOverRanks(const std::vector<uint64_t>& own)
{
    return JoinOverRanks(own, std::plus<>());
}

std::vector<uint64_t>
MostOfRanks(const std::vector<uint64_t>& own)
{
    return JoinOverRanks(own, [](uint64_t a, uint64_t b) { return std::max(a, b); });
}

namespace
{

/// A message of ns-3 between ranks has at most 2000 bytes with what ns-3 adds: MAX_MPI_MSG_SIZE in
/// its granted-time-window-mpi-interface.h.
constexpr std::size_t PIECE_BYTES = 1900;

} // namespace

#ifdef FABRIC_HAS_MPI

namespace
{

/// @return a new device of a node, at one end of a link
Ptr<NetDevice>
AddEnd(Ptr<Node> node, Ptr<PointToPointChannel> channel)
{
    const auto device = CreateObject<PointToPointNetDevice>();
    node->AddDevice(device);
    device->Attach(channel);
    return device;
}

} // namespace

RankLink::RankLink(const std::vector<Ptr<Node>>& doors, Time lookahead, Receiver receiver)
    : m_lookahead(lookahead),
      m_doors(doors.size()),
      m_receiver(receiver),
      m_sent(doors.size()),
      m_inboxes(doors.size())
{
    const std::string simulator = Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    if (simulator != "ns3::DistributedSimulatorImpl")
    {
        throw std::invalid_argument("a fabric on several ranks is run by " + simulator +
                                    "; allowed is ns3::DistributedSimulatorImpl as "
                                    "SimulatorImplementationType");
    }
    for (std::size_t rank = 1; rank < doors.size(); ++rank)
    {
        const auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(lookahead));
        m_doors[0] = AddEnd(doors[0], channel);
        m_doors[rank] = AddEnd(doors[rank], channel);
    }
    const auto mpi = CreateObject<MpiReceiver>();
    mpi->SetReceiveCallback(MakeCallback(&RankLink::Receive, this));
    m_doors[OwnRank()]->AggregateObject(mpi);
}

void
RankLink::Send(uint32_t rank, const RankBytes& bytes)
{
    const Time at = Simulator::Now() + m_lookahead;
    RankBytes piece;
    for (std::size_t from = 0; from < bytes.size(); from += PIECE_BYTES)
    {
        const std::size_t size = std::min(PIECE_BYTES, bytes.size() - from);
        const PieceHeader header{m_sent[rank]++, OwnRank(), from + size == bytes.size()};
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

RankLink::RankLink(const std::vector<Ptr<Node>>& doors, Time lookahead, Receiver receiver)
    : m_lookahead(lookahead),
      m_doors(doors.size()),
      m_receiver(receiver),
      m_sent(doors.size()),
      m_inboxes(doors.size())
{
}

void
RankLink::Send(uint32_t /* rank */, const RankBytes& /* bytes */)
{
    throw std::logic_error("there is no other rank");
}

#endif

void
RankLink::Receive(Ptr<Packet> packet)
{
    RankBytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    PieceHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    Inbox& inbox = m_inboxes[header.from];
    inbox.early[header.number] = {{bytes.begin() + sizeof(header), bytes.end()},
                                  header.isLast != 0};
    TakeInOrder(inbox);
}

void
RankLink::TakeInOrder(Inbox& inbox)
{
    for (auto first = inbox.early.begin(); first != inbox.early.end() && first->first == inbox.next;
         first = inbox.early.begin())
    {
        const Piece piece = std::move(first->second);
        inbox.early.erase(first);
        ++inbox.next;
        inbox.begun.insert(inbox.begun.end(), piece.bytes.begin(), piece.bytes.end());
        if (piece.isLast)
        {
            m_receiver(std::exchange(inbox.begun, {}));
        }
    }
}

} // namespace ns3::fabric
