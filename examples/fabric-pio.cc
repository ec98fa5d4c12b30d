/* SPDX-License-Identifier: GPL-2.0-only */

// Threads of a host send messages to another host by programmed I/O (PC-11): the rate that the
// credits of their send contexts allow, and what the return of credits costs on PCIe.

#include "ns3/boolean.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-pcie-option.h"
#include "ns3/fabric-pio-helper.h"
#include "ns3/fabric-pio-rate.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/fabric-short-buffers.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

using namespace ns3;

namespace
{

constexpr uint64_t MOST_MESSAGES = 4'000'000; ///< Each takes some hundred bytes of memory.

/// What the options say.
struct Choice
{
    uint64_t blocks{64};            ///< `--blocks`
    uint64_t packetBytes{248};      ///< `--packetBytes`
    uint64_t messageBytes{0};       ///< `--messageBytes`
    Time messageGap{0};             ///< `--messageGap`
    Time returnLatency{0};          ///< `--returnLatency`
    std::string threshold{"33%"};   ///< `--threshold`
    std::string scheme{"absolute"}; ///< `--scheme`
    std::string wait{"poll"};       ///< `--wait`
    uint64_t contexts{1};           ///< `--contexts`
    uint64_t threads{0};            ///< `--senders`
    uint64_t sdma{0};               ///< `--sdma`
    uint64_t loseEvery{0};          ///< `--loseEvery`
    bool early{false};              ///< `--earlyReturn`
    std::string pcie{"4x16"};       ///< `--pcie`
};

/// Adds the options of messages and threads.
void
AddTrafficOptions(fabric::ProgramOptions& options, Choice& choice)
{
    options.Add("packetBytes",
                "payload of a packet; with 8 bytes of control word it takes blocks of 64",
                choice.packetBytes,
                fabric::SizeType(1, fabric::MAX_PAYLOAD));
    options.Add("messageBytes",
                "bytes of a message, 0 for one packet",
                choice.messageBytes,
                fabric::SizeType(0, uint64_t{1} << 30));
    options.Add("messageGap",
                "time between messages of a thread, 0 for one after the other",
                choice.messageGap,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add("contexts",
                "send contexts of the adaptor",
                choice.contexts,
                fabric::CountType(uint64_t{1}, uint64_t{fabric::MOST_CONTEXTS}));
    options.Add(
        "senders",
        "threads that send, at the first of two hosts, in turn on the contexts; 0 for one on "
        "each",
        choice.threads,
        fabric::CountType(uint64_t{0}, uint64_t{fabric::MOST_PIO_THREADS}));
    options.Add("sdma",
                "messages of at least so many bytes go by SDMA, 0 for none",
                choice.sdma,
                fabric::SizeType(0, uint64_t{1} << 30));
    options.Add("pcie", "generation and lanes of PCIe, such as 4x16", choice.pcie);
    options.AddDuration(MicroSeconds(200));
}

/// Adds the options of credits.
void
AddCreditOptions(fabric::ProgramOptions& options, Choice& choice)
{
    options.Add("blocks",
                "blocks of 64 bytes of a context",
                choice.blocks,
                fabric::CountType(uint64_t{1}, uint64_t{fabric::MOST_BLOCKS}));
    options.Add("returnLatency",
                "time that a return of credits takes besides that of PCIe",
                choice.returnLatency,
                fabric::TimeType(Time(0), MilliSeconds(1)));
    options.Add("threshold",
                "unreturned blocks that cause a return, or a percentage of the context; 0 for "
                "every change",
                choice.threshold);
    options.Add("scheme",
                "how credits come back",
                choice.scheme,
                fabric::ChoiceType({"absolute", "relative", "egress-order"}));
    options.Add("wait",
                "how a thread waits for credits",
                choice.wait,
                fabric::ChoiceType({"poll", "sleep"}));
    options.Add("earlyReturn", "blocks are free when their packet starts", choice.early);
    options.Add("loseEvery",
                "one return of credits in so many is lost, 0 for none",
                choice.loseEvery,
                fabric::CountType(uint64_t{0}, uint64_t{1000000}));
    const std::string pio = "ns3::FabricPio::";
    const std::pair<const char*, const char*> reserved[] = {{"Blocks", "--blocks"},
                                                            {"PacketBytes", "--packetBytes"},
                                                            {"Contexts", "--contexts"},
                                                            {"Threads", "--senders"},
                                                            {"ReturnDelay", "--returnLatency"},
                                                            {"Threshold", "--threshold"},
                                                            {"Scheme", "--scheme"},
                                                            {"Wait", "--wait"},
                                                            {"EarlyReturn", "--earlyReturn"},
                                                            {"LoseEvery", "--loseEvery"},
                                                            {"SdmaBytes", "--sdma"},
                                                            {"PcieGeneration", "--pcie"},
                                                            {"PcieLanes", "--pcie"}};
    for (const auto& [attribute, option] : reserved)
    {
        options.ReserveAttributes({pio + attribute}, option);
    }
}

/// @return what makes send contexts as the options say
FabricPioHelper
MakeHelper(const Choice& choice)
{
    FabricPioHelper helper;
    helper.SetAttribute("Blocks", UintegerValue(choice.blocks));
    helper.SetAttribute("PacketBytes", UintegerValue(choice.packetBytes));
    helper.SetAttribute("Contexts", UintegerValue(choice.contexts));
    helper.SetAttribute("Threads", UintegerValue(choice.threads));
    helper.SetAttribute("ReturnDelay", TimeValue(choice.returnLatency));
    helper.SetAttribute("Threshold", StringValue(choice.threshold));
    helper.SetAttribute("Scheme", StringValue(choice.scheme));
    helper.SetAttribute("Wait", StringValue(choice.wait));
    helper.SetAttribute("EarlyReturn", BooleanValue(choice.early));
    helper.SetAttribute("LoseEvery", UintegerValue(choice.loseEvery));
    helper.SetAttribute("SdmaBytes", UintegerValue(choice.sdma));
    fabric::SetPcie(helper, choice.pcie);
    return helper;
}

/// @return send contexts of the first host; a mistake names the options that were given
Ptr<FabricPio>
InstallPio(const FabricPioHelper& helper,
           const FabricContainer& fabric,
           const fabric::ProgramOptions& options)
{
    try
    {
        return helper.Install(fabric, 0);
    }
    catch (const std::invalid_argument& error)
    {
        throw fabric::BadInput(
            options.ShowGiven({"blocks", "packetBytes", "contexts", "threshold", "pcie"}) +
            error.what());
    }
}

/// @return as many messages as a thread can send in the run at most
uint64_t
CountMessages(const Choice& choice, const fabric::PioSettings& settings, Time duration)
{
    const fabric::TimePs gap =
        std::max(settings.LeastTime(choice.messageBytes), choice.messageGap.GetPicoSeconds());
    const auto count = static_cast<uint64_t>(duration.GetPicoSeconds() / gap) + 1;
    if (count * choice.threads > MOST_MESSAGES)
    {
        throw fabric::BadInput("--duration: up to " + std::to_string(count * choice.threads) +
                               " messages would be sent in that time, allowed are " +
                               std::to_string(MOST_MESSAGES));
    }
    return count;
}

/// The figures of messages that were delivered after the first third, which fills the context.
void
AddMessageFigures(FabricRun& run, Time duration)
{
    const fabric::TimePs from = duration.GetPicoSeconds() / 3;
    std::vector<double> latencies;
    for (const FabricMessageRecorder::Record& record : run.GetRecorder().GetRecords())
    {
        if (record.deliveredAt >= from)
        {
            latencies.push_back(fabric::ToSeconds(record.CompletionTime()));
        }
    }
    const double seconds = fabric::ToSeconds(duration.GetPicoSeconds() - from);
    run.GetSummary().Add("message_rate",
                         {},
                         static_cast<double>(latencies.size()) / seconds,
                         "1/s");
    run.GetSummary().AddDistribution("latency", {}, latencies, "s");
}

/// The figures of credits and PCIe.
void
AddCreditFigures(fabric::Summary& summary, fabric::PioEngine& engine, Time duration)
{
    const fabric::PioAdaptorCounts& adaptor = engine.Adaptor().Counts();
    const fabric::PioHostCounts& host = engine.Host().Counts();
    const uint64_t packets = adaptor.packets + adaptor.sdmaPackets;
    const auto addPerPacket = [&](const char* metric,
                                  const fabric::Summary::Subject& subject,
                                  uint64_t count,
                                  const char* unit) {
        if (packets != 0)
        {
            summary.Add(metric,
                        subject,
                        static_cast<double>(count) / static_cast<double>(packets),
                        unit);
        }
    };
    summary.Add("packets", {{"via", "pio"}}, adaptor.packets, "1");
    summary.Add("packets", {{"via", "sdma"}}, adaptor.sdmaPackets, "1");
    summary.Add("stalls", {}, host.stalls, "1");
    summary.AddTime("stall_time", {}, engine.Host().StallTimeBy(duration.GetPicoSeconds()));
    const char* const places[] = {"cached", "shared", "memory"};
    for (std::size_t i = 0; i < host.looks.size(); ++i)
    {
        summary.Add("looks", {{"found", places[i]}}, host.looks[i], "1");
    }
    addPerPacket("return_writes_per_packet", {}, adaptor.returns, "1");
    addPerPacket("return_bytes_per_packet", {}, adaptor.returnBytes, "B");
    const auto& pcie = engine.Pcie();
    addPerPacket("pcie_bytes_per_packet",
                 {{"from", "host"}},
                 pcie.Counts(fabric::PcieSide::HOST).bytes,
                 "B");
    addPerPacket("pcie_bytes_per_packet",
                 {{"from", "nic"}},
                 pcie.Counts(fabric::PcieSide::NIC).bytes,
                 "B");
    summary.Add("forced_returns", {}, host.forced, "1");
    summary.Add("lost_returns", {}, adaptor.lostReturns, "1");
    summary.Add("interrupts", {}, adaptor.interrupts, "1");
}

/// The rate of the closed form, where it says one, unless the credits of the host's link allow
/// less. @param payload of a packet, bytes
void
AddClosedForm(FabricRun& run, const FabricContainer& fabric, const FabricPio& pio, uint32_t payload)
{
    const fabric::PioRate form(pio.GetSettings(),
                               pio.GetPcieSettings(),
                               fabric::LinkRate(run.GetLinkRate().GetBitRate()),
                               payload);
    if (form.IsSure())
    {
        const double most = fabric::UplinkCreditLoop(fabric, 0, payload).FramesPerSecond();
        run.GetSummary().Add("closed_form_rate",
                             {},
                             std::min(form.PacketsPerSecond(), most),
                             "1/s");
    }
}

/// One host sends to another one.
void
Run(FabricRun& run, Choice choice)
{
    choice.threads = choice.threads == 0 ? choice.contexts : choice.threads;
    choice.messageBytes = choice.messageBytes == 0 ? choice.packetBytes : choice.messageBytes;
    const Time duration = run.GetOptions().Common().duration;
    FabricPioHelper helper = MakeHelper(choice);
    const fabric::TopologyPlan plan = fabric::MakeChainPlan({1});
    const FabricContainer& fabric = run.Install(plan, fabric::MakeShortestPathRouting(plan));
    const auto bytes = static_cast<uint32_t>(choice.messageBytes);
    fabric::SettlingTime(fabric, run.GetLinkRate().CalculateBytesTxTime(bytes))
        .Require("--duration", duration);
    const Ptr<FabricPio> pio = InstallPio(helper, fabric, run.GetOptions());
    helper.SetApplicationAttribute("Bytes", UintegerValue(choice.messageBytes));
    helper.SetApplicationAttribute("Interval", TimeValue(choice.messageGap));
    helper.SetApplicationAttribute(
        "Count",
        UintegerValue(CountMessages(choice, pio->GetSettings(), duration)));
    for (uint32_t thread = 0; thread < choice.threads; ++thread)
    {
        helper.InstallSender(fabric, 0, 1, thread);
    }
    run.RunFor(duration);

    AddMessageFigures(run, duration);
    const auto payload = static_cast<uint32_t>(choice.packetBytes);
    if (choice.threads == 1 && choice.messageBytes == payload && choice.sdma == 0 &&
        choice.messageGap.IsZero() && fabric::PioRate::Holds(pio->GetSettings(), payload))
    {
        AddClosedForm(run, fabric, *pio, payload);
    }
    AddCreditFigures(run.GetSummary(), pio->GetEngine(), duration);
    run.Finish();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-pio.cc",
                      "Threads of a host send by programmed I/O: the message rate that credits "
                      "allow, and what their return costs.");
        AddCreditOptions(run.GetOptions(), choice);
        AddTrafficOptions(run.GetOptions(), choice);
        run.Parse(argc, argv);
        if (choice.scheme != "absolute")
        {
            run.GetOptions().RefuseGiven({"threshold"}, "--scheme=absolute");
        }
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
