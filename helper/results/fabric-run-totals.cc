/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-run-totals.h"

#include "fabric-number-text.h"
#include "fabric-program.h"

namespace ns3::fabric
{

void
RunTotals::CheckConservation() const
{
    uint64_t dropped = 0;
    for (const auto& [cause, bytes] : bytesDropped)
    {
        dropped += bytes;
    }
    if (bytesOffered + bytesCopied != bytesDelivered + bytesCombined + dropped + bytesInFlight)
    {
        throw InvariantError("conservation: " + NumberText(bytesOffered) +
                             " bytes were offered and " + NumberText(bytesCopied) +
                             " copied, but " + NumberText(bytesDelivered) + " delivered, " +
                             NumberText(bytesCombined) + " combined, " + NumberText(dropped) +
                             " dropped and " + NumberText(bytesInFlight) + " in flight");
    }
}

} // namespace ns3::fabric
