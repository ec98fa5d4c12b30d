/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_ARGUMENTS_H
#define FABRIC_COMMAND_ARGUMENTS_H

#include "fabric-handle-table.h"
#include "fabric-matcher.h"

#include <cstdint>

namespace ns3::fabric
{

/// What only some commands say.
struct CommandArguments
{
    MatchEntry entry;                       ///< TAGGED: its bits; APPEND, SEARCH: all of it.
                                            ///< UNLINK: its tag.
    MatchPlace place{MatchPlace::PRIORITY}; ///< APPEND: the list.
    MatchSearch search{MatchSearch::LOOK};  ///< SEARCH: what is done with what is found.
};

/// Those of commands in rings, by Command::arguments.
using CommandArgumentTable = HandleTable<CommandArguments>;

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_ARGUMENTS_H
