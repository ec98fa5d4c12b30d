/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-rule-field.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>

namespace ns3::fabric
{

namespace
{

using AddressBytes = std::vector<uint8_t>; ///< In network order.

constexpr std::size_t MAC_BYTES = 6;   ///< Of a MAC address.
constexpr std::size_t IPV4_BYTES = 4;  ///< Of an IPv4 address.
constexpr std::size_t IPV6_BYTES = 16; ///< Of an IPv6 address.

/// @return a field whose values are numbers
constexpr FlowRuleField
NumberField(const char* name,
            uint32_t most,
            void (*put)(FlowKey&, uint32_t),
            bool alwaysCounts = false)
{
    return {name, FlowRuleField::NUMBER, most, alwaysCounts, put, nullptr};
}

/// @return a field whose values are addresses
constexpr FlowRuleField
AddressField(const char* name, FlowRuleField::Kind kind, uint8_t* (*endOf)(FlowKey&))
{
    return {name, kind, 0, false, nullptr, endOf};
}

/// Puts a number into a key.
template <auto FlowKey::*NUMBER>
void
Put(FlowKey& key, uint32_t value)
{
    key.*NUMBER = static_cast<std::decay_t<decltype(key.*NUMBER)>>(value);
}

/// @return where an address ends in a key
template <auto FlowKey::*ADDRESS>
uint8_t*
EndOf(FlowKey& key)
{
    return (key.*ADDRESS).data() + (key.*ADDRESS).size();
}

constexpr std::array FIELDS{
    NumberField("dst", 0xffff, Put<&FlowKey::destination>, true),
    NumberField("vni", 0xffff, Put<&FlowKey::vni>, true),
    NumberField("class", TRAFFIC_CLASSES - 1, Put<&FlowKey::trafficClass>, true),
    NumberField("vlan", 0xfff, Put<&FlowKey::vlan>),
    NumberField("protocol", 0xff, Put<&FlowKey::protocol>),
    NumberField("port.src", 0xffff, Put<&FlowKey::sourcePort>),
    NumberField("port.dst", 0xffff, Put<&FlowKey::destinationPort>),
    NumberField("label", 0xfffff, Put<&FlowKey::flowLabel>),
    NumberField("process", 0xffffffff, Put<&FlowKey::process>),
    AddressField("ipv4.src", FlowRuleField::IPV4, EndOf<&FlowKey::ipSource>),
    AddressField("ipv4.dst", FlowRuleField::IPV4, EndOf<&FlowKey::ipDestination>),
    AddressField("ipv6.src", FlowRuleField::IPV6, EndOf<&FlowKey::ipSource>),
    AddressField("ipv6.dst", FlowRuleField::IPV6, EndOf<&FlowKey::ipDestination>),
    AddressField("mac.src", FlowRuleField::MAC, EndOf<&FlowKey::macSource>),
    AddressField("mac.dst", FlowRuleField::MAC, EndOf<&FlowKey::macDestination>),
};

/// @return bytes of an address
std::size_t
AddressSize(FlowRuleField::Kind kind)
{
    return kind == FlowRuleField::MAC ? MAC_BYTES
                                      : (kind == FlowRuleField::IPV4 ? IPV4_BYTES : IPV6_BYTES);
}

/// @return a number up to `most`, in digits of a base and nothing else
std::optional<uint32_t>
ReadDigits(const std::string& text, int base, uint32_t most)
{
    uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number, base);
    return error == std::errc() && rest == end && number <= most ? std::optional(number)
                                                                 : std::nullopt;
}

/// @return a number up to `most`, decimal, or hexadecimal after 0x
std::optional<uint32_t>
ReadNumber(const std::string& text, uint32_t most)
{
    return text.compare(0, 2, "0x") == 0 ? ReadDigits(text.substr(2), 16, most)
                                         : ReadDigits(text, 10, most);
}

/**
 * @param bytes gets what is read, each number as so many bytes
 * @return whether all parts of a list are numbers with not too many digits
 */
bool
ReadList(const std::string& text, char separator, int base, uint32_t bytesEach, AddressBytes& bytes)
{
    const uint32_t most = bytesEach == 1 ? 0xff : 0xffff;
    const std::size_t mostDigits = base == 10 ? 3 : 2 * bytesEach;
    for (const std::string& part : SplitAt(text, separator))
    {
        const std::optional<uint32_t> number =
            part.size() <= mostDigits ? ReadDigits(part, base, most) : std::nullopt;
        if (!number)
        {
            return false;
        }
        if (bytesEach == 2)
        {
            bytes.push_back(static_cast<uint8_t>(*number >> 8));
        }
        bytes.push_back(static_cast<uint8_t>(*number));
    }
    return true;
}

/// @param bytes gets an IPv6 address @return whether the text is one, if it has the right length
bool
ReadIpv6(const std::string& text, AddressBytes& bytes)
{
    const std::size_t gap = text.find("::");
    if (gap == std::string::npos)
    {
        return ReadList(text, ':', 16, 2, bytes);
    }
    AddressBytes behind;
    const std::string head = text.substr(0, gap);
    const std::string tail = text.substr(gap + 2);
    const bool isRead = (head.empty() || ReadList(head, ':', 16, 2, bytes)) &&
                        (tail.empty() || ReadList(tail, ':', 16, 2, behind));
    if (!isRead || bytes.size() + behind.size() >= IPV6_BYTES)
    {
        return false;
    }
    bytes.resize(IPV6_BYTES - behind.size());
    bytes.insert(bytes.end(), behind.begin(), behind.end());
    return true;
}

/// @return a mask whose first bits are 1
AddressBytes
PrefixMask(std::size_t size, uint32_t bits)
{
    AddressBytes bytes(size, 0);
    for (uint32_t bit = 0; bit < bits; ++bit)
    {
        bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] | 0x80 >> bit % 8);
    }
    return bytes;
}

} // namespace

std::vector<std::string>
SplitAt(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    {
        parts.push_back(text.substr(begin, end - begin));
    }
    parts.push_back(text.substr(begin));
    return parts;
}

const FlowRuleField*
FlowRuleField::Find(const std::string& name)
{
    const auto found = std::find_if(FIELDS.begin(), FIELDS.end(), [&name](const auto& field) {
        return name == field.name;
    });
    return found == FIELDS.end() ? nullptr : &*found;
}

std::string
FlowRuleField::Names(bool behindArrow)
{
    std::string names;
    for (const FlowRuleField& field : FIELDS)
    {
        if (!behindArrow || !field.alwaysCounts)
        {
            names += (names.empty() ? "" : ", ") + std::string(field.name);
        }
    }
    return names;
}

FlowKey
FlowRuleField::Whole() const
{
    if (kind != NUMBER)
    {
        return PutAddress(AddressBytes(AddressSize(kind), 0xff), true);
    }
    FlowKey mask;
    putNumber(mask, most);
    return mask;
}

std::optional<FlowKey>
FlowRuleField::ReadValue(const std::string& text) const
{
    if (kind != NUMBER)
    {
        const std::optional<AddressBytes> bytes = ReadAddress(text);
        return bytes ? std::optional(PutAddress(*bytes, false)) : std::nullopt;
    }
    const std::optional<uint32_t> number = ReadNumber(text, most);
    FlowKey value;
    putNumber(value, number.value_or(0));
    return number ? std::optional(value) : std::nullopt;
}

std::optional<FlowKey>
FlowRuleField::ReadMask(const std::string& text) const
{
    if (kind == NUMBER)
    {
        return ReadValue(text);
    }
    const std::size_t size = AddressSize(kind);
    const std::optional<uint32_t> prefix = ReadDigits(text, 10, static_cast<uint32_t>(8 * size));
    const std::optional<AddressBytes> bytes =
        prefix ? PrefixMask(size, *prefix) : ReadAddress(text);
    return bytes ? std::optional(PutAddress(*bytes, true)) : std::nullopt;
}

std::string
FlowRuleField::Values() const
{
    switch (kind)
    {
    case MAC:
        return "addresses such as 02:00:00:00:00:01";
    case IPV4:
        return "addresses such as 10.1.2.3";
    case IPV6:
        return "addresses such as 2001:db8::1";
    default:
        return "0 to " + std::to_string(most) + ", or hexadecimal after 0x";
    }
}

std::optional<AddressBytes>
FlowRuleField::ReadAddress(const std::string& text) const
{
    AddressBytes bytes;
    const bool isRead = kind == MAC    ? ReadList(text, ':', 16, 1, bytes)
                        : kind == IPV4 ? ReadList(text, '.', 10, 1, bytes)
                                       : ReadIpv6(text, bytes);
    return isRead && bytes.size() == AddressSize(kind) ? std::optional(bytes) : std::nullopt;
}

FlowKey
FlowRuleField::PutAddress(const AddressBytes& bytes, bool isMask) const
{
    FlowKey key;
    uint8_t* const begin = endOf(key) - bytes.size();
    std::copy(bytes.begin(), bytes.end(), begin);
    if (kind == IPV4)
    {
        // It is mapped into an IPv6 address, whose other bits all count (RFC 4291, 2.5.5.2).
        const std::size_t before = isMask ? IPV6_BYTES - IPV4_BYTES : 2;
        std::fill(begin - before, begin, 0xff);
    }
    return key;
}

} // namespace ns3::fabric
