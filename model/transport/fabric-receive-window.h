/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECEIVE_WINDOW_H
#define FABRIC_RECEIVE_WINDOW_H

#include "fabric-packet-bitmap.h"
#include "fabric-sequence-number.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a receive window says to a PSN (RT-8).
enum class PsnVerdict : uint8_t
{
    EXPECTED,  ///< In the window, not received yet: deliver it.
    BELOW,     ///< Below the base: discard it and send an ACK.
    DUPLICATE, ///< In the window, received before: discard it.
    BEYOND,    ///< Above the window: discard it and count.
};

/**
 * The receiving side of a sliding window (RT-6, RT-8). Receiving and acknowledging are two steps,
 * since pushed data is acknowledged after the target ULP did, all else on receipt (Falcon, spec
 * 95). The base is the oldest PSN that is not acknowledged; with acknowledgement on receipt that is
 * the oldest not received, as RT-6 says.
 *
 * | PSN                           | action                                                     |
 * |-------------------------------|------------------------------------------------------------|
 * | before base                   | BELOW: discard, an ACK with the base is due                |
 * | in the window, received bit 0 | EXPECTED: Receive() sets it, the packet is delivered       |
 * | in the window, received bit 1 | DUPLICATE: discard                                         |
 * | at or after base + size       | BEYOND: discard, count                                     |
 * | acknowledged                  | acknowledged bit set; base moves over all leading set bits |
 */
class ReceiveWindow
{
  public:
    /// A window of one packet that starts at 0.
    ReceiveWindow() = default;

    /**
     * @param first PSN of the first packet
     * @param size packets, 1 to 128
     */
    ReceiveWindow(uint32_t first, uint32_t size)
        : m_base(first),
          m_size(size)
    {
    }

    /// @return oldest PSN that is not acknowledged: the expected base of ACKs
    uint32_t Base() const
    {
        return m_base;
    }

    /// @return packets
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return acknowledged PSNs, bit i is PSN Base() + i
    const PacketBitmap& Acked() const
    {
        return m_acked;
    }

    /// @return received PSNs, bit i is PSN Base() + i
    const PacketBitmap& Received() const
    {
        return m_received;
    }

    /**
     * @param psn of a packet that came
     * @return what is to be done with it
     */
    PsnVerdict Classify(uint32_t psn) const
    {
        const int32_t distance = SequenceDistance(m_base, psn);
        if (distance < 0)
        {
            return PsnVerdict::BELOW;
        }
        if (static_cast<uint32_t>(distance) >= m_size)
        {
            return PsnVerdict::BEYOND;
        }
        return m_received.Test(static_cast<uint32_t>(distance)) ? PsnVerdict::DUPLICATE
                                                                : PsnVerdict::EXPECTED;
    }

    /// @param psn of a packet that was EXPECTED and is delivered
    void Receive(uint32_t psn)
    {
        m_received.Set(psn - m_base);
    }

    /// @param psn of a received packet that may be acknowledged
    void Acknowledge(uint32_t psn)
    {
        m_acked.Set(psn - m_base);
        const uint32_t leading = m_acked.LeadingSet();
        m_acked = m_acked.From(leading);
        m_received = m_received.From(leading);
        m_base += leading;
    }

  private:
    uint32_t m_base{0};      ///< Oldest PSN that is not acknowledged.
    uint32_t m_size{1};      ///< Packets.
    PacketBitmap m_received; ///< From the base on.
    PacketBitmap m_acked;    ///< From the base on, a part of m_received.
};

} // namespace ns3::fabric

#endif // FABRIC_RECEIVE_WINDOW_H
