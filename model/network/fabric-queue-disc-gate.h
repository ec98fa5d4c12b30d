/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_DISC_GATE_H
#define FABRIC_QUEUE_DISC_GATE_H

#include "fabric-repeating-event.h"
#include "fabric-types.h"

#include "ns3/net-device-queue-interface.h"
#include "ns3/net-device.h"
#include "ns3/ptr.h"

#include <functional>

namespace ns3::fabric
{

/**
 * Stops the queue disc above a device that has no room, and wakes it when there is some. ns-3's
 * other devices do so by their queue of packets, which a NIC's queues of flows are not.
 *
 * FqCoDel, FqCobalt and FqPie without a quantum get one, the MTU, which ns-3 takes from a device
 * that has what this gives it.
 */
class QueueDiscGate
{
  public:
    /**
     * @param device for which IsNeeded()
     * @param findWait tells how long it takes at least until the device has room, ps: 0 if it has,
     *        NEVER if Look() will be called
     */
    QueueDiscGate(const Ptr<NetDevice>& device, std::function<TimePs()> findWait);

    /// @return whether a queue disc stands above a device
    static bool IsNeeded(const Ptr<NetDevice>& device);

    /// Stops the queue disc or wakes it, after the room of the device has changed.
    void Look();

  private:
    std::function<TimePs()> m_findWait; ///< How long it takes until there is room.
    Ptr<NetDeviceQueue> m_queue;        ///< The device's, as the queue disc sees it.
    RepeatingEvent m_next;              ///< Looks again.
};

} // namespace ns3::fabric

#endif // FABRIC_QUEUE_DISC_GATE_H
