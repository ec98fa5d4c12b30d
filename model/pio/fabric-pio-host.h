/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_HOST_H
#define FABRIC_PIO_HOST_H

#include "fabric-context-writer.h"
#include "fabric-credit-lines.h"
#include "fabric-pcie-link.h"
#include "fabric-pio-counts.h"
#include "fabric-pio-registers.h"
#include "fabric-ring.h"
#include "fabric-sdma-ring.h"
#include "fabric-timer-heap.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// A message that a thread has to send.
struct PioJob
{
    uint32_t message;  ///< Its handle.
    uint32_t queue;    ///< NIC queue of its flow.
    uint64_t bytes;    ///< Its size.
    TimePs at;         ///< It is sent no earlier, ps.
    bool isBackToBack; ///< It counts as sent only when the thread begins with it.
};

/// Is told what software and adaptor do.
class PioWatcher
{
  public:
    virtual ~PioWatcher() = default;

    /// @param message a thread begins with it, though it was there before
    virtual void MessageBegins(uint32_t message, TimePs now) = 0;

    /// @param thread has waited for credits @param since when that began, ps
    virtual void StallEnds(uint32_t thread, TimePs since, TimePs now) = 0;

    /// @param context whose credits come into memory @param update what comes
    virtual void CreditsReturn(uint32_t context, const CreditUpdate& update) = 0;
};

/**
 * Software's side of PIO (PC-7, PC-9): threads that store packets into send contexts, wait for
 * credits and, for large messages, write SDMA descriptors. It knows of the adaptor only what comes
 * into host memory.
 *
 * | a thread ...                         | until                                             |
 * |--------------------------------------|---------------------------------------------------|
 * | has no message                       | Post()                                            |
 * | stores a packet, or a descriptor     | the core has done so                              |
 * | waits for another one of its context | that one has its blocks                           |
 * | waits for credits and polls          | credits come into memory                          |
 * | waits for credits and sleeps         | an interrupt; it has switched them on, and forced a
 * return |
 * | waits for a free descriptor          | a new head of the ring; it polls          |
 */
class PioHost
{
  public:
    /**
     * @param settings that are valid; stays where it is
     * @param stores to the adaptor
     * @param lines words in host memory, by context
     * @param rings of SDMA descriptors in host memory, by engine
     */
    PioHost(const PioSettings& settings,
            PcieLink& pcie,
            PioStores& stores,
            CreditLines& lines,
            std::vector<SdmaRing>& rings);

    /// @param watcher is told what happens; null for nobody
    void SetWatcher(PioWatcher* watcher)
    {
        m_watcher = watcher;
    }

    /// @param thread number of the one that sends it, after those that it has
    void Post(uint32_t thread, const PioJob& job, TimePs now);

    /// @return messages of a thread that are not all written
    uint32_t Queued(uint32_t thread) const
    {
        return m_threads[thread].jobs.Size();
    }

    /// @return messages that a thread was given so far
    uint64_t Posted(uint32_t thread) const
    {
        return m_threads[thread].posted;
    }

    /**
     * Changes the threshold of a context, as a driver does that has more contexts or less. The
     * adaptor returns at once what there is, so that nobody waits for the old one.
     *
     * @param thread that stores it; the context is its own
     * @param threshold blocks, as SendContextSettings::threshold
     */
    void SetThreshold(uint32_t thread, uint32_t threshold, TimePs now);

    /// @return when a thread does something, NEVER for not at all, ps
    TimePs NextTime() const
    {
        return m_timers.Earliest();
    }

    /// @param now NextTime(): threads do what is due, ps
    void Handle(TimePs now);

    /// Credits will come into memory. @param context number of it @param update what comes
    void CreditsOnWay(uint32_t context, const CreditUpdate& update);

    /// @param engine of SDMA; its ring will have a new head @param at when, ps
    void HeadOnWay(uint32_t engine, TimePs at);

    const PioHostCounts& Counts() const
    {
        return m_counts;
    }

    /// @param end of a run, ps @return time that threads have waited by then, also those that still
    /// wait, which Counts() leaves out, ps
    TimePs StallTimeBy(TimePs end) const;

  private:
    /// A thread, or process.
    struct Thread
    {
        PcieStream core;       ///< Its stores.
        Ring<PioJob> jobs;     ///< Messages.
        uint64_t posted{0};    ///< Messages so far.
        uint64_t left{0};      ///< Bytes of the first one that are not written.
        uint32_t packets{0};   ///< So far.
        bool hasBegun{false};  ///< With the first message.
        bool isWaiting{false}; ///< For credits, or for a descriptor.
        TimePs waitsSince{0};  ///< ps.
        TimePs waitsUntil{0};  ///< The last time, with a look that found blocks, ps.
        TimePs freeAt{0};      ///< When its core has done what it does, ps.
        /// While it waits: blocks that were free when it forced a return, if it has.
        std::optional<uint32_t> forcedAt;
    };

    /// What software keeps of a context.
    struct Context
    {
        explicit Context(const SendContextSettings& settings)
            : writer(settings)
        {
        }

        ContextWriter writer;      ///< Its counters.
        Ring<uint32_t> waiters;    ///< Threads that wait, in order.
        bool hasInterrupts{false}; ///< They are switched on.
    };

    /// What software keeps of the ring of an SDMA engine.
    struct Descriptors
    {
        Ring<uint32_t> waiters; ///< Threads that wait, in order.
        uint32_t told{0};       ///< Tail that the adaptor was told.
    };

    /// @param thread number of one @return context that it uses
    uint32_t ContextOf(uint32_t thread) const
    {
        return thread % m_settings.contexts;
    }

    /// A thread goes on.
    void Step(uint32_t number, TimePs now);
    /// It tries to write the next packet.
    void WritePacket(uint32_t number, TimePs now);
    /// It has blocks for the next packet, and stores it. @return when it goes on, ps
    TimePs StorePacket(uint32_t number, uint32_t bytes, uint32_t slot, TimePs from);
    /// It tries to write the next descriptor.
    void WriteDescriptor(uint32_t number, TimePs now);
    /// There is no free one.
    void WaitForDescriptor(uint32_t number, uint32_t engine, TimePs now);
    /// It tells an SDMA engine of the descriptors in its ring.
    void RingDoorbell(uint32_t number, uint32_t engine, TimePs now);
    /// It begins to wait, behind those that do.
    void JoinWaiters(uint32_t number, Ring<uint32_t>& waiters, TimePs now);
    /// It waits no longer, and the next one may try. @param now when it goes on, ps
    void LeaveWaiters(uint32_t number, Ring<uint32_t>& waiters, TimePs now);
    /// There are no blocks for it.
    void Wait(uint32_t number, TimePs now);
    /// The first thread that waits for credits asks for them, if it has to.
    void Ask(uint32_t number, TimePs now);
    /// It forces a return; who sleeps switches interrupts on with that.
    void Force(uint32_t number, TimePs now);
    /// It has blocks. @param now when it goes on, ps
    void EndWait(uint32_t number, TimePs now);
    /// It stores into a register.
    void StoreRegister(uint32_t number,
                       PioStoreKind kind,
                       uint32_t unit,
                       TimePs now,
                       uint32_t value = 0);

    /// @return when a thread begins with its first message, NEVER if it has none, ps
    static TimePs NextJobAt(const Thread& thread)
    {
        return thread.jobs.IsEmpty() ? NEVER : std::max(thread.freeAt, thread.jobs.Front().at);
    }

    /// @return payload of the next packet of a thread's first message
    uint32_t NextBytes(const Thread& thread) const
    {
        return static_cast<uint32_t>(std::min<uint64_t>(thread.left, m_settings.packetBytes));
    }

    /// A part of its first message is written. @return whether that was the last one
    bool Advance(Thread& thread, uint32_t bytes);
    /// @return when an update makes a thread go on that waits, NEVER for not, ps
    TimePs WakesAt(const CreditUpdate& update) const;
    /// @return when the first update that was not seen makes a thread go on that waits, NEVER if
    /// none does, ps
    TimePs NextWake(uint32_t number) const;
    /// @return until when a thread knows what has come into the word of its context, ps. Who waits
    /// has to read it, or to be interrupted, also where it goes on to force a return.
    TimePs SeesUntil(uint32_t number, TimePs now) const;

    const PioSettings& m_settings;          ///< The settings.
    TimePs m_forceAfter;                    ///< Who waits longer forces a return; 0 for never, ps.
    PcieLink& m_pcie;                       ///< To the adaptor.
    PioStores& m_stores;                    ///< To the adaptor.
    CreditLines& m_lines;                   ///< In host memory.
    std::vector<SdmaRing>& m_rings;         ///< In host memory.
    PioWatcher* m_watcher{nullptr};         ///< Null for nobody.
    std::vector<Thread> m_threads;          ///< By number.
    std::vector<Context> m_contexts;        ///< By number.
    std::vector<Descriptors> m_descriptors; ///< By SDMA engine.
    TimerHeap m_timers;                     ///< When threads go on.
    PioHostCounts m_counts;                 ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_HOST_H
