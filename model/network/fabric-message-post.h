/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_POST_H
#define FABRIC_MESSAGE_POST_H

#include "fabric-frame.h"

namespace ns3::fabric
{

/// Tells other ranks what became of native messages.
class MessagePost
{
  public:
    virtual ~MessagePost() = default;

    /// @return whether another rank runs a host
    virtual bool IsElsewhere(LocationId location) const = 0;

    /// A frame of a message to a host elsewhere is lost; its rank is told.
    virtual void Lose(const Frame& frame) = 0;

    /// A message to local hosts is over. @param handle of it @return whether it is freed now; if
    /// not, the post does it
    virtual bool EndMessage(uint32_t handle) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_MESSAGE_POST_H
