/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_PROCESSOR_H
#define FABRIC_COMMAND_PROCESSOR_H

#include "fabric-command-counts.h"
#include "fabric-command-steps.h"
#include "fabric-command-stores.h"
#include "fabric-nic-command-queue.h"
#include "fabric-pcie-link.h"
#include "fabric-queue-arbiter.h"
#include "fabric-ring.h"
#include "fabric-timed-ring.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Takes commands that the NIC has got: the flow queues.
class CommandSink
{
  public:
    virtual ~CommandSink() = default;

    /// @param queue where it comes from @return whether it is taken; otherwise there is no room
    virtual bool TakeCommand(uint32_t queue, const Command& command, TimePs now) = 0;

    /// A queue halts. @param queue number of it @param command that the NIC can't do
    virtual void CommandFailed(uint32_t queue, const Command& command, TimePs now) = 0;
};

/// Is told what the NIC tells software of queues.
class CommandStatusWatcher
{
  public:
    virtual ~CommandStatusWatcher() = default;

    /// @param queue whose status is on its way to host memory
    virtual void StatusOnWay(uint32_t queue, const CommandStatus& status) = 0;
};

/**
 * The NIC's side of all command queues (NQ-3 to NQ-9): it takes doorbells and low-latency writes,
 * chooses a queue, fetches its commands, gives them to the flow queues and writes read pointers
 * back.
 *
 *     stores -> queues -> arbiter -> buffer, or read over PCIe -> arbiter -> parser -> flow queues
 *
 * Classes have their shares at both arbiters: what is short may be grants, or what comes behind.
 * Then commands of all queues lie before the parser, and one goes on when there is room for it.
 */
class CommandProcessor
{
  public:
    /**
     * @param settings that are valid; stay where they are
     * @param stores from the processors
     * @param rings in host memory, by queue
     * @param lines status in host memory, by queue
     * @param steps are told
     */
    CommandProcessor(const CommandSettings& settings,
                     PcieLink& pcie,
                     CommandStores& stores,
                     std::vector<CommandRing>& rings,
                     std::vector<CommandStatusLine>& lines,
                     CommandSink& sink,
                     CommandStatusWatcher& watcher,
                     const CommandSteps& steps);

    /// @return when it has something to do, NEVER for nothing, ps
    TimePs NextTime() const;

    /// @param now NextTime(): does what is due, ps
    void Handle(TimePs now);

    /// There is room for commands in flow queues again.
    void Resume(TimePs now);

    /// @param writeBack says when the read pointer of a queue comes back, from now on
    void SetWriteBack(uint32_t queue, const WriteBackSettings& writeBack, TimePs now)
    {
        m_queues[queue].WriteBack().Set(writeBack);
        WriteBack(queue, now);
    }

    const CommandNicCounts& Counts() const
    {
        return m_counts;
    }

    /// @param queue number of one
    const NicCommandQueue& Queue(uint32_t queue) const
    {
        return m_queues[queue];
    }

  private:
    /// A read of a ring under way.
    struct Read
    {
        TimePs at;          ///< When it is done, ps.
        uint32_t queue;     ///< Whose ring.
        CommandFetch fetch; ///< What comes.
    };

    /// A read pointer that is due by time.
    struct Due
    {
        TimePs at;      ///< When, ps.
        uint32_t queue; ///< Whose.
    };

    /// Takes a store of a processor.
    void Take(const CommandStore& store, TimePs now);
    /// Tells that commands have passed a stage. @param end position behind the last of their slots
    /// @param from position behind those of which it was told before, by queue
    void Tell(CommandStage stage,
              uint32_t queue,
              uint64_t end,
              std::vector<uint64_t>& from,
              TimePs at);
    /// A read is done.
    void EndRead(const Read& read, TimePs now);
    /// A queue may not read before another one has done so.
    void Hold(uint32_t queue);
    /// A queue that was held may read.
    void WakeHeld(TimePs now);
    /// Serves the queue whose turn it is.
    void Grant(TimePs now);
    /// Processes the next command of the queue whose turn it is.
    void Parse(TimePs now);
    /// @return whether the next command of a queue has gone where it belongs
    bool Deliver(uint32_t queue, TimePs now);
    /// Writes the status of a queue to the host, if that is due.
    void WriteBack(uint32_t queue, TimePs now);
    /// A queue may have something to fetch, or a command to process, from now on.
    void Plan(uint32_t queue, TimePs now);

    const CommandSettings& m_settings;       ///< The settings.
    PcieLink& m_pcie;                        ///< To the host.
    CommandStores& m_stores;                 ///< From the processors.
    std::vector<CommandStatusLine>& m_lines; ///< In host memory.
    CommandSink& m_sink;                     ///< Takes commands.
    CommandStatusWatcher& m_watcher;         ///< Is told of statuses.
    const CommandSteps& m_steps;             ///< Are told.
    PcieStream m_writes;                     ///< Of statuses.
    std::vector<uint64_t> m_known;           ///< By queue: see Tell(), of STORE.
    std::vector<uint64_t> m_granted;         ///< By queue: see Tell(), of ARBITER.
    std::vector<uint64_t> m_fetched;         ///< By queue: see Tell(), of FETCH.
    std::vector<NicCommandQueue> m_queues;   ///< By number.
    QueueArbiter m_arbiter;                  ///< Queues with something to fetch.
    Ring<uint32_t> m_held;                   ///< Those that may not read, since so many others do.
    std::vector<uint8_t> m_isHeld;           ///< By queue: whether it is there.
    TimePs m_grantAt{0};                     ///< The next grant is no earlier, ps.
    TimedRing<Read> m_reads;                 ///< Under way.
    uint32_t m_reading{0};                   ///< Queues with reads under way.
    QueueArbiter m_parsable;                 ///< Queues with a command on the NIC.
    std::vector<uint8_t> m_isParsable;       ///< By queue: whether it is there, or in m_stalled.
    Ring<uint32_t> m_stalled;                ///< Queues whose command finds no room.
    TimePs m_parseAt{0};                     ///< The next command is no earlier, ps.
    TimedRing<Due> m_timers;                 ///< Of read pointers.
    CommandNicCounts m_counts;               ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_PROCESSOR_H
