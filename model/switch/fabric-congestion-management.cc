/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-management.h"

#include <algorithm>

namespace ns3::fabric
{

CongestionManagement::CongestionManagement(
    const SwitchPorts& ports,
    SwitchClock& clock,
    AckReturn& acks,
    InputQueues& queues,
    OutputLoads& loads,
    const InputBuffers& buffers,
    FgfcFrames& fgfc,
    const CongestionSettings& settings,
    const std::shared_ptr<const InjectionSettings>& injection,
    uint32_t seed)
    : m_ports(ports),
      m_queues(queues),
      m_loads(loads),
      m_buffers(buffers),
      m_acks(acks),
      m_severities(SeverityTable::Share(settings.watermarks, settings.severity)),
      m_limitsFlows(settings.flowLimits),
      m_limitsStarts(settings.firstFlight != 0 || injection),
      m_limitsHosts(injection != nullptr),
      m_leastHigh(ports.count, 0),
      m_fgfc(fgfc),
      m_endpoint(settings.endpoint),
      m_clock(clock),
      m_injection(injection),
      m_partSeverities(
          SeverityTable::Share(settings.watermarks.Over(settings.wayDivisor), settings.severity))
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
CongestionManagement::Watch(uint32_t port, LinkRate rate, uint32_t lists)
{
    if (m_endpoint.isOn)
    {
        const EndpointSettings& settings =
            m_endpointsByRate.try_emplace(rate.BitsPerSecond(), m_endpoint.For(rate)).first->second;
        m_loads.Watch(port, EndpointDetector(settings, *m_severities, rate), lists);
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
    const EndpointDetector* detector = m_loads.Detector(*place.queue);
    const Severity severity = detector ? detector->Told() : 0;
    if (severity != 0)
    {
        place.record->severity = severity;
    }
}

void
CongestionManagement::LookIfLess(const QueuePlace& place)
{
    if (const EndpointDetector* detector = m_loads.Detector(*place.queue))
    {
        place.record->severity = std::min(place.record->severity, detector->Told());
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
CongestionManagement::Start(const QueuePlace& place, uint32_t sendQueue)
{
    FlowRecord& record = *place.record;
    if (m_firstFlights)
    {
        record.severity = m_untilFirstAck;
        const bool begins = m_firstFlights->Begin(record.dst, record.trafficClass, place.ref);
        record.state |= begins ? FlowRecord::FIRST_FLIGHT : FlowRecord::AWAITS_START;
    }
    EdgePort& edge = *place.input->edge;
    if (edge.turns)
    {
        edge.turns->Begin(place.ref.queue, GroupOf(m_injection->groups, edge.nic.Key(sendQueue)));
    }
    record.queue.holds = (edge.turns ? InputQueue::AWAITS_TURN : 0) |
                         (record.Is(FlowRecord::AWAITS_START) ? InputQueue::OVER_LIMIT : 0);
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
CongestionManagement::IsOverLimit(const FlowRecord& record, const SeverityTable::Row& row) const
{
    return record.Is(FlowRecord::AWAITS_START) ||
           (record.FlowExtent() >= row.limit && (m_limitsFlows || (m_pacer && row.delay != 0)));
}

void
CongestionManagement::HoldOverLimit(const QueuePlace& place)
{
    const uint8_t others = place.queue->holds & ~InputQueue::OVER_LIMIT;
    const bool isOver = IsOverLimit(*place.record, m_severities->At(place.record->severity));
    m_queues.SetHolds(place, others | (isOver ? InputQueue::OVER_LIMIT : 0));
}

void
CongestionManagement::Reconsider(const QueuePlace& place, TimePs now)
{
    FlowRecord& record = *place.record;
    const SeverityTable::Row& row = m_severities->At(record.severity);
    const uint8_t before = record.queue.holds;
    const bool isOver = IsOverLimit(record, row);
    // Once its last frame is acknowledged, the next one goes a time later.
    const bool begins =
        row.delay != 0 && m_pacer && !isOver && (before & InputQueue::OVER_LIMIT) != 0;
    const bool isPaced = begins || (row.delay != 0 && (before & InputQueue::PACED) != 0);
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
        const TimePs at = m_pacer->Add(port, place.ref, ++record.paceTicket, row.delay, now);
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
