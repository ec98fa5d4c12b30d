/* SPDX-License-Identifier: GPL-2.0-only */

// Many flows of one frame each cross the link between two switches: what their ACKs take of the
// link back (WL-3), and how many flow_ids they need (FC-9).

#include "ns3/fabric-chain.h"
#include "ns3/fabric-message-sender-helper.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/random-variable-stream.h"

#include <cmath>

using namespace ns3;

namespace
{

/// What crosses the link in one direction.
struct Traffic
{
    uint64_t hosts;      ///< Senders, and as many receivers.
    uint64_t frameBytes; ///< Payload of each frame.
    double load;         ///< Of the link, header and FCS counted.
};

/// How often the fabric could settle in a run whose duration is chosen.
constexpr int64_t SETTLINGS = 8;

/// Frames that cross the link in such a run, so that a few more or fewer by chance matter little.
constexpr double LEAST_FRAMES = 400;

/// @return time of a frame on the link. @param bytes of its payload
Time
FrameTime(DataRate rate, uint32_t bytes)
{
    return PicoSeconds(fabric::LinkRate(rate.GetBitRate()).TxTime(fabric::WireBytes(bytes)));
}

/**
 * Each sender has a message of one frame now and then for each receiver. All pairs have the same
 * interval and each a random beginning, so that the frames together come as if at random, and a
 * flow has one frame at a time on the link unless that is overloaded.
 *
 * @param fabric the two switches
 * @param traffic what to send
 * @param firstSender number of the first host that sends
 * @param firstReceiver number of the first host that receives
 * @param rate of the link
 */
void
InstallSenders(const FabricContainer& fabric,
               const Traffic& traffic,
               uint64_t firstSender,
               uint64_t firstReceiver,
               DataRate rate)
{
    const auto frameBytes = fabric::WireBytes(static_cast<uint32_t>(traffic.frameBytes));
    const double frameTime = 8e12 * frameBytes / static_cast<double>(rate.GetBitRate());
    const auto pairs = static_cast<double>(traffic.hosts * traffic.hosts);
    const double interval = pairs * frameTime / traffic.load;
    auto begin = CreateObject<UniformRandomVariable>();
    FabricMessageSenderHelper sender(traffic.frameBytes);
    sender.SendOnEvery(PicoSeconds(std::llround(interval)));
    for (uint64_t i = 0; i < traffic.hosts; ++i)
    {
        for (uint64_t j = 0; j < traffic.hosts; ++j)
        {
            const Time start = PicoSeconds(std::llround(begin->GetValue(0, interval)));
            sender
                .Install(fabric,
                         static_cast<uint32_t>(firstSender + i),
                         static_cast<uint32_t>(firstReceiver + j))
                ->SetStartTime(start);
        }
    }
}

/**
 * The ACKs on the way back, and the credit frames, if there are such.
 *
 * @param summary gets the figures
 * @param link output that sends them
 * @param seconds of the run
 */
void
AddControl(fabric::Summary& summary, const fabric::Transmitter& link, double seconds)
{
    const fabric::TransmitCounts& counts = link.Counts();
    const auto rate = static_cast<double>(link.Rate().BitsPerSecond());
    const auto acks = static_cast<double>(counts.acks);
    const uint64_t frames = counts.controlFrames - counts.credits;
    const uint32_t channels = link.Credits().Shares().virtualChannels;
    const auto creditBytes =
        static_cast<double>(counts.credits * fabric::CreditFrameBytes(channels));
    const double bytes = static_cast<double>(counts.controlBytes) - creditBytes;
    summary.Add("ack_rate", {}, acks / seconds, "1/s");
    if (counts.acks != 0)
    {
        summary.Add("acks_per_frame", {}, acks / static_cast<double>(frames), "1");
        summary.Add("ack_bytes_per_ack", {}, bytes / acks, "B");
    }
    summary.Add("ack_overhead", {}, 8 * bytes / (rate * seconds), "1");
    summary.Add("ack_overhead_ideal", {}, fabric::ACK_BITS * acks / (rate * seconds), "1");
    if (counts.credits != 0)
    {
        summary.Add("credit_rate", {}, static_cast<double>(counts.credits) / seconds, "1/s");
        summary.Add("credit_overhead", {}, 8 * creditBytes / (rate * seconds), "1");
    }
}

/**
 * The flow_ids on the way there.
 *
 * @param summary gets the figures
 * @param flows that the frames of the link belong to
 * @param frames that the link has carried
 * @param duration of the run
 */
void
AddFlowIds(fabric::Summary& summary,
           const fabric::OutputFlowTable& flows,
           uint64_t frames,
           Time duration)
{
    const double seconds = duration.GetSeconds();
    const double useTime = fabric::ToSeconds(flows.UseTime(duration.GetPicoSeconds()));
    const double packetRate = static_cast<double>(frames) / seconds;
    summary.Add("packet_rate", {}, packetRate, "1/s");
    summary.Add("flow_ids_peak", {}, flows.PeakInUse(), "1");
    summary.Add("flow_ids_mean", {}, useTime / seconds, "1");
    // Of a flow whose frames follow each other the time would be that of all of them.
    const bool isForOneFrame = 10 * frames <= 11 * flows.Allocated();
    if (isForOneFrame && flows.Allocated() != flows.InUse())
    {
        // Those that are in use at the end are half way on average.
        const double uses = static_cast<double>(flows.Allocated()) - flows.InUse() / 2.0;
        const double toAck = useTime / uses;
        summary.Add("packet_to_ack_time", {}, toAck, "s");
        summary.Add("flow_ids_needed", {}, packetRate * toAck, "1");
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Traffic traffic{32, 256, 0.8};
        bool reverse = false;
        FabricRun run("fabric-ack-overhead.cc",
                      "Many flows cross one link: what their ACKs and credits take of the link "
                      "back, and how many flow_ids they need.");
        fabric::ProgramOptions& options = run.GetOptions();
        options.Add("hosts",
                    "hosts of each of the two switches",
                    traffic.hosts,
                    fabric::CountType(uint64_t{1}, uint64_t{64}));
        options.Add("frameBytes",
                    "payload of each frame",
                    traffic.frameBytes,
                    fabric::SizeType(64, fabric::MAX_PAYLOAD));
        options.Add("load",
                    "offered load, fraction of the link rate",
                    traffic.load,
                    fabric::NumberType(0.001, 1));
        options.Add("reverse",
                    "send frames the other way too, so that ACKs share the link with them",
                    reverse);
        options.AddDuration();
        options.ReserveAttributes({"ns3::Application::StartTime"}, "a choice at random");
        options.ReserveAttributes({"ns3::FabricDevice::Mtu"}, "--frameBytes");
        run.Parse(argc, argv);

        const auto hosts = static_cast<uint32_t>(traffic.hosts);
        // The chain gives its last switch one host more.
        const fabric::TopologyPlan plan = fabric::MakeChainPlan({hosts, hosts - 1});
        const FabricContainer& fabric = run.Install(plan, fabric::MakeShortestPathRouting(plan));
        const DataRate rate = run.GetLinkRate();
        InstallSenders(fabric, traffic, 0, hosts, rate);
        if (reverse)
        {
            InstallSenders(fabric, traffic, hosts, 0, rate);
        }
        const Time frameTime = FrameTime(rate, static_cast<uint32_t>(traffic.frameBytes));
        const fabric::SettlingTime settling(fabric, frameTime);
        // Start and end, where the link is not full, are a small part.
        options.SetDuration(settling.Choose(options.Common().duration,
                                            MicroSeconds(200),
                                            SETTLINGS,
                                            frameTime * (LEAST_FRAMES / traffic.load)));
        const Time duration = options.Common().duration;
        settling.Require("--duration", duration);
        run.RunFor(duration);

        const fabric::LinkPlan& link = plan.links.front();
        const fabric::SwitchChip& there = fabric.GetSwitch(link.switchA)->GetChip();
        const fabric::SwitchChip& back = fabric.GetSwitch(link.switchB)->GetChip();
        AddControl(run.GetSummary(), back.Output(link.portB), duration.GetSeconds());
        AddFlowIds(run.GetSummary(),
                   there.OutputFlows(link.portA),
                   there.Output(link.portA).Counts().frames,
                   duration);
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
