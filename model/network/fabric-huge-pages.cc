/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-huge-pages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

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

constexpr int MOST_IN_HEAP = 32 << 20; ///< Of one piece, the most that the C library accepts.
constexpr int MOST_MAPPINGS = 65536;   ///< For larger ones: what the C library begins with.
/// The heap's end is not given back below this: the most that the C library knows.
constexpr int MOST_KEPT = std::numeric_limits<int>::max();
/// The heap is made to grow by no more at a time: its end would be given back at once.
constexpr std::size_t MOST = MOST_KEPT / 4 * std::size_t{3};

/// @param bytes of a block of the heap, whose pages are to be huge
void
Advise(const void* block, std::size_t bytes)
{
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t start = first / page * page;
    const std::uintptr_t end = (first + bytes) / page * page;
    madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
}

} // namespace

void
PreferHugePages(std::size_t bytes)
{
    mallopt(M_MMAP_THRESHOLD, MOST_IN_HEAP);
    mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
    // The heap grows by one block that is given back: nothing is written inside, since a huge page
    // that has begun as small ones stays so.
    const std::size_t most = std::min(bytes, MOST);
    mallopt(M_MMAP_MAX, 0);
    void* block = std::malloc(most);
    mallopt(M_MMAP_MAX, MOST_MAPPINGS);
    if (block)
    {
        Advise(block, most);
    }
    std::free(block);
}

#else

void
PreferHugePages(std::size_t /* bytes */)
{
}

#endif

} // namespace ns3::fabric
