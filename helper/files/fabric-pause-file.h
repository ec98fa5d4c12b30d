/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_FILE_H
#define FABRIC_PAUSE_FILE_H

#include "fabric-types.h"

#include <cstdint>
#include <ostream>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/**
 * The pfc.txt of ns-3's RDMA forks (FF-5): a line for each time that an interface is told to pause
 * or to go on, `time_ns node type interface event`; type is 0 for a host and 1 for a switch, event
 * 1 for a pause and 0 for its end. Interfaces count from 1.
 */
class PauseFile
{
  public:
    /// What an interface is told.
    struct Row
    {
        TimePs time;   ///< When it takes effect, ps.
        uint32_t node; ///< Whose interface it is.
        bool isSwitch; ///< Whether that is a switch.
        uint32_t port; ///< The interface, from 0.
        bool isPause;  ///< Whether it pauses, or goes on.

        /// @return whether it stands before another row
        bool operator<(const Row& other) const
        {
            return std::tie(time, node, port, isPause) <
                   std::tie(other.time, other.node, other.port, other.isPause);
        }
    };

    /// @param row is written later, in the order of times
    void Add(const Row& row)
    {
        m_rows.push_back(row);
    }

    /// Writes the rows before a time. @param end of the run, ps
    void Write(std::ostream& os, TimePs end);

  private:
    std::vector<Row> m_rows; ///< In any order.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_FILE_H
