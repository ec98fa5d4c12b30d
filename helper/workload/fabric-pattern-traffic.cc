/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pattern-traffic.h"

#include "fabric-message-sender-helper.h"
#include "fabric-message-sender.h"
#include "fabric-number-text.h"
#include "fabric-option-type.h"
#include "fabric-seconds.h"
#include "fabric-topology.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr double MOST_LISTED =
    1e7; ///< Messages of a list; each takes some hundred bytes of memory.

} // namespace

const std::vector<std::string>&
FabricPattern::Names()
{
    static const std::vector<std::string> names{"shift",
                                                "random",
                                                "bit-complement",
                                                "uniform",
                                                "adversarial",
                                                "tornado",
                                                "all-to-all"};
    return names;
}

FabricPatternTraffic::FabricPatternTraffic(const FabricContainer& fabric,
                                           const FabricPattern& pattern)
    : m_fabric(fabric),
      m_pattern(pattern),
      m_hosts(fabric.hosts.GetN()),
      m_random(CreateObject<UniformRandomVariable>()),
      m_gaps(CreateObject<ExponentialRandomVariable>())
{
    const std::vector<std::string>& names = FabricPattern::Names();
    if (std::find(names.begin(), names.end(), pattern.name) == names.end())
    {
        fabric::ThrowNotAllowed("--pattern", pattern.name, "one of " + fabric::WordList(names));
    }
    if (m_hosts < 2)
    {
        throw std::invalid_argument("--pattern=" + pattern.name +
                                    ": the fabric has one host, which has nobody to send to; "
                                    "allowed are two or more");
    }
    m_pattern.shift = pattern.shift == 0 ? m_hosts / 2 : pattern.shift;
    if (pattern.name == "shift" && m_pattern.shift % m_hosts == 0)
    {
        throw std::invalid_argument("--shift=" + std::to_string(pattern.shift) + ": each of the " +
                                    std::to_string(m_hosts) +
                                    " hosts would send to itself; allowed is what is no multiple "
                                    "of their number");
    }
    if (pattern.name == "bit-complement" && m_hosts % 2 != 0)
    {
        throw std::invalid_argument("--pattern=" + pattern.name + ": of " +
                                    std::to_string(m_hosts) +
                                    " hosts one would send to itself; allowed is an even number");
    }
    CheckShape();
    if (pattern.name == "random")
    {
        DrawPermutation();
    }
    else if (pattern.name == "tornado")
    {
        MakeTornado();
    }
}

void
FabricPatternTraffic::CheckShape() const
{
    const std::vector<uint32_t>& rings = m_pattern.rings;
    const bool hasGroups =
        m_pattern.groupHosts != 0 && m_pattern.groupHosts != m_hosts && rings.empty();
    if (m_pattern.name == "adversarial" && !hasGroups)
    {
        throw std::invalid_argument(
            "--pattern=adversarial: allowed is only --topology=dragonfly with several groups, or "
            "--topology=hyperx");
    }
    if (m_pattern.name == "adversarial" && m_hosts % m_pattern.groupHosts != 0)
    {
        throw std::invalid_argument("--pattern=adversarial: groups of " +
                                    std::to_string(m_pattern.groupHosts) +
                                    " hosts are no whole part of " + std::to_string(m_hosts));
    }
    if (m_pattern.name == "tornado" &&
        std::none_of(rings.begin(), rings.end(), [](uint32_t width) { return width > 2; }))
    {
        throw std::invalid_argument("--pattern=tornado: allowed is only --topology=torus with a "
                                    "ring of 3 switches or more");
    }
    uint64_t placed = m_pattern.groupHosts;
    for (const uint32_t width : rings)
    {
        placed = std::min<uint64_t>(placed * width, uint64_t{m_hosts} + 1);
    }
    if (m_pattern.name == "tornado" && placed != m_hosts)
    {
        throw std::invalid_argument(
            "--pattern=tornado: its rings with groupHosts=" + std::to_string(m_pattern.groupHosts) +
            " hosts on each switch are not the " + std::to_string(m_hosts) +
            " hosts of the fabric");
    }
}

void
FabricPatternTraffic::MakeTornado()
{
    for (uint32_t host = 0; host < m_hosts; ++host)
    {
        uint32_t rest = host / m_pattern.groupHosts;
        uint32_t receiver = host % m_pattern.groupHosts;
        uint32_t stride = m_pattern.groupHosts;
        for (const uint32_t width : m_pattern.rings)
        {
            receiver += (rest % width + (width + 1) / 2 - 1) % width * stride;
            rest /= width;
            stride *= width;
        }
        m_permutation.push_back(receiver);
    }
}

void
FabricPatternTraffic::DrawPermutation()
{
    // A cycle through all hosts in random order: nobody sends to itself.
    std::vector<uint32_t> order(m_hosts);
    std::iota(order.begin(), order.end(), 0);
    for (uint32_t i = m_hosts - 1; i > 0; --i)
    {
        std::swap(order[i], order[m_random->GetInteger(0, i)]);
    }
    m_permutation.resize(m_hosts);
    for (uint32_t i = 0; i < m_hosts; ++i)
    {
        m_permutation[order[i]] = order[(i + 1) % m_hosts];
    }
}

uint32_t
FabricPatternTraffic::Receiver(uint32_t host)
{
    if (m_pattern.name == "shift")
    {
        return static_cast<uint32_t>((host + m_pattern.shift) % m_hosts);
    }
    if (!m_permutation.empty())
    {
        return m_permutation[host];
    }
    if (m_pattern.name == "bit-complement")
    {
        return m_hosts - 1 - host;
    }
    if (m_pattern.name == "adversarial")
    {
        const uint32_t group = host / m_pattern.groupHosts + 1;
        const uint32_t first = group * m_pattern.groupHosts % m_hosts;
        return first + m_random->GetInteger(0, m_pattern.groupHosts - 1);
    }
    return (host + m_random->GetInteger(1, m_hosts - 1)) % m_hosts;
}

uint64_t
FabricPatternTraffic::CountOnce() const
{
    return m_pattern.name == "all-to-all" ? uint64_t{m_hosts} * (m_hosts - 1) : m_hosts;
}

void
FabricPatternTraffic::SendOnce()
{
    const FabricMessageSenderHelper sender(m_pattern.bytes);
    for (uint32_t host = 0; host < m_hosts; ++host)
    {
        if (m_pattern.name != "all-to-all")
        {
            sender.Install(m_fabric, host, Receiver(host));
            continue;
        }
        for (uint32_t i = 1; i < m_hosts; ++i)
        {
            sender.Install(m_fabric, host, (host + i) % m_hosts);
        }
    }
}

void
FabricPatternTraffic::ReadFlow()
{
    const Ptr<FabricMessageSender> settings = CreateObject<FabricMessageSender>();
    UintegerValue value;
    settings->GetAttribute("TrafficClass", value);
    m_flow.trafficClass = static_cast<uint8_t>(value.Get());
    settings->GetAttribute("Vni", value);
    m_flow.vni = static_cast<uint16_t>(value.Get());
}

fabric::FlowList::Flow
FabricPatternTraffic::FlowTo(uint32_t host, uint32_t receiver, fabric::TimePs start) const
{
    fabric::FlowList::Flow flow{};
    flow.src = host;
    flow.dst = receiver;
    flow.trafficClass = m_flow.trafficClass;
    flow.bytes = m_pattern.bytes;
    flow.start = start;
    return flow;
}

fabric::FlowList
FabricPatternTraffic::Numbered(std::vector<fabric::FlowList::Flow> flows)
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
    for (fabric::FlowList::Flow& flow : flows)
    {
        flow.ofPair = counts[{flow.src, flow.dst}]++;
    }
    fabric::FlowList list;
    list.flows = std::move(flows);
    return list;
}

fabric::FlowList
FabricPatternTraffic::ListOnce()
{
    ReadFlow();
    std::vector<fabric::FlowList::Flow> flows;
    for (uint32_t host = 0; host < m_hosts; ++host)
    {
        if (m_pattern.name != "all-to-all")
        {
            flows.push_back(FlowTo(host, Receiver(host), 0));
            continue;
        }
        for (uint32_t i = 1; i < m_hosts; ++i)
        {
            flows.push_back(FlowTo(host, (host + i) % m_hosts, 0));
        }
    }
    return Numbered(std::move(flows));
}

fabric::FlowList
FabricPatternTraffic::ListEvery(Time interval, Time until)
{
    const double expected = std::min(static_cast<double>(until.GetPicoSeconds()) /
                                         static_cast<double>(interval.GetPicoSeconds()) * m_hosts,
                                     1e18);
    if (expected > MOST_LISTED)
    {
        throw std::invalid_argument("--load: " + fabric::NumberText(std::llround(expected)) +
                                    " messages would be sent in --warmUp and --duration; allowed "
                                    "are at most " +
                                    fabric::NumberText(std::llround(MOST_LISTED)));
    }
    ReadFlow();
    m_gaps->SetAttribute("Mean", DoubleValue(interval.GetSeconds()));
    // In the order in which SendNext() would draw.
    using Next = std::tuple<int64_t, uint64_t, uint32_t>; // time, number, host
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    uint64_t number = 0;
    for (uint32_t host = 0; host < m_hosts; ++host)
    {
        next.emplace(DrawGap(), number++, host);
    }
    std::vector<fabric::FlowList::Flow> flows;
    while (std::get<0>(next.top()) < until.GetPicoSeconds())
    {
        const auto [now, turn, host] = next.top();
        next.pop();
        flows.push_back(FlowTo(host, Receiver(host), now));
        next.emplace(now + DrawGap(), number++, host);
    }
    if (flows.empty())
    {
        throw std::invalid_argument("--load: no message begins in --warmUp and --duration; allowed "
                                    "are times in which some do");
    }
    return Numbered(std::move(flows));
}

int64_t
FabricPatternTraffic::DrawGap()
{
    return fabric::WholeGap(std::floor(m_gaps->GetValue() * 1e12));
}

void
FabricPatternTraffic::SendEvery(Time interval)
{
    m_gaps->SetAttribute("Mean", DoubleValue(interval.GetSeconds()));
    ReadFlow();
    for (uint32_t host = 0; host < m_hosts; ++host)
    {
        PlanNext(host);
    }
}

void
FabricPatternTraffic::PlanNext(uint32_t host)
{
    Simulator::Schedule(PicoSeconds(DrawGap()), [this, host] { SendNext(host); });
}

void
FabricPatternTraffic::SendNext(uint32_t host)
{
    fabric::MessageFlow flow = m_flow;
    flow.dst = fabric::LocationOf(Receiver(host));
    const Ptr<FabricNetDevice> device = m_fabric.GetDevice(host);
    if (!device->IsElsewhere()) // all ranks draw all random numbers, so that they are the same
    {
        device->SendMessage(flow, m_pattern.bytes);
    }
    PlanNext(host);
}

} // namespace ns3
