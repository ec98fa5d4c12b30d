/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-prefetch.h"

#include "fabric-nic.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// Tasks of a port in a window from which on it pays to fetch all ports; measured: 2 lose 14 %, 20
/// gain 15 %.
constexpr uint32_t BUSY = 4;

/// Frames of a link that are fetched at most.
constexpr TimePs MOST_FRAMES = 1000;

/// Flow channels of an output that are in the caches anyway.
constexpr uint32_t FEW = 4;

} // namespace

bool
SwitchPrefetch::IsWorthwhile() const
{
    return m_clock.Tasks() >=
           BUSY * m_ports.count; // as the last window was, so the next one is as a rule
}

uint32_t
SwitchPrefetch::FramesIn(TimePs window) const
{
    // One is partly in it at each end.
    return static_cast<uint32_t>(std::min<TimePs>(window / m_frameTime, MOST_FRAMES)) + 2;
}

void
SwitchPrefetch::Fetch(FetchStep step, TimePs window) const
{
    switch (step)
    {
    case FetchStep::PORTS:
        FetchPorts();
        break;
    case FetchStep::LINKS:
        FetchLinks(FramesIn(window));
        break;
    case FetchStep::NEIGHBOURS:
        FetchNeighbours(FramesIn(window));
        break;
    case FetchStep::ENGINES:
        FetchEngines(FramesIn(window));
        break;
    }
}

template <typename Visit>
void
SwitchPrefetch::ForEachAck(uint32_t port, uint32_t most, Visit&& visit) const
{
    const AckRing& batches = m_ports.inputs[port].link.Acks();
    for (uint32_t i = 0, end = std::min(most, batches.Size()); i < end; ++i)
    {
        const AckBatch& batch = batches.At(i);
        if (batch.count == 0)
        {
            continue; // a greeting
        }
        // Most have one or two, and which of both can't be guessed.
        visit(batch.acks[0]);
        visit(batch.acks[static_cast<std::size_t>(batch.count > 1)]);
        for (uint32_t ack = 2; ack < batch.count; ++ack)
        {
            visit(batch.acks[ack]);
        }
    }
}

bool
SwitchPrefetch::HasManyFlows(uint32_t port) const
{
    return m_ports.outputs[port].flows.InUse() > FEW;
}

void
SwitchPrefetch::FetchChannels(uint32_t most) const
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        if (HasManyFlows(port))
        {
            const OutputFlowTable& flows = m_ports.outputs[port].flows;
            ForEachAck(port, most, [&flows](const Ack& ack) { flows.FetchEntry(ack.flow); });
        }
    }
}

void
SwitchPrefetch::FetchRecords(uint32_t most) const
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        if (!HasManyFlows(port))
        {
            continue;
        }
        const OutputFlowTable& flows = m_ports.outputs[port].flows;
        ForEachAck(port, most, [this, &flows](const Ack& ack) {
            if (const QueueRef source = flows.Source(ack.flow); !(source == NO_QUEUE))
            {
                m_ports.inputs[source.input].flows.FetchRecord(source.queue);
            }
        });
    }
}

template <typename Visit>
void
SwitchPrefetch::ForEachAskedOutput(Visit&& visit) const
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        const OutputPort& output = m_ports.outputs[port];
        // No && and no ||: neither can be guessed, and one wrong guess costs less than two.
        const auto isAsked = static_cast<uint32_t>(output.lists.KnowsLast());
        const auto isFar = static_cast<uint32_t>(output.nic != nullptr) |
                           static_cast<uint32_t>(HasManyFlows(port));
        if ((isAsked & isFar) != 0)
        {
            visit(m_ports.Queues()(output.lists.Last()));
        }
    }
}

void
SwitchPrefetch::FetchLastQueues() const
{
    ForEachAskedOutput([](const InputQueue& last) { FetchMemory(&last, sizeof(InputQueue)); });
}

void
SwitchPrefetch::FetchFirstQueues() const
{
    ForEachAskedOutput([this](const InputQueue& last) {
        FetchMemory(&m_ports.Queues()(last.next), sizeof(InputQueue));
    });
}

void
SwitchPrefetch::FetchFirstFrames() const
{
    ForEachAskedOutput([this](const InputQueue& last) {
        const InputQueue& first = m_ports.Queues()(last.next);
        FetchMemory(&m_ports.frames->At(first.head), sizeof(Frame));
        FetchMemory(&m_ports.Queues()(first.next), sizeof(InputQueue));
    });
}

void
SwitchPrefetch::FetchEdgeRecords(uint32_t most) const
{
    for (const InputPort& input : m_ports.Inputs())
    {
        const FrameRing& frames = input.link.Frames();
        for (uint32_t i = 0, end = std::min(most, frames.Size()); input.edge && i < end; ++i)
        {
            input.edge->table.FetchRecordOf(frames.At(i).next);
        }
    }
}

void
SwitchPrefetch::FetchPorts() const
{
    m_clock.GetAgenda().FetchTimes();
    for (const InputPort& input : m_ports.Inputs())
    {
        FetchMemory(&input, InputPort::HOT);
    }
    for (const OutputPort& output : m_ports.Outputs())
    {
        FetchMemory(&output, OutputPort::HOT);
    }
}

void
SwitchPrefetch::FetchLinks(uint32_t most) const
{
    for (const InputPort& input : m_ports.Inputs())
    {
        input.link.Frames().FetchEntries(most);
        input.link.Acks().FetchEntries(most);
        input.credits.FetchSender();
    }
    for (const OutputPort& output : m_ports.Outputs())
    {
        output.transmitter.FetchEnds(most);
        if (output.nic)
        {
            output.nic->FetchHot();
        }
        if (output.Is(OutputPort::HAS_LANES))
        {
            output.lanes->Fetch();
        }
    }
    FetchLastQueues();
}

void
SwitchPrefetch::FetchNeighbours(uint32_t most) const
{
    for (const InputPort& input : m_ports.Inputs())
    {
        input.credits.FetchSlots(most);
        const FrameRing& frames = input.link.Frames();
        for (uint32_t i = 0, end = std::min(most, frames.Size()); i < end; ++i)
        {
            if (input.edge)
            {
                input.edge->table.FetchHint(frames.At(i).next);
            }
            else
            {
                input.flows.FetchRecord(frames.At(i).flow);
            }
        }
    }
    for (const OutputPort& output : m_ports.Outputs())
    {
        output.transmitter.FetchSlots(most);
        if (output.Is(OutputPort::HAS_LANES))
        {
            output.lanes->FetchArrays();
        }
        if (output.nic)
        {
            output.nic->FetchEnds(most);
        }
    }
    FetchChannels(most);
    FetchFirstQueues();
}

void
SwitchPrefetch::FetchEngines(uint32_t most) const
{
    FetchRecords(most);
    FetchEdgeRecords(most);
    FetchFirstFrames();
    for (const OutputPort& output : m_ports.Outputs())
    {
        if (!output.nic)
        {
            continue;
        }
        output.nic->FetchFronts();
        if (output.Is(OutputPort::HAS_LANES))
        {
            output.nic->FetchLanes();
        }
    }
    for (const OutputPort& output : m_ports.Outputs())
    {
        if (output.nic)
        {
            output.nic->FetchJobs();
        }
    }
    for (uint32_t step = 0; step < NicEngine::FETCH_STEPS; ++step)
    {
        for (const OutputPort& output : m_ports.Outputs())
        {
            if (output.nic)
            {
                output.nic->FetchEngine(step);
            }
        }
    }
}

} // namespace ns3::fabric
