/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINE_ARRAY_H
#define FABRIC_LINE_ARRAY_H

#include "fabric-fetch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace ns3
{
namespace fabric
{

/**
 * An array that begins with a line of the processor's cache and takes whole ones, for what a large
 * fabric has for each of its links: most of that has to be fetched, so it has to be in few lines.
 * The object is small for the same reason. It grows, and never shrinks.
 *
 * @tparam Item can be moved
 */
template <typename Item>
class LineArray
{
  public:
    /// Nothing.
    LineArray() = default;

    /// @param size items, each as it is at first
    explicit LineArray(uint32_t size)
        : m_items(Make(size), Release{size})
    {
    }

    /// @param size items for which there has to be room; what is there stays
    void Grow(uint32_t size)
    {
        if (size > Size())
        {
            LineArray larger(size);
            std::move(begin(), end(), larger.begin());
            m_items = std::move(larger.m_items);
        }
    }

    /// @return items for which there is room
    uint32_t Size() const
    {
        return m_items.get_deleter().size;
    }

    /**
     * @param index less than Size()
     * @return the item
     */
    Item& operator[](uint32_t index)
    {
        return m_items.get()[index];
    }

    /// @copydoc operator[](uint32_t)
    const Item& operator[](uint32_t index) const
    {
        return m_items.get()[index];
    }

    /// @return the first item
    Item* begin()
    {
        return m_items.get();
    }

    /// @return behind the last item
    Item* end()
    {
        return m_items.get() + Size();
    }

    /// @copydoc begin()
    const Item* begin() const
    {
        return m_items.get();
    }

    /// @copydoc end()
    const Item* end() const
    {
        return m_items.get() + Size();
    }

    /// Fetches all items, which are written soon.
    void Fetch() const
    {
        FetchMemory(m_items.get(), MemoryBytes());
    }

    /// @return bytes of memory held besides the object, without what items hold
    std::size_t MemoryBytes() const
    {
        return BytesOf(Size());
    }

  private:
    static constexpr std::align_val_t LINE{64}; ///< Bytes of a cache line; see FetchMemory().

    /// Ends items and gives their memory back.
    struct Release
    {
        /// @param items may be null
        void operator()(Item* items) const
        {
            std::destroy_n(items, size);
            ::operator delete(items, LINE);
        }

        uint32_t size{0}; ///< How many they are.
    };

    /// @return bytes of whole lines for so many items
    static std::size_t BytesOf(uint32_t size)
    {
        constexpr std::size_t BYTES = static_cast<std::size_t>(LINE);
        return (size * sizeof(Item) + BYTES - 1) / BYTES * BYTES;
    }

    /// @return new items
    static Item* Make(uint32_t size)
    {
        Item* const items = static_cast<Item*>(::operator new(BytesOf(size), LINE));
        std::uninitialized_value_construct_n(items, size);
        return items;
    }

    std::unique_ptr<Item, Release> m_items; ///< The items.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LINE_ARRAY_H
