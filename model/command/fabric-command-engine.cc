/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-engine.h"

#include <algorithm>

namespace ns3::fabric
{

CommandEngine::CommandEngine(const CommandSettings& settings,
                             PcieLink& pcie,
                             CommandNetwork& network,
                             CommandListener& listener)
    : m_settings(settings),
      m_pcie(pcie),
      m_listener(listener),
      m_rings(settings.AllQueues(), CommandRing(settings.ringSlots)),
      m_lines(settings.AllQueues()),
      m_memory(settings.atomics.memory),
      m_atomics(m_memory, settings.atomics.interval, settings.atomics.latency),
      m_counters(settings.atomics.counters),
      m_sender(m_settings, m_pcie, network, m_memory, m_steps),
      m_events(m_settings, m_pcie, *this),
      m_target(m_settings, m_pcie, m_sender, m_events, m_counters, m_steps),
      m_receiver(m_settings,
                 m_pcie,
                 network,
                 m_sender,
                 m_target,
                 m_events,
                 m_counters,
                 m_atomics,
                 m_steps),
      m_processor(m_settings, m_pcie, m_stores, m_rings, m_lines, *this, *this, m_steps),
      m_host(m_settings, m_pcie, m_stores, m_rings, m_lines, m_arguments, m_steps)
{
}

TimePs
CommandEngine::NextTime() const
{
    return std::min({m_processor.NextTime(),
                     m_host.NextTime(),
                     m_counters.NextTime(),
                     m_sender.NextTime(),
                     m_receiver.NextTime()});
}

void
CommandEngine::Handle(TimePs at)
{
    m_pcie.Advance(at);
    if (m_receiver.NextTime() <= at)
    {
        m_receiver.Handle(at);
    }
    if (m_host.NextTime() <= at)
    {
        m_host.Handle(at);
    }
    if (m_counters.NextTime() <= at)
    {
        m_counters.Handle(at, m_triggered);
        Launch(at);
    }
    if (m_processor.NextTime() <= at)
    {
        m_processor.Handle(at);
    }
    if (m_sender.NextTime() <= at)
    {
        m_sender.Handle(at);
        m_receiver.FailConnections(at);
    }
    if (m_sender.TakeHasLeft())
    {
        Launch(at);
        m_processor.Resume(at);
    }
}

std::optional<EnginePacket>
CommandEngine::NextPacket(TimePs)
{
    return m_sender.NextPacket();
}

bool
CommandEngine::OffersAll() const
{
    return true;
}

bool
CommandEngine::HasPacket() const
{
    return m_sender.HasPacket();
}

void
CommandEngine::PacketGoes(uint32_t queue, TimePs now, TimePs end)
{
    if (m_sender.PacketGoes(queue, now, end))
    {
        Launch(now);
        m_processor.Resume(now);
    }
}

bool
CommandEngine::TakeCommand(uint32_t queue, const Command& command, TimePs now)
{
    if (m_settings.KindOf(queue) == CommandQueueKind::TARGET)
    {
        TellParsed(queue, command, now);
        m_target.Do(queue, command, m_arguments.Take(command.arguments), now);
        return true;
    }
    if (command.arguments != NO_ARGUMENTS &&
        m_counters.Holds(m_arguments.At(command.arguments).trigger, queue, command))
    {
        TellParsed(queue, command, now);
        return true; // it waits on the NIC
    }
    return Enter(queue, command, now);
}

void
CommandEngine::TellParsed(uint32_t queue, const Command& command, TimePs now) const
{
    if (m_steps.IsOn())
    {
        m_steps.Own(CommandStage::PARSER, queue, command, now);
    }
}

void
CommandEngine::Launch(TimePs now)
{
    while (!m_triggered.IsEmpty() &&
           Enter(m_triggered.Front().queue, m_triggered.Front().command, now))
    {
        m_triggered.Pop();
    }
}

bool
CommandEngine::Enter(uint32_t queue, const Command& command, TimePs now)
{
    const bool hasArguments = command.arguments != NO_ARGUMENTS;
    const CommandArguments* arguments = hasArguments ? &m_arguments.At(command.arguments) : nullptr;
    if (!m_sender.Enter(queue, command, arguments, now))
    {
        return false;
    }
    if (hasArguments)
    {
        m_arguments.Free(command.arguments);
    }
    return true;
}

void
CommandEngine::CommandFailed(uint32_t queue, const Command& command, TimePs now)
{
    CommandReport report;
    report.event = CommandEvent::MALFORMED;
    report.queue = queue;
    report.postedAt = command.postedAt;
    m_events.TellOwn(m_failures, report, now);
}

void
CommandEngine::StatusOnWay(uint32_t queue, const CommandStatus& status)
{
    m_host.StatusOnWay(queue, status.at);
}

void
CommandEngine::Learn(const CommandReport& report)
{
    const bool isDone = report.event == CommandEvent::COMPLETE ||
                        report.event == CommandEvent::REFUSED ||
                        report.event == CommandEvent::FAILED;
    if (report.isOwn && isDone && m_settings.KindOf(report.queue) == CommandQueueKind::INITIATOR)
    {
        m_host.Completed(report.queue, report.at);
    }
    m_listener.Learn(report);
}

FrameKinds
CommandEngine::Takes() const
{
    return KindBit(FrameKind::COMMAND);
}

void
CommandEngine::Arrive(const Frame& frame)
{
    m_receiver.Arrive(frame);
}

TimePs
CommandEngine::NextReport(TimePs next) const
{
    return next;
}

TimePs
CommandEngine::ReportDelay() const
{
    // An event goes over PCIe, and software has to look.
    return m_pcie.Settings().latency;
}

} // namespace ns3::fabric
