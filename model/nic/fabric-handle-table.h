/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HANDLE_TABLE_H
#define FABRIC_HANDLE_TABLE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Values under way in a fabric, by handle: a frame carries the handle as its payload would carry
 * the value. It keeps its memory, so that nothing is allocated once a run has warmed up.
 *
 * @tparam T a value type
 */
template <typename T>
class HandleTable
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
    const T& At(uint32_t handle) const
    {
        return m_values[handle];
    }

    /**
     * @param handle of a value that is kept no longer
     * @return the value
     */
    T Take(uint32_t handle)
    {
        m_free.push_back(handle);
        return m_values[handle];
    }

    /// @return number of values kept
    std::size_t UnderWay() const
    {
        return m_values.size() - m_free.size();
    }

    /// @return bytes of memory held
    std::size_t MemoryBytes() const
    {
        return m_values.size() * sizeof(T) + m_free.capacity() * sizeof(uint32_t);
    }

  private:
    std::deque<T> m_values;       ///< A deque: growing copies nothing.
    std::vector<uint32_t> m_free; ///< Last in, first out.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_HANDLE_TABLE_H
