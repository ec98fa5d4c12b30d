/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROOM_NOTICE_H
#define FABRIC_ROOM_NOTICE_H

namespace ns3::fabric
{

/// Whether a ULP whose request was refused for want of room is to be told that there is some.
class RoomNotice
{
  public:
    /// A request was refused.
    void Want()
    {
        m_isWanted = true;
    }

    /// Something was freed.
    void Free()
    {
        m_isThere = true;
    }

    /// @return whether a ULP is to be told now; what was freed so far counts no more
    bool Take()
    {
        const bool isNews = m_isWanted && m_isThere;
        m_isWanted = m_isWanted && !m_isThere;
        m_isThere = false;
        return isNews;
    }

  private:
    bool m_isWanted{false}; ///< A request was refused.
    bool m_isThere{false};  ///< Something was freed since the last look.
};

} // namespace ns3::fabric

#endif // FABRIC_ROOM_NOTICE_H
