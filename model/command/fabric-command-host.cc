/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-host.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t DOORBELL_BYTES = 8; ///< A store of a processor.

/// Longest wait of BufferBacklog, by that from which on the dynamic policy takes the ring; chosen:
/// it is less after a quiet time of a few reads of the ring, and not by chance under full load.
constexpr TimePs MOST_BACKLOGS = 4;

} // namespace

CommandHost::CommandHost(const CommandSettings& settings,
                         PcieLink& pcie,
                         CommandStores& stores,
                         std::vector<CommandRing>& rings,
                         std::vector<CommandStatusLine>& lines,
                         CommandArgumentTable& arguments,
                         const CommandSteps& steps)
    : m_settings(settings),
      m_pcie(pcie),
      m_stores(stores),
      m_lines(lines),
      m_arguments(arguments),
      m_steps(steps)
{
    for (CommandRing& ring : rings)
    {
        m_cores.emplace_back(ring);
        m_cores.back().policy = MakeCommandPolicy(settings);
    }
}

void
CommandHost::Post(uint32_t queue, const CommandStream& stream, TimePs now)
{
    Core& core = m_cores[queue];
    core.streams.Push(stream);
    if (core.streams.Size() == 1)
    {
        Begin(core);
        Plan(queue, now);
    }
}

void
CommandHost::Begin(Core& core)
{
    if (!core.streams.IsEmpty())
    {
        core.clock = CommandClock(core.streams.Front());
        core.left = core.streams.Front().count;
        core.made = 0;
    }
}

void
CommandHost::Plan(uint32_t queue, TimePs now)
{
    const Core& core = m_cores[queue];
    const bool isReady = !core.streams.IsEmpty() && !core.isWaiting && MayGo(core);
    m_timers.Set(queue, isReady ? std::max({now, core.freeAt, core.clock.At()}) : NEVER);
}

bool
CommandHost::MayGo(const Core& core) const
{
    // Each has a slot of the event queue, so that no event of an own command is lost.
    const uint32_t limit = core.streams.Front().outstanding;
    return core.outstanding <
           std::min(limit == 0 ? m_settings.eventSlots : limit, m_settings.eventSlots);
}

void
CommandHost::Handle(TimePs now)
{
    while (m_completions.Earliest() <= now)
    {
        const uint32_t queue = m_completions.Front().queue;
        m_completions.Pop();
        --m_cores[queue].outstanding;
        if (!m_cores[queue].isWaiting)
        {
            Plan(queue, now);
        }
    }
    while (m_timers.Earliest() <= now)
    {
        Step(m_timers.First(), now);
    }
}

void
CommandHost::Completed(uint32_t queue, TimePs seen)
{
    m_completions.Push({seen, queue});
}

void
CommandHost::StatusOnWay(uint32_t queue, TimePs at)
{
    if (m_cores[queue].isWaiting)
    {
        m_timers.Lower(queue, at);
    }
}

void
CommandHost::Step(uint32_t queue, TimePs now)
{
    Core& core = m_cores[queue];
    core.isWaiting = false;
    TimePs at = now;
    Command command = Make(core, now);
    const uint32_t slots =
        command.isInline ? Command::SlotsOf(static_cast<uint32_t>(command.bytes)) : 1;
    if (!core.writer.HasRoom(slots) && !FindRoom(queue, slots, at))
    {
        core.freeAt = at;
        return;
    }
    if (IsHalted(queue))
    {
        Abandon(core);
        m_timers.Set(queue, NEVER);
        return;
    }
    command.arguments = KeepArguments(core);
    Count(core);
    core.freeAt = Write(queue, command, slots, at + m_settings.driver.command);
    if (m_steps.IsOn())
    {
        m_steps.Own(CommandStage::CORE, queue, command, now);
        m_steps.Own(CommandStage::DRIVER, queue, command, core.freeAt);
    }
    Plan(queue, core.freeAt);
}

uint32_t
CommandHost::KeepArguments(const Core& core)
{
    const CommandStream& stream = core.streams.Front();
    const bool isPlain = stream.op < CommandOp::TAGGED || stream.op == CommandOp::GET;
    if (isPlain && !stream.arguments.Counts() && !stream.arguments.isPacket)
    {
        return NO_ARGUMENTS;
    }
    CommandArguments arguments = stream.arguments;
    arguments.entry.bits += core.made * stream.bitsStep;
    return m_arguments.Put(arguments);
}

void
CommandHost::Count(Core& core)
{
    core.askedAt = core.clock.At();
    core.clock.Advance();
    // What is done on the NIC itself needs no acknowledgement.
    core.outstanding += core.streams.Front().op < CommandOp::APPEND ? 1 : 0;
    ++core.sequence;
    ++core.made;
    ++m_counts.posted;
    if (--core.left == 0)
    {
        core.streams.Pop();
        Begin(core);
    }
}

Command
CommandHost::Make(Core& core, TimePs now) const
{
    const CommandStream& stream = core.streams.Front();
    const bool isInTurn = stream.gap == 0;
    Command command;
    command.sequence = core.sequence;
    command.postedAt = isInTurn ? now : core.clock.At();
    command.bytes = stream.bytes;
    command.dst = stream.flow.dst;
    command.vni = stream.flow.vni;
    command.trafficClass = stream.flow.trafficClass;
    command.op = stream.op;
    command.isInline = CarriesData(stream.op) && stream.bytes <= m_settings.inlineBytes;
    command.slots = static_cast<uint8_t>(stream.badSlots != 0 ? stream.badSlots
                                         : command.isInline
                                             ? Command::SlotsOf(static_cast<uint32_t>(stream.bytes))
                                             : 1);
    return command;
}

bool
CommandHost::FindRoom(uint32_t queue, uint32_t slots, TimePs& now)
{
    Core& core = m_cores[queue];
    now = Look(queue, now);
    if (core.writer.HasRoom(slots) || IsHalted(queue))
    {
        return true;
    }
    if (core.writer.HasUntold())
    {
        now = RingDoorbell(queue, now); // or the NIC would never make room
    }
    ++m_counts.waits;
    core.isWaiting = true;
    m_timers.Set(queue, m_lines[queue].NextArrival());
    return false;
}

TimePs
CommandHost::Look(uint32_t queue, TimePs now)
{
    if (!m_lines[queue].IsNew(now))
    {
        return now; // it lies in the core's cache as it was
    }
    ++m_counts.looks;
    m_cores[queue].writer.Learn(m_lines[queue].Look(now).read);
    return now + m_settings.driver.look;
}

bool
CommandHost::FitsBuffer(uint32_t queue, uint32_t slots) const
{
    return slots <= m_settings.BufferSlots(m_settings.KindOf(queue)) &&
           m_cores[queue].writer.Padding(slots) == 0;
}

TimePs
CommandHost::BufferTime(uint32_t queue, uint32_t slots) const
{
    const DriverTimes& driver = m_settings.driver;
    return driver.command + slots * driver.slot + driver.fence +
           (FitsBuffer(queue, slots) ? slots * driver.lowLatencySlot : driver.doorbell);
}

bool
CommandHost::ChoosesBuffer(uint32_t queue, uint32_t slots, bool hasMore, TimePs posted, TimePs& now)
{
    if (!FitsBuffer(queue, slots))
    {
        return false;
    }
    Core& core = m_cores[queue];
    const auto view = [&] {
        return DriverView{core.writer.IsKnownEmpty(),
                          hasMore,
                          now - core.askedAt,
                          core.backlog.WaitOf(posted),
                          m_lines[queue].Seen()};
    };
    if (core.policy->WantsStatus(view()))
    {
        now = Look(queue, now);
    }
    return core.policy->UsesLowLatency(view());
}

TimePs
CommandHost::Write(uint32_t queue, Command& command, uint32_t slots, TimePs now)
{
    Core& core = m_cores[queue];
    const bool hasMore = !core.streams.IsEmpty() && MayGo(core) && core.clock.At() <= now;
    command.isLowLatency = ChoosesBuffer(queue, slots, hasMore, command.postedAt, now);
    core.backlog.Add(command.postedAt,
                     BufferTime(queue, slots),
                     MOST_BACKLOGS * m_settings.dynamic.backlog);
    if (command.isLowLatency && core.writer.HasUntold())
    {
        now = RingDoorbell(queue, now);
    }
    now += (core.writer.Padding(slots) + slots) * m_settings.driver.slot;
    const uint64_t position = core.writer.Write(command, slots);
    if (command.isLowLatency)
    {
        return WriteBuffer(queue, position, slots, now + m_settings.driver.fence);
    }
    ++core.untold;
    return core.untold >= m_settings.batch || !hasMore ? RingDoorbell(queue, now) : now;
}

TimePs
CommandHost::WriteBuffer(uint32_t queue, uint64_t position, uint32_t slots, TimePs now)
{
    constexpr uint32_t WORD_BYTES = 8;
    Core& core = m_cores[queue];
    const uint32_t piece = m_pcie.Settings().combinesWrites ? COMMAND_SLOT_BYTES : WORD_BYTES;
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        now += m_settings.driver.lowLatencySlot;
        for (uint32_t byte = 0; byte < COMMAND_SLOT_BYTES; byte += piece)
        {
            const auto words =
                static_cast<uint8_t>(((1U << piece / WORD_BYTES) - 1) << byte / WORD_BYTES);
            const TimePs there = m_pcie.Write(PcieSide::HOST, core.stores, piece, now);
            m_stores.Push({there, queue, position + slot, words});
            now = std::max(now, core.buffers.Add(core.stores.lastBegin));
        }
    }
    core.writer.Tell();
    ++m_counts.lowLatency;
    return now;
}

TimePs
CommandHost::RingDoorbell(uint32_t queue, TimePs now)
{
    Core& core = m_cores[queue];
    now += m_settings.driver.fence + m_settings.driver.doorbell;
    const TimePs there = m_pcie.Write(PcieSide::HOST, core.stores, DOORBELL_BYTES, now);
    m_stores.Push({there, queue, core.writer.Tell(), 0});
    core.untold = 0;
    ++m_counts.doorbells;
    return std::max(now, core.buffers.Add(core.stores.lastBegin));
}

void
CommandHost::Abandon(Core& core)
{
    m_counts.abandoned += core.left;
    core.streams.Pop();
    for (; !core.streams.IsEmpty(); core.streams.Pop())
    {
        m_counts.abandoned += core.streams.Front().count;
    }
}

} // namespace ns3::fabric
