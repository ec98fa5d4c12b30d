/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_CREDITS_H
#define FABRIC_LINK_CREDITS_H

#include "fabric-ring.h"
#include "fabric-types.h"

#include <array>

namespace ns3::fabric
{

/// How the input buffer of a receiver is divided (WL-5).
struct BufferShares
{
    uint32_t totalBytes{0};         ///< The whole buffer.
    uint32_t reservedBytesPerVc{0}; ///< Kept for each virtual channel; at least one largest frame.
    uint16_t virtualChannels{1};    ///< Channels in use, 1..VIRTUAL_CHANNELS.
    /// Channels on which the sender never waits for credits, bit i is channel i: the receiver drops
    /// what is too much (FC-15). Nothing is kept for them.
    uint16_t lossyChannels{0};

    /// @return whether a virtual channel is lossy
    bool IsLossy(uint32_t vc) const
    {
        return (lossyChannels >> vc & 1) != 0;
    }

    /// @return number of lossy channels
    uint32_t LossyChannels() const
    {
        return static_cast<uint32_t>(__builtin_popcount(lossyChannels));
    }

    /// @return bytes that all channels share
    uint32_t SharedBytes() const
    {
        return totalBytes - reservedBytesPerVc * (virtualChannels - LossyChannels());
    }
};

/// Of a receiver that takes whatever comes.
inline constexpr BufferShares TAKES_EVERYTHING{0x7FFFFFFF, 0, 1};

/// A credit on its way back.
struct ReturningCredit
{
    TimePs when;    ///< When the sender has it, ps.
    uint32_t bytes; ///< How much.
    uint32_t vc;    ///< Virtual channel.
};

/**
 * The sender's count of what it may put into the receiver's input buffer (WL-5).
 *
 * Each virtual channel has a reserved minimum; above it the channels take from a shared part. A
 * lossy channel is counted, too, and may send whatever is used. A
 * credit that comes back is a time in a ring, which is read only when the sender wants to send
 * (DP-13); so a credit costs no event.
 *
 * The receiver writes here for each frame that leaves its buffer: all of it is in one cache line
 * if the object begins one.
 */
class LinkCredits : private Ring<ReturningCredit, RingFront::INSIDE> // uses the room at its end
{
    /// Credits on their way back, by time.
    using Returns = Ring<ReturningCredit, RingFront::INSIDE>;

  public:
    LinkCredits()
        : m_virtualChannels(1),
          m_lossyChannels(0)
    {
    }

    /// @param is whether the sender waits for a credit
    void SetAwaited(bool is)
    {
        m_isAwaited = is;
    }

    /// @return whether the sender waits for a credit
    bool IsAwaited() const
    {
        return m_isAwaited;
    }

    /// @param entries credits that are on their way at a time
    using Returns::Expect;

    /// @param shares division of the receiver's buffer
    void Configure(const BufferShares& shares)
    {
        m_reservedBytesPerVc = shares.reservedBytesPerVc;
        m_virtualChannels = shares.virtualChannels & 0xF;
        m_lossyChannels = shares.lossyChannels & 0xF;
        m_sharedFree = shares.SharedBytes();
        for (uint32_t vc = 0; vc < VIRTUAL_CHANNELS; ++vc)
        {
            m_used[vc] = shares.IsLossy(vc) ? LOSSY_START : 0;
        }
    }

    /// @return the division of the receiver's buffer
    BufferShares Shares() const
    {
        BufferShares shares{0, m_reservedBytesPerVc, m_virtualChannels, m_lossyChannels};
        shares.totalBytes = m_sharedFree - shares.SharedBytes(); // of no bytes: minus what is kept
        for (const int32_t used : m_used)
        {
            shares.totalBytes += Above(used);
        }
        return shares;
    }

    /**
     * @param vc virtual channel
     * @param bytes size of a frame on the wire
     * @return whether the frame fits into the receiver's buffer
     */
    bool CanSend(uint32_t vc, uint32_t bytes) const
    {
        const int32_t used = m_used[vc];
        return Above(used + static_cast<int32_t>(bytes)) - Above(used) <= m_sharedFree;
    }

    /**
     * Counts credits that are due only if it matters.
     *
     * @param vc virtual channel
     * @param bytes on the wire of a frame
     * @return whether the receiver has room for it
     */
    bool CanSendAt(uint32_t vc, uint32_t bytes, TimePs now)
    {
        if (CanSend(vc, bytes))
        {
            return true;
        }
        Collect(now);
        return CanSend(vc, bytes);
    }

    /**
     * Takes the credit of a frame that is sent.
     *
     * @param vc virtual channel
     * @param bytes size of the frame on the wire
     */
    void Consume(uint32_t vc, uint32_t bytes)
    {
        const int32_t used = m_used[vc] + static_cast<int32_t>(bytes);
        m_sharedFree -= Above(used) - Above(m_used[vc]);
        m_used[vc] = used;
    }

    /**
     * The receiver gives back the room of a frame.
     *
     * Frames of one input leave by several outputs, so a credit may be due before one that was
     * returned earlier; it is then put before it.
     *
     * @param when time at which the sender has the credit, ps
     * @param vc virtual channel
     * @param bytes size of the frame on the wire
     * @param known the sender has decided everything before this time; what was due then is
     *        counted, so that few credits are on their way at a time, ps
     */
    void Return(TimePs when, uint32_t vc, uint32_t bytes, TimePs known = 0)
    {
        Collect(known);
        Push({when, bytes, vc});
        for (uint32_t i = Size() - 1; i > 0 && At(i - 1).when > when; --i)
        {
            std::swap(At(i), At(i - 1));
        }
    }

    /// @param now credits due until then (inclusive) count from here on, ps
    void Collect(TimePs now)
    {
        while (!IsEmpty() && Front().when <= now)
        {
            const ReturningCredit& credit = Front();
            const int32_t left = m_used[credit.vc] - static_cast<int32_t>(credit.bytes);
            m_sharedFree += Above(m_used[credit.vc]) - Above(left);
            m_used[credit.vc] = left;
            Pop();
        }
    }

    /// Fetches the credits on their way, which Collect() reads. @param most no more of them
    void FetchReturns(uint32_t most) const
    {
        FetchEntries(most);
    }

    /// Fetches the places of the next ones, which Return() writes. @param most no more of them
    void FetchNextSlots(uint32_t most) const
    {
        Returns::FetchNextSlots(most);
    }

    /// @return time of the next credit that is on its way, NEVER if there is none, ps
    TimePs NextReturn() const
    {
        return IsEmpty() ? NEVER : Front().when;
    }

    /**
     * @param vc virtual channel
     * @return bytes sent whose credit has not been collected
     */
    uint32_t Used(uint32_t vc) const
    {
        return static_cast<uint32_t>(m_used[vc] -
                                     ((m_lossyChannels >> vc & 1) != 0 ? LOSSY_START : 0));
    }

    /**
     * @param vc virtual channel
     * @return bytes of credit that are on their way back, due or not
     */
    uint32_t OnTheWay(uint32_t vc) const
    {
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < Size(); ++i)
        {
            bytes += At(i).vc == vc ? At(i).bytes : 0;
        }
        return bytes;
    }

  private:
    /**
     * @param used bytes that a virtual channel has in the buffer
     * @return those of them above its reserved minimum
     */
    uint32_t Above(int32_t used) const
    {
        const auto reserved = static_cast<int32_t>(m_reservedBytesPerVc);
        return used > reserved ? static_cast<uint32_t>(used - reserved) : 0;
    }

    /// Where a lossy channel begins to count, so that it is never above what is reserved.
    static constexpr int32_t LOSSY_START = -(1 << 30);

    uint8_t m_virtualChannels : 4;                  ///< See BufferShares.
    uint8_t m_lossyChannels : 4;                    ///< See BufferShares.
    bool m_isAwaited{false};                        ///< Whether the sender waits for one.
    std::array<int32_t, VIRTUAL_CHANNELS> m_used{}; ///< Bytes in the buffer or on the way to it.
    uint32_t m_sharedFree{0};                       ///< Shared bytes not taken.
    uint32_t m_reservedBytesPerVc{0};               ///< See BufferShares.
};

static_assert(sizeof(LinkCredits) == CACHE_LINE, "a credit that comes back touches one line");

} // namespace ns3::fabric

#endif // FABRIC_LINK_CREDITS_H
