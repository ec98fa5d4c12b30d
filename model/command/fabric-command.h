/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_H
#define FABRIC_COMMAND_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

inline constexpr uint32_t COMMAND_SLOT_BYTES = 64;   ///< A slot of a ring (Cassini, libcxi).
inline constexpr uint32_t COMMAND_HEADER_BYTES = 32; ///< Before inline data (Cassini, libcxi).
inline constexpr uint32_t MOST_COMMAND_SLOTS = 4;    ///< A command of 256 bytes (Cassini).
inline constexpr uint32_t MOST_INLINE_BYTES = 192;   ///< Inline data of a command (Cassini).

/// What a command asks for.
enum class CommandOp : uint8_t
{
    NOOP,   ///< Nothing: it fills slots, so that the next command is aligned.
    PUT,    ///< Data is written into the target's memory.
    SEND,   ///< As PUT, and software at the target learns of it.
    TAGGED, ///< As SEND, and the target's NIC matches it (NQ-14).
    GET,    ///< Data is read from the target's memory.
    ATOMIC, ///< A word of the target's memory is changed, and perhaps fetched.
    APPEND, ///< An entry is added to a list.
    SEARCH, ///< Unexpected messages are looked for.
    UNLINK, ///< An entry is taken out of its list.
    ENABLE, ///< Messages are taken again, after some were refused for want of room.
};

inline constexpr uint8_t COMMAND_OPS = 10; ///< Those that a NIC knows.

/// What a command queue is for (NQ-2).
enum class CommandQueueKind : uint8_t
{
    INITIATOR, ///< What goes to other hosts.
    TARGET,    ///< What is to be done with that which comes.
};

/// @return whether a command of a kind of queues may ask for it
inline bool
IsOpOf(CommandQueueKind kind, CommandOp op)
{
    return op == CommandOp::NOOP ||
           (static_cast<uint8_t>(op) < COMMAND_OPS &&
            (op >= CommandOp::APPEND) == (kind == CommandQueueKind::TARGET));
}

/// @return whether its data goes to the target
inline bool
CarriesData(CommandOp op)
{
    return op == CommandOp::PUT || op == CommandOp::SEND || op == CommandOp::TAGGED;
}

inline constexpr uint32_t NO_ARGUMENTS = 0xFFFFFFFF; ///< Of a command without.

/// A command, without its inline data.
struct Command
{
    uint64_t sequence{0};             ///< Of the driver's commands to its queue, from 0.
    TimePs postedAt{0};               ///< When the application asked for it, ps.
    uint64_t bytes{0};                ///< Of data.
    LocationId dst{0};                ///< Target.
    uint16_t vni{0};                  ///< Virtual network.
    CommandOp op{CommandOp::PUT};     ///< What it asks for.
    uint8_t trafficClass{0};          ///< Traffic class tag, FTAG.
    uint8_t slots{1};                 ///< Of the ring, as its header says.
    uint32_t arguments{NO_ARGUMENTS}; ///< Handle of the rest of it, see CommandArguments.
    bool isInline{false};             ///< Whether it carries its data.
    bool isLowLatency{false};         ///< Whether the driver has written it to the NIC, too.

    /// @return whether a command may have so many slots
    static bool IsLength(uint32_t slots)
    {
        return slots == 1 || slots == 2 || slots == MOST_COMMAND_SLOTS;
    }

    /// @param payload bytes of inline data @return slots that a command needs
    static uint32_t SlotsOf(uint32_t payload)
    {
        const uint32_t bytes = COMMAND_HEADER_BYTES + payload;
        return bytes <= COMMAND_SLOT_BYTES       ? 1
               : bytes <= 2 * COMMAND_SLOT_BYTES ? 2
                                                 : MOST_COMMAND_SLOTS;
    }

    /// @return bytes of data that it carries
    uint32_t InlineBytes() const
    {
        return isInline ? static_cast<uint32_t>(bytes) : 0;
    }

    /**
     * @param position of its first slot
     * @param kind of its queue
     * @return whether a NIC can do it
     */
    bool IsWellFormed(uint64_t position, CommandQueueKind kind) const
    {
        return IsLength(slots) && position % slots == 0 && IsOpOf(kind, op) &&
               (isInline
                    ? bytes <= MOST_INLINE_BYTES && SlotsOf(static_cast<uint32_t>(bytes)) == slots
                    : slots == 1);
    }
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_H
