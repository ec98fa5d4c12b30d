/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-chip.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace fabric
{

namespace
{

/// An ACK's amount has 8 bits (WL-2).
constexpr uint32_t MOST_UNITS_PER_ACK = 255;

/// Frames that the pool has room for at first, for each port: what waits where no link is
/// congested.
constexpr uint32_t FRAMES_PER_PORT = 8;

/// Longest link, ps: windows are as long as the delay, and the calendar has 46 bits for them (70
/// s).
constexpr TimePs LONGEST_DELAY = 10'000'000'000'000;

} // namespace

SwitchChip::SwitchChip(const SwitchConfig& config)
    : m_config(config),
      m_inputs(config.ports),
      m_outputs(config.ports),
      m_queuedBytes(config.ports, 0),
      m_frames(FRAMES_PER_PORT * config.ports),
      m_meter(config.watermarks, config.roomDivisor),
      m_random(config.seed)
{
    m_agenda.Resize(config.ports);
    for (uint32_t port = 0; port < config.ports; ++port)
    {
        m_inputs[port].link.Attach(&m_agenda, port);
        for (uint32_t vc = 0; vc < config.buffer.virtualChannels; ++vc)
        {
            m_outputs[port].arbiters[vc].Configure(config.arbitration, config.ports);
        }
        m_outputs[port].flows = OutputFlowTable(config.flowIds);
    }
}

LinkTiming
SwitchChip::ReceiveTiming(TimePs delay)
{
    if (delay < 1 || delay > LONGEST_DELAY)
    {
        throw std::invalid_argument("link: a delay of " + std::to_string(delay) +
                                    " ps is not possible; allowed are 1 ps to 10 s");
    }
    m_lookahead =
        std::min(m_lookahead, delay + std::min(m_config.latency, m_config.controlLatency));
    LinkTiming timing;
    timing.delay = delay;
    timing.dataLatency = m_config.latency;
    timing.controlLatency = m_config.controlLatency;
    timing.storeAndForward = m_config.forwarding == STORE_AND_FORWARD;
    return timing;
}

void
SwitchChip::ConnectSwitch(uint32_t port,
                          SwitchChip& peer,
                          uint32_t peerPort,
                          LinkRate rate,
                          TimePs delay)
{
    OutputPort& output = m_outputs[port];
    InputPort& input = peer.m_inputs[peerPort];
    output.transmitter.Connect(rate, peer.ReceiveTiming(delay), &input.link);
    output.transmitter.Credits().Configure(peer.m_config.buffer);
    input.sender = &output.transmitter;
    input.credits = CreditPath(&output.transmitter.Credits(),
                               &output.starves,
                               &m_agenda.At(Task::DECIDE, port),
                               &m_agenda,
                               delay + m_config.controlLatency);
    // Credits are an outside cause too, also where the other direction's link is longer.
    m_lookahead = std::min(m_lookahead, delay + m_config.controlLatency);
}

void
SwitchChip::ConnectNic(uint32_t port, Nic& nic, LinkRate rate, TimePs delay)
{
    const uint32_t frame = WireBytes(nic.Config().mtu);
    if (frame > m_config.buffer.reservedBytesPerVc)
    {
        throw std::invalid_argument(
            "port " + std::to_string(port) + ": a frame of " + std::to_string(frame) +
            " bytes does not fit into the " + std::to_string(m_config.buffer.reservedBytesPerVc) +
            " bytes reserved for each virtual channel (ReservedBytes); it might wait for ever");
    }
    SetEdgeFlowControl(port, nic, rate, delay);
    InputPort& input = m_inputs[port];
    nic.Connect(rate, ReceiveTiming(delay), &input.link, &m_agenda);
    input.sender = &nic.Uplink();
    input.credits = nic.MakeCreditPath(delay + m_config.controlLatency);
    input.edge.reset(new EdgePort{nic, EdgeFlowTable(m_config.flowFields, m_config.flowIds), {}});

    OutputPort& output = m_outputs[port];
    output.nic = &nic;
    LinkTiming timing;
    timing.delay = delay;
    timing.controlLatency =
        output.pause ? QuantaToTime(m_config.pause.responseQuanta, rate.BitsPerSecond()) : 0;
    output.transmitter.Connect(rate, timing, nullptr);
    // A host takes what comes; its receiver has room for everything.
    output.transmitter.Credits().Configure({NO_LIMIT, 0, 1});
    m_nics.push_back(&nic);
}

void
SwitchChip::SetEdgeFlowControl(uint32_t port, Nic& nic, LinkRate rate, TimePs delay)
{
    if (m_config.edgeFlowControl == EDGE_CREDITS)
    {
        nic.Uplink().Credits().Configure(m_config.buffer);
        return;
    }
    const PausedLink link{rate,
                          delay,
                          m_config.latency,
                          WireBytes(std::max(JUMBO_PAYLOAD, nic.Config().mtu)),
                          m_config.buffer.totalBytes};
    m_inputs[port].pause = std::make_unique<PauseController>(
        MakePauseController(m_config.edgeFlowControl, m_config.pause, link));
    m_outputs[port].pause = m_inputs[port].pause.get();
    if (m_config.edgeFlowControl == EDGE_PRIORITY_PAUSE)
    {
        nic.UsePriorityLanes();
    }
    nic.Uplink().Credits().Configure({NO_LIMIT, 0, 1});
}

void
SwitchChip::FinishLinks()
{
    uint64_t fastest = 0;
    for (const OutputPort& output : m_outputs)
    {
        fastest = std::max(fastest, output.transmitter.Rate().BitsPerSecond());
    }
    for (const InputPort& input : m_inputs)
    {
        if (input.sender && input.sender->Rate().BitsPerSecond() < fastest)
        {
            input.sender->StoreAndForwardAtPeer();
        }
    }
}

void
SwitchChip::Divert(uint32_t port, Mailbox& mailbox)
{
    m_outputs[port].transmitter.SetMailbox(&mailbox);
    m_inputs[port].credits.SetMailbox(&mailbox);
}

void
SwitchChip::Advance(TimePs now, TimePs until)
{
    m_now = now;
    for (Nic* nic : m_nics)
    {
        nic->RunUntil(now);
    }
    TimePs from = now;
    while (!m_changes.empty() && m_changes.front().at < until)
    {
        const TimePs at = std::max(m_changes.front().at, from);
        Run(from, at);
        m_changes.front().apply(m_config);
        m_changes.erase(m_changes.begin());
        m_meter = HopMeter(m_config.watermarks, m_config.roomDivisor);
        from = at;
    }
    Run(from, until);
}

void
SwitchChip::ChangeAt(TimePs at, std::function<void(SwitchConfig&)> change)
{
    const auto later = std::find_if(m_changes.begin(), m_changes.end(), [at](const Change& other) {
        return other.at > at;
    });
    m_changes.insert(later, {at, std::move(change)});
}

void
SwitchChip::SetSampler(TimePs period, std::function<void(TimePs)> sample)
{
    m_samplePeriod = m_nextSample = period;
    m_sample = std::move(sample);
}

void
SwitchChip::CatchUp(TimePs until)
{
    for (; m_nextSample < until; m_nextSample += m_samplePeriod)
    {
        m_sample(m_nextSample);
    }
}

void
SwitchChip::Run(TimePs from, TimePs until)
{
    m_until = until;
    m_calendar.Begin(from);
    m_agenda.ForEachBefore(until, [this](Task task, uint32_t port, TimePs time) {
        m_calendar.Add(time, task, port);
    });
    while (!m_calendar.IsEmpty())
    {
        const Calendar::Item item = m_calendar.Take();
        CatchUp(item.time);
        Handle(item);
    }
}

void
SwitchChip::Handle(const Calendar::Item& item)
{
    switch (item.task)
    {
    case Task::CONTROL:
        HandleAcks(item.port, TakeEntry(m_inputs[item.port].link.Acks(), item), item.time);
        break;
    case Task::DATA:
        Receive(item.port, TakeEntry(m_inputs[item.port].link.Frames(), item), item.time);
        break;
    default:
        if (m_agenda.At(Task::DECIDE, item.port) == item.time) // else it was brought forward
        {
            Decide(item.port, item.time);
        }
        break;
    }
}

template <typename Entry>
Entry
SwitchChip::TakeEntry(Ring<Entry>& ring, const Calendar::Item& item)
{
    const Entry entry = ring.Front();
    ring.Pop();
    const TimePs next = ring.IsEmpty() ? NEVER : ring.Front().time;
    m_agenda.At(item.task, item.port) = next;
    if (next < m_until)
    {
        m_calendar.Add(next, item.task, item.port);
    }
    return entry;
}

TimePs
SwitchChip::NextTime() const
{
    TimePs next = m_agenda.Earliest();
    for (const Nic* nic : m_nics)
    {
        next = std::min(next, nic->NextEffect());
    }
    return next;
}

void
SwitchChip::Receive(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_inputs[port];
    Hold(input, WireBytes(frame.payload));
    if (input.pause)
    {
        HoldPausing(port, frame, now);
    }
    if (m_observer)
    {
        m_observer->Arrived(port, frame, now);
    }
    if (frame.corrupt)
    {
        Drop(port, frame, DropCause::CORRUPT, now);
    }
    else if (input.edge)
    {
        Admit(port, frame, now);
    }
    else if (frame.flow != NO_FLOW)
    {
        JoinFlow(port, frame, now);
    }
    else
    {
        JoinVirtualOutputQueue(port, frame, now);
    }
}

void
SwitchChip::Admit(uint32_t port, const Frame& frame, TimePs now)
{
    if (m_routing.Route(frame.dst).count == 0)
    {
        Drop(port, frame, DropCause::NO_ROUTE, now);
        return;
    }
    EdgePort& edge = *m_inputs[port].edge;
    if (!edge.waiting.IsEmpty() || !TryAdmit(port, frame, now))
    {
        LetWait(port, frame, now);
    }
}

void
SwitchChip::LetWait(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_inputs[port];
    input.edge->waiting.Push(frame);
    if (input.pause)
    {
        input.pause->BeginWait(WireBytes(frame.payload));
        PlanPause(port, now);
    }
}

bool
SwitchChip::TryAdmit(uint32_t port, Frame frame, TimePs now)
{
    EdgePort& edge = *m_inputs[port].edge;
    if (!m_config.flowChannels || (m_config.noFlowClasses >> frame.trafficClass & 1) != 0)
    {
        frame.flow = NO_FLOW;
        JoinVirtualOutputQueue(port, frame, now);
        return true;
    }
    // A NIC may have more queues than there are hints.
    const uint32_t hint =
        frame.next < EdgeFlowTable::MAX_HINTS ? frame.next : EdgeFlowTable::NO_HINT;
    const std::optional<FlowId> id = edge.table.Classify(edge.nic.Key(frame.next), hint);
    if (!id)
    {
        return false;
    }
    frame.flow = *id;
    frame.dataFlow = edge.table.Send(*id, FlowUnits(frame.payload));
    JoinFlow(port, frame, now);
    return true;
}

void
SwitchChip::AdmitWaiting(uint32_t port, TimePs now)
{
    InputPort& input = m_inputs[port];
    Ring<Frame>& waiting = input.edge->waiting;
    while (!waiting.IsEmpty() && TryAdmit(port, waiting.Front(), now))
    {
        if (input.pause)
        {
            input.pause->EndWait(WireBytes(waiting.Front().payload));
            PlanPause(port, now);
        }
        waiting.Pop();
    }
}

void
SwitchChip::JoinFlow(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_inputs[port];
    FlowRecord& record = input.flows.Open(frame.flow, frame.src, frame.dst, frame.dataFlow);
    if (record.TotalExtent() == 0)
    {
        // Nothing of the flow is under way, so another path can't bring it out of order (FC-11).
        const uint16_t output = ChooseOutput(frame, false);
        if (output == NO_OUTPUT)
        {
            Drop(port, frame, DropCause::NO_ROUTE, now);
            return;
        }
        record.queue.output = output;
        record.queue.vc = m_config.vcOfClass[frame.trafficClass];
    }
    record.nextDataFlow += FlowUnits(frame.payload);
    if (m_config.hopCredits && !input.edge && m_meter.Joined(record, FreeBytes(input)))
    {
        record.creditDue = true;
        QueueAck(port, frame.flow, record, now);
    }
    Join({static_cast<uint16_t>(port), frame.flow}, record.queue, frame, now);
}

void
SwitchChip::JoinVirtualOutputQueue(uint32_t port, const Frame& frame, TimePs now)
{
    const bool ordered = (m_config.unorderedClasses >> frame.trafficClass & 1) == 0;
    const uint16_t output = ChooseOutput(frame, ordered);
    if (output == NO_OUTPUT)
    {
        Drop(port, frame, DropCause::NO_ROUTE, now);
        return;
    }
    const uint8_t vc = m_config.vcOfClass[frame.trafficClass];
    InputFlowTable& flows = m_inputs[port].flows;
    const QueueRef ref{static_cast<uint16_t>(port), flows.VirtualOutputQueue(output, vc)};
    InputQueue& queue = flows.Queue(ref.queue);
    queue.output = output;
    queue.vc = vc;
    Join(ref, queue, frame, now);
}

void
SwitchChip::Join(QueueRef ref, InputQueue& queue, const Frame& frame, TimePs now)
{
    queue.Append(m_frames, m_frames.Put(frame));
    m_queuedBytes[queue.output] += WireBytes(frame.payload);
    List(ref, queue, now);
}

void
SwitchChip::List(QueueRef ref, InputQueue& queue, TimePs now)
{
    if (queue.listed || queue.IsEmpty())
    {
        return;
    }
    InputFlowTable& flows = m_inputs[ref.input].flows;
    if (InputFlowTable::IsFlow(ref.queue) && !HopMeter::MaySend(flows.At(ref.queue)))
    {
        return;
    }
    OutputPort& output = m_outputs[queue.output];
    queue.listed = true;
    output.arbiters[queue.vc].Append([this](QueueRef r) -> InputQueue& { return QueueAt(r); }, ref);
    output.waiting |= 1U << queue.vc;
    PlanDecision(queue.output, std::max(now, output.transmitter.FreeAt()));
}

uint16_t
SwitchChip::ChooseOutput(const Frame& frame, bool ordered)
{
    const PortRange range = m_routing.Route(frame.dst);
    if (range.count <= 1)
    {
        return range.count == 1 ? range.first : NO_OUTPUT;
    }
    if (ordered)
    {
        // By hash, so that the frames of one flow stay on one path. Each switch has its own salt:
        // the same bits would choose the same output at every tier.
        const uint32_t mixed = (frame.dataFlow ^ m_config.seed) * 0x9E3779B1U;
        return static_cast<uint16_t>(range.first + (uint64_t{mixed} * range.count >> 32));
    }
    // The least loaded output; among equals the first after a random one.
    const uint32_t start = static_cast<uint32_t>(m_random() % range.count);
    uint32_t best = range.first + start;
    for (uint32_t i = 1; i < range.count; ++i)
    {
        const uint32_t candidate = range.first + (start + i) % range.count;
        best = m_queuedBytes[candidate] < m_queuedBytes[best] ? candidate : best;
    }
    return static_cast<uint16_t>(best);
}

void
SwitchChip::Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    InputPort& input = m_inputs[port];
    if (m_observer)
    {
        m_observer->Dropped(port, frame, cause, now);
    }
    if (m_dropHandler)
    {
        m_dropHandler(frame);
    }
    m_counts.droppedPayload[static_cast<std::size_t>(cause)] += frame.payload;
    ++m_counts.droppedFrames;
    Release(input, frame.vc, WireBytes(frame.payload), now);
    if (input.pause)
    {
        ReleasePausing(port, frame, now);
    }
    if (frame.flow == NO_FLOW)
    {
        return;
    }
    const uint32_t units = FlowUnits(frame.payload);
    FlowRecord& record = input.flows.Open(frame.flow, frame.src, frame.dst, frame.dataFlow);
    // It neither waits here nor was it sent on; the counters pass over it.
    record.nextDataFlow += units;
    record.dataFlow += units;
    Acknowledge({static_cast<uint16_t>(port), frame.flow}, units, true, now);
}

void
SwitchChip::Decide(uint32_t port, TimePs now)
{
    m_agenda.At(Task::DECIDE, port) = NEVER;
    OutputPort& output = m_outputs[port];
    if (now < output.transmitter.FreeAt())
    {
        PlanDecision(port, output.transmitter.FreeAt());
        return;
    }
    if (output.pause && SendPause(port, now))
    {
        return;
    }
    output.starves = false;
    const uint32_t vc = ReadyChannel(port, now);
    if (!output.acks.IsEmpty() && output.acks.IsDue(m_config.ackTimers, now, vc != NO_CHANNEL))
    {
        SendAcks(port, now);
    }
    else if (vc != NO_CHANNEL)
    {
        SendFrame(port, vc, now);
    }
    else
    {
        PlanRetry(port);
        return;
    }
    if (HasWork(output))
    {
        PlanDecision(port, output.transmitter.FreeAt());
    }
}

uint32_t
SwitchChip::ReadyChannel(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    if (output.waiting == 0)
    {
        return NO_CHANNEL;
    }
    LinkCredits& credits = output.transmitter.Credits();
    credits.Collect(now);
    const auto queues = [this](QueueRef r) -> InputQueue& { return QueueAt(r); };
    const auto arrival = [this](const InputQueue& queue) { return m_frames.At(queue.head).time; };
    const uint32_t channels = m_config.buffer.virtualChannels;
    for (uint32_t i = 0; i < channels; ++i)
    {
        const uint32_t vc = (output.turn + i) % channels;
        OutputArbiter& arbiter = output.arbiters[vc];
        arbiter.SettleTurn(queues, arrival);
        while ((output.waiting >> vc & 1) != 0 && !MayServe(port, arbiter.Front(queues), now))
        {
            arbiter.RemoveFront(queues); // the others need not wait for it
            output.waiting &= ~(arbiter.IsEmpty() ? 1U << vc : 0U);
            arbiter.SettleTurn(queues, arrival);
        }
        if ((output.waiting >> vc & 1) == 0)
        {
            continue;
        }
        const Frame& frame = m_frames.At(QueueAt(arbiter.Front(queues)).head);
        if (credits.CanSend(vc, WireBytes(frame.payload)))
        {
            return vc;
        }
    }
    return NO_CHANNEL;
}

bool
SwitchChip::MayServe(uint32_t port, QueueRef ref, TimePs now)
{
    if (!InputFlowTable::IsFlow(ref.queue))
    {
        return true;
    }
    OutputPort& output = m_outputs[port];
    FlowRecord& record = m_inputs[ref.input].flows.At(ref.queue);
    if (!HopMeter::MaySend(record))
    {
        // Metering began while it stood in the list; a credit puts it there again.
        record.queue.listed = false;
        return false;
    }
    if (output.nic || record.outgoing != NO_FLOW)
    {
        return true;
    }
    record.outgoing = output.flows.Allocate(ref, now);
    if (record.outgoing == NO_FLOW)
    {
        output.lackingId.Push(ref); // the next id that is freed is its own
        return false;
    }
    return true;
}

void
SwitchChip::SendFrame(uint32_t port, uint32_t vc, TimePs now)
{
    OutputPort& output = m_outputs[port];
    const QueueRef ref =
        output.arbiters[vc].Front([this](QueueRef r) -> InputQueue& { return QueueAt(r); });
    InputPort& input = m_inputs[ref.input];
    Frame frame = TakeFrame(ref, input.flows.Queue(ref.queue), now);
    const uint8_t arrivedOn = frame.vc;
    frame.vc = vc & (VIRTUAL_CHANNELS - 1);
    frame.corrupt = output.transmitter.Corrupts(frame);
    if (m_observer)
    {
        m_observer->Sent(port, frame, now);
    }
    const TimePs end = output.nic ? output.transmitter.SendToHost(frame, now)
                                  : output.transmitter.SendData(frame, now);
    Release(input, arrivedOn, WireBytes(frame.payload), end);
    if (input.pause)
    {
        ReleasePausing(ref.input, frame, end);
    }
    PassTurn(output, vc, ref);
    if (output.nic)
    {
        output.nic->Expect(frame, m_now);
        if (InputFlowTable::IsFlow(ref.queue))
        {
            // The egress port makes the ACK when it starts the frame (FC-7, DP-12).
            Acknowledge(ref, FlowUnits(frame.payload), false, now);
        }
    }
}

Frame
SwitchChip::TakeFrame(QueueRef ref, InputQueue& queue, TimePs now)
{
    const uint32_t index = queue.RemoveFirst(m_frames);
    Frame frame = m_frames.At(index);
    m_frames.Free(index);
    m_queuedBytes[queue.output] -= WireBytes(frame.payload);
    if (InputFlowTable::IsFlow(ref.queue))
    {
        const uint32_t units = FlowUnits(frame.payload);
        InputPort& input = m_inputs[ref.input];
        FlowRecord& record = input.flows.At(ref.queue);
        record.dataFlow += units;
        frame.flow = record.outgoing;
        HopMeter::Sent(record, units);
        if (m_meter.Left(record, units, FreeBytes(input)))
        {
            record.creditDue = true;
            QueueAck(ref.input, ref.queue, record, now);
        }
    }
    return frame;
}

void
SwitchChip::PassTurn(OutputPort& output, uint32_t vc, QueueRef ref)
{
    const auto queues = [this](QueueRef r) -> InputQueue& { return QueueAt(r); };
    InputQueue& queue = QueueAt(ref);
    const bool maySend = !InputFlowTable::IsFlow(ref.queue) ||
                         HopMeter::MaySend(m_inputs[ref.input].flows.At(ref.queue));
    queue.listed = !queue.IsEmpty() && maySend;
    OutputArbiter& arbiter = output.arbiters[vc];
    arbiter.Served(queues, queue.listed);
    output.waiting &= ~(arbiter.IsEmpty() ? 1U << vc : 0U);
    output.turn = static_cast<uint8_t>((vc + 1) % m_config.buffer.virtualChannels);
}

bool
SwitchChip::SendPause(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    std::optional<PauseOrder> order = output.pause->Decide(now);
    if (!order)
    {
        PlanDecision(port, output.pause->NextTime());
        return false;
    }
    order->time = output.transmitter.StartPause(now);
    if (m_observer)
    {
        m_observer->Paused(port, *order, now);
    }
    output.nic->Accept(*order);
    PlanDecision(port, output.transmitter.FreeAt());
    return true;
}

void
SwitchChip::HoldPausing(uint32_t port, const Frame& frame, TimePs now)
{
    m_inputs[port].pause->Arrive(frame.trafficClass, WireBytes(frame.payload), now);
    PlanPause(port, now);
}

void
SwitchChip::ReleasePausing(uint32_t port, const Frame& frame, TimePs end)
{
    PauseController& pause = *m_inputs[port].pause;
    pause.Leave(frame.trafficClass, WireBytes(frame.payload), end);
    if (pause.IsStopping())
    {
        PlanDecision(port, end);
    }
}

void
SwitchChip::PlanPause(uint32_t port, TimePs now)
{
    const OutputPort& output = m_outputs[port];
    if (output.pause->IsDue(now))
    {
        PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
    }
}

void
SwitchChip::SendAcks(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    InputFlowTable& flows = m_inputs[port].flows;
    // Each flow that waits gives one ACK; what is left of it waits for the next frame.
    const uint32_t count = std::min(output.acks.Size(), MAX_ACKS_PER_FRAME);
    AckBatch batch;
    batch.time = output.transmitter.StartControl(AckFrameBytes(count), now);
    for (uint32_t i = 0; i < count; ++i)
    {
        const FlowId flow = output.acks.Take();
        FlowRecord& record = flows.At(flow);
        if (batch.IsFull())
        {
            output.transmitter.PushAcks(batch);
            batch.count = 0;
        }
        batch.Add(TakeAck(flow, record));
        if (record.HasAcks())
        {
            output.acks.Add(flow, now);
            continue;
        }
        record.ackQueued = false;
        if (record.TotalExtent() == 0)
        {
            flows.Close(flow);
        }
    }
    output.transmitter.PushAcks(batch);
    output.acks.Restart(now);
}

Ack
SwitchChip::TakeAck(FlowId flow, FlowRecord& record)
{
    if (record.creditDue)
    {
        record.creditDue = false;
        return {flow, AckType::HEADROOM, HopMeter::TakeCredit(record)};
    }
    uint32_t& units = record.unsentLosses != 0 ? record.unsentLosses : record.unsentAcks;
    const AckType type = record.unsentLosses != 0 ? AckType::LOST : AckType::NORMAL;
    const uint32_t amount = std::min(units, MOST_UNITS_PER_ACK);
    units -= amount;
    return {flow, type, static_cast<uint8_t>(amount)};
}

void
SwitchChip::PlanRetry(uint32_t port)
{
    OutputPort& output = m_outputs[port];
    if (!output.acks.IsEmpty())
    {
        PlanDecision(port, output.acks.DueWhenIdle(m_config.ackTimers));
    }
    if (output.waiting != 0)
    {
        output.starves = true;
        PlanDecision(port, output.transmitter.Credits().NextReturn());
    }
}

void
SwitchChip::HandleAcks(uint32_t port, const AckBatch& batch, TimePs now)
{
    for (uint32_t i = 0; i < batch.count; ++i)
    {
        const Ack& ack = batch.acks[i];
        const QueueRef ref = m_outputs[port].flows.Source(ack.flow);
        if (LowersFlowExtent(ack.type))
        {
            Acknowledge(ref, ack.amount, ack.type == AckType::LOST, now);
        }
        else if (ack.type == AckType::HEADROOM && !(ref == NO_QUEUE))
        {
            HopMeter::Receive(m_inputs[ref.input].flows.At(ref.queue), ack.amount);
            List(ref, QueueAt(ref), now);
        }
    }
}

void
SwitchChip::Acknowledge(QueueRef ref, uint32_t units, bool lost, TimePs now)
{
    InputPort& input = m_inputs[ref.input];
    FlowRecord& record = input.flows.At(ref.queue);
    record.ackFlow += units;
    if (record.TotalExtent() == 0 && record.outgoing != NO_FLOW)
    {
        ReleaseOutgoing(record, now);
    }
    if (!input.edge)
    {
        (lost ? record.unsentLosses : record.unsentAcks) += units;
        QueueAck(ref.input, ref.queue, record, now);
    }
    else if (input.edge->table.Acknowledge(ref.queue, units))
    {
        input.flows.Close(ref.queue);
        AdmitWaiting(ref.input, now);
    }
}

void
SwitchChip::ReleaseOutgoing(FlowRecord& record, TimePs now)
{
    OutputPort& output = m_outputs[record.queue.output];
    output.flows.Release(record.outgoing, now);
    record.outgoing = NO_FLOW;
    record.metered = false;
    if (!output.lackingId.IsEmpty())
    {
        // The one that waited longest gets it at once, else a flow listed before it would take it.
        const QueueRef ref = output.lackingId.Front();
        output.lackingId.Pop();
        FlowRecord& heir = m_inputs[ref.input].flows.At(ref.queue);
        heir.outgoing = output.flows.Allocate(ref, now);
        heir.queue.listed = false;
        List(ref, heir.queue, now);
    }
}

void
SwitchChip::QueueAck(uint32_t port, FlowId flow, FlowRecord& record, TimePs now)
{
    OutputPort& output = m_outputs[port];
    if (!record.ackQueued)
    {
        record.ackQueued = true;
        output.acks.Add(flow, now);
        const bool isFull = output.acks.Size() >= MAX_ACKS_PER_FRAME;
        const TimePs due = isFull ? now : output.acks.DueWhenIdle(m_config.ackTimers);
        PlanDecision(port, std::max({now, due, output.transmitter.FreeAt()}));
    }
}

void
SwitchChip::PlanDecision(uint32_t port, TimePs time)
{
    TimePs& decision = m_agenda.At(Task::DECIDE, port);
    if (time < decision)
    {
        decision = time;
        if (time < m_until)
        {
            m_calendar.Add(time, Task::DECIDE, port);
        }
    }
}

void
SwitchChip::Hold(InputPort& input, uint32_t bytes)
{
    input.heldBytes += bytes;
    input.peakHeldBytes = std::max(input.peakHeldBytes, input.heldBytes);
    m_counts.heldBytes += bytes;
    m_counts.peakHeldBytes = std::max(m_counts.peakHeldBytes, m_counts.heldBytes);
}

void
SwitchChip::Release(InputPort& input, uint32_t vc, uint32_t bytes, TimePs end)
{
    input.heldBytes -= bytes;
    m_counts.heldBytes -= bytes;
    input.credits.Return(vc, bytes, end, m_now);
}

} // namespace fabric
} // namespace ns3
