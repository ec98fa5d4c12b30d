/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EMPTY_PATH_H
#define FABRIC_EMPTY_PATH_H

#include "fabric-link-rate.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// When the receiver of a link may begin to send a frame on.
enum class Handover : uint8_t
{
    HEAD,  ///< When its head is in: cut-through.
    PACED, ///< So that the next link never waits for a flit of it: cut-through to a faster link.
    TAIL,  ///< When its tail is in: store and forward, or a host.
};

/// A link of a path.
struct PathLink
{
    LinkRate rate;                     ///< Of the link.
    TimePs delay{0};                   ///< Propagation, and the latency of the receiver, ps.
    Handover handover{Handover::TAIL}; ///< At the receiver.
    uint32_t flitBytes{0};             ///< Of the next link, for Handover::PACED.
};

/**
 * When messages arrive that have a path to themselves, to the picosecond.
 *
 * Each link sends the frames in their order, one at a time, as soon as it has them:
 *
 *   start(link, frame) = max(start(link - 1, frame) + lead(link - 1),
 *                            start(link, frame - 1) + time(link))
 *
 * where lead() is the time from the start of a frame at a link to the earliest at the next one. In
 * that recursion n frames of the same size need no loop: a chain of causes that comes into link r
 * and leaves link s passes each of the links between once and n - 1 times the slowest of them. So a
 * message takes the same work whatever its size.
 *
 * What limits a path besides is not in it: credits, hop credits, pauses, repeats of damaged frames,
 * limits of virtual lanes, a host that receives slowly.
 */
class EmptyPath
{
  public:
    /**
     * @param links from the source's to the destination's; the last one ends with the tail
     * @param payload of a full frame, bytes
     * @throws std::invalid_argument for no links or a payload of 0
     */
    EmptyPath(std::vector<PathLink> links, uint32_t payload);

    /// @return the links
    const std::vector<PathLink>& Links() const
    {
        return m_links;
    }

    /// @return payload of a full frame, bytes
    uint32_t Payload() const
    {
        return m_payload;
    }

    /**
     * Sends a message after those that were sent before.
     *
     * @param at when it is handed over, not negative, not before the message before it, ps
     * @param bytes its size; an empty one takes one frame
     * @return when its last byte arrives, ps
     */
    TimePs Send(TimePs at, uint64_t bytes)
    {
        return Send(m_free, at, bytes);
    }

    /**
     * @param bytes of a message, whatever was sent before
     * @return how long it takes alone, ps
     */
    TimePs CompletionTime(uint64_t bytes) const
    {
        std::vector<TimePs> free(m_links.size());
        return Send(free, 0, bytes);
    }

  private:
    /// @param free when each link is free; changes
    TimePs Send(std::vector<TimePs>& free, TimePs at, uint64_t bytes) const;

    /**
     * Sends frames that are handed over at a time.
     *
     * @param free when each link is free; changes
     * @param payload of each, bytes
     * @param frames how many, at least 1
     */
    void SendFrames(std::vector<TimePs>& free, TimePs at, uint32_t payload, uint64_t frames) const;

    /// @return from the start of a frame at a link to its earliest start at the next one, ps
    TimePs Lead(std::size_t link, uint32_t bytes) const;

    std::vector<PathLink> m_links; ///< Of the path.
    uint32_t m_payload;            ///< Of a full frame, bytes.
    std::vector<TimePs> m_free;    ///< When each link is free, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_EMPTY_PATH_H
