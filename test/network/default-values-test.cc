/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-settings.h"
#include "fabric-exact-time-value.h"
#include "fabric-network-scenario.h"
#include "fabric-switch.h"
#include "fabric-time-checker.h"
#include "support/fabric-function-case.h"

#include "ns3/config.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Calls a function for each attribute of the module, by its full name.
void
ForEachAttribute(
    const std::function<void(const std::string&, const TypeId::AttributeInformation&)>& use)
{
    for (uint16_t number = 0; number < TypeId::GetRegisteredN(); ++number)
    {
        const TypeId tid = TypeId::GetRegistered(number);
        if (tid.GetGroupName() == "Fabric")
        {
            for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
            {
                use(tid.GetName() + "::" + tid.GetAttribute(i).name, tid.GetAttribute(i));
            }
        }
    }
}

/// Times as users write them, of which nanoseconds hold two.
const std::vector<std::string> TIMES{"1501ps",
                                     "+350400ps",
                                     "0.7ns",
                                     "123.4567us",
                                     "3us",
                                     "0.0015ms",
                                     "1.0000005e-3s",
                                     "0.0000004501",
                                     "2min",
                                     "0"};

/// @return what attributes take for a time, by their names and the text; null where it is refused
std::map<std::string, Ptr<AttributeValue>>
ReadTimes()
{
    std::map<std::string, Ptr<AttributeValue>> values;
    ForEachAttribute(
        [&values](const std::string& name, const TypeId::AttributeInformation& attribute) {
            if (attribute.checker->GetValueTypeName() != "ns3::TimeValue")
            {
                return;
            }
            for (const std::string& text : TIMES)
            {
                values[name + "=" + text] = attribute.checker->CreateValidValue(StringValue(text));
            }
        });
    return values;
}

/// Defaults are often set before the first helper of a fabric lets ns-3 count picoseconds.
void
TestTimesSetEarly(FunctionCase& test)
{
    if (Time::GetResolution() != Time::NS)
    {
        return; // another suite was in this process before; run-tests.py has one for each
    }
    const std::map<std::string, std::string> defaults{
        {"ns3::FabricChannel::Delay", "1501ps"},
        {"ns3::FabricSwitch::Latency", "350400ps"},
        {"ns3::FabricMessageSender::Interval", "0.7ns"},
        {"ns3::FabricCommandQueues::AtomicInterval", "14793ps"}};
    for (const auto& [name, text] : defaults)
    {
        Config::SetDefault(name, StringValue(text));
    }
    const auto early = ReadTimes();
    test.Expect(early.size() > 50 * TIMES.size(), Text(early.size(), " values"));
    {
        const TimeChecker checker(0, 5000);
        ExactTimeValue time;
        test.Expect(time.DeserializeFromString("1501ps", nullptr) && checker.Check(time),
                    "a time in bounds");
        test.ExpectEqual(time.SerializeToString(nullptr), std::string("1501ps"), "its text");
        const Ptr<AttributeValue> copy = checker.Create();
        test.Expect(checker.Copy(time, *copy), "a copy");
        test.ExpectEqual(copy->SerializeToString(nullptr), std::string("1501ps"), "of it");
        test.Expect(time.DeserializeFromString("5001ps", nullptr) && !checker.Check(time),
                    "a time above a bound that is no whole nanosecond");
    }

    const FabricHelper helper; // sets the resolution

    for (const auto& [name, value] : ReadTimes())
    {
        const Ptr<AttributeValue> before = early.at(name);
        test.ExpectEqual(before ? before->SerializeToString(nullptr) : "refused",
                         value ? value->SerializeToString(nullptr) : "refused",
                         name);
    }
    for (const auto& [name, text] : defaults)
    {
        const std::string::size_type end = name.rfind("::");
        TimeValue time;
        ObjectFactory(name.substr(0, end))
            .Create<Object>()
            ->GetAttribute(name.substr(end + 2), time);
        test.ExpectEqual(time.Get().GetPicoSeconds(), Time(text).GetPicoSeconds(), name);
    }
    Config::Reset();
}

/// Sets what may change in the run to what it is, as ns3::ConfigStore does with what it has saved.
void
SetAgain(FunctionCase& test, const FabricContainer& fabric, uint32_t& count)
{
    std::vector<Ptr<Object>> objects{fabric.network};
    for (const Ptr<FabricSwitch>& one : fabric.network->GetSwitches())
    {
        objects.push_back(one);
    }
    for (const Ptr<Object>& object : objects)
    {
        const TypeId tid = object->GetInstanceTypeId();
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation attribute = tid.GetAttribute(i);
            if ((attribute.flags & TypeId::ATTR_SET) != 0)
            {
                StringValue now;
                object->GetAttribute(attribute.name, now);
                test.Expect(object->SetAttributeFailSafe(attribute.name, now), attribute.name);
                ++count;
            }
        }
    }
}

void
TestSetAgain(FunctionCase& test)
{
    for (const CongestedRun& run : BothModes())
    {
        const std::string usual = RunToEnd(test, run);
        for (const int64_t at : {0, 7'654'321})
        {
            uint32_t count = 0;
            const std::string again = RunToEnd(test, run, [&](CongestedTree& tree) {
                if (at == 0)
                {
                    SetAgain(test, tree.fabric, count);
                    return;
                }
                tree.At(PicoSeconds(at), [&] { SetAgain(test, tree.fabric, count); });
            });
            test.ExpectSame(again, usual, "attributes that were set to what they are");
            test.Expect(count >= 20 * 7 + 1, Text(count, " attributes"));
        }
    }
}

/// What a switch has been told when it was linked is not forgotten when its settings change.
void
TestWhatStays(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = FatTreeHelper(4).Install();
    const SwitchConfig& config = fabric.GetSwitch(0)->GetChip().Config();
    const TimePs roundTrip = config.congestion.slowPaths.roundTrip;
    test.Expect(roundTrip > 0, "a round trip");
    fabric.GetSwitch(0)->SetAttribute("HopCredits", BooleanValue(false));
    fabric.GetDevice(0)->SendMessage(LocationOf(1), 10'000);
    Simulator::Run();
    test.Expect(!config.congestion.hopCredits, "HopCredits is set");
    test.ExpectEqual(config.congestion.slowPaths.roundTrip, roundTrip, "of slow paths");
    test.ExpectEqual(config.congestion.reroute.roundTrip, roundTrip, "of rerouting");
}

/// Each attribute is set to its own default, by the text that --PrintAttributes has.
void
TestOwnDefaults(FunctionCase& test)
{
    const std::string usual = RunToEnd(test, {});
    uint32_t count = 0;
    ForEachAttribute([&count](const std::string& name,
                              const TypeId::AttributeInformation& attribute) {
        if ((attribute.flags & TypeId::ATTR_CONSTRUCT) != 0 &&
            attribute.checker->GetValueTypeName() != "ns3::PointerValue")
        {
            const auto text = attribute.originalInitialValue->SerializeToString(attribute.checker);
            Config::SetDefault(name, StringValue(text));
            ++count;
        }
    });
    test.ExpectSame(RunToEnd(test, {}), usual, "defaults of all attributes are set");
    test.Expect(count > 300, Text(count, " attributes"));
}

/// Suite of what ns-3 lets users set in ways that are not the helpers'.
class DefaultValuesTestSuite : public FunctionSuite
{
  public:
    DefaultValuesTestSuite()
        : FunctionSuite("fabric-default-values", kUnit)
    {
        Add("SU-8 times that are set before the resolution are not rounded", TestTimesSetEarly);
        Add("SU-8 what may change in the run may be set to what it is", TestSetAgain);
        Add("SU-8 a setting that changes leaves the others alone", TestWhatStays);
        Add("SU-8 every attribute takes its own default and changes nothing", TestOwnDefaults);
    }
};

DefaultValuesTestSuite g_defaultValuesTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
