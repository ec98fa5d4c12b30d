/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRANTED_FRAMES_H
#define FABRIC_GRANTED_FRAMES_H

#include "fabric-frame.h"
#include "fabric-input-queue.h"

#include <vector>

namespace ns3::fabric
{

/// A frame between its grant and the wire.
struct GrantedFrame
{
    Frame frame;             ///< The frame, as it leaves.
    QueueRef flow{NO_QUEUE}; ///< Its flow channel, NO_QUEUE for none.
    uint16_t input{0};       ///< Where it came in.
    uint16_t output{0};      ///< Where it leaves.
    uint8_t arrivedOn{0};    ///< Virtual channel by which it came.
    bool isHeld{true};       ///< Whether it counts in the input buffer.
    bool isLost{false};      ///< Whether the link of its output has failed.
    bool isUsed{true};       ///< Whether its place is in use.
};

/// The frames of a switch that are between grant and wire, by index. A freed place is the next one
/// used.
class GrantedFrames
{
  public:
    /// @param frames that are expected at a time; more make it grow
    explicit GrantedFrames(uint32_t frames)
    {
        m_frames.reserve(frames);
        m_free.reserve(frames);
    }

    /// @return index of a frame that is granted
    uint32_t Put(const GrantedFrame& frame)
    {
        if (m_free.empty())
        {
            m_frames.push_back(frame);
            return static_cast<uint32_t>(m_frames.size() - 1);
        }
        const uint32_t index = m_free.back();
        m_free.pop_back();
        m_frames[index] = frame;
        return index;
    }

    /// @return the frame
    GrantedFrame& At(uint32_t index)
    {
        return m_frames[index];
    }

    /// @param index of a frame that is gone
    void Free(uint32_t index)
    {
        m_frames[index].isUsed = false;
        m_free.push_back(index);
    }

    /// @return number of frames
    uint32_t Held() const
    {
        return static_cast<uint32_t>(m_frames.size() - m_free.size());
    }

    /// @param visit is called with each frame, and its index
    template <typename Visit>
    void ForEach(Visit&& visit)
    {
        for (uint32_t index = 0; index < m_frames.size(); ++index)
        {
            if (m_frames[index].isUsed)
            {
                visit(m_frames[index], index);
            }
        }
    }

    /// @param visit is called with each frame
    template <typename Visit>
    void ForEach(Visit&& visit) const
    {
        for (const GrantedFrame& frame : m_frames)
        {
            if (frame.isUsed)
            {
                visit(frame);
            }
        }
    }

  private:
    std::vector<GrantedFrame> m_frames; ///< By index.
    std::vector<uint32_t> m_free;       ///< Places that are free.
};

} // namespace ns3::fabric

#endif // FABRIC_GRANTED_FRAMES_H
