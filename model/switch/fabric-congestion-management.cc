/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-management.h"

namespace ns3::fabric
{

CongestionManagement::CongestionManagement(const SwitchPorts& ports,
                                           SwitchClock& clock,
                                           AckReturn& acks,
                                           InputQueues& queues,
                                           OutputLoads& loads,
                                           const InputBuffers& buffers,
                                           FgfcFrames& fgfc,
                                           const CongestionSettings& settings,
                                           uint32_t seed)
    : m_ports(ports),
      m_clock(clock),
      m_acks(acks),
      m_queues(queues),
      m_loads(loads),
      m_buffers(buffers),
      m_fgfc(fgfc),
      m_severities(SeverityTable::Share(settings.watermarks, settings.severity)),
      m_partSeverities(
          SeverityTable::Share(settings.watermarks.Over(settings.wayDivisor), settings.severity)),
      m_limitsFlows(settings.flowLimits),
      m_limitsStarts(settings.firstFlight != 0 || settings.portLimit != 0),
      m_portLimit(settings.portLimit),
      m_endpoint(settings.endpoint),
      m_leastHigh(ports.count, 0)
{
    if (settings.pacing)
    {
        m_pacer = std::make_unique<InjectionPacer>(ports.count, settings.pacingSpread, seed);
    }
    if (settings.firstFlight != 0)
    {
        m_untilFirstAck = m_severities->ForLimit(settings.firstFlight);
        m_firstFlights = std::make_unique<FirstFlights>();
    }
    Set(settings);
}

void
CongestionManagement::Set(const CongestionSettings& settings)
{
    m_starts = {settings.hopCredits, settings.fgfc.isOn};
    m_meter = HopMeter(settings.watermarks, settings.roomDivisor, m_severities.get());
    m_partMeter = HopMeter(settings.watermarks.Over(settings.wayDivisor),
                           settings.roomDivisor,
                           m_partSeverities.get());
}

void
CongestionManagement::CoverLink(uint32_t input, TimePs roundTrip, LinkRate rate, uint32_t heldBytes)
{
    constexpr uint32_t MOST_BYTES = 1U << 30;
    // One frame may have to end on either side before the word and what it brings can go.
    const uint32_t bytes =
        rate.BytesBy(roundTrip, MOST_BYTES) + heldBytes + 2 * WireBytes(MAX_PAYLOAD);
    m_leastHigh[input] = bytes / DATA_FLOW_UNIT;
}

void
CongestionManagement::Watch(uint32_t port, LinkRate rate)
{
    if (m_endpoint.isOn)
    {
        m_loads.Watch(port, EndpointDetector(m_endpoint, *m_severities, rate));
    }
}

void
CongestionManagement::SetRoundTrip(TimePs roundTrip)
{
    if (m_endpoint.roundTrip == 0)
    {
        m_loads.SetRoundTrip(roundTrip);
        SetRoundTripOfWays(roundTrip);
    }
}

void
CongestionManagement::SetRoundTripOfWays(TimePs roundTrip) const
{
    for (InputPort& input : m_ports.Inputs())
    {
        if (input.flows.Ways())
        {
            input.flows.Ways()->SetRoundTrip(roundTrip);
        }
    }
}

void
CongestionManagement::LookAtEndpoint(const QueuePlace& place)
{
    const EndpointDetector* detector = m_loads.Detector(place.queue->output);
    const Severity severity = detector ? detector->Present() : 0;
    if (severity != 0)
    {
        place.record->severity = severity;
    }
}

void
CongestionManagement::LookIfOver(const QueuePlace& place)
{
    const EndpointDetector* detector = m_loads.Detector(place.queue->output);
    if (detector && detector->Present() == 0)
    {
        place.record->severity = 0;
    }
}

void
CongestionManagement::TakeSeverity(const QueuePlace& place, Severity severity, TimePs now)
{
    place.record->severity = severity;
    if (!place.input->edge)
    {
        m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::SEVERITY, now);
    }
    Reconsider(place, now);
}

void
CongestionManagement::Start(const QueuePlace& place)
{
    FlowRecord& record = *place.record;
    if (m_firstFlights)
    {
        record.severity = m_untilFirstAck;
        const bool begins = m_firstFlights->Begin(record.dst, record.trafficClass, place.ref);
        record.state |= begins ? FlowRecord::FIRST_FLIGHT : FlowRecord::AWAITS_START;
    }
    const bool isFull = place.input->edge->injected.isFull;
    record.queue.holds = record.HoldsOfHost() | (isFull ? InputQueue::PORT_FULL : 0);
}

void
CongestionManagement::CountInjected(const QueuePlace& place, uint32_t units)
{
    InjectedData& injected = place.input->edge->injected;
    injected.units += units;
    if (injected.isFull)
    {
        // It was its turn.
        m_queues.SetHolds(place, place.queue->holds | InputQueue::PORT_FULL);
    }
    else if (injected.units >= m_portLimit)
    {
        injected.isFull = true;
        injected.last = place.ref.queue;
        place.input->flows.ForEachFlow([this, &place](FlowId id, FlowRecord& flow) {
            const QueuePlace other = m_ports.Find({place.ref.input, id});
            m_queues.SetHolds(other, flow.queue.holds | InputQueue::PORT_FULL);
        });
    }
}

void
CongestionManagement::UncountInjected(uint32_t port, uint32_t units, TimePs now)
{
    InjectedData& injected = m_ports.inputs[port].edge->injected;
    injected.units -= units;
    if (injected.isFull && injected.units < m_portLimit)
    {
        GiveTurns(port, now);
    }
}

bool
CongestionManagement::MayGoByWay(const InputPort& input, FlowId id)
{
    bool mayGo = false;
    if (FlowWays* ways = input.flows.Ways())
    {
        ways->ForEach(id, [&mayGo](uint16_t, const FlowWay& way) {
            const uint8_t others = way.queue.holds & ~InputQueue::PORT_FULL;
            mayGo = mayGo || (!way.queue.IsEmpty() && others == 0);
        });
    }
    return mayGo;
}

void
CongestionManagement::GiveTurns(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    InjectedData& injected = input.edge->injected;
    const auto mayGo = [&input](FlowId id, const FlowRecord& flow) {
        return flow.QueueExtent() != 0 && (flow.queue.holds & ~InputQueue::PORT_FULL) == 0 &&
               (!flow.queue.IsEmpty() || MayGoByWay(input, id));
    };
    const auto isHeld = [](const FlowRecord& flow) {
        return (flow.queue.holds & InputQueue::PORT_FULL) != 0;
    };
    const auto placeOf = [this, port](FlowId id) {
        return m_ports.Find({static_cast<uint16_t>(port), id});
    };
    constexpr uint32_t FRAME = FlowUnits(MAX_PAYLOAD);
    uint64_t turns = (m_portLimit - injected.units + FRAME - 1) / FRAME;
    // Who has a turn and can't go now gives it back.
    input.flows.ForEachFlow([&](FlowId id, FlowRecord& flow) {
        if (!isHeld(flow) && mayGo(id, flow))
        {
            turns -= turns != 0;
        }
        else
        {
            m_queues.SetHolds(placeOf(id), flow.queue.holds | InputQueue::PORT_FULL);
        }
    });
    const auto give = [&](FlowId id, FlowRecord& flow) {
        if (turns != 0 && isHeld(flow) && mayGo(id, flow))
        {
            --turns;
            injected.last = id;
            m_queues.SetHolds(placeOf(id), flow.queue.holds & ~InputQueue::PORT_FULL);
            m_queues.OfferFlow(placeOf(id), now);
        }
    };
    input.flows.ForEachFlow(give, injected.last + 1);
    if (turns != 0)
    {
        injected.isFull = false;
        input.flows.ForEachFlow([&](FlowId id, FlowRecord& flow) {
            m_queues.SetHolds(placeOf(id), flow.queue.holds & ~InputQueue::PORT_FULL);
        });
    }
}

void
CongestionManagement::EndStart(const QueuePlace& place, TimePs now)
{
    FlowRecord& record = *place.record;
    if (record.Is(FlowRecord::FIRST_FLIGHT))
    {
        record.state &= ~FlowRecord::FIRST_FLIGHT;
        const bool isClear = record.severity == 0;
        for (const QueueRef ref : m_firstFlights->End(record.dst, record.trafficClass, isClear))
        {
            if (!(ref == NO_QUEUE))
            {
                const QueuePlace next = m_ports.Find(ref);
                next.record->state ^= FlowRecord::FIRST_FLIGHT | FlowRecord::AWAITS_START;
                Reconsider(next, now);
            }
        }
    }
    else if (record.TotalExtent() == 0)
    {
        record.state &= ~FlowRecord::AWAITS_START;
        m_firstFlights->Withdraw(record.dst, record.trafficClass, place.ref);
    }
}

bool
CongestionManagement::IsOverLimit(const FlowRecord& record) const
{
    if (record.Is(FlowRecord::AWAITS_START))
    {
        return true;
    }
    uint32_t limit = SeverityTable::NO_LIMIT;
    if (record.severity != 0)
    {
        const SeverityTable::Row& row = m_severities->At(record.severity);
        limit = m_limitsFlows || (m_pacer && row.delay != 0) ? row.limit : limit;
    }
    return record.FlowExtent() >= limit;
}

void
CongestionManagement::HoldOverLimit(const QueuePlace& place)
{
    const uint8_t others = place.queue->holds & ~InputQueue::OVER_LIMIT;
    m_queues.SetHolds(place, others | (IsOverLimit(*place.record) ? InputQueue::OVER_LIMIT : 0));
}

void
CongestionManagement::Reconsider(const QueuePlace& place, TimePs now)
{
    FlowRecord& record = *place.record;
    const TimePs delay = record.severity != 0 ? m_severities->At(record.severity).delay : 0;
    const uint8_t before = record.queue.holds;
    const bool isOver = IsOverLimit(record);
    // Once its last frame is acknowledged, the next one goes a time later.
    const bool begins = m_pacer && delay != 0 && !isOver && (before & InputQueue::OVER_LIMIT) != 0;
    const bool isPaced = begins || (delay != 0 && (before & InputQueue::PACED) != 0);
    m_queues.SetHolds(place,
                      (before & ~InputQueue::BY_SEVERITY) | (isOver ? InputQueue::OVER_LIMIT : 0) |
                          (isPaced ? InputQueue::PACED : 0));
    if (begins)
    {
        if (place.HasWays() && record.queue.IsEmpty())
        {
            PaceByWay(place);
        }
        const uint16_t port = record.queue.output;
        const TimePs at = m_pacer->Add(port, place.ref, ++record.paceTicket, delay, now);
        m_ports.outputs[port].speaksFirst |= OutputPort::PACES_FLOWS;
        m_clock.PlanDecision(port, std::max(at, m_ports.outputs[port].transmitter.FreeAt()));
    }
    m_queues.OfferFlow(place, now);
}

void
CongestionManagement::PaceByWay(const QueuePlace& place)
{
    const FlowWays& ways = *place.input->flows.Ways();
    uint16_t number = ways.First(place.ref.queue);
    while (number != FlowWays::NONE && ways.At(number).queue.IsEmpty())
    {
        number = ways.At(number).next;
    }
    if (number != FlowWays::NONE)
    {
        place.queue->output = ways.At(number).queue.output;
        place.queue->vc = ways.At(number).queue.vc;
    }
}

void
CongestionManagement::ReleasePaced(uint32_t port, TimePs now)
{
    while (m_pacer->NextTime(port) <= now)
    {
        const InjectionPacer::Turn turn = m_pacer->Take(port);
        const QueuePlace place = m_ports.Find(turn.queue);
        if ((place.queue->holds & InputQueue::PACED) != 0 &&
            place.record->paceTicket == turn.ticket)
        {
            m_queues.SetHolds(place, place.queue->holds & ~InputQueue::PACED);
            m_queues.OfferFlow(place, now);
        }
    }
    if (m_pacer->NextTime(port) == NEVER)
    {
        m_ports.outputs[port].speaksFirst &= ~OutputPort::PACES_FLOWS;
    }
    m_clock.PlanDecision(port, m_pacer->NextTime(port));
}

} // namespace ns3::fabric
