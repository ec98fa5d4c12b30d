/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel.h"
#include "fabric-net-device.h"
#include "fabric-network-scenario.h"
#include "fabric-small-row.h"
#include "fabric-switch.h"

#include "ns3/log.h"

#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Whether logs are compiled in, as ns-3 decides for a tree and FABRIC_LOG elsewhere.
#ifdef NS3_LOG_ENABLE
constexpr bool HAS_LOGS = true;
#else
constexpr bool HAS_LOGS = false;
#endif

/// Components and their levels.
using Levels = std::vector<std::pair<std::string, LogLevel>>;

/// What a run has left.
struct LoggedRun
{
    std::string log;        ///< What was logged.
    std::vector<TimePs> at; ///< When messages were delivered, ps.
};

/// Keeps what is logged, with components at some levels, while it lives.
class LogCatcher
{
  public:
    explicit LogCatcher(Levels levels)
        : m_levels(std::move(levels)),
          m_before(std::clog.rdbuf(m_log.rdbuf()))
    {
        for (const auto& [component, level] : m_levels)
        {
            LogComponentEnable(component.c_str(), level);
        }
    }

    ~LogCatcher()
    {
        for (const auto& [component, level] : m_levels)
        {
            LogComponentDisable(component.c_str(), LOG_LEVEL_ALL);
        }
        std::clog.rdbuf(m_before);
    }

    LogCatcher(const LogCatcher&) = delete;
    LogCatcher& operator=(const LogCatcher&) = delete;

    /// @return what was logged so far
    std::string Get() const
    {
        return m_log.str();
    }

  private:
    Levels m_levels;          ///< See the constructor.
    std::ostringstream m_log; ///< What was logged.
    std::streambuf* m_before; ///< Where it went before.
};

/// @return a run of three switches in a row, of which a link fails under the second message
LoggedRun
RunRow(const Levels& levels)
{
    const Simulation simulation;
    FabricHelper helper;
    helper.SetSwitchAttribute("FlowStatistics", StringValue("open"));
    const FabricContainer row = InstallRow(helper);
    LogCatcher catcher(levels); // after Install(), and before the run
    LoggedRun run;
    row.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>(
            [&run](const Message&, Time now) { run.at.push_back(now.GetPicoSeconds()); }));
    row.GetDevice(0)->SendMessage(FIRST_UNICAST + 7, 5000);
    DynamicCast<FabricChannel>(row.GetDevice(7)->GetChannel())->FailAt(MicroSeconds(3));
    Simulator::Schedule(MicroSeconds(3),
                        [&row] { row.GetDevice(1)->SendMessage(FIRST_UNICAST + 7, 100); });
    row.network->StopAt(MicroSeconds(20));
    Simulator::Run();
    run.log = catcher.Get();
    return run;
}

/// Each level shows its own things, and none changes what happens.
void
TestLevels(FunctionCase& test)
{
    const LoggedRun plain = RunRow({});
    test.ExpectEqual(plain.log, std::string(), "without logs");
    test.ExpectEqual(plain.at.size(), std::size_t{1}, "messages");

    struct Case
    {
        std::string component;          ///< Which.
        LogLevel level;                 ///< Of it, alone.
        std::vector<std::string> has;   ///< Texts that are there.
        std::vector<std::string> lacks; ///< Texts that are not.
    };

    const std::string drops = "drops 100 bytes from 2 to 8 class 0 vc 0";
    const std::string ends = " from 1 to 8: 2 frames, 5000 bytes\n";
    const std::string sends = " sends 4096 bytes from 1 to 8 class 0 vc 0 flow ";
    const std::vector<Case> cases{
        {"FabricSwitch", LOG_WARN, {drops}, {ends, sends}},
        {"FabricSwitch", LOG_INFO, {ends}, {drops, sends}},
        {"FabricSwitch",
         LOG_LOGIC,
         {sends, " gets 904 bytes from 1 to 8 class 0 vc 0\n", " sends ACKs: flow "},
         {drops, ends}},
        {"FabricSwitch", LOG_LEVEL_ALL, {drops, ends, sends}, {}},
        {"FabricNetDevice",
         LOG_LOGIC,
         {"location 1 sends message 0 of 5000 bytes to 8 in class 0\n"},
         {"location 8 sends"}},
        {"FabricNetwork",
         LOG_LOGIC,
         {"a message of 5000 bytes from 1 to 8 is delivered, " + std::to_string(plain.at.at(0)) +
          " ps after its begin\n"},
         {"is lost in part"}},
        {"FabricNetwork", LOG_WARN, {"a message of 100 bytes from 2 to 8 is lost in part\n"}, {}},
        {"FabricChannel", LOG_INFO, {" fails\n"}, {" is repaired\n"}}};
    for (const Case& one : cases)
    {
        const LoggedRun run = RunRow({{one.component, one.level}});
        test.Expect(run.at == plain.at, one.component + ": the same times");
        for (const std::string& text : one.has)
        {
            test.ExpectEqual(run.log.find(text) != std::string::npos,
                             HAS_LOGS,
                             Text(one.component, " at ", +one.level, " has ", text, run.log));
        }
        for (const std::string& text : one.lacks)
        {
            test.Expect(run.log.find(text) == std::string::npos,
                        Text(one.component, " at ", +one.level, " lacks ", text, run.log));
        }
    }
}

/// Without flow statistics ends of channels are not told, and the log does not ask for them.
void
TestWithoutStatistics(FunctionCase& test)
{
    const Simulation simulation;
    const FabricContainer row = InstallRow(FabricHelper());
    const LogCatcher catcher({{"FabricSwitch", LOG_LEVEL_ALL}});
    row.GetDevice(0)->SendMessage(FIRST_UNICAST + 7, 5000);
    row.network->StopAt(MicroSeconds(20));
    Simulator::Run();
    test.ExpectEqual(catcher.Get().find(" ends flow "), std::string::npos, "ends");
    test.ExpectEqual(catcher.Get().find(" sends 904 bytes") != std::string::npos,
                     HAS_LOGS,
                     "frames");
}

/// The suite.
class LogsSuite : public FunctionSuite
{
  public:
    LogsSuite()
        : FunctionSuite("fabric-logs", kUnit)
    {
        Add("DP-5 each level of a log shows its own things, and changes nothing", TestLevels);
        Add("DP-5 a log without flow statistics", TestWithoutStatistics);
    }
};

LogsSuite g_logsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
