/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FETCH_STEP_H
#define FABRIC_FETCH_STEP_H

#include <cstdint>

namespace ns3::fabric
{

/// Steps in which what a switch needs is fetched; each reads what the one before has fetched.
enum class FetchStep : uint32_t
{
    PORTS,      ///< Ports and agenda.
    LINKS,      ///< What is on the links, and the hosts.
    NEIGHBOURS, ///< Where neighbours are written to, and flows.
    ENGINES,    ///< The engines of the hosts' NICs.
};

} // namespace ns3::fabric

#endif // FABRIC_FETCH_STEP_H
