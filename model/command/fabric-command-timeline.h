/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_TIMELINE_H
#define FABRIC_COMMAND_TIMELINE_H

#include "fabric-command-step.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/// A command, or a packet of it, in a stage.
struct CommandSpan
{
    CommandStage stage{CommandStage::CORE};          ///< Which.
    LocationId place{0};                             ///< Host where it is; FABRIC: where it goes.
    TimePs begin{0};                                 ///< When, ps.
    TimePs end{0};                                   ///< When, ps.
    bool isOfPacket{false};                          ///< Whether it is a packet's.
    CommandPacketKind kind{CommandPacketKind::DATA}; ///< Of the packet.
    uint32_t offset{0};                              ///< Of its first byte in the data.
    uint32_t bytes{0};                               ///< Of its data.
};

/// A command with the stages that it and its packets have passed.
struct CommandStory
{
    LocationId source{0};           ///< Its initiator.
    uint32_t queue{0};              ///< There.
    Command command;                ///< What its driver has written.
    std::vector<CommandSpan> spans; ///< By end, and by place of those that end together.
};

/**
 * Puts together what NICs tell of commands: each stage begins where the one before it has ended,
 * for a packet that of the same packet, and for its first one the last that has handed something
 * over at the same place.
 *
 * | begins ...                           | where this has ended                                 |
 * |--------------------------------------|------------------------------------------------------|
 * | CORE                                 | nothing: the application asks                        |
 * | another stage of a command           | the one before it                                    |
 * | the first stage of a packet, LIST, EVENT | PARSER, TRIGGER, INBOUND, MATCH, LIST or ATOMIC
 * there | | WRITE                                | as the others, but nothing begins where it ends
 * |
 */
class CommandTimeline
{
  public:
    /// @param step that a NIC tells; what it tells of commands that it did not see written is left
    /// out
    void Add(const CommandStep& step);

    /// @return all commands, by the time of the request, source, queue and number
    std::vector<CommandStory> Stories() const;

  private:
    using Name = std::tuple<LocationId, bool, uint32_t, uint16_t>; ///< See CommandName.
    using Writing = std::tuple<LocationId, uint32_t, uint64_t>;    ///< Host, queue, number.

    /// What is known of a command.
    struct Known
    {
        CommandStory story;             ///< Without spans.
        std::vector<CommandStep> steps; ///< In the order in which they were told.
    };

    /// @return a name as a key
    static Name KeyOf(const CommandName& name)
    {
        return {name.host, name.isMessage, name.id, name.turn};
    }

    /// @return place of the command of a step in m_known; -1 if it is not known
    int64_t Find(const CommandStep& step);
    /// @return spans of a command
    static std::vector<CommandSpan> SpansOf(const Known& known);

    std::vector<Known> m_known;           ///< In the order in which they were written.
    std::map<Writing, int64_t> m_written; ///< Places in m_known of those without a name.
    std::map<Name, int64_t> m_named;      ///< Places in m_known.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_TIMELINE_H
