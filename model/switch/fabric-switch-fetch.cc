/* SPDX-License-Identifier: GPL-2.0-only */

// What the next window of a switch touches, fetched into the caches while others run.

#include "fabric-switch-chip.h"

namespace ns3
{
namespace fabric
{

namespace
{

/// Tasks of a port in a window from which on it pays to fetch all ports; measured: 2 lose 14 %, 20
/// gain 15 %.
constexpr uint32_t BUSY = 4;

} // namespace

void
SwitchChip::Fetch(FetchStep step) const
{
    if (m_tasks < BUSY * m_config.ports) // as the last window was, so the next one is as a rule
    {
        return;
    }
    switch (step)
    {
    case FetchStep::PORTS:
        FetchPorts();
        break;
    case FetchStep::LINKS:
        FetchLinks();
        break;
    case FetchStep::NEIGHBOURS:
        FetchNeighbours();
        break;
    case FetchStep::ENGINES:
        FetchEngines();
        break;
    }
}

void
SwitchChip::FetchPorts() const
{
    m_agenda.FetchTimes();
    FetchMemory(m_inputs.data(), m_inputs.size() * sizeof(InputPort));
    FetchMemory(m_outputs.data(), m_outputs.size() * sizeof(OutputPort));
}

void
SwitchChip::FetchLinks() const
{
    for (const InputPort& input : m_inputs)
    {
        input.link.Frames().FetchEntries();
        input.link.Acks().FetchEntries();
        input.credits.FetchSender();
    }
    for (const OutputPort& output : m_outputs)
    {
        output.transmitter.FetchEnds();
        FetchMemory(output.nic, output.nic ? sizeof(Nic) : 0);
        if (output.lanes)
        {
            output.lanes->Fetch();
        }
    }
}

void
SwitchChip::FetchNeighbours() const
{
    for (const InputPort& input : m_inputs)
    {
        input.credits.FetchSlots();
        const Ring<Frame>& frames = input.link.Frames();
        for (uint32_t i = 0; i < frames.Size(); ++i)
        {
            input.flows.FetchRecord(frames.At(i).flow);
        }
    }
    for (const OutputPort& output : m_outputs)
    {
        output.transmitter.FetchSlots();
        if (output.lanes)
        {
            output.lanes->FetchArrays();
        }
        if (output.nic)
        {
            output.nic->FetchEnds();
        }
    }
}

void
SwitchChip::FetchEngines() const
{
    for (uint32_t port = 0; m_config.lanes && port < m_outputs.size(); ++port)
    {
        if (m_outputs[port].nic)
        {
            m_outputs[port].nic->FetchLanes();
        }
    }
    for (uint32_t step = 0; step < NicEngine::FETCH_STEPS; ++step)
    {
        for (const OutputPort& output : m_outputs)
        {
            if (output.nic)
            {
                output.nic->FetchEngine(step);
            }
        }
    }
}

} // namespace fabric
} // namespace ns3
