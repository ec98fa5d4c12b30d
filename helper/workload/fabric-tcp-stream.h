/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TCP_STREAM_H
#define FABRIC_TCP_STREAM_H

#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstdint>
#include <functional>

namespace ns3::fabric
{

/// Bytes that go one way over a connection of TCP. They have no contents.
class TcpStream
{
  public:
    using Callback = std::function<void()>; ///< Is told that something has changed.

    TcpStream() = default;
    TcpStream(const TcpStream&) = delete;
    TcpStream& operator=(const TcpStream&) = delete;

    /// Nobody is told any more.
    ~TcpStream();

    /**
     * @param socket that sends, and has sent nothing yet
     * @param acknowledged is told when more may have been acknowledged; may be empty
     */
    void SetSender(const Ptr<Socket>& socket, Callback acknowledged = {});

    /// @param socket that receives @param received is told when more has come
    void SetReceiver(const Ptr<Socket>& socket, Callback received);

    /// More bytes are to be sent, by a socket that is connected.
    void Offer(uint64_t bytes);

    /// @return bytes that were to be sent so far
    uint64_t GetOffered() const
    {
        return m_offered;
    }

    /// @return of these, what TCP has, or has sent
    uint64_t GetWritten() const
    {
        return m_written;
    }

    /// @return of these, what the receiver has got
    uint64_t GetReceived() const
    {
        return m_received;
    }

    /// @return of these, what the sender knows that the receiver's TCP has
    uint64_t GetAcknowledged() const
    {
        return m_acknowledged;
    }

  private:
    /// There is room at the sender, or something was acknowledged.
    void HandleRoom();
    /// Gives TCP as much as it takes.
    void Write();
    /// Takes what has come.
    void Read();

    Ptr<Socket> m_sender;       ///< Null until it is known.
    Ptr<Socket> m_receiver;     ///< Null until it is known.
    Callback m_onAcknowledged;  ///< Is told; perhaps empty.
    Callback m_onReceived;      ///< Is told.
    uint32_t m_room{0};         ///< Of the sender's buffer when it is empty, bytes.
    uint64_t m_offered{0};      ///< See GetOffered().
    uint64_t m_written{0};      ///< See GetWritten().
    uint64_t m_received{0};     ///< See GetReceived().
    uint64_t m_acknowledged{0}; ///< See GetAcknowledged().
};

} // namespace ns3::fabric

#endif // FABRIC_TCP_STREAM_H
