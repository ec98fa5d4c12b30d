/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SLOT_TABLE_H
#define FABRIC_SLOT_TABLE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Any number of values under way in a fabric, by handle: a frame carries the handle as its header
 * would carry the value's id, so neither end searches (DP-8). Values stay where they are. For those
 * that several threads put and read, see HandleTable.
 *
 * @tparam T a value type
 */
template <typename T>
class SlotTable
{
  public:
    /**
     * @param value to keep
     * @return its handle
     */
    uint32_t Put(const T& value)
    {
        if (m_free.empty())
        {
            m_values.push_back(value);
            return static_cast<uint32_t>(m_values.size() - 1);
        }
        const uint32_t handle = m_free.back();
        m_free.pop_back();
        m_values[handle] = value;
        return handle;
    }

    /**
     * @param handle of a value
     * @return the value
     */
    T& At(uint32_t handle)
    {
        return m_values[handle];
    }

    /// @param handle of a value that is kept no longer; what it owns it owns until the next Put()
    void Free(uint32_t handle)
    {
        m_free.push_back(handle);
    }

    /**
     * @param handle of a value that is kept no longer
     * @return the value, removed with what it owns
     */
    T Take(uint32_t handle)
    {
        T value = std::exchange(m_values[handle], T());
        m_free.push_back(handle);
        return value;
    }

    /// @return number of values kept
    std::size_t UnderWay() const
    {
        return m_values.size() - m_free.size();
    }

  private:
    std::deque<T> m_values;       ///< A deque: growing moves nothing that others point to.
    std::vector<uint32_t> m_free; ///< Last in, first out.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_SLOT_TABLE_H
