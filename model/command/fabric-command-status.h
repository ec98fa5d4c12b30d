/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_STATUS_H
#define FABRIC_COMMAND_STATUS_H

#include "fabric-ring.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

inline constexpr uint32_t STATUS_BYTES = 8; ///< That the NIC writes (Cassini, libcxi).

/// What the NIC tells software of a command queue. On the wire its counters have 16 bits, which
/// is enough, since a ring has at most 65,536 slots.
struct CommandStatus
{
    TimePs at{0};         ///< When it is in host memory, ps.
    uint64_t read{0};     ///< Read pointer: slots below it are free.
    uint64_t accepted{0}; ///< Low-latency commands that came from the buffer.
    uint64_t dropped{0};  ///< Low-latency commands that had to be read from the ring.
    bool isHalted{false}; ///< A command was malformed; nothing behind it is done.
};

/// The status in host memory: what the NIC has written, and what software has seen of it.
class CommandStatusLine
{
  public:
    /// @param status comes later than those before
    void Write(const CommandStatus& status)
    {
        m_coming.Push(status);
    }

    /// @return whether something is new for who looks now
    bool IsNew(TimePs now) const
    {
        return !m_coming.IsEmpty() && m_coming.Front().at <= now;
    }

    /// @return what software sees that looks now
    const CommandStatus& Look(TimePs now)
    {
        for (; IsNew(now); m_coming.Pop())
        {
            m_seen = m_coming.Front();
        }
        return m_seen;
    }

    /// @return what software has seen
    const CommandStatus& Seen() const
    {
        return m_seen;
    }

    /// @return when the next one comes that software has not seen, NEVER for none, ps
    TimePs NextArrival() const
    {
        return m_coming.IsEmpty() ? NEVER : m_coming.Front().at;
    }

  private:
    Ring<CommandStatus> m_coming; ///< By time.
    CommandStatus m_seen;         ///< The last one that software has looked at.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_STATUS_H
