/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INPUT_BUFFERS_H
#define FABRIC_INPUT_BUFFERS_H

#include "fabric-buffer-settings.h"
#include "fabric-credit-frames.h"
#include "fabric-pause-control.h"
#include "fabric-shared-rooms.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-counts.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// IBUF, the input buffers of a switch: who holds how much room, when it goes back to the sender,
/// and what leaves the switch for nowhere.
class InputBuffers
{
  public:
    /**
     * @param pauses what senders without credits are told of their buffers
     * @param credits that go back in frames
     * @param memory that ports share; null if each input has a buffer of its own
     * @param observer sees what happens; null for nobody
     */
    InputBuffers(const SwitchPorts& ports,
                 const SwitchClock& clock,
                 PauseControl& pauses,
                 CreditFrames& credits,
                 const BufferSettings& settings,
                 SharedMemory* memory,
                 SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_settings(settings),
          m_pauses(pauses),
          m_credits(credits),
          m_memory(memory),
          m_observer(observer),
          m_lossyBytes(settings.lossyClasses != 0 ? ports.count : 0)
    {
    }

    /// @param handler is given each frame that is dropped; it owns what the frame carries
    void SetDropHandler(std::function<void(const Frame&)> handler)
    {
        m_dropHandler = std::move(handler);
    }

    /// @return what was dropped and is held
    const SwitchCounts& Counts() const
    {
        return m_counts;
    }

    /// @return size of each buffer, bytes
    uint32_t TotalBytes() const
    {
        return m_settings.shares.totalBytes;
    }

    /// @return whether it came by a lossy virtual channel @param frame that is held here
    bool IsLossy(const Frame& frame) const
    {
        return m_settings.shares.IsLossy(frame.vc);
    }

    /// @return whether frames of a virtual channel are lossy
    bool IsLossyOn(uint32_t vc) const
    {
        return m_settings.shares.IsLossy(vc);
    }

    /// @return what ports share; null if each input has a buffer of its own
    const SharedMemory* Memory() const
    {
        return m_memory;
    }

    /// @return whether frames of lossy classes share a memory
    bool SharesLossyRoom() const
    {
        return m_memory && m_settings.lossyClasses != 0;
    }

    /**
     * @param frame that is held, where lossy classes share a memory
     * @param waiting bytes that wait for its output on its virtual channel
     * @return whether it may wait there, too
     */
    bool MayWait(const Frame& frame, uint32_t waiting, TimePs now) const
    {
        return !IsLossy(frame) || waiting < m_memory->LossyLimit(now);
    }

    /// @return bytes of lossy classes: in the buffer, or partly sent
    uint32_t LossyBytes(uint32_t port) const
    {
        return m_lossyBytes.empty()
                   ? 0
                   : std::accumulate(m_lossyBytes[port].begin(), m_lossyBytes[port].end(), 0U);
    }

    /// @return whether its header may go on without it @param frame of a lossy class without room
    bool MayTrim(const Frame& frame) const
    {
        const TrimSettings& trim = m_settings.trim;
        return trim.Trims(frame.trafficClass) && frame.kind == FrameKind::TRANSPORT &&
               frame.payload > trim.keptBytes;
    }

    /**
     * Cuts off the payload of a frame that has found no room.
     *
     * @param port where it has come in
     * @param frame that may be trimmed
     * @return what is left of it and is in the buffer; nothing if all of it was dropped, since
     * there is no room even for that
     */
    std::optional<Frame> Trim(uint32_t port, const Frame& frame, TimePs now);

    /**
     * A frame that is held leaves as copies, which share its room.
     *
     * @param frame to a group
     * @param copies at least one
     * @param whole copies that have its payload, at least one; others have none
     * @return what each copy has as its `dataFlow` while it is here
     */
    uint32_t Share(const Frame& frame, uint32_t copies, uint32_t whole)
    {
        m_counts.copiedFrames += copies - 1;
        m_counts.copiedPayload += uint64_t{whole - 1} * frame.payload;
        return m_shared.Share(copies, WireBytes(frame.payload));
    }

    /// A frame that is held has been combined with others (SW-14). @param port where it has come in
    void Combine(uint32_t port, const Frame& frame, TimePs now);

    /// @return rooms that copies of frames share now
    const SharedRooms& Shared() const
    {
        return m_shared;
    }

    /// @param units of 256 bytes of which an edge port was told that they are lost
    void CountReportedLoss(uint32_t units)
    {
        m_counts.reportedLossUnits += units;
    }

    /// @param acks were on a link that failed
    void CountLostAcks(uint32_t acks)
    {
        m_counts.lostAcks += acks;
    }

    /// @return room left in its buffer for frames of a class; where their sender is paused, that
    /// below XOFF, bytes
    uint32_t FreeBytes(const InputPort& input, uint32_t trafficClass, TimePs now) const
    {
        if (input.Is(InputPort::PAUSES_SENDER))
        {
            return BytesBelowXoff(input, trafficClass, now);
        }
        return m_settings.shares.totalBytes - input.heldBytes;
    }

    /**
     * Counts a frame into a buffer.
     *
     * @param port where it has come in
     * @param frame that has come
     * @return whether it is in; a frame of a lossy class may find no room
     */
    [[gnu::always_inline]] bool Hold(uint32_t port, const Frame& frame, TimePs now)
    {
        InputPort& input = m_ports.inputs[port];
        if (input.Is(InputPort::PAUSES_SENDER | InputPort::HAS_LOSSY) && !Admit(port, frame, now))
        {
            return false;
        }
        CountIn(input, WireBytes(frame.payload));
        return true;
    }

    /**
     * Counts a frame out of a buffer. Its room is still its own, until ReturnRoom().
     *
     * @param input where it came in
     * @param frame that leaves
     */
    void CountOut(InputPort& input, const Frame& frame)
    {
        input.heldBytes -= WireBytes(frame.payload);
        m_counts.heldBytes -= WireBytes(frame.payload);
    }

    /**
     * Gives the room of a frame that was counted out back to its sender.
     *
     * @param input where it came in
     * @param frame that leaves
     * @param vc virtual channel by which it came
     * @param end when its tail leaves, ps
     */
    void ReturnRoom(InputPort& input, const Frame& frame, uint32_t vc, TimePs end)
    {
        if (input.Is(InputPort::PAUSES_SENDER | InputPort::TELLS_CREDITS | InputPort::HAS_LOSSY |
                     InputPort::HAS_GROUPS))
        {
            TellOfRoom(input, frame, vc, end);
        }
        else
        {
            input.credits.Return(vc, WireBytes(frame.payload), end, m_clock.WindowStart());
        }
    }

    /**
     * @param port where it came in
     * @param frame that leaves for nowhere
     * @param cause why
     */
    void Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now);

    /**
     * Counts a frame as dropped that was on its way to its output. Its room is its own until it is
     * counted out.
     *
     * @param port where it came in
     * @param frame that leaves for nowhere
     * @param cause why
     */
    void LoseGranted(uint32_t port, const Frame& frame, DropCause cause, TimePs now);

    /**
     * Counts a frame as dropped that never came into the buffer, and gives the room that was
     * reserved for it back.
     *
     * @param port to which it was sent
     * @param frame that is lost
     * @param cause why
     */
    void Lose(uint32_t port, const Frame& frame, DropCause cause, TimePs now);

  private:
    /// Bytes of lossy classes of an input, by virtual channel.
    using BytesOfChannels = std::array<uint32_t, VIRTUAL_CHANNELS>;

    /// @return as FreeBytes(), where the sender is paused; out of line, as most give credits
    [[gnu::noinline, gnu::cold]] static uint32_t BytesBelowXoff(const InputPort& input,
                                                                uint32_t trafficClass,
                                                                TimePs now);

    /// Bytes of a frame are in a buffer.
    [[gnu::always_inline]] void CountIn(InputPort& input, uint32_t bytes)
    {
        input.heldBytes += bytes;
        input.peakHeldBytes = std::max(input.peakHeldBytes, input.heldBytes);
        m_counts.heldBytes += bytes;
        m_counts.peakHeldBytes = std::max(m_counts.peakHeldBytes, m_counts.heldBytes);
    }

    /// @return bytes of its virtual channel up to which a frame of a lossy class finds room
    uint32_t DepthFor(const Frame& frame) const
    {
        return MayTrim(frame) ? m_settings.trim.thresholdBytes : m_settings.lossyBytes;
    }

    /// @return whether a frame of a lossy class, or its header, is in @param depth see DepthFor()
    bool TakeLossyRoom(uint32_t port, const Frame& frame, uint32_t depth, TimePs now);
    /// Gives room back to a sender that has credits, or whatever it takes.
    void GiveCredit(uint32_t port, uint32_t vc, uint32_t bytes, TimePs end);
    /// Gives room back where that takes frames, pauses or credits, where classes are lossy, or
    /// where copies may share it.
    void TellOfRoom(InputPort& input, const Frame& frame, uint32_t vc, TimePs end);
    /// A frame comes where hosts are paused or classes are lossy. @return whether it has room
    [[gnu::noinline]] bool Admit(uint32_t port, const Frame& frame, TimePs now);
    /// Counts a frame as dropped, and frees what it carries.
    void CountDrop(uint32_t port, const Frame& frame, DropCause cause, TimePs now);

    // What each hop touches comes first: see SwitchUnits.
    const SwitchPorts& m_ports;                      ///< Of the switch.
    const SwitchClock& m_clock;                      ///< Of the switch.
    const BufferSettings& m_settings;                ///< Of each buffer.
    SwitchCounts m_counts;                           ///< What was dropped and is held.
    PauseControl& m_pauses;                          ///< Told of their buffers.
    CreditFrames& m_credits;                         ///< Go back in frames.
    SharedMemory* const m_memory;                    ///< That ports share; may be null.
    SwitchObserver* const& m_observer;               ///< Sees what happens; null for nobody.
    std::vector<BytesOfChannels> m_lossyBytes;       ///< By port; empty without lossy classes.
    SharedRooms m_shared;                            ///< Of copies.
    std::function<void(const Frame&)> m_dropHandler; ///< Takes what dropped frames carry.
};

} // namespace ns3::fabric

#endif // FABRIC_INPUT_BUFFERS_H
