/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-function-case.h"
#include "fabric-packet-engine.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t DATA_FRAME = WireBytes(MAX_PAYLOAD);                ///< Bytes on the wire.
constexpr uint32_t HEADER_FRAME = WireBytes(TrimSettings().keptBytes); ///< Bytes on the wire.
constexpr auto CUT = static_cast<std::size_t>(DropCause::TRIMMED);
constexpr auto LOST_ALL = static_cast<std::size_t>(DropCause::TAIL_DROP);

/// @return settings: class 0 is lossless, class 1 is trimmed, class 2 carries the headers
SwitchConfig
TrimConfig(uint32_t packets, uint32_t headers)
{
    SwitchConfig config;
    config.buffer.shares.virtualChannels = 3;
    config.buffer.vcOfClass[1] = 1;
    config.buffer.vcOfClass[2] = 2;
    config.buffer.lossyClasses = 0b110;
    config.buffer.trim.classes = 0b010;
    config.buffer.trim.headerClass = 2;
    config.buffer.trim.thresholdBytes = packets * DATA_FRAME;
    config.buffer.lossyBytes = packets * DATA_FRAME + headers * HEADER_FRAME;
    config.buffer.SetLossyChannels();
    config.flowChannels.noFlowClasses = 0b100;
    return config;
}

/// Switches in a row, whose hosts send packets of an engine.
class TrimBed
{
  public:
    TrimBed(const ChainSources& sources, const SwitchConfig& config, bool lookahead = true)
        : m_plan(MakeChainPlan(sources))
    {
        NicConfig nic;
        nic.vcOfClass = config.buffer.vcOfClass;
        bed = std::make_unique<TestBed>(
            m_plan,
            MakeShortestPathRouting(m_plan),
            config,
            nic,
            [](std::size_t) { return std::make_pair(LinkRate(200'000'000'000), 100 * NS); },
            lookahead);
        for (std::size_t host = 0; host < bed->Hosts(); ++host)
        {
            engines.push_back(std::make_unique<PacketEngine>(bed->GetNic(host)));
        }
    }

    /// @return what switches have counted, in all
    SwitchCounts Sum() const
    {
        SwitchCounts sum;
        for (std::size_t i = 0; i < bed->Chips(); ++i)
        {
            const SwitchCounts& counts = bed->Chip(i).Counts();
            sum.trimmedFrames += counts.trimmedFrames;
            sum.droppedFrames += counts.droppedFrames;
            sum.droppedPayload[CUT] += counts.droppedPayload[CUT];
            sum.droppedPayload[LOST_ALL] += counts.droppedPayload[LOST_ALL];
        }
        return sum;
    }

    /// @return frames that came to a host: those with all of their payload, and headers
    std::pair<uint64_t, uint64_t> Arrived(std::size_t host, uint32_t bytes) const
    {
        uint64_t whole = 0;
        uint64_t headers = 0;
        for (const Frame& frame : engines[host]->arrivals)
        {
            whole += frame.payload == bytes;
            headers += frame.payload < bytes;
        }
        return {whole, headers};
    }

    /// @return bytes of credit of all senders that nobody gives back; for when nothing is left
    uint64_t MissedCredit() const
    {
        uint64_t missed = 0;
        const auto add = [&missed](const Transmitter& sender) {
            for (uint32_t vc = 0; vc < VIRTUAL_CHANNELS; ++vc)
            {
                missed += sender.Credits().Used(vc) - sender.Credits().OnTheWay(vc);
            }
        };
        for (std::size_t i = 0; i < bed->Chips(); ++i)
        {
            for (uint32_t port = 0; port < bed->Chip(i).Config().ports; ++port)
            {
                if (!bed->Chip(i).Host(port))
                {
                    add(bed->Chip(i).Output(port));
                }
            }
        }
        for (std::size_t host = 0; host < bed->Hosts(); ++host)
        {
            add(bed->GetNic(host).Uplink());
        }
        return missed;
    }

    std::unique_ptr<TestBed> bed;                       ///< Switches and NICs.
    std::vector<std::unique_ptr<PacketEngine>> engines; ///< By host.

  private:
    TopologyPlan m_plan; ///< Of the bed.
};

/// An incast of three: each packet comes once, whole or as its header, and headers overtake.
void
TestTrimmedIncast(FunctionCase& test)
{
    for (const bool hasChannels : {false, true})
    {
        SwitchConfig config = TrimConfig(8, 200);
        config.flowChannels.enabled = hasChannels;
        config.congestion.hopCredits = false;
        TrimBed run({3, 1}, config);
        constexpr uint32_t PACKETS = 300;
        constexpr uint32_t RECEIVER = 4;
        for (uint32_t host = 0; host < 3; ++host)
        {
            run.engines[host]->Send(LocationOf(RECEIVER), 1, PACKETS, MAX_PAYLOAD, 1000 * host);
        }
        run.bed->RunToEnd();
        run.bed->Check();
        test.Expect(run.bed->IsEmpty(), "nothing is left");
        const SwitchCounts sum = run.Sum();
        const auto [whole, headers] = run.Arrived(RECEIVER, MAX_PAYLOAD);
        test.ExpectEqual(whole + headers, 3 * PACKETS, "each comes");
        test.Expect(headers > PACKETS, Text("most are trimmed: ", headers));
        test.ExpectEqual(headers, sum.trimmedFrames, "as is counted");
        test.ExpectEqual(sum.droppedFrames, 0, "none is dropped");
        test.ExpectEqual(sum.droppedPayload[CUT],
                         headers * (MAX_PAYLOAD - config.buffer.trim.keptBytes),
                         "bytes that were cut off");
        std::vector<uint32_t> seen(3 * 1000);
        std::vector<uint32_t> newest(3);
        bool hasOvertaken = false;
        for (const Frame& frame : run.engines[RECEIVER]->arrivals)
        {
            ++seen[frame.handle];
            const uint32_t source = frame.handle / 1000;
            const bool isHeader = frame.payload < MAX_PAYLOAD;
            test.ExpectEqual(frame.trafficClass, isHeader ? 2 : 1, "class");
            hasOvertaken = hasOvertaken || (!isHeader && frame.handle < newest[source]);
            newest[source] = std::max(newest[source], frame.handle);
        }
        test.Expect(std::all_of(seen.begin(), seen.end(), [](uint32_t n) { return n <= 1; }),
                    "none comes twice");
        test.Expect(hasOvertaken, "headers do not wait behind what fills the queue");
    }
}

/// Data takes as much as the threshold says, headers what is left of the depth, to the byte.
void
TestTrimDepth(FunctionCase& test)
{
    for (const uint32_t headers : {1U, 3U})
    {
        SwitchConfig config = TrimConfig(2, headers);
        TrimBed run({4}, config);
        for (uint32_t host = 0; host < 4; ++host)
        {
            run.engines[host]->Send(LocationOf(4), 1, 200, MAX_PAYLOAD, 1000 * host);
        }
        run.bed->RunToEnd();
        run.bed->Check();
        for (uint32_t port = 0; port < 4; ++port)
        {
            const uint32_t peak = run.bed->Chip(0).PeakHeldBytes(port);
            test.Expect(peak > 2 * DATA_FRAME && peak <= config.buffer.lossyBytes,
                        Text("port ", port, " held ", peak));
        }
        const auto [whole, trimmed] = run.Arrived(4, MAX_PAYLOAD);
        const SwitchCounts sum = run.Sum();
        test.ExpectEqual(whole + trimmed + sum.droppedFrames, 4 * 200, "each is accounted for");
        test.ExpectEqual(sum.droppedPayload[LOST_ALL],
                         sum.droppedFrames * MAX_PAYLOAD,
                         "what has no room even for its header is dropped");
    }
}

/// What has no payload to spare is never trimmed, and has the headers' room.
void
TestSmallPackets(FunctionCase& test)
{
    SwitchConfig config = TrimConfig(2, 1000);
    TrimBed run({4}, config);
    const auto bytes = static_cast<uint16_t>(config.buffer.trim.keptBytes);
    for (uint32_t host = 0; host < 4; ++host)
    {
        run.engines[host]->Send(LocationOf(4), 1, 100, bytes, 1000 * host);
    }
    run.bed->RunToEnd();
    run.bed->Check();
    test.ExpectEqual(run.Sum().trimmedFrames, 0, "none is trimmed");
    test.ExpectEqual(run.Arrived(4, bytes).first, 400, "all come");
}

/// Any traffic of engines and messages: all is accounted for, lossless messages all arrive, and
/// look-ahead changes nothing.
void
TestTrimRandom(FunctionCase& test)
{
    const TestSeeds seeds(40);
    uint64_t trimmed = 0;
    uint64_t dropped = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::string told[2];
        for (const bool lookahead : {true, false})
        {
            std::minstd_rand random(seed);
            SwitchConfig config = TrimConfig(1 + random() % 8, 1 + random() % 40);
            config.flowChannels.enabled = random() % 2 == 0;
            config.congestion.hopCredits = random() % 2 == 0;
            config.timing.forwarding = random() % 2 == 0 ? CUT_THROUGH : STORE_AND_FORWARD;
            const ChainSources sources{static_cast<uint32_t>(1 + random() % 3),
                                       static_cast<uint32_t>(1 + random() % 3),
                                       1};
            TrimBed run(sources, config, lookahead);
            const auto hosts = static_cast<uint32_t>(run.bed->Hosts() - 1);
            uint64_t sent = 0;
            for (uint32_t host = 0; host < hosts; ++host)
            {
                const uint32_t packets = random() % 100;
                const uint32_t to = random() % 3 == 0 ? (host + 1) % hosts : hosts;
                if (to != host)
                {
                    run.engines[host]->Send(LocationOf(to),
                                            1,
                                            packets,
                                            1 + random() % MAX_PAYLOAD,
                                            1000 * host);
                    sent += packets;
                }
                run.bed->Send(host, hosts, 1 + random() % 60'000, 0, random() % (10 * US));
            }
            run.bed->RunToEnd();
            run.bed->Check();
            test.Expect(run.bed->IsEmpty(), Text("seed ", seed, ": something is left"));
            test.ExpectEqual(run.MissedCredit(), 0, Text("seed ", seed, ": credit"));
            std::ostringstream text;
            uint64_t arrived = 0;
            for (const auto& engine : run.engines)
            {
                for (const Frame& frame : engine->arrivals)
                {
                    text << frame.time << " " << frame.handle << " " << frame.payload << "\n";
                }
                arrived += engine->arrivals.size();
            }
            for (const TestBed::Delivery& each : run.bed->Deliveries())
            {
                text << each.at << " " << each.src << " " << each.sequence << "\n";
            }
            const SwitchCounts sum = run.Sum();
            test.ExpectEqual(arrived + sum.droppedFrames, sent, Text("seed ", seed, ": packets"));
            test.ExpectEqual(run.bed->Deliveries().size(),
                             hosts,
                             Text("seed ", seed, ": messages"));
            trimmed += sum.trimmedFrames;
            dropped += sum.droppedFrames;
            told[lookahead] = text.str();
        }
        test.ExpectSame(told[0], told[1], "seed " + std::to_string(seed));
    }
    test.Expect(!seeds.AreMany() || (trimmed > 0 && dropped > 0),
                "some are trimmed, some have no room even for that");
}

/// Settings that make no sense.
void
TestTrimRefusals(FunctionCase& test)
{
    const auto refuses = [&](const auto& change, const std::string& begin) {
        SwitchConfig config = TrimConfig(8, 10);
        config.Validate();
        change(config.buffer.trim);
        const std::string told = Refusal([&] { config.Validate(); });
        test.Expect(told.find(begin) == 0 && told.find("allowed") != told.npos, told);
    };
    refuses([](TrimSettings& trim) { trim.classes = 0b1001; }, "TrimClasses is 9; ");
    refuses([](TrimSettings& trim) { trim.headerClass = 0; }, "TrimHeaderClass: class 0 is ");
    refuses([](TrimSettings& trim) { trim.headerClass = 1; }, "TrimHeaderClass: class 1 has the ");
    SwitchConfig config = TrimConfig(8, 10);
    config.buffer.trim.thresholdBytes = config.buffer.lossyBytes;
    const std::string deep = Refusal([&] { config.Validate(); });
    test.Expect(deep.find("TrimBytes: ") == 0 && deep.find("LossyDropBytes") != deep.npos, deep);
}

} // namespace

/// Trimming of lossy classes.
class TrimmingTestSuite : public TestSuite
{
  public:
    TrimmingTestSuite()
        : TestSuite("fabric-trimming", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-15 of an incast each packet comes whole or as its header", TestTrimmedIncast);
        add("FC-15 threshold and depth are kept", TestTrimDepth);
        add("FC-15 packets without payload to spare are not trimmed", TestSmallPackets);
        add("FC-15 DP-5 random packets and messages", TestTrimRandom);
        add("FC-15 settings of trimming that contradict each other are refused", TestTrimRefusals);
    }
};

static TrimmingTestSuite g_trimmingTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
