/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUFFER_BACKLOG_H
#define FABRIC_BUFFER_BACKLOG_H

#include "fabric-types.h"

#include <algorithm>

namespace ns3::fabric
{

/**
 * How far behind a core would be if all commands that fit went to the NIC's buffer, whatever path
 * they take (NQ-8). A driver knows when it was asked and how long a command takes it.
 */
class BufferBacklog
{
  public:
    /// @param asked when the application has asked for a command, not before the last one, ps
    /// @return how long it would wait for the core, ps
    TimePs WaitOf(TimePs asked) const
    {
        return std::max<TimePs>(0, m_freeAt - asked);
    }

    /**
     * The core would make that command.
     *
     * @param asked see WaitOf()
     * @param time that it takes, ps
     * @param most what is further behind is forgotten, so that the next quiet time is noticed, ps
     */
    void Add(TimePs asked, TimePs time, TimePs most)
    {
        m_freeAt = std::min(std::max(m_freeAt, asked) + time, asked + most);
    }

  private:
    TimePs m_freeAt{0}; ///< When the core would have made all commands, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_BUFFER_BACKLOG_H
