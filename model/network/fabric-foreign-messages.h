/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FOREIGN_MESSAGES_H
#define FABRIC_FOREIGN_MESSAGES_H

#include "fabric-message-table.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Messages from other ranks on the way to hosts of this one. Their frames bear the handle of the
 * sender's rank until they come here, and one of this rank's table from then on.
 *
 * A sender's handle is used again only when this rank has told that its message is over. So the two
 * never mix up frames of one message with those of the next.
 */
class ForeignMessages
{
  public:
    /// @param ranks number of them
    explicit ForeignMessages(uint32_t ranks)
        : m_handles(ranks)
    {
    }

    /// Where a message came from.
    struct Origin
    {
        uint32_t rank{NO_RANK}; ///< Of its sender; NO_RANK if it is this one.
        uint32_t handle{0};     ///< There.
    };

    static constexpr uint32_t NO_RANK = UINT32_MAX; ///< Of a message from this rank.

    /**
     * A message has begun.
     *
     * @param origin where
     * @param handle of it in this rank's table
     */
    void Begin(const Origin& origin, uint32_t handle);

    /// @return its handle in this rank's table, after Begin()
    uint32_t HandleOf(const Origin& origin) const
    {
        return m_handles[origin.rank][origin.handle];
    }

    /// @return where a message comes from @param handle of it in this rank's table
    Origin OriginOf(uint32_t handle) const
    {
        return handle < m_origins.size() ? m_origins[handle] : Origin();
    }

    /// A message is over. @param handle of it in this rank's table @return where it came from
    Origin End(uint32_t handle);

  private:
    std::vector<std::vector<uint32_t>> m_handles; ///< By rank and handle there.
    std::vector<Origin> m_origins;                ///< By handle here.
};

} // namespace ns3::fabric

#endif // FABRIC_FOREIGN_MESSAGES_H
