/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_ENGINE_H
#define FABRIC_NIC_ENGINE_H

#include "fabric-frame.h"

#include <optional>

namespace ns3::fabric
{

/// Kinds of frames: a bit mask.
using FrameKinds = uint8_t;

/// @return the mask with one kind
constexpr FrameKinds
KindBit(FrameKind kind)
{
    return static_cast<FrameKinds>(1 << static_cast<uint32_t>(kind));
}

/// A packet that an engine wants on the wire.
struct EnginePacket
{
    uint32_t queue;                       ///< Number of the flow's queue, from Nic::OpenQueue().
    uint32_t bytes;                       ///< Payload of its frame, at most the NIC's MTU.
    uint32_t handle;                      ///< Names it in the engine's table, or a message.
    FrameKind kind{FrameKind::TRANSPORT}; ///< Of its frame.
};

/**
 * What makes and takes packets inside a NIC, in the NIC's clock (DP-4): the reliable transport,
 * programmed I/O, command queues, reductions.
 *
 * The NIC asks it for one packet at a time, when the wire is free; or for all that it has, if it
 * offers them (OffersAll()), so that none waits behind one whose lane is blocked.
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

    /// @return whether the NIC takes all its packets at once, and tells of each that goes
    virtual bool OffersAll() const
    {
        return false;
    }

    /// @return whether NextPacket() gives one; asked only of an engine that offers all
    virtual bool HasPacket() const
    {
        return true;
    }

    /**
     * The first packet of a queue goes; told only to an engine that offers all.
     *
     * @param queue number of the flow's queue
     * @param end when its last byte has left; where frames may be interrupted (VA-9), when its
     * first byte leaves, ps
     */
    virtual void PacketGoes([[maybe_unused]] uint32_t queue,
                            [[maybe_unused]] TimePs now,
                            [[maybe_unused]] TimePs end)
    {
    }

    /**
     * Packets of a queue wait, since the switch restrains its flow (CM-4): others should come
     * first. Those that the engine makes for it nevertheless wait there, and those that are made
     * already.
     *
     * @param queue number of the flow's queue
     */
    virtual void StopQueue([[maybe_unused]] uint32_t queue)
    {
    }

    /// They wait no longer. @param queue that was stopped
    virtual void ResumeQueue([[maybe_unused]] uint32_t queue)
    {
    }

    /// @return kinds of the frames that are for it
    virtual FrameKinds Takes() const
    {
        return KindBit(FrameKind::TRANSPORT);
    }

    /**
     * The switch has put a frame on the link; it is to be handled at its time.
     *
     * @param frame of a kind that it takes; its time is the arrival of its tail, later than all
     * that was handled
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
