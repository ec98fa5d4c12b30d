/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_COMMAND_QUEUE_H
#define FABRIC_NIC_COMMAND_QUEUE_H

#include "fabric-command-ring.h"
#include "fabric-command-settings.h"
#include "fabric-command-status.h"
#include "fabric-low-latency-buffer.h"
#include "fabric-read-pointer-policy.h"
#include "fabric-ring.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ns3::fabric
{

/// Slots that the NIC gets at a time.
struct CommandFetch
{
    uint64_t position{0}; ///< Of the first one.
    uint32_t slots{0};    ///< How many; 0 for nothing.
    bool isRead{false};   ///< Whether they have to be read over PCIe; else they are there.
};

/**
 * The NIC's side of a command queue (NQ-3, NQ-5 to NQ-7): its pointers, what it fetches next and
 * what it processes next. It knows no time; who runs it says when a read is done.
 *
 * | pointer  | slots before it ...                                     |
 * |----------|---------------------------------------------------------|
 * | write    | are written by the driver, and the NIC knows            |
 * | prefetch | are asked for, or were in the low-latency buffer        |
 * | read     | are processed; the driver may write them again          |
 */
class NicCommandQueue
{
  public:
    /// @param settings that are valid @param kind of the queue @param ring of it
    NicCommandQueue(const CommandSettings& settings,
                    CommandRing& ring,
                    CommandQueueKind kind = CommandQueueKind::INITIATOR)
        : m_kind(kind),
          m_readSlots(settings.readSlots),
          m_prefetchSlots(std::min(settings.prefetchSlots, ring.Slots())),
          m_ring(&ring),
          m_buffer(settings.BufferSlots(kind), ring, kind),
          m_writeBack(settings.writeBack, settings.ringSlots)
    {
    }

    /// The write pointer is advanced. @param write the new one
    void Doorbell(uint64_t write)
    {
        m_buffer.Doorbell(write, m_prefetch);
    }

    /// A piece is written to the buffer. @return whether it is taken, and not dropped
    bool TakePiece(const CommandPiece& piece)
    {
        return m_buffer.Take(piece, m_prefetch);
    }

    /// @return whether Fetch() gives something
    bool WantsFetch() const
    {
        return NextFetch().slots != 0;
    }

    /// @return whether what comes next has to be read, if WantsFetch()
    bool NextIsRead() const
    {
        return NextFetch().isRead;
    }

    /// @return what comes next, if WantsFetch(); the prefetch pointer advances
    CommandFetch Fetch()
    {
        const CommandFetch next = NextFetch();
        if (next.isRead)
        {
            m_buffer.GiveUp(m_prefetch);
        }
        else
        {
            m_buffered.Push(m_prefetch);
        }
        m_prefetch += next.slots;
        m_buffer.Passed(m_prefetch);
        m_reads += next.isRead ? 1 : 0;
        m_fetches.Push({m_prefetch, !next.isRead});
        Collect();
        return next;
    }

    /// A read is done. @param fetch that Fetch() gave
    void ReadDone(const CommandFetch& fetch)
    {
        --m_reads;
        for (uint32_t i = 0; i < m_fetches.Size(); ++i)
        {
            if (m_fetches.At(i).end == fetch.position + fetch.slots)
            {
                m_fetches.At(i).isThere = true;
            }
        }
        Collect();
    }

    /// @return whether the next command is on the NIC, so that Process() does it
    bool HasCommand() const
    {
        return !m_isHalted && m_read < m_there && HasAllOf(m_ring->At(m_read));
    }

    /// @return whether the NIC can do the next command, if HasCommand()
    bool IsNextWellFormed() const
    {
        return NextCommand().IsWellFormed(m_read, m_kind);
    }

    /// @return the next command, if HasCommand()
    const Command& NextCommand() const
    {
        return m_ring->At(m_read);
    }

    /// @return where it stands
    uint64_t ReadPointer() const
    {
        return m_read;
    }

    /// @return as far as the driver has written, and the NIC knows
    uint64_t WritePointer() const
    {
        return m_buffer.WritePointer();
    }

    /// @return the command that begins at a position
    const Command& CommandAt(uint64_t position) const
    {
        return m_ring->At(position);
    }

    /// @return slots of the command that begins at a position; of one that is malformed its first
    uint32_t SlotsAt(uint64_t position) const
    {
        return m_ring->SlotsAt(position, m_kind);
    }

    /**
     * The next command is processed, and the read pointer advances.
     *
     * @return whether it was well-formed; otherwise the queue halts
     */
    bool Process(TimePs now)
    {
        const Command& command = NextCommand();
        if (!command.IsWellFormed(m_read, m_kind))
        {
            m_isHalted = true;
            m_writeBack.Force();
            return false;
        }
        if (command.isLowLatency)
        {
            const bool wasBuffered = !m_buffered.IsEmpty() && m_buffered.Front() == m_read;
            ++(wasBuffered ? m_accepted : m_dropped);
            if (wasBuffered)
            {
                m_buffered.Pop();
            }
        }
        const uint32_t slots = command.slots;
        m_read += slots;
        m_ring->Processed(m_read);
        m_writeBack.Advance(slots, IsEmpty(), now);
        return true;
    }

    /// @return whether all that the NIC knows of is processed
    bool IsEmpty() const
    {
        return m_read == m_buffer.WritePointer();
    }

    /// @return when its status is written to the host
    ReadPointerPolicy& WriteBack()
    {
        return m_writeBack;
    }

    /// @return what is written then
    CommandStatus Status() const
    {
        return {0, m_read, m_accepted, m_dropped, m_isHalted};
    }

    /// @return reads under way
    uint32_t Reads() const
    {
        return m_reads;
    }

    bool IsHalted() const
    {
        return m_isHalted;
    }

  private:
    /// Slots that were asked for.
    struct Span
    {
        uint64_t end; ///< Position behind them.
        bool isThere; ///< Whether they are on the NIC.
    };

    /// @return whether all slots of a command that begins at the read pointer are there
    bool HasAllOf(const Command& command) const
    {
        return !command.IsWellFormed(m_read, m_kind) || m_read + command.slots <= m_there;
    }

    /// @return as Fetch(), and nothing advances
    CommandFetch NextFetch() const
    {
        if (m_isHalted || m_prefetch == m_buffer.WritePointer())
        {
            return {};
        }
        if (m_prefetch < m_buffer.End())
        {
            const uint64_t end = m_prefetch + SlotsAt(m_prefetch);
            if (end > m_buffer.WritePointer())
            {
                return {}; // the rest of the command is on its way
            }
            if (end <= m_buffer.End())
            {
                const auto slots = static_cast<uint32_t>(end - m_prefetch);
                return slots <= Room() ? CommandFetch{m_prefetch, slots, false} : CommandFetch{};
            }
        }
        const uint64_t known = m_buffer.WritePointer() - m_prefetch;
        const uint32_t most = std::min({m_readSlots, Room(), m_ring->UntilWrap(m_prefetch)});
        const auto slots = static_cast<uint32_t>(std::min<uint64_t>(known, most));
        return {m_prefetch, slots, slots != 0};
    }

    /// @return slots that the NIC has room for
    uint32_t Room() const
    {
        return m_prefetchSlots - static_cast<uint32_t>(m_prefetch - m_read);
    }

    /// Finds out how far slots are there without a gap.
    void Collect()
    {
        while (!m_fetches.IsEmpty() && m_fetches.Front().isThere)
        {
            m_there = m_fetches.Front().end;
            m_fetches.Pop();
        }
    }

    CommandQueueKind m_kind;       ///< What it is for.
    uint32_t m_readSlots;          ///< See CommandSettings.
    uint32_t m_prefetchSlots;      ///< See CommandSettings.
    CommandRing* m_ring;           ///< In host memory.
    LowLatencyBuffer m_buffer;     ///< With the write pointer.
    ReadPointerPolicy m_writeBack; ///< Of the read pointer.
    uint64_t m_prefetch{0};        ///< Prefetch pointer.
    uint64_t m_there{0};           ///< Slots before it are on the NIC.
    uint64_t m_read{0};            ///< Read pointer.
    uint32_t m_reads{0};           ///< Under way.
    uint64_t m_accepted{0};        ///< Low-latency commands, see CommandStatus.
    uint64_t m_dropped{0};         ///< Low-latency commands, see CommandStatus.
    bool m_isHalted{false};        ///< A command was malformed.
    Ring<Span> m_fetches;          ///< In order, from m_there on.
    Ring<uint64_t> m_buffered;     ///< Positions of commands from the buffer, not processed.
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_COMMAND_QUEUE_H
