/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_RULES_H
#define FABRIC_FLOW_RULES_H

#include "fabric-flow-key.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// A ternary rule (FC-2): which frames it is for, and what tells their flows apart.
struct FlowRule
{
    FlowKey value;   ///< What to look for, 0 outside the mask.
    FlowKey mask;    ///< Bits to compare.
    FlowKey pattern; ///< Bits that tell flows apart, besides destination, FTAG and VNI.

    /// @param key header fields of a frame @return whether the rule is for it
    bool Matches(const FlowKey& key) const
    {
        return (key & mask) == value;
    }

    /// @param other another rule @return whether this one is for all frames that the other is for
    bool Covers(const FlowRule& other) const
    {
        return (mask & other.mask) == mask && Matches(other.value);
    }
};

/// Rules of a table, of which the first that matches a frame counts.
using FlowRules = std::vector<FlowRule>;

/// Rules that a table can have: patterns have so many numbers for them (EdgeFlowTable).
inline constexpr std::size_t MOST_FLOW_RULES = 1024;

/**
 * Reads rules from a text, such as
 *
 *     ipv4.dst=10.1.0.0/16 protocol=6 -> ip,ports; dst=5 vni=7 -> none
 *
 *     rules      = [ rule { ";" rule } ]
 *     rule       = { condition } "->" fields
 *     condition  = field "=" value [ "/" mask ]
 *     fields     = "all" | "none" | part { "," part }
 *     part       = "mac" | "ip" | "ports" | field [ "/" mask ]
 *
 * | field                          | value                                 | mask               |
 * |--------------------------------|---------------------------------------|--------------------|
 * | dst, vni, class (conditions    | a number: decimal, or hexadecimal     | bits, as a value   |
 * | only); vlan, protocol,         | after 0x                              |                    |
 * | port.src, port.dst, label,     |                                       |                    |
 * | process                        |                                       |                    |
 * | ipv4.src, ipv4.dst             | 10.1.2.3                              | /16, or as a value |
 * | ipv6.src, ipv6.dst             | 2001:db8::1                           | /64, or as a value |
 * | mac.src, mac.dst               | 02:00:00:00:00:01                     | /24, or as a value |
 *
 * A rule is for frames for which all of its conditions hold; without any it is for all frames. What
 * it names behind the arrow tells flows apart, besides destination, class and VNI, which always do.
 *
 * @throws std::invalid_argument with a sentence: what is wrong, in which rule, what is allowed;
 * also for a condition that always holds, and for a rule that is never used, since one before it is
 * for the same frames
 */
FlowRules ParseFlowRules(const std::string& text);

} // namespace ns3::fabric

#endif // FABRIC_FLOW_RULES_H
