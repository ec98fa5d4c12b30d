/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-attribute-value.h"

#include "fabric-option-text.h"

#include "ns3/attribute.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <charconv>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

/// Largest seed that the generator takes: L'Ecuyer's MRG32k3a needs seeds below its second modulus.
constexpr uint64_t LARGEST_SEED = 4294944442;

/**
 * Tries in a child process whether ns-3 can read a value, since it aborts or crashes on some.
 *
 * @param text the value
 * @param checker checker of the attribute
 * @return whether ns-3 takes it
 */
bool
SurvivesTrial(const std::string& text, const AttributeChecker& checker)
{
    const pid_t child = fork();
    if (child == 0)
    {
        const rlimit noCore{0, 0};
        setrlimit(RLIMIT_CORE, &noCore);
        // ns-3's words about it, and what the parent has not flushed yet, go nowhere.
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        _exit(checker.CreateValidValue(StringValue(text)) ? 0 : 1);
    }
    int status = 0;
    // Where no process can be made, ns-3 has its own way with the value.
    return child < 0 || (waitpid(child, &status, 0) == child && status == 0);
}

/**
 * @param checker checker of an attribute
 * @return the name of its type of value, `TimeValue`; some checkers put `ns3::` before it and some
 * do not
 */
std::string
TypeNameOf(const AttributeChecker& checker)
{
    const std::string name = checker.GetValueTypeName();
    return name.compare(0, 5, "ns3::") == 0 ? name.substr(5) : name;
}

/**
 * @param checker checker of an attribute
 * @return what it allows, in ns-3's words, with the value's type if that says no more
 */
std::string
AllowedBy(const AttributeChecker& checker)
{
    const std::string information =
        checker.HasUnderlyingTypeInformation() ? checker.GetUnderlyingTypeInformation() : "";
    return "a value of type " + TypeNameOf(checker) +
           (information.empty() ? "" : " (" + information + ")");
}

/**
 * @param text names with a bar between them
 * @return the names
 */
std::vector<std::string>
SplitBars(const std::string& text)
{
    std::vector<std::string> names;
    std::istringstream stream(text);
    for (std::string name; std::getline(stream, name, '|');)
    {
        names.push_back(name);
    }
    return names;
}

/**
 * @param text a text
 * @return whether the whole text is an integer of the type
 */
template <typename T>
bool
IsWholly(const std::string& text)
{
    T value{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

/**
 * Checks a value without the help of ns-3 where it reads carelessly, and otherwise in a child
 * process.
 *
 * @param what the option
 * @param text its value
 * @param checker checker of the attribute
 */
void
CheckSyntax(const std::string& what, const std::string& text, const AttributeChecker& checker)
{
    const std::string type = TypeNameOf(checker);
    if (type.compare(0, 9, "EnumValue") == 0) // a template in newer releases
    {
        ParseChoice(what, text, SplitBars(checker.GetUnderlyingTypeInformation()));
    }
    else if (type == "TimeValue")
    {
        ParseTime(what, text);
    }
    else if (type == "DataRateValue")
    {
        ParseRate(what, text);
    }
    else if (type == "BooleanValue")
    {
        if (text != "true" && text != "t" && text != "1" && text != "false" && text != "f" &&
            text != "0")
        {
            ThrowNotAllowed(what, text, "true, t, 1, false, f or 0");
        }
    }
    else if (type == "DoubleValue")
    {
        constexpr double largest = std::numeric_limits<double>::max();
        ParseNumber(what, text, {-largest, largest});
    }
    else if (type == "UintegerValue"  ? !IsWholly<uint64_t>(text)
             : type == "IntegerValue" ? !IsWholly<int64_t>(text)
             : type == "StringValue"  ? false
                                      : !SurvivesTrial(text, checker))
    {
        ThrowNotAllowed(what, text, AllowedBy(checker));
    }
}

/**
 * Checks the global values that ns-3 looks at only later, when it is too late for a sentence.
 *
 * @param name name of the global value
 * @param text its value
 */
void
CheckGlobal(const std::string& name, const std::string& text)
{
    const std::string what = "--" + name;
    if (name == "RngSeed")
    {
        ParseCount(what, text, {1, LARGEST_SEED});
    }
    const std::string parentName = name == "SchedulerType"                 ? "ns3::Scheduler"
                                   : name == "SimulatorImplementationType" ? "ns3::SimulatorImpl"
                                                                           : "";
    TypeId parent;
    TypeId type;
    if (!parentName.empty() && TypeId::LookupByNameFailSafe(parentName, &parent) &&
        (!TypeId::LookupByNameFailSafe(text, &type) || !type.IsChildOf(parent) ||
         !type.HasConstructor()))
    {
        ThrowNotAllowed(what, text, "the name of a type derived from " + parentName);
    }
}

/**
 * @param name name of a global value
 * @return its checker, null if there is no such global value
 */
Ptr<const AttributeChecker>
FindGlobal(const std::string& name)
{
    for (auto i = GlobalValue::Begin(); i != GlobalValue::End(); ++i)
    {
        if ((*i)->GetName() == name)
        {
            return (*i)->GetChecker();
        }
    }
    return nullptr;
}

/// An attribute and where it is from.
struct FoundAttribute
{
    TypeId owner;                           ///< Type that has it.
    TypeId::AttributeInformation attribute; ///< What ns-3 knows of it.
};

/**
 * @param type a type
 * @param attribute name of an attribute of it or of one of its parents
 * @return the attribute; TypeId's own look-up aborts on an obsolete one and so is not used
 */
std::optional<FoundAttribute>
FindAttribute(TypeId type, const std::string& attribute)
{
    while (true)
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            if (type.GetAttribute(i).name == attribute)
            {
                return FoundAttribute{type, type.GetAttribute(i)};
            }
        }
        if (!type.HasParent())
        {
            return std::nullopt;
        }
        type = type.GetParent();
    }
}

/**
 * @param name full name of an attribute
 * @return its checker
 * @throws std::invalid_argument if the type or the attribute is unknown, obsolete, or a parent's
 */
Ptr<const AttributeChecker>
GetAttributeChecker(const std::string& name)
{
    const std::size_t colons = name.rfind("::");
    if (colons == std::string::npos)
    {
        throw std::invalid_argument("--" + name +
                                    ": there is no such global value; --PrintGlobals lists all");
    }
    const std::string typeName = name.substr(0, colons);
    const std::string attributeName = name.substr(colons + 2);
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(typeName, &type))
    {
        throw std::invalid_argument("--" + name + ": there is no type " + typeName +
                                    "; --PrintTypeIds lists all");
    }
    const auto found = FindAttribute(type, attributeName);
    if (!found)
    {
        throw std::invalid_argument("--" + name + ": " + typeName + " has no attribute " +
                                    attributeName + "; --PrintAttributes=" + typeName +
                                    " lists all");
    }
    if (found->owner != type)
    {
        // ns-3 sets the defaults of a type's own attributes only.
        throw std::invalid_argument("--" + name + ": " + typeName + " has the attribute from " +
                                    found->owner.GetName() + "; allowed is --" +
                                    found->owner.GetName() + "::" + attributeName);
    }
    if (found->attribute.supportLevel == TypeId::SupportLevel::OBSOLETE)
    {
        throw std::invalid_argument("--" + name + ": the attribute is obsolete (" +
                                    found->attribute.supportMsg + ")");
    }
    return found->attribute.checker;
}

} // namespace

bool
IsGlobalValue(const std::string& name)
{
    return static_cast<bool>(FindGlobal(name));
}

bool
IsTypeRegistered(const std::string& name)
{
    TypeId type;
    return TypeId::LookupByNameFailSafe(name, &type);
}

void
SetDefaultChecked(const std::string& name, const std::string& text)
{
    const std::string what = "--" + name;
    const bool isGlobal = IsGlobalValue(name);
    const Ptr<const AttributeChecker> checker =
        isGlobal ? FindGlobal(name) : GetAttributeChecker(name);
    if (isGlobal)
    {
        CheckGlobal(name, text);
    }
    CheckSyntax(what, text, *checker);
    if (!(isGlobal ? Config::SetGlobalFailSafe(name, StringValue(text))
                   : Config::SetDefaultFailSafe(name, StringValue(text))))
    {
        ThrowNotAllowed(what, text, AllowedBy(*checker));
    }
}

} // namespace fabric
} // namespace ns3
