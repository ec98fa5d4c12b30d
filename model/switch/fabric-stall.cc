/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-stall.h"

#include <algorithm>
#include <deque>
#include <set>

namespace ns3::fabric
{

namespace
{

/// @return what is waited for, in words that a switch's number follows
const char*
WordsFor(WaitCause cause)
{
    switch (cause)
    {
    case WaitCause::FLOW_CHANNEL:
        return "for a flow channel to switch ";
    case WaitCause::HOP_CREDITS:
        return "for hop credits of switch ";
    case WaitCause::ACKS:
        return "for acknowledgements of switch ";
    default:
        return "for buffer space in switch ";
    }
}

} // namespace

std::string
Stall::Describe() const
{
    std::string text;
    for (const StallStep& step : cycle)
    {
        text += text.empty() ? "switch " + std::to_string(step.number) : ", which";
        text += " waits at port " + std::to_string(step.port) + " " + WordsFor(step.cause) +
                std::to_string(step.next);
    }
    for (std::size_t i = 0; cycle.empty() && i < reasons.size(); ++i)
    {
        text += (i == 0 ? "" : "; ") + reasons[i];
    }
    return (IsDeadlock() ? "deadlock: " : "stalled: ") + std::to_string(bytes) +
           " bytes cannot move" + (text.empty() ? "" : ", since " + text);
}

void
WaitForGraph::Add(const Buffer& from, uint32_t port, WaitCause cause, const Buffer& to)
{
    m_waits[from].push_back({port, cause, to});
}

const std::vector<WaitForGraph::Wait>&
WaitForGraph::WaitsOf(const Buffer& buffer) const
{
    static const std::vector<Wait> NOTHING;
    const auto found = m_waits.find(buffer);
    return found != m_waits.end() ? found->second : NOTHING;
}

std::vector<StallStep>
WaitForGraph::FindCycle() const
{
    const std::optional<Buffer> start = FindOnCycle();
    return start ? ShortestThrough(*start) : std::vector<StallStep>();
}

std::optional<WaitForGraph::Buffer>
WaitForGraph::FindOnCycle() const
{
    // Who waits for nobody that waits is taken away until only those are left that reach a cycle;
    // from one of these on, any way goes round.
    std::map<Buffer, uint32_t> open;
    std::map<Buffer, std::vector<Buffer>> waitedForBy;
    std::deque<Buffer> done;
    for (const auto& [from, waits] : m_waits)
    {
        open[from] += static_cast<uint32_t>(waits.size());
        for (const Wait& wait : waits)
        {
            open.emplace(wait.to, 0);
            waitedForBy[wait.to].push_back(from);
        }
    }
    for (const auto& [buffer, count] : open)
    {
        if (count == 0)
        {
            done.push_back(buffer);
        }
    }
    for (; !done.empty(); done.pop_front())
    {
        for (const Buffer& from : waitedForBy[done.front()])
        {
            if (--open[from] == 0)
            {
                done.push_back(from);
            }
        }
    }
    const auto isLeft = [&open](const Buffer& buffer) { return open.at(buffer) != 0; };
    const auto first = std::find_if(open.begin(), open.end(), [&](const auto& entry) {
        return isLeft(entry.first);
    });
    if (first == open.end())
    {
        return std::nullopt;
    }
    std::set<Buffer> seen;
    Buffer at = first->first;
    while (seen.insert(at).second)
    {
        const std::vector<Wait>& waits = WaitsOf(at);
        at = std::find_if(waits.begin(), waits.end(), [&](const Wait& wait) {
                 return isLeft(wait.to);
             })->to;
    }
    return at;
}

std::vector<StallStep>
WaitForGraph::ShortestThrough(const Buffer& start) const
{
    std::map<Buffer, std::pair<Buffer, StallStep>> cameBy;
    std::deque<Buffer> open{start};
    for (; cameBy.count(start) == 0; open.pop_front())
    {
        const Buffer& from = open.front();
        for (const Wait& wait : WaitsOf(from))
        {
            const StallStep step{from.first, wait.port, wait.to.first, wait.cause};
            if (cameBy.emplace(wait.to, std::make_pair(from, step)).second)
            {
                open.push_back(wait.to);
            }
        }
    }
    std::vector<StallStep> cycle;
    Buffer at = start;
    do
    {
        const auto& [from, step] = cameBy.at(at);
        cycle.push_back(step);
        at = from;
    } while (at != start);
    std::reverse(cycle.begin(), cycle.end());
    // It is told from the switch of the lowest number on, wherever it was entered.
    const auto first =
        std::min_element(cycle.begin(), cycle.end(), [](const StallStep& a, const StallStep& b) {
            return std::pair(a.number, a.port) < std::pair(b.number, b.port);
        });
    std::rotate(cycle.begin(), first, cycle.end());
    return cycle;
}

} // namespace ns3::fabric
