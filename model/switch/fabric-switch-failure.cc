/* SPDX-License-Identifier: GPL-2.0-only */

// Links that fail and are repaired (WL-8).
//
// | state of a link at a switch | what happens                           | next        |
// |-----------------------------|----------------------------------------|-------------|
// | up                          | it fails                               | cut         |
// | cut                         | what was sent before comes in          | cut         |
// | cut                         | all that was sent before would be in   | down        |
// | cut                         | it is repaired                         | cut, mended |
// | cut, mended                 | all that was sent before would be in   | not greeted |
// | down                        | it is repaired                         | not greeted |
// | not greeted                 | the other end greets                   | up          |
// | any but up                  | it fails again                         | cut         |
//
// When a link fails, the sender takes its flow channels back: what they had under way counts as
// lost, the flow_ids of the link are free, and what waits goes by other ports or is dropped. At the
// receiver the channels end when what has come of them has left; they tell nobody. Only then is it
// ready for new ones, whose flow_ids may be the same: it greets the sender, which gives no flow_id
// before. All else goes over the link as soon as it is repaired, above all the ACKs of the other
// direction, for which others may wait. What comes in by the link after the failure and was not in
// with its tail by then is lost; its room is given back to the sender, so that the credits are
// whole when the link comes up.
//
// A link to a host has no flow_ids, so it is up when it is repaired.

#include "fabric-switch-chip.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace fabric
{

namespace
{

/// Headroom of a flow that may not send, whatever hop credits come.
constexpr int32_t NO_HEADROOM = std::numeric_limits<int32_t>::min() / 2;

} // namespace

void
SwitchChip::FailLinkAt(uint32_t port, TimePs at, TimePs known)
{
    m_linkStates.resize(m_config.ports);
    Insert({at, ChangeKind::FAIL, port, true, [this, port](TimePs now) { FailLink(port, now); }});
    if (m_outputs[port].nic)
    {
        m_outputs[port].nic->FailLinkAt(at, known);
    }
    m_agenda.Wake(at);
}

void
SwitchChip::RepairLinkAt(uint32_t port, TimePs at)
{
    Insert(
        {at, ChangeKind::REPAIR, port, true, [this, port](TimePs now) { RepairLink(port, now); }});
    OutputPort& output = m_outputs[port];
    if (output.nic)
    {
        // The switch speaks first: a host may have to be told at once not to send.
        const Transmitter& link = output.transmitter;
        const TimePs told = output.pause ? link.Rate().TxTime(PAUSE_FRAME_BYTES) +
                                               link.Timing().delay + link.Timing().controlLatency
                                         : 0;
        output.nic->RepairLinkAt(at, QuietTime(port), told);
    }
    m_agenda.Wake(at);
}

void
SwitchChip::UpdateWaysAt(TimePs at, std::shared_ptr<Reachability> ways, uint32_t number)
{
    Insert({at, ChangeKind::WAYS, 0, true, [this, ways = std::move(ways), number](TimePs now) {
                m_deadEnds = ways->Of(number, now);
                NoteFailures();
                LeaveDeadEnds(now);
            }});
    m_agenda.Wake(at);
}

TimePs
SwitchChip::QuietTime(uint32_t port) const
{
    // That of the slower direction, so that both ends take the same.
    return std::max(m_outputs[port].transmitter.Quiet(), m_inputs[port].sender->Quiet());
}

void
SwitchChip::FailLink(uint32_t port, TimePs now)
{
    InputPort& input = m_inputs[port];
    OutputPort& output = m_outputs[port];
    m_linkStates[port] = {now, false};
    m_linksDown += output.isDown ? 0 : 1;
    output.isDown = true;
    NoteFailures();
    output.starves = false;
    output.transmitter.Block();
    input.isCut = true;
    Insert({now + QuietTime(port), ChangeKind::END_CUT, port, true, [this, port](TimePs end) {
                EndCut(port, end);
            }});
    if (input.assembly)
    {
        const TimePs in = now + input.sender->Timing().dataLatency;
        Insert({in, ChangeKind::CUT, port, true, [this, port](TimePs t) { CutAssembly(port, t); }});
    }
    if (!input.edge)
    {
        OrphanInput(port);
    }
    ClearWire(port, now);
    AbandonOutput(port, now);
    LeaveDeadEnds(now);
}

void
SwitchChip::RepairLink(uint32_t port, TimePs now)
{
    m_linkStates[port].isRepaired = true;
    if (!m_inputs[port].isCut)
    {
        BringUp(port, now);
    }
}

void
SwitchChip::EndCut(uint32_t port, TimePs now)
{
    if (now < m_linkStates[port].failedAt + QuietTime(port))
    {
        return; // it has failed again
    }
    m_inputs[port].isCut = false;
    if (m_inputs[port].assembly)
    {
        m_inputs[port].assembly->isCut = false;
    }
    if (m_linkStates[port].isRepaired)
    {
        BringUp(port, now);
    }
}

void
SwitchChip::BringUp(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    output.isDown = false;
    --m_linksDown;
    NoteFailures();
    output.transmitter.Open(now);
    if (output.pause)
    {
        output.pause->LinkUp();
    }
    PlanDecision(port, now);
    if (!output.nic)
    {
        GreetWhenReady(port, now);
    }
}

void
SwitchChip::GreetWhenReady(uint32_t port, TimePs now)
{
    InputPort& input = m_inputs[port];
    const bool isUp = m_linkStates[port].isRepaired && !input.isCut;
    if (isUp && input.isOrphaned && input.flows.InUse() == 0)
    {
        input.isOrphaned = false;
        OutputPort& output = m_outputs[port];
        if (output.wire && !output.transmitter.IsBlocked())
        {
            output.owesGreeting = true; // a frame may be on the wire
            PlanDecision(port, now);
            return;
        }
        output.transmitter.Greet(now);
    }
}

void
SwitchChip::TakeGreeting(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    output.flows.Resume();
    for (uint32_t left = output.lackingId.Size(); left != 0; --left)
    {
        const QueuePlace place = Find(output.lackingId.Front());
        output.lackingId.Pop();
        place.queue.listed = false;
        List(place, now);
    }
}

bool
SwitchChip::LoseCutFrame(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_inputs[port];
    if (input.sender->TailIn(frame) <= m_linkStates[port].failedAt)
    {
        return false;
    }
    CountDrop(port, frame, DropCause::LINK_DOWN, now);
    input.credits.Return(frame.vc, WireBytes(frame.payload), now, m_now);
    return true;
}

void
SwitchChip::OrphanInput(uint32_t port)
{
    InputPort& input = m_inputs[port];
    input.isOrphaned = true;
    m_outputs[port].acks.Clear();
    for (uint32_t id = 1; id < input.flows.Records().size(); ++id)
    {
        FlowRecord& record = input.flows.At(static_cast<FlowId>(id));
        if (record.inUse)
        {
            DiscardAcks(port, static_cast<FlowId>(id), record, m_linkStates[port].failedAt);
        }
    }
}

void
SwitchChip::DiscardAcks(uint32_t port, FlowId flow, FlowRecord& record, TimePs now)
{
    record.unsentAcks = record.unsentLosses = record.unsentCredit = 0;
    record.ackQueued = record.creditDue = record.metersUpstream = false;
    if (record.TotalExtent() == 0)
    {
        m_inputs[port].flows.Close(flow);
        GreetWhenReady(port, now);
    }
}

void
SwitchChip::AbandonOutput(uint32_t port, TimePs now)
{
    OutputFlowTable& ids = m_outputs[port].flows;
    for (uint16_t input = 0; input < m_config.ports; ++input)
    {
        // What is freed may let others in, so that tables may grow meanwhile.
        for (uint32_t id = 1; id < m_inputs[input].flows.Records().size(); ++id)
        {
            FlowRecord& record = m_inputs[input].flows.At(static_cast<FlowId>(id));
            if (record.outgoing == NO_FLOW || record.queue.output != port)
            {
                continue;
            }
            ids.Release(record.outgoing, now);
            record.outgoing = NO_FLOW;
            record.metered = record.leavesPath = false;
            if (const uint32_t units = record.FlowExtent(); units != 0)
            {
                Acknowledge({input, static_cast<uint16_t>(id)}, units, true, now);
            }
        }
    }
    if (!m_outputs[port].nic)
    {
        ids.Suspend();
    }
}

bool
SwitchChip::LeadsTo(uint32_t port, LocationId dst) const
{
    return !m_outputs[port].isDown && !(m_deadEnds && m_deadEnds->Has(dst, port));
}

bool
SwitchChip::IsReachableAround(LocationId dst) const
{
    const PortRange range = m_routing.Route(dst);
    for (uint32_t i = 0; i < range.count; ++i)
    {
        if (LeadsTo(range.first + i, dst))
        {
            return true;
        }
    }
    return false;
}

uint16_t
SwitchChip::ChooseAround(const Frame& frame, bool ordered)
{
    const PortRange range = m_routing.Route(frame.dst);
    std::vector<uint16_t> ports;
    for (uint32_t i = 0; i < range.count; ++i)
    {
        if (LeadsTo(range.first + i, frame.dst))
        {
            ports.push_back(static_cast<uint16_t>(range.first + i));
        }
    }
    if (ports.size() <= 1)
    {
        return ports.empty() ? NO_OUTPUT : ports.front();
    }
    // As without failures, among the ports that are left.
    const auto count = static_cast<uint32_t>(ports.size());
    if (ordered)
    {
        const uint32_t mixed = (frame.dataFlow ^ m_config.seed) * 0x9E3779B1U;
        return ports[uint64_t{mixed} * count >> 32];
    }
    std::rotate(ports.begin(), ports.begin() + m_random() % count, ports.end());
    return *std::min_element(ports.begin(), ports.end(), [this](uint16_t a, uint16_t b) {
        return m_queuedBytes[a] < m_queuedBytes[b];
    });
}

std::vector<QueueRef>
SwitchChip::FindStranded() const
{
    std::vector<QueueRef> stranded;
    for (uint16_t port = 0; port < m_config.ports; ++port)
    {
        const std::vector<FlowRecord>& records = m_inputs[port].flows.Records();
        for (uint32_t id = 1; id < records.size(); ++id)
        {
            const FlowRecord& record = records[id];
            if (record.TotalExtent() != 0 && !record.leavesPath &&
                !LeadsTo(record.queue.output, record.dst))
            {
                stranded.push_back({port, static_cast<uint16_t>(id)});
            }
        }
        const std::vector<InputQueue>& queues = m_inputs[port].flows.VirtualOutputQueues();
        for (uint32_t i = 0; i < queues.size(); ++i)
        {
            bool isStranded = false;
            for (uint32_t f = queues[i].head; f != NO_FRAME; f = m_frames.At(f).next)
            {
                isStranded = isStranded || !LeadsTo(queues[i].output, m_frames.At(f).dst);
            }
            if (isStranded)
            {
                stranded.push_back({port, static_cast<uint16_t>(InputFlowTable::FIRST_VOQ + i)});
            }
        }
    }
    return stranded;
}

void
SwitchChip::Unlist(uint32_t port, std::vector<QueueRef>& queues)
{
    OutputPort& output = m_outputs[port];
    const auto take = [&](QueueRef ref) {
        Find(ref).queue.listed = false;
        queues.push_back(ref);
    };
    output.lists.TakeAll(Queues(), take);
    for (; !output.lackingId.IsEmpty(); output.lackingId.Pop())
    {
        take(output.lackingId.Front());
    }
    if (output.wire)
    {
        PortWire& wire = *output.wire;
        std::for_each(wire.waiting.begin(), wire.waiting.end(), take);
        wire.waiting.clear();
        wire.nextReady = NEVER;
    }
}

void
SwitchChip::LeaveDeadEnds(TimePs now)
{
    const std::vector<QueueRef> stranded = FindStranded();
    std::vector<QueueRef> unlisted;
    for (const QueueRef ref : stranded)
    {
        Unlist(Find(ref).queue.output, unlisted);
    }
    for (const QueueRef ref : stranded)
    {
        if (InputFlowTable::IsFlow(ref.queue))
        {
            LeavePath(ref, now);
        }
        else
        {
            LeaveVirtualOutputQueue(ref, now);
        }
    }
    Relist(unlisted, now);
}

void
SwitchChip::Relist(const std::vector<QueueRef>& queues, TimePs now)
{
    for (const QueueRef ref : queues)
    {
        const QueuePlace place = Find(ref);
        if (!place.queue.IsEmpty() && !place.queue.listed)
        {
            List(place, now);
        }
    }
}

void
SwitchChip::LeavePath(QueueRef ref, TimePs now)
{
    const QueuePlace place = Find(ref);
    FlowRecord& record = *place.record;
    if (record.FlowExtent() != 0)
    {
        record.leavesPath = record.metered = true;
        record.headroom = NO_HEADROOM;
        return;
    }
    if (record.outgoing != NO_FLOW)
    {
        ReleaseOutgoing(record, now);
    }
    record.leavesPath = record.metered = false;
    if (record.queue.IsEmpty())
    {
        return;
    }
    const uint16_t output = ChooseOutput(m_frames.At(record.queue.head), false);
    if (output == NO_OUTPUT)
    {
        DropQueue(ref, now);
        return;
    }
    for (uint32_t i = record.queue.head; i != NO_FRAME; i = m_frames.At(i).next)
    {
        EndWait(record.queue.output, m_frames.At(i));
        BeginWait(output, m_frames.At(i));
        if (place.input.assembly && place.input.assembly->Knows(m_frames.At(i).lane, i))
        {
            place.input.assembly->Redirect(m_frames.At(i).lane, i, output);
        }
    }
    record.queue.output = output;
    List(place, now);
}

Frame
SwitchChip::TakeUnsent(InputQueue& queue)
{
    const uint32_t index = queue.RemoveFirst(m_frames);
    const Frame frame = m_frames.At(index);
    m_frames.Free(index);
    EndWait(queue.output, frame);
    return frame;
}

void
SwitchChip::DropQueue(QueueRef ref, TimePs now)
{
    FlowRecord& record = *Find(ref).record;
    uint32_t units = 0;
    while (!record.queue.IsEmpty())
    {
        ForgetRest(ref.input, record.queue.head);
        const Frame frame = TakeUnsent(record.queue);
        DropHeld(ref.input, frame, DropCause::NO_ROUTE, now);
        units += FlowUnits(frame.payload);
    }
    // They neither wait here nor were they sent on; the counter passes over them.
    record.dataFlow += units;
    Acknowledge(ref, units, true, now);
}

void
SwitchChip::LeaveVirtualOutputQueue(QueueRef ref, TimePs now)
{
    InputPort& input = m_inputs[ref.input];
    std::vector<std::pair<Frame, bool>> frames; // and whether more of it is to come
    while (!input.flows.Queue(ref.queue).IsEmpty())
    {
        InputQueue& queue = input.flows.Queue(ref.queue);
        const bool isPartlyIn = ForgetRest(ref.input, queue.head);
        frames.emplace_back(TakeUnsent(queue), isPartlyIn);
    }
    for (const auto& [frame, isPartlyIn] : frames)
    {
        const uint32_t index = m_frames.NextIndex();
        const uint16_t output = JoinVirtualOutputQueue(ref.input, frame, now);
        if (isPartlyIn && output != NO_OUTPUT)
        {
            input.assembly->Redirect(frame.lane, index, output);
        }
    }
}

} // namespace fabric
} // namespace ns3
