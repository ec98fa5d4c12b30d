/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MATCHER_H
#define FABRIC_MATCHER_H

#include "fabric-match-entry.h"
#include "fabric-match-pool.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// What a search does with unexpected messages.
enum class MatchSearch : uint8_t
{
    LOOK,   ///< They stay.
    DELETE, ///< They are taken out.
};

/**
 * Matching of messages with what software waits for, as a NIC does it (NQ-12) for MPI and tagged
 * messages: the semantics are those of Portals 4.
 *
 *     message -> priority list -> overflow list -> refused
 *                                      |
 *                                unexpected list <- append, search
 *
 * A message goes to the first entry that wants it, of the priority list before the overflow list.
 * What an overflow entry takes is unexpected. Who appends to the priority list looks there first,
 * oldest first, so that messages and entries meet in the order in which MPI wants them.
 */
class Matcher
{
  public:
    /**
     * @param entries that there is room for, in both lists together
     * @param unexpected messages that there is room for
     */
    Matcher(uint32_t entries, uint32_t unexpected)
        : m_mostEntries(entries),
          m_mostUnexpected(unexpected)
    {
    }

    /// @param header of a message that comes @return where its data goes
    MatchOutcome Arrive(const MatchHeader& header);

    /**
     * Adds an entry at the end of a list. One for the priority list takes unexpected messages
     * first, as many as it may; it is in the list afterwards if it may take more.
     *
     * @param place PRIORITY or SPARE
     * @param found the unexpected messages that it takes are added here, in order
     * @return handle, NO_ENTRY if it is in no list; nothing, and nothing has happened, without room
     */
    std::optional<uint64_t> Append(const MatchEntry& entry,
                                   MatchPlace place,
                                   std::vector<FoundMessage>& found);

    /**
     * Looks for unexpected messages that an entry wants: the oldest one, or all if it is not for
     * use once. Its buffer does not count.
     *
     * @param found they are added here, in order
     */
    void Search(const MatchEntry& entry, MatchSearch what, std::vector<FoundMessage>& found);

    /**
     * Takes an entry out of its list.
     *
     * @return whether that was done: not if it has left before, or has messages that are unexpected
     */
    bool Unlink(uint64_t handle);

    /**
     * An unexpected message does not come, and is one no longer.
     *
     * @param message as MatchHeader has it
     * @return whether there was one
     */
    bool Forget(uint64_t message);

    /// @param tag of an entry @return handle of the first one in a list, NO_ENTRY for none
    uint64_t FindTag(uint64_t tag);

    /// @return entries and unexpected messages that were looked at by the last call
    uint32_t Passed() const
    {
        return m_passed;
    }

    /// @return entries in both lists, and overflow entries that are in none but have messages
    uint32_t Entries() const
    {
        return m_entries.Size();
    }

    /// @return messages for which nobody has waited yet
    uint32_t Unexpected() const
    {
        return m_messages.Size();
    }

    /// @return places for entries and messages, which memory was taken for
    uint32_t Places() const
    {
        return m_entries.Places() + m_messages.Places();
    }

  private:
    /// An entry with its state.
    struct Entry
    {
        MatchEntry entry;                      ///< What software has said.
        uint64_t used{0};                      ///< Locally managed: bytes of the buffer.
        uint32_t held{0};                      ///< Unexpected messages in its buffer.
        uint32_t turn{0};                      ///< Tells handles of one place apart.
        MatchPlace place{MatchPlace::NOWHERE}; ///< List that it is in.
    };

    /// An unexpected message.
    struct Message
    {
        MatchHeader header; ///< It.
        uint64_t offset{0}; ///< In the buffer.
        uint64_t kept{0};   ///< Bytes there.
        uint32_t keptBy{0}; ///< Place of the overflow entry.
    };

    using EntryList = MatchPool<Entry>::List;

    /// @return bytes that an entry has room for
    static uint64_t Room(const Entry& entry);
    /// @return whether an entry takes a message
    static bool Takes(const Entry& entry, const MatchHeader& header);
    /// @return bytes of a message for an entry
    static uint64_t Amount(const Entry& entry, const MatchHeader& header);
    /// A message takes its place. @return whether the entry is done with that
    static bool Fill(Entry& entry, uint64_t& offset, uint64_t& bytes);
    /// @return place of the first entry of a list that takes a message, NONE for none
    uint32_t Find(const EntryList& list, const MatchHeader& header);
    /// A message goes to an entry.
    MatchOutcome Deliver(uint32_t place, const MatchHeader& header);
    /// An entry leaves its list, and is forgotten if it holds no messages.
    void Leave(uint32_t place);
    /// An unexpected message is found. @param isTaken whether it is one no longer
    FoundMessage Found(uint32_t place, bool isTaken);
    /// @return handle of an entry
    uint64_t HandleOf(uint32_t place) const;

    uint32_t m_mostEntries;                ///< Room.
    uint32_t m_mostUnexpected;             ///< Room.
    MatchPool<Entry> m_entries;            ///< Of both lists.
    MatchPool<Message> m_messages;         ///< Unexpected ones.
    EntryList m_priority;                  ///< The priority list.
    EntryList m_spare;                     ///< The overflow list.
    MatchPool<Message>::List m_unexpected; ///< Oldest first.
    uint32_t m_passed{0};                  ///< See Passed().
    uint32_t m_turn{0};                    ///< Of the next entry.
};

} // namespace ns3::fabric

#endif // FABRIC_MATCHER_H
