/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shape-check.h"

#include "fabric-topology.h"

#include <stdexcept>

namespace ns3::fabric
{

void
ShapeCheck::Refuse(const std::string& what) const
{
    throw std::invalid_argument(std::string(m_topology) + ": " + what);
}

void
ShapeCheck::RequireRange(const char* what, uint32_t number, uint32_t least, uint32_t most) const
{
    if (number < least || number > most)
    {
        Refuse(std::to_string(number) + " " + what + " are not possible; allowed are " +
               std::to_string(least) + " to " + std::to_string(most));
    }
}

void
ShapeCheck::RequirePorts(uint64_t ports) const
{
    if (ports > MAX_PORTS)
    {
        Refuse("switches of " + std::to_string(ports) +
               " ports are not possible; allowed are at most " + std::to_string(MAX_PORTS));
    }
}

void
ShapeCheck::RequireHosts(uint64_t hosts) const
{
    if (hosts > MAX_HOSTS)
    {
        Refuse(std::to_string(hosts) +
               " hosts are more than there are unicast "
               "locations; at most " +
               std::to_string(MAX_HOSTS) + " are allowed");
    }
}

} // namespace ns3::fabric
