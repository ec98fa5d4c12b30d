/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ALLOCATION_COUNT_H
#define FABRIC_ALLOCATION_COUNT_H

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

// Replaces the global operator new of the program that includes this, in its one source file.

namespace ns3
{
namespace fabric
{

/// @return the counter of AllocationCount()
inline std::atomic<uint64_t>&
AllocationCounter()
{
    static std::atomic<uint64_t> count{0}; // several threads may run switches
    return count;
}

/// @return calls of operator new in this process so far
inline uint64_t
AllocationCount()
{
    return AllocationCounter().load(std::memory_order_relaxed);
}

} // namespace fabric
} // namespace ns3

// None is inlined: where GCC inlines only one of a pair, it sees free() end what operator new
// began.
[[gnu::noinline]] void*
operator new(std::size_t size)
{
    ns3::fabric::AllocationCounter().fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size == 0 ? 1 : size))
    {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void*
operator new(std::size_t size, std::align_val_t alignment)
{
    ns3::fabric::AllocationCounter().fetch_add(1, std::memory_order_relaxed);
    const auto align = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align))
    {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

#endif // FABRIC_ALLOCATION_COUNT_H
