/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SIM_BRIDGE_H
#define FABRIC_SIM_BRIDGE_H

// What Python can't do through cppyy alone, compiled by cppyy when it is loaded. Python functions
// are kept and called by number: one C++ function for each kind of arguments calls all of them,
// since cppyy compiles a new one for each that it is given.

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/object-base.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#include <unistd.h>
#define FABRIC_SIM_KNOWS_HEAP
#endif

namespace ns3::fabric::python
{

/// Calls a Python function by its number.
using Call = std::function<void(uint64_t)>;

/// Schedules a Python function. @return the event
inline EventId
Schedule(Time delay, const Call& call, uint64_t number)
{
    return Simulator::Schedule(delay, [call, number] { call(number); });
}

/// Schedules a Python function as something that happens at a node.
inline void
ScheduleAt(uint32_t node, Time delay, const Call& call, uint64_t number)
{
    Simulator::ScheduleWithContext(node, delay, [call, number] { call(number); });
}

/// @return what C++ makes by itself of an address of a kind, such as an InetSocketAddress
template <typename Kind>
Address
AddressOf(const Kind& address)
{
    return address;
}

/// Connects trace sources of one kind. @tparam Signature type of a pointer to a function, as a
/// trace source names it
template <typename Signature>
struct Sink;

template <typename... Args>
struct Sink<void (*)(Args...)>
{
    /// Calls a Python function by its number, with what the source tells.
    using Call = std::function<void(uint64_t, Args...)>;

    /// @return whether the object has such a source
    static bool Connect(ObjectBase& object,
                        const std::string& source,
                        const Call& call,
                        uint64_t number)
    {
        const std::function<void(Args...)> sink = [call, number](Args... args) {
            call(number, args...);
        };
        return object.TraceConnectWithoutContext(source, Callback<void, Args...>(sink));
    }
};

/**
 * Fills the gaps of the heap as long as it lives, so that what is allocated meanwhile lies
 * together. What cppyy compiles leaves thousands of gaps among 200 MB; a fabric whose parts are
 * spread over them is 10 to 15 % slower than in a program; with the gaps filled it is as fast.
 * Where the heap can't be asked, nothing is filled.
 */
class HeapFiller
{
  public:
    /// Fills the gaps that there are now.
    void Fill()
    {
#ifdef FABRIC_SIM_KNOWS_HEAP
        const struct mallinfo2 heap = mallinfo2();
        const char* top =
            static_cast<const char*>(sbrk(0)) - heap.keepcost - sizeof(std::max_align_t);
        std::size_t left = heap.fordblks; // ends this, too, where another allocator is in place
        m_blocks.reserve(m_blocks.size() + left / 256);
        for (std::size_t size = LARGEST; size >= SMALLEST; size -= Step(size))
        {
            while (left >= size && FillOne(size, top))
            {
                left -= size;
            }
        }
#endif
    }

    HeapFiller() = default;

    ~HeapFiller()
    {
        for (void* block : m_blocks)
        {
            std::free(block);
        }
    }

    HeapFiller(const HeapFiller&) = delete;
    HeapFiller& operator=(const HeapFiller&) = delete;

  private:
    static constexpr std::size_t LARGEST = 100 * 1024; ///< Larger blocks are mapped apart.
    static constexpr std::size_t SMALLEST = 24;        ///< The allocator has none that is smaller.

    /// @return how much smaller the next blocks are: by what the allocator tells apart, or an
    /// eighth
    static std::size_t Step(std::size_t size)
    {
        return size > 1024 ? size / 128 * 16 : 16;
    }

    /// @return whether a block was found below the top of the heap
    bool FillOne(std::size_t size, const char* top)
    {
        void* block = std::malloc(size);
        if (std::less<const void*>()(block, top))
        {
            m_blocks.push_back(block);
            return true;
        }
        std::free(block);
        return false;
    }

    std::vector<void*> m_blocks; ///< That fill gaps.
};

} // namespace ns3::fabric::python

#endif // FABRIC_SIM_BRIDGE_H
