/* SPDX-License-Identifier: GPL-2.0-only */

// The load test of GPCNeT (Chunduri et al., SC'19): a job on some hosts measures latency,
// bandwidth and an allreduce, alone and while another job loads the fabric. How much worse it gets
// is the congestion impact.

#include "ns3/fabric-aggressors.h"
#include "ns3/fabric-congestion-tools.h"
#include "ns3/fabric-goodput-meter.h"
#include "ns3/fabric-notices.h"
#include "ns3/fabric-number-text.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/fabric-transport-traffic.h"
#include "ns3/fabric-victim-tests.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t RANDOM_STREAM = 1 << 20; ///< Of hosts and rings; the fabric has those below.

/// The program's options.
struct Options
{
    uint32_t victims{0};    ///< Hosts that measure; 0 for a fifth.
    uint32_t aggressors{0}; ///< Hosts that load; 0 for all others.
    fabric::JobPlacement placement{fabric::JobPlacement::RANDOM}; ///< Of both.
    std::string pattern{"incast"};                                ///< Of the aggressors.
    fabric::AggressorSettings load;                               ///< Of each aggressor.
    fabric::VictimTestSettings tests;                             ///< Of the victims.
    Time noticeDelay;              ///< After which hosts know what others have done.
    Time warmUp;                   ///< For which aggressors load before victims measure.
    Time timeLimit{Seconds(10)};   ///< For the run.
    fabric::CongestionTools tools; ///< Of the switches.
};

/// What the aggressors can do, as GPCNeT has it.
const std::vector<std::pair<std::string, fabric::AggressorPattern>> PATTERNS{
    {"alltoall", fabric::AggressorPattern::ALL_TO_ALL},
    {"incast", fabric::AggressorPattern::INCAST},
    {"put-incast", fabric::AggressorPattern::PUT_INCAST},
    {"get-broadcast", fabric::AggressorPattern::GET_BROADCAST}};

/// Adds the options to those of the run.
void
AddOptions(fabric::ProgramOptions& options, Options& o)
{
    using Placement = fabric::JobPlacement;
    options.AddRanks();
    options.Add("victims",
                "hosts whose tests are measured, 0 for a fifth of all",
                o.victims,
                fabric::CountType(0U, fabric::MAX_HOSTS));
    options.Add("aggressors",
                "hosts that load the fabric, 0 for all that are no victims",
                o.aggressors,
                fabric::CountType(0U, fabric::MAX_HOSTS));
    options.Add("placement",
                "on which hosts both are; linear: victims on the first ones",
                o.placement,
                fabric::EnumType<Placement>({{"random", Placement::RANDOM},
                                             {"interleaved", Placement::INTERLEAVED},
                                             {"linear", Placement::LINEAR}}));
    std::vector<std::string> patterns;
    for (const auto& [name, pattern] : PATTERNS)
    {
        patterns.push_back(name);
    }
    patterns.emplace_back("all");
    options.Add("pattern",
                "what aggressors do; all: a quarter of them each",
                o.pattern,
                fabric::ChoiceType(patterns));
    options.Add("bytes",
                "bytes of each message or operation of the aggressors",
                o.load.bytes,
                fabric::SizeType(1, 0x7FFFFFFF));
    options.Add("outstanding",
                "messages or operations that each aggressor has under way at a time",
                o.load.outstanding,
                fabric::CountType(1U, 4096U));
    options.Add("rings",
                "random rings in which the victims measure",
                o.tests.rings,
                fabric::CountType(1U, 1000U));
    options.Add("iterations",
                "iterations of latency and allreduce for each ring",
                o.tests.iterations,
                fabric::CountType(1U, 100'000U));
    options.Add("bandwidthIterations",
                "iterations of bandwidth for each ring",
                o.tests.bandwidthIterations,
                fabric::CountType(1U, 100'000U));
    options.Add("noticeDelay",
                "time after which aggressors know that a message is delivered, and victims that "
                "all are done and the next test begins; 0 for at once",
                o.noticeDelay,
                fabric::TimeType(Time(0), MilliSeconds(1)));
    options.Add("warmUp",
                "time for which the aggressors load the fabric before the victims measure, 0 for "
                "long enough",
                o.warmUp,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add("timeLimit",
                "simulated time within which the victims' tests have to end",
                o.timeLimit,
                fabric::TimeType(MicroSeconds(1), Seconds(1000)));
    o.tools.AddTo(options);
    options.ReserveAttributes({"ns3::FabricInitiatorApplication::Remote",
                               "ns3::FabricInitiatorApplication::Operations",
                               "ns3::FabricInitiatorApplication::Bytes",
                               "ns3::FabricInitiatorApplication::Count",
                               "ns3::FabricInitiatorApplication::Outstanding"},
                              "what --pattern, --bytes and --outstanding say");
    options.ReserveAttributes({"ns3::Application::StartTime"}, "--warmUp");
}

/// Refuses what ranks of MPI can't do.
void
CheckOptions(const fabric::ProgramOptions& options, const Options& o)
{
    if (options.Common().mpi && o.noticeDelay.GetPicoSeconds() < fabric::Notices::SHORTEST)
    {
        fabric::ThrowNotAllowed("--noticeDelay",
                                fabric::TimeText(o.noticeDelay),
                                "1 ns or more with --mpi, since no rank knows at once what hosts "
                                "of others have got");
    }
}

/// @return the patterns that are asked for
std::vector<fabric::AggressorPattern>
PatternsOf(const Options& o)
{
    std::vector<fabric::AggressorPattern> patterns;
    for (const auto& [name, pattern] : PATTERNS)
    {
        if (o.pattern == name || o.pattern == "all")
        {
            patterns.push_back(pattern);
        }
    }
    return patterns;
}

/// @return the hosts of both jobs. @param size options that say how many hosts there are
fabric::HostSplit
SplitHosts(const Options& o,
           uint32_t hosts,
           const std::string& size,
           const fabric::DrawFunction& draw)
{
    const auto least = static_cast<uint32_t>(2 * PatternsOf(o).size());
    const std::string have = "the fabric has " + std::to_string(hosts) + " hosts";
    if (hosts < 2 + least)
    {
        throw fabric::BadInput(size + ": " + have + "; 2 victims and " + std::to_string(least) +
                               " aggressors for --pattern=" + o.pattern + " need a larger one");
    }
    const auto check = [&have](const char* option, uint32_t number, uint32_t min, uint32_t max) {
        if (number < min || number > max)
        {
            fabric::ThrowNotAllowed(option,
                                    std::to_string(number),
                                    "0 or " + fabric::SpanText(min, max) + "; " + have);
        }
    };
    // GPCNeT rounds the aggressors down.
    const uint32_t fifth = std::max(2U, hosts - hosts * 4 / 5);
    const uint32_t victims = o.victims != 0 ? o.victims : fifth;
    check("--victims", victims, 2, hosts - least);
    const uint32_t aggressors = o.aggressors != 0 ? o.aggressors : hosts - victims;
    check("--aggressors", aggressors, least, hosts - victims);
    return {hosts, victims, aggressors, o.placement, draw};
}

/// Lets the transport of RMA aggressors grant as much as the longest paths of a fat tree need.
void
SetGrantDefaults(const FabricRun& run)
{
    constexpr int64_t LINKS = 6; // of three levels, up and down
    const Time link =
        run.GetLinkDelay() + run.GetLinkRate().CalculateBytesTxTime(fabric::MAX_PAYLOAD);
    FabricTransportTraffic::SetGrantDefaults(run.GetOptions(), run.GetHostRate(), 2 * LINKS * link);
}

/// Adds a figure for each statistic.
void
AddFigures(fabric::Summary& summary,
           const std::string& metric,
           const fabric::Summary::Subject& subject,
           const fabric::NamedFigures& figures,
           const std::string& unit)
{
    for (const auto& [stat, value] : figures)
    {
        fabric::Summary::Subject whole = subject;
        whole.emplace_back("stat", stat);
        summary.Add(metric, whole, value, unit);
    }
}

/// @return time for which the aggressors load the fabric, chosen if it is not given
Time
WarmUpOf(const FabricRun& run, const FabricContainer& fabric, const Options& o)
{
    // Of a long message frames count, too.
    constexpr uint64_t MOST_BYTES = 16 * fabric::MAX_PAYLOAD;
    const fabric::LinkRate rate(run.GetHostRate().GetBitRate());
    const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(o.load.bytes, MOST_BYTES));
    const fabric::SettlingTime settling(fabric, PicoSeconds(rate.TxTime(bytes)), true);
    return settling.Choose(o.warmUp, MicroSeconds(50));
}

/// The run: tests alone, and then beside the aggressors.
class LoadTest
{
  public:
    LoadTest(const FabricRun& run, const FabricContainer& fabric, const Options& o)
        : m_fabric(fabric),
          m_warmUp(o.warmUp),
          m_notices(fabric.network, o.noticeDelay)
    {
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(RANDOM_STREAM);
        const auto draw = [random](uint32_t n) { return random->GetInteger(0, n - 1); };
        const fabric::HostSplit split = SplitHosts(o, fabric.hosts.GetN(), run.SizeOptions(), draw);
        m_victims = std::make_unique<fabric::VictimTests>(
            fabric,
            split.victims,
            fabric::MakeVictimTests(static_cast<uint32_t>(split.victims.size()), o.tests, draw),
            m_notices);
        m_aggressors =
            fabric::MakeAggressors(fabric, split.aggressors, PatternsOf(o), o.load, m_notices);
        for (const uint32_t host : split.aggressors)
        {
            m_received.Add(fabric.GetDevice(host));
        }
    }

    /// Runs both phases. @param timeLimit for them
    void Run(FabricRun& run, Time timeLimit)
    {
        m_fabric.network->StopAt(timeLimit);
        Simulator::ScheduleNow([this] { m_victims->Start([this] { Load(); }); });
        run.GetRecorder().SetFilter(
            [](const fabric::Message& message) { return message.tag == fabric::VictimTests::TAG; });
        try
        {
            run.RunUntilDelivered(fabric::VictimTests::TAG, 2 * m_victims->GetMessages());
        }
        catch (const fabric::InvariantError& error)
        {
            throw fabric::InvariantError(error.what() + std::string(" within --timeLimit=") +
                                         fabric::TimeText(timeLimit));
        }
        m_victims->AddRanks();
    }

    /// Adds the figures of both phases.
    void AddTo(fabric::Summary& summary) const
    {
        for (std::size_t i = 0; i < m_victims->GetTests().size(); ++i)
        {
            const fabric::VictimTest& test = m_victims->GetTests()[i];
            const fabric::NamedFigures isolated = m_victims->GetFigures(0, i);
            const fabric::NamedFigures congested = m_victims->GetFigures(1, i);
            AddFigures(summary,
                       "impact",
                       {{"test", test.name}},
                       fabric::CongestionImpact(isolated, congested, test.quantity),
                       "1");
            const bool isLatency = test.quantity == fabric::ContentionQuantity::LATENCY;
            for (const auto& [phase, figures] :
                 {std::make_pair("isolated", &isolated), std::make_pair("congested", &congested)})
            {
                AddFigures(summary,
                           isLatency ? "latency" : "bandwidth",
                           {{"test", test.name}, {"phase", phase}},
                           *figures,
                           isLatency ? "s" : "bit/s");
            }
        }
        summary.Add("aggressor_goodput", {}, m_received.Measure(), "bit/s");
    }

  private:
    /// The tests are done alone: the aggressors begin.
    void Load()
    {
        for (const auto& aggressors : m_aggressors)
        {
            aggressors->Start();
        }
        Simulator::Schedule(m_warmUp, &LoadTest::MeasureAgain, this);
    }

    /// The tests begin beside the aggressors, at whose last message the run ends.
    void MeasureAgain()
    {
        m_received.Begin();
        m_victims->Start([this] { m_fabric.network->StopAt(Simulator::Now()); });
    }

    FabricContainer m_fabric;                                      ///< The fabric.
    Time m_warmUp;                                                 ///< Between the phases.
    fabric::Notices m_notices;                                     ///< Of what others have done.
    std::unique_ptr<fabric::VictimTests> m_victims;                ///< Measure.
    std::vector<std::unique_ptr<fabric::Aggressors>> m_aggressors; ///< Load.
    fabric::GoodputMeter m_received;                               ///< By aggressors.
};

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Options o;
        FabricRun run("fabric-gpcnet.cc",
                      "A job measures latency, bandwidth and allreduce beside one that loads the "
                      "fabric.");
        run.AddTreeOptions(true);
        AddOptions(run.GetOptions(), o);
        run.Parse(argc, argv, [&] { CheckOptions(run.GetOptions(), o); });
        o.tools.SetAttributes(run.GetOptions(), run.HasFlowChannels());
        const FabricContainer& fabric = run.InstallTree();
        FabricRun::RequireFlowIds(fabric,
                                  "the aggressors send without end and keep",
                                  "the victims need");
        SetGrantDefaults(run);
        o.warmUp = WarmUpOf(run, fabric, o);
        LoadTest test(run, fabric, o);
        test.Run(run, o.timeLimit);
        test.AddTo(run.GetSummary());
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
