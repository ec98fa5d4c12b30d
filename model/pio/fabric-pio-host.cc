/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-host.h"

#include "fabric-block-stores.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t REGISTER_BYTES = 8; ///< Of a store into one.

/// @return time after which who waits forces a return, 0 for never, ps. Where updates may be lost
/// somebody has to, since the last one before a wait has none after it.
TimePs
ForceAfter(const PioSettings& settings, const PcieSettings& pcie)
{
    constexpr TimePs ROUND_TRIPS = 10; // PCIe may be busy; chosen
    const bool mayStick = settings.loseEvery != 0 && settings.context.scheme == CREDITS_ABSOLUTE;
    const TimePs wakes =
        settings.wait == WAIT_POLLS ? settings.memoryLookTime : settings.interruptTime;
    return settings.forceAfter != 0 || !mayStick
               ? settings.forceAfter
               : ROUND_TRIPS * (2 * pcie.latency + settings.returnDelay + wakes);
}

} // namespace

PioHost::PioHost(const PioSettings& settings,
                 PcieLink& pcie,
                 PioStores& stores,
                 CreditLines& lines,
                 std::vector<SdmaRing>& rings)
    : m_settings(settings),
      m_forceAfter(ForceAfter(settings, pcie.Settings())),
      m_pcie(pcie),
      m_stores(stores),
      m_lines(lines),
      m_rings(rings),
      m_threads(settings.threads),
      m_descriptors(rings.size())
{
    for (uint32_t i = 0; i < settings.contexts; ++i)
    {
        m_contexts.emplace_back(settings.Context(i));
    }
}

void
PioHost::Post(uint32_t thread, const PioJob& job, TimePs now)
{
    Thread& poster = m_threads[thread];
    if (poster.jobs.IsEmpty())
    {
        m_timers.Set(thread, std::max({now, job.at, poster.freeAt}));
        poster.left = job.bytes;
    }
    poster.jobs.Push(job);
    ++poster.posted;
}

void
PioHost::Handle(TimePs now)
{
    while (m_timers.Earliest() <= now)
    {
        Step(m_timers.First(), now);
    }
}

void
PioHost::Step(uint32_t number, TimePs now)
{
    Thread& thread = m_threads[number];
    const PioJob& job = thread.jobs.Front();
    if (!thread.hasBegun)
    {
        thread.hasBegun = true;
        if (m_watcher && job.isBackToBack)
        {
            m_watcher->MessageBegins(job.message, now);
        }
    }
    if (!m_settings.IsForSdma(job.bytes))
    {
        WritePacket(number, now);
        return;
    }
    WriteDescriptor(number, now);
}

bool
PioHost::Advance(Thread& thread, uint32_t bytes)
{
    thread.left -= bytes;
    if (thread.left != 0)
    {
        return false;
    }
    thread.jobs.Pop();
    thread.hasBegun = false;
    thread.left = thread.jobs.IsEmpty() ? 0 : thread.jobs.Front().bytes;
    return true;
}

void
PioHost::WritePacket(uint32_t number, TimePs now)
{
    Thread& thread = m_threads[number];
    Context& context = m_contexts[ContextOf(number)];
    if (!context.waiters.IsEmpty() && context.waiters.Front() != number)
    {
        Wait(number, now);
        return;
    }
    CreditLine& line = m_lines[ContextOf(number)];
    const TimePs seen = SeesUntil(number, now);
    if (thread.isWaiting && m_settings.wait == WAIT_SLEEPS)
    {
        context.writer.Refresh(line, seen); // the interrupt's handler does so
    }
    const uint32_t bytes = NextBytes(thread);
    const BlockReservation place = context.writer.Reserve(PioSettings::BlocksOf(bytes), line, seen);
    if (place.look == CreditLook::SHORT)
    {
        Wait(number, now);
        return;
    }
    ++m_counts.looks[static_cast<std::size_t>(place.look)];
    const TimePs found = now + (place.look == CreditLook::SHARED ? m_settings.sharedLookTime : 0);
    if (thread.isWaiting)
    {
        EndWait(number, found);
    }
    m_timers.Set(number, StorePacket(number, bytes, place.slot, found));
}

TimePs
PioHost::StorePacket(uint32_t number, uint32_t bytes, uint32_t slot, TimePs from)
{
    Thread& thread = m_threads[number];
    const PioJob& job = thread.jobs.Front();
    const uint32_t blocks = PioSettings::BlocksOf(bytes);
    ++thread.packets;
    ControlWord word;
    word.message = job.message;
    word.queue = job.queue;
    word.bytes = static_cast<uint16_t>(bytes);
    word.blocks = static_cast<uint16_t>(blocks);
    word.asksForCredit =
        m_settings.requestEvery != 0 && thread.packets % m_settings.requestEvery == 0;
    const StoredPacket stored = StoreBlocks(m_settings, m_pcie, thread.core, blocks, from);
    m_stores.Push({stored.there, PioStoreKind::PACKET, ContextOf(number), slot, word});
    const bool isLast = Advance(thread, bytes);
    thread.freeAt = stored.freeAt;
    return isLast ? NextJobAt(thread) : thread.freeAt;
}

void
PioHost::WriteDescriptor(uint32_t number, TimePs now)
{
    Thread& thread = m_threads[number];
    const auto engine = static_cast<uint32_t>(number % m_rings.size());
    SdmaRing& ring = m_rings[engine];
    Ring<uint32_t>& waiters = m_descriptors[engine].waiters;
    if (ring.IsFull())
    {
        ring.Refresh(now);
    }
    if (ring.IsFull() || (!waiters.IsEmpty() && waiters.Front() != number))
    {
        WaitForDescriptor(number, engine, now);
        return;
    }
    if (thread.isWaiting)
    {
        LeaveWaiters(number, waiters, now);
    }
    const PioJob& job = thread.jobs.Front();
    const uint32_t bytes = NextBytes(thread);
    SdmaDescriptor packet;
    packet.message = job.message;
    packet.queue = job.queue;
    packet.bytes = static_cast<uint16_t>(bytes);
    ring.Write(packet);
    thread.freeAt = now + m_settings.descriptorTime;
    if (!Advance(thread, bytes))
    {
        m_timers.Set(number, thread.freeAt);
        return;
    }
    RingDoorbell(number, engine, thread.freeAt); // once for a message
    m_timers.Set(number, NextJobAt(thread));
}

void
PioHost::RingDoorbell(uint32_t number, uint32_t engine, TimePs now)
{
    const uint32_t tail = m_rings[engine].Tail();
    m_descriptors[engine].told = tail;
    StoreRegister(number, PioStoreKind::DOORBELL, engine, now, tail);
}

void
PioHost::WaitForDescriptor(uint32_t number, uint32_t engine, TimePs now)
{
    Descriptors& descriptors = m_descriptors[engine];
    JoinWaiters(number, descriptors.waiters, now);
    if (descriptors.told != m_rings[engine].Tail())
    {
        RingDoorbell(number, engine, now); // or a message longer than the ring waits for ever
    }
    if (descriptors.waiters.Front() == number)
    {
        HeadOnWay(engine, m_rings[engine].NextArrival());
    }
}

void
PioHost::HeadOnWay(uint32_t engine, TimePs at)
{
    const Ring<uint32_t>& waiters = m_descriptors[engine].waiters;
    if (!waiters.IsEmpty() && at != NEVER)
    {
        m_timers.Lower(waiters.Front(), at + m_settings.memoryLookTime);
    }
}

void
PioHost::JoinWaiters(uint32_t number, Ring<uint32_t>& waiters, TimePs now)
{
    Thread& thread = m_threads[number];
    if (!thread.isWaiting)
    {
        thread.isWaiting = true;
        thread.forcedAt.reset();
        thread.waitsSince = now;
        ++m_counts.stalls;
        waiters.Push(number);
    }
    m_timers.Set(number, NEVER);
}

void
PioHost::LeaveWaiters(uint32_t number, Ring<uint32_t>& waiters, TimePs now)
{
    Thread& thread = m_threads[number];
    thread.isWaiting = false;
    thread.waitsUntil = now;
    m_counts.stallTime += now - thread.waitsSince;
    if (m_watcher)
    {
        m_watcher->StallEnds(number, thread.waitsSince, now);
    }
    waiters.Pop();
    if (!waiters.IsEmpty())
    {
        m_timers.Set(waiters.Front(), now);
    }
}

TimePs
PioHost::StallTimeBy(TimePs end) const
{
    TimePs time = m_counts.stallTime;
    for (const Thread& thread : m_threads)
    {
        if (thread.isWaiting)
        {
            time += std::max<TimePs>(end - thread.waitsSince, 0);
        }
        else // the look that found blocks may take longer than the run
        {
            time -= std::max<TimePs>(thread.waitsUntil - std::max(end, thread.waitsSince), 0);
        }
    }
    return time;
}

void
PioHost::Wait(uint32_t number, TimePs now)
{
    Context& context = m_contexts[ContextOf(number)];
    JoinWaiters(number, context.waiters, now);
    if (context.waiters.Front() == number)
    {
        Ask(number, now);
    }
}

void
PioHost::Ask(uint32_t number, TimePs now)
{
    const uint32_t unit = ContextOf(number);
    Context& context = m_contexts[unit];
    if (context.writer.IsHalted())
    {
        return;
    }
    Thread& thread = m_threads[number];
    const bool isLate = m_forceAfter != 0 && now >= thread.waitsSince + m_forceAfter;
    // The adaptor tells at once of the next block, too: nothing new needs no other forced return.
    const bool isForced = thread.forcedAt == context.writer.Free();
    if (m_settings.wait == WAIT_SLEEPS || (context.writer.MustForce() && !isForced) || isLate)
    {
        thread.forcedAt = context.writer.Free();
        Force(number, now);
    }
    m_timers.Lower(number, NextWake(number)); // what is on its way is no slower for that
    if (m_forceAfter != 0)
    {
        m_timers.Lower(number, std::max(now, thread.freeAt) + m_forceAfter);
    }
}

void
PioHost::Force(uint32_t number, TimePs now)
{
    const uint32_t unit = ContextOf(number);
    const bool sleeps = m_settings.wait == WAIT_SLEEPS;
    m_contexts[unit].hasInterrupts = sleeps;
    StoreRegister(number, sleeps ? PioStoreKind::INTERRUPTS_ON : PioStoreKind::FORCE, unit, now);
    ++m_counts.forced;
}

TimePs
PioHost::WakesAt(const CreditUpdate& update) const
{
    if (m_settings.wait == WAIT_POLLS)
    {
        return update.readFrom + m_settings.memoryLookTime;
    }
    return update.interrupts ? update.at + m_settings.interruptTime : NEVER;
}

TimePs
PioHost::NextWake(uint32_t number) const
{
    // Who begins to sleep is not woken by interrupts that have come before.
    const TimePs from = m_settings.wait == WAIT_SLEEPS ? m_threads[number].waitsSince : 0;
    return m_lines[ContextOf(number)].Earliest([this, from](const CreditUpdate& update) {
        return update.at < from ? NEVER : WakesAt(update);
    });
}

TimePs
PioHost::SeesUntil(uint32_t number, TimePs now) const
{
    const bool sees = !m_threads[number].isWaiting || NextWake(number) <= now;
    return sees ? now : 0;
}

void
PioHost::CreditsOnWay(uint32_t context, const CreditUpdate& update)
{
    const Ring<uint32_t>& waiters = m_contexts[context].waiters;
    if (!waiters.IsEmpty())
    {
        m_timers.Lower(waiters.Front(), WakesAt(update));
    }
}

void
PioHost::EndWait(uint32_t number, TimePs now)
{
    const uint32_t unit = ContextOf(number);
    Context& context = m_contexts[unit];
    LeaveWaiters(number, context.waiters, now);
    if (context.waiters.IsEmpty() && context.hasInterrupts)
    {
        context.hasInterrupts = false;
        StoreRegister(number, PioStoreKind::INTERRUPTS_OFF, unit, now);
    }
}

void
PioHost::SetThreshold(uint32_t thread, uint32_t threshold, TimePs now)
{
    const uint32_t unit = ContextOf(thread);
    m_contexts[unit].writer.SetThreshold(threshold);
    StoreRegister(thread, PioStoreKind::THRESHOLD, unit, now, threshold);
}

void
PioHost::StoreRegister(uint32_t number,
                       PioStoreKind kind,
                       uint32_t unit,
                       TimePs now,
                       uint32_t value)
{
    Thread& thread = m_threads[number];
    const TimePs there = m_pcie.Write(PcieSide::HOST, thread.core, REGISTER_BYTES, now);
    thread.freeAt = std::max(thread.freeAt, thread.core.lastBegin); // as for blocks
    m_stores.Push({there, kind, unit, value, {}});
}

} // namespace ns3::fabric
