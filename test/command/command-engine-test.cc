/* SPDX-License-Identifier: GPL-2.0-only */
#include "command-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return settings that make everything happen
CommandSettings
DrawSettings(std::mt19937& random)
{
    CommandSettings settings;
    settings.queues = 1 + random() % 5;
    settings.ringSlots = 64U << random() % 2;
    settings.lowLatencySlots = random() % 5;
    settings.inlineBytes = random() % 193;
    settings.batch = 1 + random() % 12;
    settings.path = static_cast<CommandPath>(random() % 3);
    const uint32_t kind = random() % 3;
    settings.writeBack = {kind == 0 ? 4U : 256U, kind == 1, kind == 2 ? 300'000 : 0};
    settings.readSlots = 1 + random() % 6;
    settings.prefetchSlots = 8 + random() % 30;
    settings.prefetchQueues = 1 + random() % 3;
    settings.flowQueues = 1 + random() % 3;
    settings.flowCredits = 1 + random() % 20;
    settings.flowDepth = 1 + random() % 8;
    settings.readAhead = 1 + random() % 4;
    settings.classWeights = {1, 2};
    settings.queueClasses = {static_cast<uint8_t>(random() % 2)};
    settings.driver.lowLatencySlot = random() % 60'000;
    settings.stages.grant = 1 + random() % 300'000;
    return settings;
}

/// Whatever the settings are, each command is sent once, in order in its queue, and acknowledged.
void
TestAllArrive(FunctionCase& self)
{
    const TestSeeds seeds(600);
    uint64_t dropped = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const CommandSettings settings = DrawSettings(random);
        PcieSettings pcie;
        pcie.combinesWrites = random() % 2 == 0;
        CommandBed bed(settings, pcie);
        uint64_t posted = 0;
        for (uint32_t queue = 0; queue < settings.queues; ++queue)
        {
            for (uint32_t i = 0; i < 3; ++i)
            {
                CommandStream stream;
                stream.op = random() % 2 == 0 ? CommandOp::PUT : CommandOp::SEND;
                stream.flow.trafficClass = static_cast<uint8_t>(random() % 2);
                stream.bytes = random() % 4 == 0 ? random() % 6000 : random() % 200;
                stream.count = 1 + random() % 60;
                stream.gap = random() % 2 == 0 ? 0 : random() % 200'000;
                stream.isRandom = random() % 2 == 0;
                stream.seed = seed;
                stream.outstanding = random() % 3;
                posted += stream.count;
                bed.Post(queue, stream);
            }
        }
        bed.Run();
        const CommandNicCounts& nic = bed.Engine(0).Processor().Counts();
        const CommandArrivalCounts& there = bed.Engine(1).Receiver().Counts();
        self.ExpectEqual(nic.commands, posted, Text("seed ", seed, ": processed"));
        self.ExpectEqual(there.puts + there.sends, posted, Text("seed ", seed, ": arrived"));
        self.ExpectEqual(bed.Reports(0).size(), posted, Text("seed ", seed, ": acknowledged"));
        self.ExpectEqual(bed.Reports(1).size(), there.sends, Text("seed ", seed, ": told"));
        self.ExpectEqual(bed.Engine(0).Sender().Outstanding(), 0, Text("seed ", seed, ": open"));
        self.Expect(nic.accepted + nic.dropped == bed.Engine(0).Host().Counts().lowLatency,
                    Text("seed ", seed, ": accepted or dropped"));
        dropped += nic.dropped;
    }
    self.Expect(dropped > seeds.count, Text("only ", dropped, " were dropped"));
}

/// Packets of a flow leave in the order of their commands.
void
TestOrder(FunctionCase& self)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings = DrawSettings(random);
        settings.queues = 1;
        settings.queueClasses = {};
        CommandBed bed(settings);
        for (uint32_t i = 0; i < 40; ++i)
        {
            CommandStream stream;
            stream.bytes = 1 + 7 * i + random() % 7; // ascending, so that they tell the order
            bed.Post(0, stream);
        }
        bed.Run();
        const std::vector<CommandPacket>& sent = bed.Sent(0);
        self.ExpectEqual(sent.size(), 40, Text("seed ", seed, ": packets"));
        self.Expect(std::is_sorted(sent.begin(),
                                   sent.end(),
                                   [](const CommandPacket& left, const CommandPacket& right) {
                                       return left.length < right.length;
                                   }),
                    Text("seed ", seed, ": order"));
    }
}

/// @return latency of a write of some bytes, one at a time, ps
TimePs
LatencyOf(uint64_t bytes, CommandPath path, uint32_t lowLatencySlots = 2)
{
    CommandSettings settings;
    settings.path = path;
    settings.lowLatencySlots = lowLatencySlots;
    CommandBed bed(settings);
    CommandStream stream;
    stream.bytes = bytes;
    stream.count = 5;
    stream.outstanding = 1;
    bed.Post(0, stream);
    bed.Run();
    const CommandReport& last = bed.Reports(0).back();
    return last.at - last.postedAt;
}

/// The step between 64 and 128 bytes is the path that is given up, and no constant.
void
TestStep(FunctionCase& self)
{
    const TimePs step = LatencyOf(128, PATH_LOW_LATENCY) - LatencyOf(64, PATH_LOW_LATENCY);
    self.ExpectNear(static_cast<double>(step), 600'000, 30'000, "given up for 256 bytes");
    const TimePs deeper = LatencyOf(128, PATH_LOW_LATENCY, 4) - LatencyOf(64, PATH_LOW_LATENCY, 4);
    self.Expect(deeper < 60'000, Text("a buffer of 256 bytes has no such step: ", deeper));
    const TimePs without = LatencyOf(128, PATH_MEMORY) - LatencyOf(64, PATH_MEMORY);
    self.Expect(without < 60'000, Text("nor has the memory path: ", without));
}

/// A malformed command halts its queue, and the others go on.
void
TestMalformed(FunctionCase& self)
{
    CommandSettings settings;
    settings.queues = 2;
    for (const CommandPath path : {PATH_MEMORY, PATH_LOW_LATENCY})
    {
        for (const uint8_t slots : {2, 3, 5, 255})
        {
            settings.path = path;
            CommandBed bed(settings);
            CommandStream stream;
            stream.bytes = 8;
            stream.count = 10;
            bed.Post(0, stream);
            bed.Post(1, stream);
            stream.badSlots = slots;
            stream.count = 1;
            bed.Post(0, stream);
            stream.badSlots = 0;
            stream.count = 5000;
            bed.Post(0, stream);
            stream.count = 100;
            bed.Post(1, stream);
            bed.Run();
            const CommandNicCounts& nic = bed.Engine(0).Processor().Counts();
            self.ExpectEqual(nic.errors, 1, Text("errors with ", +slots, " slots"));
            self.ExpectEqual(nic.commands, 10 + 110, "what came before, and the other queue");
            self.Expect(bed.Engine(0).Host().IsHalted(0), "software sees it");
            self.Expect(!bed.Engine(0).Host().IsHalted(1), "of this queue only");
            const CommandHostCounts& host = bed.Engine(0).Host().Counts();
            self.ExpectEqual(host.posted + host.abandoned, 10 + 1 + 5000 + 110, "all are counted");
            self.Expect(host.abandoned > 0, "some were never written");
        }
    }
}

/// Batches need fewer doorbells, and one read for several commands.
void
TestBatches(FunctionCase& self)
{
    const auto run = [](uint32_t batch) {
        CommandSettings settings;
        settings.path = PATH_MEMORY;
        settings.batch = batch;
        CommandBed bed(settings);
        CommandStream stream;
        stream.count = 800;
        bed.Post(0, stream);
        bed.Run();
        return std::pair{bed.Engine(0).Host().Counts().doorbells,
                         bed.Engine(0).Processor().Counts().reads};
    };
    self.ExpectEqual(run(1).first, 800, "doorbells one by one");
    self.ExpectEqual(run(1).second, 800, "reads one by one");
    self.ExpectEqual(run(8).first, 100, "doorbells by 8");
    self.ExpectEqual(run(8).second, 200, "reads of 4 slots");
}

/// @return time from the first command that goes on to the last one, of a stream of one queue, ps
TimePs
TimeOf(const CommandSettings& settings, const PcieSettings& pcie, uint64_t bytes, uint64_t count)
{
    CommandBed bed(settings, pcie);
    bed.Watch();
    CommandStream stream;
    stream.bytes = bytes;
    stream.count = count;
    bed.Post(0, stream);
    bed.Run();
    TimePs first = NEVER;
    TimePs last = 0;
    for (const CommandStory& story : bed.Timeline().Stories())
    {
        for (const CommandSpan& span : story.spans)
        {
            if (span.stage == CommandStage::PARSER)
            {
                first = std::min(first, span.end);
                last = std::max(last, span.end);
            }
        }
    }
    return last - first;
}

/// A queue has so many slots under way: commands go no faster than reads over PCIe give these back,
/// nor than core, grants, parser, wire and PCIe allow; and where nothing else is short, as fast.
void
TestPrefetchSlots(FunctionCase& self)
{
    const TestSeeds seeds(150);
    constexpr uint64_t COUNT = 1500;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings;
        settings.path = PATH_MEMORY;
        settings.batch = 1 + random() % 64;
        settings.readSlots = 1 + random() % 4;
        settings.prefetchSlots = 4 + random() % 60;
        settings.flowDepth = 1 + random() % 64;
        settings.stages.grant = 1 + random() % 100'000;
        settings.stages.parse = 1 + random() % 100'000;
        PcieSettings pcie;
        pcie.generation = 1 + random() % 5;
        pcie.lanes = 1U << random() % 5;
        const uint64_t bytes = random() % 193;
        const uint32_t slots = Command::SlotsOf(static_cast<uint32_t>(bytes));
        const uint32_t atOnce = std::min(slots, settings.readSlots);
        const TimePs read =
            settings.stages.read + PcieLink(pcie).Read(atOnce * COMMAND_SLOT_BYTES, 0);
        const uint64_t ahead = (settings.prefetchSlots + slots - 1) / slots;
        const uint64_t steady = COUNT - 1 - settings.flowDepth - settings.readAhead;
        const TimePs tlps = LinkRate(pcie.TlpBitsPerSecond()).TxTime(slots * COMMAND_SLOT_BYTES);
        const TimePs frame = LinkRate(200'000'000'000).TxTime(WireBytes(64 + bytes));
        const std::vector<std::pair<const char*, TimePs>> least{
            {"slots", static_cast<TimePs>((COUNT - 1) / ahead) * read},
            {"grants", (COUNT - ahead) * slots / settings.readSlots * settings.stages.grant},
            {"parser", (COUNT - 1) * settings.stages.parse},
            {"wire", steady * frame},
            {"PCIe", (COUNT - ahead) * tlps},
        };
        const TimePs time = TimeOf(settings, pcie, bytes, COUNT);
        for (const auto& [what, limit] : least)
        {
            self.Expect(time >= limit,
                        Text("seed ", seed, ": ", time, " ps are less than ", limit, " of ", what));
        }
    }
    CommandSettings settings;
    settings.path = PATH_MEMORY;
    settings.batch = 64;
    for (const uint32_t prefetch : {4, 8, 12})
    {
        settings.prefetchSlots = prefetch;
        for (const uint64_t bytes : {8, 192})
        {
            const uint32_t slots = Command::SlotsOf(static_cast<uint32_t>(bytes));
            const TimePs read =
                settings.stages.read + PcieLink({}).Read(slots * COMMAND_SLOT_BYTES, 0);
            const double period = static_cast<double>(read) * slots / prefetch;
            const double time = static_cast<double>(TimeOf(settings, {}, bytes, COUNT));
            self.ExpectNear(time / (COUNT - 1) / period,
                            1,
                            0.05,
                            Text(bytes, " bytes with ", prefetch, " slots"));
        }
    }
}

/// Where grants are short, classes get them by weight.
void
TestClasses(FunctionCase& self)
{
    CommandSettings settings;
    settings.queues = 2;
    settings.path = PATH_MEMORY;
    settings.stages.grant = 100'000; // the grants are what is short
    settings.readSlots = 1;
    settings.classWeights = {1, 3};
    settings.queueClasses = {0, 1};
    CommandBed bed(settings);
    CommandStream stream;
    stream.bytes = 8;
    stream.count = 4000;
    bed.Post(0, stream);
    bed.Post(1, stream);
    bed.Run(100'000'000);
    const double first = static_cast<double>(bed.Engine(0).Processor().Queue(0).ReadPointer());
    const double second = static_cast<double>(bed.Engine(0).Processor().Queue(1).ReadPointer());
    self.ExpectNear(second / first, 3, 0.2, "by weight");
}

/// Two queues that always have commands.
struct TwoClasses
{
    std::vector<uint32_t> weights{1, 3}; ///< Of their classes.
    uint64_t bytes{8};                   ///< Of each write.
    bool hasTwoFlows{false};             ///< Whether they go to two flow queues.
    TimePs end{200'000'000};             ///< Of the run, ps.
};

/// @return commands of the second queue for each of the first one
double
ShareOf(const TwoClasses& two, CommandSettings settings, const PcieSettings& pcie = {})
{
    settings.queues = 2;
    settings.path = PATH_MEMORY;
    settings.batch = 4; // so that cores are faster than what comes behind
    settings.classWeights = two.weights;
    settings.queueClasses = {0, 1};
    CommandBed bed(settings, pcie);
    CommandStream stream;
    stream.bytes = two.bytes;
    stream.count = 1'000'000;
    bed.Post(0, stream);
    stream.flow.trafficClass = two.hasTwoFlows ? 1 : 0;
    bed.Post(1, stream);
    const auto done = [&bed](uint32_t queue) {
        return static_cast<double>(bed.Engine(0).Processor().Queue(queue).ReadPointer());
    };
    bed.Run(two.end / 3); // flow queues are filled first, alike
    const double first = done(0);
    const double second = done(1);
    bed.Run(two.end);
    return (done(1) - second) / (done(0) - first);
}

/// Classes have their shares whatever is short of what all their commands have to pass.
void
TestSharesOfClasses(FunctionCase& self)
{
    const CommandSettings settings;
    self.ExpectNear(ShareOf({{1, 3}, 4096}, settings), 3, 0.15, "the wire is short");
    self.ExpectNear(ShareOf({{1, 16}, 4096}, settings), 16, 0.8, "the wire is short, 16 times");
    self.ExpectNear(ShareOf({{5, 5}, 4096}, settings), 1, 0.02, "the wire is short, alike");
    PcieSettings narrow;
    narrow.generation = 1;
    narrow.lanes = 1;
    const TwoClasses byPcie{{1, 3}, 256, false, 2'000'000'000};
    self.ExpectNear(ShareOf(byPcie, settings, narrow), 3, 0.3, "PCIe is short");
    CommandSettings slowParser;
    slowParser.stages.parse = 200'000;
    self.ExpectNear(ShareOf({{1, 3}, 8}, slowParser), 3, 0.15, "the parser is short");
    CommandSettings fewCredits;
    fewCredits.flowCredits = 8;
    self.ExpectNear(ShareOf({{1, 3}, 4096, true}, fewCredits),
                    3,
                    0.15,
                    "credits of flow queues are short, two flows");
}

/// Flows have room of their own in flow queues, and take turns behind them: a class can't take from
/// a flow what its own has no use for.
void
TestFlowsBehindClasses(FunctionCase& self)
{
    self.ExpectNear(ShareOf({{1, 3}, 4096, true}, {}), 1, 0.1, "two flows with room");
}

/// @return mean latency of writes of 4 KiB beside cores that ring doorbells as fast as they can, ps
double
LatencyBesideDoorbells(uint32_t cores)
{
    CommandSettings settings;
    settings.queues = 1 + cores;
    settings.path = PATH_MEMORY;
    PcieSettings pcie;
    pcie.generation = 3;
    pcie.lanes = 2; // so that doorbells of 4 cores are more than it carries
    CommandBed bed(settings, pcie);
    CommandStream stream;
    stream.bytes = 8;
    stream.count = 20'000;
    for (uint32_t core = 1; core <= cores; ++core)
    {
        bed.Post(core, stream);
    }
    stream.bytes = 4096;
    stream.count = 50;
    stream.outstanding = 1;
    stream.start = 20'000'000;
    bed.Post(0, stream);
    bed.Run(1'000'000'000);
    double sum = 0;
    uint32_t count = 0;
    for (const CommandReport& report : bed.Reports(0))
    {
        if (report.queue == 0)
        {
            sum += static_cast<double>(report.at - report.postedAt);
            ++count;
        }
    }
    return sum / count;
}

/// A core's store buffers are full while PCIe is busy: doorbells don't pile up before what else has
/// to go to the NIC.
void
TestDoorbells(FunctionCase& self)
{
    const double alone = LatencyBesideDoorbells(0);
    const double beside = LatencyBesideDoorbells(8);
    // 3.5 times as long; 10 times without an end of what a core has stored, and longer with rings.
    self.Expect(beside < 5 * alone, Text("beside doorbells: ", beside, " ps, alone ", alone));
}

/// The suite.
class CommandEngineSuite : public FunctionSuite
{
  public:
    CommandEngineSuite()
        : FunctionSuite("fabric-command-engine", kUnit)
    {
        Add("NQ-3 NQ-17 all commands arrive once", TestAllArrive);
        Add("NQ-17 packets leave in order", TestOrder);
        Add("NQ-5 NQ-7 the step of the published curve", TestStep);
        Add("NQ-2 a malformed command halts its queue", TestMalformed);
        Add("NQ-4 batches of doorbells", TestBatches);
        Add("NQ-5 slots under way limit the rate", TestPrefetchSlots);
        Add("NQ-9 grants by weight of classes", TestClasses);
        Add("NQ-9 shares of classes, whatever is short", TestSharesOfClasses);
        Add("NQ-9 flows take turns behind classes", TestFlowsBehindClasses);
        Add("NQ-1 NQ-4 doorbells hold nobody up for long", TestDoorbells);
    }
};

CommandEngineSuite g_commandEngineSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
