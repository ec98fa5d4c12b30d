/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"

#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// @param what the sentence after the topology's name
[[noreturn]] void
RefuseChain(const std::string& what)
{
    throw std::invalid_argument("chain: " + what);
}

/// @param sources what the user chose; refused if no chain can be made of it
void
CheckSources(const ChainSources& sources)
{
    if (sources.empty())
    {
        RefuseChain("there are no switches; give the hosts of each switch, as 3,3,3,2");
    }
    if (sources.front() == 0)
    {
        RefuseChain("the first switch has no host that sends; it needs at least 1");
    }
    uint64_t hosts = 1;
    for (const uint32_t count : sources)
    {
        hosts += count;
    }
    if (hosts > MAX_HOSTS)
    {
        RefuseChain(std::to_string(hosts) +
                    " hosts, the destination included, are more than there are " +
                    "unicast locations; at most " + std::to_string(MAX_HOSTS) + " are allowed");
    }
}

} // namespace

ChainSources
ParseChainSources(const std::string& text)
{
    ChainSources sources;
    std::istringstream in(text + ',');
    for (std::string number; std::getline(in, number, ',');)
    {
        // Nine digits fit into 32 bits.
        if (number.empty() || number.size() > 9 ||
            number.find_first_not_of("0123456789") != std::string::npos)
        {
            RefuseChain("sources '" + text +
                        "' are not hosts per switch; write whole numbers and commas, as 3,3,3,2");
        }
        sources.push_back(static_cast<uint32_t>(std::stoul(number)));
    }
    return sources;
}

TopologyPlan
MakeChainPlan(const ChainSources& sources)
{
    CheckSources(sources);
    TopologyPlan plan;
    const auto last = static_cast<uint32_t>(sources.size() - 1);
    for (uint32_t sw = 0; sw <= last; ++sw)
    {
        const uint32_t hosts = sources[sw] + (sw == last ? 1 : 0);
        for (uint32_t port = 0; port < hosts; ++port)
        {
            plan.hosts.push_back({sw, static_cast<uint16_t>(port)});
        }
        auto ports = static_cast<uint16_t>(hosts);
        if (sw > 0)
        {
            // The link to the one after it is the last port of the switch before.
            const auto before = static_cast<uint16_t>(plan.switches[sw - 1].ports - 1);
            plan.links.push_back({sw - 1, sw, before, ports++, LinkClass::FABRIC});
        }
        ports += sw < last ? 1 : 0;
        plan.switches.push_back({NO_GROUP, ports, Tier::EDGE});
    }
    return plan;
}

} // namespace ns3::fabric
