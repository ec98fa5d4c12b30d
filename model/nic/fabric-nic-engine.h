/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_ENGINE_H
#define FABRIC_NIC_ENGINE_H

#include "fabric-frame.h"

#include <optional>

namespace ns3::fabric
{

/// A packet that an engine wants on the wire.
struct EnginePacket
{
    uint32_t queue;  ///< Number of the flow's queue, from Nic::OpenQueue().
    uint32_t bytes;  ///< Payload of its frame, at most the NIC's MTU.
    uint32_t handle; ///< Names it in the engine's table.
};

/**
 * What makes and takes packets inside a NIC, in the NIC's clock (DP-4): the reliable transport.
 *
 * The NIC asks it for one packet at a time, when the wire is free.
 */
class NicEngine
{
  public:
    virtual ~NicEngine() = default;

    /// @return when it has something to handle next, an arrival or a timer; NEVER for nothing, ps
    virtual TimePs NextTime() const = 0;

    /// @param at NextTime(): handles what is due then, timers before arrivals, ps
    virtual void Handle(TimePs at) = 0;

    /// @param now the wire is free, ps
    virtual std::optional<EnginePacket> NextPacket(TimePs now) = 0;

    /**
     * Packets of a queue wait, since the switch restrains its flow (CM-4): others should come
     * first. Those that the engine makes for it nevertheless wait there.
     *
     * @param queue number of the flow's queue
     */
    virtual void StopQueue(uint32_t queue) = 0;

    /// They wait no longer. @param queue that was stopped
    virtual void ResumeQueue(uint32_t queue) = 0;

    /**
     * The switch has put a frame on the link; it is to be handled at its time.
     *
     * @param frame of kind TRANSPORT; its time is the arrival of its tail, later than all that was
     *        handled
     */
    virtual void Arrive(const Frame& frame) = 0;

    /**
     * @param next NextTime(), not NEVER, ps
     * @return an application is told of nothing that happens before this, whatever the NIC sends
     * meanwhile; not NEVER, ps
     */
    virtual TimePs NextReport(TimePs next) const = 0;

    static constexpr uint32_t FETCH_STEPS = 3; ///< Of Fetch().

    /**
     * Fetches memory that the next window needs; each step reads what the one before has fetched.
     *
     * @param step which part of it, less than FETCH_STEPS
     */
    virtual void Fetch(uint32_t step) const
    {
        (void)step;
    }

    /// An effect of what the engine handles at t shows outside the NIC, other than as a frame, no
    /// earlier than this after t: the call of an application.
    virtual TimePs ReportDelay() const = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_ENGINE_H
