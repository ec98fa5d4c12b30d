/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NOTICES_H
#define FABRIC_NOTICES_H

#include "fabric-network.h"
#include "fabric-rank-link.h"
#include "fabric-types.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * Tells what has happened to those who act on it, on whatever rank they are, always the same time
 * later. So a program whose hosts go on when others are done does the same on any number of ranks.
 *
 * All ranks make the same notices with the same topics, before the simulation begins, and keep them
 * until it is over.
 */
class Notices
{
  public:
    /// Is told a word.
    using Receiver = std::function<void(uint64_t word)>;

    /// The shortest delay on several ranks: half of it gathers what is sent in one go, half is for
    /// the way.
    static constexpr TimePs SHORTEST = 1000;

    /**
     * @param network with all its links
     * @param delay from what happens to when it is known; 0 for at once, which needs one rank
     * @throws std::invalid_argument if it is less than SHORTEST on several ranks
     */
    Notices(Ptr<const FabricNetwork> network, Time delay);

    Notices(const Notices&) = delete;
    Notices& operator=(const Notices&) = delete;

    /// @param receiver of this rank @return number of the topic
    uint32_t AddTopic(Receiver receiver);

    /**
     * @param rank whose receiver is told after the delay, unless the run has ended by then
     * @param topic of the receiver
     * @param word that it is told
     */
    void Tell(uint32_t rank, uint32_t topic, uint64_t word);

    /// Tells all ranks, this one too. See Tell().
    void TellAll(uint32_t topic, uint64_t word);

  private:
    /// What is told.
    struct Notice
    {
        TimePs at;      ///< When, ps.
        uint64_t word;  ///< What.
        uint32_t topic; ///< To whom.
    };

    /// Tells a receiver here after a time.
    void Plan(Time wait, const Notice& notice);
    /// Sends what has gathered. @param rank another one
    void Send(uint32_t rank);
    /// Notices have come from another rank.
    void Take(const RankBytes& bytes);

    Ptr<const FabricNetwork> m_network;           ///< Knows when the run ends.
    Time m_delay;                                 ///< From what happens to when it is known.
    Time m_way;                                   ///< To another rank.
    std::vector<Receiver> m_receivers;            ///< By topic.
    std::vector<std::vector<Notice>> m_gathering; ///< By rank: not sent yet.
    std::unique_ptr<RankLink> m_link;             ///< Null with one rank.
};

} // namespace ns3::fabric

#endif // FABRIC_NOTICES_H
