/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_KEY_H
#define FABRIC_FLOW_KEY_H

#include "fabric-types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ns3::fabric
{

/// Which header fields tell flows apart: a bit mask of the FLOW_... constants (FC-2).
using FlowFields = uint8_t;

inline constexpr FlowFields FLOW_MAC = 1 << 0;      ///< MAC source and destination.
inline constexpr FlowFields FLOW_VLAN = 1 << 1;     ///< VLAN.
inline constexpr FlowFields FLOW_IP = 1 << 2;       ///< IPv4 or IPv6 source and destination.
inline constexpr FlowFields FLOW_PROTOCOL = 1 << 3; ///< Protocol above IP.
inline constexpr FlowFields FLOW_PORTS = 1 << 4;    ///< Source and destination port.
inline constexpr FlowFields FLOW_LABEL = 1 << 5;    ///< IPv6 flow label.
inline constexpr FlowFields FLOW_PROCESS = 1 << 6;  ///< Process or thread.

/// The usual five: IP pair, protocol, port pair.
inline constexpr FlowFields FLOW_FIVE_TUPLE = FLOW_IP | FLOW_PROTOCOL | FLOW_PORTS;
/// Every field there is.
inline constexpr FlowFields FLOW_ALL = (1 << 7) - 1;

/**
 * The header fields by which an ingress edge port tells flows apart (FC-2). A field that a frame
 * does not have is 0.
 *
 * A pattern and a ternary mask are FlowKeys too: in a mask a bit that is 1 is compared. The fields
 * fill one cache line without padding, so that comparing, masking and hashing go over eight words
 * and a field cannot be forgotten in one of them.
 */
struct FlowKey
{
    using Mac = std::array<uint8_t, 6>; ///< 48-bit MAC address in network order.
    using Ip = std::array<uint8_t, 16>; ///< IPv6, or IPv4 mapped into it (RFC 4291, 2.5.5.2).

    Ip ipSource{};               ///< IP source.
    Ip ipDestination{};          ///< IP destination.
    Mac macSource{};             ///< MAC source.
    Mac macDestination{};        ///< MAC destination.
    uint32_t flowLabel{0};       ///< IPv6 flow label, 20 bits; see WithRule().
    uint32_t process{0};         ///< Process or thread.
    LocationId destination{0};   ///< Destination endpoint; always takes part.
    uint16_t vni{0};             ///< Virtual network; always takes part.
    uint16_t vlan{0};            ///< VLAN, 12 bits.
    uint16_t sourcePort{0};      ///< TCP or UDP source port.
    uint16_t destinationPort{0}; ///< TCP or UDP destination port.
    uint8_t trafficClass{0};     ///< Traffic class tag FTAG, 4 bits; always takes part.
    uint8_t protocol{0};         ///< Protocol above IP (IANA number).

    static constexpr uint32_t FLOW_LABEL_BITS = 20; ///< Of a flow label (RFC 6437, 2).

    using Words = std::array<uint64_t, 8>; ///< The key as words, in the machine's byte order.

    Words ToWords() const
    {
        Words words;
        std::memcpy(words.data(), this, sizeof(words));
        return words;
    }

    /// @param words what ToWords() gave
    static FlowKey FromWords(const Words& words)
    {
        FlowKey key;
        // void*: GCC warns of types with a constructor, but this one is trivially copyable (below).
        std::memcpy(static_cast<void*>(&key), words.data(), sizeof(words));
        return key;
    }

    /**
     * @param fields fields that take part
     * @return the mask of these fields, and of destination, FTAG and VNI, which always take part: a
     * channel is one path through the fabric, so frames that may need different ones cannot share
     * it
     */
    static FlowKey MaskOf(FlowFields fields)
    {
        const auto ones = [fields](FlowFields field, auto value) {
            return (fields & field) != 0 ? static_cast<decltype(value)>(~value) : value;
        };
        FlowKey mask;
        mask.destination = 0xffff;
        mask.vni = 0xffff;
        mask.trafficClass = 0xff;
        mask.macSource.fill(ones(FLOW_MAC, uint8_t{0}));
        mask.macDestination = mask.macSource;
        mask.vlan = ones(FLOW_VLAN, mask.vlan);
        mask.ipSource.fill(ones(FLOW_IP, uint8_t{0}));
        mask.ipDestination = mask.ipSource;
        mask.protocol = ones(FLOW_PROTOCOL, mask.protocol);
        mask.sourcePort = ones(FLOW_PORTS, mask.sourcePort);
        mask.destinationPort = mask.sourcePort;
        mask.flowLabel = ones(FLOW_LABEL, mask.flowLabel);
        mask.process = ones(FLOW_PROCESS, mask.process);
        return mask;
    }

    /**
     * @param fields fields that take part
     * @return the key with 0 in the fields that do not
     */
    FlowKey Select(FlowFields fields) const
    {
        return *this & MaskOf(fields);
    }

    /**
     * @param mask bits to keep
     * @return the key with 0 in the other bits
     */
    FlowKey operator&(const FlowKey& mask) const
    {
        Words words = ToWords();
        const Words bits = mask.ToWords();
        for (std::size_t i = 0; i < words.size(); ++i)
        {
            words[i] &= bits[i];
        }
        return FromWords(words);
    }

    /**
     * @param number of the rule that made this pattern, from 1 to 4095
     * @return the pattern with the number above its flow label: patterns of two rules never are
     * equal
     */
    FlowKey WithRule(uint32_t number) const
    {
        FlowKey pattern = *this;
        pattern.flowLabel |= number << FLOW_LABEL_BITS;
        return pattern;
    }

    /// @return the fields alone, without the number of a rule
    FlowKey WithoutRule() const
    {
        FlowKey fields = *this;
        fields.flowLabel &= (uint32_t{1} << FLOW_LABEL_BITS) - 1;
        return fields;
    }

    /**
     * @param other another mask
     * @return the bits that are in either
     */
    FlowKey operator|(const FlowKey& other) const
    {
        Words words = ToWords();
        const Words bits = other.ToWords();
        for (std::size_t i = 0; i < words.size(); ++i)
        {
            words[i] |= bits[i];
        }
        return FromWords(words);
    }

    /**
     * @param other another key
     * @return whether all fields are equal
     */
    bool operator==(const FlowKey& other) const
    {
        return ToWords() == other.ToWords();
    }
};

static_assert(sizeof(FlowKey) == sizeof(FlowKey::Words), "a key fills one cache line");
static_assert(std::is_trivially_copyable_v<FlowKey>, "a key is copied as words");
static_assert(std::has_unique_object_representations_v<FlowKey>,
              "padding would take part in comparing and hashing");

/// Where IPv4 addresses are mapped into IPv6: ten bytes of 0, two of 0xFF (RFC 4291, 2.5.5.2).
inline constexpr FlowKey::Ip MAPPED_IPV4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
inline constexpr std::size_t MAPPED_IPV4_PREFIX = 12; ///< Bytes of it before the address.

/// Hash of a FlowKey. It decides where a key is stored and nothing that a user can see.
struct FlowKeyHash
{
    /// @return its hash
    std::size_t operator()(const FlowKey& key) const
    {
        uint64_t hash = 0;
        for (const uint64_t word : key.ToWords())
        {
            // 2^64 / golden ratio, odd; the shift brings the mixed high bits down.
            hash = (hash ^ word) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 32;
        }
        return static_cast<std::size_t>(hash);
    }
};

/// @return hash of a key, for a KeyIndex
inline uint32_t
HashOf(const FlowKey& key)
{
    return static_cast<uint32_t>(FlowKeyHash()(key));
}

} // namespace ns3::fabric

#endif // FABRIC_FLOW_KEY_H
