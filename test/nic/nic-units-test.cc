/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-arrivals.h"
#include "fabric-engine-group.h"
#include "fabric-engine-slot.h"
#include "fabric-link-outages.h"
#include "fabric-send-scheduler.h"
#include "fabric-test-compat.h"
#include "nic-uplink.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/test.h"

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs FULL = TimePs{WireBytes(MAX_PAYLOAD)} * 80; ///< Of a full frame, ps.

void
TestLists(FunctionCase& test)
{
    SendQueues queues;
    test.Expect(queues.Find(FlowTo(5)) == NO_SEND_QUEUE, "a flow has a queue before it is added");
    for (uint32_t i = 0; i < 4; ++i)
    {
        test.Expect(queues.Add(SendQueue{}, FlowTo(5 + i)) == i, "queues are numbered in order");
        test.Expect(queues.Find(FlowTo(5 + i)) == NO_SEND_QUEUE, "only its owner knows it");
        queues.Register(i);
    }
    test.Expect(queues.Find(FlowTo(7)) == 2 && queues.Size() == 4, "the queue of a flow");
    for (const uint32_t number : {0, 1, 2})
    {
        queues.Append(1, number);
    }
    queues.Append(3, 3);
    test.Expect(queues.Waiting() == 0b1010 && queues.Front(1) == 0, "who waits");
    queues.TakeOut(1, 1);
    test.Expect(queues.Front(1) == 2, "who was passed over has lost the turn");
    test.Expect(queues.TakeAll() == std::vector<uint32_t>{2, 0, 3}, "all by list and turn");
    test.Expect(queues.Waiting() == 0, "nobody waits any more");
}

void
TestTurns(FunctionCase& test)
{
    Uplink uplink;
    uplink.Add(FlowTo(2), 3);
    uplink.Add(FlowTo(3), 1);
    uplink.Add(FlowTo(4), 2);
    test.ExpectSame(uplink.SendAll(), "2 3 4 2 4 2 ", "flows of a lane");

    NicConfig config;
    config.vcOfClass[1] = 1;
    Uplink channels(ROOM, config);
    channels.Add(FlowTo(2, 0), 2);
    channels.Add(FlowTo(3, 0), 2);
    channels.Add(FlowTo(4, 1), 3);
    test.ExpectSame(channels.SendAll(), "2 4 3 4 2 4 3 ", "lanes have turns, and in them flows");
}

void
TestOutcome(FunctionCase& test)
{
    Uplink uplink;
    SendScheduler& scheduler = uplink.scheduler;
    test.Expect(scheduler.Send(0).next == NEVER && !scheduler.Send(0).sent, "nothing to send");
    uplink.Add(FlowTo(2), 1);
    uplink.Add(FlowTo(3), 1, FrameKind::PACKET);
    test.Expect(scheduler.Backlog() == 2 * MAX_PAYLOAD && scheduler.PacketBacklog() == MAX_PAYLOAD,
                "what waits");
    const SendOutcome first = scheduler.Send(0);
    test.Expect(first.sent == FrameKind::MESSAGE && first.next == FULL,
                "the next decision is when the wire is free");
    const SendOutcome last = scheduler.Send(FULL);
    test.Expect(last.sent == FrameKind::PACKET && last.next == NEVER, "nothing is left to decide");
    test.Expect(scheduler.Backlog() == 0 && scheduler.PacketBacklog() == 0 &&
                    scheduler.Counts().sent == 2 * MAX_PAYLOAD,
                "what was sent");
}

void
TestCredits(FunctionCase& test)
{
    Uplink uplink(WireBytes(MAX_PAYLOAD));
    SendScheduler& scheduler = uplink.scheduler;
    Agenda agenda;
    agenda.Resize(1);
    const TimePs& decision = agenda.AddHost(0);
    CreditPath credits(CreditEnd::OfHost(uplink.transmitter.Credits(), agenda, 0), 10 * NS);
    uplink.Add(FlowTo(2), 2);
    const TimePs free = scheduler.Send(0).next;
    credits.Return(0, 0, free, 0);
    test.Expect(decision == NEVER, "a credit decides nothing while nobody waits for it");
    const SendOutcome starved = scheduler.Send(free + 10 * NS);
    test.Expect(!starved.sent && starved.next == NEVER && scheduler.IsHindered(),
                "without room there is nothing to decide");
    credits.Return(0, WireBytes(MAX_PAYLOAD), free + 90 * NS, 0);
    test.Expect(decision == free + 100 * NS, "the credit that is waited for says when");
    test.Expect(agenda.FirstHost() == decision, "and the switch sees it");
    test.Expect(scheduler.Send(free + 50 * NS).next == decision, "and so does who asks too early");
    scheduler.HoldBack(0);
    test.Expect(!scheduler.IsHindered(), "while the link is down nothing is waited for");
    test.Expect(scheduler.Send(decision).sent.has_value() && !scheduler.IsHindered(), "it goes on");
}

void
TestPausedClasses(FunctionCase& test)
{
    Uplink uplink;
    SendScheduler& scheduler = uplink.scheduler;
    scheduler.UsePriorityLanes();
    test.Expect(!scheduler.Accept(PauseOrder{0, 1000 * NS, 0b1, 0}),
                "nobody waits for the end of a pause");
    uplink.Add(FlowTo(2, 0), 1);
    uplink.Add(FlowTo(3, 1), 1);
    test.Expect(scheduler.Send(0).sent.has_value(), "another priority goes");
    test.Expect(uplink.link.Frames().Front().dst == 3, "and not the one that is paused");
    const SendOutcome paused = scheduler.Send(FULL);
    test.Expect(!paused.sent && paused.next == 1000 * NS && scheduler.IsHindered(),
                "the next decision is at the end of the pause");
    test.Expect(scheduler.Accept(PauseOrder{900 * NS, 0, 0, 0b1}), "an order may bring it forward");
    test.Expect(scheduler.Send(900 * NS).sent.has_value(), "the pause is lifted");

    scheduler.Accept(PauseOrder{2000 * NS, 1000 * NS, 0b1, 0});
    uplink.Add(FlowTo(2, 0), 1);
    scheduler.ForgetPauses(3000 * NS);
    test.Expect(scheduler.Counts().lostPauses == 1 && scheduler.Send(3000 * NS).sent.has_value(),
                "what was told before a link came up does not count");
}

/// An engine that is due when it is told to be.
class ToyEngine : public NicEngine
{
  public:
    TimePs NextTime() const override
    {
        return next;
    }

    void Handle(TimePs at) override
    {
        handled.push_back(at);
        next = NEVER;
    }

    std::optional<EnginePacket> NextPacket(TimePs) override
    {
        ++asked;
        return packet;
    }

    void StopQueue(uint32_t queue) override
    {
        stopped.insert(queue);
    }

    void ResumeQueue(uint32_t queue) override
    {
        stopped.erase(queue);
    }

    void Arrive(const Frame& frame) override
    {
        next = frame.time;
    }

    TimePs NextReport(TimePs) const override
    {
        return report;
    }

    TimePs ReportDelay() const override
    {
        return 30 * NS;
    }

    TimePs next{NEVER};                 ///< See NextTime().
    TimePs report{NEVER};               ///< See NextReport().
    std::optional<EnginePacket> packet; ///< See NextPacket().
    std::vector<TimePs> handled;        ///< Calls of Handle().
    uint32_t asked{0};                  ///< Calls of NextPacket().
    std::set<uint32_t> stopped;         ///< Queues.
};

/// Notes when it is to run the NIC.
struct NotedAlarm : Alarm
{
    void WakeBy(TimePs time) override
    {
        times.push_back(time);
    }

    std::vector<TimePs> times; ///< Calls.
};

void
TestEngineTimes(FunctionCase& test)
{
    ToyEngine engine;
    EngineSlot slot;
    test.Expect(!slot.IsUsed() && slot.Next() == NEVER && slot.NextEffect() == NEVER, "empty");
    slot.Put(engine, nullptr, 50 * NS);
    test.Expect(slot.IsUsed() && slot.NextEffect() == NEVER, "an engine without work");
    Frame frame{};
    frame.time = 200 * NS;
    slot.Arrive(frame);
    test.Expect(slot.Next() == 200 * NS, "when a frame is due");
    test.Expect(slot.NextEffect() == 230 * NS, "its report comes before its answer");
    slot.Handle();
    test.Expect(engine.handled == std::vector<TimePs>{200 * NS} && slot.Next() == NEVER, "handled");

    engine.next = 200 * NS - 1;
    slot.Plan();
    test.ExpectSame(Refusal<std::logic_error>([&slot] { slot.Handle(); }),
                    "engine of a NIC: a step at 199999 ps, allowed are times from 200000 ps on",
                    "its clock does not go back");
    slot.Pull(250 * NS);
    engine.next = 240 * NS;
    slot.Plan();
    test.Expect(!Refusal<std::logic_error>([&slot] { slot.Handle(); }).empty(),
                "nor behind a pull");

    NotedAlarm alarm;
    EngineSlot alarmed;
    engine.next = 300 * NS;
    engine.report = 400 * NS;
    alarmed.Put(engine, &alarm, 50 * NS);
    test.Expect(alarm.times == std::vector<TimePs>{430 * NS}, "the report wakes the NIC by itself");
    test.Expect(alarmed.NextEffect() == 350 * NS, "so only a frame needs the switch");
}

void
TestAlarm(FunctionCase& test)
{
    ToyEngine engine;
    NotedAlarm alarm;
    EngineSlot slot;
    slot.Put(engine, &alarm, 50 * NS);
    test.Expect(alarm.times.empty(), "nothing to handle, nothing to report");
    const auto plan = [&](TimePs report) {
        engine.next = 100 * NS;
        engine.report = report;
        alarm.times.clear();
        slot.Plan();
        return alarm.times;
    };
    using Calls = std::vector<TimePs>;
    test.Expect(plan(400 * NS) == Calls{430 * NS}, "the first report");
    test.Expect(plan(500 * NS).empty(), "a later one: the alarm comes before it");
    test.Expect(plan(300 * NS) == Calls{330 * NS}, "an earlier one");
    test.Expect(plan(300 * NS).empty(), "the same");
    alarm.times.clear();
    slot.TakeAlarm(330 * NS);
    test.Expect(alarm.times == Calls{330 * NS + 1}, "it has come too early: again, a moment later");
    engine.report = 700 * NS;
    alarm.times.clear();
    slot.TakeAlarm(331 * NS);
    test.Expect(alarm.times == Calls{730 * NS}, "the next report");
    engine.next = NEVER;
    slot.Plan();
    alarm.times.clear();
    slot.TakeAlarm(730 * NS);
    test.Expect(alarm.times.empty(), "nothing is left to handle");
    test.Expect(plan(900 * NS) == Calls{930 * NS}, "until there is something again");
}

void
TestEnginePackets(FunctionCase& test)
{
    ToyEngine engine;
    EngineSlot slot;
    slot.Put(engine, nullptr, 50 * NS);
    test.Expect(!slot.Pull(0) && !slot.Waits(), "nothing to send");
    engine.packet = EnginePacket{3, 1000, 9};
    engine.next = 70 * NS;
    const std::optional<EnginePacket> packet = slot.Pull(0);
    test.Expect(packet && packet->handle == 9 && slot.Waits(), "a packet waits for the wire");
    test.Expect(slot.Next() == 70 * NS, "its time is asked for again");
    slot.Sent(FrameKind::MESSAGE, 3);
    test.Expect(slot.Waits(), "another frame was sent");
    slot.Sent(FrameKind::TRANSPORT, 3);
    test.Expect(!slot.Waits() && engine.asked == 2, "its frame was sent");
}

void
TestHeldPackets(FunctionCase& test)
{
    ToyEngine engine;
    EngineSlot slot;
    slot.Put(engine, nullptr, 50 * NS);
    slot.QueueHeld(3);
    test.Expect(engine.stopped.empty() && !slot.TakeHeld(),
                "a queue without packets of the engine");
    slot.QueueReleased(3);
    engine.packet = EnginePacket{3, 1000, 9};
    slot.Pull(0);
    slot.QueueHeld(3);
    test.Expect(slot.TakeHeld() && !slot.TakeHeld(), "a packet is held, and told of once");
    test.Expect(!slot.Waits() && engine.stopped.count(3) == 1, "others may come");
    slot.Pull(0);
    test.Expect(slot.Waits(), "a second one for the queue");
    slot.QueueHeld(3);
    test.Expect(!slot.Waits() && slot.TakeHeld(), "is held, too");
    engine.packet = EnginePacket{5, 1000, 10};
    slot.Pull(0);
    test.Expect(slot.Waits(), "one for another queue waits for the wire");
    slot.QueueReleased(3);
    test.Expect(engine.stopped.empty(), "the restraint is over");
    slot.Sent(FrameKind::TRANSPORT, 5);
    slot.Sent(FrameKind::TRANSPORT, 3);
    test.Expect(slot.Waits(), "one of three is left");
    slot.Sent(FrameKind::TRANSPORT, 3);
    test.Expect(!slot.Waits(), "none is left");
}

/// A message waits behind a packet, whose frame leaves as the restraint of their queue begins.
void
TestHeldAsItLeaves(FunctionCase& test)
{
    ToyEngine engine;
    EngineSlot slot;
    slot.Put(engine, nullptr, 50 * NS);
    engine.packet = EnginePacket{3, 1000, 9};
    slot.Pull(0);
    slot.QueueHeld(3);
    slot.Sent(FrameKind::TRANSPORT, 3);
    test.Expect(!slot.Waits() && engine.stopped.count(3) == 1, "others may come, none for it");
    slot.QueueReleased(3);
    test.Expect(!slot.Waits() && engine.stopped.empty(), "it is free, and nothing is left");
    slot.Pull(0);
    test.Expect(slot.Waits(), "the next packet");
    slot.Sent(FrameKind::TRANSPORT, 3);
    test.Expect(!slot.Waits(), "was sent");
}

/// Each of several engines has a packet that waits, and is held back by itself.
void
TestEngineGroup(FunctionCase& test)
{
    ToyEngine first;
    ToyEngine second;
    EngineSlot slot;
    slot.Put(first, nullptr, 50 * NS);
    EngineGroup group(slot);
    group.Add(second, nullptr, 50 * NS);
    first.packet = EnginePacket{3, 1000, 9};
    second.packet = EnginePacket{5, 1000, 10};
    const auto next = [&group] {
        const std::optional<EnginePacket> packet = group.NextPacket(0);
        return packet ? packet->queue : NO_SEND_QUEUE;
    };
    test.Expect(next() == 3 && next() == 5 && next() == NO_SEND_QUEUE, "one of each waits");
    test.Expect(!group.HasPacket(), "so none is asked");
    group.PacketGoes(5, 0, 0);
    test.Expect(group.HasPacket() && next() == 5 && next() == NO_SEND_QUEUE, "the second's next");
    group.StopQueue(3);
    test.Expect(first.stopped.count(3) == 1 && second.stopped.empty(), "the first is held");
    test.Expect(next() == 3 && next() == NO_SEND_QUEUE, "and asked for another packet");
    group.ResumeQueue(3);
    test.Expect(first.stopped.empty(), "it goes on");
    first.next = 70 * NS;
    second.next = 60 * NS;
    test.Expect(group.NextTime() == 60 * NS, "the earliest of them");
    group.Handle(60 * NS);
    test.Expect(first.handled.empty() && second.handled == std::vector<TimePs>{60 * NS},
                "who is due handles it");
}

/**
 * @param bytes of a message
 * @return its handle
 */
uint32_t
PutMessage(MessageTable& messages, uint64_t bytes)
{
    Message message;
    message.bytes = message.underWay = bytes;
    return messages.Put(message);
}

void
TestArrivals(FunctionCase& test)
{
    MessageTable messages;
    Arrivals arrivals(messages);
    Frame frame{};
    frame.kind = FrameKind::MESSAGE;
    frame.handle = PutMessage(messages, 3000);
    frame.payload = 1000;
    for (const TimePs at : {100, 200, 300})
    {
        frame.time = at * NS;
        const Arrival expected = at == 300 ? Arrival::MESSAGE_COMPLETE : Arrival::PART;
        test.Expect(arrivals.Take(frame, 0, false) == expected, "a message is whole at its end");
    }
    test.Expect(arrivals.DeliveredBy(99 * NS) == 0 && arrivals.DeliveredBy(200 * NS) == 2000 &&
                    arrivals.DeliveredBy(NEVER) == 3000,
                "what is still on the link is not delivered");

    frame.handle = PutMessage(messages, 2000);
    frame.time = 400 * NS;
    messages.At(frame.handle).Lose(1000);
    test.Expect(arrivals.Take(frame, 250 * NS, false) == Arrival::MESSAGE_LOST, "a part is lost");
    test.Expect(arrivals.DeliveredBy(250 * NS) == 2000 && arrivals.DeliveredBy(300 * NS) == 3000,
                "what is over is forgotten, not lost");

    frame.kind = FrameKind::PACKET;
    test.Expect(arrivals.Take(frame, 0, false) == Arrival::PACKET, "a packet");
    frame.kind = FrameKind::TRANSPORT;
    test.Expect(arrivals.Take(frame, 0, false) == Arrival::ENGINE, "a transport's frame");
    test.Expect(arrivals.Counts().framesArrived == 6 && arrivals.Counts().arrived == 6000, "all");
    test.Expect(arrivals.Take(frame, 0, true) == Arrival::DAMAGED, "a frame that was cut");
    arrivals.Lose(frame);
    frame.corrupt = true;
    test.Expect(arrivals.Take(frame, 0, true) == Arrival::DAMAGED, "a damaged frame");
    test.Expect(arrivals.Counts().linkDown == 2000 && arrivals.Counts().corrupt == 1000 &&
                    arrivals.Counts().arrived == 6000,
                "what is lost is counted once, by its cause");
}

/// Of a frame that is coming in the part counts that is in.
void
TestPartsOfArrivals(FunctionCase& test)
{
    const LinkRate rate(200'000'000'000);
    MessageTable messages;
    Arrivals arrivals(messages);
    Frame frame{};
    frame.kind = FrameKind::TRANSPORT;
    frame.payload = 4096;
    const TimePs length = rate.TxTime(WireBytes(frame.payload));
    frame.time = 1000 * NS;
    arrivals.Take(frame, 0, false);
    for (const uint64_t quarters : {0, 1, 2, 3, 4})
    {
        const TimePs at = frame.time - length + length / 4 * static_cast<TimePs>(quarters);
        test.ExpectEqual(arrivals.ArrivedBy(at, rate), quarters * 1024, "what is in");
        test.ExpectEqual(arrivals.DeliveredBy(at), quarters / 4 * 4096, "what is whole");
    }
    test.ExpectEqual(arrivals.ArrivedBy(frame.time - 2 * length, rate), 0, "before it");
}

/// What was delivered at any time before, of arrivals that are kept.
void
TestKeptArrivals(FunctionCase& test)
{
    MessageTable messages;
    Arrivals arrivals(messages);
    arrivals.KeepAll();
    test.ExpectEqual(arrivals.LastTime(), 0, "nothing has come");
    Frame frame{};
    frame.kind = FrameKind::TRANSPORT;
    frame.payload = 10;
    for (TimePs at = 1; at <= 1000; ++at)
    {
        frame.time = at * NS;
        arrivals.Take(frame, (at - 1) * NS, false);
    }
    test.ExpectEqual(arrivals.LastTime(), 1000 * NS, "the last one");
    for (TimePs at = 0; at <= 1000; ++at)
    {
        test.ExpectEqual(arrivals.DeliveredBy(at * NS), 10 * at, "in the past");
    }
}

/// A link that fails: how long its sender is held back, and when it begins anew.
void
TestLinkOutages(FunctionCase& test)
{
    LinkOutages outages;
    outages.Fail(100 * NS, 0);
    test.Expect(outages.HeldUntil(99 * NS) == 0 && outages.HeldUntil(100 * NS) == NEVER, "held");
    test.Expect(outages.TakeUpTime(99 * NS) == 0, "it has not been down yet");
    test.ExpectEqual(outages.Repair(200 * NS, 50 * NS, 7 * NS), 207 * NS, "told after 7 ns");
    test.ExpectEqual(outages.HeldUntil(206 * NS), 207 * NS, "held until it is told");
    test.ExpectEqual(outages.HeldUntil(207 * NS), 0, "free");
    test.ExpectEqual(outages.TakeUpTime(207 * NS), 200 * NS, "up since");
    test.ExpectEqual(outages.TakeUpTime(208 * NS), 0, "which is told once");
    outages.Fail(300 * NS, 250 * NS);
    test.ExpectEqual(outages.Repair(310 * NS, 50 * NS, 0), 350 * NS, "not before it is quiet");
    test.ExpectEqual(outages.HeldUntil(299 * NS), 0, "between two outages");
    test.ExpectEqual(outages.HeldUntil(320 * NS), 350 * NS, "in the second");
    const auto cuts = [&outages](TimePs start, TimePs tail) {
        return outages.Cuts(start * NS, tail * NS);
    };
    test.Expect(cuts(299, 301) && !cuts(299, 300),
                "a tail that is in when the link fails is whole");
    test.Expect(!cuts(249, 301), "what started before it was known is cut by the switch");
    test.Expect(!cuts(300, 301), "nothing starts on a link that is down");
}

/// Hosts that send to one destination have labels of their own, by which their paths are chosen.
void
TestLabels(FunctionCase& test)
{
    std::set<uint32_t> labels;
    for (uint16_t host = 0; host < 1000; ++host)
    {
        Uplink uplink(ROOM, {}, HERE + host);
        uplink.Add(FlowTo(7), 1);
        uplink.scheduler.Send(0);
        labels.insert(uplink.link.Frames().Front().dataFlow);
    }
    test.Expect(labels.size() > 990, std::to_string(labels.size()) + " labels of 1000 hosts");
}

/// Suite of the units of a NIC.
class NicUnitsTestSuite : public FunctionSuite
{
  public:
    NicUnitsTestSuite()
        : FunctionSuite("fabric-nic-units", kUnit)
    {
        Add("SU-1 queues of flows, and lists of those that wait", TestLists);
        Add("SU-1 flows and lanes have turns on the uplink", TestTurns);
        Add("SU-1 a decision says what was sent, and when the next one is due", TestOutcome);
        Add("WL-5 DP-13 an uplink without room goes on with the credit that it waits for",
            TestCredits);
        Add("WL-5 a paused priority waits until its pause is over, lifted or forgotten",
            TestPausedClasses);
        Add("DP-4 an engine in its slot: when it is due, and when that shows", TestEngineTimes);
        Add("DP-4 an engine in its slot: one packet waits at a time", TestEnginePackets);
        Add("CM-4 an engine's packets that a restraint holds let others pass", TestHeldPackets);
        Add("NQ-16 a frame leaves as its queue is held", TestHeldAsItLeaves);
        Add("DP-4 several engines, each in its slot", TestEngineGroup);
        Add("DP-4 an engine in its slot: its alarm comes in time for a report", TestAlarm);
        Add("WL-8 outages of a link, as its sender sees them", TestLinkOutages);
        Add("FC-12 labels of flows differ by source", TestLabels);
        Add("SU-1 what arrives at a NIC, and what was delivered when", TestArrivals);
        Add("SU-1 what has come of a frame that is coming in", TestPartsOfArrivals);
        Add("WL-7 what was delivered at any time before", TestKeptArrivals);
    }
};

NicUnitsTestSuite g_nicUnitsTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
