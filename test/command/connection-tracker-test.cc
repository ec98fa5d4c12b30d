/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-tracker.h"
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Writes down what tracking wants.
struct TrackerJournal : TrackedSender
{
    std::vector<DepartingPacket> offered; ///< Packets that went on to the wire.
    std::vector<DepartingPacket> again;   ///< That went once more.

    void Offer(const DepartingPacket& packet) override
    {
        offered.push_back(packet);
    }

    void SendAgain(const DepartingPacket& packet, TimePs) override
    {
        again.push_back(packet);
    }

    void Discard(const DepartingPacket&, TimePs) override
    {
    }

    void Fail(uint32_t) override
    {
    }
};

/// @return settings with which packets are tracked
TrackingSettings
Tracked()
{
    TrackingSettings settings;
    settings.timeout = 10 * US;
    return settings;
}

/// @return a packet that changes the state of the target, of a connection
DepartingPacket
TrackedMessage(uint32_t connection)
{
    DepartingPacket message;
    message.nicQueue = connection;
    message.packet.kind = CommandPacketKind::DATA;
    message.packet.op = CommandOp::SEND;
    return message;
}

/// What must not overtake a packet that is sent again goes as soon as that has left.
void
TestHeldBehindResent(FunctionCase& self)
{
    const TrackingSettings settings = Tracked();
    TrackerJournal journal;
    ConnectionTracker tracker(settings, journal);
    tracker.Admit(TrackedMessage(0));
    const PacketTrack first = journal.offered.back().packet.track;
    tracker.Gone(0, first, 0);
    const TimePs late = tracker.NextTime();
    tracker.Handle(late);
    self.ExpectEqual(journal.again.size(), 1, "it goes again");
    tracker.Admit(TrackedMessage(0));
    tracker.Admit(TrackedMessage(0));
    self.ExpectEqual(journal.offered.size(), 1, "two must not overtake it");
    self.ExpectEqual(tracker.Kept(), 3, "what waits for room is counted");
    tracker.Gone(0, first, late);
    self.ExpectEqual(journal.offered.size(), 3, "it has left: they follow");
    self.ExpectEqual(tracker.Kept(), 3, "none is acknowledged");
}

/// What only asks for an answer is tracked, and nobody takes it.
void
TestQuestion(FunctionCase& self)
{
    const TrackingSettings settings = Tracked();
    TrackerJournal journal;
    ConnectionTracker tracker(settings, journal);
    CommandPacket packet;
    packet.kind = CommandPacketKind::TRACK;
    packet.track = {0, 1, TrackClass::SINGLE};
    self.Expect(!tracker.Take(0, packet, 0), "a question is not to be taken");
    packet.kind = CommandPacketKind::REQUEST;
    packet.track.sequence = 1;
    self.Expect(tracker.Take(0, packet, 0), "a request is");
    tracker.Handle(tracker.NextTime());
    self.ExpectEqual(journal.offered.back().packet.acks.singleBase, 2, "both are acknowledged");
}

/// When there is room again, the peers of all connections hear of it.
void
TestAllAreAllowed(FunctionCase& self)
{
    const TrackingSettings settings = Tracked();
    TrackerJournal journal;
    ConnectionTracker tracker(settings, journal);
    for (const uint32_t connection : {0, 1, 2})
    {
        CommandPacket message = TrackedMessage(connection).packet;
        message.track = {0, 1, TrackClass::ORDERED};
        self.Expect(tracker.Take(connection, message, 0), "it has come");
        tracker.Refuse(connection, 0);
    }
    tracker.Handle(0);
    self.ExpectEqual(journal.offered.size(), 3, "all hear that there is no room");
    tracker.Allow(5 * US);
    tracker.Handle(5 * US);
    self.ExpectEqual(journal.offered.size(), 6, "and that there is some");
    for (std::size_t i = 0; i < journal.offered.size(); ++i)
    {
        self.ExpectEqual(journal.offered[i].packet.acks.isNotReady, i < 3, "what they hear");
    }
}

/// The tracker of a NIC's connections.
class ConnectionTrackerSuite : public FunctionSuite
{
  public:
    ConnectionTrackerSuite()
        : FunctionSuite("fabric-connection-tracker", kUnit)
    {
        Add("NQ-11 what waits behind a packet that goes again follows it", TestHeldBehindResent);
        Add("NQ-11 a question is answered, and not taken", TestQuestion);
        Add("NQ-11 room is told on all connections", TestAllAreAllowed);
    }
};

ConnectionTrackerSuite g_connectionTrackerSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
