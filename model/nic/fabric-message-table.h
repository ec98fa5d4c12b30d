/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_TABLE_H
#define FABRIC_MESSAGE_TABLE_H

#include "fabric-types.h"

#include <deque>
#include <vector>

namespace ns3
{
namespace fabric
{

/// A native message from its send to its delivery.
struct Message
{
    uint64_t bytes{0};       ///< Size of the message.
    uint64_t underWay{0};    ///< Bytes neither carried by the destination's link nor lost.
    uint64_t tag{0};         ///< The user's.
    TimePs sentAt{0};        ///< When the application sent it, ps.
    uint32_t sequence{0};    ///< Number of the message at its source, from 0.
    LocationId src{0};       ///< Source endpoint.
    LocationId dst{0};       ///< Destination endpoint.
    uint8_t trafficClass{0}; ///< Traffic class tag, FTAG.
    bool isDamaged{false};   ///< Whether a part of it is lost.

    /**
     * A frame of it was put on the destination's link.
     *
     * @param payload of the frame, bytes
     * @return whether nothing of it is under way any more
     */
    bool Arrive(uint32_t payload)
    {
        underWay -= payload;
        return underWay == 0;
    }

    /// A frame of it is lost. @copydetails Arrive()
    bool Lose(uint32_t payload)
    {
        isDamaged = true;
        return Arrive(payload);
    }
};

/**
 * The messages under way in a fabric, by handle. A frame carries its message's handle as its header
 * would carry the message's id, so neither end searches.
 */
class MessageTable
{
  public:
    /**
     * @param message a message that is sent
     * @return its handle
     */
    uint32_t Put(const Message& message)
    {
        if (m_free.empty())
        {
            m_messages.push_back(message);
            return static_cast<uint32_t>(m_messages.size() - 1);
        }
        const uint32_t handle = m_free.back();
        m_free.pop_back();
        m_messages[handle] = message;
        return handle;
    }

    /**
     * @param handle of a message under way
     * @return the message
     */
    Message& At(uint32_t handle)
    {
        return m_messages[handle];
    }

    /// @param handle of a message that was delivered or lost
    void Free(uint32_t handle)
    {
        m_free.push_back(handle);
    }

    /// @return number of messages under way
    std::size_t UnderWay() const
    {
        return m_messages.size() - m_free.size();
    }

  private:
    std::deque<Message> m_messages; ///< A deque: growing moves nothing that others point to.
    std::vector<uint32_t> m_free;   ///< Last in, first out.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_MESSAGE_TABLE_H
