/* SPDX-License-Identifier: GPL-2.0-only */

// Short urgent frames and long ones share the wires of ports in a row: what preemption (VA-9) does
// for the ones and to the others, and what interleaving (VA-10) saves where long frames come with
// gaps. The ports stand alone, or belong to switches.

#include "ns3/boolean.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-lane-chain.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-option-text.h"
#include "ns3/fabric-program-options.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-progress-reporter.h"
#include "ns3/fabric-run-results.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using fabric::ChainFrame;
using fabric::LaneChain;
using fabric::LaneChainPlan;
using fabric::TimePs;

namespace
{

/// Virtual lanes, the best first.
enum Lane : uint8_t
{
    URGENT, ///< Short frames that may interrupt others.
    VICTIM, ///< Long frames.
    BULK,   ///< Frames that wait for what is left.
};

/// What has the ports.
enum Via
{
    CHAIN,    ///< Nothing: wires, and queues without bounds.
    SWITCHES, ///< Switches.
};

/// What the user chooses.
struct Choice
{
    Via via{CHAIN};               ///< `--via`
    bool preempt{true};           ///< `--preempt`
    bool interleave{true};        ///< `--interleave`
    uint64_t victimBytes{8192};   ///< `--victimBytes`
    uint64_t urgentBytes{256};    ///< `--urgentBytes`
    Time urgentGap{"2us"};        ///< `--urgentGap`
    uint64_t upstreamGaps{0};     ///< `--upstreamGaps`
    double victimLoad{0.5};       ///< `--victimLoad`
    uint64_t bulkBytes{1024};     ///< `--bulkBytes`
    double bulkLoad{0.2};         ///< `--bulkLoad`
    uint64_t hops{2};             ///< `--hops`
    DataRate linkRate{"100Gbps"}; ///< `--linkRate`
    Time hopDelay{"450ns"};       ///< `--hopDelay`
};

/// Longest frame, bytes on the wire.
constexpr uint64_t LONGEST = 65'528;
/// Frames that a run may have: each takes some hundred bytes of memory.
constexpr double MOST_FRAMES = 5e6;

/// Adds the options.
void
AddOptions(fabric::ProgramOptions& options, Choice& choice)
{
    options.AddEnum<Via>("via",
                         "what has the ports: chain (wires and queues alone) or switches",
                         choice.via,
                         {{"chain", CHAIN}, {"switches", SWITCHES}});
    options.AddBoolean("preempt", "whether urgent frames interrupt the others", choice.preempt);
    options.AddBoolean("interleave",
                       "whether other frames are sent in the gaps of one",
                       choice.interleave);
    options.AddSize("victimBytes", "victims on the wire", choice.victimBytes, {256, LONGEST});
    options.AddSize("urgentBytes", "urgent frames on the wire", choice.urgentBytes, {1, LONGEST});
    options.AddTime("urgentGap",
                    "mean time between urgent frames",
                    choice.urgentGap,
                    NanoSeconds(1),
                    Seconds(1));
    options.AddCount("upstreamGaps",
                     "gaps with which each victim comes, each as long as an urgent frame",
                     choice.upstreamGaps,
                     uint64_t{0},
                     uint64_t{16});
    options.AddNumber("victimLoad", "of the link by victims", choice.victimLoad, {0.001, 0.95});
    options.AddSize("bulkBytes", "bulk frames on the wire", choice.bulkBytes, {1, LONGEST});
    options.AddNumber("bulkLoad", "of the link by bulk frames", choice.bulkLoad, {0, 0.95});
    options.AddCount("hops", "ports in a row", choice.hops, uint64_t{1}, uint64_t{16});
    options.AddRate("linkRate", "rate of all links", choice.linkRate);
    options.AddTime("hopDelay",
                    "from the start of a frame at a port to its earliest start at the next",
                    choice.hopDelay,
                    PicoSeconds(1),
                    Seconds(1));
    options.AddDuration(MilliSeconds(2));
}

/// Attributes that the options of the program set.
void
ReserveFabricAttributes(fabric::ProgramOptions& options)
{
    const std::string lane = "ns3::FabricSwitch::Lane";
    options.ReserveAttributes({"ns3::FabricNetwork::Lookahead"}, "--lookahead");
    options.ReserveAttributes({"ns3::FabricNetwork::Threads"}, "--threads");
    options.ReserveAttributes({lane + "TableFile"}, "what the program's three lanes need");
    options.ReserveAttributes({lane + "Preemption"}, "--preempt");
    options.ReserveAttributes({lane + "Interleaving"}, "--interleave");
    options.ReserveAttributes({"ns3::FabricChannel::DataRate"}, "--linkRate");
    options.ReserveAttributes({"ns3::FabricChannel::Delay", "ns3::FabricSwitch::Latency"},
                              "--hopDelay");
    options.ReserveAttributes({"ns3::FabricDevice::Mtu"}, "what frames of any size need");
}

/// Without switches and hosts their attributes would be lost.
void
RefuseFabricAttributes(const fabric::ProgramOptions& options)
{
    for (const auto& [name, text] : options.GetAttributes())
    {
        if (name.rfind("ns3::Fabric", 0) == 0)
        {
            fabric::ThrowNotAllowed("--" + name,
                                    text,
                                    "an option of this program, which has ports and no switches "
                                    "without --via=switches");
        }
    }
}

/// Refuses what switches and hosts can't do.
void
CheckSwitchOptions(const Choice& choice)
{
    constexpr uint64_t SHORTEST = fabric::WireBytes(1);
    constexpr uint64_t LONGEST_FRAME = fabric::WireBytes(fabric::JUMBO_PAYLOAD);
    for (const auto& [name, bytes] : {std::make_pair("--victimBytes", choice.victimBytes),
                                      std::make_pair("--urgentBytes", choice.urgentBytes),
                                      std::make_pair("--bulkBytes", choice.bulkBytes)})
    {
        if (bytes < SHORTEST || bytes > LONGEST_FRAME)
        {
            fabric::ThrowNotAllowed(name,
                                    std::to_string(bytes),
                                    "with --via=switches a size from " + std::to_string(SHORTEST) +
                                        " to " + std::to_string(LONGEST_FRAME) +
                                        ", header and FCS counted");
        }
    }
    if (choice.upstreamGaps != 0)
    {
        fabric::ThrowNotAllowed("--upstreamGaps",
                                std::to_string(choice.upstreamGaps),
                                "with --via=switches 0, where switches make the gaps");
    }
    if (choice.hopDelay < NanoSeconds(1) || choice.hopDelay > MilliSeconds(10))
    {
        fabric::ThrowNotAllowed("--hopDelay",
                                fabric::TimeText(choice.hopDelay.GetPicoSeconds()),
                                "with --via=switches a time from 1ns to 10ms");
    }
}

/// Makes the frames of a run.
class FrameMaker
{
  public:
    /**
     * @param choice what the user chooses
     * @param duration frames come until then
     */
    FrameMaker(const Choice& choice, Time duration)
        : m_choice(choice),
          m_rate(choice.linkRate.GetBitRate()),
          m_end(duration.GetPicoSeconds()),
          m_gap(CreateObject<ExponentialRandomVariable>())
    {
    }

    /**
     * @return the ports and all frames
     * @throws fabric::BadInput if they are too many
     */
    LaneChainPlan Make()
    {
        RequireFew();
        m_plan.settings.preempt = m_choice.preempt;
        m_plan.settings.interleave = m_choice.interleave;
        m_plan.rates.assign(m_choice.hops, m_rate);
        m_plan.latencies.assign(m_choice.hops, m_choice.hopDelay.GetPicoSeconds());
        m_plan.lanes = {{3, true, 3}, {2, false, 2}, {1, false, 1}};
        AddVictims();
        AddAtOnce(URGENT, m_choice.urgentBytes, UrgentGap());
        if (m_choice.bulkLoad > 0)
        {
            AddAtOnce(BULK, m_choice.bulkBytes, BulkGap());
        }
        return std::move(m_plan);
    }

  private:
    /// @return mean time between urgent frames, ps
    double UrgentGap() const
    {
        return static_cast<double>(m_choice.urgentGap.GetPicoSeconds());
    }

    /// @return mean time between bulk frames, ps
    double BulkGap() const
    {
        return static_cast<double>(TxTime(m_choice.bulkBytes)) / m_choice.bulkLoad;
    }

    /// @return time of bytes on a link, ps
    TimePs TxTime(uint64_t bytes) const
    {
        return m_rate.TxTime(static_cast<uint32_t>(bytes));
    }

    /// Refuses a run that would not fit into memory.
    void RequireFew() const
    {
        const auto duration = static_cast<double>(m_end);
        const auto victim = static_cast<double>(TxTime(m_choice.victimBytes));
        const double frames = duration / UrgentGap() + duration * m_choice.victimLoad / victim +
                              (m_choice.bulkLoad > 0 ? duration / BulkGap() : 0);
        if (frames > MOST_FRAMES)
        {
            throw fabric::BadInput("--duration: about " + std::to_string(std::llround(frames)) +
                                   " frames would come in that time, allowed are " +
                                   std::to_string(std::llround(MOST_FRAMES)));
        }
    }

    /// @return a time at random, ps
    TimePs Gap(double mean)
    {
        return std::llround(m_gap->GetValue(mean, 0));
    }

    /// @return a frame of a lane
    ChainFrame MakeFrame(Lane lane, uint64_t bytes, TimePs time) const
    {
        ChainFrame frame;
        frame.time = time;
        frame.bytes = static_cast<uint32_t>(bytes);
        frame.leave = static_cast<uint32_t>(m_choice.hops - 1);
        frame.lane = lane;
        frame.source = lane + 1U;
        return frame;
    }

    /// Frames that are there at once, at random times.
    void AddAtOnce(Lane lane, uint64_t bytes, double meanGap)
    {
        for (TimePs time = Gap(meanGap); time < m_end; time += Gap(meanGap))
        {
            m_plan.frames.push_back(MakeFrame(lane, bytes, time));
        }
    }

    /// Victims come over a link, one after the other, and are sent on by cut-through.
    void AddVictims()
    {
        const TimePs stall = TxTime(m_choice.urgentBytes);
        const double load = m_choice.victimLoad;
        const double idle = static_cast<double>(TxTime(m_choice.victimBytes)) * (1 - load) / load;
        for (TimePs time = Gap(idle); time < m_end; time += Gap(idle))
        {
            ChainFrame frame = MakeFrame(VICTIM, m_choice.victimBytes, time);
            frame.rate = m_rate;
            const uint64_t flit = m_plan.settings.flitBytes;
            uint32_t byte = 0;
            for (uint64_t i = 1; i <= m_choice.upstreamGaps; ++i)
            {
                const uint64_t place = m_choice.victimBytes * i / (m_choice.upstreamGaps + 1);
                const auto next = static_cast<uint32_t>(place / flit * flit);
                frame.stalls.push_back({next, stall});
                time += TxTime(next - byte) + stall;
                byte = next;
            }
            time += TxTime(m_choice.victimBytes - byte);
            m_plan.frames.push_back(std::move(frame));
        }
    }

    const Choice& m_choice;               ///< What the user chooses.
    fabric::LinkRate m_rate;              ///< Of all links.
    TimePs m_end;                         ///< Frames come until then, ps.
    Ptr<ExponentialRandomVariable> m_gap; ///< Times between frames.
    LaneChainPlan m_plan;                 ///< Made so far.
};

/// Runs a chain in ns-3's event loop.
class Runner
{
  public:
    /**
     * @param chain to run
     * @param choice what the user chooses
     * @param duration frames come until then
     * @param lookahead whether each port runs ahead window by window (DP-2), or all by instants
     */
    Runner(LaneChain& chain, const Choice& choice, Time duration, bool lookahead)
        : m_chain(chain),
          m_hops(static_cast<uint32_t>(choice.hops)),
          m_duration(static_cast<double>(duration.GetPicoSeconds())),
          m_window(lookahead ? choice.hopDelay.GetPicoSeconds() : 1)
    {
    }

    /// @param mode when progress is shown
    void Run(fabric::ProgressMode mode)
    {
        const auto active = [this] { return m_chain.NextTime() != fabric::NEVER; };
        const auto done = [this] {
            return std::min(1.0,
                            static_cast<double>(Simulator::Now().GetPicoSeconds()) / m_duration);
        };
        fabric::ProgressReporter progress(mode, {active, done});
        progress.Start();
        Plan();
        Simulator::Run();
        progress.Stop();
    }

  private:
    /// Schedules the next window in which something happens.
    void Plan()
    {
        const TimePs next = m_chain.NextTime();
        if (next != fabric::NEVER)
        {
            const Time begin = PicoSeconds(next / m_window * m_window);
            Simulator::Schedule(begin - Simulator::Now(), &Runner::Advance, this);
        }
    }

    /// Runs a window.
    void Advance()
    {
        const TimePs end = Simulator::Now().GetPicoSeconds() + m_window;
        for (uint32_t hop = 0; hop < m_hops; ++hop)
        {
            m_chain.Advance(hop, end);
        }
        Plan();
    }

    LaneChain& m_chain; ///< What is run.
    uint32_t m_hops;    ///< Ports in a row.
    double m_duration;  ///< Frames come until then, ps.
    TimePs m_window;    ///< Simulated time that an event handles, ps.
};

/// The latencies of a lane.
void
AddLatencies(fabric::Summary& summary,
             const LaneChainPlan& plan,
             const LaneChain& chain,
             Lane lane,
             const std::string& name)
{
    const auto last = static_cast<uint32_t>(plan.rates.size() - 1);
    std::vector<double> latencies;
    std::vector<double> waits;
    for (uint32_t handle = 0; handle < plan.frames.size(); ++handle)
    {
        const ChainFrame& frame = plan.frames[handle];
        if (frame.lane == lane)
        {
            latencies.push_back(fabric::ToSeconds(chain.TailAt(last, handle) - frame.time));
            waits.push_back(fabric::ToSeconds(chain.HeadAt(0, handle) - frame.time));
        }
    }
    summary.AddDistribution(name + "_latency", {}, latencies, "s");
    summary.AddDistribution(name + "_wait", {}, waits, "s");
}

/// Adds what a wire did to what others did.
void
Add(fabric::WireCounts& all, const fabric::WireCounts& counts)
{
    all.idleWhileWaiting += counts.idleWhileWaiting;
    all.preemptions += counts.preemptions;
    all.fills += counts.fills;
    all.gaps += counts.gaps;
    all.wastedFlits += counts.wastedFlits;
}

/// What all wires did.
void
AddCounts(fabric::Summary& summary, const fabric::WireCounts& all)
{
    summary.AddTime("link_idle_while_waiting", {}, all.idleWhileWaiting);
    summary.Add("wasted_flits", {}, all.wastedFlits, "1");
    summary.Add("preemptions", {}, all.preemptions, "1");
    summary.Add("gaps", {}, all.gaps, "1");
    summary.Add("fills", {}, all.fills, "1");
}

/// @return what every run says at its end
fabric::RunTotals
MakeTotals(const LaneChainPlan& plan, const LaneChain& chain)
{
    fabric::RunTotals totals;
    for (const ChainFrame& frame : plan.frames)
    {
        totals.bytesOffered += frame.bytes;
    }
    for (uint32_t hop = 0; hop < plan.rates.size(); ++hop)
    {
        for (const fabric::WireSegment& segment : chain.Segments(hop))
        {
            const ChainFrame& frame = plan.frames[segment.handle];
            totals.bytesDelivered += hop == frame.leave ? segment.bytes : 0;
        }
        totals.dataHops += chain.Counts(hop).frames;
    }
    const auto last = static_cast<uint32_t>(plan.rates.size() - 1);
    for (uint32_t handle = 0; handle < plan.frames.size(); ++handle)
    {
        totals.simulatedTime = std::max(totals.simulatedTime, chain.TailAt(last, handle));
    }
    return totals;
}

/// Runs ports without switches.
void
RunChain(const Choice& choice, const fabric::ProgramOptions& options, fabric::RunResults& results)
{
    const LaneChainPlan plan = FrameMaker(choice, options.GetDuration()).Make();
    LaneChain chain(plan);
    Runner runner(chain, choice, options.GetDuration(), options.GetLookahead());
    runner.Run(options.GetProgress());
    chain.CheckEmpty();

    fabric::Summary& summary = results.GetSummary();
    AddLatencies(summary, plan, chain, URGENT, "urgent");
    AddLatencies(summary, plan, chain, VICTIM, "victim");
    AddLatencies(summary, plan, chain, BULK, "bulk");
    fabric::WireCounts all;
    for (uint32_t hop = 0; hop < plan.rates.size(); ++hop)
    {
        Add(all, chain.Counts(hop));
    }
    AddCounts(summary, all);
    results.Finish(MakeTotals(plan, chain), Simulator::GetEventCount(), std::cout);
}

/**
 * The frames of a plan over switches in a row. Urgent frames and victims come from hosts of the
 * first switch, bulk frames from a host of the last. All go to one host there, but every other
 * urgent frame to another: having interrupted a victim, it leaves a gap on the wire to the first.
 */
class SwitchRow
{
  public:
    /**
     * @param choice what the user chooses
     * @param plan of ports without switches, from which the frames are taken
     * @param options say how it is run
     */
    SwitchRow(const Choice& choice,
              const LaneChainPlan& plan,
              const fabric::ProgramOptions& options)
        : m_plan(plan),
          m_delay(choice.hopDelay - Latency(choice)),
          m_heads(plan.frames.size(), fabric::NEVER),
          m_begun(plan.frames.size(), false)
    {
        Install(choice, options);
        TraceSwitch(0);
        if (m_fabric.switches.GetN() > 1)
        {
            TraceSwitch(m_fabric.switches.GetN() - 1);
        }
        m_fabric.GetDevice(m_end)->SetMessageCallback(MakeCallback(&SwitchRow::Receive, this));
        m_fabric.GetDevice(m_other)->SetMessageCallback(MakeCallback(&SwitchRow::Receive, this));
        for (uint32_t i = 0; i < plan.frames.size(); ++i)
        {
            // So that a frame takes effect at its first port when it does so without switches.
            Simulator::Schedule(PicoSeconds(plan.frames[i].time), &SwitchRow::Send, this, i);
        }
    }

    /// @param mode when progress is shown
    void Run(fabric::ProgressMode mode)
    {
        const auto active = [this] { return m_received < m_plan.frames.size(); };
        const auto done = [this] {
            return static_cast<double>(m_received) / static_cast<double>(m_plan.frames.size());
        };
        fabric::ProgressReporter progress(mode, {active, done});
        progress.Start();
        Simulator::Run();
        progress.Stop();
    }

    /// Adds what was measured.
    void AddFigures(fabric::Summary& summary)
    {
        constexpr const char* NAMES[] = {"urgent", "victim", "bulk"};
        for (const Lane lane : {URGENT, VICTIM, BULK})
        {
            summary.AddDistribution(std::string(NAMES[lane]) + "_latency",
                                    {},
                                    m_latencies[lane],
                                    "s");
            summary.AddDistribution(std::string(NAMES[lane]) + "_wait", {}, m_waits[lane], "s");
        }
        fabric::WireCounts all;
        for (uint32_t i = 0; i < m_fabric.switches.GetN(); ++i)
        {
            const fabric::SwitchChip& chip = m_fabric.GetSwitch(i)->GetChip();
            for (uint32_t port = 0; port < chip.Config().ports; ++port)
            {
                const fabric::PortWire* wire = chip.Wire(port);
                Add(all, wire ? wire->wire.Counts() : fabric::WireCounts());
            }
        }
        AddCounts(summary, all);
    }

    /// @return what every run says at its end
    fabric::RunTotals MakeTotals() const
    {
        const fabric::RunTotals totals = fabric::TotalsOf(*m_fabric.network, m_lastAt);
        totals.CheckConservation();
        return totals;
    }

  private:
    /// @return the part of the time from port to port that is the switch's: 350 ns of 450 ns
    static Time Latency(const Choice& choice)
    {
        return PicoSeconds(choice.hopDelay.GetPicoSeconds() / 9 * 7);
    }

    /// @return a class for each lane, the urgent one latency-sensitive
    static fabric::LaneTable MakeTable()
    {
        fabric::LaneTable table;
        for (const uint8_t lane : {URGENT, VICTIM, BULK})
        {
            table.lanes.push_back({lane, lane, lane, 0, lane == URGENT});
        }
        table.groups = {{0, fabric::GroupSettings::FULL_SHARE}};
        return table;
    }

    /// Makes switches and hosts.
    void Install(const Choice& choice, const fabric::ProgramOptions& options)
    {
        fabric::ChainSources sources(choice.hops, 0);
        sources.front() = 2;
        sources.back() += 2; // one that sends, and the other receiver
        m_end = sources.front() + (choice.hops > 1 ? sources.back() : 0);
        m_other = m_end - 1;
        m_sources = {0, 1, m_end - 2};
        FabricHelper helper;
        helper.SetNetworkAttribute("Lookahead", BooleanValue(options.GetLookahead()));
        helper.SetNetworkAttribute("Threads", UintegerValue(options.GetThreads()));
        helper.SetChannelAttribute("DataRate", DataRateValue(choice.linkRate));
        helper.SetChannelAttribute("Delay", TimeValue(m_delay));
        helper.SetDeviceAttribute("Mtu", UintegerValue(fabric::JUMBO_PAYLOAD));
        helper.SetSwitchAttribute("Latency", TimeValue(Latency(choice)));
        helper.SetSwitchAttribute("LanePreemption", BooleanValue(choice.preempt));
        helper.SetSwitchAttribute("LaneInterleaving", BooleanValue(choice.interleave));
        helper.SetLaneTable(MakeTable());
        const fabric::TopologyPlan plan = fabric::MakeChainPlan(sources);
        m_fabric = helper.Install(plan, fabric::MakeShortestPathRouting(plan));
    }

    /// Notes what comes to and goes from a switch.
    void TraceSwitch(uint32_t i)
    {
        const Ptr<FabricSwitch> fabricSwitch = m_fabric.GetSwitch(i);
        fabricSwitch->TraceConnectWithoutContext("Arrive", MakeCallback(&SwitchRow::Arrive, this));
        fabricSwitch->TraceConnectWithoutContext("Send", MakeCallback(&SwitchRow::Begin, this));
    }

    /// A host sends a frame.
    void Send(uint32_t number)
    {
        const ChainFrame& frame = m_plan.frames[number];
        const bool leaves = frame.lane == URGENT && m_urgentSent++ % 2 == 1;
        m_fabric.GetDevice(m_sources[frame.lane])
            ->SendMessage(fabric::LocationOf(leaves ? m_other : m_end),
                          frame.bytes - fabric::WireBytes(0),
                          frame.lane,
                          number);
    }

    /// @return the plan's number of a frame
    uint32_t NumberOf(const fabric::Frame& frame) const
    {
        return static_cast<uint32_t>(m_fabric.network->GetMessages().At(frame.handle).tag);
    }

    /// A frame takes effect at a port.
    void Arrive(uint32_t, const fabric::Frame& frame, Time now)
    {
        TimePs& head = m_heads[NumberOf(frame)];
        head = head == fabric::NEVER ? now.GetPicoSeconds() : head;
    }

    /// A frame's first byte is on a wire.
    void Begin(uint32_t, const fabric::Frame& frame, Time now)
    {
        const uint32_t number = NumberOf(frame);
        if (!m_begun[number])
        {
            m_begun[number] = true;
            const TimePs wait = now.GetPicoSeconds() - m_heads[number];
            m_waits[m_plan.frames[number].lane].push_back(fabric::ToSeconds(wait));
        }
    }

    /// A frame has come.
    void Receive(const fabric::Message& message)
    {
        const auto number = static_cast<uint32_t>(message.tag);
        m_lastAt = Simulator::Now().GetPicoSeconds();
        const TimePs latency = m_lastAt - m_delay.GetPicoSeconds() - m_heads[number];
        m_latencies[m_plan.frames[number].lane].push_back(fabric::ToSeconds(latency));
        ++m_received;
    }

    const LaneChainPlan& m_plan;        ///< The frames.
    Time m_delay;                       ///< Of links.
    FabricContainer m_fabric;           ///< Switches and hosts.
    uint32_t m_end{0};                  ///< Host that receives.
    uint32_t m_other{0};                ///< Host that receives every other urgent frame.
    std::vector<uint32_t> m_sources;    ///< Hosts that send, by lane.
    uint64_t m_urgentSent{0};           ///< Urgent frames.
    std::size_t m_received{0};          ///< Frames.
    TimePs m_lastAt{0};                 ///< When the last came, ps.
    std::vector<TimePs> m_heads;        ///< When a frame's head took effect at its first port, ps.
    std::vector<bool> m_begun;          ///< Whether it was sent by that.
    std::vector<double> m_latencies[3]; ///< By lane, s.
    std::vector<double> m_waits[3];     ///< By lane, s.
};

/// Runs switches.
void
RunSwitches(const Choice& choice,
            const fabric::ProgramOptions& options,
            fabric::RunResults& results)
{
    const LaneChainPlan plan = FrameMaker(choice, options.GetDuration()).Make();
    SwitchRow row(choice, plan, options);
    row.Run(options.GetProgress());
    row.AddFigures(results.GetSummary());
    results.Finish(row.MakeTotals(), Simulator::GetEventCount(), std::cout);
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        fabric::ProgramOptions options("fabric-preemption.cc",
                                       "Short urgent frames and long ones share the wires of ports "
                                       "in a row: latencies with and without preemption, and what "
                                       "gaps in long frames waste.");
        AddOptions(options, choice);
        ReserveFabricAttributes(options);
        options.Parse(argc, argv);
        if (choice.via == SWITCHES)
        {
            CheckSwitchOptions(choice);
        }
        else
        {
            RefuseFabricAttributes(options);
        }
        fabric::RunResults results(options);
        if (choice.via == SWITCHES)
        {
            RunSwitches(choice, options, results);
        }
        else
        {
            RunChain(choice, options, results);
        }
        Simulator::Destroy();
        return fabric::EXIT_DONE;
    });
}
