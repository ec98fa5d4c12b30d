/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rerouting.h"

#include <algorithm>
#include <limits>

namespace ns3::fabric
{

namespace
{

/// @return bytes that an output has sent so far
uint64_t
BytesSentBy(const OutputPort& output)
{
    const TransmitCounts& counts = output.transmitter.Counts();
    return counts.bytes + counts.controlBytes;
}

} // namespace

void
Rerouting::Watch(uint32_t port, LinkRate rate)
{
    if (m_settings.isOn)
    {
        m_outputs.resize(m_ports.count);
        m_outputs[port].emplace(m_settings, rate, m_seed + port);
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
Rerouting::LoadOf(uint32_t port, TimePs now) const
{
    const uint32_t busy = m_outputs[port]->BusyPart(BytesSentBy(m_ports.outputs[port]), now);
    return {SharedBy(port, 1), busy, m_loads.QueuedBytes(port)};
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
Rerouting::SharedBy(uint32_t port, uint32_t more) const
{
    constexpr double TERABIT = 1e12;
    const LinkRate& rate = m_ports.outputs[port].transmitter.Rate();
    return (FlowsOn(port) + more) * TERABIT / static_cast<double>(rate.BitsPerSecond());
}

std::optional<double>
Rerouting::BestElsewhere(const QueuePlace& place) const
{
    const FlowRecord& record = *place.record;
    std::optional<double> best;
    m_routing.ForEachWay(place.ref.input, FrameOf(record), [&](uint16_t port) {
        if (port != record.queue.output)
        {
            const double shared = SharedBy(port, 1);
            best = best ? std::min(*best, shared) : shared;
        }
    });
    return best;
}

Hop
Rerouting::Choose(const QueuePlace& place, const Frame& frame, TimePs now)
{
    return m_routing.ChooseBy(place.ref.input, frame, [this, &place, now](uint16_t port) {
        constexpr Load WORST{std::numeric_limits<double>::infinity(), 0, 0};
        return port == place.queue->output ? WORST : LoadOf(port, now);
    });
}

uint16_t
Rerouting::StepOf(TimePs now) const
{
    const TimePs step = std::max<TimePs>(m_settings.hold / STEPS_PER_HOLD, 1);
    return std::max<uint16_t>(static_cast<uint16_t>(now / step), 1);
}

bool
Rerouting::IsSettling(const FlowRecord& record, TimePs now) const
{
    const auto steps = static_cast<uint16_t>(StepOf(now) - record.movedAt);
    return record.movedAt != 0 && steps < STEPS_PER_HOLD;
}

void
Rerouting::BeginMove(FlowRecord& record, TimePs now)
{
    record.movedAt = StepOf(now);
    ++m_moves;
}

bool
Rerouting::MayLeave(const QueuePlace& place, TimePs now) const
{
    // A flow to a congested host would be no faster by another way.
    const FlowRecord* record = place.record;
    return record && record->queue.holds == 0 && record->severity == 0 && !IsSettling(*record, now);
}

Rerouting::Candidates
Rerouting::FindCandidates(uint32_t port, TimePs now) const
{
    const OutputPort& output = m_ports.outputs[port];
    const double shared = SharedBy(port, 0);
    Candidates found;
    for (uint32_t lists = output.lists.Waiting(); lists != 0; lists &= lists - 1)
    {
        output.lists.ForEach(LowestBit(lists), m_ports.Queues(), [&](QueueRef ref) {
            const QueuePlace place = m_ports.Find(ref);
            if (!(found.leaves == NO_QUEUE) || !MayLeave(place, now))
            {
                return;
            }
            const std::optional<double> elsewhere = BestElsewhere(place);
            if (elsewhere && *elsewhere < shared)
            {
                found.leaves = ref;
            }
            if (found.told == NO_QUEUE && !place.input->edge)
            {
                found.told = ref;
            }
        });
    }
    return found;
}

void
Rerouting::TellUpstream(QueueRef ref, TimePs now)
{
    FlowRecord& record = *m_ports.Find(ref).record;
    record.movedAt = StepOf(now);
    record.choicesToReach = 1;
    m_acks.Owe(ref.input, ref.queue, FlowRecord::REROUTE, now);
}

QueueRef
Rerouting::Look(uint32_t port, TimePs now)
{
    LinkOverload& overload = *m_outputs[port];
    const uint64_t sent = BytesSentBy(m_ports.outputs[port]);
    if (!overload.Decide(m_loads.QueuedBytes(port), sent, now))
    {
        return NO_QUEUE;
    }
    const Candidates found = FindCandidates(port, now);
    if (!(found.leaves == NO_QUEUE))
    {
        BeginMove(*m_ports.Find(found.leaves).record, now);
    }
    else if (!(found.told == NO_QUEUE) && overload.TellsNow())
    {
        TellUpstream(found.told, now);
    }
    return found.leaves;
}

bool
Rerouting::Take(QueueRef ref, uint8_t choices, TimePs now)
{
    const QueuePlace place = m_ports.Find(ref);
    FlowRecord& record = *place.record;
    const std::optional<double> elsewhere = BestElsewhere(place);
    if (!place.input->edge && (!elsewhere || choices > 1))
    {
        record.choicesToReach =
            static_cast<uint8_t>(elsewhere ? choices - 1 : std::min(choices + 1, 255));
        m_acks.Owe(ref.input, ref.queue, FlowRecord::REROUTE, now);
        return false;
    }
    // The link that is overloaded is further on, so an output with as many flows is less loaded.
    const bool leaves = m_settings.isOn && elsewhere && !IsSettling(record, now) &&
                        *elsewhere <= SharedBy(record.queue.output, 1);
    if (leaves)
    {
        BeginMove(record, now);
    }
    return leaves;
}

} // namespace ns3::fabric
