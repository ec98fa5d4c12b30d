/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_BUFFER_H
#define FABRIC_OUTPUT_BUFFER_H

#include "fabric-ring.h"
#include "fabric-types.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/**
 * OBUF of an output (SW-13): room that is reserved when a frame is granted, and free when its tail
 * has left by the wire; and a FIFO for each row of tiles, in which frames whose heads have come
 * wait for the wire (SW-7). The FIFO that was used least recently goes first.
 */
class OutputBuffer
{
  public:
    /**
     * @param bytes of room, at least a largest frame
     * @param rows of tiles from which frames come
     */
    OutputBuffer(uint32_t bytes, uint32_t rows)
        : m_bytes(bytes),
          m_fifos(rows)
    {
        for (uint32_t row = 0; row < rows; ++row)
        {
            m_order.push_back(row);
        }
    }

    /// @param bytes of a frame @return whether it has room
    bool HasRoom(uint32_t bytes) const
    {
        return m_used + bytes <= m_bytes;
    }

    /// @return whether there is any room
    bool IsFull() const
    {
        return m_used >= m_bytes;
    }

    /// @param bytes of a frame that has room, and is granted
    void Reserve(uint32_t bytes)
    {
        m_used += bytes;
        m_peak = std::max(m_peak, m_used);
    }

    /// The head of a frame has come by the column bus of a row. @param frame names it
    void Arrive(uint32_t row, uint32_t frame)
    {
        m_fifos[row].Push(frame);
        ++m_waiting;
    }

    /// @return frames whose heads wait for the wire
    uint32_t Waiting() const
    {
        return m_waiting;
    }

    /// @return the frame that goes next; one must wait
    uint32_t Front() const
    {
        return m_fifos[*FirstInUse()].Front();
    }

    /**
     * The frame that goes next starts on the wire.
     *
     * @param bytes of it
     * @param end when its tail leaves, ps
     */
    void Start(uint32_t bytes, TimePs end)
    {
        const auto used = FirstInUse();
        m_fifos[*used].Pop();
        --m_waiting;
        std::rotate(used, used + 1, m_order.end());
        m_leaving = bytes;
        m_leavesAt = end;
    }

    /// What has left by now has no room any more.
    void Settle(TimePs now)
    {
        if (m_leavesAt <= now)
        {
            m_used -= m_leaving;
            m_leaving = 0;
            m_leavesAt = NEVER;
        }
    }

    /// A frame that was granted does not leave by the wire. @param bytes of it
    void Discard(uint32_t bytes)
    {
        m_used -= bytes;
    }

    /**
     * The wire is cut: frames that wait for it are discarded.
     *
     * @param discard is called with each: `uint32_t discard(uint32_t)`, which returns its bytes
     */
    template <typename Discarded>
    void Cut(Discarded&& discard)
    {
        for (Ring<uint32_t>& fifo : m_fifos)
        {
            for (; !fifo.IsEmpty(); fifo.Pop())
            {
                m_used -= discard(fifo.Front());
            }
        }
        m_waiting = 0;
        m_used -= m_leaving;
        m_leaving = 0;
        m_leavesAt = NEVER;
    }

    /// @return bytes of frames that were granted and have not left
    uint32_t UsedBytes() const
    {
        return m_used;
    }

    /// @return bytes of frames that were granted and have not left by now, also before Settle()
    uint32_t BytesAt(TimePs now) const
    {
        return m_leavesAt > now ? m_used : m_used - m_leaving;
    }

    /// @return bytes of the frame on the wire, as of the last Settle()
    uint32_t LeavingBytes() const
    {
        return m_leaving;
    }

    /// @return most bytes that were in use at a time
    uint32_t PeakBytes() const
    {
        return m_peak;
    }

    /// @return its size, bytes
    uint32_t SizeBytes() const
    {
        return m_bytes;
    }

  private:
    /// @return row in m_order whose FIFO goes next; one must have frames
    std::vector<uint32_t>::iterator FirstInUse()
    {
        return std::find_if(m_order.begin(), m_order.end(), [this](uint32_t row) {
            return !m_fifos[row].IsEmpty();
        });
    }

    /// As above, of one that stays as it is.
    std::vector<uint32_t>::const_iterator FirstInUse() const
    {
        return std::find_if(m_order.begin(), m_order.end(), [this](uint32_t row) {
            return !m_fifos[row].IsEmpty();
        });
    }

    uint32_t m_bytes;                    ///< Size.
    uint32_t m_used{0};                  ///< Bytes in use.
    uint32_t m_peak{0};                  ///< Most bytes in use.
    uint32_t m_leaving{0};               ///< Bytes of the frame on the wire.
    TimePs m_leavesAt{NEVER};            ///< When its tail leaves, ps.
    uint32_t m_waiting{0};               ///< Frames in the FIFOs.
    std::vector<Ring<uint32_t>> m_fifos; ///< By row.
    std::vector<uint32_t> m_order;       ///< Rows; the one used least recently comes first.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_BUFFER_H
