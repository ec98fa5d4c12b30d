/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NOTIFIER_H
#define FABRIC_NOTIFIER_H

#include "fabric-frame.h"
#include "fabric-repeating-event.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace ns3
{

class FabricNetDevice;

namespace fabric
{

/**
 * Calls devices back at exact times.
 *
 * What a host receives is known ahead of time, and how far ahead depends on the windows. So that an
 * application sees the same order whatever the windows are, a call is handed to the simulator 1 ps
 * before its time: it comes after all events that were scheduled for that instant earlier, and
 * before those that are scheduled within the instant. The calls of one instant come by location,
 * and for one location in the order of the link, reports of its NIC's engines after what came over
 * it. So a call has to be known before the instant in which it is handed over, where another event
 * may come before or after.
 */
class Notifier
{
  public:
    static constexpr TimePs KNOWN_AHEAD = 2; ///< How long before its time a call is known, ps.

    Notifier();

    /**
     * @param at when the frame is complete, at least KNOWN_AHEAD from now, ps
     * @param device that receives it
     * @param frame the last one of its message, or one with a packet
     * @throws std::logic_error if the calls of that instant were handed over already
     */
    void Add(TimePs at, FabricNetDevice* device, const Frame& frame);

    /**
     * The run does not end before a time: something arrives then of which no device is told, and
     * which is to be counted as delivered at the end, whatever else happens so late.
     *
     * @param at when, which may be over, ps
     */
    void LastUntil(TimePs at);

    /// Stops; what is waiting is never told.
    void Clear();

  private:
    /// A call to make.
    struct Call
    {
        TimePs at;               ///< When, ps.
        LocationId location;     ///< Of the device.
        uint64_t order;          ///< Of the device's calls.
        FabricNetDevice* device; ///< Who is called.
        Frame frame;             ///< What it received.

        /// @return whether it comes after another
        bool operator>(const Call& other) const;
    };

    /// The time of the first calls is 1 ps away.
    void Fire();
    /// Makes sure that the event comes for the first call, or for the end if there is none.
    void Plan();

    std::priority_queue<Call, std::vector<Call>, std::greater<>> m_calls; ///< The earliest first.
    RepeatingEvent m_event; ///< Comes 1 ps before the first, or when the run may end.
    uint64_t m_order{0};    ///< Number of calls so far.
    TimePs m_lasts{0};      ///< The run does not end before, ps.
    TimePs m_handed{0};     ///< The calls of this instant and earlier ones were handed over, ps.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_NOTIFIER_H
