/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_ASSEMBLY_H
#define FABRIC_GROUP_ASSEMBLY_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Messages to groups of which a NIC has got a part (FC-16). The message itself is the same for all
 * members, and so nothing is written there.
 */
class GroupAssembly
{
  public:
    /**
     * A frame has come.
     *
     * @param handle of its message
     * @param payload of the frame, bytes
     * @param bytes size of the message
     * @return whether the message is complete here
     */
    bool Take(uint32_t handle, uint32_t payload, uint64_t bytes)
    {
        // A source sends one message of a class after the other, so there are few.
        auto part = std::find_if(m_parts.begin(), m_parts.end(), [handle](const Part& each) {
            return each.handle == handle;
        });
        if (part == m_parts.end())
        {
            m_parts.push_back({bytes, handle});
            part = m_parts.end() - 1;
        }
        part->left -= payload;
        if (part->left > 0)
        {
            return false;
        }
        *part = m_parts.back();
        m_parts.pop_back();
        return true;
    }

    /// @return messages of which a part is missing
    std::size_t Incomplete() const
    {
        return m_parts.size();
    }

  private:
    /// A message that is not complete.
    struct Part
    {
        uint64_t left;   ///< Bytes that have not come.
        uint32_t handle; ///< Of the message.
    };

    std::vector<Part> m_parts; ///< In no order.
};

} // namespace ns3::fabric

#endif // FABRIC_GROUP_ASSEMBLY_H
