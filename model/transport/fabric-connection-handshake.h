/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECTION_HANDSHAKE_H
#define FABRIC_CONNECTION_HANDSHAKE_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Where a connection is in its life.
enum class ConnectionState : uint8_t
{
    FREE,       ///< It is not there.
    CONNECTING, ///< CONNECT is out.
    ACCEPTING,  ///< ACCEPT is out.
    OPEN,       ///< Set up.
    CLOSING,    ///< CLOSE is out.
};

/**
 * Set-up and tear-down of a connection (RT-1), and probes of a peer that nothing is heard of.
 *
 * | state         | event                                  | next                               |
 * |---------------|----------------------------------------|------------------------------------|
 * | -             | Connect()                              | CONNECTING, sends CONNECT          |
 * | -             | CONNECT comes                          | ACCEPTING, sends ACCEPT            |
 * | CONNECTING    | ACCEPT                                 | OPEN, CONNECTED; an ACK confirms   |
 * | CONNECTING    | REFUSE; CONNECT resent too often       | gone, FAILED                       |
 * | ACCEPTING     | any packet of the peer but CONNECT,    | OPEN, ACCEPTED                     |
 * |               | RESET                                  |                                    |
 * | ACCEPTING     | ACCEPT resent too often; RESET         | gone; nobody was told of it        |
 * | OPEN          | Close() and own requests complete      | CLOSING, sends CLOSE               |
 * | OPEN, CLOSING | CLOSE came and own requests complete   | gone, sends CLOSED, CLOSED         |
 * | CLOSING       | CLOSED; the peer does not know the CID | gone, CLOSED                       |
 * | OPEN          | requests under way, nothing in flight, | OPEN, an ACK wants an answer       |
 * |               | for probeInterval                      |                                    |
 * | any           | RESET; retry limit; unknown CID;       | gone, FAILED; RESET tells the peer |
 * |               | not ready too often                    |                                    |
 *
 * CONNECT, ACCEPT and CLOSE have a timer like packets of a window; what answers them is sent once,
 * and again if they come again. Any packet of the peer while CLOSING starts the count of resends
 * anew. Who closes goes on serving the peer's requests: the peer sends CLOSED when it has none
 * left.
 */
class ConnectionHandshake
{
  public:
    /// @return where the connection is in its life
    ConnectionState State() const
    {
        return m_state;
    }

    /// @return whether packets of windows and ACKs may go out
    bool CarriesPackets() const
    {
        return m_state == ConnectionState::OPEN || m_state == ConnectionState::CLOSING;
    }

    /// @return whether nobody has asked to leave
    bool IsWanted() const
    {
        return !m_wantsClose && !m_peerCloses;
    }

    /// @return whether the ULP may make requests
    bool TakesRequests() const
    {
        return (m_state == ConnectionState::CONNECTING || m_state == ConnectionState::OPEN) &&
               IsWanted();
    }

    /// @return whether CONNECT, ACCEPT, CLOSE or a probe is to be sent
    bool IsDue() const
    {
        return m_isDue;
    }

    /// @return when it is resent or a probe is sent, ps; NEVER if no timer runs
    TimePs Deadline() const
    {
        return m_at;
    }

    /// @return resends so far
    uint32_t Retries() const
    {
        return m_retries;
    }

    /// The own ULP opens the connection.
    void Connect()
    {
        Start(ConnectionState::CONNECTING);
    }

    /// A peer opens the connection.
    void Accept()
    {
        Start(ConnectionState::ACCEPTING);
    }

    /// CONNECT has come again: so has ACCEPT to be sent.
    void RepeatAccept()
    {
        m_isDue = m_isDue || m_state == ConnectionState::ACCEPTING;
    }

    /// The peer has answered: the connection is open.
    void Open()
    {
        m_state = ConnectionState::OPEN;
        m_isDue = false;
        m_at = NEVER;
    }

    /// The own ULP wants to leave.
    void Close()
    {
        m_wantsClose = true;
    }

    /// CLOSE has come.
    void PeerCloses()
    {
        m_peerCloses = true;
    }

    /// Any packet has come on the connection; if it closes, the peer is not done yet.
    void HearPeer()
    {
        m_retries = 0;
    }

    /**
     * Sees whether it is time to leave, or to say CLOSE.
     *
     * @param isDone whether the own requests are complete
     * @return whether the connection ends, with CLOSED as an answer
     */
    bool TryLeave(bool isDone)
    {
        if (!CarriesPackets() || !isDone)
        {
            return false;
        }
        if (!m_peerCloses && m_wantsClose && m_state == ConnectionState::OPEN)
        {
            Start(ConnectionState::CLOSING);
        }
        return m_peerCloses;
    }

    /// The connection is gone.
    void End()
    {
        m_state = ConnectionState::FREE;
    }

    /**
     * Sets the timer of the next probe, if none runs.
     *
     * @param isWaiting whether something is under way and only the peer can go on with it
     */
    void WatchPeer(bool isWaiting, TimePs at)
    {
        if (m_state == ConnectionState::OPEN && m_at == NEVER && !m_isDue && isWaiting)
        {
            m_at = at;
        }
    }

    /**
     * The timer has come: what was sent is sent again, or the peer is probed.
     *
     * @param isWaiting as in WatchPeer()
     * @param limit of resends
     * @return false if that was done too often
     */
    bool Expire(bool isWaiting, uint32_t limit)
    {
        m_at = NEVER;
        if (m_state == ConnectionState::OPEN && !isWaiting)
        {
            m_retries = 0;
            return true;
        }
        if (m_retries >= limit)
        {
            return false;
        }
        ++m_retries;
        m_isDue = true;
        return true;
    }

    /**
     * What was due is sent: by the state CONNECT, ACCEPT, CLOSE, or a probe.
     *
     * @param at when it is sent again, ps; not for a probe
     */
    void Send(TimePs at)
    {
        m_isDue = false;
        if (m_state != ConnectionState::OPEN)
        {
            m_at = at;
        }
    }

  private:
    /// Something is to be sent, with a timer.
    void Start(ConnectionState state)
    {
        m_state = state;
        m_isDue = true;
        m_retries = 0;
        m_at = NEVER;
    }

    TimePs m_at{NEVER};                             ///< It is resent or a probe sent then, ps.
    ConnectionState m_state{ConnectionState::FREE}; ///< Where it is in its life.
    bool m_isDue{false};                            ///< CONNECT, ACCEPT, CLOSE, probe to be sent.
    bool m_wantsClose{false};                       ///< The own ULP has called Close().
    bool m_peerCloses{false};                       ///< CLOSE has come.
    uint8_t m_retries{0};                           ///< Of CONNECT, ACCEPT or CLOSE; probes.
};

} // namespace ns3::fabric

#endif // FABRIC_CONNECTION_HANDSHAKE_H
