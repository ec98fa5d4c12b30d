/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_REPORT_H
#define FABRIC_COMMAND_REPORT_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What software of a host learns by an event.
enum class CommandEvent : uint8_t
{
    COMPLETE, ///< A command of its own is acknowledged, or its data has come.
    FAILED,   ///< A command of its own, or a message that software waits for, of which packets were
              ///< sent again as often as is allowed: what has become of it is not known.
    REFUSED,  ///< A command of its own: nobody wanted its message, or a list has no room.
    MALFORMED, ///< A queue of its own has halted, since its NIC can't do a command.
    MESSAGE,   ///< A message has come.
    FOUND,     ///< A search has found a message, which stays or is now taken out.
    NOT_FOUND, ///< A search has found none.
    UNLINKED,  ///< An entry has left its list by command.
    DISABLED,  ///< A message was refused for want of room, and all are until ENABLE.
    ENABLED,   ///< They are no longer.
};

/// What software of a host learns.
struct CommandReport
{
    TimePs at{0};         ///< When software sees it, ps.
    TimePs postedAt{0};   ///< When its initiator asked for it, ps.
    uint64_t bytes{0};    ///< Of data; of a message with an entry: that it had room for.
    bool isOwn{false};    ///< Whether it is about an own command.
    uint32_t queue{0};    ///< Own: where it comes from.
    LocationId source{0}; ///< Another's: who has sent it.
    CommandEvent event{CommandEvent::COMPLETE}; ///< What has happened.
    bool isUnexpected{false};                   ///< Message: it came before its entry.
    bool isUnlinked{false};                     ///< Message: its entry has left its list.
    uint64_t sent{0};                           ///< Message: bytes that were sent.
    uint64_t bits{0};     ///< Message: its match bits; of a packet: its handle.
    bool isPacket{false}; ///< Message, own: it carries a packet of the network stack.
    uint64_t tag{0};      ///< Message: of its entry; UNLINKED, REFUSED: of the command's.
    uint64_t offset{0};   ///< Message: of its first byte in the buffer of its entry.
    uint64_t value{0};    ///< Own ATOMIC that fetches: the word as it was.
    uint64_t lost{0};     ///< Messages so far whose event found no room in the queue.
};

/// Is told what software of a host learns, ahead of that time.
class CommandListener
{
  public:
    virtual ~CommandListener() = default;

    /// @param report what software sees
    virtual void Learn(const CommandReport& report) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_REPORT_H
