/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-list-maker.h"

#include "fabric-flow-triggers.h"
#include "fabric-goal-progress.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace ns3::fabric
{

std::string
FlowListMaker::AtLine(uint32_t line) const
{
    return m_name + ":" + std::to_string(line) + ": ";
}

uint32_t
FlowListMaker::RequireHost(const NodeNumbers& nodes, uint32_t node, uint32_t line) const
{
    const std::optional<uint32_t> host = nodes.HostOf(node);
    if (!host)
    {
        throw std::invalid_argument(AtLine(line) + "node " + std::to_string(node) +
                                    " is no host of the topology; allowed are its " +
                                    std::to_string(nodes.hosts.size()) + " hosts, from " +
                                    std::to_string(nodes.hosts.front()) + " to " +
                                    std::to_string(nodes.hosts.back()));
    }
    return *host;
}

FlowList
FlowListMaker::Make(const FlowFile& file,
                    const NodeNumbers& nodes,
                    const std::vector<uint64_t>& classes) const
{
    FlowList list;
    for (const FlowFile::Flow& from : file.flows)
    {
        if (from.priority >= classes.size())
        {
            throw std::invalid_argument(AtLine(from.line) +
                                        "priority=" + std::to_string(from.priority) +
                                        ": allowed is 0 to " + std::to_string(classes.size() - 1) +
                                        ", those to which --classes gives a class");
        }
        FlowList::Flow flow{};
        flow.src = RequireHost(nodes, from.src, from.line);
        flow.dst = RequireHost(nodes, from.dst, from.line);
        flow.trafficClass = static_cast<uint8_t>(classes[from.priority]);
        flow.port = from.port;
        flow.bytes = from.bytes;
        flow.start = from.start;
        flow.line = from.line;
        list.flows.push_back(flow);
    }
    NumberFlows(list);
    return list;
}

FlowList
FlowListMaker::Make(const ConnectionMatrix& matrix, uint32_t hosts, uint64_t endless) const
{
    RequireHosts("matrix has " + std::to_string(matrix.nodes) + " nodes", matrix.nodes, hosts);
    FlowList list;
    std::unordered_map<uint32_t, uint32_t> numberOf{{0, FlowList::NONE}};
    for (const ConnectionMatrix::Trigger& trigger : matrix.triggers)
    {
        numberOf[trigger.id] = static_cast<uint32_t>(list.triggers.size());
        list.triggers.push_back({trigger.kind, trigger.count, {}, trigger.id});
    }
    for (const ConnectionMatrix::Connection& from : matrix.connections)
    {
        if (from.bytes == 0 && endless == 0)
        {
            throw std::invalid_argument(AtLine(from.line) +
                                        "the connection has size 0, and so no end; allowed is "
                                        "that with --duration");
        }
        FlowList::Flow flow{};
        flow.src = from.src;
        flow.dst = from.dst;
        flow.port = FlowFile::USUAL_PORT;
        flow.hasEnd = from.bytes != 0;
        flow.bytes = flow.hasEnd ? from.bytes : endless;
        flow.start = from.start.value_or(NEVER);
        flow.sendDone = numberOf.at(from.sendDoneTrigger);
        flow.receiveDone = numberOf.at(from.recvDoneTrigger);
        flow.line = from.line;
        if (from.trigger != 0)
        {
            const auto number = static_cast<uint32_t>(list.flows.size());
            list.triggers[numberOf.at(from.trigger)].flows.push_back(number);
        }
        list.flows.push_back(flow);
    }
    NumberFlows(list);
    CheckTriggers(list);
    return list;
}

FlowList
FlowListMaker::Make(const GoalFile& file, uint32_t hosts) const
{
    const std::size_t ranks = file.ranks.size();
    RequireHosts("trace has " + std::to_string(ranks) + " ranks", ranks, hosts);
    FlowList list;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (const GoalFile::Operation& operation : file.ranks[rank])
        {
            if (operation.kind == GoalFile::Kind::SEND)
            {
                FlowList::Flow flow{};
                flow.src = rank;
                flow.dst = operation.peer;
                flow.port = FlowFile::USUAL_PORT;
                flow.bytes = operation.amount;
                flow.line = operation.line;
                list.flows.push_back(flow);
            }
        }
    }
    NumberFlows(list);
    if (!file.HasWildcards()) // else it depends on what comes first, and the run tells
    {
        CheckOperations(file);
    }
    return list;
}

void
FlowListMaker::RequireHosts(const std::string& what, std::size_t needed, uint32_t hosts) const
{
    if (needed > hosts)
    {
        throw std::invalid_argument(m_name + ": the " + what + "; allowed are at most the " +
                                    std::to_string(hosts) + " hosts of the topology");
    }
}

void
FlowListMaker::CheckOperations(const GoalFile& file) const
{
    // One order of what happens, which is that of all unless two receives compete for a message.
    std::vector<uint32_t> calculations;
    std::vector<std::pair<uint32_t, uint32_t>> sends;
    GoalProgress progress(
        file,
        {[&](uint32_t operation, uint64_t) { calculations.push_back(operation); },
         [&](uint32_t send, uint32_t place) { sends.emplace_back(send, place); }});
    progress.Begin();
    for (std::size_t c = 0, s = 0; c < calculations.size() || s < sends.size();)
    {
        if (s < sends.size())
        {
            progress.Delivered(sends[s].first, sends[s].second);
            ++s;
        }
        else
        {
            progress.Calculated(calculations[c++]);
        }
    }
    if (progress.CountDone() != progress.CountOperations() && !progress.DependsOnOrder())
    {
        throw std::invalid_argument(AtLine(progress.FindWaiting()) +
                                    "the operation is never done, since it waits in a circle or "
                                    "for a message that nobody sends; allowed are operations that "
                                    "end");
    }
}

void
FlowListMaker::NumberFlows(FlowList& list) const
{
    if (list.flows.empty())
    {
        throw std::invalid_argument(m_name + ": there are no flows; allowed is at least one");
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
    for (FlowList::Flow& flow : list.flows)
    {
        flow.ofPair = counts[{flow.src, flow.dst}]++;
    }
}

void
FlowListMaker::CheckTriggers(const FlowList& list) const
{
    // Which flows start does not depend on the order in which others are done.
    FlowTriggers triggers(list);
    std::vector<uint32_t> started;
    std::vector<bool> hasStarted(list.flows.size(), false);
    const auto start = [&](uint32_t flow) {
        started.push_back(flow);
        hasStarted[flow] = true;
    };
    for (uint32_t flow = 0; flow < list.flows.size(); ++flow)
    {
        if (list.flows[flow].start != NEVER)
        {
            start(flow);
        }
    }
    for (std::size_t i = 0; i < started.size(); ++i)
    {
        if (list.flows[started[i]].hasEnd)
        {
            triggers.FlowDone(started[i], start);
        }
    }
    const auto waiting = std::find(hasStarted.begin(), hasStarted.end(), false);
    if (waiting != hasStarted.end())
    {
        const auto flow = static_cast<std::size_t>(waiting - hasStarted.begin());
        throw std::invalid_argument(AtLine(list.flows[flow].line) +
                                    "the connection never starts, since its trigger does not fire "
                                    "often enough; allowed are triggers that do");
    }
    for (uint32_t number = 0; number < list.triggers.size(); ++number)
    {
        const FlowList::Trigger& trigger = list.triggers[number];
        const bool isBarrier = trigger.kind == ConnectionMatrix::TriggerKind::BARRIER;
        const uint32_t most = isBarrier ? trigger.count : 1;
        if (trigger.kind != ConnectionMatrix::TriggerKind::MULTISHOT &&
            triggers.CountActivations(number) > most)
        {
            throw std::invalid_argument(
                m_name + ": trigger " + std::to_string(trigger.id) + " is activated " +
                std::to_string(triggers.CountActivations(number)) + " times; allowed is " +
                std::to_string(most) + (isBarrier ? ", its count" : ", or a multishot"));
        }
    }
}

} // namespace ns3::fabric
