/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_FRAME_H
#define FABRIC_CREDIT_FRAME_H

#include "fabric-credit-path.h"
#include "fabric-credit-return.h"
#include "fabric-transmitter.h"

namespace ns3::fabric
{

/// Is told of the credit frames of a host: its switch.
class CreditFrameEnd
{
  public:
    virtual ~CreditFrameEnd() = default;

    /**
     * @param port to which the host is linked
     * @param order what the frame says, and whether it is damaged
     * @param start when its first bit is on the wire, ps
     */
    virtual void TakeCredits(uint32_t port, const CreditOrder& order, TimePs start) = 0;
};

/**
 * Sends a credit frame that is due (WL-5), unless the link has to repeat something first.
 *
 * @param link whose wire is free; it is taken then
 * @param credits what to tell
 * @param path to who is told
 * @param known the receiver has decided everything before this time, ps
 * @param tell is told what the frame says if it is sent: `void tell(const CreditOrder&)`
 */
template <typename Tell>
void
SendCreditFrame(Transmitter& link,
                CreditReturn& credits,
                CreditPath& path,
                TimePs now,
                TimePs known,
                Tell&& tell)
{
    const Attempt attempt = link.TryControl(CreditFrameBytes(credits.Channels()), now);
    if (attempt == Attempt::LATER)
    {
        return;
    }
    link.StartCredits(credits.Channels(), now);
    CreditOrder order = credits.Take();
    order.damaged = attempt == Attempt::DAMAGED;
    tell(order);
    if (order.damaged)
    {
        link.LoseCredits();
        credits.Lose(now);
        return;
    }
    const TimePs tail = link.FreeAt();
    credits.Arrive([&](uint32_t vc, uint32_t bytes) { path.Return(vc, bytes, tail, known); });
}

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_FRAME_H
