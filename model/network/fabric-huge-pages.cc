/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-huge-pages.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ns3::fabric
{

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

namespace
{

/// Blocks in which the heap is made to grow. Larger ones the C library takes from elsewhere.
constexpr std::size_t BLOCK = std::size_t{16} << 20;
constexpr int MOST_IN_HEAP = 32 << 20; ///< The most that the C library accepts.
constexpr int MOST_KEPT = 1 << 30;     ///< The heap's end is not given back below this.

/// @param block of the heap, whose pages are to be huge
void
Advise(void* block)
{
    // Whole pages, and both ends are the heap's: so nothing stays out between two blocks.
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t start = first / page * page;
    const std::uintptr_t end = (first + BLOCK + page - 1) / page * page;
    madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
}

} // namespace

void
PreferHugePages(std::size_t bytes)
{
    mallopt(M_MMAP_THRESHOLD, MOST_IN_HEAP);
    mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
    std::vector<void*> blocks;
    for (std::size_t got = 0; got < bytes; got += BLOCK)
    {
        void* block = std::malloc(BLOCK);
        if (!block)
        {
            break;
        }
        Advise(block);
        blocks.push_back(block);
    }
    for (void* block : blocks)
    {
        std::free(block);
    }
}

#else

void
PreferHugePages(std::size_t /* bytes */)
{
}

#endif

} // namespace ns3::fabric
