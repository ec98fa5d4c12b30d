/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLLECTIVE_PLAYER_H
#define FABRIC_COLLECTIVE_PLAYER_H

#include "fabric-collective-transport.h"
#include "fabric-exchange.h"
#include "fabric-types.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Carries out a plan once over a transport. Tags tell who sends to whom in which round.
 *
 * On several ranks of MPI each one has a player, which carries out what the hosts of its own rank
 * do.
 *
 * @code
 * RawCollectiveTransport transport(fabric, 16);
 * CollectivePlayer player(PlanCollective(Collective::BROADCAST, 16, 1 << 20), transport);
 * Simulator::ScheduleNow([&player] { player.Start(); });
 * Simulator::Run();
 * const TimePs time = player.GetCompletionTime(); // if IsDone()
 * @endcode
 */
class CollectivePlayer
{
  public:
    /**
     * @param plan with the ranks of the transport
     * @param transport tells this of arrivals from now on; has to stay
     * @throws std::invalid_argument on several ranks of MPI, if a rank awaits deliveries to others
     */
    CollectivePlayer(ExchangePlan plan, CollectiveTransport& transport);

    CollectivePlayer(const CollectivePlayer&) = delete;
    CollectivePlayer& operator=(const CollectivePlayer&) = delete;

    /**
     * A rank begins later than others, such as a straggler; before Start(). What comes to it before
     * waits for that.
     *
     * @param rank of the plan
     * @param delay after the beginning of those without, ps
     * @throws std::invalid_argument if there is no such rank
     */
    void Delay(uint32_t rank, TimePs delay);

    /// Opens the transport, once; all ranks begin as soon as it is ready, or their delay later.
    void Start();

    /// Gets what has come on other ranks of MPI; all of them have to call it, once, when the
    /// simulation is over.
    void AddRanks();

    /// @return whether all that is sent to the ranks has come
    bool IsDone() const
    {
        return m_isBegun && m_arrived == m_messages;
    }

    /// @return part of the messages that have come, 0 to 1
    double GetDone() const;

    /// @return when the last message has come so far, ps
    TimePs GetEnd() const
    {
        return m_end;
    }

    /// @return from the beginning of ranks without delay until the last message has come, if
    /// IsDone(), ps
    TimePs GetCompletionTime() const
    {
        return m_end - m_begin;
    }

    /// @return from its own beginning until a rank is through with the plan, by rank, if IsDone();
    /// 0 for one that waits for nothing, ps
    std::vector<TimePs> GetRankTimes() const;

    /// @return messages of all ranks
    uint64_t GetMessages() const
    {
        return m_messages;
    }

  private:
    /// Some ranks begin when their delay is over. @param first of them, all with the same delay
    void Begin(uint32_t first, uint32_t ranks);
    /// A message has come. @param tag of it
    void Receive(uint64_t tag);
    /// Sends messages.
    void Send(const std::vector<Exchange::Send>& sends);

    Exchange m_exchange;                ///< Says what is sent when.
    CollectiveTransport& m_transport;   ///< Carries it.
    uint64_t m_messages;                ///< See GetMessages().
    uint64_t m_arrived{0};              ///< Messages.
    bool m_isBegun{false};              ///< Whether the ranks have begun.
    TimePs m_begin{0};                  ///< When they did, without delays, ps.
    TimePs m_end{0};                    ///< See GetEnd().
    std::vector<TimePs> m_delays;       ///< By rank, ps.
    std::vector<TimePs> m_timesOfRanks; ///< See GetRankTimes(); what AddRanks() has got.
};

} // namespace ns3::fabric

#endif // FABRIC_COLLECTIVE_PLAYER_H
