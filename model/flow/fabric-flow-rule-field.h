/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_RULE_FIELD_H
#define FABRIC_FLOW_RULE_FIELD_H

#include "fabric-flow-key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// @return the parts of a text between separators, at least one
std::vector<std::string> SplitAt(const std::string& text, char separator);

/// A header field as rules of flow channels name it, with the texts of its values and masks
/// (ParseFlowRules()).
struct FlowRuleField
{
    /// What its values are.
    enum Kind
    {
        NUMBER, ///< Decimal, or hexadecimal after 0x.
        MAC,    ///< Six bytes with colons between.
        IPV4,   ///< Four decimal bytes with points between.
        IPV6,   ///< As RFC 4291, 2.2, forms 1 and 2.
    };

    const char* name;                      ///< In rules.
    Kind kind;                             ///< What its values are.
    uint32_t most;                         ///< Largest number: all bits of the field.
    bool alwaysCounts;                     ///< Whether it tells flows apart in any case.
    void (*putNumber)(FlowKey&, uint32_t); ///< Puts a number into a key.
    uint8_t* (*endOf)(FlowKey&);           ///< Where an address ends in a key.

    /// @return the field, null if there is none with that name
    static const FlowRuleField* Find(const std::string& name);

    /// @param behindArrow whether only those that may be named to tell flows apart
    /// @return the names of all fields, for messages
    static std::string Names(bool behindArrow);

    /// @return the mask of all its bits
    FlowKey Whole() const;

    /// @return the value, nothing if the text is none
    std::optional<FlowKey> ReadValue(const std::string& text) const;

    /// @return the mask, which may be the length of an address's prefix, nothing if the text is
    /// none
    std::optional<FlowKey> ReadMask(const std::string& text) const;

    /// @return which values it may have, for messages
    std::string Values() const;

  private:
    /// @return the bytes of an address of its kind, nothing if the text is none
    std::optional<std::vector<uint8_t>> ReadAddress(const std::string& text) const;
    /// @return the key with these bytes there, and before an IPv4 address what it is mapped with
    FlowKey PutAddress(const std::vector<uint8_t>& bytes, bool isMask) const;
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_RULE_FIELD_H
