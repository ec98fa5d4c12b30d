/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rerouting.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::fabric
{

void
Rerouting::Watch(uint32_t port, LinkRate rate)
{
    if (m_settings.isOn)
    {
        m_outputs.resize(m_ports.count);
        m_outputs[port].emplace(Watched{LinkOverload(m_settings, rate, m_seed + port)});
        m_ports.outputs[port].speaksFirst |= OutputPort::MAY_BE_OVERLOADED;
    }
}

uint32_t
Rerouting::FlowsOn(uint32_t port) const
{
    const OutputFlowTable& flows = m_ports.outputs[port].flows;
    uint32_t count = 0;
    for (uint32_t id = 1; id <= flows.Size(); ++id)
    {
        const QueueRef ref = flows.Source(static_cast<FlowId>(id));
        count +=
            !(ref == NO_QUEUE) && (m_ports.Find(ref).queue->holds & InputQueue::CHANGES_PATH) == 0;
    }
    return count;
}

Rerouting::Load
Rerouting::LoadOf(const Elsewhere& other, const Frame& frame, TimePs now) const
{
    const uint32_t busy = m_outputs[other.port]->overload.BusyPart(
        m_ports.outputs[other.port].transmitter.BytesSent(),
        now);
    return {other.cost, busy, m_routing.WaitBy(other.port, frame)};
}

Frame
Rerouting::FrameOf(const FlowRecord& record)
{
    Frame frame{};
    frame.src = record.src;
    frame.dst = record.dst;
    frame.trafficClass = record.trafficClass;
    frame.vc = record.arrivedOn & (VIRTUAL_CHANNELS - 1);
    return frame;
}

double
Rerouting::Alone(uint32_t port) const
{
    return m_paths.Scale().OfFlow(m_ports.outputs[port].transmitter.Rate().BitsPerSecond());
}

double
Rerouting::SharedBy(uint32_t port, uint32_t more) const
{
    return (FlowsOn(port) + more) * Alone(port);
}

double
Rerouting::CostHere(const QueuePlace& place) const
{
    const uint16_t port = place.queue->output;
    return SharedBy(port, 0) +
           (m_paths.Groups() ? m_paths.Groups()->Heard(port, place.record->dst) : 0);
}

double
Rerouting::CostBy(uint32_t port, LocationId dst) const
{
    // The flow is counted here, and where the ways part, but not yet in what was heard.
    return SharedBy(port, 1) +
           (m_paths.Groups() ? m_paths.Groups()->Heard(port, dst) + Alone(port) : 0);
}

Rerouting::Elsewhere
Rerouting::ElsewhereBy(uint16_t port, LocationId dst, double here) const
{
    // What another flow will do is counted as done, or a way without a flow that is as bad further
    // on would seem better than a whole one.
    const bool exchanges = m_paths.Groups() && SharedBy(port, 1) > here;
    return {CostBy(port, dst) - (exchanges ? Alone(port) : 0), port, exchanges};
}

std::optional<Rerouting::Elsewhere>
Rerouting::BestElsewhere(const QueuePlace& place, double below) const
{
    const FlowRecord& record = *place.record;
    const double here = SharedBy(record.queue.output, 0);
    std::optional<Elsewhere> best;
    m_routing.ForEachWay(place.ref.input, FrameOf(record), [&](uint16_t port) {
        if (port != record.queue.output && SharedBy(port, 1) < below)
        {
            const Elsewhere other = ElsewhereBy(port, record.dst, here);
            const auto rank = [](const Elsewhere& way) {
                return std::pair(way.cost, way.exchanges);
            };
            best = best && rank(*best) <= rank(other) ? best : other;
        }
    });
    return best;
}

std::optional<Rerouting::Elsewhere>
Rerouting::BestFreer(const QueuePlace& place) const
{
    return BestElsewhere(place, SharedBy(place.queue->output, 0));
}

Hop
Rerouting::Choose(const QueuePlace& place, const Frame& frame, TimePs now)
{
    const double here = SharedBy(place.queue->output, 1); // it has just left
    return m_routing.ChooseBy(place.ref.input, frame, [&](uint16_t port) {
        constexpr Load WORST{std::numeric_limits<double>::infinity(), 0, 0};
        return port == place.queue->output ? WORST
                                           : LoadOf(ElsewhereBy(port, frame.dst, here), frame, now);
    });
}

uint32_t
Rerouting::StepsHere(const FlowRecord& record, TimePs now) const
{
    constexpr uint32_t UNKNOWN = 0x10000;
    return record.movedAt == 0 ? UNKNOWN
                               : static_cast<uint16_t>(m_settings.StepOf(now) - record.movedAt);
}

void
Rerouting::BeginMove(FlowRecord& record, TimePs now)
{
    record.movedAt = m_settings.StepOf(now);
    record.state |= FlowRecord::MOVED_HERE;
    ++m_moves;
}

bool
Rerouting::MayLeave(const QueuePlace& place, TimePs now) const
{
    // A flow to a congested host would be no faster by another way, and one with several ways has
    // others.
    const FlowRecord* record = place.record;
    return record && !place.IsWay() && record->queue.holds == 0 && record->severity == 0 &&
           !IsSettling(*record, now);
}

void
Rerouting::Consider(const QueuePlace& place, const Elsewhere& other, Candidates& found) const
{
    const bool isFirst = found.leaves == NO_QUEUE;
    if (!m_paths.Groups())
    {
        found.leaves = isFirst ? place.ref : found.leaves;
        return;
    }
    const double more = other.cost - CostHere(place);
    if (IsWorthwhile(place, other, false) && (isFirst || more < found.more))
    {
        found.leaves = place.ref;
        found.more = more;
    }
}

void
Rerouting::ConsiderTelling(const QueuePlace& place, TimePs now, Candidates& found) const
{
    const uint32_t since = StepsHere(*place.record, now);
    if (found.told == NO_QUEUE || since > found.since)
    {
        found.told = place.ref;
        found.since = since;
    }
}

Rerouting::Candidates
Rerouting::FindCandidates(uint32_t port, TimePs now) const
{
    const OutputPort& output = m_ports.outputs[port];
    Candidates found;
    for (uint32_t lists = output.lists.Waiting(); lists != 0; lists &= lists - 1)
    {
        output.lists.ForEach(LowestBit(lists), m_ports.Queues(), [&](QueueRef ref) {
            const QueuePlace place = m_ports.Find(ref);
            if (!MayLeave(place, now))
            {
                return;
            }
            if (const std::optional<Elsewhere> freer = BestFreer(place))
            {
                Consider(place, *freer, found);
            }
            if (!place.input->edge)
            {
                ConsiderTelling(place, now, found);
            }
        });
    }
    return found;
}

void
Rerouting::TellUpstream(QueueRef ref, uint8_t word, TimePs now)
{
    m_ports.Find(ref).record->choicesToReach = word;
    m_acks.Owe(ref.input, ref.queue, FlowRecord::REROUTE, now);
}

bool
Rerouting::IsWorthwhile(const QueuePlace& place, const Elsewhere& other, bool onlyIfBetter) const
{
    if (!m_paths.Groups())
    {
        // The link that is overloaded is further on, so an output with as many flows is less
        // loaded.
        return other.cost <= SharedBy(place.queue->output, 1);
    }
    const double margin = onlyIfBetter ? BETTER_BY * Alone(place.queue->output) : 0;
    return other.cost <= CostHere(place) - margin;
}

bool
Rerouting::Waits(const FlowRecord& record, const Elsewhere& other)
{
    constexpr uint32_t ONE_OF = 4;
    return other.exchanges && record.Is(FlowRecord::MOVED_HERE) &&
           other.port < record.queue.output && m_random() % ONE_OF == 0;
}

void
Rerouting::TellOfOverload(QueueRef ref, TimePs now)
{
    const bool hasChoice = m_paths.Groups() && BestElsewhere(m_ports.Find(ref));
    TellUpstream(ref, hasChoice ? 1 | ONLY_IF_BETTER : 1, now);
}

bool
Rerouting::HasLeft(const Watched& watched, uint32_t port) const
{
    if (watched.told == NO_QUEUE)
    {
        return false;
    }
    const FlowRecord& record = *m_ports.Find(watched.told).record;
    const bool isThere = record.src == watched.toldSrc && record.dst == watched.toldDst &&
                         record.queue.output == port;
    return !isThere;
}

QueueRef
Rerouting::Look(uint32_t port, TimePs now)
{
    Watched& watched = *m_outputs[port];
    const uint64_t sent = m_ports.outputs[port].transmitter.BytesSent();
    if (!watched.overload.Decide(m_loads.QueuedBytes(port), sent, now))
    {
        return NO_QUEUE;
    }
    if (HasLeft(watched, port))
    {
        watched.told = NO_QUEUE;
        watched.overload.EndHold();
    }
    const Candidates found = FindCandidates(port, now);
    if (!(found.leaves == NO_QUEUE))
    {
        BeginMove(*m_ports.Find(found.leaves).record, now);
    }
    else if (!(found.told == NO_QUEUE) && (!m_paths.Groups() || FlowsOn(port) > 1) &&
             watched.overload.TellsNow(now))
    {
        const FlowRecord& told = *m_ports.Find(found.told).record;
        watched.told = found.told;
        watched.toldSrc = told.src;
        watched.toldDst = told.dst;
        TellOfOverload(found.told, now);
    }
    return found.leaves;
}

bool
Rerouting::Take(QueueRef ref, uint8_t word, TimePs now)
{
    const QueuePlace place = m_ports.Find(ref);
    FlowRecord& record = *place.record;
    const std::optional<Elsewhere> elsewhere = BestElsewhere(place);
    const uint8_t onlyIfBetter = word & ONLY_IF_BETTER;
    const auto choices = static_cast<uint8_t>(word & MOST_CHOICES);
    if (!place.input->edge && (!elsewhere || choices > 1))
    {
        const uint8_t left = elsewhere ? choices - 1 : std::min<uint8_t>(choices + 1, MOST_CHOICES);
        TellUpstream(ref, left | onlyIfBetter, now);
        return false;
    }
    const bool leaves = m_settings.isOn && elsewhere && !IsSettling(record, now) &&
                        IsWorthwhile(place, *elsewhere, onlyIfBetter != 0);
    if (leaves && Waits(record, *elsewhere))
    {
        return false;
    }
    if (leaves)
    {
        BeginMove(record, now);
    }
    else if (m_paths.Groups() && elsewhere && !place.input->edge)
    {
        TellUpstream(ref, 1 | ONLY_IF_BETTER, now);
    }
    return leaves;
}

} // namespace ns3::fabric
