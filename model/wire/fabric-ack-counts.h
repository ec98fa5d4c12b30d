/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_COUNTS_H
#define FABRIC_ACK_COUNTS_H

#include <cstdint>

namespace ns3::fabric
{

/// A HEADROOM ACK that says so ends metering (CM-5).
inline constexpr uint8_t ALL_CREDIT = 255;

/**
 * How far the ACKs of a flow_id of a link have come (WL-2).
 *
 * Both ends of the link have these counts for each flow_id, from the time at which the link came up
 * and over all flows that ever had it. An ACK says the count and not what is added to it, so one
 * that is lost is made good by the next.
 */
struct AckCounts
{
    uint8_t left{0};   ///< Units that have left the fabric or were lost, modulo 256.
    uint8_t credit{0}; ///< Units of hop credit, modulo ALL_CREDIT.

    /// @param units more have left, 255 at most @return what the ACK says
    uint8_t TellLeft(uint32_t units)
    {
        left = static_cast<uint8_t>(left + units);
        return left;
    }

    /// @param said by an ACK @return units that have left since the one before
    uint32_t HearLeft(uint8_t said)
    {
        const auto units = static_cast<uint8_t>(said - left);
        left = said;
        return units;
    }

    /// @param units of credit, less than ALL_CREDIT, or this if it ends @return what the ACK says
    uint8_t TellCredit(uint32_t units)
    {
        if (units == ALL_CREDIT)
        {
            return ALL_CREDIT;
        }
        credit = static_cast<uint8_t>((credit + units) % ALL_CREDIT);
        return credit;
    }

    /// @param said by an ACK @return units of credit since the one before, ALL_CREDIT if it ends
    uint32_t HearCredit(uint8_t said)
    {
        if (said == ALL_CREDIT)
        {
            return ALL_CREDIT;
        }
        const uint32_t units = (said + ALL_CREDIT - credit) % ALL_CREDIT;
        credit = said;
        return units;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_ACK_COUNTS_H
