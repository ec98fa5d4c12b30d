/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-goal-progress.h"

#include <algorithm>
#include <tuple>

namespace ns3::fabric
{

GoalProgress::GoalProgress(const GoalFile& file, Listener listener)
    : m_listener(std::move(listener)),
      m_matching(file)
{
    for (uint32_t rank = 0; rank < file.ranks.size(); ++rank)
    {
        const auto first = static_cast<uint32_t>(m_states.size());
        for (const GoalFile::Operation& operation : file.ranks[rank])
        {
            const auto send = static_cast<uint32_t>(m_sends.size());
            if (operation.kind == GoalFile::Kind::SEND)
            {
                m_sends.push_back(static_cast<uint32_t>(m_states.size()));
            }
            const auto waits = operation.afterEnds.size() + operation.afterStarts.size();
            m_states.push_back(
                {&operation, rank, static_cast<uint32_t>(waits), send, false, {}, {}});
        }
        for (auto i = first; i < m_states.size(); ++i)
        {
            for (const uint32_t other : m_states[i].operation->afterEnds)
            {
                m_states[first + other].atEnd.push_back(i);
            }
            for (const uint32_t other : m_states[i].operation->afterStarts)
            {
                m_states[first + other].atStart.push_back(i);
            }
        }
    }
}

void
GoalProgress::Begin(const std::function<bool(uint32_t)>& isHere)
{
    m_isHere = isHere ? isHere : [](uint32_t) { return true; };
    for (uint32_t i = 0; i < m_states.size(); ++i)
    {
        if (m_states[i].waits == 0 && m_isHere(m_states[i].rank))
        {
            m_ready.push_back(i);
        }
    }
    Proceed();
}

void
GoalProgress::Proceed()
{
    while (!m_ready.empty())
    {
        const uint32_t operation = m_ready.front();
        m_ready.pop_front();
        Start(operation);
    }
}

void
GoalProgress::Start(uint32_t operation)
{
    const State& state = m_states[operation];
    switch (state.operation->kind)
    {
    case GoalFile::Kind::CALC: {
        Cpu& cpu = m_cpus[{state.rank, state.operation->cpu}];
        cpu.waiting.push_back(operation);
        UseCpu(cpu);
        break;
    }
    case GoalFile::Kind::SEND:
        StartSend(operation);
        break;
    case GoalFile::Kind::RECV:
        StartReceive(operation);
        break;
    }
}

void
GoalProgress::UseCpu(Cpu& cpu)
{
    if (cpu.isBusy || cpu.waiting.empty())
    {
        return;
    }
    const uint32_t operation = cpu.waiting.front();
    cpu.waiting.pop_front();
    cpu.isBusy = true;
    Release(m_states[operation].atStart);
    m_listener.calculate(operation, m_states[operation].operation->amount);
}

void
GoalProgress::Calculated(uint32_t operation)
{
    Cpu& cpu = m_cpus[{m_states[operation].rank, m_states[operation].operation->cpu}];
    cpu.isBusy = false;
    End(operation);
    UseCpu(cpu);
    Proceed();
}

void
GoalProgress::StartSend(uint32_t operation)
{
    const State& state = m_states[operation];
    ++m_sent;
    m_listener.send(state.send, m_matching.Send(state.rank, *state.operation));
    Release(state.atStart);
    End(operation);
}

void
GoalProgress::StartReceive(uint32_t operation)
{
    const State& state = m_states[operation];
    const bool isThere = m_matching.Receive(state.rank, *state.operation, operation);
    Release(state.atStart);
    if (isThere)
    {
        End(operation);
    }
}

void
GoalProgress::Delivered(uint32_t send, uint32_t place)
{
    ++m_delivered;
    const State& state = m_states[m_sends[send]];
    const uint32_t receive = m_matching.Deliver(state.rank, *state.operation, place);
    if (receive != GoalMatching::NONE)
    {
        End(receive);
        Proceed();
    }
}

void
GoalProgress::End(uint32_t operation)
{
    m_states[operation].isDone = true;
    ++m_done;
    Release(m_states[operation].atEnd);
}

void
GoalProgress::Release(const std::vector<uint32_t>& operations)
{
    for (const uint32_t operation : operations)
    {
        if (--m_states[operation].waits == 0)
        {
            m_ready.push_back(operation);
        }
    }
}

uint32_t
GoalProgress::FindWaiting() const
{
    const auto waiting = std::find_if(m_states.begin(), m_states.end(), [this](const State& state) {
        return !state.isDone && m_isHere(state.rank);
    });
    return waiting == m_states.end() ? 0 : waiting->operation->line;
}

bool
GoalProgress::DependsOnOrder() const
{
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>; // rank, source and tag
    std::map<Key, std::vector<uint32_t>> done;
    std::map<Key, std::vector<uint32_t>> waiting;
    for (uint32_t i = 0; i < m_states.size(); ++i)
    {
        const State& state = m_states[i];
        if (state.operation->kind == GoalFile::Kind::RECV && state.waits == 0)
        {
            const Key key{state.rank, state.operation->peer, state.operation->tag};
            (state.isDone ? done : waiting)[key].push_back(i);
        }
    }
    for (const auto& item : waiting)
    {
        const std::vector<uint32_t>& others = done[item.first];
        for (const uint32_t receive : others.empty() ? std::vector<uint32_t>() : item.second)
        {
            const std::set<uint32_t> earlier = FindEarlier(receive);
            if (std::any_of(others.begin(), others.end(), [&earlier](uint32_t other) {
                    return earlier.count(other) == 0;
                }))
            {
                return true;
            }
        }
    }
    return false;
}

std::set<uint32_t>
GoalProgress::FindEarlier(uint32_t receive) const
{
    const uint32_t rank = m_states[receive].rank;
    const auto begin =
        std::partition_point(m_states.begin(), m_states.end(), [rank](const State& state) {
            return state.rank < rank;
        });
    const auto first = static_cast<uint32_t>(begin - m_states.begin());
    std::set<uint32_t> earlier;
    std::vector<uint32_t> open{receive};
    while (!open.empty())
    {
        const GoalFile::Operation& next = *m_states[open.back()].operation;
        open.pop_back();
        for (const auto* others : {&next.afterEnds, &next.afterStarts})
        {
            for (const uint32_t other : *others)
            {
                if (earlier.insert(first + other).second)
                {
                    open.push_back(first + other);
                }
            }
        }
    }
    return earlier;
}

} // namespace ns3::fabric
