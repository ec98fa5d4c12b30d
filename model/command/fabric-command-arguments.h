/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_ARGUMENTS_H
#define FABRIC_COMMAND_ARGUMENTS_H

#include "fabric-atomic.h"
#include "fabric-counter-table.h"
#include "fabric-handle-table.h"
#include "fabric-matcher.h"

#include <cstdint>

namespace ns3::fabric
{

/// What only some commands say.
struct CommandArguments
{
    MatchEntry entry;                       ///< TAGGED: its bits; APPEND, SEARCH: all of it.
                                            ///< UNLINK: its tag. SEND of a packet: its handle.
    bool isPacket{false};                   ///< SEND: it carries a packet of the network stack.
    MatchPlace place{MatchPlace::PRIORITY}; ///< APPEND: the list.
    MatchSearch search{MatchSearch::LOOK};  ///< SEARCH: what is done with what is found.
    AtomicRequest atomic;                   ///< ATOMIC: what is done.
    CommandTrigger trigger;                 ///< It waits until then.
    uint16_t counter{NO_COUNTER};           ///< Is advanced when it is complete.
    uint16_t targetCounter{NO_COUNTER}; ///< PUT, SEND, ATOMIC: one of the target, which is advanced
                                        ///< when all has come. It stands for the target's window.

    /// @return whether counters have to do with it
    bool Counts() const
    {
        return trigger.counter != NO_COUNTER || counter != NO_COUNTER ||
               targetCounter != NO_COUNTER;
    }
};

/// Those of commands in rings, by Command::arguments.
using CommandArgumentTable = HandleTable<CommandArguments, HANDLES_OF_HOST>;

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_ARGUMENTS_H
