/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WAITING_SOURCES_H
#define FABRIC_WAITING_SOURCES_H

#include "fabric-types.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * The sources of which frames wait for the link to a host.
 *
 * Frames of one flow that went by several ways wait in as many queues, so queues with frames would
 * count such a flow several times, and its limit would be too low by that (CM-6). What the header
 * says of a flow is who sends, so flows of one source count as one. Four bytes for each source up
 * to the highest one that has sent.
 */
class WaitingSources
{
  public:
    /// A frame begins to wait. @return whether it is the only one of its source
    bool Begin(LocationId source)
    {
        if (source >= m_frames.size())
        {
            Grow(source);
        }
        return m_frames[source]++ == 0;
    }

    /// A frame waits no longer. @return whether it was the last one of its source
    bool End(LocationId source)
    {
        return --m_frames[source] == 0;
    }

  private:
    /// A source has not been seen before. Out of line, as it is rare.
    [[gnu::noinline]] void Grow(LocationId source)
    {
        m_frames.resize(source + 1, 0);
    }

    std::vector<uint32_t> m_frames; ///< That wait, by source.
};

} // namespace ns3::fabric

#endif // FABRIC_WAITING_SOURCES_H
