/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_GRID_H
#define FABRIC_WINDOW_GRID_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// The windows of a switch: all of one length, the first at 0 (DP-3).
class WindowGrid
{
  public:
    /// @return the length of each, NEVER for a single one that never ends, ps
    TimePs Length() const
    {
        return m_length;
    }

    /// @param length they are not longer, from now on, above 0, ps
    void Limit(TimePs length)
    {
        if (length < m_length)
        {
            m_length = length;
            m_start = 0;
        }
    }

    /**
     * @param time at least 0, ps
     * @return the start of the window that holds it, ps
     */
    TimePs StartOf(TimePs time)
    {
        // A division takes up to 40 cycles, and most times are in the window of the last one that
        // was asked for, or in the next.
        const auto length = static_cast<uint64_t>(m_length);
        const auto since = static_cast<uint64_t>(time) - static_cast<uint64_t>(m_start);
        if (since >= length)
        {
            m_start = since - length < length ? m_start + m_length : time / m_length * m_length;
        }
        return m_start;
    }

    /// @param time at least 0, ps @return the start of the window after the one that holds it, ps
    TimePs EndOf(TimePs time)
    {
        return StartOf(time) + m_length;
    }

  private:
    TimePs m_length{NEVER}; ///< Of each, ps.
    TimePs m_start{0};      ///< Of the window that was asked for last, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_WINDOW_GRID_H
