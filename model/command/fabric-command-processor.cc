/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-processor.h"

#include <algorithm>

namespace ns3::fabric
{

CommandProcessor::CommandProcessor(const CommandSettings& settings,
                                   PcieLink& pcie,
                                   CommandStores& stores,
                                   std::vector<CommandRing>& rings,
                                   std::vector<CommandStatusLine>& lines,
                                   CommandSink& sink,
                                   CommandStatusWatcher& watcher,
                                   const CommandSteps& steps)
    : m_settings(settings),
      m_pcie(pcie),
      m_stores(stores),
      m_lines(lines),
      m_sink(sink),
      m_watcher(watcher),
      m_steps(steps),
      m_known(settings.AllQueues(), 0),
      m_granted(settings.AllQueues(), 0),
      m_fetched(settings.AllQueues(), 0),
      m_arbiter(settings.classWeights),
      m_isHeld(settings.AllQueues(), 0),
      m_parsable(settings.classWeights),
      m_isParsable(settings.AllQueues(), 0)
{
    for (CommandRing& ring : rings)
    {
        const auto number = static_cast<uint32_t>(m_queues.size());
        m_queues.emplace_back(settings, ring, settings.KindOf(number));
    }
}

TimePs
CommandProcessor::NextTime() const
{
    const TimePs grant = m_arbiter.IsEmpty() ? NEVER : m_grantAt;
    const TimePs parse = m_parsable.IsEmpty() ? NEVER : m_parseAt;
    return std::min({m_stores.Earliest(), m_reads.Earliest(), m_timers.Earliest(), grant, parse});
}

void
CommandProcessor::Handle(TimePs now)
{
    while (m_stores.Earliest() <= now)
    {
        const CommandStore store = m_stores.Front();
        m_stores.Pop();
        Take(store, now);
    }
    while (m_reads.Earliest() <= now)
    {
        const Read read = m_reads.Front();
        m_reads.Pop();
        EndRead(read, now);
    }
    // Who has slept may serve at once, and then at its pace.
    while (!m_arbiter.IsEmpty() && m_grantAt <= now)
    {
        Grant(now);
    }
    while (!m_parsable.IsEmpty() && m_parseAt <= now)
    {
        Parse(now);
    }
    while (m_timers.Earliest() <= now)
    {
        const uint32_t queue = m_timers.Front().queue;
        m_timers.Pop();
        WriteBack(queue, now);
    }
}

void
CommandProcessor::Take(const CommandStore& store, TimePs now)
{
    NicCommandQueue& queue = m_queues[store.queue];
    if (store.words == 0)
    {
        queue.Doorbell(store.position);
    }
    else if (!queue.TakePiece({store.position, store.words}))
    {
        ++m_counts.droppedPieces;
    }
    if (m_steps.IsOn())
    {
        Tell(CommandStage::STORE, store.queue, queue.WritePointer(), m_known, now);
    }
    Plan(store.queue, now);
}

void
CommandProcessor::Tell(CommandStage stage,
                       uint32_t number,
                       uint64_t end,
                       std::vector<uint64_t>& from,
                       TimePs at)
{
    const NicCommandQueue& queue = m_queues[number];
    // Those before the read pointer may be written over; nobody has listened then.
    uint64_t position = std::max(from[number], queue.ReadPointer());
    while (position < end && position + queue.SlotsAt(position) <= end)
    {
        const Command& command = queue.CommandAt(position);
        position += queue.SlotsAt(position);
        if (command.op != CommandOp::NOOP)
        {
            m_steps.Own(stage, number, command, at);
        }
    }
    from[number] = position;
}

void
CommandProcessor::EndRead(const Read& read, TimePs now)
{
    NicCommandQueue& queue = m_queues[read.queue];
    queue.ReadDone(read.fetch);
    if (queue.Reads() == 0)
    {
        --m_reading;
        WakeHeld(now);
    }
    Plan(read.queue, now);
}

void
CommandProcessor::WakeHeld(TimePs now)
{
    bool isAwake = false;
    while (!isAwake && !m_held.IsEmpty())
    {
        const uint32_t next = m_held.Front();
        m_held.Pop();
        m_isHeld[next] = 0;
        isAwake = m_queues[next].WantsFetch();
        Plan(next, now);
    }
}

void
CommandProcessor::Plan(uint32_t number, TimePs now)
{
    const NicCommandQueue& queue = m_queues[number];
    if (queue.WantsFetch())
    {
        m_grantAt = std::max(m_grantAt, now); // the room for it is no older
        m_arbiter.Add(number, m_settings.ClassOf(number));
    }
    if (queue.HasCommand() && m_isParsable[number] == 0)
    {
        m_isParsable[number] = 1;
        m_parsable.Add(number, m_settings.ClassOf(number));
    }
}

void
CommandProcessor::Grant(TimePs now)
{
    const uint32_t number = m_arbiter.Take();
    NicCommandQueue& queue = m_queues[number];
    if (!queue.WantsFetch())
    {
        return; // it has halted since
    }
    const bool isNew = queue.Reads() == 0;
    if (isNew && m_reading == m_settings.prefetchQueues && queue.NextIsRead())
    {
        Hold(number);
        return;
    }
    m_grantAt = now + m_settings.stages.grant;
    const CommandFetch fetch = queue.Fetch();
    if (m_steps.IsOn())
    {
        Tell(CommandStage::ARBITER, number, fetch.position + fetch.slots, m_granted, now);
    }
    if (fetch.isRead)
    {
        m_reading += isNew ? 1 : 0;
        ++m_counts.reads;
        m_counts.readSlots += fetch.slots;
        const TimePs done =
            m_pcie.Read(fetch.slots * COMMAND_SLOT_BYTES, now + m_settings.stages.read);
        m_reads.Push({done, number, fetch});
        if (m_steps.IsOn())
        {
            Tell(CommandStage::FETCH, number, fetch.position + fetch.slots, m_fetched, done);
        }
    }
    else
    {
        m_fetched[number] = fetch.position + fetch.slots;
    }
    Plan(number, now);
}

void
CommandProcessor::Hold(uint32_t number)
{
    if (m_isHeld[number] == 0)
    {
        m_isHeld[number] = 1;
        m_held.Push(number);
    }
}

void
CommandProcessor::Parse(TimePs now)
{
    const uint32_t number = m_parsable.Front();
    if (!Deliver(number, now))
    {
        m_parsable.SetAside();
        m_stalled.Push(number);
        return;
    }
    m_parsable.Take();
    m_parseAt = now + m_settings.stages.parse;
    m_isParsable[number] = 0;
    NicCommandQueue& queue = m_queues[number];
    const CommandStatus before = queue.Status();
    const TimePs due = queue.WriteBack().DueAt();
    m_counts.errors += queue.Process(now) ? 0 : 1;
    m_counts.accepted += queue.Status().accepted - before.accepted;
    m_counts.dropped += queue.Status().dropped - before.dropped;
    WriteBack(number, now);
    if (queue.WriteBack().DueAt() != due && queue.WriteBack().DueAt() != NEVER)
    {
        m_timers.Push({queue.WriteBack().DueAt(), number});
    }
    Plan(number, now);
}

bool
CommandProcessor::Deliver(uint32_t number, TimePs now)
{
    const NicCommandQueue& queue = m_queues[number];
    const Command& command = queue.NextCommand();
    if (!queue.IsNextWellFormed())
    {
        m_sink.CommandFailed(number, command, now);
        return true; // it ends here
    }
    if (command.op == CommandOp::NOOP)
    {
        ++m_counts.noops;
        return true;
    }
    if (!m_sink.TakeCommand(number, command, now))
    {
        return false;
    }
    ++m_counts.commands;
    return true;
}

void
CommandProcessor::Resume(TimePs now)
{
    if (!m_stalled.IsEmpty())
    {
        m_parseAt = std::max(m_parseAt, now);
    }
    for (; !m_stalled.IsEmpty(); m_stalled.Pop())
    {
        m_parsable.Add(m_stalled.Front(), m_settings.ClassOf(m_stalled.Front()));
    }
}

void
CommandProcessor::WriteBack(uint32_t number, TimePs now)
{
    NicCommandQueue& queue = m_queues[number];
    if (queue.WriteBack().Take(now))
    {
        CommandStatus status = queue.Status();
        status.at = m_pcie.Write(PcieSide::NIC, m_writes, STATUS_BYTES, now);
        ++m_counts.writeBacks;
        m_lines[number].Write(status);
        m_watcher.StatusOnWay(number, status);
    }
}

} // namespace ns3::fabric
