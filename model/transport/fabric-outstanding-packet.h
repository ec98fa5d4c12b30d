/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTSTANDING_PACKET_H
#define FABRIC_OUTSTANDING_PACKET_H

#include "fabric-transport-packet.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * A packet in flight: what is needed to send it again, and its timer. A window is full of them, so
 * two fill a cache line.
 */
class alignas(32) OutstandingPacket
{
  public:
    /// A packet that was not sent yet.
    OutstandingPacket()
        : type(TransportPacketType::ACK),
          isCounted(true),
          wasEarly(false),
          wasRefused(false),
          isProbe(false),
          isSuspect(false),
          m_timeOut(0)
    {
    }

    /// @return last time it was sent, ps
    TimePs SentAt() const
    {
        return m_sentAt;
    }

    /// @return when it is resent if nothing is heard, ps
    TimePs Deadline() const
    {
        return m_sentAt + static_cast<TimePs>(m_timeOut);
    }

    /**
     * It is sent.
     *
     * @param timeOut ps, less than 2^47
     */
    void Send(TimePs now, TimePs timeOut)
    {
        m_sentAt = now;
        m_timeOut = static_cast<uint64_t>(timeOut) & LONGEST;
    }

    /// @param deadline a later one, ps
    void PutOff(TimePs deadline)
    {
        // What was sent two minutes ago is as old as what was sent before that.
        m_sentAt = std::max(m_sentAt, deadline - static_cast<TimePs>(LONGEST));
        m_timeOut = static_cast<uint64_t>(deadline - m_sentAt) & LONGEST;
    }

    /// @return whether it is of a request made here, and not of one of the peer's
    bool IsOfOwnRequest() const
    {
        return type != TransportPacketType::PULL_DATA && type != TransportPacketType::PUSH_GRANT &&
               type != TransportPacketType::ERROR_RESPONSE;
    }

    /// @return whether its PSN is of the request window (RT-6)
    bool IsRequest() const
    {
        return type <= TransportPacketType::PUSH_SOLICITED_REQUEST;
    }

    bool IsPushData() const
    {
        return type == TransportPacketType::PUSH_SOLICITED_DATA ||
               type == TransportPacketType::PUSH_UNSOLICITED_DATA;
    }

    /// @return whether payload is kept for it; an error's is empty
    bool KeepsPayload() const
    {
        return type >= TransportPacketType::PULL_DATA && type != TransportPacketType::PUSH_GRANT;
    }

    /**
     * Writes what is known of it; the length and tag of its request are not.
     *
     * @param packet gets it
     */
    void WriteTo(TransportPacket& packet, uint32_t psn) const
    {
        packet.Become(type);
        packet.piece.psn = psn;
        packet.piece.rsn = rsn;
        packet.piece.ssn = ssn;
        packet.piece.sentAt = m_sentAt;
        switch (type)
        {
        case TransportPacketType::PULL_REQUEST:
        case TransportPacketType::PUSH_SOLICITED_REQUEST:
            packet.piece.length = amount;
            break;
        case TransportPacketType::ERROR_RESPONSE:
            packet.status = TransportStatus::REMOTE_ERROR;
            break;
        default:
            packet.piece.offset = offset;
            packet.piece.amount = amount;
            break;
        }
    }

    uint32_t rsn{0};              ///< Its request.
    uint32_t ssn{0};              ///< Solicited requests, grants and data.
    uint32_t offset{0};           ///< First byte of data or grant.
    uint32_t amount{0};           ///< Bytes of data or grant; length of a request.
    uint8_t retries{0};           ///< Resends by time-out since something was heard of it.
    TransportPacketType type : 4; ///< What it is.
    bool isCounted : 1;           ///< Whether it takes an entry of the shared CAM.
    bool wasEarly : 1;            ///< The resend that it waits for is since later ones have come.
    bool wasRefused : 1;          ///< The resend that it waits for follows a NACK NO_RESOURCE.
    bool isProbe : 1;             ///< The last resend, or the one that it waits for, is a probe.
    bool isSuspect : 1;           ///< It was resent, or waits for that, and was not delivered.

  private:
    static constexpr uint32_t TIME_OUT_BITS = 47; ///< 140 s; settings allow less.
    static constexpr uint64_t LONGEST = (uint64_t{1} << TIME_OUT_BITS) - 1; ///< Time-out, ps.

    uint64_t m_timeOut : TIME_OUT_BITS; ///< From the last time it was sent to the deadline, ps.
    TimePs m_sentAt{0};                 ///< ps.
};

static_assert(sizeof(OutstandingPacket) == 32, "two packets fill a cache line");

} // namespace ns3::fabric

#endif // FABRIC_OUTSTANDING_PACKET_H
