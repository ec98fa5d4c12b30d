/* SPDX-License-Identifier: GPL-2.0-only */

// One switch, whose ports are all loaded: what its crossbar carries, and how long frames take
// (SW-4). The ideal crossbar and the one of tiles are compared.

#include "ns3/double.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-goodput-meter.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/fabric-switch.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// With --pattern=hotspot a frame goes to host 0 with a probability of one in so many.
constexpr uint32_t ONE_IN_TO_HOTSPOT = 16;

/// What the options say.
struct Choice
{
    std::string crossbar{"tiled"};  ///< `--crossbar`
    std::string pattern{"uniform"}; ///< `--pattern`
    double load{0.95};              ///< `--load`
    uint64_t frameBytes{4096};      ///< `--frameBytes`
    uint64_t ports{64};             ///< `--ports`
    Time warmUp;                    ///< `--warmUp`
    Time duration;                  ///< `--duration`
};

/// Adds the options of the program.
void
AddOptions(FabricRun& run, Choice& choice)
{
    fabric::ProgramOptions& options = run.GetOptions();
    options.Add("crossbar",
                "crossbar of the switch",
                choice.crossbar,
                fabric::ChoiceType({"ideal", "tiled"}));
    options.Add("pattern",
                "to whom hosts send: any other, another for each, or any other and often host 0",
                choice.pattern,
                fabric::ChoiceType({"uniform", "permutation", "hotspot"}));
    options.Add("load",
                "part of the link rate at which each host sends frames, at random times",
                choice.load,
                fabric::NumberType(0.001, 1));
    options.Add("frameBytes",
                "payload of each frame",
                choice.frameBytes,
                fabric::SizeType(1, fabric::MAX_PAYLOAD));
    options.Add("ports",
                "ports of the switch, each with a host",
                choice.ports,
                fabric::CountType(uint64_t{2}, uint64_t{256}));
    options.Add("warmUp",
                "time before what is measured, 0 for long enough",
                choice.warmUp,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add("duration",
                "time that is measured, 0 for long enough",
                choice.duration,
                fabric::TimeType(Time(0), Seconds(1)));
    options.ReserveAttributes({"ns3::FabricSwitch::Crossbar"}, "--crossbar");
    options.ReserveAttributes({"ns3::FabricDevice::Mtu"}, "--frameBytes");
}

/// Hosts send frames at random times, each as a message.
class RandomFrames
{
  public:
    RandomFrames(const FabricContainer& fabric, const Choice& choice, Time gap)
        : m_fabric(fabric),
          m_choice(choice)
    {
        m_gaps->SetAttribute("Mean", DoubleValue(static_cast<double>(gap.GetPicoSeconds())));
        m_gaps->SetStream(1);
        m_choices->SetStream(2);
        DrawPermutation();
        for (uint32_t host = 0; host < Hosts(); ++host)
        {
            SendNext(host);
        }
    }

  private:
    /// @return number of hosts
    uint32_t Hosts() const
    {
        return m_fabric.hosts.GetN();
    }

    /// Each host sends to another, and hears of another: a random cycle of all.
    void DrawPermutation()
    {
        std::vector<uint32_t> order(Hosts());
        std::iota(order.begin(), order.end(), 0);
        for (uint32_t left = Hosts(); left > 1; --left)
        {
            std::swap(order[left - 1], order[m_choices->GetInteger(0, left - 1)]);
        }
        m_partners.resize(Hosts());
        for (uint32_t i = 0; i < Hosts(); ++i)
        {
            m_partners[order[i]] = order[(i + 1) % Hosts()];
        }
    }

    /// @return to whom a host sends now
    uint32_t Receiver(uint32_t host)
    {
        if (m_choice.pattern == "permutation")
        {
            return m_partners[host];
        }
        const bool isHot = m_choice.pattern == "hotspot" && host != 0 &&
                           m_choices->GetInteger(1, ONE_IN_TO_HOTSPOT) == 1;
        return isHot ? 0 : (host + m_choices->GetInteger(1, Hosts() - 1)) % Hosts();
    }

    /// Plans the next frame of a host.
    void SendNext(uint32_t host)
    {
        Simulator::Schedule(PicoSeconds(static_cast<int64_t>(m_gaps->GetValue())), [this, host] {
            m_fabric.GetDevice(host)->SendMessage(fabric::LocationOf(Receiver(host)),
                                                  m_choice.frameBytes);
            SendNext(host);
        });
    }

    const FabricContainer& m_fabric;  ///< The switch and its hosts.
    const Choice& m_choice;           ///< What the options say.
    std::vector<uint32_t> m_partners; ///< Of a permutation, by host.
    Ptr<ExponentialRandomVariable> m_gaps{
        CreateObject<ExponentialRandomVariable>()}; ///< Between frames of a host, ps.
    Ptr<UniformRandomVariable> m_choices{CreateObject<UniformRandomVariable>()}; ///< Receivers.
};

/// @return at how many times the rate of its link an output can be fed
double
Speedup(const fabric::SwitchConfig& config)
{
    const fabric::CrossbarSettings& crossbar = config.crossbar;
    if (!crossbar.IsTiled())
    {
        return config.ports;
    }
    const uint32_t tiles = (config.ports + crossbar.portsPerTile - 1) / crossbar.portsPerTile;
    return std::min(crossbar.rows, tiles) * crossbar.speedup;
}

/**
 * Chooses the times that are not given, and refuses a run in which nothing would arrive.
 *
 * @param frameTime of a frame on the link
 */
void
ChooseTimes(const FabricContainer& fabric, Time frameTime, Choice& choice)
{
    const fabric::SettlingTime settling(fabric, frameTime);
    choice.warmUp = settling.Choose(choice.warmUp, MicroSeconds(10));
    // Frames come at random: of more of them the mean says more.
    choice.duration = settling.Choose(choice.duration, MicroSeconds(40), 4);
    settling.Require("--warmUp and --duration", choice.warmUp + choice.duration);
}

/// Runs the program.
void
Run(FabricRun& run, Choice& choice)
{
    run.GetHelper().SetSwitchAttribute("Crossbar", StringValue(choice.crossbar));
    const fabric::TopologyPlan plan =
        fabric::MakeChainPlan({static_cast<uint32_t>(choice.ports - 1)});
    const FabricContainer& fabric = run.Install(plan, fabric::MakeShortestPathRouting(plan));
    const double rate = static_cast<double>(run.GetLinkRate().GetBitRate());
    const double wireBits = 8.0 * fabric::WireBytes(static_cast<uint32_t>(choice.frameBytes));
    ChooseTimes(fabric, PicoSeconds(static_cast<int64_t>(wireBits / rate * 1e12)), choice);
    const RandomFrames frames(
        fabric,
        choice,
        PicoSeconds(static_cast<int64_t>(wireBits / (rate * choice.load) * 1e12)));
    fabric::GoodputMeter meter;
    for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
    {
        meter.Add(fabric.GetDevice(host));
    }
    Simulator::Schedule(choice.warmUp, [&meter] { meter.Begin(); });
    const fabric::TimePs from = choice.warmUp.GetPicoSeconds();
    run.GetRecorder().SetFilter([from](const fabric::Message& m) { return m.sentAt >= from; });
    run.RunFor(choice.warmUp + choice.duration);

    fabric::Summary& summary = run.GetSummary();
    const double goodput = meter.Measure();
    const double onWire = goodput * wireBits / (8.0 * static_cast<double>(choice.frameBytes));
    summary.Add("throughput", {}, onWire / (rate * static_cast<double>(choice.ports)), "1");
    summary.AddDistribution("latency", {}, run.GetCompletionTimes(0), "s");
    summary.Add("speedup", {}, Speedup(fabric.GetSwitch(0)->GetChip().Config()), "1");
    run.Finish();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-crossbar.cc",
                      "One switch with all its ports loaded: what its crossbar carries.");
        AddOptions(run, choice);
        run.Parse(argc, argv);
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
