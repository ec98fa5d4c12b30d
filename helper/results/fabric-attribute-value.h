/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ATTRIBUTE_VALUE_H
#define FABRIC_ATTRIBUTE_VALUE_H

#include "fabric-option-value.h"

#include "ns3/attribute.h"
#include "ns3/object-base.h"
#include "ns3/object-factory.h"
#include "ns3/type-id.h"

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
 * @param name as SetDefaultChecked() takes it
 * @return what it is now, null if there is no such global value or attribute
 */
Ptr<const AttributeValue> GetDefault(const std::string& name);

/**
 * Sets what GetDefault() has returned.
 *
 * @param name as GetDefault() took it
 * @param value of it
 */
void SetDefaultAgain(const std::string& name, const AttributeValue& value);

/**
 * @param what full name of an attribute
 * @param checker of the attribute
 * @throws std::invalid_argument if it can't have the value
 */
void CheckAttribute(const std::string& what,
                    const AttributeValue& value,
                    const AttributeChecker& checker);

/**
 * @param type that has the attribute, its own or a parent's
 * @param name of the attribute, without the type's
 * @throws std::invalid_argument if it has no such attribute, or one that can't have the value
 */
void CheckAttribute(TypeId type, const std::string& name, const AttributeValue& value);

/**
 * Sets an attribute of the objects that a factory makes.
 *
 * @throws std::invalid_argument as CheckAttribute(), where ns-3 aborts
 */
void SetChecked(ObjectFactory& factory, const std::string& name, const AttributeValue& value);

/**
 * Sets an attribute of an object.
 *
 * @throws std::invalid_argument as CheckAttribute(), and if it can't be set any more
 */
void SetChecked(ObjectBase& object, const std::string& name, const AttributeValue& value);

/// @param name name of a global value
bool IsGlobalValue(const std::string& name);

/// @return whether the type is registered in this process
bool IsTypeRegistered(const std::string& name);

} // namespace ns3::fabric

#endif // FABRIC_ATTRIBUTE_VALUE_H
