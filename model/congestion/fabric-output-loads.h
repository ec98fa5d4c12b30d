/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_LOADS_H
#define FABRIC_OUTPUT_LOADS_H

#include "fabric-congestion-marker.h"
#include "fabric-frame.h"

#include <memory>
#include <vector>

namespace ns3::fabric
{

/// What waits for each output of a switch, and which frames are marked for it (RT-14).
class OutputLoads
{
  public:
    /// @param seed of marking
    OutputLoads(uint32_t outputs, const MarkRules& marks, uint32_t seed)
        : m_queuedBytes(outputs, 0),
          m_marker(IsAnyMarked(marks) ? std::make_unique<CongestionMarker>(marks, outputs, seed)
                                      : nullptr)
    {
    }

    /**
     * Counts a frame among those that wait for an output, and may mark it.
     *
     * @param frame that begins to wait
     */
    void BeginWait(uint32_t output, Frame& frame)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        m_queuedBytes[output] += bytes;
        if (m_marker && m_marker->Join(output, frame.trafficClass, bytes))
        {
            frame.marked = 1;
        }
    }

    /**
     * Counts a frame out of those that wait for an output.
     *
     * @param frame that waits no longer
     */
    void EndWait(uint32_t output, const Frame& frame)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        m_queuedBytes[output] -= bytes;
        if (m_marker)
        {
            m_marker->Leave(output, frame.trafficClass, bytes);
        }
    }

    /// @return bytes that wait for it
    uint32_t QueuedBytes(uint32_t output) const
    {
        return m_queuedBytes[output];
    }

    /// @return what marks frames; null if none are marked
    const CongestionMarker* Marker() const
    {
        return m_marker.get();
    }

  private:
    std::vector<uint32_t> m_queuedBytes;        ///< By output.
    std::unique_ptr<CongestionMarker> m_marker; ///< Null if no frame is marked.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_LOADS_H
