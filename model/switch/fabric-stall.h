/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_STALL_H
#define FABRIC_STALL_H

#include "fabric-switch-waits.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A switch that waits for another: a step of a chain of them.
struct StallStep
{
    uint32_t number; ///< Of the switch that waits.
    uint32_t port;   ///< Port by which its frames are to leave.
    uint32_t next;   ///< Number of the switch there.
    WaitCause cause; ///< What they wait for.
};

/// Why nothing moves in a fabric though something has not arrived.
struct Stall
{
    uint64_t bytes{0};                ///< Payload that has not arrived.
    std::vector<StallStep> cycle;     ///< Who waits for whom; none if it is no deadlock.
    std::vector<std::string> reasons; ///< What else holds frames up, in words.

    /// @return whether switches wait for each other in a cycle, and so for ever
    bool IsDeadlock() const
    {
        return !cycle.empty();
    }

    /// @return one sentence for people
    std::string Describe() const;
};

/**
 * Which input buffers of a fabric wait for which others.
 *
 * A buffer waits for another if it holds a frame that can't leave before one leaves the other. When
 * nothing moves any more, no frame in a cycle of these ever will (Dally and Towles, Principles
 * and Practices of Interconnection Networks, 2004, chapter 14).
 */
class WaitForGraph
{
  public:
    /// The input buffer of a port: number of its switch, then the port.
    using Buffer = std::pair<uint32_t, uint32_t>;

    /**
     * @param from waits
     * @param port by which its frames are to leave
     * @param to is waited for
     */
    void Add(const Buffer& from, uint32_t port, WaitCause cause, const Buffer& to);

    /// @return a cycle, short ones first among those of one buffer; empty if there is none
    std::vector<StallStep> FindCycle() const;

  private:
    /// What a buffer waits for.
    struct Wait
    {
        uint32_t port;   ///< By which frames are to leave.
        WaitCause cause; ///< Why they do not.
        Buffer to;       ///< Is waited for.
    };

    /// @return a buffer on a cycle; nothing if there is none
    std::optional<Buffer> FindOnCycle() const;
    /// @return the shortest cycle through a buffer, which is on one
    std::vector<StallStep> ShortestThrough(const Buffer& start) const;
    /// @return what a buffer waits for
    const std::vector<Wait>& WaitsOf(const Buffer& buffer) const;

    std::map<Buffer, std::vector<Wait>> m_waits; ///< By who waits.
};

} // namespace ns3::fabric

#endif // FABRIC_STALL_H
