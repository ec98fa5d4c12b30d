/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GOAL_PROGRESS_H
#define FABRIC_GOAL_PROGRESS_H

#include "fabric-goal-file.h"
#include "fabric-goal-matching.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * How far the ranks of a GOAL trace have come. Who owns it says when calculations are done and
 * messages delivered, and is told what begins then.
 *
 * An operation starts when all that it requires is done, or has started. A send is done at once,
 * since the NIC has the message; a receive is done when its message is there (GoalMatching). A CPU
 * of a rank calculates one thing at a time, in the order in which they could start.
 */
class GoalProgress
{
  public:
    /// What begins.
    struct Listener
    {
        /// A calculation, by its number among all operations, and its time, ns.
        std::function<void(uint32_t, uint64_t)> calculate;
        /// A send, by its number among all sends, and its place among those of its rank to the
        /// same one with the same tag.
        std::function<void(uint32_t, uint32_t)> send;
    };

    /// @param file the trace; outlives this object
    GoalProgress(const GoalFile& file, Listener listener);

    /**
     * All operations begin that wait for none.
     *
     * @param isHere says which ranks are carried out; empty for all. Of messages of others it is
     * enough to know that they are delivered
     */
    void Begin(const std::function<bool(uint32_t)>& isHere = {});

    /// A calculation is done. @param operation its number among all operations
    void Calculated(uint32_t operation);

    /// A message is delivered. @param send its number among all sends @param place see Listener
    void Delivered(uint32_t send, uint32_t place);

    /// @return number of all operations
    uint32_t CountOperations() const
    {
        return static_cast<uint32_t>(m_states.size());
    }

    /// @return how many are done
    uint32_t CountDone() const
    {
        return m_done;
    }

    /// @return messages of ranks that are carried out
    uint64_t CountSent() const
    {
        return m_sent;
    }

    /// @return messages that are delivered
    uint64_t CountDelivered() const
    {
        return m_delivered;
    }

    /// @return line of an operation that is carried out and not done, the first one; 0 for none
    uint32_t FindWaiting() const;

    /**
     * Nothing happens any more. If the same operations start in another order, others may be done:
     * a receive that waits may take the message of one that has it now. Where there are no
     * wildcards.
     *
     * @return whether what waits now may not wait then
     */
    bool DependsOnOrder() const;

  private:
    /// An operation.
    struct State
    {
        const GoalFile::Operation* operation; ///< What it does.
        uint32_t rank;                        ///< Who does it.
        uint32_t waits;                       ///< For how many others it waits.
        uint32_t send;                        ///< Number of a send.
        bool isDone;                          ///< Whether it is done.
        std::vector<uint32_t> atStart;        ///< Operations that wait until it starts.
        std::vector<uint32_t> atEnd;          ///< Those that wait until it is done.
    };

    /// A CPU of a rank.
    struct Cpu
    {
        bool isBusy{false};           ///< Whether it calculates.
        std::deque<uint32_t> waiting; ///< Calculations that could start.
    };

    /// Starts all that can start.
    void Proceed();
    /// Starts an operation.
    void Start(uint32_t operation);
    /// An operation is done.
    void End(uint32_t operation);
    /// Others wait for one thing less.
    void Release(const std::vector<uint32_t>& operations);
    /// A CPU takes its next calculation, if it is free.
    void UseCpu(Cpu& cpu);
    /// A send starts and is done.
    void StartSend(uint32_t operation);
    /// A receive starts, and may be done.
    void StartReceive(uint32_t operation);
    /// @return operations that start before a receive whatever takes how long
    std::set<uint32_t> FindEarlier(uint32_t receive) const;

    Listener m_listener;                                 ///< Is told.
    std::vector<State> m_states;                         ///< Of all operations, rank by rank.
    std::vector<uint32_t> m_sends;                       ///< Those that send, by number.
    std::map<std::pair<uint32_t, uint32_t>, Cpu> m_cpus; ///< By rank and number.
    GoalMatching m_matching;                             ///< Messages and receives.
    std::function<bool(uint32_t)> m_isHere;              ///< Which ranks are carried out.
    std::deque<uint32_t> m_ready;                        ///< Operations that can start.
    uint32_t m_done{0};                                  ///< Operations that are done.
    uint64_t m_sent{0};                                  ///< Messages that were sent.
    uint64_t m_delivered{0};                             ///< Messages that are delivered.
};

} // namespace ns3::fabric

#endif // FABRIC_GOAL_PROGRESS_H
