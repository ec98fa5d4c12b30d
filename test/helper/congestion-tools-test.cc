/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-tools.h"
#include "fabric-switch.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/config.h"

#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A program's options, of which tools is the only own one.
struct ToolsProgram
{
    CongestionTools tools;                          ///< What is tested.
    ProgramOptions options{"program.cc", "Shows."}; ///< Of the program.

    /// @param arguments of the command line
    explicit ToolsProgram(std::vector<std::string> arguments)
    {
        tools.AddTo(options);
        arguments.insert(arguments.begin(), "program");
        options.Parse(arguments);
    }

    ~ToolsProgram()
    {
        Config::Reset();
    }
};

/// @return whether a switch that is made now has hop credits
bool
HasHopCredits()
{
    return CreateObject<FabricSwitch>()->ReadConfig().congestion.hopCredits;
}

/// Each word of the option, in any order, sets the attributes of its tools and of no others.
void
TestToolAttributes(FunctionCase& self)
{
    struct Expected
    {
        std::vector<std::string> arguments; // of the command line
        bool hopCredits;                    // of the switches
    };

    for (const Expected& expected : {Expected{{}, true},
                                     Expected{{"--tools=none"}, false},
                                     Expected{{"--tools=all"}, true},
                                     Expected{{"--tools=hop-credits"}, true},
                                     Expected{{"--tools=none", "--tools=all"}, true}})
    {
        const ToolsProgram program(expected.arguments);
        program.tools.SetAttributes(program.options, true);
        const std::string what = expected.arguments.empty() ? "" : expected.arguments.back();
        self.Expect(program.tools.Has("hop-credits") == expected.hopCredits, "Has() " + what);
        self.Expect(HasHopCredits() == expected.hopCredits, "attribute " + what);
        const bool isAll = what == "--tools=all";
        self.Expect(program.tools.Has("reroute") == isAll, "only if it is asked for: " + what);
        const bool isUsual = isAll || expected.arguments.empty();
        self.Expect(CreateObject<FabricSwitch>()->ReadConfig().congestion.slowPaths.isOn == isUsual,
                    "attribute of slow paths " + what);
        self.Expect(CreateObject<FabricSwitch>()->ReadConfig().congestion.reroute.isOn == isAll,
                    "attribute of reroute " + what);
    }
}

/// What is no tool, and what a tool's attribute would say against it, is refused with a sentence.
void
TestToolRefusals(FunctionCase& self)
{
    for (const std::string tools : {"", "some", "hop-credits,", "all,none", "Hop-Credits"})
    {
        self.Expect(Refusal([&] {
                        ToolsProgram({"--tools=" + tools});
                    }).rfind("--tools=" + tools + ": allowed is none, all or any of", 0) == 0,
                    "--tools=" + tools);
    }
    self.ExpectEqual(Refusal([&] { ToolsProgram({"--ns3::FabricSwitch::HopCredits=false"}); }),
                     "--ns3::FabricSwitch::HopCredits: the program sets it, allowed is --tools",
                     "the attribute");
}

/// Without flow channels tools would do nothing: who asks for them is told.
void
TestToolsWithoutFlowChannels(FunctionCase& self)
{
    for (const std::string tools : {"all", "hop-credits"})
    {
        const ToolsProgram program({"--tools=" + tools});
        const std::string sentence =
            Refusal([&] { program.tools.SetAttributes(program.options, false); });
        self.Expect(sentence.find("allowed is none where --flowChannels is off") !=
                        std::string::npos,
                    sentence);
    }
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{}, std::vector<std::string>{"--tools=none"}})
    {
        const ToolsProgram program(arguments);
        self.ExpectEqual(Refusal([&] { program.tools.SetAttributes(program.options, false); }),
                         "",
                         "nothing is asked for");
        self.Expect(!HasHopCredits(), "and all are off");
    }
}

/// The suite.
class CongestionToolsSuite : public FunctionSuite
{
  public:
    CongestionToolsSuite()
        : FunctionSuite("fabric-congestion-tools", kUnit)
    {
        Add("CM-5 PR-1 each tool is switched by its attributes alone", TestToolAttributes);
        Add("PR-4 what is no tool is refused", TestToolRefusals);
        Add("PR-4 tools without flow channels are refused", TestToolsWithoutFlowChannels);
    }
};

const CongestionToolsSuite g_congestionToolsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
