/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program-options.h"
#include "fabric-program.h"
#include "results-cases.h"

#include "ns3/config.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/uinteger.h"

#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

namespace
{

/// A word of an enumeration.
enum class Shape
{
    TREE, ///< The default.
    RING, ///< Another.
};

/// A program with one option of each type.
struct ExampleProgram
{
    uint64_t bytes{1 << 20};                                         ///< --bytes
    uint16_t senders{8};                                             ///< --senders
    double load{0.5};                                                ///< --load
    bool flowChannels{true};                                         ///< --flowChannels
    bool victim{false};                                              ///< --victim
    Time linkDelay{MicroSeconds(1)};                                 ///< --linkDelay
    DataRate linkRate{"200Gbps"};                                    ///< --linkRate
    std::vector<uint64_t> sources{3, 3, 3, 2};                       ///< --sources
    Shape shape{Shape::TREE};                                        ///< --shape
    std::string topology{"fat-tree"};                                ///< --topology
    std::vector<std::string> tools{};                                ///< --tools
    std::string table;                                               ///< --table
    ProgramOptions options{"some/fabric-example.cc", "An example."}; ///< The options.

    ExampleProgram()
    {
        options.AddSize("bytes", "message size", bytes, {1, 1ULL << 30});
        options.AddCount<uint16_t>("senders", "how many send", senders, 1, 1000);
        options.AddNumber("load", "offered load, part of the link", load, {0, 1});
        options.AddBoolean("flowChannels", "whether switches have flow channels", flowChannels);
        options.AddBoolean("victim", "whether there is a victim flow", victim);
        options.AddTime("linkDelay", "delay of a link", linkDelay, Time(0), MilliSeconds(1));
        options.AddRate("linkRate", "rate of a link", linkRate);
        options.AddCounts("sources", "senders per switch", sources, {1, 8}, {0, 64});
        options.AddEnum<Shape>("shape",
                               "shape",
                               shape,
                               {{"tree", Shape::TREE}, {"ring", Shape::RING}});
        options.AddChoice("topology", "topology", topology, {"fat-tree", "dragonfly"});
        options.AddChoices("tools", "tools", tools, {"endpoint", "fgfc", "pacing"});
        options.AddText("table", "file", table);
        options.AddDuration(MicroSeconds(50));
    }

    /// @param arguments arguments without the program's name
    void Parse(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), "fabric-example");
        options.Parse(arguments);
    }
};

/// Every type of option, given and by default.
class ValuesTestCase : public TestCase
{
  public:
    ValuesTestCase()
        : TestCase("PR-1 PR-2 options of each type, given and by default")
    {
    }

  private:
    void DoRun() override
    {
        ExampleProgram byDefault;
        byDefault.Parse({});
        NS_TEST_EXPECT_MSG_EQ(byDefault.bytes, 1 << 20, "default");
        NS_TEST_EXPECT_MSG_EQ(byDefault.options.GetOut(), "", "default");
        NS_TEST_EXPECT_MSG_EQ(byDefault.options.GetForce(), false, "default");
        NS_TEST_EXPECT_MSG_EQ(byDefault.options.GetLookahead(), true, "default");
        NS_TEST_EXPECT_MSG_EQ(byDefault.options.GetCheck(), false, "default");
        NS_TEST_EXPECT_MSG_EQ((byDefault.options.GetProgress() == ProgressMode::AUTO),
                              true,
                              "default");
        NS_TEST_EXPECT_MSG_EQ(byDefault.options.GetDuration(), MicroSeconds(50), "default");

        ExampleProgram p;
        p.Parse({"--bytes=4KiB",
                 "--senders=3",
                 "-load=0.25",
                 "--flowChannels=off",
                 "--victim",
                 "--linkDelay=350ns",
                 "--linkRate=25GB/s",
                 "--sources=1,2",
                 "--shape=ring",
                 "--topology=dragonfly",
                 "--tools=pacing,endpoint",
                 "--table=a=b.csv",
                 "--out=somewhere",
                 "--force",
                 "--progress=off",
                 "--lookahead=off",
                 "--check=true",
                 "--duration=2ms"});
        NS_TEST_EXPECT_MSG_EQ(p.bytes, 4096, "size");
        NS_TEST_EXPECT_MSG_EQ(p.senders, 3, "count");
        NS_TEST_EXPECT_MSG_EQ(p.load, 0.25, "number, one dash");
        NS_TEST_EXPECT_MSG_EQ(p.flowChannels, false, "boolean");
        NS_TEST_EXPECT_MSG_EQ(p.victim, true, "flag");
        NS_TEST_EXPECT_MSG_EQ(p.linkDelay, NanoSeconds(350), "time");
        NS_TEST_EXPECT_MSG_EQ(p.linkRate, DataRate("200Gbps"), "rate");
        NS_TEST_EXPECT_MSG_EQ((p.sources == std::vector<uint64_t>{1, 2}), true, "list");
        NS_TEST_EXPECT_MSG_EQ((p.shape == Shape::RING), true, "enumeration");
        NS_TEST_EXPECT_MSG_EQ(p.topology, "dragonfly", "choice");
        NS_TEST_EXPECT_MSG_EQ((p.tools == std::vector<std::string>{"endpoint", "pacing"}),
                              true,
                              "choices, in their own order");
        NS_TEST_EXPECT_MSG_EQ(p.table, "a=b.csv", "text with '='");
        NS_TEST_EXPECT_MSG_EQ(p.options.GetOut(), "somewhere", "--out");
        NS_TEST_EXPECT_MSG_EQ(p.options.GetForce(), true, "--force");
        NS_TEST_EXPECT_MSG_EQ((p.options.GetProgress() == ProgressMode::OFF), true, "--progress");
        NS_TEST_EXPECT_MSG_EQ(p.options.GetLookahead(), false, "--lookahead");
        NS_TEST_EXPECT_MSG_EQ(p.options.GetCheck(), true, "--check");
        NS_TEST_EXPECT_MSG_EQ(p.options.GetDuration(), MilliSeconds(2), "--duration");

        ExampleProgram last;
        last.Parse({"--senders=3", "--senders=4", "--tools=all"});
        NS_TEST_EXPECT_MSG_EQ(last.senders, 4, "the last value counts, as in ns-3");
        NS_TEST_EXPECT_MSG_EQ(last.tools.size(), 3, "all");
    }
};

/// The texts of a manifest make the same run again.
class RepeatTestCase : public TestCase
{
  public:
    RepeatTestCase()
        : TestCase("SC-5 the values shown can be typed again and give the same run")
    {
    }

  private:
    void DoRun() override
    {
        ExampleProgram first;
        first.Parse({"--bytes=12345",
                     "--load=0.1",
                     "--linkDelay=1500ns",
                     "--sources=9",
                     "--tools=fgfc",
                     "--flowChannels=0",
                     "--table=x, \"y\""});
        std::vector<std::string> again;
        for (const auto& [name, text] : first.options.GetOptions())
        {
            again.push_back("--" + name + "=" + text);
        }
        ExampleProgram second;
        second.Parse(again);
        const bool isSame = first.options.GetOptions() == second.options.GetOptions();
        NS_TEST_EXPECT_MSG_EQ(isSame, true, "the values");
        NS_TEST_EXPECT_MSG_EQ(second.linkDelay, NanoSeconds(1500), "a value");
    }
};

/// The table of mistakes.
class MistakesTestCase : public TestCase
{
  public:
    MistakesTestCase()
        : TestCase("PR-4 each mistake on the command line gives one sentence")
    {
    }

  private:
    /// A command line and what the sentence must say.
    struct Mistake
    {
        std::string argument;           ///< The argument.
        std::vector<std::string> words; ///< What the sentence names.
    };

    void DoRun() override
    {
        const std::vector<Mistake> mistakes{
            {"--bytes=12parsecs", {"--bytes", "12parsecs", "a size from 1 to 1GiB", "4KiB"}},
            {"--bytes=0", {"--bytes=0", "from 1 to 1GiB"}},
            {"--bytes=2GiB", {"--bytes=2GiB", "from 1 to 1GiB"}},
            {"--bytes=-1", {"--bytes=-1", "from 1"}},
            {"--bytes=", {"--bytes=", "from 1"}},
            {"--bytes", {"--bytes", "has no value", "--bytes=value"}},
            {"--senders=0", {"--senders=0", "a whole number from 1 to 1000"}},
            {"--senders=65537", {"--senders=65537", "1 to 1000"}},
            {"--senders=3x", {"--senders=3x", "1 to 1000"}},
            {"--load=1.5", {"--load=1.5", "from 0 to 1"}},
            {"--load=nan", {"--load=nan", "from 0 to 1"}},
            {"--flowChannels=maybe", {"--flowChannels=maybe", "true", "false"}},
            {"--flowChannels", {"--flowChannels", "has no value"}},
            {"--linkDelay=1lightyear", {"--linkDelay=1lightyear", "from 0ps to 1ms"}},
            {"--linkDelay=-1ns", {"--linkDelay=-1ns", "from 0ps to 1ms"}},
            {"--linkDelay=1s", {"--linkDelay=1s", "from 0ps to 1ms"}},
            {"--linkRate=0Gbps", {"--linkRate=0Gbps", "from 1Mbps"}},
            {"--linkRate=fast", {"--linkRate=fast", "200Gbps"}},
            {"--sources=3,x", {"--sources=3,x", "1 to 8 numbers", "0 to 64"}},
            {"--sources=1,,2", {"--sources=1,,2", "0 to 64"}},
            {"--sources=", {"--sources=", "1 to 8 numbers"}},
            {"--sources=1,1,1,1,1,1,1,1,1", {"--sources=1,1", "1 to 8 numbers"}},
            {"--shape=star", {"--shape=star", "one of tree, ring"}},
            {"--topology=torus", {"--topology=torus", "one of fat-tree, dragonfly"}},
            {"--topology=Dragonfly", {"--topology=Dragonfly", "one of fat-tree, dragonfly"}},
            {"--tools=endpoint,magic",
             {"--tools=endpoint,magic", "none, all or any of endpoint,fgfc"}},
            {"--tools=", {"--tools=", "none, all"}},
            {"--progress=yes", {"--progress=yes", "one of auto, on, off"}},
            {"--lookahead=perhaps", {"--lookahead=perhaps", "on", "off"}},
            {"--duration=0s", {"--duration=0s", "from 1ns to 1000s"}},
            {"--sender=3", {"--sender=3", "unknown option", "--senders", "--bytes"}},
            {"--", {"--", "unknown option"}},
            {"-", {"-", "unknown option"}},
            {"--=3", {"--=3", "unknown option"}},
            {"extra", {"extra", "unexpected argument", "--name=value"}},
            {"", {"unexpected argument ''"}},
            {"--RngRun=-1", {"--RngRun=-1", "uint64_t"}},
            {"--RngRun=two", {"--RngRun=two", "uint64_t"}},
            {"--RngRun", {"--RngRun", "uint64_t"}},
            {"--RngSeed=0", {"--RngSeed=0", "from 1 to"}},
            {"--RngSeed=4294967296", {"--RngSeed=4294967296", "from 1 to"}},
            {"--SchedulerType=ns3::Nope", {"--SchedulerType=ns3::Nope", "ns3::Scheduler"}},
            {"--SchedulerType=ns3::Object", {"--SchedulerType=ns3::Object", "ns3::Scheduler"}},
            {"--SimulatorImplementationType=x",
             {"--SimulatorImplementationType=x", "SimulatorImpl"}},
            {"--ns3::Nope::Attr=1", {"--ns3::Nope::Attr", "no type ns3::Nope"}},
            {"--Nope::Attr=1", {"--Nope::Attr", "no type Nope"}},
            {"--::=1", {"no type"}},
            {"--ns3::PacketSocketClient::Nope=1",
             {"ns3::PacketSocketClient has no attribute Nope", "--PrintAttributes"}},
            {"--ns3::PacketSocketClient::PacketSize=12x",
             {"PacketSize=12x", "UintegerValue", "uint32_t"}},
            {"--ns3::PacketSocketClient::PacketSize=-1", {"PacketSize=-1", "uint32_t"}},
            {"--ns3::PacketSocketClient::PacketSize=4294967296",
             {"PacketSize=4294967296", "uint32_t"}},
            {"--ns3::PacketSocketClient::PacketSize=", {"PacketSize=", "uint32_t"}},
            {"--ns3::PacketSocketClient::Interval=5furlongs", {"Interval=5furlongs", "a time"}},
            {"--ns3::PacketSocketClient::Interval=", {"Interval=", "a time"}},
            {"--ns3::SimpleNetDevice::DataRate=quick", {"DataRate=quick", "a rate"}},
            {"--ns3::SimpleNetDevice::DataRate=.", {"DataRate=.", "a rate"}},
            {"--ns3::RateErrorModel::ErrorUnit=ERROR_UNIT_INCH",
             {"ERROR_UNIT_INCH", "one of", "ERROR_UNIT_BIT"}},
            {"--ns3::RateErrorModel::ErrorRate=often", {"ErrorRate=often", "a number"}},
            {"--ns3::ErrorModel::IsEnabled=perhaps", {"IsEnabled=perhaps", "true"}},
            {"--ns3::RandomVariableStream::Stream=1.5", {"Stream=1.5", "int64_t"}},
            // ns-3 itself crashes or aborts on these.
            {"--ns3::SequentialRandomVariable::Increment=ns3::Nope",
             {"=ns3::Nope", "PointerValue"}},
            {"--PrintAttributes=ns3::Nope", {"--PrintAttributes=ns3::Nope", "--PrintTypeIds"}},
        };
        for (const Mistake& mistake : mistakes)
        {
            std::string sentence = "accepted";
            try
            {
                ExampleProgram().Parse({mistake.argument});
            }
            catch (const BadInput& error)
            {
                sentence = error.what();
            }
            for (const std::string& word : mistake.words)
            {
                NS_TEST_EXPECT_MSG_NE(sentence.find(word),
                                      std::string::npos,
                                      mistake.argument << ": no '" << word << "' in: " << sentence);
            }
            NS_TEST_EXPECT_MSG_EQ(sentence.find('\n'), std::string::npos, "one line: " << sentence);
        }
    }
};

/// Attributes and global values.
class AttributesTestCase : public TestCase
{
  public:
    AttributesTestCase()
        : TestCase("PR-1 attributes and --RngRun work as in any ns-3 program")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t run = RngSeedManager::GetRun();
        ExampleProgram p;
        p.Parse({"--RngRun=7",
                 "--ns3::PacketSocketClient::PacketSize=11",
                 "--senders=2",
                 "--ns3::PacketSocketClient::PacketSize=77"});
        NS_TEST_EXPECT_MSG_EQ(RngSeedManager::GetRun(), 7, "--RngRun");
        RngSeedManager::SetRun(run);

        TypeId::AttributeInformation information;
        TypeId::LookupByName("ns3::PacketSocketClient")
            .LookupAttributeByName("PacketSize", &information);
        NS_TEST_EXPECT_MSG_EQ(information.initialValue->SerializeToString(information.checker),
                              "77",
                              "the attribute's default");
        Config::SetDefault("ns3::PacketSocketClient::PacketSize",
                           *information.originalInitialValue);

        const ProgramOptions::NamedTexts expected{{"RngRun", "7"},
                                                  {"ns3::PacketSocketClient::PacketSize", "77"}};
        const bool isSame = p.options.GetAttributes() == expected;
        NS_TEST_EXPECT_MSG_EQ(isSame, true, "what was given, the last value of each");
    }
};

/// What a program sets by itself gives way to the command line.
class DefaultsTestCase : public TestCase
{
  public:
    DefaultsTestCase()
        : TestCase("PR-1 a program's own defaults of attributes give way to those given")
    {
    }

  private:
    /// @return the value of an attribute of PacketSocketClient with which one is made now
    static uint32_t DefaultOf(const std::string& name)
    {
        UintegerValue value;
        ObjectFactory("ns3::PacketSocketClient").Create<Object>()->GetAttribute(name, value);
        return static_cast<uint32_t>(value.Get());
    }

    void DoRun() override
    {
        const std::string client = "ns3::PacketSocketClient::";
        const uint32_t size = DefaultOf("PacketSize");
        const uint32_t count = DefaultOf("MaxPackets");
        ExampleProgram p;
        p.Parse({"--" + client + "PacketSize=77"});
        NS_TEST_EXPECT_MSG_EQ(p.options.IsGiven(client + "PacketSize"), true, "given");
        NS_TEST_EXPECT_MSG_EQ(p.options.IsGiven(client + "MaxPackets"), false, "not given");
        p.options.SetDefault(client + "PacketSize", UintegerValue(5));
        p.options.SetDefault(client + "MaxPackets", UintegerValue(5));
        NS_TEST_EXPECT_MSG_EQ(DefaultOf("PacketSize"), 77, "what was given stays");
        NS_TEST_EXPECT_MSG_EQ(DefaultOf("MaxPackets"), 5, "the program's default");
        Config::SetDefault(client + "PacketSize", UintegerValue(size));
        Config::SetDefault(client + "MaxPackets", UintegerValue(count));

        p.options.RefuseAttributes("ns3::Fabric", "nothing");
        std::string sentence;
        try
        {
            p.options.RefuseAttributes("ns3::Packet", "an option");
        }
        catch (const BadInput& error)
        {
            sentence = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(sentence,
                              "--" + client + "PacketSize=77: allowed is an option",
                              "the attribute is named");
    }
};

/// The help text, and mistakes of the program itself.
class HelpTestCase : public TestCase
{
  public:
    HelpTestCase()
        : TestCase("PR-1 SC-9 --help shows options with bounds, units and defaults")
    {
    }

  private:
    void DoRun() override
    {
        ExampleProgram p;
        std::ostringstream help;
        p.options.PrintHelp(help);
        for (const char* words : {"fabric-example",
                                  "An example.",
                                  "--bytes:",
                                  "a size from 1 to 1GiB in bytes",
                                  "[1MiB]",
                                  "[200Gbps]",
                                  "[1us]",
                                  "[3,3,3,2]",
                                  "one of fat-tree, dragonfly",
                                  "[fat-tree]",
                                  "--out:",
                                  "--force:",
                                  "--progress:",
                                  "--lookahead:",
                                  "--check:",
                                  "--duration:",
                                  "[50us]"})
        {
            NS_TEST_EXPECT_MSG_NE(help.str().find(words), std::string::npos, words);
        }
        bool isRefused = false;
        try
        {
            p.options.AddText("bytes", "again", p.table);
        }
        catch (const std::logic_error&)
        {
            isRefused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(isRefused, true, "an option defined twice");
        isRefused = false;
        try
        {
            p.options.AddSize("small", "a default out of bounds", p.bytes, {1, 2});
        }
        catch (const std::logic_error&)
        {
            isRefused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(isRefused, true, "a default that is not allowed");
    }
};

/// Exit codes.
class ExitCodeTestCase : public TestCase
{
  public:
    ExitCodeTestCase()
        : TestCase("PR-4 exit codes of a program")
    {
    }

  private:
    /**
     * @param body the program
     * @param said what it must say on standard error
     * @return its exit code
     */
    int CodeOf(const std::function<int()>& body, const std::string& said)
    {
        std::ostringstream text;
        std::streambuf* before = std::cerr.rdbuf(text.rdbuf());
        const int code = RunProgram(body);
        std::cerr.rdbuf(before);
        NS_TEST_EXPECT_MSG_EQ(text.str(), said, "standard error");
        return code;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(CodeOf([] { return 0; }, ""), 0, "done");
        NS_TEST_EXPECT_MSG_EQ(CodeOf([]() -> int { throw BadInput("--k=3"); }, "--k=3\n"),
                              2,
                              "bad input");
        NS_TEST_EXPECT_MSG_EQ(CodeOf([]() -> int { throw InvariantError("lost"); }, "lost\n"),
                              1,
                              "a broken invariant");
        NS_TEST_EXPECT_MSG_EQ(CodeOf([]() -> int { throw std::runtime_error("disk"); }, "disk\n"),
                              1,
                              "any other exception");
    }
};

} // namespace

std::vector<TestCase*>
ProgramOptionsCases()
{
    return {new ValuesTestCase,
            new RepeatTestCase,
            new MistakesTestCase,
            new AttributesTestCase,
            new DefaultsTestCase,
            new HelpTestCase,
            new ExitCodeTestCase};
}

} // namespace fabric
} // namespace ns3
