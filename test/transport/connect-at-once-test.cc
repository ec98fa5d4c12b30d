/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connect-at-once.h"
#include "fabric-refusal.h"
#include "support/fabric-function-case.h"

#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs NOW = 3'000;               ///< When connections are opened, ps.
constexpr TimePs LATER = 1'000'000'000'000; ///< When they are used, ps.

/// Two ends of connections.
struct Ends
{
    /// @param transport of both @param accepted of the target
    explicit Ends(const TransportSettings& transport = {}, const TransportSettings& accepted = {})
        : left(transport, {}),
          right(accepted, {})
    {
    }

    /// @return the left one's CID
    ConnectionId Open(TimePs now = NOW)
    {
        return ConnectAtOnce({left, 7}, {right, 9}, {}, now);
    }

    RdmaEndpoint left;  ///< Initiator.
    RdmaEndpoint right; ///< Target.
};

/// @return the types of events that an end has to tell, as a text
std::string
EventsOf(RdmaEndpoint& end)
{
    std::string text;
    while (const auto event = end.NextEvent())
    {
        text +=
            std::to_string(static_cast<int>(event->type)) + "@" + std::to_string(event->at) + " ";
    }
    return text;
}

/// Both ends are open, with nothing to send and no round trip measured, and carry operations.
void
TestAtOnceOpen(FunctionCase& test)
{
    Ends ends;
    std::vector<ConnectionId> cids;
    for (uint32_t i = 0; i < 3; ++i)
    {
        cids.push_back(ends.Open());
        const auto left = ends.left.GetTransport().View(cids.back());
        test.Expect(left && left->isOpen && left->peer == 9, "the initiator's end is open");
        const auto right = ends.right.GetTransport().View(left->peerCid);
        test.Expect(right && right->isOpen && right->peer == 7, "the target's end is open");
        test.ExpectEqual(right->peerCid, cids.back(), "both know each other");
        test.Expect(left->smoothedRtt == 0 && right->smoothedRtt == 0, "nothing was measured");
    }
    test.Expect(cids[0] != cids[1] && cids[1] != cids[2], "connections of their own");
    test.Expect(!ends.left.HasPacket() && !ends.right.HasPacket(), "nothing is sent");
    test.ExpectEqual(EventsOf(ends.left), "0@3000 0@3000 0@3000 ", "CONNECTED");
    test.ExpectEqual(EventsOf(ends.right), "1@3000 1@3000 1@3000 ", "ACCEPTED");
    ends.left.RunUntil(LATER);
    ends.right.RunUntil(LATER);
    test.Expect(!ends.left.HasPacket() && !ends.right.HasPacket(), "nor later");
    ends.left.Post(cids[1], RdmaOperation::WRITE, 100, 5, LATER);
    const auto packet = ends.left.NextPacket(LATER);
    test.Expect(packet && packet->packet.type == TransportPacketType::PUSH_UNSOLICITED_DATA &&
                    packet->peer == 9,
                "data goes at once");
    ends.right.Receive(packet->packet, 7, LATER + 10);
    test.ExpectEqual(ends.right.Counts().placedBytes, 100, "and is taken");
}

/// Who accepts none, or has no room, opens none.
void
TestAtOnceRefused(FunctionCase& test)
{
    TransportSettings none;
    none.acceptsConnections = false;
    TransportSettings two;
    two.maxConnections = 2;
    Ends refusing({}, none);
    test.ExpectEqual(refusing.Open(), NO_CONNECTION, "the target accepts none");
    test.ExpectEqual(refusing.left.GetTransport().Connections(), 0, "nothing is left");
    for (const bool isTarget : {false, true})
    {
        Ends full(isTarget ? TransportSettings() : two, isTarget ? two : TransportSettings());
        test.Expect(full.Open() != NO_CONNECTION && full.Open() != NO_CONNECTION, "there is room");
        test.ExpectEqual(full.Open(), NO_CONNECTION, "there is no room");
        test.ExpectEqual(full.left.GetTransport().Connections(), 2, "of the initiator");
        test.ExpectEqual(full.right.GetTransport().Connections(), 2, "of the target");
    }
}

/// What an end has to send to others must not come to this peer.
void
TestAtOnceTooLate(FunctionCase& test)
{
    for (const bool isLeft : {true, false})
    {
        Ends ends;
        (isLeft ? ends.left : ends.right).Connect(11, {}, NOW);
        test.ExpectEqual(Refusal([&] { ends.Open(); }),
                         "a connection can't be opened at once while one of its ends has "
                         "something to send; allowed is before that",
                         "one has");
    }
}

/// Nothing is looked up, so that ends that are initiators and targets can open any number.
void
TestAtOnceLookups(FunctionCase& test)
{
    for (const bool isRate : {true, false})
    {
        TransportSettings slow;
        (isRate ? slow.lookupTime : slow.lookupLatency) = 50'000;
        Ends ends(slow, slow);
        for (uint32_t i = 0; i < 3; ++i)
        {
            const ConnectionId there = ends.Open();
            const ConnectionId back = ConnectAtOnce({ends.right, 9}, {ends.left, 7}, {}, NOW);
            test.Expect(there != NO_CONNECTION && back != NO_CONNECTION, "both ways");
            for (const auto& [from, to, cid] :
                 {std::tuple(&ends.left, &ends.right, there), {&ends.right, &ends.left, back}})
            {
                const auto view = from->GetTransport().View(cid);
                test.Expect(view->isOpen && to->GetTransport().View(view->peerCid)->isOpen,
                            "both ends are open at once");
            }
        }
    }
}

/// Suite of connections that are opened at once.
class ConnectAtOnceSuite : public FunctionSuite
{
  public:
    ConnectAtOnceSuite()
        : FunctionSuite("fabric-connect-at-once", kUnit)
    {
        Add("RT-1 both ends are open at once", TestAtOnceOpen);
        Add("RT-1 who accepts none opens none", TestAtOnceRefused);
        Add("RT-1 not while something is to be sent", TestAtOnceTooLate);
        Add("RT-11 nothing is looked up for it", TestAtOnceLookups);
    }
};

ConnectAtOnceSuite g_connectAtOnceSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
