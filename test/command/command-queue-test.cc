/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-buffer-backlog.h"
#include "fabric-command-policy.h"
#include "fabric-command-writer.h"
#include "fabric-counter-table.h"
#include "fabric-event-queue.h"
#include "fabric-flow-queue-table.h"
#include "fabric-nic-command-queue.h"
#include "fabric-queue-arbiter.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A store on its way from the driver to the NIC.
struct FlyingStore
{
    uint64_t position; ///< Of the slot, or the new write pointer.
    uint8_t words;     ///< 0 for a doorbell.
};

/// A driver and a NIC with one queue, between which everything takes a time that is drawn.
class QueueModel
{
  public:
    explicit QueueModel(uint32_t seed)
        : m_random(seed),
          m_settings(DrawSettings()),
          m_ring(m_settings.ringSlots),
          m_writer(m_ring),
          m_queue(m_settings, m_ring),
          m_batch(1 + Draw(6)),
          m_usesBuffer(Draw(5))
    {
    }

    /// Sends commands. @return what went wrong, empty for nothing
    std::string Run(uint64_t commands)
    {
        for (uint64_t steps = 0; m_processed < commands || !m_stores.empty(); ++steps)
        {
            if (steps == 100'000)
            {
                return "stuck after " + std::to_string(m_processed) + " commands";
            }
            Step(commands);
            if (!m_error.empty())
            {
                return m_error;
            }
        }
        if (m_queue.Status().accepted != m_fromBuffer)
        {
            return std::to_string(m_fromBuffer) + " commands came from the buffer, and " +
                   std::to_string(m_queue.Status().accepted) + " count as such";
        }
        if (m_ring.Kept() > std::max<std::size_t>(8, 2 * m_ring.Capacity()))
        {
            return std::to_string(m_ring.Kept()) + " slots are kept of a ring of " +
                   std::to_string(m_settings.ringSlots);
        }
        return m_queue.IsEmpty() ? "" : "the ring is not empty";
    }

    const NicCommandQueue& Queue() const
    {
        return m_queue;
    }

  private:
    uint32_t Draw(uint32_t choices)
    {
        return static_cast<uint32_t>(m_random() % choices);
    }

    CommandSettings DrawSettings()
    {
        CommandSettings settings;
        settings.lowLatencySlots = Draw(5);
        settings.readSlots = 1 + Draw(8);
        settings.prefetchSlots = std::max(settings.readSlots, 4U) + Draw(20);
        settings.ringSlots = 8U << Draw(4);
        const WriteBackSettings policies[] = {{0, true, 0},
                                              {1, false, 0},
                                              {1, true, 50},
                                              {256, false, 0}};
        settings.writeBack = policies[Draw(4)];
        return settings;
    }

    void Step(uint64_t commands)
    {
        ++m_now;
        switch (Draw(6))
        {
        case 0:
            Drive(commands);
            break;
        case 1:
            Fly();
            break;
        case 2:
            if (m_queue.WantsFetch())
            {
                Fetch();
            }
            break;
        case 3:
            if (!m_reads.empty())
            {
                const uint32_t which = Draw(static_cast<uint32_t>(m_reads.size()));
                m_queue.ReadDone(m_reads[which]);
                m_reads.erase(m_reads.begin() + which);
            }
            break;
        case 4:
            Process();
            break;
        default:
            m_line.Look(m_now);
            m_writer.Learn(m_line.Seen().read);
        }
    }

    /// The driver writes a command, if there is room.
    void Drive(uint64_t commands)
    {
        const uint32_t slots = 1U << Draw(3);
        if (m_posted == commands || !m_writer.HasRoom(slots))
        {
            if (m_writer.HasUntold())
            {
                Ring();
            }
            return;
        }
        Command command;
        command.sequence = m_posted++;
        command.slots = static_cast<uint8_t>(slots);
        command.isInline = true;
        command.bytes = slots == 4 ? 192 : slots * COMMAND_SLOT_BYTES - COMMAND_HEADER_BYTES;
        command.isLowLatency = Draw(5) < m_usesBuffer && m_writer.Padding(slots) == 0;
        if (command.isLowLatency && m_writer.HasUntold())
        {
            Ring();
        }
        const uint64_t position = m_writer.Write(command, slots);
        if (command.isLowLatency)
        {
            WriteBuffer(position, slots);
        }
        else if (++m_untold >= m_batch)
        {
            Ring();
        }
    }

    void Ring()
    {
        m_untold = 0;
        m_stores.push_back({m_writer.Tell(), 0});
    }

    void WriteBuffer(uint64_t position, uint32_t slots)
    {
        const uint32_t words = 1U << Draw(4);
        for (uint32_t slot = 0; slot < slots; ++slot)
        {
            for (uint32_t word = 0; word < 8; word += words)
            {
                const auto mask = static_cast<uint8_t>(((1U << words) - 1) << word);
                m_stores.push_back({position + slot, mask});
            }
        }
        m_writer.Tell();
    }

    /// A store arrives. Pieces overtake whatever they like, a doorbell nothing (the fence).
    void Fly()
    {
        if (m_stores.empty())
        {
            return;
        }
        const auto begin = m_stores.begin();
        auto which = begin + Draw(static_cast<uint32_t>(m_stores.size()));
        if (which->words == 0)
        {
            which = begin;
        }
        const FlyingStore store = *which;
        m_stores.erase(which);
        if (store.words == 0)
        {
            m_queue.Doorbell(store.position);
        }
        else
        {
            m_queue.TakePiece({store.position, store.words});
        }
    }

    void Fetch()
    {
        const CommandFetch fetch = m_queue.Fetch();
        if (fetch.position % m_ring.Slots() + fetch.slots > m_ring.Slots())
        {
            m_error = "a read goes beyond the end of the ring";
        }
        if (fetch.position + fetch.slots > m_writer.Position())
        {
            m_error = "a slot is read that is not written";
        }
        if (fetch.isRead)
        {
            m_reads.push_back(fetch);
        }
        m_fromBuffer += fetch.isRead ? 0 : 1;
    }

    void Process()
    {
        if (m_queue.HasCommand())
        {
            const Command command = m_queue.NextCommand();
            if (command.op != CommandOp::NOOP && command.sequence != m_processed++)
            {
                m_error = "command " + std::to_string(command.sequence) + " comes and not " +
                          std::to_string(m_processed - 1);
            }
            if (!m_queue.Process(m_now))
            {
                m_error = "a command is malformed";
            }
        }
        if (m_queue.WriteBack().Take(m_now))
        {
            CommandStatus status = m_queue.Status();
            status.at = m_lastStatus = std::max(m_lastStatus, m_now + Draw(40));
            m_line.Write(status);
        }
    }

    std::mt19937 m_random;
    CommandSettings m_settings;
    CommandRing m_ring;
    CommandWriter m_writer;
    NicCommandQueue m_queue;
    uint32_t m_batch;
    uint32_t m_usesBuffer;
    CommandStatusLine m_line;
    std::deque<FlyingStore> m_stores;
    std::vector<CommandFetch> m_reads;
    TimePs m_now{0};
    TimePs m_lastStatus{0};
    uint64_t m_posted{0};
    uint64_t m_processed{0};
    uint64_t m_fromBuffer{0};
    uint32_t m_untold{0};
    std::string m_error;
};

/// Whatever the order and the times are, commands come once each and in order.
void
TestAnyOrder(FunctionCase& self)
{
    const TestSeeds seeds(8000);
    uint64_t accepted = 0;
    uint64_t dropped = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        QueueModel model(seed);
        const std::string wrong = model.Run(60);
        self.Expect(wrong.empty(), Text("seed ", seed, ": ", wrong));
        accepted += model.Queue().Status().accepted;
        dropped += model.Queue().Status().dropped;
    }
    self.Expect(accepted > seeds.count, Text("only ", accepted, " commands came from the buffer"));
    self.Expect(dropped > seeds.count, Text("only ", dropped, " commands were dropped"));
}

/// A queue with a ring of 60 slots, in which inline commands of some slots are written.
struct QueueBed
{
    explicit QueueBed(const CommandSettings& settings = {})
        : queue(settings, ring)
    {
    }

    /// Writes a command into the ring. @return its position
    uint64_t Write(uint32_t slots = 1)
    {
        Command command;
        command.slots = static_cast<uint8_t>(slots);
        command.isInline = true;
        command.isLowLatency = true;
        command.bytes = slots * COMMAND_SLOT_BYTES - COMMAND_HEADER_BYTES;
        return writer.Write(command, slots);
    }

    CommandRing ring{64};
    CommandWriter writer{ring};
    NicCommandQueue queue;
};

/// The write pointer advances over complete slots only, and such a command is not read over PCIe.
void
TestPieces(FunctionCase& self)
{
    QueueBed bed;
    bed.Write(2);
    self.Expect(bed.queue.TakePiece({1, 0xF0}), "second slot, second half");
    self.Expect(bed.queue.TakePiece({0, 0x0F}), "first slot, first half");
    self.Expect(bed.queue.TakePiece({1, 0x0F}), "second slot is complete");
    self.Expect(!bed.queue.WantsFetch() && bed.queue.IsEmpty(), "the first one is not");
    self.Expect(bed.queue.TakePiece({0, 0xF0}), "the last piece");
    self.Expect(bed.queue.WantsFetch() && !bed.queue.NextIsRead(), "it is all in the buffer");
    bed.queue.Fetch();
    self.Expect(bed.queue.HasCommand() && bed.queue.Process(0), "and processed");
    self.ExpectEqual(bed.queue.Status().accepted, 1, "accepted");
    self.ExpectEqual(bed.queue.ReadPointer(), 2, "read pointer");
}

/// While the buffer has data of a write before, and behind something in the ring, a write is
/// dropped and its command fetched, however much room there is.
void
TestDrops(FunctionCase& self)
{
    CommandSettings settings;
    settings.lowLatencySlots = 4;
    QueueBed full(settings);
    for (uint32_t i = 0; i < 3; ++i)
    {
        self.ExpectEqual(full.queue.TakePiece({full.Write(), ALL_WORDS}), i == 0, "one at a time");
    }
    self.Expect(!full.queue.Fetch().isRead, "the first one comes from the buffer");
    const CommandFetch others = full.queue.Fetch();
    self.Expect(others.isRead && others.slots == 2, "the others come from the ring");
    full.queue.ReadDone(others);
    for (uint32_t i = 0; i < 3; ++i)
    {
        self.Expect(full.queue.Process(0), "processed");
    }
    self.ExpectEqual(full.queue.Status().accepted, 1, "accepted");
    self.ExpectEqual(full.queue.Status().dropped, 2, "dropped");
    QueueBed behind;
    behind.Write();
    behind.queue.Doorbell(1);
    self.Expect(!behind.queue.TakePiece({behind.Write(), ALL_WORDS}), "the ring is not empty");
    const CommandFetch both = behind.queue.Fetch();
    self.Expect(both.isRead && both.slots == 2, "both are read at once");
    self.Expect(behind.queue.TakePiece({behind.Write(), ALL_WORDS}),
                "all that is in the ring was asked for");
    behind.queue.Fetch();
    self.Expect(!behind.queue.HasCommand(), "it waits for those before it");
}

/// Pieces of a command that is longer than the buffer, or of which a part was fetched, are dropped.
void
TestParts(FunctionCase& self)
{
    QueueBed late;
    late.Write();
    late.queue.Doorbell(1);
    late.Write(); // a no-op would be there otherwise
    late.queue.Doorbell(2);
    late.Write(2);
    self.Expect(!late.queue.TakePiece({2, ALL_WORDS}), "the ring is not empty");
    const CommandFetch fetch = late.queue.Fetch();
    self.ExpectEqual(fetch.slots, 3, "with half of a command");
    self.Expect(!late.queue.TakePiece({3, ALL_WORDS}), "the other half of that");
    const CommandFetch rest = late.queue.Fetch();
    self.Expect(rest.isRead && rest.position == 3 && rest.slots == 1, "is fetched as well");
    late.Write(2);
    self.Expect(late.queue.TakePiece({4, ALL_WORDS}), "all of the ring was asked for");
    self.Expect(late.queue.TakePiece({5, ALL_WORDS}), "the rest of the same command");
    late.queue.Fetch();
    late.queue.ReadDone(fetch);
    late.queue.ReadDone(rest);
    while (late.queue.HasCommand())
    {
        self.Expect(late.queue.Process(0), "processed");
    }
    self.ExpectEqual(late.queue.ReadPointer(), 6, "all of them");
    self.ExpectEqual(late.queue.Status().accepted, 1, "accepted");
    self.ExpectEqual(late.queue.Status().dropped, 3, "dropped");
    QueueBed early;
    early.Write();
    early.Write();
    self.Expect(early.queue.TakePiece({1, 0x0F}), "it may be of the command at 0");
    self.Expect(early.queue.TakePiece({0, ALL_WORDS}), "which has one slot, as is known now");
    early.queue.Fetch();
    self.Expect(early.queue.TakePiece({1, 0xF0}), "the buffer is empty");
    self.Expect(early.queue.NextIsRead(), "but a piece of it came too early");
}

/// One slot stays free, and a read pointer makes room.
void
TestFull(FunctionCase& self)
{
    QueueBed bed;
    uint32_t written = 0;
    for (; bed.writer.HasRoom(1); ++written)
    {
        bed.Write();
    }
    self.ExpectEqual(written, 64 - CommandRing::STATUS_SLOTS - 1, "commands in a full ring");
    bed.writer.Learn(3);
    self.Expect(bed.writer.HasRoom(2) && !bed.writer.HasRoom(4), "a no-op and two slots");
}

/// The simulator keeps what is not processed, and finds it after it has taken more memory.
void
TestKeptSlots(FunctionCase& self)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        CommandRing ring(64);
        const uint32_t most = 1 + random() % ring.Capacity();
        std::deque<uint64_t> waiting;
        uint64_t written = 0;
        uint64_t wrong = 0;
        for (uint32_t step = 0; step < 500; ++step)
        {
            if (waiting.size() < most && random() % 2 == 0)
            {
                Command command;
                command.bytes = random();
                ring.Write(written++, command);
                waiting.push_back(command.bytes);
            }
            else if (!waiting.empty())
            {
                wrong += ring.At(written - waiting.size()).bytes != waiting.front() ? 1 : 0;
                wrong += ring.At(written - 1).bytes != waiting.back() ? 1 : 0;
                waiting.pop_front();
                ring.Processed(written - waiting.size());
            }
        }
        self.ExpectEqual(wrong, 0, Text("seed ", seed, ": commands that were lost"));
        const std::size_t enough = std::max<std::size_t>(8, 2 * most - 1);
        self.Expect(ring.Kept() <= enough, Text("seed ", seed, ": ", ring.Kept(), " slots kept"));
    }
}

/// Read pointers are written back when the policy says so.
void
TestWriteBack(FunctionCase& self)
{
    const auto writes = [](const WriteBackSettings& settings,
                           bool drains,
                           uint32_t slots = 1,
                           uint32_t ringSlots = 1024) {
        ReadPointerPolicy policy(settings, ringSlots);
        uint32_t count = 0;
        for (uint32_t i = 1; i <= 100; ++i)
        {
            policy.Advance(slots, drains || i == 100, 10 * i);
            count += policy.Take(10 * i) ? 1 : 0;
        }
        return count;
    };
    self.ExpectEqual(writes({8, false, 0}, false), 12, "every 8 commands");
    self.ExpectEqual(writes({0, true, 0}, false), 1, "on empty");
    self.ExpectEqual(writes({0, true, 0}, true), 100, "on empty, and it always is");
    self.ExpectEqual(writes({0, false, 200}, false), 4, "after a time");
    self.ExpectEqual(writes({16, true, 0}, false), 7, "every 16 and on empty");
    self.ExpectEqual(writes({256, false, 0}, false, 1, 64), 6, "every quarter of a short ring");
    self.ExpectEqual(writes({8, false, 0}, false, 1, 64), 12, "a quarter of the ring is longer");
    self.ExpectEqual(writes({256, false, 0}, false, 4, 256), 6, "every quarter by slots");
    self.ExpectEqual(writes({0, false, 0}, false, 4, 64), 0, "not by commands at all");
}

/// Classes get grants by weight, and queues of a class have turns.
void
TestArbiter(FunctionCase& self)
{
    QueueArbiter arbiter({1, 3});
    std::vector<uint32_t> grants(4, 0);
    const auto classOf = [](uint32_t queue) { return static_cast<uint8_t>(queue == 0 ? 0 : 1); };
    for (uint32_t i = 0; i < 400; ++i)
    {
        for (uint32_t queue = 0; queue < 4; ++queue)
        {
            arbiter.Add(queue, classOf(queue));
        }
        ++grants[arbiter.Take()];
    }
    for (uint32_t queue = 0; queue < 4; ++queue)
    {
        self.ExpectEqual(grants[queue], 100, Text("queue ", queue));
    }
    while (!arbiter.IsEmpty())
    {
        arbiter.Take();
    }
    arbiter.Add(0, 0);
    arbiter.Add(0, 0);
    self.ExpectEqual(arbiter.Take(), 0, "alone it is served whatever its weight is");
    self.Expect(arbiter.IsEmpty(), "a queue waits once");
}

/// Who can't be served loses nothing of a round by that, and keeps nobody else from being served.
void
TestSetAside(FunctionCase& self)
{
    QueueArbiter arbiter({1, 3});
    std::vector<uint32_t> served;
    for (uint32_t i = 0; i < 8; ++i)
    {
        arbiter.Add(0, 0);
        arbiter.Add(1, 1);
        served.push_back(arbiter.Take());
        arbiter.Add(served.back(), static_cast<uint8_t>(served.back()));
        arbiter.SetAside(); // there was room for one only
        arbiter.SetAside();
        self.Expect(arbiter.IsEmpty(), Text("nobody waits after ", i));
    }
    self.Expect(served == std::vector<uint32_t>{0, 1, 1, 1, 1, 1, 1, 0}, "by weight");
    arbiter.Add(0, 0);
    arbiter.Add(1, 1);
    self.ExpectEqual(arbiter.Front(), 0, "the turn of the first class");
    arbiter.SetAside();
    self.ExpectEqual(arbiter.Take(), 1, "the other one is served meanwhile");
    for (uint32_t i = 0; i < 2; ++i)
    {
        arbiter.Add(0, 0);
        arbiter.Add(1, 1);
        self.ExpectEqual(arbiter.Take(), 1, "the rest of its weight");
    }
    arbiter.Add(1, 1);
    self.ExpectEqual(arbiter.Take(), 0, "and the first one in the same round");
}

/// Classes of one weight have turns by number.
void
TestClassesInOrder(FunctionCase& self)
{
    QueueArbiter arbiter({1, 1, 1});
    for (const uint32_t queue : {2, 1, 0})
    {
        arbiter.Add(queue, static_cast<uint8_t>(queue));
    }
    for (const uint32_t queue : {0, 1, 2})
    {
        self.ExpectEqual(arbiter.Take(), queue, "the next class");
    }
}

/// Software sees events one by one, and the NIC learns of room after that.
void
TestEventQueueTimes(FunctionCase& self)
{
    EventQueue queue(8, {10, 3, 100});
    for (uint32_t i = 0; i < 8; ++i)
    {
        self.Expect(queue.TakeSlot(0), "a slot");
    }
    self.Expect(!queue.TakeSlot(0) && queue.Lost() == 1, "and no more");
    self.ExpectEqual(queue.Write(0, 0), 10, "software looks");
    self.ExpectEqual(queue.Write(0, 0), 13, "and sees the next one after that");
    self.Expect(!queue.TakeSlot(112), "the NIC does not know of the two yet");
    self.Expect(queue.TakeSlot(113) && queue.TakeSlot(113), "now it does");
    self.Expect(!queue.TakeSlot(113), "of no more than those");
}

/// Counters are those that there are, and say when they were last advanced.
void
TestCounters(FunctionCase& self)
{
    CounterTable counters(2);
    Ring<TriggeredCommand> ready;
    for (const uint16_t name : {1, 2, 2, 3})
    {
        counters.Advance(name, 5);
    }
    counters.Handle(5, ready);
    counters.Advance(2, 9);
    counters.Handle(9, ready);
    self.Expect(counters.Value(1) == 1 && counters.LastAt(1) == 5, "the first one");
    self.Expect(counters.Value(2) == 3 && counters.LastAt(2) == 9, "the last one");
    self.Expect(counters.Value(3) == 0 && counters.LastAt(3) == 0, "there is no third");
}

/// Flows differ by destination, network and class.
void
TestFlowsOfQueues(FunctionCase& self)
{
    FlowQueueTable table(4, 12, 4);
    std::vector<uint32_t> places;
    for (const uint32_t different : {0, 1, 2, 3})
    {
        Command command;
        command.dst = different == 1 ? 2 : 1;
        command.vni = different == 2 ? 7 : 0;
        command.trafficClass = different == 3 ? 1 : 0;
        places.push_back(*table.Enter(command));
        self.Expect(table.Enter(command) == places.back(), "the same flow");
    }
    std::sort(places.begin(), places.end());
    self.Expect(places == std::vector<uint32_t>{0, 1, 2, 3}, "a queue for each");
}

/// A flow queue has one flow as long as it has commands.
void
TestFlowQueues(FunctionCase& self)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        FlowQueueTable table(1 + random() % 6, 12, 4);
        std::vector<std::pair<uint32_t, LocationId>> inside;
        for (uint32_t i = 0; i < 200; ++i)
        {
            if (random() % 2 == 0 && !inside.empty())
            {
                const auto which = inside.begin() + static_cast<int>(random() % inside.size());
                table.Leave(which->first);
                inside.erase(which);
                continue;
            }
            Command command;
            command.dst = static_cast<LocationId>(1 + random() % 8);
            const std::optional<uint32_t> place = table.Enter(command);
            if (!place)
            {
                continue;
            }
            for (const auto& [queue, dst] : inside)
            {
                self.Expect((queue == *place) == (dst == command.dst),
                            Text("seed ", seed, ": one queue for each flow"));
            }
            inside.emplace_back(*place, command.dst);
            self.Expect(table.Commands(*place) <= 4, Text("seed ", seed, ": depth"));
        }
        self.ExpectEqual(table.Credits() + inside.size(), 12, Text("seed ", seed, ": credits"));
    }
}

/// The dynamic policy has hysteresis.
void
TestDynamicPolicy(FunctionCase& self)
{
    DynamicPolicy policy({0.5, 0.9, 100, 50, 10});
    CommandStatus status;
    const auto uses = [&](bool isKnownEmpty, TimePs waited) {
        return policy.UsesLowLatency({isKnownEmpty, true, waited, 0, status});
    };
    const auto tells = [&](uint64_t accepted, uint64_t dropped) {
        status.accepted += accepted;
        status.dropped += dropped;
    };
    self.Expect(uses(true, 0) && uses(false, 0), "at first it speculates");
    self.Expect(uses(false, 50) && !uses(true, 51), "not when it can't keep up");
    self.Expect(policy.UsesLowLatency({true, false, 51, 50, status}),
                "but when that was the last one");
    self.Expect(!policy.UsesLowLatency({true, false, 0, 51, status}),
                "nor when it keeps up by the ring only");
    tells(5, 5);
    self.Expect(uses(false, 0), "50 % is enough to go on");
    tells(4, 5);
    self.Expect(uses(false, 0), "a window is not full");
    tells(0, 1);
    self.Expect(!uses(false, 0) && uses(true, 0), "40 % ends it");
    tells(9, 1);
    self.Expect(!uses(false, 0), "90 % is too little to begin");
    tells(10, 0);
    self.Expect(uses(false, 0), "100 % is enough");
    tells(0, 10);
    uint32_t pause = 1;
    for (; !uses(false, 0); ++pause)
    {
    }
    self.ExpectEqual(pause, 100, "after a pause it tries again");
}

/// How far behind a core would be is told from what it was asked, and forgotten beyond a limit.
void
TestBufferBacklog(FunctionCase& self)
{
    BufferBacklog backlog;
    TimePs asked = 0;
    const auto waits = [&](TimePs gap) {
        asked += gap;
        const TimePs wait = backlog.WaitOf(asked);
        backlog.Add(asked, 65, 240);
        return wait;
    };
    self.ExpectEqual(waits(1000), 0, "an idle core");
    self.ExpectEqual(waits(60), 5, "asked 5 too early");
    self.ExpectEqual(waits(0), 70, "and twice at once");
    self.ExpectEqual(waits(100), 35, "it catches up");
    for (uint32_t i = 0; i < 100; ++i)
    {
        waits(10);
    }
    self.ExpectEqual(waits(10), 230, "it is never further behind than the limit");
    self.ExpectEqual(waits(300), 0, "so it knows when it is over");
}

/// Settings that can't be are refused in a sentence.
void
TestSettings(FunctionCase& self)
{
    const auto refuses = [&self](const std::string& sentence, auto change) {
        CommandSettings settings;
        change(settings);
        self.ExpectSame(Refusal([&] { settings.Validate(); }),
                        sentence.empty() ? "" : "command queues: " + sentence,
                        sentence);
    };
    refuses("", [](CommandSettings&) {});
    refuses("the number of slots of a ring is 100; allowed is a power of two from 64 to 65536",
            [](CommandSettings& s) { s.ringSlots = 100; });
    refuses("the number of slots of a ring is 32; allowed is a power of two from 64 to 65536",
            [](CommandSettings& s) { s.ringSlots = 32; });
    refuses("the limit of inline data is 193; allowed is 0 to 192",
            [](CommandSettings& s) { s.inlineBytes = 193; });
    refuses("the number of queues is 1025; allowed is 1 to 1024",
            [](CommandSettings& s) { s.queues = 1025; });
    refuses("read pointers are written back neither by number, nor on empty, nor on time; allowed "
            "is one of these at least, so that no driver waits for ever",
            [](CommandSettings& s) {
                s.writeBack = {0, false, 0};
            });
    for (const WriteBackSettings& cassini : {WriteBackSettings{1, false, 0},
                                             WriteBackSettings{16, true, 0},
                                             WriteBackSettings{256, true, 0},
                                             WriteBackSettings{256, false, 0}})
    {
        refuses("", [&cassini](CommandSettings& s) {
            s.ringSlots = LEAST_RING_SLOTS;
            s.writeBack = cassini;
        });
    }
    refuses("the class of a queue is 1; allowed is 0 to 0, for which there are weights",
            [](CommandSettings& s) { s.queueClasses = {1}; });
    refuses("the number of queues with a class is 2; allowed is 0 to 1, the queues",
            [](CommandSettings& s) {
                s.queueClasses = {0, 0};
            });
    refuses("the weight of a class is 0; allowed is 1 to 65536", [](CommandSettings& s) {
        s.classWeights = {1, 0};
    });
    refuses("the dynamic policy stops below 0.900000 and resumes above 0.500000; allowed is 0 to "
            "1, and the first is at most the second",
            [](CommandSettings& s) {
                s.dynamic = {0.9, 0.5, 1};
            });
    refuses("the time between two grants is 0 ps; allowed is 1 to 10000000000000",
            [](CommandSettings& s) { s.stages.grant = 0; });
    refuses("a time is 10000000000001 ps; allowed is 0 to 10000000000000",
            [](CommandSettings& s) { s.stages.inbound = 10'000'000'000'001; });
}

/// The suite.
class CommandQueueSuite : public FunctionSuite
{
  public:
    CommandQueueSuite()
        : FunctionSuite("fabric-command-queue", kUnit)
    {
        Add("NQ-17 nothing is lost, doubled or reordered in its queue", TestAnyOrder);
        Add("NQ-5 NQ-6 pieces in any order", TestPieces);
        Add("NQ-7 dropped writes are fetched", TestDrops);
        Add("NQ-7 parts of commands that are dropped", TestParts);
        Add("NQ-3 a ring that is full", TestFull);
        Add("NQ-2 what is kept of a ring", TestKeptSlots);
        Add("NQ-4 read pointers are written back", TestWriteBack);
        Add("NQ-9 classes by weight, queues by turn", TestArbiter);
        Add("NQ-9 who can't be served keeps its turn", TestSetAside);
        Add("NQ-9 classes of one weight by number", TestClassesInOrder);
        Add("NQ-13 times of an event queue", TestEventQueueTimes);
        Add("NQ-13 counters and their times", TestCounters);
        Add("NQ-9 what makes a flow of flow queues", TestFlowsOfQueues);
        Add("NQ-9 one flow for each flow queue", TestFlowQueues);
        Add("NQ-8 the dynamic policy has hysteresis", TestDynamicPolicy);
        Add("NQ-8 how far behind a core would be", TestBufferBacklog);
        Add("NQ-2 settings that can't be", TestSettings);
    }
};

CommandQueueSuite g_commandQueueSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
