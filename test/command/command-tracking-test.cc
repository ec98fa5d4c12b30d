/* SPDX-License-Identifier: GPL-2.0-only */
#include "command-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t COMMANDS = 40; ///< Of a run.

/// What a network does to packets.
struct Harm
{
    double loss{0};      ///< They vanish.
    double duplicate{0}; ///< They come twice.
    TimePs delay{0};     ///< They are late by up to this, ps.
};

Harm
DrawHarm(std::mt19937& random)
{
    return {0.01 * static_cast<double>(random() % 25),
            random() % 2 == 0 ? 0 : 0.01 * static_cast<double>(random() % 30),
            random() % 2 == 0 ? 0 : static_cast<TimePs>(random() % 3'000'000)};
}

/// The network of a bed does so from now on.
void
SetHarm(CommandBed& bed, const Harm& harm, uint32_t seed)
{
    bed.SetFate([harm, random = std::mt19937(seed)](uint32_t) mutable {
        std::uniform_real_distribution<> share(0, 1);
        std::vector<TimePs> copies;
        const uint32_t made = share(random) < harm.duplicate ? 2 : 1;
        for (uint32_t copy = 0; copy < made; ++copy)
        {
            const TimePs late = harm.delay == 0 ? 0 : static_cast<TimePs>(random() % harm.delay);
            if (share(random) >= harm.loss)
            {
                copies.push_back(late);
            }
        }
        return copies;
    });
}

CommandSettings
DrawTracked(std::mt19937& random)
{
    CommandSettings settings;
    settings.tracking.timeout = 3'000'000 + static_cast<TimePs>(random() % 5'000'000);
    settings.tracking.limit = 1000;
    settings.tracking.window = 1 + random() % MOST_TRACKED;
    settings.tracking.ackEvery = 1 + random() % 10;
    settings.tracking.ackDelay = static_cast<TimePs>(random() % 1'000'000);
    settings.matching.rendezvous = random() % 6000;
    settings.matching.eager = std::min<uint64_t>(random() % 5000, settings.matching.rendezvous);
    settings.flowQueues = 1 + random() % 3;
    settings.flowDepth = 1 + random() % 8;
    settings.readAhead = 1 + random() % 4;
    return settings;
}

/// An entry for all messages, as many as there are.
CommandStream
ReceiveAll(MatchPlace place)
{
    CommandStream stream;
    stream.op = CommandOp::APPEND;
    stream.arguments.place = place;
    stream.arguments.entry.ignore = ~uint64_t{0};
    stream.arguments.entry.bytes = 1 << 24;
    stream.arguments.entry.isUseOnce = false;
    return stream;
}

/// Host `from` asks for a command of any kind; `number` tells it from others of the run.
void
PostAny(CommandBed& bed, std::mt19937& random, uint64_t number, uint32_t from)
{
    constexpr CommandOp OPS[]{CommandOp::PUT,
                              CommandOp::SEND,
                              CommandOp::TAGGED,
                              CommandOp::GET,
                              CommandOp::ATOMIC};
    CommandStream stream;
    stream.op = OPS[random() % 5];
    stream.flow.trafficClass = static_cast<uint8_t>(random() % 2);
    stream.bytes = random() % 3 == 0 ? random() % 20'000 : random() % 200;
    stream.arguments.entry.bits = number;
    stream.arguments.counter = 1;
    if (stream.op == CommandOp::ATOMIC)
    {
        stream.bytes = 0;
        stream.arguments.atomic.operand = uint64_t{1} << number;
        stream.arguments.atomic.fetches = random() % 2 == 0;
        stream.arguments.targetCounter = 2;
    }
    bed.Post(0, stream, from);
}

/// @return how own commands of a host ended
std::map<CommandEvent, uint64_t>
Ends(const CommandBed& bed, uint32_t host)
{
    std::map<CommandEvent, uint64_t> ends;
    for (const CommandReport& report : bed.Reports(host))
    {
        ends[report.event] += report.isOwn ? 1 : 0;
    }
    return ends;
}

/// Expects that nothing is kept of what is over.
void
ExpectNothingLeft(FunctionCase& self, CommandBed& bed, uint32_t seed)
{
    for (uint32_t host = 0; host < 2; ++host)
    {
        CommandEngine& engine = bed.Engine(host);
        self.ExpectEqual(engine.Sender().Outstanding(), 0, Text("seed ", seed, ": commands"));
        self.ExpectEqual(engine.Sender().Tracker().Kept(), 0, Text("seed ", seed, ": packets"));
        self.ExpectEqual(engine.Target().Open(), 0, Text("seed ", seed, ": messages"));
        self.ExpectEqual(engine.Receiver().Parts(), 0, Text("seed ", seed, ": parts"));
        self.ExpectEqual(engine.Target().Lists().Unexpected(), 0, Text("seed ", seed, ": lists"));
    }
}

/// @return bits of the sum that atomics have made in the memory of a host
uint64_t
SumOf(CommandBed& bed, uint32_t host)
{
    return bed.Engine(host).Memory().Read(0, sizeof(uint64_t));
}

/// Whatever the network does, each command is done once, and messages come in order.
void
TestAllComplete(FunctionCase& self)
{
    const TestSeeds seeds(1000);
    uint64_t resent = 0;
    uint64_t again = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandBed bed(DrawTracked(random));
        SetHarm(bed, DrawHarm(random), seed);
        const bool isUnexpected = random() % 3 == 0;
        const MatchPlace first = isUnexpected ? MatchPlace::SPARE : MatchPlace::PRIORITY;
        for (uint32_t host = 0; host < 2; ++host)
        {
            bed.Post(1, ReceiveAll(first), host);
        }
        bed.Run(3'000'000);
        for (uint64_t number = 0; number < COMMANDS; ++number)
        {
            PostAny(bed, random, number, random() % 2);
            bed.Run(bed.Now() + static_cast<TimePs>(random() % 2'000'000));
        }
        for (uint32_t host = 0; host < 2 && isUnexpected; ++host)
        {
            bed.Post(1, ReceiveAll(MatchPlace::PRIORITY), host);
        }
        bed.Run(bed.Now() + 1'000'000'000'000);
        uint64_t completed = 0;
        uint64_t counted = 0;
        for (uint32_t host = 0; host < 2; ++host)
        {
            completed += Ends(bed, host)[CommandEvent::COMPLETE];
            counted += bed.Engine(host).Counters().Value(1);
            resent += bed.Engine(host).Sender().Tracker().Counts().resent;
            again += bed.Engine(host).Sender().Tracker().Counts().again;
            const uint64_t sum = SumOf(bed, host);
            self.ExpectEqual(bed.Engine(host).Atomics().Done(),
                             static_cast<uint64_t>(__builtin_popcountll(sum)),
                             Text("seed ", seed, ": each atomic once"));
            self.ExpectEqual(bed.Engine(host).Counters().Value(2),
                             bed.Engine(host).Atomics().Done(),
                             Text("seed ", seed, ": and counted"));
        }
        self.ExpectEqual(completed, COMMANDS, Text("seed ", seed, ": completed"));
        self.ExpectEqual(counted, COMMANDS, Text("seed ", seed, ": counted"));
        ExpectNothingLeft(self, bed, seed);
    }
    self.Expect(resent > seeds.count && again > seeds.count,
                Text(resent, " were sent again, ", again, " came again"));
}

/// Messages of one flow come in the order in which they were posted, whatever is lost.
void
TestTrackedOrder(FunctionCase& self)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings = DrawTracked(random);
        settings.matching.rendezvous = 1 << 20;
        CommandBed bed(settings);
        bed.Post(1, ReceiveAll(MatchPlace::PRIORITY), 1);
        bed.Run(3'000'000);
        SetHarm(bed, DrawHarm(random), seed);
        CommandStream stream;
        for (uint64_t number = 0; number < COMMANDS; ++number)
        {
            stream.op = random() % 2 == 0 ? CommandOp::SEND : CommandOp::TAGGED;
            stream.bytes = 20 * number + random() % 20; // ascending, so that they tell the order
            bed.Post(0, stream);
        }
        bed.Run(bed.Now() + 1'000'000'000'000);
        const std::vector<CommandReport>& reports = bed.Reports(1);
        self.ExpectEqual(reports.size(), COMMANDS, Text("seed ", seed, ": messages"));
        self.Expect(std::is_sorted(reports.begin(),
                                   reports.end(),
                                   [](const CommandReport& left, const CommandReport& right) {
                                       return left.sent < right.sent;
                                   }),
                    Text("seed ", seed, ": order"));
    }
}

/// Each host writes to the other one in both classes. @return how many commands that are
uint64_t
PostWrites(CommandBed& bed)
{
    CommandStream stream;
    stream.bytes = 5000;
    for (uint32_t host = 0; host < 2; ++host)
    {
        for (uint8_t trafficClass = 0; trafficClass < 2; ++trafficClass)
        {
            stream.flow.trafficClass = trafficClass;
            bed.Post(0, stream, host);
        }
    }
    return 4;
}

/// Where nothing comes any more, commands fail, all is freed, and later ones are done again.
void
TestFailedCommands(FunctionCase& self)
{
    const TestSeeds seeds(1000);
    std::map<CommandEvent, uint64_t> ends;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings = DrawTracked(random);
        settings.tracking.limit = random() % 3;
        CommandBed bed(settings);
        const MatchPlace place = random() % 2 == 0 ? MatchPlace::PRIORITY : MatchPlace::SPARE;
        for (uint32_t host = 0; host < 2; ++host)
        {
            bed.Post(1, ReceiveAll(place), host);
        }
        bed.Run(3'000'000);
        const bool isOneWay = random() % 2 == 0;
        const TimePs cutAt = bed.Now() + static_cast<TimePs>(random() % 20'000'000);
        bed.SetFate([&bed, isOneWay, cutAt](uint32_t from) {
            const bool isLost = bed.Now() >= cutAt && !(isOneWay && from == 0);
            return std::vector<TimePs>(isLost ? 0 : 1, 0);
        });
        uint64_t posted = 0;
        for (; posted < COMMANDS; ++posted)
        {
            PostAny(bed, random, posted, random() % 2);
            bed.Run(bed.Now() + static_cast<TimePs>(random() % 1'000'000));
        }
        bed.Run(bed.Now() + 20'000'000'000);
        if (place == MatchPlace::PRIORITY)
        {
            uint64_t ended = 0;
            for (uint32_t host = 0; host < 2; ++host)
            {
                for (const auto& [event, count] : Ends(bed, host))
                {
                    ended += count;
                    ends[event] += count;
                }
            }
            self.ExpectEqual(ended, posted, Text("seed ", seed, ": each ends once"));
        }
        bed.SetFate({});
        for (uint32_t host = 0; host < 2; ++host)
        {
            if (place == MatchPlace::SPARE)
            {
                bed.Post(1, ReceiveAll(MatchPlace::PRIORITY), host);
            }
        }
        // The first ones may fail, where only the other end knows of the failure.
        posted += PostWrites(bed);
        bed.Run(bed.Now() + 20'000'000'000);
        posted += PostWrites(bed);
        bed.Run(bed.Now() + 20'000'000'000);
        uint64_t ended = 0;
        for (uint32_t host = 0; host < 2; ++host)
        {
            for (const auto& each : Ends(bed, host))
            {
                ended += each.second;
            }
            self.Expect(bed.Reports(host).back().event != CommandEvent::FAILED,
                        Text("seed ", seed, ": it goes on"));
        }
        self.ExpectEqual(ended, posted, Text("seed ", seed, ": each ends once, at last"));
        ExpectNothingLeft(self, bed, seed);
    }
    self.Expect(ends[CommandEvent::FAILED] > seeds.count &&
                    ends[CommandEvent::COMPLETE] > seeds.count,
                Text(ends[CommandEvent::FAILED], " failed, ", ends[CommandEvent::COMPLETE]));
}

/// A command that fails holds up nothing behind it.
void
TestFailuresOneByOne(FunctionCase& self)
{
    CommandSettings settings;
    settings.tracking.timeout = 1'000'000;
    settings.tracking.limit = 0;
    CommandBed bed(settings);
    bed.SetFate([](uint32_t) { return std::vector<TimePs>(); });
    CommandStream stream;
    stream.count = 5;
    stream.outstanding = 1;
    bed.Post(0, stream);
    bed.Run(1'000'000'000);
    self.ExpectEqual(Ends(bed, 0)[CommandEvent::FAILED], 5, "each fails");
}

/// Software of host 1, which makes room and lets messages come again whenever it has to.
class Attendant
{
  public:
    Attendant(CommandBed& bed, uint32_t seed)
        : m_bed(bed),
          m_random(seed)
    {
    }

    /// It runs for a while, or until nothing is left to do.
    void Run(TimePs until)
    {
        while (m_bed.Now() < until)
        {
            m_bed.Run(m_bed.Now() + 200'000 + static_cast<TimePs>(m_random() % 3'000'000));
            for (; m_read < m_bed.Reports(1).size(); ++m_read)
            {
                if (m_bed.Reports(1)[m_read].event == CommandEvent::DISABLED)
                {
                    MakeRoom();
                }
            }
        }
    }

    /// @return times that it had to make room
    uint32_t Times() const
    {
        return m_times;
    }

  private:
    void MakeRoom()
    {
        ++m_times;
        CommandStream append = ReceiveAll(MatchPlace::PRIORITY);
        append.arguments.entry.isUseOnce = true;
        append.count = 1 + m_random() % 6;
        m_bed.Post(1, append, 1);
        CommandStream enable;
        enable.op = CommandOp::ENABLE;
        m_bed.Post(1, enable, 1);
    }

    CommandBed& m_bed;
    std::mt19937 m_random;
    std::size_t m_read{0};
    uint32_t m_times{0};
};

/// Messages without an entry, or without a slot for their event, wait; none is lost, doubled or
/// out of order, whatever the network does.
void
TestFlowControl(FunctionCase& self)
{
    const TestSeeds seeds(500);
    uint64_t disabled = 0;
    uint64_t slots = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings = DrawTracked(random);
        settings.tracking.hasFlowControl = true;
        settings.tracking.notReady = 1'000'000 + static_cast<TimePs>(random() % 100'000'000);
        const bool hasFewSlots = random() % 2 == 0;
        settings.eventSlots = hasFewSlots ? 4 : 64;
        settings.driver.event = static_cast<TimePs>(random() % 1'000'000);
        const bool isEager = random() % 2 == 0;
        settings.matching.rendezvous = isEager ? 1 << 20 : settings.matching.rendezvous;
        CommandBed bed(settings);
        const bool hasEntry = random() % 3 == 0;
        const bool isUnexpected = hasEntry && random() % 2 == 0;
        if (hasEntry)
        {
            bed.Post(1, ReceiveAll(isUnexpected ? MatchPlace::SPARE : MatchPlace::PRIORITY), 1);
            bed.Run(3'000'000);
        }
        if (random() % 2 == 0)
        {
            SetHarm(bed, DrawHarm(random), seed);
        }
        Attendant software(bed, seed);
        for (uint64_t number = 0; number < COMMANDS; ++number)
        {
            CommandStream stream;
            stream.op = random() % 3 == 0 ? CommandOp::SEND : CommandOp::TAGGED;
            stream.flow.trafficClass = static_cast<uint8_t>(number % 2);
            stream.bytes = 200 * number + random() % 200; // ascending, so that they tell the order
            bed.Post(0, stream);
            software.Run(bed.Now() + static_cast<TimePs>(random() % 500'000));
        }
        software.Run(bed.Now() + 30'000'000'000);
        bed.Post(1, ReceiveAll(MatchPlace::PRIORITY), 1); // for what was unexpected
        software.Run(bed.Now() + 30'000'000'000);
        std::array<uint64_t, 2> last{};
        uint64_t messages = 0;
        for (const CommandReport& report : bed.Reports(1))
        {
            if (report.event != CommandEvent::MESSAGE)
            {
                continue;
            }
            ++messages;
            uint64_t& before = last[report.sent / 200 % 2];
            self.Expect(report.sent >= before || !isEager || isUnexpected,
                        Text("seed ", seed, ": order"));
            before = report.sent;
        }
        self.ExpectEqual(messages, COMMANDS, Text("seed ", seed, ": messages"));
        self.ExpectEqual(Ends(bed, 0)[CommandEvent::COMPLETE],
                         COMMANDS,
                         Text("seed ", seed, ": completed"));
        self.ExpectEqual(bed.Engine(1).Events().Lost(), 0, Text("seed ", seed, ": events"));
        ExpectNothingLeft(self, bed, seed);
        disabled += bed.Engine(1).Target().Counts().disabled;
        slots += hasEntry && hasFewSlots ? software.Times() : 0;
        self.ExpectEqual(bed.Engine(1).Target().Counts().disabled,
                         software.Times(),
                         Text("seed ", seed, ": software knows"));
    }
    self.Expect(disabled > seeds.count && slots > seeds.count / 10,
                Text(disabled, " times disabled, ", slots, " for want of slots"));
}

/// A message that is refused waits with those behind it, and comes when software lets it.
void
TestRefusedMessage(FunctionCase& self)
{
    CommandSettings settings;
    settings.tracking.timeout = 20'000'000;
    settings.tracking.hasFlowControl = true;
    settings.tracking.notReady = 1'000'000'000;
    CommandBed bed(settings);
    CommandStream stream;
    stream.op = CommandOp::TAGGED;
    stream.bytes = 100;
    bed.Post(0, stream);
    stream.op = CommandOp::ATOMIC;
    bed.Post(0, stream); // behind it
    stream.op = CommandOp::PUT;
    bed.Post(0, stream); // has no order
    bed.Run(500'000'000);
    self.ExpectEqual(Ends(bed, 0)[CommandEvent::COMPLETE], 1, "the write");
    self.ExpectEqual(bed.Engine(1).Atomics().Done(), 0, "the atomic waits behind the message");
    self.ExpectEqual(Ends(bed, 1)[CommandEvent::DISABLED], 1, "software is told");
    CommandStream enable;
    enable.op = CommandOp::ENABLE;
    bed.Post(1, enable, 1);
    bed.Run(520'000'000);
    self.ExpectEqual(Ends(bed, 1)[CommandEvent::DISABLED], 2, "without an entry it is so again");
    bed.Post(1, ReceiveAll(MatchPlace::PRIORITY), 1);
    bed.Post(1, enable, 1);
    bed.Run(540'000'000);
    self.ExpectEqual(Ends(bed, 0)[CommandEvent::COMPLETE], 3, "it comes at once");
    self.ExpectEqual(Ends(bed, 1)[CommandEvent::ENABLED], 2, "software sees both commands");
    ExpectNothingLeft(self, bed, 0);
}

/// Where nothing is lost, tracking takes no command longer, and few packets.
void
TestIdle(FunctionCase& self)
{
    const auto run = [&](TimePs timeout, CommandOp op) {
        CommandSettings settings;
        settings.tracking.timeout = timeout;
        CommandBed bed(settings);
        bed.Post(1, ReceiveAll(MatchPlace::PRIORITY), 1);
        bed.Run(3'000'000);
        CommandStream stream;
        stream.op = op;
        stream.count = 500;
        stream.bytes = 8;
        stream.gap = 100'000;
        bed.Post(0, stream);
        stream.bytes = 50'000;
        stream.count = 20;
        stream.gap = 0;
        bed.Post(0, stream);
        bed.Run();
        std::vector<TimePs> seen;
        for (const CommandReport& report : bed.Reports(0))
        {
            seen.push_back(report.at - report.postedAt);
        }
        const TrackingCounts& counts = bed.Engine(0).Sender().Tracker().Counts();
        self.ExpectEqual(counts.resent + counts.again + counts.early, 0, "nothing comes again");
        self.Expect(4 * counts.acks <= bed.Engine(1).Sender().Tracker().Counts().tracked,
                    Text(counts.acks, " acknowledgements"));
        return seen;
    };
    for (const CommandOp op : {CommandOp::PUT, CommandOp::SEND, CommandOp::TAGGED, CommandOp::GET})
    {
        const auto without = run(0, op);
        const auto with = run(100'000'000, op);
        self.ExpectEqual(with.size(), without.size(), "commands");
        // The latency of what goes while no acknowledgement is on the wire is the same.
        self.Expect(std::equal(with.begin(), with.begin() + 5, without.begin()), "the first ones");
        for (std::size_t i = 0; i < with.size(); ++i)
        {
            self.ExpectNear(static_cast<double>(with[i]),
                            static_cast<double>(without[i]),
                            0.02 * static_cast<double>(without[i]),
                            Text("command ", i, " of operation ", static_cast<int>(op)));
        }
    }
}

/// An answer to a command that has failed comes when another one has its id: it is not taken for
/// the answer to that.
void
TestLateAnswer(FunctionCase& self)
{
    constexpr TimePs LATENCY = 100'000'000;
    CommandSettings settings;
    settings.tracking.timeout = 2'000'000;
    settings.tracking.limit = 1;
    settings.atomics.latency = LATENCY;
    CommandBed bed(settings);
    bed.SetFate([&bed](uint32_t from) {
        const bool isLost = from == 1 && bed.Now() < 20'000'000;
        return std::vector<TimePs>(isLost ? 0 : 1, 0);
    });
    CommandStream stream;
    stream.op = CommandOp::ATOMIC;
    stream.arguments.atomic.operand = 1;
    stream.arguments.atomic.fetches = true;
    bed.Post(0, stream);
    bed.Run(30'000'000);
    self.Expect(bed.Reports(0).size() == 1 && bed.Reports(0).front().event == CommandEvent::FAILED,
                "the first one has failed");
    bed.Post(0, stream);
    bed.Run();
    const CommandReport& last = bed.Reports(0).back();
    self.Expect(bed.Reports(0).size() == 2 && last.event == CommandEvent::COMPLETE,
                "the other one is done");
    self.ExpectEqual(last.value, 1, "the word as the first one has left it");
    self.Expect(last.at > 2 * LATENCY, Text("its own answer, behind the first one: ", last.at));
}

/// The suite.
class CommandTrackingSuite : public FunctionSuite
{
  public:
    CommandTrackingSuite()
        : FunctionSuite("fabric-command-tracking", kUnit)
    {
        Add("NQ-11 each command is done once, whatever the network does", TestAllComplete);
        Add("NQ-11 messages keep their order", TestTrackedOrder);
        Add("NQ-11 a late answer is not for another command", TestLateAnswer);
        Add("NQ-11 what can't be done fails, and is freed", TestFailedCommands);
        Add("NQ-11 what fails holds up nothing behind it", TestFailuresOneByOne);
        Add("NQ-12 NQ-13 flow control loses, doubles and reorders nothing", TestFlowControl);
        Add("NQ-12 a refused message waits, with those behind it", TestRefusedMessage);
        Add("NQ-11 where nothing is lost it takes no time", TestIdle);
    }
};

CommandTrackingSuite g_commandTrackingSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
