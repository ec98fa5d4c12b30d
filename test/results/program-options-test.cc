/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-helper.h"
#include "fabric-program-options.h"
#include "fabric-program.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/config.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/uinteger.h"

#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// A program with options.
struct ExampleProgram
{
    const FabricHelper resolution;                                   ///< Of times: ps.
    uint64_t bytes{1 << 20};                                         ///< --bytes
    uint16_t senders{8};                                             ///< --senders
    bool flowChannels{true};                                         ///< --flowChannels
    bool victim{false};                                              ///< --victim
    Time linkDelay{MicroSeconds(1)};                                 ///< --linkDelay
    std::vector<std::string> tools{};                                ///< --tools
    std::string table;                                               ///< --table
    ProgramOptions options{"some/fabric-example.cc", "An example."}; ///< The options.

    ExampleProgram()
    {
        options.Add("bytes", "message size", bytes, SizeType(1, 1ULL << 30));
        options.Add("senders", "how many send", senders, CountType<uint16_t>(1, 1000));
        options.Add("flowChannels", "whether there are any", flowChannels);
        options.Add("victim", "whether there is a victim flow", victim);
        options.Add("linkDelay", "of a link", linkDelay, TimeType(Time(0), MilliSeconds(1)));
        options.Add("tools", "tools", tools, ChoicesType({"endpoint", "fgfc", "pacing"}));
        options.Add("table", "file", table);
        options.AddDuration(MicroSeconds(50));
    }

    /// @param arguments arguments without the program's name
    void Parse(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), "fabric-example");
        options.Parse(arguments);
    }
};

/// @return the value of an attribute of PacketSocketClient with which one is made now
uint32_t
DefaultOf(const std::string& name)
{
    UintegerValue value;
    ObjectFactory("ns3::PacketSocketClient").Create<Object>()->GetAttribute(name, value);
    return static_cast<uint32_t>(value.Get());
}

const std::string CLIENT = "ns3::PacketSocketClient::"; ///< Begin of its attributes' names.

void
TestValues(FunctionCase& self)
{
    ExampleProgram byDefault;
    byDefault.Parse({});
    const CommonOptions& usual = byDefault.options.Common();
    self.Expect(byDefault.bytes == 1 << 20 && byDefault.flowChannels, "own defaults");
    self.Expect(usual.out.empty() && !usual.force && usual.lookahead && !usual.check &&
                    usual.threads == 1 && usual.progress == ProgressMode::AUTO &&
                    usual.duration == MicroSeconds(50),
                "common defaults");

    ExampleProgram p;
    p.Parse({"--bytes=4KiB",
             "-senders=3",
             "--flowChannels=off",
             "--victim",
             "--linkDelay=350ns",
             "--tools=pacing,endpoint",
             "--table=a=b.csv",
             "--out=somewhere",
             "--force",
             "--progress=off",
             "--lookahead=off",
             "--threads=2",
             "--check=true",
             "--duration=2ms"});
    const CommonOptions& given = p.options.Common();
    self.Expect(p.bytes == 4096 && p.senders == 3, "numbers, with one dash and two");
    self.Expect(!p.flowChannels && p.victim, "booleans, with a value and without");
    self.Expect(p.linkDelay == NanoSeconds(350), "time");
    self.Expect(p.tools == std::vector<std::string>{"endpoint", "pacing"}, "words");
    self.Expect(p.table == "a=b.csv", "text with '='");
    self.Expect(given.out == "somewhere" && given.force && given.progress == ProgressMode::OFF &&
                    !given.lookahead && given.threads == 2 && given.check &&
                    given.duration == MilliSeconds(2),
                "common options");

    ExampleProgram last;
    last.Parse({"--senders=3", "--senders=4"});
    self.Expect(last.senders == 4, "the last value counts, as in ns-3");
}

/// The text of an option that means what the manifest has.
struct InManifest
{
    std::string operator()(const std::string& text) const
    {
        return text;
    }

    template <typename T>
    std::string operator()(const std::vector<T>& items) const
    {
        std::string text;
        for (const T& item : items)
        {
            text += (text.empty() ? "" : ",") + (*this)(item);
        }
        return items.empty() ? "none" : text;
    }

    template <typename T>
    std::string operator()(T number) const
    {
        return NumberText(number);
    }
};

/// The values of a manifest make the same run again.
void
TestRepeat(FunctionCase& self)
{
    ExampleProgram first;
    first.Parse({"--bytes=12345",
                 "--linkDelay=1500ns",
                 "--tools=fgfc",
                 "--flowChannels=0",
                 "--table=x, \"y\""});
    std::vector<std::string> again;
    for (const auto& [name, value] : first.options.GetOptions())
    {
        again.push_back("--" + name + "=" + std::visit(InManifest(), value));
    }
    ExampleProgram second;
    second.Parse(again);
    self.Expect(first.options.GetOptions() == second.options.GetOptions(), "the values shown");
    self.Expect(second.linkDelay == NanoSeconds(1500), "a value");
    const auto valueOf = [&first](const std::string& wanted) {
        for (const auto& [name, value] : first.options.GetOptions())
        {
            if (name == wanted)
            {
                return value;
            }
        }
        return OptionValue();
    };
    self.Expect(valueOf("bytes") == OptionValue(uint64_t{12345}), "bytes");
    self.Expect(valueOf("linkDelay") == OptionValue(1.5e-6), "seconds");
    self.Expect(valueOf("flowChannels") == OptionValue(false), "a boolean");
    self.Expect(valueOf("table") == OptionValue(std::string("x, \"y\"")), "a text");
    self.Expect(valueOf("tools") == OptionValue(std::vector<std::string>{"fgfc"}), "words");
}

/// A command line and what the sentence must say.
struct Mistake
{
    std::string argument;           ///< The argument.
    std::vector<std::string> words; ///< What the sentence names.
};

void
TestMistakes(FunctionCase& self)
{
    const std::vector<Mistake> mistakes{
        {"--bytes=12parsecs", {"--bytes", "12parsecs", "a size from 1 to 1GiB", "4KiB"}},
        {"--bytes=", {"--bytes=", "from 1"}},
        {"--bytes", {"--bytes", "has no value", "--bytes=value"}},
        {"--senders=65537", {"--senders=65537", "a whole number from 1 to 1000"}},
        {"--flowChannels=maybe", {"--flowChannels=maybe", "true", "false"}},
        {"--flowChannels", {"--flowChannels", "has no value"}},
        {"--linkDelay=1s", {"--linkDelay=1s", "from 0ps to 1ms"}},
        {"--progress=yes", {"--progress=yes", "one of auto, on, off"}},
        {"--lookahead=perhaps", {"--lookahead=perhaps", "on", "off"}},
        {"--duration=0s", {"--duration=0s", "from 1ns to 1000s"}},
        {"--sender=3", {"--sender=3", "unknown option", "--senders", "--bytes"}},
        {"--", {"--", "unknown option"}},
        {"-", {"-", "unknown option"}},
        {"--=3", {"--=3", "unknown option"}},
        {"extra", {"extra", "unexpected argument", "--name=value"}},
        {"help", {"help", "unexpected argument"}},
        {"", {"unexpected argument ''"}},
        {"--RngRun=-1", {"--RngRun=-1", "a whole number of at least 0"}},
        {"--RngRun=two", {"--RngRun=two", "a whole number of at least 0"}},
        {"--RngRun", {"--RngRun", "a whole number of at least 0"}},
        {"--RngSeed=0", {"--RngSeed=0", "from 1 to"}},
        {"--RngSeed=4294967296", {"--RngSeed=4294967296", "from 1 to"}},
        {"--SchedulerType=ns3::Nope", {"--SchedulerType=ns3::Nope", "ns3::Scheduler"}},
        {"--SchedulerType=ns3::Object", {"--SchedulerType=ns3::Object", "ns3::Scheduler"}},
        {"--SimulatorImplementationType=x", {"--SimulatorImplementationType=x", "SimulatorImpl"}},
        {"--ns3::Nope::Attr=1", {"--ns3::Nope::Attr", "no type ns3::Nope"}},
        {"--Nope::Attr=1", {"--Nope::Attr", "no type Nope"}},
        {"--::=1", {"no type"}},
        {"--" + CLIENT + "Nope=1",
         {"ns3::PacketSocketClient has no attribute Nope", "--PrintAttributes"}},
        {"--" + CLIENT + "StartTime=1s", {"StartTime", "allowed is --ns3::Application::StartTime"}},
        {"--" + CLIENT + "PacketSize=12x",
         {"PacketSize=12x", "a whole number from 0 to 4294967295"}},
        {"--" + CLIENT + "PacketSize=-1", {"PacketSize=-1", "a whole number from 0 to 4294967295"}},
        {"--" + CLIENT + "PacketSize=4294967296",
         {"PacketSize=4294967296", "a whole number from 0 to 4294967295"}},
        {"--" + CLIENT + "PacketSize=", {"PacketSize=", "a whole number from 0 to 4294967295"}},
        {"--" + CLIENT + "Interval=5furlongs", {"Interval=5furlongs", "a time"}},
        {"--" + CLIENT + "Interval=", {"Interval=", "a time"}},
        {"--" + CLIENT + "Interval=--1us", {"Interval=--1us", "a time"}},
        {"--ns3::SimpleNetDevice::DataRate=quick", {"DataRate=quick", "a rate"}},
        {"--ns3::SimpleNetDevice::DataRate=.", {"DataRate=.", "a rate"}},
        {"--ns3::RateErrorModel::ErrorUnit=ERROR_UNIT_INCH",
         {"ERROR_UNIT_INCH", "one of", "ERROR_UNIT_BIT"}},
        {"--ns3::RateErrorModel::ErrorRate=often", {"ErrorRate=often", "a number"}},
        {"--ns3::ErrorModel::IsEnabled=perhaps", {"IsEnabled=perhaps", "true"}},
        {"--ns3::RandomVariableStream::Stream=1.5", {"Stream=1.5", "int64_t"}},
        // ns-3 itself crashes or aborts on these.
        {"--ns3::SequentialRandomVariable::Increment=ns3::Nope", {"=ns3::Nope", "PointerValue"}},
        {"--PrintAttributes=ns3::Nope", {"--PrintAttributes=ns3::Nope", "--PrintTypeIds"}},
        {"--ns3::SimpleNetDevice::DataRate=1bps", {"the program sets it, allowed is --rate"}},
    };
    for (const Mistake& mistake : mistakes)
    {
        ExampleProgram p;
        const bool isReserved = mistake.words[0].find("the program") == 0;
        p.options.ReserveAttributes({isReserved ? "ns3::SimpleNetDevice::DataRate" : "-"},
                                    "--rate");
        const std::string sentence = Refusal([&] { p.Parse({mistake.argument}); });
        for (const std::string& word : mistake.words)
        {
            self.Expect(sentence.find(word) != sentence.npos,
                        mistake.argument + ": no '" + word + "' in: " + sentence);
        }
        self.Expect(sentence.find('\n') == sentence.npos, "one line: " + sentence);
    }
}

void
TestAttributes(FunctionCase& self)
{
    const uint64_t run = RngSeedManager::GetRun();
    const uint32_t size = DefaultOf("PacketSize");
    ExampleProgram p;
    p.Parse({"--RngRun=7",
             "--" + CLIENT + "PacketSize=11",
             "--senders=2",
             "--" + CLIENT + "PacketSize=77"});
    self.Expect(RngSeedManager::GetRun() == 7, "--RngRun");
    self.Expect(DefaultOf("PacketSize") == 77, "the attribute's default");
    const NamedValues expected{{"RngRun", uint64_t{7}}, {CLIENT + "PacketSize", uint64_t{77}}};
    self.Expect(p.options.GetAttributes() == expected, "what was given, the last value of each");
    RngSeedManager::SetRun(run);
    Config::SetDefault(CLIENT + "PacketSize", UintegerValue(size));
}

/// What a program sets by itself gives way to the command line.
void
TestDefaults(FunctionCase& self)
{
    const uint32_t size = DefaultOf("PacketSize");
    const uint32_t count = DefaultOf("MaxPackets");
    ExampleProgram p;
    p.Parse({"--" + CLIENT + "PacketSize=77"});
    self.Expect(p.options.IsGiven(CLIENT + "PacketSize"), "given");
    self.Expect(!p.options.IsGiven(CLIENT + "MaxPackets"), "not given");
    p.options.SetDefault(CLIENT + "PacketSize", UintegerValue(5));
    p.options.SetDefault(CLIENT + "MaxPackets", UintegerValue(5));
    self.Expect(DefaultOf("PacketSize") == 77, "what was given stays");
    self.Expect(DefaultOf("MaxPackets") == 5, "the program's default");
    Config::SetDefault(CLIENT + "PacketSize", UintegerValue(size));
    Config::SetDefault(CLIENT + "MaxPackets", UintegerValue(count));
}

/// What a run has set is put back, and nothing else; also where it was refused half-way.
void
TestPutBack(FunctionCase& self)
{
    const uint64_t run = RngSeedManager::GetRun();
    const uint32_t size = DefaultOf("PacketSize");
    const uint32_t count = DefaultOf("MaxPackets");
    const uint32_t priority = DefaultOf("Priority");
    Config::SetDefault(CLIENT + "PacketSize", UintegerValue(40)); // the user's own
    RngSeedManager::SetRun(5);
    const auto expectBefore = [&](const std::string& when) {
        self.ExpectEqual(DefaultOf("PacketSize"), 40U, "an attribute that was given, " + when);
        self.ExpectEqual(DefaultOf("MaxPackets"), count, "the program's default, " + when);
        self.ExpectEqual(RngSeedManager::GetRun(), uint64_t{5}, "--RngRun, " + when);
    };
    {
        ExampleProgram p;
        p.Parse({"--RngRun=7", "--" + CLIENT + "PacketSize=11", "--" + CLIENT + "PacketSize=77"});
        p.options.SetDefault(CLIENT + "MaxPackets", UintegerValue(9));
        Config::SetDefault(CLIENT + "Priority", UintegerValue(3));
        self.Expect(DefaultOf("PacketSize") == 77 && DefaultOf("MaxPackets") == 9, "they are set");
        p.options.PutBack();
        expectBefore("after a run");
        self.ExpectEqual(DefaultOf("Priority"), 3U, "what others set meanwhile stays");
        Config::SetDefault(CLIENT + "PacketSize", UintegerValue(41));
        p.options.PutBack();
        self.ExpectEqual(DefaultOf("PacketSize"), 41U, "once is enough");
        Config::SetDefault(CLIENT + "PacketSize", UintegerValue(40));
    }
    for (const std::string wrong :
         {"--senders=many", "--ns3::Nope::Nope=1", "--Nope=1", "--ns3::PacketSocketClient::No=1"})
    {
        ExampleProgram p;
        self.Expect(!Refusal([&] {
                         p.Parse({"--RngRun=7", "--" + CLIENT + "PacketSize=11", wrong});
                     }).empty(),
                    wrong + " is refused");
        p.options.PutBack();
        expectBefore("after " + wrong);
    }
    RngSeedManager::SetRun(run);
    Config::SetDefault(CLIENT + "PacketSize", UintegerValue(size));
    Config::SetDefault(CLIENT + "Priority", UintegerValue(priority));
}

/// Options without an effect are refused if they are given, their defaults too.
void
TestWithoutEffect(FunctionCase& self)
{
    ExampleProgram p;
    p.Parse({"--senders=2", "--bytes=1MiB"});
    self.Expect(p.options.IsGiven("bytes") && !p.options.IsGiven("victim"), "given and not");
    p.options.RefuseGiven({"victim", "linkDelay"}, "--tools=fgfc");
    self.ExpectSame(Refusal([&] {
                        p.options.RefuseGiven({"victim", "bytes"}, "--tools=fgfc");
                    }),
                    "--bytes=1MiB: allowed is only --tools=fgfc with it",
                    "the default");
}

/// The help text, and mistakes of the program itself.
void
TestHelp(FunctionCase& self)
{
    ExampleProgram p;
    std::ostringstream help;
    p.options.PrintHelp(help);
    for (const char* words : {"fabric-example",
                              "An example.",
                              "message size (a size from 1 to 1GiB in bytes, such as",
                              "[1MiB]",
                              "[1us]",
                              "none, all or any of endpoint,fgfc,pacing",
                              "[none]",
                              "--out:",
                              "--force:",
                              "--progress:",
                              "--lookahead:",
                              "--threads:",
                              "--check:",
                              "--duration:",
                              "[50us]"})
    {
        self.Expect(help.str().find(words) != std::string::npos, words);
    }
    // Mistakes of the program, not of the user.
    const auto fault = [&](auto& value, const auto& type, const std::string& name) {
        return Refusal<std::logic_error>([&] { p.options.Add(name, "help", value, type); });
    };
    self.Expect(fault(p.table, TextType(), "bytes") == "option --bytes is defined twice", "twice");
    self.Expect(fault(p.bytes, SizeType(1, 2), "b").rfind("default of an option: --b=", 0) == 0,
                "a default that is not allowed");
}

/// Takes what is written as the system would, which shows it piece by piece.
class PieceCounter : public std::streambuf
{
  public:
    std::string text;   ///< All of it.
    uint32_t pieces{0}; ///< In how many it came.

  private:
    int_type overflow(int_type c) override
    {
        text += traits_type::to_char_type(c);
        ++pieces;
        return c;
    }

    std::streamsize xsputn(const char* from, std::streamsize count) override
    {
        text.append(from, static_cast<std::size_t>(count));
        ++pieces;
        return count;
    }
};

void
TestExitCodes(FunctionCase& self)
{
    const auto expect = [&self](int code, const std::string& said, const std::function<int()>& f) {
        PieceCounter output;
        std::streambuf* before = std::cerr.rdbuf(&output);
        const int found = RunProgram(f);
        std::cerr.rdbuf(before);
        self.Expect(found == code, "exit code " + std::to_string(code) + " for '" + said + "'");
        self.ExpectSame(output.text, said, "standard error");
        self.ExpectEqual(output.pieces, said.empty() ? 0 : 1, "no other rank's between");
    };
    expect(0, "", [] { return 0; });
    expect(2, "--k=3\n", []() -> int { throw BadInput("--k=3"); });
    expect(1, "lost\n", []() -> int { throw InvariantError("lost"); });
    expect(1, "disk\n", []() -> int { throw std::runtime_error("disk"); });
}

/// The suite.
class ProgramOptionsSuite : public FunctionSuite
{
  public:
    ProgramOptionsSuite()
        : FunctionSuite("fabric-program-options", kUnit)
    {
        Add("PR-1 PR-2 options, given and by default", TestValues);
        Add("SC-5 the values shown can be typed again and give the same run", TestRepeat);
        Add("PR-4 each mistake on the command line gives one sentence", TestMistakes);
        Add("PR-1 attributes and --RngRun work as in any ns-3 program", TestAttributes);
        Add("PR-1 a program's own defaults of attributes give way to those given", TestDefaults);
        Add("PY-1 what a run has set is put back, and nothing else", TestPutBack);
        Add("PR-4 options without an effect are refused", TestWithoutEffect);
        Add("PR-1 SC-9 --help shows options with bounds, units and defaults", TestHelp);
        Add("PR-4 exit codes of a program", TestExitCodes);
    }
};

const ProgramOptionsSuite g_programOptionsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
