/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-audit.h"

#include <set>
#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/**
 * @param ok what should be true
 * @param what says what is wrong if it is not
 * @param flow flow_id, or NO_FLOW
 * @throws std::logic_error if not ok
 */
void
Require(bool ok, const char* what, uint32_t port, uint32_t flow = NO_FLOW)
{
    if (!ok)
    {
        std::ostringstream sentence;
        sentence << "port " << port << ", flow_id " << flow << ": " << what;
        throw std::logic_error(sentence.str());
    }
}

/// @param visit is called with each frame that is partly sent, and its output
template <typename Visit>
void
ForEachPartlySent(const SwitchPorts& ports, Visit&& visit)
{
    for (const OutputPort& output : ports.Outputs())
    {
        const PortWire* wire = output.wire.get();
        for (LaneMask open = wire ? wire->wire.OpenLanes() : 0; open != 0; open &= open - 1)
        {
            visit(wire->sending[LowestBit(open)], output);
        }
    }
}

/// @return whether debts and amounts agree
bool
OwesWhatIsUnsent(const FlowRecord& record)
{
    return ((record.owes & FlowRecord::ACKS) != 0) == (record.unsentAcks != 0) &&
           ((record.owes & FlowRecord::LOSSES) != 0) == (record.unsentLosses != 0);
}

} // namespace

/// What the queues of an input hold, counted frame by frame.
class SwitchAudit::HeldBytes
{
  public:
    /// @param ports of the switch @param buffers of the switch
    HeldBytes(const SwitchPorts& ports, const InputBuffers& buffers)
        : m_ports(ports),
          m_buffers(buffers)
    {
    }

    /// @return bytes on the wire
    uint64_t All() const
    {
        return m_all;
    }

    /// @return those on lossy virtual channels
    uint64_t Lossy() const
    {
        return m_lossy;
    }

    /// Adds a queue. @return units of its frames
    uint32_t AddQueue(const InputQueue& queue)
    {
        uint32_t units = 0;
        for (uint32_t i = queue.head; i != NO_FRAME; i = m_ports.frames->At(i).next)
        {
            const Frame& frame = m_ports.frames->At(i);
            units += FlowUnits(frame.payload);
            Add(frame, m_buffers.IsLossy(frame));
        }
        return units;
    }

    /// Adds frames that wait to enter.
    void AddRing(const Ring<Frame>& ring)
    {
        for (uint32_t i = 0; i < ring.Size(); ++i)
        {
            Add(ring.At(i), m_buffers.IsLossy(ring.At(i)));
        }
    }

    /// Adds a frame between grant and wire.
    void AddGranted(const GrantedFrame& granted)
    {
        Add(granted.frame, m_buffers.IsLossyOn(granted.arrivedOn));
    }

    /// Adds a frame in which others are combined.
    void AddResult(const Frame& frame)
    {
        m_all += WireBytes(frame.payload);
    }

  private:
    /// Adds a frame; copies share their room.
    void Add(const Frame& frame, bool isLossy)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        if (frame.kind != FrameKind::GROUP)
        {
            m_all += bytes;
        }
        else if (m_shared.insert(frame.dataFlow).second)
        {
            m_all += m_buffers.Shared().Bytes(frame.dataFlow);
        }
        m_lossy += isLossy ? bytes : 0;
    }

    const SwitchPorts& m_ports;    ///< Of the switch.
    const InputBuffers& m_buffers; ///< Of the switch.
    uint64_t m_all{0};             ///< Bytes on the wire.
    uint64_t m_lossy{0};           ///< Those on lossy virtual channels.
    std::set<uint32_t> m_shared;   ///< Rooms of copies that are counted.
};

uint64_t
SwitchAudit::QueuePayload(const InputQueue& queue) const
{
    uint64_t bytes = 0;
    for (uint32_t i = queue.head; i != NO_FRAME; i = m_ports.frames->At(i).next)
    {
        bytes += m_ports.frames->At(i).payload;
    }
    return bytes;
}

uint64_t
SwitchAudit::InFlightPayload() const
{
    uint64_t bytes = PartlyDeliveredPayload();
    const auto addRing = [&bytes](const auto& ring) {
        for (uint32_t i = 0; i < ring.Size(); ++i)
        {
            bytes += ring.At(i).payload;
        }
    };
    for (const InputPort& input : m_ports.Inputs())
    {
        addRing(input.link.Frames());
        bytes += input.assembly ? input.assembly->Payload() : 0;
        if (input.edge)
        {
            addRing(input.edge->waiting);
        }
        if (input.contained)
        {
            addRing(input.contained->waiting);
        }
        input.flows.ForEachQueue(
            [this, &bytes](const InputQueue& queue) { bytes += QueuePayload(queue); });
    }
    m_granted.ForEach([&bytes](const GrantedFrame& granted) {
        bytes += granted.isLost ? 0 : granted.frame.payload;
    });
    ForEachResult([&](uint32_t, const Frame& frame) { bytes += frame.payload; });
    return bytes;
}

void
SwitchAudit::CheckInvariants() const
{
    uint64_t held = 0;
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        CheckInput(port);
        CheckOutput(port);
        held += m_ports.inputs[port].heldBytes;
    }
    Require(held == m_buffers.Counts().heldBytes,
            "the inputs hold other than the switch counts",
            0);
    CheckStarts();
    if (m_buffers.Memory())
    {
        CheckMemory(*m_buffers.Memory());
    }
}

void
SwitchAudit::CheckMemory(const SharedMemory& memory) const
{
    uint64_t held = 0;
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        const InputPort& input = m_ports.inputs[port];
        held += input.pause ? input.pause->SharedBytes() : m_buffers.LossyBytes(port);
    }
    Require(held == memory.HeldBytes(), "the inputs hold other than their shared memory", 0);
    Require(memory.PeakBytes() <= memory.Settings().bytes, "the shared memory was overrun", 0);
}

void
SwitchAudit::CheckStarts() const
{
    uint64_t underWay = 0;
    uint64_t waiting = 0;
    for (const InputPort& input : m_ports.Inputs())
    {
        for (const FlowRecord& record : input.flows.Records())
        {
            underWay += record.Is(FlowRecord::FIRST_FLIGHT);
            waiting += record.Is(FlowRecord::AWAITS_START);
        }
    }
    const FirstFlights* starts = m_congestion.Starts();
    Require(underWay == (starts ? starts->UnderWay() : 0), "first flights are miscounted", 0);
    Require(waiting == (starts ? starts->Waiting() : 0), "flows wait for no first flight", 0);
}

void
SwitchAudit::CheckInput(uint32_t port) const
{
    const InputPort& input = m_ports.inputs[port];
    HeldBytes held(m_ports, m_buffers);
    CheckFlows(port, held);
    for (const InputQueue& queue : input.flows.VirtualOutputQueues())
    {
        held.AddQueue(queue);
    }
    m_granted.ForEach([&held, port](const GrantedFrame& granted) {
        if (granted.input == port && granted.isHeld)
        {
            held.AddGranted(granted);
        }
    });
    ForEachResult([&held, port](uint32_t from, const Frame& frame) {
        if (from == port)
        {
            held.AddResult(frame);
        }
    });
    if (input.contained)
    {
        held.AddRing(input.contained->waiting);
    }
    if (input.edge)
    {
        held.AddRing(input.edge->waiting);
        input.edge->table.Check();
        CheckTurns(port);
    }
    if (input.pause)
    {
        CheckPause(port);
    }
    Require(held.All() == input.heldBytes, "the buffer holds other than its queues", port);
    const uint32_t counted = m_buffers.LossyBytes(port);
    Require(held.Lossy() <= counted && counted <= held.Lossy() + PartlySentBytes(port),
            "the lossy part of the buffer is not what its queues hold of it",
            port);
    Require(m_buffers.Memory() || input.peakHeldBytes <= m_buffers.TotalBytes(),
            "the buffer was overrun",
            port);
}

void
SwitchAudit::CheckFlows(uint32_t port, HeldBytes& held) const
{
    const InputFlowTable& flows = m_ports.inputs[port].flows;
    uint32_t inUse = 0;
    uint32_t owing = 0;
    for (uint32_t id = 1; id < flows.Records().size(); ++id)
    {
        const FlowRecord& record = flows.Records()[id];
        inUse += record.Is(FlowRecord::OPEN);
        owing += record.owes != 0;
        uint32_t units = held.AddQueue(record.queue);
        if (FlowWays* ways = flows.Ways())
        {
            CheckWays({static_cast<uint16_t>(port), static_cast<uint16_t>(id)});
            ways->ForEach(static_cast<FlowId>(id),
                          [&](uint16_t, const FlowWay& way) { units += held.AddQueue(way.queue); });
        }
        Require(units == record.QueueExtent(), "queue_extent is not what waits", port, id);
        CheckRecord(port, id);
    }
    Require(inUse == flows.InUse(), "channels in use are miscounted", port);
    Require(owing == m_ports.outputs[port].acks.Size(), "a flow that owes stands in no list", port);
}

void
SwitchAudit::CheckRecord(uint32_t port, uint32_t id) const
{
    const InputPort& input = m_ports.inputs[port];
    const FlowRecord& record = input.flows.Records()[id];
    const bool isOpen = record.Is(FlowRecord::OPEN);
    Require(record.TotalExtent() == record.QueueExtent() + record.FlowExtent(),
            "total_extent is not the sum of the others",
            port,
            id);
    Require(isOpen || (record.queue.IsEmpty() && record.owes == 0),
            "a channel that is not in use holds something",
            port,
            id);
    Require(OwesWhatIsUnsent(record), "what is owed upstream is not what is unsent", port, id);
    Require(!input.edge || !isOpen || input.edge->table.FlowExtent(id) == record.TotalExtent(),
            "the EFCT's extent is not the IFCT's",
            port,
            id);
    if (record.outgoing != NO_FLOW)
    {
        const QueueRef self{static_cast<uint16_t>(port), static_cast<uint16_t>(id)};
        Require(m_ports.outputs[record.queue.output].flows.Source(record.outgoing) == self,
                "the OFCT leads to another flow",
                port,
                id);
    }
}

void
SwitchAudit::CheckWays(QueueRef ref) const
{
    const QueuePlace place = m_ports.Find(ref);
    uint32_t units = 0;
    bool isAny = false;
    place.input->flows.Ways()->ForEach(ref.queue, [&](uint16_t number, const FlowWay& way) {
        const QueueRef self{ref.input, static_cast<uint16_t>(FIRST_WAY_QUEUE + number)};
        isAny = true;
        units += way.units;
        Require(!way.IsIdle(), "a way has nothing on it", ref.input, ref.queue);
        Require(way.id != NO_FLOW || way.units == 0, "a way has no flow_id", ref.input, ref.queue);
        Require(way.id == NO_FLOW || m_ports.outputs[way.queue.output].flows.Source(way.id) == self,
                "the OFCT leads to another way",
                ref.input,
                ref.queue);
        Require(InputQueues::HoldsOfAll(place) ==
                    (way.queue.holds & ~InputQueues::OF_A_WAY & InputQueue::ALL_HOLDS),
                "a way is held otherwise than its flow",
                ref.input,
                ref.queue);
    });
    Require(!isAny || units == place.record->FlowExtent(),
            "flow_extent is not what is under way by all ways",
            ref.input,
            ref.queue);
}

void
SwitchAudit::CheckTurns(uint32_t port) const
{
    const IngressArbiter* turns = m_ports.inputs[port].edge->turns.get();
    if (!turns)
    {
        return;
    }
    std::array<uint64_t, INJECTION_LIMITS + 1> injected{};
    const auto placeOf = [this, port](uint32_t id) {
        return m_ports.Find({static_cast<uint16_t>(port), static_cast<uint16_t>(id)});
    };
    const std::vector<FlowRecord>& records = m_ports.inputs[port].flows.Records();
    for (FlowId id = 1; id < records.size(); ++id)
    {
        const FlowRecord& record = records[id];
        if (!record.Is(FlowRecord::OPEN))
        {
            continue;
        }
        const bool awaitsTurn = (record.queue.holds & InputQueue::AWAITS_TURN) != 0;
        injected[turns->LimitIdOf(id)] += record.FlowExtent() + turns->TurnUnits(id);
        Require(awaitsTurn != turns->HasTurn(id), "it has a turn and awaits it", port, id);
        Require(turns->Asks(id) == (awaitsTurn && m_queues.CouldGo(placeOf(id))),
                "it could go and asks for no turn, or can't go and does",
                port,
                id);
    }
    for (LimitId id = 0; id < injected.size(); ++id)
    {
        Require(turns->Limits().Injected(id) == injected[id],
                "what a host has in the fabric is miscounted",
                port);
    }
    const auto unitsOf = [&](FlowId id) { return m_queues.NextUnits(placeOf(id)); };
    Require(!turns->MayGiveTurn(unitsOf), "a flow asks for a turn, and there is room", port);
}

void
SwitchAudit::CheckPause(uint32_t port) const
{
    const InputPort& input = m_ports.inputs[port];
    uint32_t waitingBytes = 0;
    for (uint32_t i = 0; input.edge && i < input.edge->waiting.Size(); ++i)
    {
        waitingBytes += WireBytes(input.edge->waiting.At(i).payload);
    }
    Require(waitingBytes == input.pause->WaitingBytes(), "pauses miscount what waits", port);
    Require(input.pause->HeldBytes() == input.heldBytes + PartlySentBytes(port),
            "pauses miscount the buffer",
            port);
    Require(m_buffers.Memory() || input.pause->PeakBytes() <= m_buffers.TotalBytes(),
            "the buffer was overrun by frames whose tail had not left",
            port);
}

SwitchAudit::WaitingBytes
SwitchAudit::WaitingFor(uint32_t port) const
{
    WaitingBytes waiting;
    for (const InputPort& input : m_ports.Inputs())
    {
        input.flows.ForEachQueue([&](const InputQueue& queue) {
            const uint32_t first = queue.output == port ? queue.head : NO_FRAME;
            for (uint32_t i = first; i != NO_FRAME; i = m_ports.frames->At(i).next)
            {
                const Frame& frame = m_ports.frames->At(i);
                const uint32_t bytes = WireBytes(frame.payload);
                waiting.all += bytes;
                waiting.heldByLimit += queue.IsHeldByLimit() ? bytes : 0;
                waiting.ofClass[frame.trafficClass] += bytes;
            }
        });
    }
    return waiting;
}

uint32_t
SwitchAudit::CountOutgoing(uint32_t port) const
{
    uint32_t ids = 0;
    for (const InputPort& input : m_ports.Inputs())
    {
        for (const FlowRecord& record : input.flows.Records())
        {
            ids += record.outgoing != NO_FLOW && record.queue.output == port;
        }
        for (uint32_t i = 1; input.flows.Ways() && i < input.flows.Ways()->All().size(); ++i)
        {
            const FlowWay& way = input.flows.Ways()->All()[i];
            ids += way.id != NO_FLOW && way.queue.output == port;
        }
    }
    return ids;
}

void
SwitchAudit::CheckOutput(uint32_t port) const
{
    const OutputPort& output = m_ports.outputs[port];
    const WaitingBytes waiting = WaitingFor(port);
    CheckLoads(port, waiting);
    const uint32_t ids = CountOutgoing(port);
    Require(ids == output.flows.InUse(), "an OFCT entry has no flow", port);
    if (m_routing.IsDown(port))
    {
        Require(waiting.all == 0 && ids == 0 && output.lists.Waiting() == 0,
                "something waits for a link that is down",
                port);
        Require(output.transmitter.IsBlocked(), "a link that is down is in use", port);
    }
    if (output.nic && output.obeyed)
    {
        const ReceivePauses& pauses = *output.nic->Pauses();
        Require(pauses.PeakBytes() <= pauses.Bytes(), "the host's buffer was overrun", port);
    }
    else if (output.nic && output.nic->Config().receive.HoldBack())
    {
        CheckReceiver(port);
    }
    CheckLists(port);
    if (m_ports.tiles)
    {
        CheckTiles(port);
    }
}

void
SwitchAudit::CheckLoads(uint32_t port, const WaitingBytes& waiting) const
{
    Require(waiting.all == m_loads.QueuedBytes(port),
            "the output's load is not what waits for it",
            port);
    Require(!m_loads.IsWatched(port) ||
                waiting.all - waiting.heldByLimit == m_loads.WatchedBytes(port),
            "congestion of an endpoint miscounts what waits",
            port);
    for (uint32_t c = 0; m_loads.Marker() && c < TRAFFIC_CLASSES; ++c)
    {
        Require(waiting.ofClass[c] == m_loads.Marker()->QueuedBytes(port, c),
                "marks miscount what waits",
                port,
                c);
    }
}

void
SwitchAudit::CheckTiles(uint32_t port) const
{
    const OutputBuffer& buffer = m_ports.tiles[port].buffer;
    uint32_t granted = buffer.LeavingBytes();
    m_granted.ForEach([&granted, port](const GrantedFrame& one) {
        granted += one.output == port ? WireBytes(one.frame.payload) : 0;
    });
    Require(granted == buffer.UsedBytes(), "the output buffer holds other than was granted", port);
    Require(buffer.PeakBytes() <= buffer.SizeBytes(), "the output buffer was overrun", port);
    uint32_t asking = 0;
    for (const InputPort& input : m_ports.Inputs())
    {
        input.flows.ForEachQueue([&asking, port](const InputQueue& queue) {
            asking += queue.output == port && queue.stands == InputQueue::LISTED;
        });
    }
    Require(asking == m_ports.tiles[port].places.Taken(),
            "requests have other places than one",
            port);
}

void
SwitchAudit::CheckReceiver(uint32_t port) const
{
    const OutputPort& output = m_ports.outputs[port];
    const LinkCredits& credits = output.transmitter.Credits();
    uint32_t used = 0;
    for (uint32_t vc = 0; vc < credits.Shares().virtualChannels; ++vc)
    {
        used += credits.Used(vc);
        uint32_t partlySent = 0;
        ForEachPartlySent(m_ports, [&](const PortWire::Sending& sending, const OutputPort& from) {
            const Frame& frame = m_ports.frames->At(sending.handle);
            partlySent += &from == &output && frame.vc == vc ? WireBytes(frame.payload) : 0;
        });
        m_granted.ForEach([&partlySent, port, vc](const GrantedFrame& one) {
            const bool isFor = one.output == port && one.frame.vc == vc && !one.isLost;
            partlySent += isFor ? WireBytes(one.frame.payload) : 0;
        });
        const CreditReturn* told = output.nic->CreditsToTell();
        const uint32_t unheard = told ? told->Unheard(vc) : 0;
        Require(credits.Used(vc) == credits.OnTheWay(vc) + partlySent + unheard,
                "room at the host is not that of the frames that it has or gets",
                port);
    }
    Require(used <= credits.Shares().totalBytes, "the host's buffer was overrun", port);
}

void
SwitchAudit::CheckLists(uint32_t port) const
{
    const OutputPort& output = m_ports.outputs[port];
    const auto find = [this](QueueRef ref) -> const InputQueue& {
        return m_ports.inputs[ref.input].flows.Queue(ref.queue);
    };
    uint32_t inLists = output.CountLackingId();
    inLists += output.wire ? output.wire->waiting.size() : 0;
    inLists += output.obeyed ? output.obeyed->waiting.size() : 0;
    inLists += m_ports.tiles ? m_ports.tiles[port].CountWaiting() : 0;
    for (uint32_t list = 0; list < output.lists.Count(); ++list)
    {
        uint32_t inList = 0;
        output.lists.ForEach(list, find, [&](QueueRef ref) {
            const InputQueue& queue = find(ref);
            ++inList;
            Require(queue.stands == InputQueue::LISTED && !queue.IsEmpty() &&
                        queue.output == port && queue.list == list,
                    "a queue stands in a list where it does not belong",
                    port,
                    ref.queue);
            CheckShaped(port, queue);
        });
        Require(output.lists.IsEmpty(list) == (inList == 0),
                "the mask of lists is not that of those with queues",
                port);
        inLists += inList;
    }
    uint32_t standing = 0;
    const auto check = [&](const InputQueue& queue) {
        standing += queue.stands != InputQueue::NOWHERE && queue.output == port;
        Require(!queue.MayBeOffered(), "a queue that may be offered asks nobody", port);
    };
    for (const InputPort& input : m_ports.Inputs())
    {
        input.flows.ForEachQueue(check);
    }
    Require(standing == inLists, "a queue stands in no list, or in two", port);
}

void
SwitchAudit::CheckShaped(uint32_t port, const InputQueue& queue) const
{
    const Shaper* shaper = m_ports.outputs[port].lists.GetShaper();
    for (uint32_t i = shaper ? queue.head : NO_FRAME; i != NO_FRAME; i = m_ports.frames->At(i).next)
    {
        const Frame& frame = m_ports.frames->At(i);
        const ShapingPlan& plan = shaper->Plan();
        Require(plan.ListOf(plan.QueueOf(frame.trafficClass, frame.vni), queue.vc) == queue.list,
                "a frame waits in another shaping queue than its own",
                port);
    }
}

bool
SwitchAudit::IsEmpty() const
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        const InputPort& input = m_ports.inputs[port];
        const bool edgeIsEmpty =
            !input.edge || (input.edge->waiting.IsEmpty() && input.edge->table.InUse() == 0);
        const bool holdsBack = input.contained && !input.contained->waiting.IsEmpty();
        if ((input.assembly && input.assembly->IsStoring()) || holdsBack ||
            !input.link.Frames().IsEmpty() || !input.link.Acks().IsEmpty() ||
            input.flows.InUse() != 0 || !edgeIsEmpty || m_ports.outputs[port].HasWork() ||
            m_ports.outputs[port].flows.InUse() != 0)
        {
            return false;
        }
    }
    return m_ports.frames->Held() == 0 && m_granted.Held() == 0;
}

uint32_t
SwitchAudit::PartlySentBytes(uint32_t inputPort) const
{
    uint32_t bytes = 0;
    ForEachPartlySent(m_ports, [&](const PortWire::Sending& sending, const OutputPort&) {
        const bool isFrom = sending.from.input == inputPort;
        bytes += isFrom ? WireBytes(m_ports.frames->At(sending.handle).payload) : 0;
    });
    return bytes;
}

uint64_t
SwitchAudit::PartlyDeliveredPayload() const
{
    uint64_t bytes = 0;
    ForEachPartlySent(m_ports, [&](const PortWire::Sending& sending, const OutputPort& output) {
        bytes += output.nic ? m_ports.frames->At(sending.handle).payload : 0;
    });
    return bytes;
}

} // namespace ns3::fabric
