/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_ARRAY_H
#define FABRIC_LANE_ARRAY_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{
namespace fabric
{

/**
 * Something for each lane, in memory for the lanes that a table has used and not for all that there
 * might be. It grows when a table has higher lanes, and never shrinks, since lanes may come back.
 *
 * @tparam Item of a lane; what it is at first is that of a lane not in use
 */
template <typename Item>
class LaneArray
{
  public:
    /// @param size lanes for which there has to be room; what is there stays
    void Grow(uint32_t size)
    {
        if (size <= m_size)
        {
            return;
        }
        auto larger = std::make_unique<Item[]>(size);
        std::move(begin(), end(), larger.get());
        m_items = std::move(larger);
        m_size = size;
    }

    /// @return lanes for which there is room
    uint32_t Size() const
    {
        return m_size;
    }

    /**
     * @param lane number, less than Size()
     * @return what belongs to it
     */
    Item& operator[](uint32_t lane)
    {
        return m_items[lane];
    }

    /// @copydoc operator[](uint32_t)
    const Item& operator[](uint32_t lane) const
    {
        return m_items[lane];
    }

    /// @return what belongs to lane 0
    Item* begin()
    {
        return m_items.get();
    }

    /// @return behind the last
    Item* end()
    {
        return m_items.get() + m_size;
    }

    /// @copydoc begin()
    const Item* begin() const
    {
        return m_items.get();
    }

    /// @copydoc end()
    const Item* end() const
    {
        return m_items.get() + m_size;
    }

    /// @return bytes of memory held besides the object, without what items hold
    std::size_t MemoryBytes() const
    {
        return m_size * sizeof(Item);
    }

  private:
    std::unique_ptr<Item[]> m_items; ///< By lane.
    uint32_t m_size{0};              ///< See Size().
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_ARRAY_H
