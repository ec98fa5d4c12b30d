/* SPDX-License-Identifier: GPL-2.0-only */
#include "command-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t LONG = 65536; ///< Bytes of a command.

/// @return commands of a kind, one after the other
CommandStream
LongStream(CommandOp op, uint64_t count, uint8_t trafficClass = 0)
{
    CommandStream stream;
    stream.op = op;
    stream.bytes = LONG;
    stream.count = count;
    stream.flow.trafficClass = trafficClass;
    return stream;
}

/// @return goodput of commands of 64 KiB, GB/s
double
Goodput(CommandOp op, const CommandSettings& settings, uint32_t classes = 1)
{
    constexpr uint64_t COUNT = 100;
    CommandSettings own = settings;
    own.queues = classes;
    CommandBed bed(own);
    for (uint32_t queue = 0; queue < classes; ++queue)
    {
        bed.Post(queue, LongStream(op, COUNT, static_cast<uint8_t>(queue)));
    }
    bed.Run();
    return static_cast<double>(LONG * COUNT * classes) / static_cast<double>(bed.Now()) * 1e3;
}

/// A unit limits one flow, two of them do not: then it is the wire.
void
TestChoppingRates(FunctionCase& self)
{
    const CommandSettings settings;
    const double wire = 25.0 * 2048 / WireBytes(2048 + 64);
    self.ExpectNear(Goodput(CommandOp::SEND, settings), wire, 0.02 * wire, "sends");
    self.ExpectNear(Goodput(CommandOp::PUT, settings), 22.15, 0.4, "writes");
    self.ExpectNear(Goodput(CommandOp::GET, settings), 21.5, 0.4, "reads");
    self.ExpectNear(Goodput(CommandOp::PUT, settings, 2), wire, 0.02 * wire, "two flows");
    CommandSettings one;
    one.chopping.units = 1;
    self.ExpectNear(Goodput(CommandOp::PUT, one, 2), 22.15, 0.4, "two flows, one unit");
    CommandSettings none;
    none.chopping.putRate = 0;
    self.ExpectNear(Goodput(CommandOp::PUT, none), wire, 0.02 * wire, "no limit");
}

/// Messages of more flows than units take turns, one message each.
void
TestUnitsTakeTurns(FunctionCase& self)
{
    CommandSettings settings;
    settings.queues = 3;
    settings.chopping.units = 1;
    CommandBed bed(settings);
    for (uint32_t queue = 0; queue < 3; ++queue)
    {
        bed.Post(queue, LongStream(CommandOp::PUT, 10, static_cast<uint8_t>(queue)));
    }
    bed.Run();
    std::vector<uint32_t> order; // of commands by their first packet
    std::map<uint32_t, uint64_t> left;
    for (const CommandPacket& packet : bed.Sent(0))
    {
        if (left.emplace(packet.id, packet.length).second)
        {
            for (const uint32_t earlier : order)
            {
                self.Expect(left[earlier] == 0, "the unit has one message at a time");
            }
            order.push_back(packet.id);
        }
        left[packet.id] -= packet.bytes;
    }
    self.ExpectEqual(order.size(), 30, "messages");
    std::vector<uint32_t> done(3, 0); // by queue
    for (const CommandReport& report : bed.Reports(0))
    {
        ++done[report.queue];
        const auto [least, most] = std::minmax_element(done.begin(), done.end());
        self.Expect(*most - *least <= 1, "round-robin");
    }
}

/// A queue that hands its unit on waits from then on, ahead of those that come later.
void
TestWhoHandsOnWaits(FunctionCase& self)
{
    uint32_t later = 0;
    for (TimePs offset = 0; offset != 12'000'000; offset += 100'000)
    {
        CommandSettings settings;
        settings.queues = 4;
        settings.chopping.units = 1;
        CommandBed bed(settings);
        bed.Watch();
        bed.Post(0, LongStream(CommandOp::PUT, 1, 0));
        CommandStream two = LongStream(CommandOp::PUT, 2, 1);
        two.bytes = 2048;
        two.start = 1'000'000;
        bed.Post(1, two);
        CommandStream next = LongStream(CommandOp::PUT, 1, 2);
        next.start = 1'500'000;
        bed.Post(2, next);
        CommandStream last = LongStream(CommandOp::PUT, 1, 3);
        last.start = 2'000'000 + offset;
        bed.Post(3, last);
        bed.Run();
        const auto endOf = [&bed](uint32_t queue, uint64_t number, CommandStage stage) {
            for (const CommandStory& story : bed.Timeline().Stories())
            {
                const bool isIt = story.queue == queue && story.command.sequence == number;
                for (const CommandSpan& span : story.spans)
                {
                    if (isIt && span.stage == stage && span.offset == 0)
                    {
                        return span.end;
                    }
                }
            }
            return NEVER;
        };
        const bool isLater = endOf(3, 0, CommandStage::PARSER) > endOf(1, 0, CommandStage::CUT);
        later += isLater ? 1 : 0;
        self.Expect(!isLater || endOf(1, 1, CommandStage::CUT) < endOf(3, 0, CommandStage::CUT),
                    Text("overtaken by what came ", offset, " ps later"));
    }
    self.Expect(later > 10 && later < 120, Text("later ones: ", later));
}

/// A miss costs its time: all of them, one each way, and in the share of the draws.
void
TestTranslation(FunctionCase& self)
{
    const auto latencyOf = [](double hitRatio, uint64_t bytes) {
        CommandSettings settings;
        settings.translation.hitRatio = hitRatio;
        CommandBed bed(settings);
        CommandStream stream = LongStream(CommandOp::PUT, 1);
        stream.bytes = bytes;
        bed.Post(0, stream);
        bed.Run();
        return bed.Reports(0).at(0).at;
    };
    const TimePs miss = TranslationSettings().missTime;
    self.ExpectEqual(latencyOf(0, 1024) - latencyOf(1, 1024), 2 * miss, "both sides miss");
    self.ExpectEqual(latencyOf(0, 8) - latencyOf(1, 8), miss, "inline data comes with its command");
    CommandSettings settings;
    settings.translation.hitRatio = 0.7;
    CommandBed bed(settings);
    bed.Post(0, LongStream(CommandOp::PUT, 300));
    bed.Run();
    const double packets = 300 * LONG / 2048;
    const double most = 5 * std::sqrt(packets * 0.3 * 0.7); // standard deviations
    self.ExpectNear(static_cast<double>(bed.Engine(0).Sender().Translation().Misses()),
                    packets * 0.3,
                    most,
                    "misses of what is read");
    self.ExpectNear(static_cast<double>(bed.Engine(1).Receiver().Translation().Misses()),
                    packets * 0.3,
                    most,
                    "misses of what is written");
}

/// The bucket against one that is filled step by step.
void
TestShaperModel(FunctionCase& self)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        ShaperSettings settings;
        settings.rates = {0, (1 + random() % 400) * 1'000'000'000};
        settings.burst = static_cast<uint32_t>(1 + random() % 60000);
        OutboundShaper shaper(settings);
        const LinkRate rate(settings.rates[1]);
        double tokens = static_cast<double>(settings.burst);
        double filledAt = 0;
        TimePs ready = 0;
        TimePs last = 0;
        for (uint32_t frame = 0; frame < 100; ++frame)
        {
            const auto bytes = static_cast<uint32_t>(64 + random() % 9000);
            ready += static_cast<TimePs>(random() % 400'000);
            const double perPs = static_cast<double>(settings.rates[1]) / 8e12;
            const double needed = std::min<double>(bytes, settings.burst);
            const auto start = static_cast<double>(std::max(ready, last));
            tokens = std::min<double>(settings.burst, tokens + (start - filledAt) * perPs);
            const double waits = std::max(0.0, (needed - tokens) / perPs);
            tokens = tokens + waits * perPs - bytes;
            filledAt = start + waits;
            last = shaper.Admit(1, bytes, ready);
            self.ExpectNear(static_cast<double>(last),
                            filledAt,
                            2000,
                            Text("frame ", frame, " of seed ", seed));
            self.ExpectEqual(shaper.Admit(0, bytes, ready), ready, "a class without a limit");
            self.ExpectEqual(shaper.Admit(7, bytes, ready), ready, "a class without a rate");
        }
    }
}

/// A shaped class has its rate, and the others what is left of the wire.
void
TestShapedClass(FunctionCase& self)
{
    CommandSettings settings;
    settings.shaper.rates = {40'000'000'000, 0};
    settings.queues = 2;
    CommandBed bed(settings);
    bed.Post(0, LongStream(CommandOp::SEND, 20, 0));
    bed.Post(1, LongStream(CommandOp::SEND, 80, 1));
    bed.Run();
    TimePs shapedEnd = 0;
    TimePs otherEnd = 0;
    for (const CommandReport& report : bed.Reports(0))
    {
        (report.queue == 0 ? shapedEnd : otherEnd) = report.at;
    }
    const double perByte = static_cast<double>(WireBytes(2048 + 64)) / 2048;
    const double shaped = 20.0 * LONG * perByte * 8 / 40e9 * 1e12;
    const double other = 80.0 * LONG * perByte * 8 / 160e9 * 1e12;
    // The bucket was full at the beginning: its bytes took no time.
    const double burst = settings.shaper.burst * 8 / 40e9 * 1e12;
    self.ExpectNear(static_cast<double>(shapedEnd), shaped - burst + 2.5e6, 2e6, "shaped");
    self.ExpectNear(static_cast<double>(otherEnd), other + 2.5e6, 2.5e6, "the rest");
}

/// Random settings: all comes once, in order, and the wire has what units and shaper allow.
void
TestRandomOutbound(FunctionCase& self)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        CommandSettings settings;
        settings.queues = 4;
        settings.chopping.units = static_cast<uint32_t>(1 + random() % 4);
        settings.readAhead = static_cast<uint32_t>(1 + random() % 20);
        settings.translation.hitRatio = static_cast<double>(random() % 5) / 4;
        settings.translation.seed = seed;
        settings.shaper.rates = {random() % 2 * 30'000'000'000, 50'000'000'000};
        settings.shaper.burst = static_cast<uint32_t>(1 + random() % 20000);
        CommandBed bed(settings);
        uint64_t commands = 0;
        uint64_t bytes = 0;
        for (uint32_t queue = 0; queue < 4; ++queue)
        {
            CommandStream stream = LongStream(random() % 2 ? CommandOp::PUT : CommandOp::SEND,
                                              1 + random() % 10,
                                              static_cast<uint8_t>(random() % 3));
            stream.op = random() % 4 == 0 ? CommandOp::GET : stream.op;
            stream.bytes = random() % 20000;
            bed.Post(queue, stream);
            commands += stream.count;
            bytes += stream.op == CommandOp::GET ? 0 : stream.bytes * stream.count;
        }
        bed.Run();
        self.ExpectEqual(bed.Reports(0).size(), commands, Text("completions, seed ", seed));
        self.ExpectEqual(bed.Engine(0).Sender().Outstanding(), 0, Text("left, seed ", seed));
        self.ExpectEqual(bed.Engine(1).Receiver().Counts().bytes, bytes, Text("seed ", seed));
    }
}

/// Settings that can't be.
void
TestOutboundRefusals(FunctionCase& self)
{
    const auto refuses = [&self](const CommandSettings& settings, const std::string& sentence) {
        self.ExpectSame(Refusal([&] { settings.Validate(); }),
                        "command queues: " + sentence,
                        "refusal");
    };
    CommandSettings settings;
    settings.chopping.units = 0;
    refuses(settings, "the number of chopping units is 0; allowed is 1 to 4096");
    settings = {};
    settings.chopping.putRate = 5;
    refuses(settings,
            "the rate of a chopping unit for writes is 5; allowed is 10000 to 1000000000000000 "
            "bit/s, or 0");
    settings = {};
    settings.translation.hitRatio = 1.5;
    refuses(settings, "the hit ratio of address translation is 1.500000; allowed is 0 to 1");
    settings = {};
    settings.shaper.burst = 0;
    refuses(settings, "the burst of the shaper is 0; allowed is 1 to 65535");
    settings = {};
    settings.shaper.rates.resize(17);
    refuses(settings, "the number of shaped classes is 17; allowed is 0 to 16");
}

/// The suite.
class OutboundSuite : public FunctionSuite
{
  public:
    OutboundSuite()
        : FunctionSuite("fabric-command-outbound", kUnit)
    {
        Add("NQ-10 chopping units limit writes and reads", TestChoppingRates);
        Add("NQ-10 units have one message at a time", TestUnitsTakeTurns);
        Add("NQ-10 who hands a unit on waits for the next", TestWhoHandsOnWaits);
        Add("NQ-10 a miss costs its time", TestTranslation);
        Add("NQ-10 the shaper against a bucket that is filled step by step", TestShaperModel);
        Add("NQ-10 a shaped class and another one", TestShapedClass);
        Add("NQ-10 random settings lose nothing", TestRandomOutbound);
        Add("NQ-10 what is refused", TestOutboundRefusals);
    }
};

OutboundSuite g_outboundSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
