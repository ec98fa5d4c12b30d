/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ATOMIC_UNIT_H
#define FABRIC_ATOMIC_UNIT_H

#include "fabric-atomic.h"
#include "fabric-ring.h"
#include "fabric-target-memory.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// An operation that is done.
struct AtomicResult
{
    TimePs at{0};          ///< When, ps.
    uint64_t word{0};      ///< As it was.
    bool isRefused{false}; ///< There is no such word, and nothing was done.
};

/**
 * The atomic unit of a NIC (NQ-12): a pipeline that begins an operation in each interval, unless a
 * conflict check finds one under way on the same 8 bytes. That one is awaited, and those behind
 * wait as well.
 */
class AtomicUnit
{
  public:
    /// @param interval between two operations, ps @param latency of one, ps
    AtomicUnit(TargetMemory& memory, TimePs interval, TimePs latency)
        : m_memory(memory),
          m_interval(interval),
          m_latency(latency)
    {
    }

    /// An operation comes, no earlier than those before.
    AtomicResult Do(const AtomicRequest& request, TimePs now)
    {
        if (!m_memory.Has(request.address, request.Bytes()))
        {
            return {now, 0, true};
        }
        const TimePs start = StartOf(request.address / 8, std::max(now, m_nextAt));
        m_nextAt = start + m_interval;
        const TimePs done = start + m_latency;
        m_underWay.Push({done, request.address / 8});
        const uint64_t word = m_memory.Read(request.address, request.Bytes());
        m_memory.Write(request.address, request.Bytes(), ApplyAtomic(request, word));
        ++m_done;
        return {done, word, false};
    }

    /// @return operations so far
    uint64_t Done() const
    {
        return m_done;
    }

    /// @return of these, had to wait for another one on the same word
    uint64_t Conflicts() const
    {
        return m_conflicts;
    }

  private:
    /// An operation that has begun.
    struct UnderWay
    {
        TimePs at;     ///< When it is done, ps.
        uint32_t line; ///< Its address by 8.
    };

    /// @param line its address by 8 @return when an operation begins that may do so now, ps
    TimePs StartOf(uint32_t line, TimePs now)
    {
        while (!m_underWay.IsEmpty() && m_underWay.Front().at <= now)
        {
            m_underWay.Pop();
        }
        for (uint32_t i = m_underWay.Size(); i-- > 0;)
        {
            if (m_underWay.At(i).line == line)
            {
                ++m_conflicts;
                return m_underWay.At(i).at;
            }
        }
        return now;
    }

    TargetMemory& m_memory;    ///< Where words are.
    TimePs m_interval;         ///< Between two, ps.
    TimePs m_latency;          ///< Of one, ps.
    TimePs m_nextAt{0};        ///< The next one begins no earlier, ps.
    Ring<UnderWay> m_underWay; ///< By time.
    uint64_t m_done{0};        ///< See Done().
    uint64_t m_conflicts{0};   ///< See Conflicts().
};

} // namespace ns3::fabric

#endif // FABRIC_ATOMIC_UNIT_H
