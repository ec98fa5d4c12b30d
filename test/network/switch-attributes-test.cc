/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-attributed-type.h"
#include "fabric-command-settings.h"
#include "fabric-switch.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return what attributes write, but for texts and lanes
std::string
TextOf(const SwitchConfig& config)
{
    const PauseSettings& pause = config.hostControl.pause;
    const Watermarks& marks = config.congestion.watermarks;
    std::ostringstream text;
    text << "ports " << config.ports << "\ntiming " << config.timing.forwarding << " "
         << config.timing.latency << " " << config.timing.controlLatency << "\nbuffer "
         << config.buffer.shares.totalBytes << " " << config.buffer.shares.reservedBytesPerVc << " "
         << config.buffer.shares.virtualChannels << "\nflow channels "
         << config.flowChannels.enabled << " " << +config.flowChannels.fields << " "
         << config.flowChannels.ids << " " << config.flowChannels.noFlowClasses << " "
         << config.flowChannels.unorderedClasses << "\nACKs " << config.ackTimers.idle << " "
         << config.ackTimers.busy << " " << config.ackTimers.longest << "\nhost control "
         << config.hostControl.edgeFlowControl << " " << pause.thresholds.xoffBytes << " "
         << pause.thresholds.xonBytes << " " << pause.eiqPauseBytes << " " << pause.quanta << " "
         << pause.responseQuanta << "\narbitration " << config.arbitration << " "
         << config.turns.unit << " " << config.turns.quantum << "\ncongestion "
         << config.congestion.hopCredits << " " << marks.high << " " << marks.target << " "
         << marks.drop << " " << config.congestion.roomDivisor << "\nmarks " << config.marks[0].isOn
         << " " << config.marks[0].minBytes << " " << config.marks[0].maxBytes << " "
         << config.marks[0].probability << "\n";
    return text.str();
}

void
TestDefaults(FunctionCase& test)
{
    test.ExpectSame(TextOf(CreateObject<FabricSwitch>()->ReadConfig()),
                    TextOf(SwitchConfig()),
                    "the default of an attribute is not that of its setting");
}

void
TestKinds(FunctionCase& test)
{
    const auto fabricSwitch = CreateObject<FabricSwitch>();
    fabricSwitch->SetAttribute("AckIdleTimer", StringValue("7ns"));
    fabricSwitch->SetAttribute("HopCredits", BooleanValue(false));
    const auto settings = CreateObjectWithAttributes<FabricSwitch>("Ports",
                                                                   UintegerValue(5),
                                                                   "Latency",
                                                                   TimeValue(NanoSeconds(9)),
                                                                   "Forwarding",
                                                                   StringValue("store-and-forward"),
                                                                   "MarkClasses",
                                                                   UintegerValue(2),
                                                                   "MarkProbability",
                                                                   DoubleValue(0.25))
                              ->ReadConfig();
    test.Expect(fabricSwitch->ReadConfig().ackTimers.idle == 7000 &&
                    !fabricSwitch->ReadConfig().congestion.hopCredits,
                "what may be set later");
    test.Expect(settings.ports == 5 && settings.timing.latency == 9000 &&
                    settings.timing.forwarding == STORE_AND_FORWARD && settings.marks[1].isOn &&
                    !settings.marks[0].isOn && settings.marks[1].probability == 0.25,
                "numbers, times, choices");

    TimeValue idle;
    fabricSwitch->GetAttribute("AckIdleTimer", idle);
    StringValue forwarding;
    fabricSwitch->GetAttribute("Forwarding", forwarding);
    UintegerValue bytes;
    fabricSwitch->GetAttribute("BufferBytes", bytes);
    test.Expect(idle.Get() == NanoSeconds(7) && forwarding.Get() == "cut-through" &&
                    bytes.Get() == SwitchConfig().buffer.shares.totalBytes,
                "an attribute reads back what it has written");
    test.Expect(!fabricSwitch->SetAttributeFailSafe("AckIdleTimer", StringValue("2s")) &&
                    !fabricSwitch->SetAttributeFailSafe("Ports", UintegerValue(3)) &&
                    !fabricSwitch->GetAttributeFailSafe("Ports", idle),
                "out of bounds, too late, of another kind");
}

/// Counts changes of a part of its settings.
class Heir : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = AttributedType(TypeId("ns3::fabric::FieldAttributeTestHeir")
                                               .SetParent<Object>()
                                               .AddConstructor<Heir>(),
                                           TypeId::ATTR_SGC,
                                           &Heir::Changed,
                                           &Heir::m_timers)
                                .Add("Idle", "")
                                .Sets(&AckTimers::idle, NanoSeconds(3));
        return tid;
    }

    AckTimers m_timers;    ///< Settings.
    uint32_t m_changes{0}; ///< Calls of Changed().
    TimePs m_idleThen{0};  ///< What the setting was then, ps.

  private:
    /// The settings have changed.
    void Changed()
    {
        ++m_changes;
        m_idleThen = m_timers.idle;
    }
};

void
TestChangesOfParts(FunctionCase& test)
{
    const auto heir = CreateObject<Heir>();
    test.Expect(heir->m_changes == 1 && heir->m_timers.idle == 3000, "set when it is made");
    heir->SetAttribute("Idle", TimeValue(NanoSeconds(4)));
    test.Expect(heir->m_changes == 2 && heir->m_idleThen == 4000, "told when it has changed");
    const Ptr<const AttributeAccessor> idle = MakeFieldAccessor(&Heir::m_timers, &AckTimers::idle);
    test.Expect(!idle->Set(PeekPointer(heir), UintegerValue(1)) && heir->m_timers.idle == 4000,
                "a value of another kind is not taken");
    test.Expect(!idle->Set(PeekPointer(CreateObject<FabricSwitch>()), TimeValue(Time(0))),
                "nor an object of another class");
}

/// @return attributes of a type and of its parents in this module that a factory can set
std::vector<TypeId::AttributeInformation>
AttributesOf(TypeId tid)
{
    std::vector<TypeId::AttributeInformation> attributes;
    constexpr uint32_t NEEDED = TypeId::ATTR_CONSTRUCT | TypeId::ATTR_GET;
    for (; tid.GetGroupName() == "Fabric"; tid = tid.GetParent())
    {
        for (uint32_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation attribute = tid.GetAttribute(i);
            if ((attribute.flags & NEEDED) == NEEDED && attribute.accessor->HasGetter())
            {
                attributes.push_back(attribute);
            }
        }
    }
    return attributes;
}

std::string
ValueOf(Ptr<Object> object, const TypeId::AttributeInformation& attribute)
{
    const Ptr<AttributeValue> value = attribute.checker->Create();
    attribute.accessor->Get(PeekPointer(object), *value);
    return value->SerializeToString(attribute.checker);
}

/// @return texts of values that an attribute may have
std::vector<std::string>
TextsFor(const AttributeChecker& checker)
{
    const std::string kind = checker.GetValueTypeName();
    for (const auto& [type, texts] : std::map<std::string, std::vector<std::string>>{
             {"ns3::BooleanValue", {"true", "false"}},
             {"ns3::UintegerValue", {"1", "2", "0", "100", "5000"}},
             {"ns3::DoubleValue", {"0.5", "0.25", "2"}},
             {"ns3::TimeValue", {"7ns", "3us"}},
             {"ns3::DataRateValue", {"9Gbps"}}})
    {
        if (kind == type)
        {
            return texts;
        }
    }
    std::vector<std::string> texts;
    std::istringstream choices(checker.GetUnderlyingTypeInformation());
    for (std::string text; kind.find("ns3::EnumValue") == 0 && std::getline(choices, text, '|');)
    {
        texts.push_back(text);
    }
    return texts;
}

/// @return another value that an attribute allows, null if none was found
Ptr<AttributeValue>
OtherValue(const TypeId::AttributeInformation& attribute, const std::string& now)
{
    for (const std::string& text : TextsFor(*attribute.checker))
    {
        const Ptr<AttributeValue> value = attribute.checker->Create();
        if (value->DeserializeFromString(text, attribute.checker) &&
            attribute.checker->Check(*value) && value->SerializeToString(attribute.checker) != now)
        {
            return value;
        }
    }
    return nullptr;
}

/// ns-3 lets the resolution be set once.
void
CountPicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

/// A value that a factory is given for one attribute is that of this attribute, and of no other.
void
TestEachAlone(FunctionCase& test)
{
    CountPicoseconds();
    uint32_t tried = 0;
    for (uint16_t number = 0; number < TypeId::GetRegisteredN(); ++number)
    {
        const TypeId tid = TypeId::GetRegistered(number);
        if (tid.GetGroupName() != "Fabric" || !tid.HasConstructor() ||
            !tid.IsChildOf(Object::GetTypeId()))
        {
            continue;
        }
        const std::vector<TypeId::AttributeInformation> attributes = AttributesOf(tid);
        ObjectFactory plain(tid.GetName());
        const Ptr<Object> before = plain.Create<Object>();
        for (const TypeId::AttributeInformation& attribute : attributes)
        {
            const Ptr<AttributeValue> value = OtherValue(attribute, ValueOf(before, attribute));
            if (!value)
            {
                continue; // pointers, callbacks, names of files
            }
            ObjectFactory factory(tid.GetName());
            factory.Set(attribute.name, *value);
            const Ptr<Object> after = factory.Create<Object>();
            for (const TypeId::AttributeInformation& other : attributes)
            {
                const std::string expected = other.name == attribute.name
                                                 ? value->SerializeToString(attribute.checker)
                                                 : ValueOf(before, other);
                test.ExpectEqual(
                    ValueOf(after, other),
                    expected,
                    Text(tid.GetName(), "::", other.name, ", ", attribute.name, " set"));
            }
            ++tried;
        }
    }
    test.Expect(tried > 100, Text(tried, " attributes"));
}

/// Bounds and defaults below a nanosecond are kept, though types are registered while ns-3 still
/// counts nanoseconds.
void
TestPicoseconds(FunctionCase& test)
{
    CountPicoseconds();
    for (const auto& [type, name] :
         std::map<std::string, std::string>{{"ns3::FabricSwitch", "FlowCheckInterval"},
                                            {"ns3::FabricCommandQueues", "NotReadyTime"}})
    {
        TypeId::AttributeInformation attribute;
        test.Expect(TypeId::LookupByName(type).LookupAttributeByName(name, &attribute),
                    Text(type, "::", name));
        const auto allows = [&attribute](Time time) {
            return attribute.checker->Check(TimeValue(time));
        };
        test.Expect(!allows(Time(0)), Text(name, " may not be 0"));
        test.Expect(allows(PicoSeconds(1)), Text(name, " may be 1 ps"));
        const auto object = ObjectFactory(type, name, StringValue("1ps")).Create<Object>();
        test.ExpectEqual(ValueOf(object, attribute),
                         TimeValue(PicoSeconds(1)).SerializeToString(attribute.checker),
                         "a value of 1 ps");
    }
    TimeValue interval;
    ObjectFactory("ns3::FabricCommandQueues")
        .Create<Object>()
        ->GetAttribute("AtomicInterval", interval);
    test.ExpectEqual(interval.Get().GetPicoSeconds(),
                     AtomicSettings().interval,
                     "the default of AtomicInterval");
}

/// @return the sentence that refuses a switch with attributes, empty if there is none
std::string
RefusalOf(const std::map<std::string, std::string>& attributes)
{
    ObjectFactory factory("ns3::FabricSwitch");
    for (const auto& [name, value] : attributes)
    {
        factory.Set(name, StringValue(value));
    }
    return Refusal([&] { factory.Create<FabricSwitch>()->ReadConfig(); });
}

/// Attributes that are read only beside another are refused without it, and taken with it.
void
TestDependentAttributes(FunctionCase& self)
{
    struct Case
    {
        std::vector<std::string> names; ///< Attributes.
        std::string value;              ///< Of each of them.
        std::string needed;             ///< Attribute that they need.
        std::string neededValue;        ///< Its value.
    };

    const std::vector<Case> cases{
        {{"PauseXoffBytes", "PauseXonBytes", "PauseResponseQuanta", "EiqPauseBytes"},
         "100",
         "EdgeFlowControl",
         "pause"},
        {{"PauseQuanta"}, "900", "EdgeFlowControl", "priority-pause"},
        {{"PauseQuanta"}, "900", "LinkFlowControl", "pause"},
        {{"LinkPauseXoffBytes", "LinkPauseXonBytes"}, "100", "LinkFlowControl", "pause"},
        {{"LossyDropBytes"}, "5000", "LossyClasses", "65535"},
        {{"TrimHeaderClass", "TrimmedPayload"}, "100", "TrimClasses", ""},
        {{"TrimBytes"}, "5000", "TrimClasses", ""},
        {{"RerouteBytes", "RerouteSpread"}, "1", "Reroute", "true"},
        {{"RerouteTime", "RerouteHold"}, "7ns", "Reroute", "true"},
        {{"NeighbourLoadTime"}, "7ns", "NeighbourLoads", "true"},
        {{"MarkMinBytes"}, "1", "MarkClasses", "2"},
        {{"MarkMaxBytes"}, "100000", "MarkClasses", "2"},
        {{"MarkProbability"}, "0.5", "MarkClasses", "2"},
        {{"LaneBurst",
          "LaneTolerance",
          "LaneDebt",
          "LaneFlitBytes",
          "LaneMostUrgentBytes",
          "LaneLeastVictimBytes",
          "LaneMostBytesPerVictim",
          "LaneLeastSentBytes",
          "LaneLeastLeftBytes",
          "LaneOpenFrames"},
         "3",
         "a lane table",
         ""},
        {{"LaneWindow"}, "7ns", "a lane table", ""},
        {{"LaneMode"}, "group", "a lane table", ""},
        {{"LaneOverBandwidth"}, "disqualify", "a lane table", ""},
        {{"LaneTurns"}, "round-robin", "a lane table", ""},
        {{"LaneChargeOverBandwidth"}, "true", "a lane table", ""},
        {{"LaneMeter"}, "leaky-bucket", "a lane table", ""},
        {{"LaneCheck"}, "flit", "a lane table", ""}};
    for (const Case& one : cases)
    {
        for (const std::string& name : one.names)
        {
            const std::string value = name == "TrimHeaderClass" ? "2" : one.value;
            const std::string refusal = RefusalOf({{name, value}});
            self.Expect(refusal.find(name + " is set, and ") == 0 &&
                            refusal.find("; allowed is its default, or ") != std::string::npos,
                        Text(name, ": ", refusal));
            if (!one.neededValue.empty())
            {
                self.ExpectEqual(RefusalOf({{name, value}, {one.needed, one.neededValue}}),
                                 std::string(),
                                 Text(name, " with ", one.needed));
            }
        }
    }
}

/// The thresholds of what waits for a flow_id need flows, and not only pauses.
void
TestPausesWithoutFlows(FunctionCase& self)
{
    std::map<std::string, std::string> attributes{{"EdgeFlowControl", "pause"},
                                                  {"FlowChannels", "false"}};
    self.ExpectEqual(RefusalOf(attributes), std::string(), "by default");
    attributes["EiqPauseBytes"] = "7";
    self.ExpectEqual(RefusalOf(attributes),
                     std::string("EiqPauseBytes is set, and no class has flow channels; allowed is "
                                 "its default, or flow channels (FlowChannels, NoFlowClasses)"),
                     "without flows");
}

/// Settings of flow channels are refused where there are none; their defaults are taken.
void
TestSettingsWithoutFlows(FunctionCase& self)
{
    struct Case
    {
        std::string name;  ///< Of the attribute.
        std::string usual; ///< Its default.
        std::string other; ///< Another value.
    };

    const std::vector<Case> cases{{"FlowIds", "2047", "2046"},
                                  {"FlowFields", "127", "126"},
                                  {"FlowCheckInterval", "100us", "99us"},
                                  {"AckIdleTimer", "30ns", "31ns"},
                                  {"AckBusyTimer", "60ns", "59ns"},
                                  {"AckLongestTimer", "90ns", "0ns"},
                                  {"WatermarksCoverLinks", "true", "false"}};
    const std::map<std::string, std::string> without{{"FlowChannels", "false"},
                                                     {"NoFlowClasses", "65535"}};
    for (const auto& [name, usual, other] : cases)
    {
        for (const auto& none : without)
        {
            self.ExpectEqual(RefusalOf({none, {name, usual}}), std::string(), name);
            self.ExpectEqual(RefusalOf({none, {name, other}}),
                             name + " is set, and no class has flow channels; allowed is its "
                                    "default, or flow channels (FlowChannels, NoFlowClasses)",
                             Text(name, " with ", none.first));
        }
        self.ExpectEqual(RefusalOf({{"NoFlowClasses", "65534"}, {name, other}}),
                         std::string(),
                         Text(name, " with a class"));
    }
    self.ExpectEqual(RefusalOf({{"FlowChannels", "false"}, {"NoFlowClasses", "1"}}),
                     std::string("NoFlowClasses is set, and FlowChannels is false; allowed is its "
                                 "default, or FlowChannels=true"),
                     "classes");
}

/// Suite of attributes that stand in settings.
class SwitchAttributesTestSuite : public FunctionSuite
{
  public:
    SwitchAttributesTestSuite()
        : FunctionSuite("fabric-switch-attributes", kUnit)
    {
        Add("PR-1 every attribute is set alone, by a factory, and read back", TestEachAlone);
        Add("SU-8 defaults of a switch's attributes are those of its settings", TestDefaults);
        Add("SU-8 attributes of a switch write its settings, and read them", TestKinds);
        Add("SU-8 bounds and defaults below a nanosecond", TestPicoseconds);
        Add("SU-8 attributes without effect are refused", TestDependentAttributes);
        Add("SU-8 pauses of switches without flow channels", TestPausesWithoutFlows);
        Add("SU-8 settings of flow channels where there are none", TestSettingsWithoutFlows);
        Add("SU-8 who has settings is told when a part has changed", TestChangesOfParts);
    }
};

SwitchAttributesTestSuite g_switchAttributesTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
