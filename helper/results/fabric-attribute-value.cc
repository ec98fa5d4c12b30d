/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-attribute-value.h"

#include "fabric-option-type.h"

#include "ns3/attribute.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <cmath>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ns3::fabric
{

namespace
{

/// Largest seed that the generator takes: L'Ecuyer's MRG32k3a needs seeds below its second modulus.
constexpr uint64_t LARGEST_SEED = 4294944442;

/**
 * Tries in a child process whether ns-3 can read a value, since it aborts or crashes on some.
 *
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

/// @return the name of a checker's type of value, `TimeValue`; only some checkers begin with
/// `ns3::`
std::string
TypeNameOf(const AttributeChecker& checker)
{
    const std::string name = checker.GetValueTypeName();
    return name.compare(0, 5, "ns3::") == 0 ? name.substr(5) : name;
}

/// What a checker allows; a bound that is about the largest value that there is, is none.
template <typename T>
struct CheckedRange
{
    std::optional<T> lowest;  ///< Nothing for no bound.
    std::optional<T> highest; ///< Nothing for no bound.
};

/**
 * @param any reads bounds
 * @param information of a checker, `Time +0ps:+1e+12ps`
 * @param isEndless whether a bound is none
 */
template <typename T, typename IsEndless>
CheckedRange<T>
ReadRange(const OptionType<T>& any, const std::string& information, IsEndless&& isEndless)
{
    const std::size_t space = information.find(' ');
    const std::size_t colon = information.find(':');
    if (space == std::string::npos || colon == std::string::npos || colon < space)
    {
        return {};
    }
    const auto read = [&any, &isEndless](const std::string& bound) {
        const std::optional<T> value = any.parse(bound);
        return value && !isEndless(*value) ? value : std::nullopt;
    };
    return {read(information.substr(space + 1, colon - space - 1)),
            read(information.substr(colon + 1))};
}

/// Any time.
OptionType<Time>
AnyTime()
{
    return TimeType(std::nullopt, std::nullopt);
}

/// Any finite number.
OptionType<double>
AnyNumber()
{
    return NumberType(std::nullopt, std::nullopt);
}

/// @return what a checker allows, for sentences
std::string
AllowedBy(const AttributeChecker& checker)
{
    const std::string type = TypeNameOf(checker);
    const std::string information =
        checker.HasUnderlyingTypeInformation() ? checker.GetUnderlyingTypeInformation() : "";
    if (type == "TimeValue")
    {
        constexpr double most = 100 * 86400; // s, of the 106 days that 63 bits of ps are
        const auto isEndless = [](const Time& time) { return std::fabs(time.GetSeconds()) > most; };
        const auto range = ReadRange(AnyTime(), information, isEndless);
        return TimeType(range.lowest, range.highest).allowed;
    }
    if (type == "DoubleValue")
    {
        constexpr double most = 1e300;
        const auto isEndless = [](double number) { return std::fabs(number) > most; };
        const auto range = ReadRange(AnyNumber(), information, isEndless);
        return NumberType(range.lowest, range.highest).allowed;
    }
    if (type == "UintegerValue")
    {
        constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
        const auto isEndless = [](uint64_t number) { return number == most; };
        const auto range = ReadRange(CountType<uint64_t>(0), information, isEndless);
        return CountType(range.lowest, range.highest).allowed;
    }
    return "a value of type " + type + (information.empty() ? "" : " (" + information + ")");
}

/// Refuses a value with what its checker allows.
[[noreturn]] void
RefuseValue(const std::string& what, const std::string& text, const AttributeChecker& checker)
{
    ThrowNotAllowed(what, text, AllowedBy(checker));
}

/// @return what a text says as an option of a type; what is none is refused
template <typename T>
T
ReadAs(const OptionType<T>& type,
       const std::string& what,
       const std::string& text,
       const AttributeChecker& checker)
{
    const std::optional<T> value = type.parse(text);
    if (!value)
    {
        RefuseValue(what, text, checker);
    }
    return *value;
}

/// @return a whole number; what is none is refused
template <typename T>
T
ReadWhole(const std::string& what, const std::string& text, const AttributeChecker& checker)
{
    const std::optional<T> number = ReadNumber<T>(text);
    if (!number)
    {
        RefuseValue(what, text, checker);
    }
    return *number;
}

/**
 * Refuses what ns-3 would read carelessly, and what a child process does not survive.
 *
 * @return the value
 */
OptionValue
ReadValue(const std::string& what, const std::string& text, const AttributeChecker& checker)
{
    const std::string type = TypeNameOf(checker);
    if (type.compare(0, 9, "EnumValue") == 0) // a template in newer releases
    {
        return ChoiceType(SplitList(checker.GetUnderlyingTypeInformation(), '|')).Read(what, text);
    }
    if (type == "TimeValue")
    {
        return ToSeconds(ReadAs(AnyTime(), what, text, checker).GetPicoSeconds());
    }
    if (type == "DataRateValue")
    {
        return RateType(0, 1'000'000'000'000'000'000).Read(what, text).GetBitRate();
    }
    if (type == "BooleanValue")
    {
        return EnumType<bool>({{"true", true},
                               {"t", true},
                               {"1", true},
                               {"false", false},
                               {"f", false},
                               {"0", false}})
            .Read(what, text);
    }
    if (type == "DoubleValue")
    {
        return ReadAs(AnyNumber(), what, text, checker);
    }
    if (type == "UintegerValue")
    {
        return ReadWhole<uint64_t>(what, text, checker);
    }
    if (type == "IntegerValue")
    {
        return ReadWhole<int64_t>(what, text, checker);
    }
    if (type != "StringValue" && !SurvivesTrial(text, checker))
    {
        RefuseValue(what, text, checker);
    }
    return text;
}

/// Checks the global values that ns-3 looks at only later, when it is too late for a sentence.
void
CheckGlobal(const std::string& name, const std::string& text)
{
    const std::string what = "--" + name;
    if (name == "RngSeed")
    {
        CountType(uint64_t{1}, LARGEST_SEED).Read(what, text);
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

/// @return the checker of a global value, null if there is none of this name
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

/**
 * @param name of an attribute of it, or of one of its parents
 * @param attribute is set to it; TypeId's own look-up aborts on an obsolete one
 * @return the type that has it, the default one if none has
 */
TypeId
FindAttribute(TypeId type, const std::string& name, TypeId::AttributeInformation& attribute)
{
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        attribute = type.GetAttribute(i);
        if (attribute.name == name)
        {
            return type;
        }
    }
    return type.HasParent() ? FindAttribute(type.GetParent(), name, attribute) : TypeId();
}

/**
 * @param name full name of an attribute
 * @throws std::invalid_argument if the type or the attribute is unknown, obsolete, or a parent's
 */
Ptr<const AttributeChecker>
GetAttributeChecker(const std::string& name)
{
    const auto refuse = [&name](const std::string& why) {
        throw std::invalid_argument("--" + name + ": " + why);
    };
    const std::size_t colons = name.rfind("::");
    if (colons == std::string::npos)
    {
        refuse("there is no such global value; --PrintGlobals lists all");
    }
    const std::string typeName = name.substr(0, colons);
    const std::string attributeName = name.substr(colons + 2);
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(typeName, &type))
    {
        refuse("there is no type " + typeName + "; --PrintTypeIds lists all");
    }
    TypeId::AttributeInformation attribute;
    const TypeId owner = FindAttribute(type, attributeName, attribute);
    if (owner == TypeId())
    {
        refuse(typeName + " has no attribute " + attributeName + "; --PrintAttributes=" + typeName +
               " lists all");
    }
    if (owner != type) // ns-3 sets the defaults of a type's own attributes only
    {
        refuse(typeName + " has the attribute from " + owner.GetName() + "; allowed is --" +
               owner.GetName() + "::" + attributeName);
    }
    if (attribute.supportLevel == TypeId::SupportLevel::OBSOLETE)
    {
        refuse("the attribute is obsolete (" + attribute.supportMsg + ")");
    }
    return attribute.checker;
}

} // namespace

void
CheckAttribute(const std::string& what,
               const AttributeValue& value,
               const AttributeChecker& checker)
{
    if (!checker.CreateValidValue(value))
    {
        RefuseValue(what, value.SerializeToString(&checker), checker);
    }
}

void
CheckAttribute(TypeId type, const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation attribute;
    if (FindAttribute(type, name, attribute) == TypeId())
    {
        throw std::invalid_argument(type.GetName() + " has no attribute " + name);
    }
    const std::string what = type.GetName() + "::" + name;
    if (const auto* text = dynamic_cast<const StringValue*>(&value))
    {
        ReadValue(what, text->Get(), *attribute.checker);
    }
    CheckAttribute(what, value, *attribute.checker);
}

void
SetChecked(ObjectFactory& factory, const std::string& name, const AttributeValue& value)
{
    CheckAttribute(factory.GetTypeId(), name, value);
    factory.Set(name, value);
}

void
SetChecked(ObjectBase& object, const std::string& name, const AttributeValue& value)
{
    const TypeId type = object.GetInstanceTypeId();
    CheckAttribute(type, name, value);
    if (!object.SetAttributeFailSafe(name, value))
    {
        throw std::invalid_argument(type.GetName() + "::" + name +
                                    " can't be set any more; its default can, or what the helper "
                                    "that installs is told");
    }
}

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

OptionValue
SetDefaultChecked(const std::string& name, const std::string& text)
{
    const bool isGlobal = IsGlobalValue(name);
    const Ptr<const AttributeChecker> checker =
        isGlobal ? FindGlobal(name) : GetAttributeChecker(name);
    if (isGlobal)
    {
        CheckGlobal(name, text);
    }
    OptionValue value = ReadValue("--" + name, text, *checker);
    if (!(isGlobal ? Config::SetGlobalFailSafe(name, StringValue(text))
                   : Config::SetDefaultFailSafe(name, StringValue(text))))
    {
        RefuseValue("--" + name, text, *checker);
    }
    return value;
}

Ptr<const AttributeValue>
GetDefault(const std::string& name)
{
    StringValue text;
    if (GlobalValue::GetValueByNameFailSafe(name, text))
    {
        return text.Copy();
    }
    const std::size_t colons = name.rfind("::");
    TypeId type;
    TypeId::AttributeInformation attribute;
    const bool isThere = colons != std::string::npos &&
                         TypeId::LookupByNameFailSafe(name.substr(0, colons), &type) &&
                         FindAttribute(type, name.substr(colons + 2), attribute) == type;
    return isThere ? attribute.initialValue : nullptr;
}

void
SetDefaultAgain(const std::string& name, const AttributeValue& value)
{
    if (IsGlobalValue(name))
    {
        Config::SetGlobal(name, value);
    }
    else
    {
        Config::SetDefault(name, value);
    }
}

} // namespace ns3::fabric
