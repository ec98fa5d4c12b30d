/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack.h"
#include "fabric-chain.h"
#include "fabric-channel.h"
#include "fabric-message-sender-helper.h"
#include "fabric-program.h"
#include "fabric-run.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-command.h"
#include "support/fabric-csv-rows.h"
#include "support/fabric-error-streams.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-scratch-folder.h"
#include "support/fabric-switch-ring.h"
#include "support/fabric-told-errors.h"

#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <filesystem>

namespace ns3::fabric
{

namespace
{

namespace fs = std::filesystem;

/// A program's run on a chain of switches with links of 100 Gb/s and 1 us: a full frame takes
/// 329.6 ns, and an idle switch 350 ns.
struct ChainRun
{
    FabricRun run{"fabric-example.cc", "An example."}; ///< The run.
    const FabricContainer* fabric{nullptr};            ///< Its fabric.

    /**
     * @param sources hosts that send, for each switch
     * @param arguments of the command line
     */
    ChainRun(const ChainSources& sources, std::vector<std::string> arguments)
    {
        arguments.insert(arguments.end(), {"--linkRate=100Gbps", "--linkDelay=1us", "--check"});
        Command command(std::move(arguments));
        run.Parse(command.Count(), command.Arguments());
        const TopologyPlan plan = MakeChainPlan(sources);
        fabric = &run.Install(plan, MakeShortestPathRouting(plan));
    }

    ~ChainRun()
    {
        Simulator::Destroy();
    }

    /// A host sends a message.
    void Send(uint32_t from, uint32_t to, uint64_t bytes, Time at, uint64_t tag = 1)
    {
        FabricMessageSenderHelper sender(bytes);
        sender.SetAttribute("Tag", UintegerValue(tag));
        sender.Install(*fabric, from, to)->SetStartTime(at);
    }
};

/**
 * All columns by hand. Host 0 sends over two switches to host 2: 4096 bytes at once, 8192 after
 * 10 us; host 1, which has the same switch as host 2, sends it 100 bytes after 20 us.
 *
 * A frame has 24 bytes more than its payload. Its time is that of its bytes and, with n links, n us
 * and 350 (n - 1) ns. All have the fabric to themselves, so that is the ideal too. HPCC's is twice
 * these delays, plus 4096 bytes for each link, plus all bytes of the frames.
 */
void
TestFigures(FunctionCase& self)
{
    const ScratchFolder folder(self, "fabric-run");
    const fs::path& out = folder.Get();
    ChainRun chain({1, 1}, {"--out=" + out.string()});
    chain.Send(0, 2, 4096, Time(0));
    chain.Send(0, 2, 8192, MicroSeconds(10));
    chain.Send(1, 2, 100, MicroSeconds(20), 7);
    uint32_t calls = 0;
    chain.run.RunUntilDelivered(0, 3, [&calls] { ++calls; });
    self.Expect(calls == 1, "the callback comes with the last message");
    const std::string table = Printed([&chain] { chain.run.Finish(); });
    self.Expect(table.find("data_hops") != table.npos, "the table for people");
    self.Expect(chain.run.GetCompletionTimes(0).size() == 3, "all messages");
    self.Expect(chain.run.GetCompletionTimes(7).size() == 1, "messages of a tag");

    const CsvRows messages = ReadCsv(out / "messages.csv");
    self.Expect(messages.size() == 3, "messages");
    ExpectRow(self,
              messages,
              0,
              {{"src", 0},
               {"dst", 2},
               {"message", 0},
               {"traffic_class", 0},
               {"bytes", 4096},
               {"start_s", 0},
               {"end_s", 4.0296e-6},
               {"fct_s", 4.0296e-6},
               {"ideal_s", 4.0296e-6},
               {"slowdown", 1},
               {"hpcc_ideal_s", (7.4 + 3 * 0.32768 + 0.3296) * 1e-6}});
    ExpectRow(self,
              messages,
              1,
              {{"message", 1},
               {"bytes", 8192},
               {"start_s", 10e-6},
               {"end_s", 14.3592e-6},
               {"fct_s", 4.3592e-6},
               {"ideal_s", 4.3592e-6},
               {"hpcc_ideal_s", (7.4 + 3 * 0.32768 + 2 * 0.3296) * 1e-6}});
    ExpectRow(self,
              messages,
              2,
              {{"src", 1},
               {"bytes", 100},
               {"end_s", 22.35992e-6},
               {"fct_s", 2.35992e-6},
               {"ideal_s", 2.35992e-6},
               {"slowdown", 1},
               {"hpcc_ideal_s", (4.7 + 2 * 0.32768 + 0.00992) * 1e-6}});

    const CsvRows flows = ReadCsv(out / "flows.csv");
    self.Expect(flows.size() == 2, "flows");
    // The ideal has the pause between the two messages in it, HPCC's is that of one message.
    ExpectRow(self,
              flows,
              0,
              {{"src", 0},
               {"dst", 2},
               {"traffic_class", 0},
               {"messages", 2},
               {"bytes", 12'288},
               {"start_s", 0},
               {"end_s", 14.3592e-6},
               {"goodput_bps", 12'288 * 8 / 14.3592e-6},
               {"ideal_s", 14.3592e-6},
               {"slowdown", 1},
               {"hpcc_ideal_s", (7.4 + 3 * 0.32768 + 3 * 0.3296) * 1e-6}});
    ExpectRow(self,
              flows,
              1,
              {{"src", 1},
               {"messages", 1},
               {"goodput_bps", 800 / 2.35992e-6},
               {"ideal_s", 2.35992e-6},
               {"slowdown", 1},
               {"hpcc_ideal_s", (4.7 + 2 * 0.32768 + 0.00992) * 1e-6}});

    // Three frames over three links and one over two. Each of the three is acknowledged between the
    // switches by itself: they are 329.6 ns apart, and an ACK waits for 30 ns.
    std::map<std::string, double> summary;
    for (const auto& row : ReadCsv(out / "summary.csv"))
    {
        summary[row.at("metric") + SubjectOf(row)] = std::stod(row.at("value"));
    }
    const std::map<std::string, double> expected{{"bytes_offered", 12'388},
                                                 {"bytes_delivered", 12'388},
                                                 {"bytes_in_flight", 0},
                                                 {"bytes_droppedcause=corrupt", 0},
                                                 {"bytes_droppedcause=no-route", 0},
                                                 {"simulated_time", 22.35992e-6},
                                                 {"data_hops", 11},
                                                 {"control_hops", 3}};
    self.Expect(summary == expected, "the common figures, and no others: " + table);
}

/**
 * Two hosts send without end to a third. The heads of their frames have passed the switch's latency
 * at 1.35 us and every 329.6 ns from then on, and the output begins a frame as often, of the two in
 * turn: by 10.1 us these are 27 of each, and 27.
 */
void
TestSamples(FunctionCase& self)
{
    const ScratchFolder folder(self, "fabric-run-samples");
    const fs::path& out = folder.Get();
    ChainRun chain({2}, {"--out=" + out.string(), "--flowChannels=off", "--samplePeriod=10.1us"});
    chain.Send(0, 2, 1 << 20, Time(0));
    chain.Send(1, 2, 1 << 20, Time(0));
    chain.run.RunFor(NanoSeconds(20'200));
    Printed([&chain] { chain.run.Finish(); });
    const CsvRows rows = ReadCsv(out / "ports.csv");
    self.Expect(rows.size() == 3, "a row for each port, and no sample at the end");
    self.Expect(rows[0].count("output_buffer_bytes") == 0, "without tiles there is no such column");
    constexpr double FRAME = 4120;
    const std::map<std::string, double> input{{"time_s", 10.1e-6},
                                              {"switch", 0},
                                              {"queued_bytes", 0},
                                              {"sent_bytes", 0}};
    ExpectRow(self, rows, 0, input);
    ExpectRow(self, rows, 0, {{"port", 0}, {"held_bytes", (27 - 14) * FRAME}});
    ExpectRow(self, rows, 1, input);
    ExpectRow(self, rows, 1, {{"port", 1}, {"held_bytes", (27 - 13) * FRAME}});
    ExpectRow(self,
              rows,
              2,
              {{"time_s", 10.1e-6},
               {"port", 2},
               {"queued_bytes", (2 * 27 - 27) * FRAME},
               {"held_bytes", 0},
               {"sent_bytes", 27 * FRAME}});
}

/**
 * As above, with tiles: the first sample of the output. Its buffer of 27,072 bytes has room for six
 * frames, of which the first is on the wire, so it has granted up to five more than it has begun.
 *
 * @param frames of each host
 * @param queued frames that have not been granted
 * @param buffered frames that have, and have not left
 */
void
TestTiledSamples(FunctionCase& self, uint64_t frames, uint32_t queued, uint32_t buffered)
{
    const ScratchFolder folder(self, "fabric-run-tiled-samples");
    const fs::path& out = folder.Get();
    Config::SetDefault("ns3::FabricSwitch::Crossbar", StringValue("tiled"));
    ChainRun chain({2}, {"--out=" + out.string(), "--flowChannels=off", "--samplePeriod=10.1us"});
    Config::Reset();
    chain.Send(0, 2, frames * 4096, Time(0));
    chain.Send(1, 2, frames * 4096, Time(0));
    chain.run.RunUntilDelivered(1, 2);
    Printed([&chain] { chain.run.Finish(); });
    const CsvRows rows = ReadCsv(out / "ports.csv");
    constexpr double FRAME = 4120;
    ExpectRow(self,
              rows,
              queued == 0 ? 0 : 2, // else inputs hold something, too
              {{"time_s", 10.1e-6},
               {"port", 2},
               {"queued_bytes", queued * FRAME},
               {"held_bytes", 0},
               {"sent_bytes", 27 * FRAME},
               {"output_buffer_bytes", buffered * FRAME}});
}

/**
 * A frame passes two switches. Its channels open when its head has passed the latency of each; the
 * second switch acknowledges it at once, sends the ACK 30 ns later (AckIdleTimer) and has nothing
 * of it left; the first has when the ACK has come in and passed the control latency.
 */
void
TestChannels(FunctionCase& self)
{
    const ScratchFolder folder(self, "fabric-run-channels");
    const fs::path& out = folder.Get();
    ChainRun chain({1, 1}, {"--out=" + out.string(), "--channels=true"});
    chain.Send(0, 2, 3000, Time(0));
    chain.run.RunUntilDelivered(0, 1);
    Printed([&chain] { chain.run.Finish(); });
    const CsvRows rows = ReadCsv(out / "channels.csv");
    self.Expect(rows.size() == 2, "a row for each switch");
    const std::map<std::string, double> both{{"flow_id", 1},
                                             {"src", 0},
                                             {"dst", 2},
                                             {"traffic_class", 0},
                                             {"frames", 1},
                                             {"bytes", 3000},
                                             {"frames_sent", 1},
                                             {"bytes_sent", 3000},
                                             {"queue_units", 0},
                                             {"flow_units", 0},
                                             {"peak_queue_units", 12},
                                             {"peak_flow_units", 12},
                                             {"peak_total_units", 12}};
    ExpectRow(self, rows, 0, both);
    ExpectRow(self, rows, 1, both);
    const double ackFrame = 8e-11 * AckFrameBytes(1);
    ExpectRow(self, rows, 0, {{"switch", 1}, {"opened_s", 2.7e-6}, {"closed_s", 2.73e-6}});
    ExpectRow(self, rows, 0, {{"output_flow_id", 0}});
    ExpectRow(self, rows, 1, {{"switch", 0}, {"opened_s", 1.35e-6}, {"output_flow_id", 1}});
    ExpectRow(self, rows, 1, {{"closed_s", 3.78e-6 + ackFrame}});
}

/**
 * The run goes on after what it waits for: a frame of host 0 passes before its long message and
 * that of host 1, which keep the output busy. Samples after the run's end are not written.
 */
void
TestEnd(FunctionCase& self)
{
    const ScratchFolder folder(self, "fabric-run-end");
    ChainRun chain({2}, {"--out=" + folder.Get().string(), "--samplePeriod=2us"});
    chain.Send(0, 2, 100, Time(0));
    chain.Send(0, 2, 1 << 16, Time(0), 2);
    chain.Send(1, 2, 1 << 16, Time(0), 2);
    chain.run.RunUntilDelivered(1, 1);
    self.Expect(Simulator::Now() > MicroSeconds(10), "the others were sent, too");
    Printed([&chain] { chain.run.Finish(); });
    const double end = chain.run.GetCompletionTimes(1).at(0);
    const CsvRows rows = ReadCsv(folder.Get() / "ports.csv");
    self.Expect(!rows.empty(), "samples before the end");
    for (const auto& row : rows)
    {
        self.Expect(std::stod(row.at("time_s")) < end, "sample at " + row.at("time_s"));
    }
}

/// Two messages at once: the second, of a frame, waits at its host for the 40 frames of the first.
void
TestSlowdown(FunctionCase& self)
{
    const ScratchFolder folder(self, "fabric-run-slowdown");
    ChainRun chain({1, 1}, {"--out=" + folder.Get().string()});
    chain.Send(0, 2, 40 * 4096, Time(0));
    chain.Send(0, 2, 4096, Time(0));
    chain.run.RunUntilDelivered(0, 2);
    Printed([&chain] { chain.run.Finish(); });
    const double fct = 41 * 0.3296 + 3.7;
    ExpectRow(self,
              ReadCsv(folder.Get() / "messages.csv"),
              1,
              {{"bytes", 4096}, {"fct_s", fct * 1e-6}, {"slowdown", fct / 4.0296}});
    ExpectRow(self, ReadCsv(folder.Get() / "flows.csv"), 0, {{"messages", 2}, {"slowdown", 1}});
}

void
TestBreaches(FunctionCase& self)
{
    const ScratchFolder folder(self, "fabric-run-breach");
    const fs::path& out = folder.Get();
    ChainRun chain({1}, {"--out=" + out.string()});
    chain.Send(0, 1, 100, Time(0));
    self.Expect(Refusal<InvariantError>([&chain] { chain.run.RunUntilDelivered(0, 2); }) ==
                    "the run ended with 1 of 2 messages delivered",
                "a message is missing");
    RunTotals totals;
    totals.bytesOffered = 1;
    self.Expect(Refusal<InvariantError>([&] {
                    chain.run.Finish(totals);
                }).find("conservation: 1 bytes") == 0,
                "a byte is missing");
}

/// A run on a ring of four switches; each of the four hosts sends eight messages.
struct RingRun
{
    FabricRun run{"fabric-example.cc", "An example."}; ///< The run.
    const FabricContainer* fabric{nullptr};            ///< Its fabric.

    /// @param errors part of the frames that links damage
    /// @param linkControl of all switches
    explicit RingRun(std::vector<std::string> arguments,
                     double errors = 0,
                     const std::string& linkControl = "credits")
    {
        Command command(std::move(arguments));
        run.Parse(command.Count(), command.Arguments());
        if (errors > 0)
        {
            run.GetHelper().SetErrorModel(FrameErrors(errors));
        }
        run.GetHelper().SetSwitchAttribute("LinkFlowControl", StringValue(linkControl));
        const SwitchRing ring(4);
        run.GetHelper().SetRouteCheck(ROUTES_ARE_PROVEN); // they are not: it is to deadlock
        fabric = &run.Install(ring.plan, ring.routing);
        int64_t stream = 0;
        for (const auto* links : {&fabric->links, &fabric->hostLinks})
        {
            for (const Ptr<FabricChannel>& link : *links)
            {
                for (const Ptr<ErrorModel>& model : link->GetErrorModels())
                {
                    if (model)
                    {
                        DynamicCast<RateErrorModel>(model)->AssignStreams(++stream);
                    }
                }
            }
        }
        FabricMessageSenderHelper sender(4 << 20);
        sender.SetAttribute("Count", UintegerValue(8));
        sender.SetAttribute("Tag", UintegerValue(1));
        for (uint32_t host = 0; host < 4; ++host)
        {
            sender.Install(*fabric, host, (host + 3) % 4);
        }
    }

    ~RingRun()
    {
        Simulator::Destroy();
    }

    /// @return what RunUntilDelivered() throws
    std::string Wait()
    {
        return Refusal<InvariantError>([this] { run.RunUntilDelivered(1, 32); });
    }
};

/// A deadlock ends a run with an error, whether it waits for messages or for a time.
void
TestDeadlock(FunctionCase& self)
{
    const ToldErrors told;
    std::string waited;
    for (const std::string lookahead : {"on", "off"})
    {
        const std::string text = RingRun({"--flowChannels=off", "--lookahead=" + lookahead}).Wait();
        waited = waited.empty() ? text : waited;
        self.ExpectEqual(text, waited, "look-ahead " + lookahead);
    }
    RingRun timed({"--flowChannels=off"});
    timed.run.RunFor(MilliSeconds(2));
    const std::string ended = Refusal<InvariantError>([&timed] { timed.run.Finish(); });
    const std::string begin = "the run ended with 0 of 32 messages delivered; deadlock: ";
    self.ExpectEqual(waited.substr(0, begin.size()), begin, "waits for messages");
    self.Expect(waited.find(RING_CYCLE) != waited.npos, waited);
    self.ExpectEqual(ended.substr(0, 10), std::string("deadlock: "), "ends at a time");
    self.Expect(ended.find(RING_CYCLE) != ended.npos, ended);
    for (const std::string control : {"pause", "priority-pause"})
    {
        const std::string text = RingRun({"--flowChannels=off"}, 0, control).Wait();
        self.ExpectEqual(text.substr(0, begin.size()), begin, control);
        self.Expect(text.find(RING_CYCLE) != text.npos, control + ": " + text);
    }
    self.ExpectEqual(RingRun({"--flowChannels=on"}).Wait(), std::string(), "with flow channels");
}

/// Where switches pause each other, an hour without a message takes no more than some looks for a
/// deadlock: one every millisecond took minutes.
void
TestIdleHour(FunctionCase& self)
{
    ChainRun chain({1, 1},
                   {"--flowChannels=off",
                    "--ns3::FabricSwitch::EdgeFlowControl=priority-pause",
                    "--ns3::FabricSwitch::LinkFlowControl=priority-pause"});
    chain.Send(0, 2, 4096, Time(0));
    chain.Send(0, 2, 4096, Hours(1));
    chain.run.RunUntilDelivered(1, 2);
    const std::vector<double> times = chain.run.GetCompletionTimes(1);
    self.Expect(times.size() == 2 && times[0] == times[1], "both take the same time");
    self.Expect(Simulator::GetEventCount() < 1000,
                std::to_string(Simulator::GetEventCount()) + " events");
}

/// Messages that lost a frame are not waited for, though somebody sends without end.
void
TestLostMessages(FunctionCase& self)
{
    std::string reference;
    for (const std::string how : {"--lookahead=on", "--lookahead=off", "--threads=2"})
    {
        RingRun ring({how}, 2e-4);
        FabricMessageSenderHelper endless(100'000);
        endless.SendOnEvery(MicroSeconds(10));
        endless.Install(*ring.fabric, 0, 1);
        const std::string text = ring.Wait();
        reference = reference.empty() ? text : reference;
        self.ExpectEqual(text, reference, how);
        const std::string end = " lost frames for good";
        self.Expect(text.find("the run ended with ") == 0 && text.find("; ") != text.npos, text);
        self.Expect(text.size() > end.size() &&
                        text.compare(text.size() - end.size(), end.size(), end) == 0,
                    text);
    }
}

void
TestRefusals(FunctionCase& self)
{
    const ScratchFolder folder(self, "fabric-run-refused");
    const fs::path& out = folder.Get();
    const std::vector<std::pair<std::vector<std::string>, std::string>> refusals{
        {{"--oversubscription=x"}, "--oversubscription=x: allowed is down:up"},
        {{"--channels=true", "--flowChannels=off"},
         "--channels=true: allowed is false where --flowChannels is off"},
        {{"--k=65"}, "--k=65 --levels=3 --oversubscription=1:1: "},
        {{"--linkDelay=0"}, "--linkDelay=0: allowed is a time from 1ns to 10ms"},
        {{"--ns3::FabricNetwork::Threads=2"}, "--ns3::FabricNetwork::Threads: the program sets it"},
        {{"--levels=2", "--k=4", "--oversubscription=4:1"}, "--k=4 --levels=2 "},
        {{"--samplePeriod=2s"}, "--samplePeriod=2s: allowed is a time from 0ps to 1s"}};
    for (auto [arguments, begin] : refusals)
    {
        arguments.push_back("--out=" + out.string());
        Command command(arguments);
        FabricRun run("fabric-example.cc", "An example.");
        run.AddTreeOptions();
        const std::string sentence = Refusal([&] {
            run.Parse(command.Count(), command.Arguments());
            run.InstallTree();
        });
        self.Expect(sentence.rfind(begin, 0) == 0, "'" + sentence + "' instead of " + begin);
    }
    self.Expect(!fs::exists(out) || fs::is_empty(out), "nothing is written");
}

/// The suite.
class FabricRunSuite : public FunctionSuite
{
  public:
    FabricRunSuite()
        : FunctionSuite("fabric-run", kUnit)
    {
        Add("PR-3 SC-5 columns of messages, flows and the summary are those by hand", TestFigures);
        Add("FC-3 PR-3 channels.csv has what flow channels did", TestChannels);
        Add("SC-5 samples of ports are those by hand", TestSamples);
        Add("SC-5 SW-13 a full output buffer",
            [](FunctionCase& self) { TestTiledSamples(self, 257, 2 * 27 - 27 - 5, 6); });
        Add("SC-5 SW-13 an output buffer alone",
            [](FunctionCase& self) { TestTiledSamples(self, 15, 0, 2 * 15 - 27 + 1); });
        Add("SC-5 no sample is later than the end", TestEnd);
        Add("SC-5 the slowdown of a message that waits is that by hand", TestSlowdown);
        Add("PR-4 a run that loses a message or a byte says so", TestBreaches);
        Add("PR-4 a run that is deadlocked says who waits for whom", TestDeadlock);
        Add("PR-4 an hour without messages takes no time where switches pause", TestIdleHour);
        Add("PR-4 a run ends without messages that are lost for good", TestLostMessages);
        Add("PR-4 a run refuses options with a sentence", TestRefusals);
    }
};

const FabricRunSuite g_fabricRunSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
