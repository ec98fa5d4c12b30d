/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_ENDPOINT_H
#define FABRIC_RDMA_ENDPOINT_H

#include "fabric-rdma-initiator.h"
#include "fabric-rdma-target.h"
#include "fabric-rdma.h"
#include "fabric-ring.h"
#include "fabric-transport-endpoint.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace ns3::fabric
{

/**
 * A small RDMA-like protocol (write, read, send) on top of the reliable transport of one NIC.
 *
 * WRITE and SEND are pushes, READ is a pull. The operation travels in the two highest bits of the
 * request's tag, the user's cookie in the others. It is driven as TransportEndpoint is, and has no
 * clock either.
 */
class RdmaEndpoint
{
  public:
    /**
     * @param transport settings of the transport below
     * @param rdma settings of the protocol
     * @param accepted settings of connections that peers open, see TransportEndpoint
     * @throw std::invalid_argument if a setting is out of its range
     */
    RdmaEndpoint(const TransportSettings& transport,
                 const RdmaSettings& rdma,
                 const ConnectionSettings& accepted = {});

    /// See TransportEndpoint::AskForRestraints().
    void AskForRestraints(const RestraintSource& restraints)
    {
        m_transport.AskForRestraints(restraints);
    }

    /// See TransportEndpoint::CountHopsWith().
    void CountHopsWith(const HopCounter& hops)
    {
        m_transport.CountHopsWith(hops);
    }

    /// See TransportEndpoint::Connect().
    ConnectionId Connect(PeerAddress peer, const ConnectionSettings& settings, TimePs now);

    /**
     * Closes a connection when all its operations are complete; no further ones are taken.
     *
     * @return whether there is such a connection
     */
    bool Close(ConnectionId cid, TimePs now);

    /// See TransportEndpoint::Reset().
    bool Reset(ConnectionId cid, TimePs now);

    /**
     * Asks for an operation. Its COMPLETION follows, whatever happens.
     *
     * @param bytes to move, 0 to 2^31 - 1
     * @param cookie any number below 2^62; the completion and the target see it
     * @return false if there is no such connection, or it takes no operations any more
     * @throw std::invalid_argument if bytes or cookie are out of range
     */
    bool Post(ConnectionId cid,
              RdmaOperation operation,
              uint32_t bytes,
              uint64_t cookie,
              TimePs now);

    /// @param count receive buffers more
    void PostReceives(uint64_t count)
    {
        m_target.PostReceives(count);
    }

    /// See TransportEndpoint::Receive().
    void Receive(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// See TransportEndpoint::ReceiveAtOnce().
    void ReceiveAtOnce(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// See TransportEndpoint::ReceiveHeader().
    void ReceiveHeader(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// See TransportEndpoint::TakeTelemetry().
    void TakeTelemetry(const TransportPacket& packet,
                       PeerAddress peer,
                       const HopStack& stack,
                       TimePs now);

    /// See TransportEndpoint::HasPacket().
    bool HasPacket() const
    {
        return m_transport.HasPacket();
    }

    /// See TransportEndpoint::NextPacket().
    std::optional<OutgoingPacket> NextPacket(TimePs now);

    /// See TransportEndpoint::Stop().
    void Stop(uint32_t place)
    {
        m_transport.Stop(place);
    }

    /// See TransportEndpoint::Resume().
    void Resume(uint32_t place)
    {
        m_transport.Resume(place);
    }

    /// @return the next time at which there is something to do; NEVER if none, ps
    TimePs NextTime() const
    {
        return std::min(m_target.NextTime(), m_transport.NextTime());
    }

    /**
     * Looks ahead: which of what is to come the user may be told of.
     *
     * @param packet on its way to here, for the first time
     * @return whether the user may be told of something when it comes. It holds until then, but not
     *         longer than TellsOfAll() is false
     */
    bool Foresee(const TransportPacket& packet);

    /// @return whether the user may be told of something whenever something happens
    bool TellsOfAll() const
    {
        return m_target.TellsOfAll();
    }

    /// @return the next time at which the user may be told of something if no packet comes; NEVER
    /// if none, ps
    TimePs NextReport() const
    {
        return TellsOfAll() ? NextTime() : m_transport.NextDeadline();
    }

    /// @param now all timers up to this time are run, ps
    void RunUntil(TimePs now);

    /// @return the oldest event that was not taken yet
    std::optional<RdmaEvent> NextEvent();

    /// @return the transport below
    const TransportEndpoint& GetTransport() const
    {
        return m_transport;
    }

    /// @return what was counted so far
    const RdmaCounts& Counts() const
    {
        return m_counts;
    }

  private:
    /// A connection is there.
    void Open(ConnectionId cid);
    /// Takes what the transport has to tell.
    void Drain(TimePs now);
    /// Handles one event of the transport.
    void Handle(const UlpEvent& event, TimePs now);
    /// Passes an event on.
    void Tell(RdmaEventType type, const UlpEvent& event);

    TransportEndpoint m_transport; ///< Below.
    RdmaCounts m_counts;           ///< So far.
    Ring<RdmaEvent> m_events;      ///< Not taken yet.
    RdmaInitiator m_initiator;     ///< Own operations.
    RdmaTarget m_target;           ///< Peers' operations.
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_ENDPOINT_H
