/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/**
 * @param what the sentence after the topology's name
 */
[[noreturn]] void
RefuseTree(const std::string& what)
{
    throw std::invalid_argument("fat tree: " + what);
}

/**
 * @param n a number, at least 1
 * @param d what to divide it by
 * @return n / d, rounded up
 */
uint32_t
DivideUp(uint32_t n, uint32_t d)
{
    return (n - 1) / d + 1;
}

/**
 * @param n a number, at least 1
 * @param limit at least 1
 * @return the largest divisor of n that is at most `limit`
 */
uint32_t
LargestDivisor(uint32_t n, uint32_t limit)
{
    auto divisor = std::min(n, limit);
    while (n % divisor != 0)
    {
        --divisor;
    }
    return divisor;
}

/**
 * @param text all digits, at most nine
 * @return the number, 0 if the text is anything else
 */
uint32_t
ParseCount(const std::string& text)
{
    const auto digits = text.find_first_not_of("0123456789") == std::string::npos;
    return digits && !text.empty() && text.size() <= 9 ? static_cast<uint32_t>(std::stoul(text))
                                                       : 0;
}

/**
 * Refuses what is out of range before anything is computed from it.
 * @param config what the user chose
 */
void
CheckRanges(const FatTreeConfig& config)
{
    const auto& ratio = config.oversubscription;
    if (config.levels != 2 && config.levels != 3)
    {
        RefuseTree(std::to_string(config.levels) +
                   " levels are not supported; allowed are 2 and 3");
    }
    if (config.radix < 2 || config.radix > MAX_RADIX)
    {
        RefuseTree("a radix of " + std::to_string(config.radix) +
                   " ports per switch is not possible; allowed are 2 to " +
                   std::to_string(MAX_RADIX));
    }
    if (ratio.down == 0 || ratio.up == 0)
    {
        RefuseTree("oversubscription " + std::to_string(ratio.down) + ":" +
                   std::to_string(ratio.up) + " has a zero; both parts must be at least 1");
    }
}

} // namespace

DownUpRatio
DownUpRatio::Parse(const std::string& text)
{
    const auto colon = text.find(':');
    const DownUpRatio ratio{ParseCount(text.substr(0, colon)),
                            colon == std::string::npos ? 1 : ParseCount(text.substr(colon + 1))};
    if (ratio.down == 0 || ratio.up == 0)
    {
        RefuseTree(
            "oversubscription '" + text +
            "' is not a ratio; write down:up or down, with whole numbers from 1, as 3:1 or 3");
    }
    return ratio;
}

FatTreeShape
FatTreeShape::Of(const FatTreeConfig& config)
{
    CheckRanges(config);
    const auto k = config.radix;
    const auto divisor = std::gcd(config.oversubscription.down, config.oversubscription.up);
    const auto down = config.oversubscription.down / divisor;
    const auto up = config.oversubscription.up / divisor;
    if (uint64_t{down} + up > k)
    {
        RefuseTree("oversubscription " + std::to_string(down) + ":" + std::to_string(up) +
                   " leaves no up or no down port on an edge switch of " + std::to_string(k) +
                   " ports; in lowest terms the two parts together may be at most " +
                   std::to_string(k));
    }

    FatTreeShape shape{};
    shape.levels = config.levels;
    shape.radix = k;
    shape.hostsPerEdge = down * (k / (down + up));
    shape.edgeUpPorts = up * (k / (down + up));
    const auto half = k / 2;
    const auto threeLevels = config.levels == 3;
    const auto maxEdgesPerPod = threeLevels ? half : k;
    const auto maxPods = threeLevels ? k : 1;
    const auto maxHosts = uint64_t{maxPods} * maxEdgesPerPod * shape.hostsPerEdge;
    if (config.hosts > maxHosts)
    {
        RefuseTree(std::to_string(config.hosts) + " hosts do not fit; " +
                   std::to_string(config.levels) + " levels of " + std::to_string(k) +
                   "-port switches at " + std::to_string(down) + ":" + std::to_string(up) +
                   " take at most " + std::to_string(maxHosts));
    }
    const auto hosts = config.hosts == 0 ? maxHosts : config.hosts;
    if (hosts > MAX_HOSTS)
    {
        RefuseTree(std::to_string(hosts) + " hosts are more than there are unicast locations; " +
                   "at most " + std::to_string(MAX_HOSTS) + " are allowed");
    }

    shape.hosts = static_cast<uint32_t>(hosts);
    shape.edges = DivideUp(shape.hosts, shape.hostsPerEdge);
    shape.pods = DivideUp(shape.edges, maxEdgesPerPod);
    shape.edgesPerPod = std::min(shape.edges, maxEdgesPerPod);
    shape.edgeLinks = LargestDivisor(shape.edgeUpPorts, maxEdgesPerPod / shape.edgesPerPod);
    shape.secondPerPod = shape.edgeUpPorts / shape.edgeLinks;
    if (threeLevels)
    {
        shape.secondUpPorts = half;
        shape.coreLinks = LargestDivisor(half, k / shape.pods);
        shape.coresPerPlane = half / shape.coreLinks;
    }
    return shape;
}

FatTree::FatTree(const FatTreeConfig& config)
    : m_shape(FatTreeShape::Of(config))
{
    m_plan.switches.reserve(m_shape.GetSwitches());
    m_plan.links.reserve(m_shape.GetLinks());
    m_plan.hosts.reserve(m_shape.hosts);
    m_routing.reserve(m_shape.GetSwitches());
    AddEdges();
    AddSecondTier();
    AddThirdTier();
}

void
FatTree::AddEdges()
{
    for (uint32_t edge = 0; edge < m_shape.edges; ++edge)
    {
        const auto first = edge * m_shape.hostsPerEdge;
        IntervalRoutingConfig rule;
        rule.firstHost = LocationOf(first);
        rule.hostCount = CountHosts(first, m_shape.hostsPerEdge);
        rule.firstUpPort = static_cast<uint16_t>(m_shape.hostsPerEdge);
        rule.upPorts = static_cast<uint16_t>(m_shape.edgeUpPorts);
        // With two levels no edge switch is nearer to one than to another: each is its own pod.
        AddSwitch(Tier::EDGE, m_shape.levels == 3 ? edge / m_shape.edgesPerPod : edge, rule);
        for (uint16_t port = 0; port < rule.hostCount; ++port)
        {
            m_plan.hosts.push_back({edge, port});
        }
    }
}

void
FatTree::AddSecondTier()
{
    const auto threeLevels = m_shape.levels == 3;
    const auto hostsPerPod = m_shape.edgesPerPod * m_shape.hostsPerEdge;
    for (uint32_t pod = 0; pod < m_shape.pods; ++pod)
    {
        IntervalRoutingConfig rule;
        rule.firstHost = LocationOf(pod * hostsPerPod);
        rule.hostCount = CountHosts(pod * hostsPerPod, hostsPerPod);
        rule.hostsPerDownGroup = static_cast<uint16_t>(m_shape.hostsPerEdge);
        rule.linksPerDownGroup = static_cast<uint16_t>(m_shape.edgeLinks);
        rule.firstUpPort = static_cast<uint16_t>(m_shape.radix / 2);
        rule.upPorts = static_cast<uint16_t>(m_shape.secondUpPorts);
        const auto firstEdge = pod * m_shape.edgesPerPod;
        const auto edges = std::min(m_shape.edgesPerPod, m_shape.edges - firstEdge);
        for (uint32_t index = 0; index < m_shape.secondPerPod; ++index)
        {
            const auto second = static_cast<uint32_t>(m_plan.switches.size());
            AddSwitch(threeLevels ? Tier::AGGREGATION : Tier::CORE,
                      threeLevels ? pod : NO_GROUP,
                      rule);
            for (uint32_t edge = 0; edge < edges; ++edge)
            {
                AddLinks(firstEdge + edge,
                         m_shape.hostsPerEdge + index * m_shape.edgeLinks,
                         second,
                         edge * m_shape.edgeLinks,
                         m_shape.edgeLinks);
            }
        }
    }
}

void
FatTree::AddThirdTier()
{
    IntervalRoutingConfig rule;
    rule.hostCount = static_cast<uint16_t>(m_shape.hosts);
    rule.hostsPerDownGroup = static_cast<uint16_t>(m_shape.edgesPerPod * m_shape.hostsPerEdge);
    rule.linksPerDownGroup = static_cast<uint16_t>(m_shape.coreLinks);
    for (uint32_t plane = 0; plane < m_shape.secondPerPod; ++plane)
    {
        for (uint32_t index = 0; index < m_shape.coresPerPlane; ++index)
        {
            const auto core = static_cast<uint32_t>(m_plan.switches.size());
            AddSwitch(Tier::CORE, NO_GROUP, rule);
            for (uint32_t pod = 0; pod < m_shape.pods; ++pod)
            {
                AddLinks(m_shape.edges + pod * m_shape.secondPerPod + plane,
                         m_shape.radix / 2 + index * m_shape.coreLinks,
                         core,
                         pod * m_shape.coreLinks,
                         m_shape.coreLinks);
            }
        }
    }
}

void
FatTree::AddSwitch(Tier tier, uint32_t group, IntervalRoutingConfig rule)
{
    rule.fabricHosts = static_cast<uint16_t>(m_shape.hosts);
    m_plan.switches.push_back({group, static_cast<uint16_t>(m_shape.radix), tier});
    m_routing.emplace_back(rule);
}

void
FatTree::AddLinks(uint32_t lower,
                  uint32_t lowerPort,
                  uint32_t upper,
                  uint32_t upperPort,
                  uint32_t count)
{
    for (uint32_t link = 0; link < count; ++link)
    {
        m_plan.links.push_back({lower,
                                upper,
                                static_cast<uint16_t>(lowerPort + link),
                                static_cast<uint16_t>(upperPort + link),
                                LinkClass::FABRIC});
    }
}

uint16_t
FatTree::CountHosts(uint32_t first, uint32_t count) const
{
    return static_cast<uint16_t>(std::min(count, m_shape.hosts - first));
}

} // namespace ns3::fabric
