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

constexpr uint32_t TARGETS = 1; ///< Number of the first target queue, of hosts with one other.

/// @return a message with match bits
CommandStream
Tagged(uint64_t bits, uint64_t bytes)
{
    CommandStream stream;
    stream.op = CommandOp::TAGGED;
    stream.bytes = bytes;
    stream.arguments.entry.bits = bits;
    return stream;
}

/// @return an entry for the priority list
CommandStream
Receive(uint64_t bits, uint64_t bytes)
{
    CommandStream stream;
    stream.op = CommandOp::APPEND;
    stream.arguments.entry.bits = bits;
    stream.arguments.entry.bytes = bytes;
    stream.arguments.entry.tag = bits;
    return stream;
}

/// @return an entry for the overflow list that takes all there is room for
CommandStream
Spare(uint64_t bytes)
{
    CommandStream stream = Receive(0, bytes);
    stream.arguments.place = MatchPlace::SPARE;
    stream.arguments.entry.ignore = ~uint64_t{0};
    stream.arguments.entry.isUseOnce = false;
    stream.arguments.entry.isLocallyManaged = true;
    return stream;
}

/// @return reports of an event
std::vector<CommandReport>
Only(const std::vector<CommandReport>& reports, CommandEvent event)
{
    std::vector<CommandReport> found;
    std::copy_if(reports.begin(), reports.end(), std::back_inserter(found), [&](const auto& each) {
        return each.event == event;
    });
    return found;
}

/// Whatever comes first, each message meets its entry, once and with all its bytes.
void
TestAllMeet(FunctionCase& self)
{
    const TestSeeds seeds(1000);
    std::map<bool, uint64_t> unexpected;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandSettings settings;
        settings.matching.rendezvous = random() % 8000;
        settings.matching.eager = std::min<uint64_t>(random() % 5000, settings.matching.rendezvous);
        settings.matching.entryTime = random() % 100'000;
        settings.inlineBytes = random() % 193;
        settings.matching.bufferSlots = random() % 3;
        CommandBed bed(settings);
        bed.Post(TARGETS, Spare(1 << 20), 1);
        bed.Run(3'000'000);
        std::vector<uint64_t> sizes;
        std::vector<uint64_t> order;
        for (uint64_t i = 0; i < 20; ++i)
        {
            sizes.push_back(random() % 3 == 0 ? random() % 20'000 : random() % 300);
            order.push_back(i);
            bed.Post(0, Tagged(i, sizes.back()));
        }
        std::shuffle(order.begin(), order.end(), random);
        for (const uint64_t i : order)
        {
            bed.Run(bed.Now() + random() % 1'000'000);
            bed.Post(TARGETS, Receive(i, sizes[i] + random() % 10), 1);
        }
        bed.Run();
        const auto given = Only(bed.Reports(1), CommandEvent::MESSAGE);
        self.ExpectEqual(given.size(), 20, Text("seed ", seed, ": messages"));
        uint64_t seen = 0;
        for (const CommandReport& each : given)
        {
            seen |= uint64_t{1} << each.bits;
            self.ExpectEqual(each.tag, each.bits, Text("seed ", seed, ": entry"));
            self.ExpectEqual(each.bytes, sizes[each.bits], Text("seed ", seed, ": bytes"));
            self.Expect(each.isUnlinked, Text("seed ", seed, ": used once"));
            ++unexpected[each.isUnexpected];
        }
        self.ExpectEqual(seen, (1U << 20) - 1, Text("seed ", seed, ": each once"));
        self.ExpectEqual(Only(bed.Reports(0), CommandEvent::COMPLETE).size(),
                         20,
                         Text("seed ", seed, ": acknowledged"));
        self.ExpectEqual(bed.Engine(1).Target().Open(), 0, Text("seed ", seed, ": open"));
        self.ExpectEqual(bed.Engine(0).Sender().Outstanding(), 0, Text("seed ", seed, ": open"));
        self.ExpectEqual(bed.Engine(1).Target().Lists().Entries(), 1, "the overflow entry");
    }
    self.Expect(unexpected[true] > seeds.count && unexpected[false] > seeds.count,
                Text(unexpected[true], " were unexpected, ", unexpected[false], " were not"));
}

/// A long message sends what is eager; the target fetches the rest, and that only.
void
TestRendezvous(FunctionCase& self)
{
    const auto carried = [&](uint64_t bytes, uint64_t room) {
        CommandBed bed;
        bed.Post(TARGETS, Receive(1, room), 1);
        bed.Run(3'000'000);
        bed.Post(0, Tagged(1, bytes));
        bed.Run();
        std::map<CommandPacketKind, uint64_t> bytesOf;
        for (const CommandPacket& packet : bed.Sent(0))
        {
            bytesOf[packet.kind] += packet.bytes;
        }
        const auto given = Only(bed.Reports(1), CommandEvent::MESSAGE);
        self.ExpectEqual(given.size(), 1, "given");
        self.ExpectEqual(given[0].bytes, std::min(bytes, room), "bytes of software");
        self.ExpectEqual(given[0].sent, bytes, "bytes that were sent");
        return std::pair{bytesOf[CommandPacketKind::DATA], bytesOf[CommandPacketKind::REPLY]};
    };
    self.Expect(carried(16384, 1 << 20) == std::pair<uint64_t, uint64_t>{16384, 0}, "eager");
    self.Expect(carried(16385, 1 << 20) == std::pair<uint64_t, uint64_t>{2048, 14337}, "long");
    self.Expect(carried(50000, 3000) == std::pair<uint64_t, uint64_t>{2048, 952}, "cut off");
    self.Expect(carried(50000, 1000) == std::pair<uint64_t, uint64_t>{2048, 0}, "not fetched");
    self.Expect(carried(3000, 1000) == std::pair<uint64_t, uint64_t>{3000, 0}, "eager, cut off");
}

/// Messages with the same bits meet entries in the order in which they were sent.
void
TestMatchOrder(FunctionCase& self)
{
    CommandBed bed;
    bed.Post(TARGETS, Spare(1 << 20), 1);
    for (uint64_t i = 0; i < 8; ++i)
    {
        bed.Run(bed.Now() + 3'000'000);
        bed.Post(i % 3 == 0 ? 0 : TARGETS,
                 i % 3 == 0 ? Tagged(7, i) : Receive(7, 100),
                 i % 3 == 0 ? 0 : 1);
    }
    bed.Run();
    const auto given = Only(bed.Reports(1), CommandEvent::MESSAGE);
    self.ExpectEqual(given.size(), 3, "messages");
    self.Expect(std::is_sorted(given.begin(),
                               given.end(),
                               [](const auto& a, const auto& b) { return a.sent < b.sent; }),
                "in order");
}

/// What nobody wants is refused; a list that is full refuses entries.
void
TestRefusals(FunctionCase& self)
{
    CommandSettings settings;
    settings.matching.entries = 1;
    CommandBed bed(settings);
    bed.Post(TARGETS, Receive(1, 100), 1);
    bed.Post(TARGETS, Receive(2, 100), 1);
    bed.Run(3'000'000);
    bed.Post(0, Tagged(3, 40'000));
    bed.Post(0, Tagged(2, 5'000));
    bed.Post(0, Tagged(1, 10));
    bed.Run();
    self.ExpectEqual(Only(bed.Reports(0), CommandEvent::REFUSED).size(), 2, "refused messages");
    self.ExpectEqual(Only(bed.Reports(0), CommandEvent::COMPLETE).size(), 1, "the other one");
    const auto refused = Only(bed.Reports(1), CommandEvent::REFUSED);
    self.ExpectEqual(refused.size(), 1, "refused entries");
    self.ExpectEqual(refused.back().tag, 2, "the second one");
    self.ExpectEqual(bed.Engine(1).Target().Open(), 0, "nothing is kept of them");
    CommandStream oneByOne = Tagged(4, 10);
    oneByOne.count = 5;
    oneByOne.outstanding = 1;
    bed.Post(0, oneByOne);
    bed.Run();
    self.ExpectEqual(Only(bed.Reports(0), CommandEvent::REFUSED).size(),
                     2 + 5,
                     "what is refused holds up nothing behind it");
}

/// Searches tell, and take out; entries are unlinked.
void
TestSearch(FunctionCase& self)
{
    CommandBed bed;
    bed.Post(TARGETS, Spare(1 << 20), 1);
    bed.Run(3'000'000);
    bed.Post(0, Tagged(1, 10));
    bed.Post(0, Tagged(2, 30'000));
    bed.Run();
    CommandStream search = Receive(0, 0);
    search.op = CommandOp::SEARCH;
    search.arguments.entry.ignore = 3;
    search.arguments.entry.isUseOnce = false;
    bed.Post(TARGETS, search, 1);
    search.arguments.search = MatchSearch::DELETE;
    bed.Post(TARGETS, search, 1);
    bed.Post(TARGETS, search, 1);
    CommandStream unlink = Receive(0, 0);
    unlink.op = CommandOp::UNLINK;
    bed.Post(TARGETS, unlink, 1);
    bed.Post(TARGETS, unlink, 1);
    bed.Run();
    self.ExpectEqual(Only(bed.Reports(1), CommandEvent::FOUND).size(), 4, "twice two");
    self.ExpectEqual(Only(bed.Reports(1), CommandEvent::NOT_FOUND).size(), 1, "then none");
    self.ExpectEqual(Only(bed.Reports(1), CommandEvent::UNLINKED).size(), 1, "unlinked");
    self.ExpectEqual(Only(bed.Reports(1), CommandEvent::REFUSED).size(), 1, "nothing to unlink");
    self.ExpectEqual(Only(bed.Reports(0), CommandEvent::REFUSED).size(), 1, "the long one");
    self.ExpectEqual(bed.Engine(1).Target().Open(), 0, "nothing is kept");
}

/// An event without a slot is lost, and software learns how many.
void
TestEventQueueEnd(FunctionCase& self)
{
    CommandSettings settings;
    settings.eventSlots = 8;
    settings.driver.event = 1'000'000;
    CommandBed bed(settings);
    CommandStream stream;
    stream.op = CommandOp::SEND;
    stream.bytes = 8;
    stream.count = 60;
    bed.Post(0, stream);
    bed.Run();
    const auto given = Only(bed.Reports(1), CommandEvent::MESSAGE);
    self.ExpectEqual(Only(bed.Reports(0), CommandEvent::COMPLETE).size(), 60, "acknowledged");
    self.Expect(bed.Engine(1).Events().Lost() > 0, "some are lost");
    self.ExpectEqual(given.size() + bed.Engine(1).Events().Lost(), 60, "all are counted");
    self.Expect(given.back().lost > 0, "software learns of it");
    bed.Post(0, stream); // its driver has no more under way than its own queue takes
    bed.Run();
    self.Expect(Only(bed.Reports(1), CommandEvent::MESSAGE).size() > given.size(), "it goes on");
}

/// A malformed command is told of by an event of its queue.
void
TestMalformedEvent(FunctionCase& self)
{
    for (const bool isWrongKind : {false, true})
    {
        CommandSettings settings;
        settings.queues = 2;
        CommandBed bed(settings);
        CommandStream stream = isWrongKind ? Receive(1, 1) : Tagged(1, 8);
        stream.badSlots = isWrongKind ? 0 : 3;
        bed.Run(1'000'000);
        bed.Post(1, stream);
        stream = {};
        stream.count = 50;
        bed.Post(0, stream);
        bed.Run();
        const auto failed = Only(bed.Reports(0), CommandEvent::MALFORMED);
        self.ExpectEqual(failed.size(), 1, "event");
        self.Expect(failed.back().isOwn && failed.back().queue == 1, "of its queue");
        self.Expect(failed.back().postedAt >= 1'000'000, "posted as late as it was");
        self.ExpectEqual(Only(bed.Reports(0), CommandEvent::COMPLETE).size(), 50, "of the other");
    }
}

/// @return latency of a get of some bytes, one at a time, ps
TimePs
GetLatency(uint64_t bytes)
{
    CommandBed bed;
    CommandStream stream;
    stream.op = CommandOp::GET;
    stream.bytes = bytes;
    stream.count = 5;
    stream.outstanding = 1;
    bed.Post(0, stream);
    bed.Run();
    const CommandReport& last = bed.Reports(0).back();
    return last.bytes == bytes ? last.at - last.postedAt : 0;
}

/// Reads carry no data to the NIC, and so have no step.
void
TestGets(FunctionCase& self)
{
    const TimePs least = GetLatency(0);
    self.Expect(least > 0, "it comes back");
    self.Expect(GetLatency(8) > least + 400'000, "target's memory is read");
    self.Expect(GetLatency(128) - GetLatency(64) < 20'000, "no step");
    self.Expect(GetLatency(100'000) > GetLatency(50'000) + 1'500'000, "many packets");
}

/// Messages whose address is not known at once are not overtaken by those behind them.
void
TestMissesKeepOrder(FunctionCase& self)
{
    const TestSeeds seeds(20);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        constexpr uint64_t COUNT = 200;
        CommandSettings settings;
        settings.translation.hitRatio = 0.5;
        settings.translation.seed = seed;
        CommandBed bed(settings);
        CommandStream entry;
        entry.op = CommandOp::APPEND;
        entry.count = COUNT;
        entry.arguments.entry.ignore = ~uint64_t{0};
        entry.arguments.entry.bytes = 4096;
        bed.Post(1, entry, 1);
        bed.Run();
        CommandStream message;
        message.op = CommandOp::TAGGED;
        message.bytes = 64;
        message.count = COUNT;
        message.bitsStep = 1;
        bed.Post(0, message);
        bed.Run();
        uint64_t next = 0;
        for (const CommandReport& report : bed.Reports(1))
        {
            if (report.event == CommandEvent::MESSAGE)
            {
                self.ExpectEqual(report.bits, next++, Text("seed ", seed, ": a message"));
            }
        }
        self.ExpectEqual(next, COUNT, Text("seed ", seed, ": messages"));
    }
}

/// The suite.
class CommandTargetSuite : public FunctionSuite
{
  public:
    CommandTargetSuite()
        : FunctionSuite("fabric-command-target", kUnit)
    {
        Add("NQ-12 NQ-14 each message meets its entry", TestAllMeet);
        Add("NQ-14 rendezvous fetches the rest", TestRendezvous);
        Add("NQ-12 messages with the same bits keep their order", TestMatchOrder);
        Add("NQ-10 NQ-12 misses of addresses keep the order of messages", TestMissesKeepOrder);
        Add("NQ-12 what is refused", TestRefusals);
        Add("NQ-12 searches and unlinks", TestSearch);
        Add("NQ-13 an event queue with an end", TestEventQueueEnd);
        Add("NQ-2 NQ-13 a malformed command raises an event", TestMalformedEvent);
        Add("NQ-14 gets have no step", TestGets);
    }
};

CommandTargetSuite g_commandTargetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
