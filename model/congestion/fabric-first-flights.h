/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FIRST_FLIGHTS_H
#define FABRIC_FIRST_FLIGHTS_H

#include "fabric-input-queue.h"
#include "fabric-ring.h"
#include "fabric-types.h"

#include <array>
#include <unordered_map>

namespace ns3::fabric
{

/**
 * Flows of a switch's hosts that begin to send while nobody knows whether their destination is
 * congested (CM-6): those of one class to one destination begin one after another.
 *
 * The first one tries the way with what a first flight may have. When something of that has left
 * the fabric, the flow that has waited longest begins, and one more if there is no congestion. So
 * what the senders of an incast have on their way before they know of each other grows with the
 * number of switches that they are at and not with their own number; and where there is congestion
 * the others begin no faster than the destination takes what they send.
 */
class FirstFlights
{
  public:
    /// Most flows that begin when one has heard: so their number doubles in a round trip.
    static constexpr std::size_t MOST_NEXT = 2;
    /// Flows that begin now, NO_QUEUE for none.
    using Next = std::array<QueueRef, MOST_NEXT>;

    /**
     * A flow has its first frame.
     *
     * @param queue of the flow
     * @return whether it begins now; if not it waits for its turn
     */
    bool Begin(LocationId dst, uint8_t trafficClass, QueueRef queue)
    {
        Destination& destination = At(dst, trafficClass);
        if (destination.underWay != 0)
        {
            destination.waiting.Push(queue);
            return false;
        }
        destination.underWay = 1;
        return true;
    }

    /**
     * A flow that had begun has its first ACK, maybe of a loss.
     *
     * @param isClear whether there is no congestion
     * @return who begins now
     */
    Next End(LocationId dst, uint8_t trafficClass, bool isClear)
    {
        Destination& destination = At(dst, trafficClass);
        --destination.underWay;
        Next next{NO_QUEUE, NO_QUEUE};
        for (std::size_t i = 0; i < (isClear ? MOST_NEXT : 1); ++i)
        {
            if (!destination.waiting.IsEmpty())
            {
                next[i] = destination.waiting.Front();
                destination.waiting.Pop();
                ++destination.underWay;
            }
        }
        return next;
    }

    /// A flow that waits for its turn has nothing to send any more. @param queue of the flow
    void Withdraw(LocationId dst, uint8_t trafficClass, QueueRef queue)
    {
        Ring<QueueRef>& waiting = At(dst, trafficClass).waiting;
        for (uint32_t left = waiting.Size(); left != 0; --left)
        {
            const QueueRef first = waiting.Front();
            waiting.Pop();
            if (!(first == queue))
            {
                waiting.Push(first);
            }
        }
    }

    /// @return flows that have begun and have not heard; for checks
    uint64_t UnderWay() const
    {
        uint64_t flows = 0;
        for (const auto& [key, destination] : m_destinations)
        {
            flows += destination.underWay;
        }
        return flows;
    }

    /// @return flows that wait for their turn; for checks
    uint64_t Waiting() const
    {
        uint64_t flows = 0;
        for (const auto& [key, destination] : m_destinations)
        {
            flows += destination.waiting.Size();
        }
        return flows;
    }

  private:
    /// Flows of a class to a destination.
    struct Destination
    {
        uint32_t underWay{0};   ///< That have begun and have not heard.
        Ring<QueueRef> waiting; ///< For their turn, first in, first out.
    };

    /// @return flows of a class to a destination; once they are known they stay, so that flows that
    /// come and go allocate nothing
    Destination& At(LocationId dst, uint8_t trafficClass)
    {
        return m_destinations[uint32_t{dst} * TRAFFIC_CLASSES + trafficClass];
    }

    std::unordered_map<uint32_t, Destination> m_destinations; ///< By destination and class.
};

} // namespace ns3::fabric

#endif // FABRIC_FIRST_FLIGHTS_H
