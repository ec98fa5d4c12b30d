/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-rules.h"

#include "fabric-colon-fields.h"
#include "fabric-crc.h"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace ns3::fabric
{

namespace
{

/// What kind of frame has a key.
enum class KeyKind
{
    NATIVE,  ///< Of native messages.
    BRIDGED, ///< Ethernet that is not IP.
    IP,      ///< IPv4 or IPv6.
};

/// @return of which kind of frame it is
KeyKind
KindOf(const FlowKey& key)
{
    if (key.ipSource != FlowKey::Ip{} || key.ipDestination != FlowKey::Ip{})
    {
        return KeyKind::IP;
    }
    const bool isBridged = key.vlan != 0 || key.macDestination != FlowKey::Mac{};
    return isBridged ? KeyKind::BRIDGED : KeyKind::NATIVE;
}

/// @return a CRC of what tells applications apart
uint32_t
HashOf(const FlowKey& key, KeyKind kind)
{
    FlowKey hashed;
    switch (kind)
    {
    case KeyKind::NATIVE:
        hashed.vni = key.vni;
        break;
    case KeyKind::BRIDGED:
        hashed = key & FlowKey::MaskOf(FLOW_MAC | FLOW_VLAN);
        break;
    case KeyKind::IP:
        hashed = key & FlowKey::MaskOf(FLOW_FIVE_TUPLE | FLOW_LABEL);
        break;
    }
    if (kind != KeyKind::NATIVE)
    {
        hashed.destination = 0;
        hashed.vni = 0;
    }
    hashed.trafficClass = 0;
    // Byte by byte, so that the hash is the same on any machine.
    std::array<uint8_t, sizeof(FlowKey)> bytes{};
    std::size_t size = 0;
    const auto put = [&bytes, &size](uint64_t value, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
        {
            bytes[size++] = static_cast<uint8_t>(value >> 8 * i);
        }
    };
    for (const auto* ip : {&hashed.ipSource, &hashed.ipDestination})
    {
        for (const uint8_t byte : *ip)
        {
            put(byte, 1);
        }
    }
    for (const auto* mac : {&hashed.macSource, &hashed.macDestination})
    {
        for (const uint8_t byte : *mac)
        {
            put(byte, 1);
        }
    }
    put(hashed.flowLabel, 4);
    put(hashed.vni, 2);
    put(hashed.vlan, 2);
    put(hashed.sourcePort, 2);
    put(hashed.destinationPort, 2);
    put(hashed.protocol, 1);
    return Crc32c(bytes.data(), size);
}

/// @return the index whose low bits choose a group
uint32_t
IndexOf(const FlowKey& key, bool hashes)
{
    const KeyKind kind = KindOf(key);
    if (hashes)
    {
        return HashOf(key, kind);
    }
    switch (kind)
    {
    case KeyKind::BRIDGED:
        return key.vlan;
    case KeyKind::IP:
        return key.flowLabel;
    default:
        return key.vni;
    }
}

/// @return the rule of a word such as `1:16:3:hash` and its class, nothing if it is none
std::optional<std::pair<uint32_t, GroupRule>>
ReadRule(const std::string& word)
{
    constexpr std::string_view HASH = ":hash";
    const bool hashes = word.size() > HASH.size() && word.substr(word.size() - HASH.size()) == HASH;
    const std::string numbers = hashes ? word.substr(0, word.size() - HASH.size()) : word;
    uint32_t trafficClass = 0;
    GroupId base = 0;
    uint8_t bits = 0;
    if (!ReadColonFields(numbers, trafficClass, base, bits) || trafficClass >= TRAFFIC_CLASSES ||
        bits > GroupRule::MOST_BITS || base + (1U << bits) > APPLICATION_GROUPS)
    {
        return std::nullopt;
    }
    return std::make_pair(trafficClass, GroupRule{base, bits, hashes});
}

} // namespace

GroupId
GroupOf(const GroupRules& rules, const FlowKey& key)
{
    const GroupRule& rule = rules[key.trafficClass];
    const uint32_t low = rule.bits == 0 ? 0 : IndexOf(key, rule.hashes) & ((1U << rule.bits) - 1);
    const auto group = static_cast<GroupId>(rule.base + low);
    return group == NO_FLOW_GROUP ? NO_FLOW_GROUP - 1 : group;
}

GroupRules
ParseGroupRules(const std::string& text)
{
    GroupRules rules;
    ForEachWord(text, [&rules](const std::string& word) {
        const auto read = ReadRule(word);
        if (!read)
        {
            throw std::invalid_argument(
                "AppGroups: '" + word +
                "' is not a traffic class from 0 to 15, the first of its groups and a number of "
                "bits from 0 to 7 with colons between, and :hash or nothing behind, with groups "
                "below 128, as in '0:0:4,1:16:3:hash'");
        }
        rules[read->first] = read->second;
    });
    return rules;
}

} // namespace ns3::fabric
