/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECTION_TRACKER_H
#define FABRIC_CONNECTION_TRACKER_H

#include "fabric-departing-packet.h"
#include "fabric-timer-heap.h"
#include "fabric-tracked-connection.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// What tracking has seen so far.
struct TrackingCounts
{
    uint64_t tracked{0};  ///< Packets that were given a sequence.
    uint64_t resent{0};   ///< Sent again.
    uint64_t again{0};    ///< That have come before: answered, and not taken.
    uint64_t early{0};    ///< That came before others that are missing.
    uint64_t stale{0};    ///< That came of a connection that has failed.
    uint64_t acks{0};     ///< Acknowledgements that were sent by themselves.
    uint64_t refused{0};  ///< Messages that were refused for want of room, to come again.
    uint64_t failures{0}; ///< Connections that have failed here.
};

/// Does what tracking wants.
class TrackedSender
{
  public:
    virtual ~TrackedSender() = default;

    /// A packet goes on to the wire.
    virtual void Offer(const DepartingPacket& packet) = 0;

    /// A packet goes once more.
    virtual void SendAgain(const DepartingPacket& packet, TimePs now) = 0;

    /// A packet that has waited here never goes.
    virtual void Discard(const DepartingPacket& packet, TimePs now) = 0;

    /// A connection has failed, and all that was under way on it.
    virtual void Fail(uint32_t connection) = 0;
};

/**
 * Packet and connection tracking of a NIC (NQ-11), between its units and the wire: packets get
 * their sequence, wait for room in the retry buffer of their connection, and go again when there is
 * no answer. A connection is named by the NIC's queue of its flow.
 */
class ConnectionTracker
{
  public:
    /// @param settings that are valid; stay where they are
    ConnectionTracker(const TrackingSettings& settings, TrackedSender& sender)
        : m_settings(settings),
          m_sender(sender)
    {
    }

    /// @return whether packets are tracked
    bool IsOn() const
    {
        return m_settings.IsOn();
    }

    /// A packet wants to go, for the first time: it is offered at once, or waits here.
    void Admit(const DepartingPacket& packet);

    /// A packet has left. @param connection of it
    void Gone(uint32_t connection, const PacketTrack& track, TimePs now);

    /// An own command has begun, and waits for its end.
    void Open(uint32_t connection);

    /// It has come to its end.
    void Close(uint32_t connection);

    /// A packet has come. @return whether it is to be taken
    bool Take(uint32_t connection, const CommandPacket& packet, TimePs now);

    /// @return how packets like this are tracked
    static TrackClass ClassOf(const CommandPacket& packet);

    /// @return see TrackedConnection::Turn()
    uint32_t Turn(uint32_t connection)
    {
        return At(connection).tracked.Turn();
    }

    /// The oldest ORDERED packet that was taken is done.
    void Finish(uint32_t connection, TimePs now);

    /// It is refused for now, with all that were taken behind it.
    void Refuse(uint32_t connection, TimePs now);

    /// What was refused may come again, on all connections.
    void Allow(TimePs now);

    /// @return when something is due, NEVER for nothing, ps
    TimePs NextTime() const
    {
        return m_timers.Earliest();
    }

    /// @param now NextTime(), ps
    void Handle(TimePs now);

    /// @return packets without acknowledgement, and those that wait for room
    uint64_t Kept() const;

    const TrackingCounts& Counts() const
    {
        return m_counts;
    }

  private:
    /// A connection, and what waits for room in its retry buffer.
    struct Connection
    {
        explicit Connection(const TrackingSettings& settings)
            : tracked(settings)
        {
        }

        TrackedConnection<DepartingPacket> tracked;              ///< What is under way.
        std::array<Ring<DepartingPacket>, TRACK_CLASSES> held{}; ///< By class.
    };

    /// @return a connection, made if need be
    Connection& At(uint32_t connection);
    /// What may be due is due then.
    void Plan(uint32_t connection);
    /// A packet is tracked from now on, and goes.
    void Go(Connection& connection, TrackClass kind, DepartingPacket packet);
    /// What has waited for room goes, as far as there is some.
    void Release(Connection& connection);
    /// Begins a new epoch; nothing of the one before goes any more.
    void Begin(uint32_t connection, uint8_t epoch, TimePs now);
    /// A packet without anything else goes. @param isTracked whether it wants an answer
    void SendAcks(uint32_t connection, bool isTracked);

    const TrackingSettings& m_settings;    ///< The settings.
    TrackedSender& m_sender;               ///< Sends.
    std::vector<Connection> m_connections; ///< By the NIC's queue.
    TimerHeap m_timers;                    ///< By connection.
    std::vector<PacketTrack> m_again;      ///< What goes once more.
    TrackingCounts m_counts;               ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_CONNECTION_TRACKER_H
