/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_HOST_H
#define FABRIC_COMMAND_HOST_H

#include "fabric-buffer-backlog.h"
#include "fabric-command-arguments.h"
#include "fabric-command-counts.h"
#include "fabric-command-policy.h"
#include "fabric-command-steps.h"
#include "fabric-command-stores.h"
#include "fabric-command-stream.h"
#include "fabric-command-writer.h"
#include "fabric-pcie-link.h"
#include "fabric-ring.h"
#include "fabric-store-buffers.h"
#include "fabric-timed-ring.h"
#include "fabric-timer-heap.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * Software's side of command queues (NQ-3 to NQ-5, NQ-8): a core for each queue, whose driver
 * writes commands into the ring and, as its policy says, rings the doorbell or writes the NIC's
 * buffer. Of the NIC it knows only what comes into host memory.
 *
 * | a core ...                    | until                                            |
 * |-------------------------------|--------------------------------------------------|
 * | has nothing to do             | the time of its next command                     |
 * | makes and writes a command    | it has done so                                   |
 * | waits for room in the ring    | a new status comes into memory, and it has looked |
 * | waits for an acknowledgement  | it sees the event                                |
 */
class CommandHost
{
  public:
    /**
     * @param settings that are valid; stay where they are
     * @param stores to the NIC
     * @param rings in host memory, by queue
     * @param lines status in host memory, by queue
     * @param arguments of commands in rings
     * @param steps are told
     */
    CommandHost(const CommandSettings& settings,
                PcieLink& pcie,
                CommandStores& stores,
                std::vector<CommandRing>& rings,
                std::vector<CommandStatusLine>& lines,
                CommandArgumentTable& arguments,
                const CommandSteps& steps);

    /// @param policy chooses paths of a queue's commands from now on
    void SetPolicy(uint32_t queue, std::unique_ptr<CommandPolicy> policy)
    {
        m_cores[queue].policy = std::move(policy);
    }

    /// An application asks for commands, after those that it has asked for. @param queue that takes
    /// them
    void Post(uint32_t queue, const CommandStream& stream, TimePs now);

    /// @return when a core does something, NEVER for not at all, ps
    TimePs NextTime() const
    {
        return std::min(m_timers.Earliest(), m_completions.Earliest());
    }

    /// @param now NextTime(): cores do what is due, ps
    void Handle(TimePs now);

    /// A status will come into memory.
    void StatusOnWay(uint32_t queue, TimePs at);

    /// A command is acknowledged. @param seen when software sees that, ps
    void Completed(uint32_t queue, TimePs seen);

    /// @return whether software has seen that a queue has halted
    bool IsHalted(uint32_t queue) const
    {
        return m_lines[queue].Seen().isHalted;
    }

    const CommandHostCounts& Counts() const
    {
        return m_counts;
    }

  private:
    /// A core with its queue.
    struct Core
    {
        explicit Core(CommandRing& ring)
            : writer(ring)
        {
        }

        CommandWriter writer;                  ///< Pointers.
        std::unique_ptr<CommandPolicy> policy; ///< Chooses paths.
        PcieStream stores;                     ///< To the NIC.
        StoreBuffers buffers;                  ///< Of these.
        Ring<CommandStream> streams;           ///< What applications want.
        CommandClock clock;                    ///< Times of the first one.
        uint64_t left{0};                      ///< Commands of the first one.
        uint32_t untold{0};                    ///< Commands since the last doorbell.
        uint64_t sequence{0};                  ///< Of the next command.
        uint64_t outstanding{0};               ///< Commands without acknowledgement.
        uint64_t made{0};                      ///< Commands of the first stream.
        TimePs askedAt{0};                     ///< For the command that it writes, ps.
        BufferBacklog backlog;                 ///< What its policy sees.
        TimePs freeAt{0};                      ///< When it has done what it does, ps.
        bool isWaiting{false};                 ///< For room in the ring.
    };

    /// An acknowledgement that software sees.
    struct Completion
    {
        TimePs at;      ///< When, ps.
        uint32_t queue; ///< Whose.
    };

    /// A core goes on.
    void Step(uint32_t queue, TimePs now);
    /// @return whether the present command may be written, as far as acknowledgements go
    bool MayGo(const Core& core) const;
    /// The next stream begins, if there is one.
    static void Begin(Core& core);
    /// Plans when a core goes on. @param now it is free no earlier, ps
    void Plan(uint32_t queue, TimePs now);
    /// It looks at the status. @return when it has done so, ps
    TimePs Look(uint32_t queue, TimePs now);
    /// There is no room in the ring. @return whether there is some after a look, at `now`
    bool FindRoom(uint32_t queue, uint32_t slots, TimePs& now);
    /// @return the present command of a core, without its arguments
    Command Make(Core& core, TimePs now) const;
    /// Keeps the arguments of the present command, if it has any. @return their handle
    uint32_t KeepArguments(const Core& core);
    /// The present command is made, and the next one is the present one.
    void Count(Core& core);
    /// It writes the command. @return when it has done so, ps
    TimePs Write(uint32_t queue, Command& command, uint32_t slots, TimePs now);
    /// @return whether a command fits into the buffer, and does not begin behind no-ops
    bool FitsBuffer(uint32_t queue, uint32_t slots) const;
    /// @return whether a command goes to the buffer @param now advances by what that takes
    bool ChoosesBuffer(uint32_t queue, uint32_t slots, bool hasMore, TimePs posted, TimePs& now);
    /// @return what a core takes for a command, by the buffer if it fits, ps
    TimePs BufferTime(uint32_t queue, uint32_t slots) const;
    /// @return when it has written a command to the buffer, ps
    TimePs WriteBuffer(uint32_t queue, uint64_t position, uint32_t slots, TimePs now);
    /// @return when it has rung the doorbell, ps
    TimePs RingDoorbell(uint32_t queue, TimePs now);
    /// Nothing of what applications want is done any more.
    void Abandon(Core& core);

    const CommandSettings& m_settings;       ///< The settings.
    PcieLink& m_pcie;                        ///< To the NIC.
    CommandStores& m_stores;                 ///< To the NIC.
    std::vector<CommandStatusLine>& m_lines; ///< In host memory.
    CommandArgumentTable& m_arguments;       ///< Of commands in rings.
    const CommandSteps& m_steps;             ///< Are told.
    std::vector<Core> m_cores;               ///< By queue.
    TimerHeap m_timers;                      ///< When cores go on.
    TimedRing<Completion> m_completions;     ///< That software sees.
    CommandHostCounts m_counts;              ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_HOST_H
