/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GOAL_MATCHING_H
#define FABRIC_GOAL_MATCHING_H

#include "fabric-goal-file.h"

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Which message of a GOAL trace is for which receive, as MPI and LogGOPSim say it: a message is for
 * the first receive that has started and fits, and if there is none, the next one that fits takes
 * the first of the messages that are there.
 *
 * Messages of a rank to another one with the same tag are taken in the order in which they were
 * sent, also if they come in another one: those before a message that has come are known by it, and
 * have their turn before it. Others are taken as they come.
 */
class GoalMatching
{
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No receive.

    /// @param file the trace; nothing of it is kept
    explicit GoalMatching(const GoalFile& file);

    /**
     * A rank sends a message.
     *
     * @param src who sends it
     * @param operation the send
     * @return its place among those of the rank to the same one with the same tag, from 0
     */
    uint32_t Send(uint32_t src, const GoalFile::Operation& operation);

    /**
     * A receive has started.
     *
     * @param dst whose it is
     * @param operation the receive
     * @param number by which Deliver() tells of it
     * @return whether its message is there
     */
    bool Receive(uint32_t dst, const GoalFile::Operation& operation, uint32_t number);

    /**
     * A message is delivered.
     *
     * @param src who has sent it
     * @param operation the send
     * @param place of Send()
     * @return the receive that it is for, or NONE if that has not started
     */
    uint32_t Deliver(uint32_t src, const GoalFile::Operation& operation, uint32_t place);

  private:
    /// A message that its rank knows of.
    struct Message
    {
        uint32_t receive{NONE}; ///< Which it is for.
        bool isHere{false};     ///< Whether it is delivered.
    };

    /// Messages of a rank to another one with a tag.
    struct Stream
    {
        uint32_t sent{0};                 ///< How many were sent.
        std::vector<uint32_t> messages{}; ///< Numbers of those that are known, by place.
    };

    /// Destination, source and tag; receives may have GoalFile::ANY.
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// @return a number for the kind of a receive, by what it takes any of
    static uint32_t KindOf(bool takesAnySource, bool takesAnyTag)
    {
        return takesAnySource + 2U * takesAnyTag;
    }

    /// @return the receives of a rank that messages with a source and tag fit, by what they ask for
    std::vector<Key> KeysOf(const Key& message) const;
    /// A rank knows of a message. @return its number
    uint32_t Learn(const Key& key);

    std::vector<uint8_t> m_kinds;    ///< Kinds of receives that each rank has, a bit each.
    std::map<Key, Stream> m_streams; ///< All that is sent, by who and tag.
    std::vector<Message> m_messages; ///< By number.
    /// Receives that wait, by what they ask for: their place among all, and number.
    std::map<Key, std::deque<std::pair<uint64_t, uint32_t>>> m_receives;
    /// Messages that were not taken when they came, by what may ask for them; some are taken since.
    std::map<Key, std::deque<uint32_t>> m_untaken;
    uint64_t m_started{0}; ///< Receives that had to wait.
};

} // namespace ns3::fabric

#endif // FABRIC_GOAL_MATCHING_H
