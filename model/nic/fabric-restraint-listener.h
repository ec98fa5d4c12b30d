/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RESTRAINT_LISTENER_H
#define FABRIC_RESTRAINT_LISTENER_H

#include <cstdint>

namespace ns3::fabric
{

/// Is told which queues of a NIC wait because the switch restrains their flows (CM-4).
class RestraintListener
{
  public:
    virtual ~RestraintListener() = default;

    /// A queue waits for the end of a restraint, or has got something more while it does.
    virtual void QueueHeld(uint32_t queue) = 0;

    /// A queue waits for that no longer.
    virtual void QueueReleased(uint32_t queue) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_RESTRAINT_LISTENER_H
