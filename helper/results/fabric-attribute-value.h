/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ATTRIBUTE_VALUE_H
#define FABRIC_ATTRIBUTE_VALUE_H

#include "fabric-option-value.h"

#include "ns3/attribute.h"

#include <string>

namespace ns3::fabric
{

/**
 * Sets an ns-3 global value (`RngRun`) or the default of an attribute
 * (`ns3::FabricSwitch::Crossbar`), as ns3::CommandLine does, but reports every mistake.
 *
 * ns-3 aborts on `5x` for a number, takes an empty time as 0 and, in a release build, reads beyond
 * the list on an unknown enumerator. The usual types are therefore checked here first, and the
 * others are tried in a child process.
 *
 * @param name name of a global value or full name of an attribute, without `--`
 * @return its value
 * @throws std::invalid_argument for an unknown name or a value that is not allowed
 */
OptionValue SetDefaultChecked(const std::string& name, const std::string& text);

/**
 * @param what full name of an attribute
 * @param checker of the attribute
 * @throws std::invalid_argument if it can't have the value
 */
void CheckAttribute(const std::string& what,
                    const AttributeValue& value,
                    const AttributeChecker& checker);

/// @param name name of a global value
bool IsGlobalValue(const std::string& name);

/// @return whether the type is registered in this process
bool IsTypeRegistered(const std::string& name);

} // namespace ns3::fabric

#endif // FABRIC_ATTRIBUTE_VALUE_H
