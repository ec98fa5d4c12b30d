/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ALLOCATION_COUNT_H
#define FABRIC_ALLOCATION_COUNT_H

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>

// Replaces the global operator new of the program that includes this, in its one source file.

namespace ns3::fabric
{

/// What the program has taken from the heap; several threads may run switches.
struct AllocationCounters
{
    bool on{false};                 ///< Whether anything is counted, which takes time.
    std::atomic<uint64_t> calls{0}; ///< Of operator new.
    std::atomic<uint64_t> bytes{0}; ///< That are held.
};

/// @return the counters of this process
inline AllocationCounters&
Allocations()
{
    static AllocationCounters counters;
    return counters;
}

/**
 * @param memory that operator new got from the heap
 * @return the same, counted
 */
inline void*
CountAllocation(void* memory)
{
    if (!memory)
    {
        throw std::bad_alloc();
    }
    if (Allocations().on)
    {
        Allocations().calls.fetch_add(1, std::memory_order_relaxed);
        Allocations().bytes.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
    }
    return memory;
}

/// @param memory that operator delete gets
inline void
FreeCounted(void* memory)
{
    if (Allocations().on)
    {
        Allocations().bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
    }
    std::free(memory);
}

} // namespace ns3::fabric

// None is inlined: where GCC inlines only one of a pair, it sees free() end what operator new
// began.
[[gnu::noinline]] void*
operator new(std::size_t size)
{
    return ns3::fabric::CountAllocation(std::malloc(size == 0 ? 1 : size));
}

[[gnu::noinline]] void*
operator new(std::size_t size, std::align_val_t alignment)
{
    const auto align = static_cast<std::size_t>(alignment);
    return ns3::fabric::CountAllocation(
        std::aligned_alloc(align, (size + align - 1) / align * align));
}

[[gnu::noinline]] void
operator delete(void* memory) noexcept
{
    ns3::fabric::FreeCounted(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t) noexcept
{
    ns3::fabric::FreeCounted(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::align_val_t) noexcept
{
    ns3::fabric::FreeCounted(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    ns3::fabric::FreeCounted(memory);
}

#endif // FABRIC_ALLOCATION_COUNT_H
