/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANK_LINK_H
#define FABRIC_RANK_LINK_H

#include "fabric-byte-stream.h"
#include "fabric-message-pieces.h"

#include "ns3/callback.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// @return whether the module was built with ns-3's MPI, without which there is one rank
bool HasMpi();

/**
 * Makes this process one rank of ns3::DistributedSimulatorImpl, with those that mpirun has started
 * beside it. To be called before anything of the simulation is made; who has called
 * ns3::MpiInterface::Enable() has done so already.
 *
 * @throws std::invalid_argument with a sentence without MPI
 */
void EnableRanks();

/// Ends what EnableRanks() began; after Simulator::Destroy().
void DisableRanks();

/// @return whether this process is a rank, maybe the only one: ns-3's simulator is then another,
/// which does not know when nothing is left to do
bool IsRank();

/// @return number of ranks that run the simulation, 1 without MPI
uint32_t RankCount();

/// @return number of this rank, from 0
uint32_t OwnRank();

/**
 * All ranks have to call it, as often and in the same order.
 *
 * @param own what this rank has
 * @return what each rank has, by rank
 */
std::vector<RankBytes> GatherFromRanks(const RankBytes& own);

/**
 * All ranks have to call it, see GatherFromRanks().
 *
 * @param own values that each rank has as many of
 * @return their sums over the ranks
 */
std::vector<uint64_t> SumOverRanks(const std::vector<uint64_t>& own);

/**
 * All ranks have to call it, see GatherFromRanks().
 *
 * @param own values that each rank has as many of
 * @return the largest of the ranks, for each
 */
std::vector<uint64_t> MostOfRanks(const std::vector<uint64_t>& own);

/**
 * All ranks have to call it, see GatherFromRanks().
 *
 * @param own records of this rank, without pointers
 * @return those of all ranks, by rank
 */
template <typename T>
std::vector<T>
CollectFromRanks(const std::vector<T>& own)
{
    ByteWriter writer;
    writer.PutAll(own);
    std::vector<T> all;
    for (const RankBytes& bytes : GatherFromRanks(writer.Written()))
    {
        const std::vector<T> values = ByteReader(bytes).GetAll<T>();
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

/**
 * What a rank sends the others while the simulation runs, and gets from them: bytes that reach them
 * at a time of the simulation, in order.
 *
 * It is ns-3's own way from rank to rank (MpiInterface::SendPacket()).
 */
class RankLink
{
  public:
    /// Is given what has come, at the time for which it was sent.
    using Receiver = Callback<void, const RankBytes&>;

    /**
     * ns-3 finds its look-ahead by point-to-point links between nodes of different ranks, and takes
     * what comes from other ranks to a device. So the doors are linked with that of rank 0.
     *
     * @param doors a node of each rank, by rank
     * @param lookahead the simulator of this rank is ahead of others by no more than this
     * @param receiver takes what comes to this rank
     * @throws std::invalid_argument with a sentence if another simulator runs
     */
    RankLink(const std::vector<Ptr<Node>>& doors, Time lookahead, Receiver receiver);

    /**
     * @param rank another one
     * @param bytes what it is sent; reaches it a look-ahead from now
     */
    void Send(uint32_t rank, const RankBytes& bytes);

  private:
    /// A piece of a message has come.
    void Receive(Ptr<Packet> packet);

    Time m_lookahead;                     ///< See the constructor.
    std::vector<Ptr<NetDevice>> m_doors;  ///< By rank: takes what is for it.
    Receiver m_receiver;                  ///< Takes what has come.
    std::vector<MessageCutter> m_cutters; ///< By rank: of what goes there.
    std::vector<MessageJoiner> m_joiners; ///< By rank: of what comes from there.
};

} // namespace ns3::fabric

#endif // FABRIC_RANK_LINK_H
