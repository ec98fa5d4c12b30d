/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MATCH_ENTRY_H
#define FABRIC_MATCH_ENTRY_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

inline constexpr LocationId ANY_SOURCE = 0; ///< No endpoint has this location.

/// A message as matching sees it.
struct MatchHeader
{
    uint64_t bits{0};     ///< Match bits: the user's tag.
    uint64_t bytes{0};    ///< Of data.
    uint64_t eager{0};    ///< Of these, come by themselves: the overflow list keeps no more.
    uint64_t message{0};  ///< Names it for who asks; matching keeps it with what is unexpected.
    LocationId source{0}; ///< Who has sent it.
};

/// An entry of a list: which messages it takes, and a buffer for them (Portals 4).
struct MatchEntry
{
    uint64_t bits{0};              ///< Match bits that it wants.
    uint64_t ignore{0};            ///< Those of them that may differ.
    uint64_t bytes{0};             ///< Of its buffer.
    uint64_t leastFree{0};         ///< Locally managed: it leaves its list with less room.
    uint64_t tag{0};               ///< The user's.
    LocationId source{ANY_SOURCE}; ///< Whose messages it takes.
    uint16_t counter{0};           ///< Number + 1 of the counter of its messages; 0 for none.
    bool isUseOnce{true};          ///< Whether it takes one message only.
    bool isLocallyManaged{false};  ///< Whether messages lie one behind the other in the buffer.
    bool refusesLong{false};       ///< Whether it takes no message that it has no room for.

    /// @return whether a message has the bits and the source that it wants
    bool Wants(const MatchHeader& header) const
    {
        return ((bits ^ header.bits) & ~ignore) == 0 &&
               (source == ANY_SOURCE || source == header.source);
    }
};

/// Lists that an entry may be in.
enum class MatchPlace : uint8_t
{
    PRIORITY, ///< Of software that waits for a message.
    SPARE,    ///< The overflow list: buffers for messages for which nobody waits yet.
    NOWHERE,  ///< None.
};

inline constexpr uint64_t NO_ENTRY = 0; ///< Handle of no entry.

/// Where the data of a message goes.
struct MatchOutcome
{
    MatchPlace place{MatchPlace::NOWHERE}; ///< List that the entry is in.
    bool isUnlinked{false};                ///< Whether the entry has left its list with it.
    uint16_t counter{0};                   ///< Of the entry.
    uint32_t passed{0};                    ///< Entries that were looked at.
    uint64_t handle{NO_ENTRY};             ///< Of the entry.
    uint64_t tag{0};                       ///< Of the entry.
    uint64_t offset{0};                    ///< Of its first byte in the buffer.
    uint64_t bytes{0};                     ///< That there is room for; less than sent: truncated.
};

/// A message for which nobody has waited, when a command finds it.
struct FoundMessage
{
    MatchHeader header;      ///< The message.
    uint64_t spareTag{0};    ///< Of the overflow entry that has it.
    uint64_t spareOffset{0}; ///< Of its first byte in the buffer of that.
    uint64_t kept{0};        ///< Bytes that this has room for.
    uint64_t offset{0};      ///< Append: in the buffer of the new entry.
    uint64_t bytes{0};       ///< Append: that the new entry has room for.
    bool isSpareFree{false}; ///< Whether software may use the buffer of the overflow entry again.
};

} // namespace ns3::fabric

#endif // FABRIC_MATCH_ENTRY_H
