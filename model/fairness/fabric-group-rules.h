/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_RULES_H
#define FABRIC_GROUP_RULES_H

#include "fabric-flow-key.h"
#include "fabric-types.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3::fabric
{

/// Number of an application group (APPG), below APPLICATION_GROUPS.
using GroupId = uint8_t;

inline constexpr uint32_t APPLICATION_GROUPS = 128; ///< Application groups of a port (IF-1).
inline constexpr GroupId NO_FLOW_GROUP = 127;       ///< For frames without flow channel (IF-6).

/// Which application group a flow of a traffic class is in (IF-6).
struct GroupRule
{
    static constexpr uint32_t MOST_BITS = 7; ///< All groups.

    GroupId base{0};    ///< APPG_BASE: its first group.
    uint8_t bits{0};    ///< APPG_INDEX_SIZE: low bits of the index that are added.
    bool hashes{false}; ///< Whether the index is a hash.

    /// @return whether it is the same rule
    bool operator==(const GroupRule& other) const
    {
        return base == other.base && bits == other.bits && hashes == other.hashes;
    }
};

/// Rules by traffic class. Without any all flows are in group 0.
using GroupRules = std::array<GroupRule, TRAFFIC_CLASSES>;

/**
 * The index is the VNI of native frames, the VLAN of bridged ones, the flow label of IP. Hashed, it
 * is a CRC: of the VNI; of VLAN and MAC addresses; of IP addresses, protocol, ports and label.
 *
 * @param key header fields of a flow's frames
 * @return group of the flow, never NO_FLOW_GROUP
 */
GroupId GroupOf(const GroupRules& rules, const FlowKey& key);

/**
 * Reads rules from a text, such as `0:0:4,1:16:3:hash`: traffic class, base, bits, and whether the
 * index is hashed.
 *
 * @throws std::invalid_argument with a sentence if it is wrong
 */
GroupRules ParseGroupRules(const std::string& text);

} // namespace ns3::fabric

#endif // FABRIC_GROUP_RULES_H
