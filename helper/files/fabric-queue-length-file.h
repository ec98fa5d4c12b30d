/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_LENGTH_FILE_H
#define FABRIC_QUEUE_LENGTH_FILE_H

#include "fabric-types.h"

#include <cstdint>
#include <ostream>

namespace ns3::fabric
{

/**
 * Writes the queue lengths of ns-3's RDMA forks (FF-5): a line `time T` in ns for each sample, then
 * `node port bytes` for each port of a switch at which anything waits. Ports count from 1.
 */
class QueueLengthFile
{
  public:
    /// @param os where to write; outlives the writer
    explicit QueueLengthFile(std::ostream& os)
        : m_os(os)
    {
    }

    /**
     * Writes what waits at a port.
     *
     * @param time of the sample, ps; not before that of the last call
     * @param node the switch
     * @param port from 0
     */
    void Write(TimePs time, uint32_t node, uint32_t port, uint64_t bytes)
    {
        if (time != m_time)
        {
            m_os << "time " << time / 1000 << "\n";
            m_time = time;
        }
        m_os << node << " " << port + 1 << " " << bytes << "\n";
    }

  private:
    std::ostream& m_os; ///< Where to write.
    TimePs m_time{-1};  ///< Of the last sample, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_QUEUE_LENGTH_FILE_H
