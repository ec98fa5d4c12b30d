/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-routing-function.h"

#include <algorithm>

namespace ns3::fabric
{

void
RoutingFunction::SetRoutes(Routing routes)
{
    m_routes = std::move(routes);
    NoteExceptions();
}

void
RoutingFunction::SetDown(uint32_t port, bool isDown)
{
    m_isDown.resize(std::max<std::size_t>(m_isDown.size(), port + 1));
    m_isDown[port] = isDown;
    NoteExceptions();
}

void
RoutingFunction::SetRates(const std::vector<uint64_t>& rates)
{
    uint64_t known = 0;
    bool differ = false;
    for (const uint64_t rate : rates)
    {
        differ = differ || (rate != 0 && known != 0 && rate != known);
        known = rate != 0 ? rate : known;
    }
    m_rates = differ ? std::vector<double>(rates.begin(), rates.end()) : std::vector<double>();
    m_fastest = differ ? *std::max_element(m_rates.begin(), m_rates.end()) : 0;
    NoteExceptions();
}

void
RoutingFunction::SetPathLoads(const PathLoads* loads)
{
    m_pathLoads = loads;
    NoteExceptions();
}

void
RoutingFunction::SetRule(RoutingRule rule)
{
    m_rule = std::move(rule);
    NoteExceptions();
}

void
RoutingFunction::SetDeadEnds(std::shared_ptr<const DeadEnds> deadEnds)
{
    m_deadEnds = std::move(deadEnds);
    NoteExceptions();
}

void
RoutingFunction::NoteExceptions()
{
    m_hasExceptions =
        m_rule || m_deadEnds || std::find(m_isDown.begin(), m_isDown.end(), true) != m_isDown.end();
    m_goesAround = m_hasExceptions || m_routes.Paths() || m_pathLoads || !m_rates.empty();
}

bool
RoutingFunction::IsReachableAround(LocationId dst) const
{
    if (const PathRule* paths = m_routes.Paths())
    {
        return paths->Knows(dst) && (!m_hasExceptions || LeadsAnywhere(dst));
    }
    const PortRange range = m_routes.Route(dst);
    for (uint32_t i = 0; i < range.count; ++i)
    {
        if (LeadsTo(range.first + i, 0, dst))
        {
            return true;
        }
    }
    return false;
}

Hop
RoutingFunction::ChooseAround(uint32_t input, const Frame& frame, bool ordered, TimePs now)
{
    return m_routes.Paths() ? ChooseWay(input, frame, ordered, now)
                            : Hop{ChoosePort(frame, ordered), m_vcOfClass[frame.trafficClass]};
}

uint16_t
RoutingFunction::ChoosePort(const Frame& frame, bool ordered)
{
    const PortRange range = m_routes.Route(frame.dst);
    std::vector<uint16_t>& ports = m_left;
    ports.clear();
    for (uint32_t i = 0; i < range.count; ++i)
    {
        const uint32_t port = range.first + i;
        if (MayTake(frame, port))
        {
            ports.push_back(static_cast<uint16_t>(port));
        }
    }
    if (ports.size() <= 1)
    {
        return ports.empty() ? Hop::NO_OUTPUT : ports.front();
    }
    // As without failures, among the ports that are left.
    const auto count = static_cast<uint32_t>(ports.size());
    if (ordered)
    {
        return ports[HashOf(frame, count)];
    }
    const uint32_t start = m_pathLoads ? m_pathLoads->TurnOf(frame.dst) : m_random();
    std::rotate(ports.begin(), ports.begin() + start % count, ports.end());
    const auto load = [this, &frame](uint16_t port) {
        return std::pair(m_pathLoads ? m_pathLoads->LoadBy(port, frame.dst) : 0,
                         WaitBy(port, frame));
    };
    return *std::min_element(ports.begin(), ports.end(), [&load](uint16_t a, uint16_t b) {
        return load(a) < load(b);
    });
}

CameBy
RoutingFunction::CameByOf(uint32_t input, const Frame& frame) const
{
    return {static_cast<uint16_t>(input),
            static_cast<uint8_t>(frame.vc % m_routes.Paths()->VirtualChannels())};
}

Hop
RoutingFunction::HopBy(const Way& way, const Frame& frame) const
{
    return {way.port, static_cast<uint8_t>(FirstChannelOf(frame.trafficClass) + way.vc)};
}

bool
RoutingFunction::LeadsAnywhere(LocationId dst) const
{
    Frame frame{};
    frame.dst = dst;
    FindWays(m_routes.Paths()->HostPort(), frame);
    return !m_ways.empty();
}

void
RoutingFunction::FindWays(uint32_t input, const Frame& frame) const
{
    m_ways.clear();
    if (!m_routes.Paths()->Knows(frame.dst))
    {
        return;
    }
    m_routes.Paths()->FindWays(frame.dst, CameByOf(input, frame), m_ways);
    const auto mayNot = [&](const Way& way) { return !MayTake(frame, way.port, way.vc); };
    m_ways.erase(std::remove_if(m_ways.begin(), m_ways.end(), mayNot), m_ways.end());
    uint8_t rank = 0xFF;
    for (const Way& way : m_ways)
    {
        rank = std::min(rank, way.rank);
    }
    const auto isWorse = [rank](const Way& way) { return way.rank > rank; };
    m_ways.erase(std::remove_if(m_ways.begin(), m_ways.end(), isWorse), m_ways.end());
}

void
RoutingFunction::DrawWays(uint32_t input, const Frame& frame, std::minstd_rand& random) const
{
    if (m_hasExceptions)
    {
        FindWays(input, frame);
        return;
    }
    m_ways.clear();
    if (m_routes.Paths()->Knows(frame.dst))
    {
        m_routes.Paths()->DrawWays(frame.dst, CameByOf(input, frame), random, m_ways);
    }
}

uint64_t
RoutingFunction::CostOf(const Way& way, const Frame& frame, bool ordered, TimePs now) const
{
    // What is ahead is passed once by each link of the way, and so is the frame itself (Kim et al.,
    // ISCA 2008: queue times hops). Bytes of a slow link are as many more on the fastest one.
    // Frames whose way is fixed by their flow look at no load.
    uint64_t ahead = ordered ? 0 : m_loads.Ahead(way.port, HopBy(way, frame).vc, now);
    if (m_nextLoads && !ordered)
    {
        ahead += m_nextLoads->BytesBehind(frame.dst, way);
    }
    uint64_t cost = (ahead + WireBytes(frame.payload)) * std::max<uint64_t>(way.hops, 1);
    if (!m_rates.empty() && !ordered)
    {
        const double slower = m_fastest / m_rates[way.port];
        cost = static_cast<uint64_t>(static_cast<double>(cost) * slower);
    }
    return cost + (way.isDetour ? m_detourBias : 0);
}

Hop
RoutingFunction::ChooseWay(uint32_t input, const Frame& frame, bool ordered, TimePs now)
{
    std::minstd_rand ofFlow(ordered ? HashOf(frame, 0x7FFFFFFE) + 1 : 1);
    std::minstd_rand& random = ordered ? ofFlow : m_random;
    DrawWays(input, frame, random);
    if (m_ways.empty())
    {
        return NOWHERE;
    }
    // The one that costs least; among equals the first after a random one.
    const std::size_t start = m_ways.size() == 1 ? 0 : random() % m_ways.size();
    const Way* best = &m_ways[start];
    uint64_t least = m_ways.size() == 1 ? 0 : CostOf(*best, frame, ordered, now);
    for (std::size_t i = 1; i < m_ways.size(); ++i)
    {
        const Way& way = m_ways[(start + i) % m_ways.size()];
        if (const uint64_t cost = CostOf(way, frame, ordered, now); cost < least)
        {
            best = &way;
            least = cost;
        }
    }
    return HopBy(*best, frame);
}

} // namespace ns3::fabric
