/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INJECTION_PACER_H
#define FABRIC_INJECTION_PACER_H

#include "fabric-input-queue.h"
#include "fabric-mixed-bits.h"
#include "fabric-types.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/**
 * When flows that send less than a frame in a round trip may send the next one (CM-7), by the
 * outputs at which they wait for that.
 *
 * Each delay is drawn from a range around the one asked for: senders that have begun at one time
 * would come back at one time for ever. The draw is a hash of the number of draws so far; a switch
 * handles its ACKs in one order (DP-7), so that look-ahead and threads change nothing.
 */
class InjectionPacer
{
  public:
    /**
     * @param spread a delay is longer or shorter by up to this part of it, 0 to 1
     * @param seed of the draws
     */
    InjectionPacer(uint32_t outputs, double spread, uint32_t seed)
        : m_waiting(outputs),
          m_spread(spread),
          m_seed(seed)
    {
    }

    /**
     * @param queue that waits from now on
     * @param ticket tells this time from others of the queue
     * @param delay ps
     * @return when it may go on, ps
     */
    TimePs Add(uint32_t output, QueueRef queue, uint16_t ticket, TimePs delay, TimePs now)
    {
        const TimePs at = now + Draw(delay);
        std::vector<Entry>& waiting = m_waiting[output];
        waiting.push_back({at, queue, ticket});
        std::push_heap(waiting.begin(), waiting.end(), IsLater);
        return at;
    }

    /// @return when the next one may go on, NEVER for none, ps
    TimePs NextTime(uint32_t output) const
    {
        return m_waiting[output].empty() ? NEVER : m_waiting[output].front().at;
    }

    /// A queue that waits, and which of its times that is.
    struct Turn
    {
        QueueRef queue;  ///< The queue.
        uint16_t ticket; ///< As given to Add().
    };

    /// @return the one that may go on first, if it may by now; it waits no longer
    Turn Take(uint32_t output)
    {
        std::vector<Entry>& waiting = m_waiting[output];
        std::pop_heap(waiting.begin(), waiting.end(), IsLater);
        const Entry first = waiting.back();
        waiting.pop_back();
        return {first.queue, first.ticket};
    }

  private:
    /// A queue that waits.
    struct Entry
    {
        TimePs at;       ///< When it may go on, ps.
        QueueRef queue;  ///< The queue.
        uint16_t ticket; ///< As given to Add().
    };

    /// @return whether a comes after b; those of one time by their names
    static bool IsLater(const Entry& a, const Entry& b)
    {
        return std::tie(a.at, a.queue.input, a.queue.queue) >
               std::tie(b.at, b.queue.input, b.queue.queue);
    }

    /// @return a delay from the range around one, ps
    TimePs Draw(TimePs delay)
    {
        const double factor = 1 + m_spread * (2 * MixedShare(0, m_seed + ++m_draws) - 1);
        return static_cast<TimePs>(static_cast<double>(delay) * factor);
    }

    std::vector<std::vector<Entry>> m_waiting; ///< By output; heaps.
    double m_spread;                           ///< See the constructor.
    uint64_t m_seed;                           ///< Of the draws.
    uint64_t m_draws{0};                       ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_INJECTION_PACER_H
