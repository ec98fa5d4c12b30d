/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_STEP_H
#define FABRIC_COMMAND_STEP_H

#include "fabric-command-packet.h"
#include "fabric-command.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Where a command, or a packet of it, is from one step to the next.
enum class CommandStage : uint8_t
{
    CORE,     ///< It waits for the core that writes it, with those before it.
    DRIVER,   ///< The core makes it and writes it to the ring, or to the buffer as well.
    STORE,    ///< Doorbell, or writes to the buffer, are on their way to the NIC.
    ARBITER,  ///< Its queue waits for its turn.
    FETCH,    ///< It is read from the ring over PCIe.
    PARSER,   ///< It waits for those before it, and for room in a flow queue.
    TRIGGER,  ///< It waits on the NIC for a counter.
    CUT,      ///< Its packet waits for a chopping unit, and is cut.
    DATA,     ///< Data of the packet is read over PCIe, its address translated before that.
    OUTBOUND, ///< The packet passes the outbound stage.
    QUEUE,    ///< The packet waits for shaper, retry buffer and link.
    LINK,     ///< The packet goes onto the link.
    FABRIC,   ///< From its last byte on the link to that at the other NIC.
    INBOUND,  ///< The packet passes the inbound stage, its address is translated.
    MATCH,    ///< The lists are looked through for its message.
    LIST,     ///< Its message waits in the overflow list for an entry.
    ATOMIC,   ///< The atomic unit changes the word.
    WRITE,    ///< Its data is written to host memory, beside what follows.
    EVENT,    ///< Its event is written to host memory, and software sees it.
};

inline constexpr uint32_t COMMAND_STAGES = 19; ///< Their number.

/// @return name of a stage in tables
const char* NameOf(CommandStage stage);

/// How NICs call a command, or a message at its target, as long as it is under way.
struct CommandName
{
    LocationId host{0};    ///< Whose NIC has given it the id; 0 for the one that tells.
    uint16_t turn{0};      ///< See CommandPacket.
    uint32_t id{0};        ///< See CommandPacket; 0 with turn 0 for none.
    bool isMessage{false}; ///< Whether it is a message at its target.

    bool IsGiven() const
    {
        return turn != 0 || id != 0;
    }
};

/// A command, or a packet of it, has passed a stage: the next one begins where this one ends.
struct CommandStep
{
    CommandStage stage{CommandStage::CORE}; ///< Which.
    TimePs at{0};                           ///< When it ends, which may be ahead of time, ps.
    LocationId place{0};                    ///< Host where it is.
    CommandName name;                       ///< Of the command, once it has one.
    CommandName message; ///< MATCH: of the message, as its target's NIC calls it.

    uint32_t queue{0};      ///< CORE to TRIGGER: its queue.
    Command command;        ///< CORE to TRIGGER: what the driver has written.
    bool isOfPacket{false}; ///< Whether it is a packet's.
    CommandPacketKind kind{CommandPacketKind::DATA}; ///< Of the packet.
    uint32_t offset{0};                              ///< Of its first byte in the data.
    uint32_t bytes{0};                               ///< Of its data.
};

/// Is told of steps.
class CommandStepListener
{
  public:
    virtual ~CommandStepListener() = default;

    /// @param step what has passed which stage
    virtual void Passed(const CommandStep& step) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_STEP_H
