/* SPDX-License-Identifier: GPL-2.0-only */
#include "command-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr LocationId INITIATOR = 1; ///< Host 0 of the bed.
constexpr LocationId TARGET = 2;    ///< Host 1 of the bed.

/// @return the stage that a command, or a packet, was in before another one; nothing if there is no
/// such
const CommandSpan*
Before(const CommandStory& story, const CommandSpan& span)
{
    const CommandSpan* found = nullptr;
    for (const CommandSpan& each : story.spans)
    {
        if (&each == &span)
        {
            break; // the others end later, or begin no earlier
        }
        const bool isSame = span.isOfPacket && each.isOfPacket && each.kind == span.kind &&
                            each.offset == span.offset;
        const bool isHere = each.place == span.place || span.stage == CommandStage::FABRIC;
        if (each.end == span.begin && each.stage != CommandStage::WRITE && (isHere || isSame))
        {
            found = &each;
        }
    }
    return found;
}

/// @return the event of a command at a host
const CommandSpan*
EventAt(const CommandStory& story, LocationId place)
{
    for (const CommandSpan& span : story.spans)
    {
        if (span.stage == CommandStage::EVENT && span.place == place)
        {
            return &span;
        }
    }
    return nullptr;
}

/// @return the stages from the request to an event, without gaps; less if there is a gap
std::vector<CommandSpan>
WayTo(const CommandStory& story, const CommandSpan* event)
{
    std::vector<CommandSpan> way;
    for (const CommandSpan* at = event; at; at = Before(story, *at))
    {
        way.insert(way.begin(), *at);
    }
    return way;
}

/// @return names of stages
std::string
NamesOf(const std::vector<CommandSpan>& way)
{
    std::string names;
    for (const CommandSpan& span : way)
    {
        names += std::string(names.empty() ? "" : " ") + NameOf(span.stage);
    }
    return names;
}

/// Runs one command. @return its story
CommandStory
RunOne(FunctionCase& self, const CommandSettings& settings, const CommandStream& stream)
{
    CommandBed bed(settings);
    bed.Watch();
    if (stream.op == CommandOp::TAGGED)
    {
        CommandStream entry;
        entry.op = CommandOp::APPEND;
        entry.arguments.entry.bytes = stream.bytes;
        bed.Post(settings.queues, entry, 1);
        bed.Run();
    }
    bed.Post(0, stream);
    bed.Run();
    const std::vector<CommandStory> stories = bed.Timeline().Stories();
    const CommandStory& story = stories.back();
    const CommandSpan* event = EventAt(story, INITIATOR);
    self.ExpectEqual(event ? event->end : 0,
                     bed.Reports(0).back().at,
                     "its initiator sees the end");
    return story;
}

/// The stages of each kind of command are those that it passes.
void
TestStages(FunctionCase& self)
{
    struct Case
    {
        CommandOp op;
        uint64_t bytes;
        CommandPath path;
        std::string way;
    };

    const std::string buffer = "core driver store arbiter parser cut ";
    const std::string ring = "core driver store arbiter fetch parser cut ";
    const std::string out = "outbound queue link fabric inbound ";
    const std::string answer = "queue link fabric inbound event";
    const std::string reply = "cut data outbound queue link fabric inbound event";
    const std::vector<Case> cases{
        {CommandOp::PUT, 8, PATH_LOW_LATENCY, buffer + out + answer},
        {CommandOp::PUT, 64, PATH_LOW_LATENCY, buffer + out + answer}, // two slots
        {CommandOp::PUT, 8, PATH_MEMORY, ring + out + answer},
        {CommandOp::SEND, 128, PATH_LOW_LATENCY, ring + out + answer},
        {CommandOp::PUT, 1024, PATH_LOW_LATENCY, buffer + "data " + out + answer},
        {CommandOp::GET, 64, PATH_LOW_LATENCY, buffer + out + reply},
        {CommandOp::ATOMIC, 0, PATH_MEMORY, ring + out + "atomic " + answer},
        {CommandOp::TAGGED, 8, PATH_MEMORY, ring + out + "match " + answer},
        {CommandOp::TAGGED,
         1800,
         PATH_MEMORY,
         ring + "data " + out + "match outbound queue link fabric inbound cut data " + out +
             answer}};
    for (const Case& each : cases)
    {
        CommandSettings settings;
        settings.path = each.path;
        settings.matching.rendezvous = 1024;
        settings.matching.eager = 512;
        CommandStream stream;
        stream.op = each.op;
        stream.bytes = each.bytes;
        const CommandStory story = RunOne(self, settings, stream);
        const std::vector<CommandSpan> way = WayTo(story, EventAt(story, INITIATOR));
        self.ExpectSame(NamesOf(way), each.way, "stages");
        self.ExpectEqual(way.front().begin, story.command.postedAt, "from the request on");
        for (const CommandSpan& span : way)
        {
            const TimePs took = span.end - span.begin;
            self.Expect(span.stage != CommandStage::ARBITER || took == 0,
                        Text(each.bytes, " bytes wait for an idle arbiter: ", took, " ps"));
        }
    }
}

/// A command that came by the low-latency buffer is fetched from nowhere, also while the ring is
/// read behind it.
void
TestNoFetchOfTheBuffer(FunctionCase& self)
{
    CommandSettings settings;
    settings.path = PATH_LOW_LATENCY;
    settings.stages.parse = 2'000'000; // the second one waits while the third one is read
    CommandBed bed(settings);
    bed.Watch();
    const auto post = [&bed](CommandOp op, uint64_t bytes) {
        CommandStream stream;
        stream.op = op;
        stream.bytes = bytes;
        bed.Post(0, stream);
    };
    post(CommandOp::PUT, 8);
    post(CommandOp::PUT, 8);
    post(CommandOp::SEND, 128);
    bed.Run();
    const std::vector<CommandStory> stories = bed.Timeline().Stories();
    self.ExpectEqual(stories.size(), 3, "commands");
    for (const CommandStory& story : stories)
    {
        const auto fetches =
            std::count_if(story.spans.begin(), story.spans.end(), [](const CommandSpan& span) {
                return span.stage == CommandStage::FETCH;
            });
        self.ExpectEqual(fetches,
                         story.command.op == CommandOp::SEND ? 1 : 0,
                         Text("fetches of command ", story.command.sequence));
    }
}

/// Nothing begins where a write to memory ends: what goes again since its acknowledgement was lost
/// does not, either.
void
TestWritesHoldNothingUp(FunctionCase& self)
{
    CommandSettings settings;
    settings.tracking.timeout = 20'000'000;
    CommandBed bed(settings);
    bed.Watch();
    uint32_t answers = 0;
    bed.SetFate([&answers](uint32_t from) {
        const bool isLost = from == 1 && answers++ == 0;
        return isLost ? std::vector<TimePs>{} : std::vector<TimePs>{0};
    });
    CommandStream stream;
    stream.bytes = 8;
    bed.Post(0, stream);
    bed.Run();
    const std::vector<CommandStory> stories = bed.Timeline().Stories();
    uint32_t writes = 0;
    uint32_t links = 0;
    for (const CommandSpan& write : stories.back().spans)
    {
        links += write.stage == CommandStage::LINK && write.place == INITIATOR ? 1 : 0;
        writes += write.stage == CommandStage::WRITE ? 1 : 0;
        for (const CommandSpan& span : stories.back().spans)
        {
            self.Expect(write.stage != CommandStage::WRITE || span.begin != write.end ||
                            &span == &write,
                        Text(NameOf(span.stage), " begins where the write ends"));
        }
    }
    self.ExpectEqual(links, 2, "times on the link");
    self.ExpectEqual(writes, 1, "times in memory");
}

/// A command that waits for a counter does so in a stage of its own.
void
TestTriggered(FunctionCase& self)
{
    CommandBed bed;
    bed.Watch();
    CommandStream stream;
    stream.arguments.trigger = {1, 1};
    bed.Post(0, stream);
    stream.arguments = {};
    stream.arguments.counter = 1;
    bed.Post(0, stream);
    bed.Run();
    const std::vector<CommandStory> stories = bed.Timeline().Stories();
    self.ExpectEqual(stories.size(), 2, "commands");
    const CommandSpan* first = EventAt(stories.back(), INITIATOR);
    const CommandSpan* event = EventAt(stories.front(), INITIATOR);
    const std::vector<CommandSpan> way = WayTo(stories.front(), event);
    self.ExpectSame(NamesOf(way),
                    "core driver store arbiter parser trigger cut outbound queue link fabric "
                    "inbound queue link fabric inbound event",
                    "stages");
    const auto trigger = std::find_if(way.begin(), way.end(), [](const CommandSpan& span) {
        return span.stage == CommandStage::TRIGGER;
    });
    const CommandSpan* done = Before(stories.back(), *first);
    self.Expect(trigger != way.end() && done && trigger->end == done->end,
                "until the other one is acknowledged");
}

/// Each stage takes what its attribute, the wire or PCIe says.
void
TestDurations(FunctionCase& self)
{
    CommandSettings settings;
    settings.path = PATH_MEMORY;
    CommandStream stream;
    stream.op = CommandOp::SEND;
    stream.bytes = 8;
    const CommandStory story = RunOne(self, settings, stream);
    std::map<std::tuple<CommandStage, bool>, TimePs> took; // and whether of an answer
    for (const CommandSpan& span : story.spans)
    {
        const bool isAnswer = span.isOfPacket && span.kind == CommandPacketKind::ACK;
        took[{span.stage, isAnswer}] += span.end - span.begin;
    }
    const DriverTimes& driver = settings.driver;
    PcieLink idle{PcieSettings{}};
    PcieStream doorbell;
    self.ExpectEqual(took[{CommandStage::CORE, false}], 0, "an idle core");
    self.ExpectEqual(took[{CommandStage::DRIVER, false}],
                     driver.command + driver.slot + driver.fence + driver.doorbell,
                     "the driver");
    self.ExpectEqual(took[{CommandStage::STORE, false}],
                     idle.Write(PcieSide::HOST, doorbell, 8, 0),
                     "a doorbell");
    self.ExpectEqual(took[{CommandStage::FETCH, false}],
                     PcieLink{PcieSettings{}}.Read(64, settings.stages.read),
                     "a read of one slot");
    self.ExpectEqual(took[{CommandStage::OUTBOUND, false}], settings.stages.outbound, "outbound");
    self.ExpectEqual(took[{CommandStage::QUEUE, false}], 0, "an idle link");
    const LinkRate wire{200'000'000'000};
    self.ExpectEqual(took[{CommandStage::LINK, false}], wire.TxTime(WireBytes(72)), "on the link");
    self.ExpectEqual(took[{CommandStage::FABRIC, false}], CommandBed::DELAY, "the fabric");
    self.ExpectEqual(took[{CommandStage::FABRIC, true}], CommandBed::DELAY, "the fabric, back");
    self.ExpectEqual(took[{CommandStage::INBOUND, false}], settings.stages.inbound, "inbound");
    self.ExpectEqual(took[{CommandStage::INBOUND, true}], settings.stages.complete, "complete");
    PcieStream data;
    const TimePs there = PcieLink{PcieSettings{}}.Write(PcieSide::NIC, data, 8, 0);
    self.ExpectEqual(took[{CommandStage::WRITE, false}], there, "data is written");
    self.Expect(EventAt(story, TARGET) != nullptr, "software of the target sees it");
}

/// @return a command of random kind and size
CommandStream
DrawStream(std::mt19937& random)
{
    static const std::vector<CommandOp> OPS{CommandOp::PUT,
                                            CommandOp::SEND,
                                            CommandOp::GET,
                                            CommandOp::TAGGED,
                                            CommandOp::ATOMIC};
    CommandStream stream;
    stream.op = OPS[random() % OPS.size()];
    stream.bytes = random() % 2 == 0 ? random() % 200 : random() % 9000;
    stream.bytes += stream.op == CommandOp::GET ? 1 : 0;
    stream.count = 1 + random() % 20;
    stream.gap = random() % 400'000;
    stream.isRandom = random() % 2 == 0;
    stream.outstanding = random() % 3;
    stream.arguments.atomic.fetches = random() % 2 == 0;
    return stream;
}

/// @return how often two stages of those that have one place at a time overlap
uint32_t
Overlaps(std::map<std::tuple<CommandStage, LocationId, uint32_t>, std::vector<CommandSpan>>& places)
{
    uint32_t overlaps = 0;
    for (auto& [place, spans] : places)
    {
        std::sort(spans.begin(),
                  spans.end(),
                  [](const CommandSpan& left, const CommandSpan& right) {
                      return std::tie(left.end, left.begin) < std::tie(right.end, right.begin);
                  });
        for (std::size_t i = 1; i < spans.size(); ++i)
        {
            overlaps += spans[i].begin < spans[i - 1].end ? 1 : 0;
        }
    }
    return overlaps;
}

/// Of random traffic: stages add up to the latency of each command, a core writes one command at a
/// time, and a link has one packet at a time.
void
TestRandom(FunctionCase& self)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings;
        settings.queues = 1 + random() % 3;
        settings.ringSlots = 64;
        settings.batch = 1 + random() % 5;
        settings.path = static_cast<CommandPath>(random() % 3);
        settings.flowQueues = 1 + random() % 3;
        settings.matching.rendezvous = 2048;
        settings.tracking.timeout = random() % 2 == 0 ? 20'000'000 : 0;
        CommandBed bed(settings);
        bed.Watch();
        std::mt19937 fates(seed);
        if (settings.tracking.timeout != 0)
        {
            bed.SetFate([&fates](uint32_t) {
                return fates() % 20 == 0 ? std::vector<TimePs>{} : std::vector<TimePs>{0};
            });
        }
        CommandStream entry;
        entry.op = CommandOp::APPEND;
        entry.arguments.entry.isUseOnce = false;
        entry.arguments.entry.bytes = 9000;
        bed.Post(settings.queues, entry, 1);
        bed.Run();
        for (uint32_t queue = 0; queue < settings.queues; ++queue)
        {
            bed.Post(queue, DrawStream(random));
            bed.Post(queue, DrawStream(random));
        }
        bed.Run();
        std::map<TimePs, std::set<TimePs>> latencies; // by the time of their end
        for (const CommandReport& report : bed.Reports(0))
        {
            latencies[report.at].insert(report.at - report.postedAt);
        }
        std::map<std::tuple<CommandStage, LocationId, uint32_t>, std::vector<CommandSpan>> places;
        std::size_t told = 0;
        for (const CommandStory& story : bed.Timeline().Stories())
        {
            for (const CommandSpan& span : story.spans)
            {
                self.Expect(span.begin <= span.end, Text("seed ", seed, ": ", NameOf(span.stage)));
                if (span.stage == CommandStage::LINK || span.stage == CommandStage::DRIVER)
                {
                    const bool isLink = span.stage == CommandStage::LINK;
                    places[{span.stage, span.place, isLink ? 0 : story.queue}].push_back(span);
                }
            }
            const CommandSpan* event = EventAt(story, INITIATOR);
            if (!event)
            {
                continue;
            }
            ++told;
            const std::vector<CommandSpan> way = WayTo(story, event);
            TimePs sum = 0;
            for (const CommandSpan& span : way)
            {
                sum += span.end - span.begin;
            }
            self.Expect(way.front().stage == CommandStage::CORE,
                        Text("seed ", seed, ": a gap before ", NamesOf(way)));
            self.Expect(latencies[event->end].count(sum) != 0,
                        Text("seed ", seed, ": ", sum, " ps are none of the latencies"));
        }
        self.ExpectEqual(told,
                         bed.Reports(0).size(),
                         Text("seed ", seed, ": commands with an end"));
        self.ExpectEqual(Overlaps(places), 0, Text("seed ", seed, ": overlaps"));
    }
}

/// @return when a command has passed a stage at its initiator; 0 if it does not, ps
TimePs
EndOf(const CommandStory& story, CommandStage stage)
{
    for (const CommandSpan& span : story.spans)
    {
        if (span.stage == stage && span.place == INITIATOR)
        {
            return span.end;
        }
    }
    return 0;
}

/// A command of a queue, as the NIC has it.
struct FetchedCommand
{
    uint64_t end;    ///< Position behind its slots.
    TimePs granted;  ///< The arbiter has chosen it, ps.
    TimePs there;    ///< It is on the NIC, ps.
    TimePs parsed;   ///< It has left its slots, ps.
    bool isRead;     ///< Whether it came over PCIe.
    uint32_t number; ///< Of its queue.
};

/// @return commands by queue, in their order there
std::vector<std::vector<FetchedCommand>>
CommandsOf(const CommandBed& bed, uint32_t queues)
{
    std::vector<CommandStory> stories = bed.Timeline().Stories();
    std::sort(stories.begin(),
              stories.end(),
              [](const CommandStory& left, const CommandStory& right) {
                  return left.command.sequence < right.command.sequence;
              });
    std::vector<std::vector<FetchedCommand>> all(queues);
    for (const CommandStory& story : stories)
    {
        std::vector<FetchedCommand>& before = all[story.queue];
        const uint64_t slots = story.command.slots;
        const uint64_t from = before.empty() ? 0 : before.back().end;
        const uint64_t begin = (from + slots - 1) / slots * slots; // behind no-ops
        const TimePs granted = EndOf(story, CommandStage::ARBITER);
        const TimePs fetched = EndOf(story, CommandStage::FETCH);
        before.push_back({begin + slots,
                          granted,
                          std::max(granted, fetched),
                          EndOf(story, CommandStage::PARSER),
                          fetched != 0,
                          story.queue});
    }
    return all;
}

/// Of random traffic: whatever the NIC does with a command begins when what it needs is there, and
/// in order. A slot is asked for when one before it has made room.
void
TestRoomForReads(FunctionCase& self)
{
    const TestSeeds seeds(300);
    uint64_t waits = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings;
        settings.queues = 1 + random() % 3;
        settings.ringSlots = 64U << random() % 3;
        settings.batch = 1 + random() % 16;
        settings.path = static_cast<CommandPath>(random() % 3);
        settings.readSlots = 1 + random() % 4;
        settings.prefetchSlots = 4 + random() % 20;
        settings.prefetchQueues = 1 + random() % 3;
        settings.flowQueues = 1 + random() % 3;
        settings.flowDepth = 1 + random() % 8;
        settings.stages.grant = 1 + random() % 50'000;
        settings.stages.parse = 1 + random() % 50'000;
        const PcieSettings pcie;
        const TimePs read = settings.stages.read + 2 * pcie.latency + pcie.memoryLatency;
        CommandBed bed(settings, pcie);
        bed.Watch();
        for (uint32_t queue = 0; queue < settings.queues; ++queue)
        {
            for (uint32_t i = 0; i < 2; ++i)
            {
                CommandStream stream;
                stream.op = random() % 2 == 0 ? CommandOp::PUT : CommandOp::SEND;
                stream.bytes = random() % 2 == 0 ? random() % 200 : random() % 6000;
                stream.count = 1 + random() % 60;
                stream.gap = random() % 3 == 0 ? random() % 200'000 : 0;
                bed.Post(queue, stream);
            }
        }
        bed.Run();
        for (const std::vector<FetchedCommand>& queue : CommandsOf(bed, settings.queues))
        {
            std::size_t gone = 0; // those that must have left before
            for (std::size_t i = 0; i < queue.size(); ++i)
            {
                const FetchedCommand& own = queue[i];
                const auto expect = [&self, seed, i, &own](bool holds, const char* what) {
                    self.Expect(holds,
                                Text("seed ", seed, ", queue ", own.number, ", ", i, ": ", what));
                };
                expect(own.there >= own.granted + (own.isRead ? read : 0), "is there");
                expect(own.parsed >= own.there, "is there before it goes on");
                if (i != 0)
                {
                    expect(own.granted >= queue[i - 1].granted, "asked for in order");
                    expect(own.parsed >= queue[i - 1].parsed + settings.stages.parse,
                           "goes on in order");
                }
                while (queue[gone].end + settings.prefetchSlots <= own.end)
                {
                    expect(own.granted >= queue[gone].parsed, "has room");
                    waits += own.granted == queue[gone].parsed ? 1 : 0;
                    ++gone;
                }
            }
        }
    }
    self.Expect(waits > 10 * seeds.count, Text("only ", waits, " waited for room"));
}

/// Who listens changes nothing, and may begin at any time.
void
TestListening(FunctionCase& self)
{
    const TestSeeds seeds(30);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        const auto run = [seed](std::optional<TimePs> from) {
            std::mt19937 random(seed);
            CommandSettings settings;
            settings.path = static_cast<CommandPath>(seed % 3);
            auto bed = std::make_unique<CommandBed>(settings);
            CommandStream stream = DrawStream(random);
            stream.op = CommandOp::SEND;
            stream.count = 200;
            bed->Post(0, stream);
            if (from)
            {
                bed->Run(*from);
                bed->Watch();
            }
            bed->Run();
            return bed;
        };
        const auto silent = run(std::nullopt);
        self.Expect(silent->Timeline().Stories().empty(), "nobody listens");
        for (const TimePs from : {TimePs{0}, TimePs{4'000'000}})
        {
            const auto heard = run(from);
            const std::vector<CommandStory> stories = heard->Timeline().Stories();
            self.Expect(!stories.empty() && (from == 0) == (stories.size() == 200),
                        Text("seed ", seed, ": stories of ", stories.size()));
            self.ExpectEqual(heard->Reports(0).size(), silent->Reports(0).size(), "commands");
            self.ExpectEqual(heard->Reports(0).back().at, silent->Reports(0).back().at, "the end");
            for (const CommandStory& story : stories)
            {
                const CommandSpan* event = EventAt(story, INITIATOR);
                self.Expect(event && WayTo(story, event).front().stage == CommandStage::CORE,
                            Text("seed ", seed, ": no gap"));
            }
        }
    }
}

/// The suite.
class CommandTimelineSuite : public FunctionSuite
{
  public:
    CommandTimelineSuite()
        : FunctionSuite("fabric-command-timeline", kUnit)
    {
        Add("NQ-3 NQ-5 NQ-10 NQ-12 NQ-13 each command passes its stages", TestStages);
        Add("NQ-4 what came by the buffer is not fetched", TestNoFetchOfTheBuffer);
        Add("NQ-10 nothing begins where a write ends", TestWritesHoldNothingUp);
        Add("NQ-13 a triggered command waits in a stage", TestTriggered);
        Add("NQ-3 NQ-10 stages take what they say", TestDurations);
        Add("NQ-17 stages add up to latencies, and share nothing", TestRandom);
        Add("NQ-3 NQ-17 nothing begins before what it needs", TestRoomForReads);
        Add("NQ-17 listening changes nothing", TestListening);
    }
};

CommandTimelineSuite g_commandTimelineSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
