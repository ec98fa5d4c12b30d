/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RESTRAINT_SOURCE_H
#define FABRIC_RESTRAINT_SOURCE_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What knows which connections the fabric holds back, so that their packets wait for its word and
/// not for an acknowledgement (CM-4).
class RestraintSource
{
  public:
    virtual ~RestraintSource() = default;

    /**
     * @param place of a connection, from which packets were sent
     * @return until when the fabric holds back what it sends, ps; not after now if it does not
     */
    virtual TimePs RestrainedUntil(uint32_t place, TimePs now) const = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_RESTRAINT_SOURCE_H
