/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FETCH_H
#define FABRIC_FETCH_H

#include <algorithm>
#include <cstddef>

namespace ns3::fabric
{

/// Bytes of a cache line on all processors that matter here.
inline constexpr std::size_t CACHE_LINE = 64;

/**
 * Asks the processor for memory that is written soon, without waiting for it.
 *
 * A large fabric does not fit into the caches, and what a switch touches in a window is known
 * before: so it is fetched while the switches before it run.
 *
 * @param memory first byte; may be null if `bytes` is 0
 * @param bytes how many
 */
inline void
FetchMemory(const void* memory, std::size_t bytes)
{
    const char* const begin = static_cast<const char*>(memory);
    for (std::size_t offset = 0; offset < bytes; offset += CACHE_LINE)
    {
        __builtin_prefetch(begin + offset, 1);
    }
    // GCC takes a function that only fetches for one that does nothing, and leaves out its calls.
    __asm__ __volatile__("");
}

/**
 * As FetchMemory(), for memory whose size is another one each time: one to four lines take no
 * branch that the processor would have to guess. At least the line of the first byte is fetched.
 *
 * @param memory first byte; of nothing some byte that is touched anyway, since a null pointer costs
 *        a translation of its address each time
 * @param bytes how many
 */
inline void
FetchFewLines(const void* memory, std::size_t bytes)
{
    const char* line = static_cast<const char*>(memory);
    const char* const last = line + bytes - (bytes != 0 ? 1 : 0);
    do
    {
        __builtin_prefetch(line, 1);
        __builtin_prefetch(std::min(line + CACHE_LINE, last), 1);
        __builtin_prefetch(std::min(line + 2 * CACHE_LINE, last), 1);
        __builtin_prefetch(std::min(line + 3 * CACHE_LINE, last), 1);
        line += 4 * CACHE_LINE;
    } while (line <= last);
    __asm__ __volatile__(""); // see FetchMemory()
}

} // namespace ns3::fabric

#endif // FABRIC_FETCH_H
