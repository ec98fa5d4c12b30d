/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-link.h"

#include "ns3/packet.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

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

bool
IsRank()
{
    return MpiInterface::IsEnabled();
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

bool
IsRank()
{
    return false;
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

#ifdef FABRIC_HAS_MPI

/// @return a new device of a node, at one end of a link
Ptr<NetDevice>
AddEnd(Ptr<Node> node, Ptr<PointToPointChannel> channel)
{
    const auto device = CreateObject<PointToPointNetDevice>();
    node->AddDevice(device);
    device->Attach(channel);
    return device;
}

/// @return a device for each rank, linked with rank 0's by links with the look-ahead as their delay
std::vector<Ptr<NetDevice>>
LinkDoors(const std::vector<Ptr<Node>>& nodes, Time lookahead)
{
    std::vector<Ptr<NetDevice>> doors(nodes.size());
    for (std::size_t rank = 1; rank < nodes.size(); ++rank)
    {
        const auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(lookahead));
        doors[0] = AddEnd(nodes[0], channel);
        doors[rank] = AddEnd(nodes[rank], channel);
    }
    return doors;
}

/// @param receiver is called with each packet that comes to a device from another rank
void
Listen(Ptr<NetDevice> door, Callback<void, Ptr<Packet>> receiver)
{
    const auto mpi = CreateObject<MpiReceiver>();
    mpi->SetReceiveCallback(receiver);
    door->AggregateObject(mpi);
}

/// Sends a packet to another rank. @param door takes it there
void
SendTo(const NetDevice& door, Ptr<Packet> packet, Time at)
{
    MpiInterface::SendPacket(packet, at, door.GetNode()->GetId(), door.GetIfIndex());
}

#else

std::vector<Ptr<NetDevice>>
LinkDoors(const std::vector<Ptr<Node>>& /* nodes */, Time /* lookahead */)
{
    throw std::logic_error("there is no other rank");
}

void
Listen(Ptr<NetDevice> /* door */, Callback<void, Ptr<Packet>> /* receiver */)
{
}

void
SendTo(const NetDevice& /* door */, Ptr<Packet> /* packet */, Time /* at */)
{
}

#endif

} // namespace

RankLink::RankLink(const std::vector<Ptr<Node>>& doors, Time lookahead, Receiver receiver)
    : m_lookahead(lookahead),
      m_receiver(receiver),
      m_cutters(doors.size(), MessageCutter(OwnRank())),
      m_joiners(doors.size())
{
    const std::string simulator = Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    if (simulator != "ns3::DistributedSimulatorImpl")
    {
        throw std::invalid_argument("a fabric on several ranks is run by " + simulator +
                                    "; allowed is ns3::DistributedSimulatorImpl as "
                                    "SimulatorImplementationType");
    }
    m_doors = LinkDoors(doors, lookahead);
    Listen(m_doors[OwnRank()], MakeCallback(&RankLink::Receive, this));
}

void
RankLink::Send(uint32_t rank, const RankBytes& bytes)
{
    const Time at = Simulator::Now() + m_lookahead;
    const NetDevice& door = *m_doors[rank];
    m_cutters[rank].Cut(bytes, [&door, at](const RankBytes& piece) {
        SendTo(door, Create<Packet>(piece.data(), piece.size()), at);
    });
}

void
RankLink::Receive(Ptr<Packet> packet)
{
    RankBytes piece(packet->GetSize());
    packet->CopyData(piece.data(), packet->GetSize());
    m_joiners[MessageCutter::SenderOf(piece)].Take(piece, [this](const RankBytes& message) {
        m_receiver(message);
    });
}

} // namespace ns3::fabric
