/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_END_H
#define FABRIC_PAUSE_END_H

#include "fabric-link-errors.h"
#include "fabric-pause-order.h"

namespace ns3::fabric
{

/// Where pauses come in that hold a switch back: those of a host, or of another switch.
class PauseEnd
{
  public:
    virtual ~PauseEnd() = default;

    /**
     * @param port by whose link they come
     * @param order what the pause frame says; its time, at which the switch obeys, is not over
     * @param attempt what becomes of it: it is not obeyed if it is DAMAGED
     */
    virtual void TakePause(uint32_t port, const PauseOrder& order, Attempt attempt) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_END_H
