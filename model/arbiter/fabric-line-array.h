/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINE_ARRAY_H
#define FABRIC_LINE_ARRAY_H

#include "fabric-line-memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace ns3::fabric
{

/**
 * An array that begins with a line of the processor's cache, if not told otherwise, in memory that
 * somebody else has. The object is no larger than a pointer, so that many fit into a line: its
 * owner knows how many items there are. A copy is the same array.
 *
 * @tparam Item a value that nothing has to be done for when it ends
 */
template <typename Item>
class LineArray
{
  public:
    /// Where an array begins.
    enum Place
    {
        ON_LINE, ///< With a line.
        BEHIND,  ///< Behind the piece before, with which it is used together.
    };

    LineArray() = default;

    /**
     * @param memory to stand in
     * @param size items, each as it is at first
     * @param place where in the memory
     */
    LineArray(LineMemory& memory, uint32_t size, Place place = ON_LINE)
        : m_items(static_cast<Item*>(
              memory.Take(size * sizeof(Item), place == ON_LINE ? CACHE_LINE : alignof(Item))))
    {
        std::uninitialized_value_construct_n(m_items, size);
    }

    /// @param index of an item
    Item& operator[](uint32_t index)
    {
        return m_items[index];
    }

    /// @copydoc operator[](uint32_t)
    const Item& operator[](uint32_t index) const
    {
        return m_items[index];
    }

    /// @return the first item
    Item* begin()
    {
        return m_items;
    }

    /// @copydoc begin()
    const Item* begin() const
    {
        return m_items;
    }

    /**
     * @param size items
     * @return bytes of the lines that they take
     */
    static constexpr std::size_t BytesOf(uint32_t size)
    {
        return LineMemory::LinesOf(size * sizeof(Item));
    }

  private:
    static_assert(std::is_trivially_copyable_v<Item> && std::is_trivially_destructible_v<Item>,
                  "items are copied, and never ended");

    Item* m_items{nullptr}; ///< The first item.
};

} // namespace ns3::fabric

#endif // FABRIC_LINE_ARRAY_H
