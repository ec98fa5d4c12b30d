/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NEXT_LOADS_H
#define FABRIC_NEXT_LOADS_H

#include "fabric-path-rule.h"

#include <cstdint>

namespace ns3::fabric
{

/// What is known of links that neighbours choose next (FC-12).
class NextLoads
{
  public:
    virtual ~NextLoads() = default;

    /**
     * @param dst a destination, which is known
     * @param way one of those that lead there
     * @return bytes that wait for the link by which the neighbour behind the way goes on, or are on
     * it, as it has told, and those that are expected further on; 0 where nothing is known
     */
    virtual uint64_t BytesBehind(LocationId dst, const Way& way) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_NEXT_LOADS_H
