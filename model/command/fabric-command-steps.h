/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_STEPS_H
#define FABRIC_COMMAND_STEPS_H

#include "fabric-command-step.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * What the stages of a NIC tell of commands that pass them. They ask IsOn() first, so that nobody
 * pays where nobody listens.
 */
class CommandSteps
{
  public:
    /// @param listener is told of steps while @param watchers is not 0; both stay where they are
    void Watch(CommandStepListener& listener, const uint32_t& watchers)
    {
        m_listener = &listener;
        m_watchers = &watchers;
    }

    /// @return whether somebody listens
    bool IsOn() const
    {
        return *m_watchers != 0;
    }

    /// A command has passed a stage before it has a name.
    void Own(CommandStage stage, uint32_t queue, const Command& command, TimePs at) const
    {
        Entered(stage, queue, command, {}, at);
    }

    /// A command is in a flow queue. @param name of it from now on
    void Entered(CommandStage stage,
                 uint32_t queue,
                 const Command& command,
                 const CommandName& name,
                 TimePs at) const
    {
        CommandStep step;
        step.stage = stage;
        step.at = at;
        step.name = name;
        step.queue = queue;
        step.command = command;
        m_listener->Passed(step);
    }

    /// A packet that goes out has passed a stage. @param peer where it goes
    void Goes(CommandStage stage, const CommandPacket& packet, LocationId peer, TimePs at) const
    {
        m_listener->Passed(StepOf(stage, packet, IsNamedBySender(packet) ? 0 : peer, at));
    }

    /// A packet that comes has passed a stage. @param peer where it comes from
    void Comes(CommandStage stage, const CommandPacket& packet, LocationId peer, TimePs at) const
    {
        m_listener->Passed(StepOf(stage, packet, IsNamedBySender(packet) ? peer : 0, at));
    }

    /// The lists have been looked through for a message. @param message what it is called here
    void Matched(const CommandPacket& packet,
                 LocationId peer,
                 const CommandName& message,
                 TimePs at) const
    {
        CommandStep step = StepOf(CommandStage::MATCH, packet, peer, at);
        step.message = message;
        m_listener->Passed(step);
    }

    /// A command has passed a stage as a whole. @param name of it
    void Whole(CommandStage stage, const CommandName& name, TimePs at) const
    {
        CommandStep step;
        step.stage = stage;
        step.at = at;
        step.name = name;
        m_listener->Passed(step);
    }

  private:
    /// @return whether a packet is named by the NIC that sends it, or by the one that gets it
    static bool IsNamedBySender(const CommandPacket& packet)
    {
        return packet.kind == CommandPacketKind::DATA || packet.kind == CommandPacketKind::REQUEST;
    }

    /// @return a step of a packet @param host whose name it has
    static CommandStep StepOf(CommandStage stage,
                              const CommandPacket& packet,
                              LocationId host,
                              TimePs at)
    {
        const bool isAnswered =
            packet.kind == CommandPacketKind::REQUEST || packet.kind == CommandPacketKind::REPLY;
        CommandStep step;
        step.stage = stage;
        step.at = at;
        step.name = {host, packet.turn, packet.id, isAnswered && packet.op == CommandOp::TAGGED};
        step.isOfPacket = true;
        step.kind = packet.kind;
        step.offset = packet.offset;
        step.bytes = packet.bytes;
        return step;
    }

    static constexpr uint32_t NOBODY = 0; ///< Watches.

    CommandStepListener* m_listener{nullptr}; ///< Is told.
    const uint32_t* m_watchers{&NOBODY};      ///< See Watch().
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_STEPS_H
