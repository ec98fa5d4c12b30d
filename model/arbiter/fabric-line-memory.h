/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINE_MEMORY_H
#define FABRIC_LINE_MEMORY_H

#include "fabric-fetch.h"

#include <cstddef>
#include <memory_resource>

namespace ns3::fabric
{

/**
 * Memory in lines of the processor's cache, one piece behind the other, for what is used
 * together: what a large fabric has for each link does not fit into the caches, nor do its pages
 * into the tables of translations, so it should not be scattered among what is rarely used. Pieces
 * are given back all at once, with the object.
 */
class LineMemory
{
  public:
    /**
     * @param bytes that will be taken; more can be, but stands elsewhere
     */
    explicit LineMemory(std::size_t bytes)
        : m_resource(bytes + CACHE_LINE) // it may begin in the middle of a line
    {
    }

    /// @return bytes of the lines that they take
    static constexpr std::size_t LinesOf(std::size_t bytes)
    {
        return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    }

    /**
     * @param bytes how many
     * @param alignment of the first; less than a line's for what is used with the piece before
     * @return a piece of so many bytes
     */
    void* Take(std::size_t bytes, std::size_t alignment = CACHE_LINE)
    {
        return m_resource.allocate(bytes, alignment);
    }

  private:
    std::pmr::monotonic_buffer_resource m_resource; ///< Has the memory.
};

} // namespace ns3::fabric

#endif // FABRIC_LINE_MEMORY_H
