/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reduction-engine.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
ReductionEngine::Add(const ReductionDescriptor& descriptor, ReductionOperands& operands)
{
    m_operands = &operands;
    const std::size_t place = descriptor.reduction - FIRST_REDUCTION;
    m_numberOf.resize(std::max(m_numberOf.size(), place + 1), NONE);
    m_numberOf[place] = static_cast<uint32_t>(m_reductions.size());
    const auto children = static_cast<uint32_t>(descriptor.children.size());
    m_reductions.push_back({descriptor,
                            ReductionSlots(descriptor.operation, children, descriptor.window),
                            descriptor.isToAll ? children : 1});
    m_slotsTaken += descriptor.window;
    if (m_task == NONE)
    {
        m_task = m_clock.AddTask();
    }
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        m_ports.inputs[port].unusual |= InputPort::HAS_GROUPS;
    }
}

ReductionEngine::Reduction&
ReductionEngine::Find(LocationId location)
{
    const std::size_t place = location - FIRST_REDUCTION;
    if (place >= m_numberOf.size() || m_numberOf[place] == NONE)
    {
        throw std::logic_error("a frame to the reduction " + std::to_string(place) +
                               " has come to a switch where its tree is not");
    }
    return m_reductions[m_numberOf[place]];
}

void
ReductionEngine::Take(uint32_t port, const Frame& frame, TimePs now)
{
    Reduction& reduction = Find(frame.dst);
    if (port == reduction.descriptor.up.port)
    {
        SendDown(reduction, port, frame, now);
    }
    else
    {
        Contribute(reduction, port, frame, now);
    }
}

void
ReductionEngine::Contribute(Reduction& reduction, uint32_t port, const Frame& frame, TimePs now)
{
    const TreePorts& children = reduction.descriptor.children;
    const auto child = FindTreePort(children, port);
    const uint32_t slot = frame.handle % reduction.descriptor.window;
    const auto value = reduction.slots.Take(slot,
                                            static_cast<uint32_t>(child - children.begin()),
                                            m_operands->At(frame.handle),
                                            frame.payload);
    if (!value)
    {
        m_buffers.Combine(port, frame, now);
        return;
    }
    Frame result = frame;
    result.handle = reduction.descriptor.firstOperand + slot;
    m_operands->At(result.handle) = *value;
    if (m_settings.latency == 0)
    {
        SendResult(reduction, port, result, now);
        return;
    }
    if (m_results.IsEmpty())
    {
        m_clock.PlanTask(m_task, now + m_settings.latency);
    }
    m_results.Push({now + m_settings.latency, port, result});
}

void
ReductionEngine::SendResults(TimePs now)
{
    while (!m_results.IsEmpty() && m_results.Front().time <= now)
    {
        const Result result = m_results.Front();
        m_results.Pop();
        SendResult(Find(result.frame.dst), result.port, result.frame, now);
    }
    m_clock.EndTask(m_task, m_results.IsEmpty() ? NEVER : m_results.Front().time);
}

void
ReductionEngine::SendResult(const Reduction& reduction,
                            uint32_t port,
                            const Frame& frame,
                            TimePs now)
{
    const TreePort& up = reduction.descriptor.up;
    if (up.port == ReductionDescriptor::NO_PORT)
    {
        SendDown(reduction, port, frame, now);
        return;
    }
    Frame result = frame;
    result.dataFlow = m_buffers.Share(frame, 1, 1);
    Join(port, result, up, now);
}

void
ReductionEngine::Join(uint32_t port, const Frame& result, const TreePort& output, TimePs now)
{
    const uint32_t vc = m_routing.FirstChannelOf(result.trafficClass) + output.vc;
    m_entry.JoinAt(port, result, {output.port, static_cast<uint8_t>(vc)}, now);
}

void
ReductionEngine::SendDown(const Reduction& reduction, uint32_t port, const Frame& frame, TimePs now)
{
    const ReductionDescriptor& descriptor = reduction.descriptor;
    Frame copy = frame;
    copy.dataFlow = m_buffers.Share(frame,
                                    static_cast<uint32_t>(descriptor.children.size()),
                                    reduction.resultCopies);
    for (const TreePort& child : descriptor.children)
    {
        copy.payload = descriptor.CarriesResults(child.port) ? frame.payload : 0;
        Join(port, copy, child, now);
    }
}

bool
ReductionEngine::IsIdle() const
{
    return m_results.IsEmpty() &&
           std::all_of(m_reductions.begin(), m_reductions.end(), [](const Reduction& reduction) {
               return reduction.slots.Open() == 0;
           });
}

} // namespace ns3::fabric
