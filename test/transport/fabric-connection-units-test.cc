/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-composer.h"
#include "fabric-connection-handshake.h"
#include "fabric-function-case.h"
#include "fabric-packet-delivery.h"
#include "fabric-send-planner.h"
#include "fabric-time-units.h"
#include "fabric-transport-path.h"
#include "fabric-transport-shared.h"

#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// The table of RT-1: set-up of both ends.
void
SetUp(FunctionCase& test)
{
    ConnectionHandshake own;
    test.Expect(own.State() == ConnectionState::FREE && !own.IsDue() && own.Deadline() == NEVER,
                "nothing");
    own.Connect();
    test.Expect(own.State() == ConnectionState::CONNECTING && own.IsDue(), "CONNECT is due");
    test.Expect(own.TakesRequests() && !own.CarriesPackets(), "requests wait");
    own.Send(70);
    test.Expect(!own.IsDue() && own.Deadline() == 70 && own.Retries() == 0, "it has a timer");
    test.Expect(own.Expire(false, 1) && own.IsDue() && own.Retries() == 1, "it is resent");
    test.Expect(own.Deadline() == NEVER, "when it may go");
    own.Send(90);
    test.Expect(!own.Expire(false, 1), "too often");
    own.Open();
    test.Expect(own.State() == ConnectionState::OPEN && own.Deadline() == NEVER, "ACCEPT came");
    test.Expect(own.CarriesPackets() && own.TakesRequests(), "open");
    own.RepeatAccept();
    test.Expect(!own.IsDue(), "only who accepts repeats it");

    ConnectionHandshake peers;
    peers.Accept();
    test.Expect(peers.State() == ConnectionState::ACCEPTING && peers.IsDue(), "ACCEPT is due");
    test.Expect(!peers.TakesRequests() && !peers.CarriesPackets(), "not open yet");
    peers.Send(10);
    peers.RepeatAccept();
    test.Expect(peers.IsDue(), "CONNECT came again");
}

/// The table of RT-1: tear-down, and probes.
void
TearDown(FunctionCase& test)
{
    ConnectionHandshake open;
    open.Connect();
    open.Open();
    ConnectionHandshake closing = open;
    closing.Close();
    test.Expect(!closing.TakesRequests() && closing.CarriesPackets(), "no further requests");
    test.Expect(!closing.TryLeave(false) && closing.State() == ConnectionState::OPEN,
                "not before requests are complete");
    test.Expect(!closing.TryLeave(true) && closing.State() == ConnectionState::CLOSING, "CLOSE");
    test.Expect(closing.IsDue() && closing.CarriesPackets(), "serves the peer's requests");
    closing.Send(50);
    test.Expect(!closing.TryLeave(true) && !closing.IsDue(), "CLOSE is sent once");
    test.Expect(closing.Expire(false, 3) && closing.Retries() == 1, "and again");
    closing.HearPeer();
    test.Expect(closing.Retries() == 0, "the peer is not done yet");
    closing.PeerCloses();
    test.Expect(closing.TryLeave(true), "both want to leave");
    closing.End();
    test.Expect(closing.State() == ConnectionState::FREE, "gone");

    ConnectionHandshake left = open;
    left.PeerCloses();
    test.Expect(!left.TakesRequests(), "no further requests of the own ULP either");
    test.Expect(!left.TryLeave(false) && left.TryLeave(true), "answers when its requests are done");
    left.Close();
    test.Expect(left.TryLeave(true) && !left.IsDue(), "who has heard CLOSE does not say it");

    ConnectionHandshake probing = open;
    probing.WatchPeer(false, 100);
    test.Expect(probing.Deadline() == NEVER, "nothing to wait for");
    probing.WatchPeer(true, 100);
    probing.WatchPeer(true, 200);
    test.Expect(probing.Deadline() == 100, "a probe later");
    test.Expect(probing.Expire(false, 0) && !probing.IsDue(), "the peer went on meanwhile");
    probing.WatchPeer(true, 300);
    test.Expect(probing.Expire(true, 1) && probing.IsDue(), "a probe");
    ConnectionHandshake answered = probing;
    answered.Send(400);
    test.Expect(answered.Expire(false, 1) && answered.Retries() == 0, "what it asked for has come");
    probing.Send(400);
    test.Expect(!probing.IsDue() && probing.Deadline() == NEVER, "WatchPeer() sets its timer");
    test.Expect(!probing.Expire(true, 1), "nothing heard");
}

/// All sequences of seven calls, whatever they are: what must hold after each.
void
AnyCalls(FunctionCase& test)
{
    const std::vector<void (*)(ConnectionHandshake&)> calls{
        [](ConnectionHandshake& h) { h.Open(); },
        [](ConnectionHandshake& h) { h.Close(); },
        [](ConnectionHandshake& h) { h.PeerCloses(); },
        [](ConnectionHandshake& h) { h.TryLeave(true); },
        [](ConnectionHandshake& h) { h.WatchPeer(true, 5); },
        [](ConnectionHandshake& h) { h.Expire(true, 2); },
        [](ConnectionHandshake& h) { h.Send(7); },
    };
    uint32_t total = 1;
    for (uint32_t i = 0; i < 7; ++i)
    {
        total *= static_cast<uint32_t>(calls.size());
    }
    std::string fault;
    for (uint32_t number = 0; number < total && fault.empty(); ++number)
    {
        ConnectionHandshake handshake;
        number % 2 == 0 ? handshake.Connect() : handshake.Accept();
        uint32_t left = number;
        for (uint32_t step = 0; step < 7; ++step, left /= calls.size())
        {
            calls[left % calls.size()](handshake);
            const bool isUnwanted = handshake.TakesRequests() && !handshake.IsWanted();
            const bool isEager = handshake.IsDue() && handshake.Deadline() != NEVER;
            fault = handshake.Retries() > 2 ? "resent too often"
                    : isUnwanted            ? "requests though one wants to leave"
                    : isEager               ? "a timer of what was not sent"
                                            : fault;
        }
    }
    test.ExpectSame(fault, "", "after any calls");
}

/// The table of RT-9, and what an ACK says.
void
Acks(FunctionCase& test)
{
    AckComposer ack;
    ReceiveWindow requests(0, 8);
    ReceiveWindow data(100, 8);
    TransportPacket out;
    test.Expect(!ack.IsDue(1000, 2) && ack.Deadline() == NEVER, "nothing");
    ack.Count(100, 50);
    test.Expect(!ack.IsDue(149, 2) && ack.IsDue(150, 2) && ack.Deadline() == 150, "time");
    ack.Count(120, 50);
    test.Expect(ack.IsDue(120, 2) && ack.Deadline() == 150, "count");
    ack.RideOn(out, requests, data, 130);
    test.Expect(!ack.IsDue(1000, 2) && out.requestBase == 0 && out.dataBase == 100, "said");
    test.Expect(out.echo == NEVER && out.marksSeen == 0, "no packet to echo");
    ack.Force();
    test.Expect(ack.IsDue(0, 100), "at once");
    ack.Write(out, requests, data, 130);

    TransportPacket packet(TransportPacketType::PULL_DATA);
    packet.piece.sentAt = 1000;
    packet.isMarked = true;
    ack.Take(packet, 1400);
    data.Receive(101);
    data.Acknowledge(101);
    data.Receive(103);
    ack.Count(1400, 50);
    ack.RideOn(out, requests, data, 1425);
    test.Expect(out.echo == 1025 && out.marksSeen == 1, "time sent plus the time it has waited");
    test.Expect(ack.IsDue(1450, 8), "the base does not say it all");
    TransportPacket alone;
    ack.Write(alone, requests, data, 1450);
    test.Expect(alone.echo == NEVER && alone.marksSeen == 1, "an echo is told once, marks always");
    test.Expect(alone.bitmaps.dataAcked == PacketBitmap(0b10, 0) &&
                    alone.bitmaps.dataReceived == PacketBitmap(0b1010, 0),
                "acknowledged, and received");
    test.Expect(!ack.IsDue(9999, 1), "that says it all");
    test.Expect(ack.TakeMarkChange() && !ack.TakeMarkChange(), "the first mark");
    ack.Take(packet, 2000);
    test.Expect(!ack.TakeMarkChange(), "a mark after a mark");
    packet.isMarked = false;
    ack.Take(packet, 2100);
    test.Expect(ack.TakeMarkChange() && !ack.TakeMarkChange(), "marks end");
}

/// RT-14: round trips by echo, marks modulo 2^16, the strategy's window.
void
Path(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::MARKS;
    settings.initialRtt = 10 * US;
    const PathRules rules(settings);
    TransportPath path(rules);
    TransmitWindow window(7, 64);
    path.Open(window, 0, 4096);
    test.Expect(path.Window() == 64 && path.LargestWindow() == 64, "full from the start");
    test.Expect(path.Rtt() == 10 * US && path.SmoothedRtt() == 0, "no sample");
    TransportPacket packet;
    packet.echo = 100;
    path.TakeAck(packet, 0, window, 0, 100);
    test.Expect(path.SmoothedRtt() == 0, "no time has passed: no sample");
    path.TakeAck(packet, 0, window, 0, 100 + 3 * US);
    test.Expect(path.Rtt() == 3 * US && path.SmoothedRtt() == 3 * US, "a sample");
    packet.echo = 4 * US;
    path.TakeAck(packet, 0, window, 0, 4 * US);
    test.Expect(path.SmoothedRtt() == 3 * US, "of no time there is none");
    test.Expect(path.Rto(1) == rules.rto.maximum || path.Rto(1) == 2 * path.Rto(0), "back-off");

    packet.echo = NEVER;
    packet.marksSeen = 0xFFFF; // 65535 more would be half a circle too far: older than known
    path.TakeAck(packet, 1, window, 0, 4 * US);
    test.Expect(path.Window() == 64, "an old ACK tells of no marks");
    packet.marksSeen = 3;
    const TransmitWindow later(10, 64);
    path.TakeAck(packet, 3, later, 0, 5 * US);
    const double less = path.Window();
    test.Expect(less < 64, "marks");
    path.TakeAck(packet, 1, later, 0, 6 * US);
    test.Expect(path.Window() >= less, "the same marks count once");
    path.TakeTimeOut(100 * US, 0);
    test.Expect(path.Window() == 1, "a time-out");
}

/// RT-14: the delay that is aimed at stands upon the measured base, which short packets don't make.
void
PathBase(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::DELAY;
    settings.targetDelay = 25 * US;
    const PathRules rules(settings);
    TransportPath path(rules);
    const TransmitWindow window(0, 64);
    path.Open(window, 0, 4096);
    TimePs now = 0;
    const auto echo = [&](TimePs rtt, bool isLong) {
        TransportPacket packet;
        packet.echo = now += MS;
        packet.isLongEcho = isLong;
        path.Send(isLong ? 4096 : 64, now);
        now += rtt;
        path.TakeAck(packet, 1, window, packet.echo, now);
        return path.Window();
    };
    for (uint32_t i = 0; i < 10; ++i)
    {
        test.ExpectEqual(echo(100 * US, true), 64.0, "a base of 100 us is no queue");
    }
    echo(10 * US, false);
    test.ExpectEqual(echo(110 * US, true), 64.0, "a short packet takes less, and is no base");
    test.Expect(echo(130 * US, true) < 64, "a queue");
}

/// A connection's units without the connection, for the planner.
struct PlannerBed
{
    explicit PlannerBed(const TransportSettings& settings = {})
        : shared(settings, ConnectionSettings()),
          delivery(shared.delivery),
          initiator(shared.initiators, terms),
          target(shared.targets, terms)
    {
        ConnectionSettings own;
        terms.Propose(own, true);
        delivery.Propose(own, 0);
        TransportPacket accept(TransportPacketType::ACCEPT);
        delivery.Open(terms, accept);
        target.Begin();
    }

    /// @return what may be sent, as the classes' numbers
    std::string Text(TimePs now)
    {
        std::string text;
        const SendSources sources{handshake, delivery, initiator, target};
        for (uint32_t i = 0; i < TX_CLASSES; ++i)
        {
            const bool has = planner.HasWork(static_cast<TxClass>(i), sources, now);
            text += has ? std::to_string(i) : "";
            if (has != ((planner.Work(sources, now) >> i & 1) != 0))
            {
                text += "!";
            }
        }
        return text;
    }

    /// Opens the connection.
    void Open()
    {
        handshake.Connect();
        handshake.Open();
        initiator.Open();
    }

    /// Sends what the planner chooses of data.
    TransportPacketType SendData(TimePs now)
    {
        TransportPacket out;
        delivery.SendNew(planner.TakeTurn({handshake, delivery, initiator, target}, now)
                             ? target.TakeResponse()
                             : initiator.TakeData(),
                         out,
                         now);
        return out.type;
    }

    ConnectionTerms terms;
    TransportShared shared;
    ConnectionHandshake handshake;
    PacketDelivery delivery;
    TransportInitiator initiator;
    TransportTarget target;
    SendPlanner planner;
};

/// RT-13: what may be sent when.
void
Planner(FunctionCase& test)
{
    PlannerBed bed;
    test.ExpectSame(bed.Text(0), "", "nothing");
    bed.initiator.Issue(UlpOperation::PULL, 1000, 0, false, 0);
    bed.initiator.Issue(UlpOperation::PUSH, 10'000, 0, false, 0);
    bed.handshake.Connect();
    test.ExpectSame(bed.Text(0), "0", "set-up first");
    bed.Open();
    test.ExpectSame(bed.Text(0), "", "the pull is not admitted yet, and the push comes after it");
    bed.initiator.Ask();
    test.ExpectSame(bed.Text(0), "45", "a pull request and push data");
    bed.delivery.ForceAck();
    test.ExpectSame(bed.Text(0), "145", "and an ACK");
    test.Expect(bed.planner.NextTime(bed.delivery, 5) == NEVER, "that waits for the wire");
    bed.delivery.Postpone(5);
    bed.handshake.End();
    test.ExpectSame(bed.Text(0), "", "gone");
}

/// Slow round trips make the congestion window of delay-based control smaller.
/// @param most it is not more afterwards, packets
/// @param now of the first, ps; gets the time of the last
void
SlowDown(PlannerBed& bed, double most, TimePs& now)
{
    for (; bed.delivery.Path().Window() > most; now += 2000 * US)
    {
        TransportPacket ack;
        ack.echo = now - 1000 * US;
        bed.delivery.TakeAcks(ack, now, [](const OutstandingPacket&) {});
    }
}

/// RT-13: push data and pull data take turns; RT-14: below one packet they are paced.
void
PlannerTurns(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::DELAY;
    settings.baseDelay = US;
    PlannerBed bed(settings);
    bed.Open();
    bed.initiator.Issue(UlpOperation::PUSH, 16'000, 0, false, 0);
    TransportPacket pull(TransportPacketType::PULL_REQUEST);
    pull.piece.length = 16'000;
    bed.target.Receive(pull);
    UlpEvent event;
    test.Expect(bed.target.Announce() && !bed.target.Announce(), "told once");
    test.Expect(bed.target.Present(event) && bed.target.Respond(event.rsn), "pull data");
    std::string turns;
    for (uint32_t i = 0; i < 4; ++i)
    {
        turns += bed.SendData(i) == TransportPacketType::PULL_DATA ? "<" : ">";
    }
    test.ExpectSame(turns, "><><", "in turn");

    TimePs now = 2000 * US;
    SlowDown(bed, 0.99, now);
    test.ExpectSame(bed.Text(NEVER - 1).substr(0, 1), "", "less than one packet, four in flight");
    TransportPacket ack;
    ack.dataBase = 4;
    bed.delivery.TakeAcks(ack, now, [](const OutstandingPacket&) {});
    test.ExpectSame(bed.Text(now), "5", "none in flight: one may go");
    bed.SendData(now);
    ack.dataBase = 5;
    bed.delivery.TakeAcks(ack, now + 1, [](const OutstandingPacket&) {});
    const TimePs next = bed.planner.NextTime(bed.delivery, now + 1);
    const double window = bed.delivery.Path().Window();
    test.ExpectEqual(next, now + static_cast<TimePs>(1000 * US / window), "round trip / window");
    test.ExpectSame(bed.Text(next - 1), "", "not before");
    test.ExpectSame(bed.Text(next), "5", "the next");

    // As Swift's pacing delay is that of the last ACK, the queue before it does not count any more.
    const TimePs rtt = 20 * US;
    ack.echo = now + US;
    bed.delivery.TakeAcks(ack, ack.echo + rtt, [](const OutstandingPacket&) {});
    test.ExpectEqual(bed.delivery.Path().Window(), window, "nothing more has come");
    const TimePs sooner = now + static_cast<TimePs>(static_cast<double>(rtt) / window);
    test.ExpectEqual(bed.planner.NextTime(bed.delivery, ack.echo + rtt), sooner, "sooner");
    test.ExpectSame(bed.Text(sooner - 1), "", "not before that");
    test.ExpectSame(bed.Text(sooner), "5", "the next, sooner");
}

/// RT-14: packets in flight are at most the whole part of the window.
void
PlannerWindow(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::DELAY;
    settings.baseDelay = US;
    for (const double most : {60.0, 9.0, 4.0, 2.0, 1.5})
    {
        PlannerBed bed(settings);
        bed.Open();
        bed.initiator.Issue(UlpOperation::PUSH, 1'000'000, 0, false, 0);
        bed.SendData(0);
        TimePs now = 2000 * US;
        SlowDown(bed, most, now);
        while (bed.Text(now).find('5') != std::string::npos)
        {
            bed.SendData(now);
        }
        test.ExpectEqual(bed.delivery.Data().InFlight(),
                         std::floor(bed.delivery.Path().Window()),
                         Text("a window of ", bed.delivery.Path().Window()));
    }
}

/// RT-14: what the peer has and its host keeps counts in the window for its NIC alone, which
/// follows refusals.
void
FabricAndNicWindows(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::DELAY;
    settings.baseDelay = US;
    PlannerBed bed(settings);
    bed.Open();
    bed.initiator.Issue(UlpOperation::PUSH, 1'000'000, 0, false, 0);
    TimePs now = 2000 * US;
    SlowDown(bed, 2.5, now);
    bed.SendData(now);
    bed.SendData(now);
    test.ExpectSame(bed.Text(now), "", "two in the fabric");
    TransportPacket ack;
    ack.bitmaps.dataReceived = PacketBitmap(3, 0);
    bed.delivery.TakeAcks(ack, now, [](const OutstandingPacket&) {});
    test.ExpectEqual(bed.delivery.Data().InFlight(), 2, "not acknowledged");
    test.ExpectEqual(bed.delivery.DataInFabric(), 0, "but they have come");
    test.ExpectSame(bed.Text(now), "5", "the next may go");
    const double fabricWindow = bed.delivery.Path().Window();
    for (double most = 64; most >= 1; most /= 2)
    {
        now += 2000 * US;
        TransportPacket nack(TransportPacketType::NACK, NackCode::NO_RESOURCE);
        bed.delivery.Refuse(nack, now);
        bed.delivery.Refuse(nack, now + 1);
        test.ExpectEqual(bed.delivery.Path().PeerWindow(), most, "half, once in a round trip");
    }
    bed.delivery.Refuse(TransportPacket(TransportPacketType::NACK, NackCode::NO_RESOURCE),
                        now + 2000 * US);
    test.ExpectEqual(bed.delivery.Path().PeerWindow(), 1, "one packet at least");
    test.ExpectEqual(bed.delivery.Path().Window(), fabricWindow, "the fabric is not to blame");
    test.ExpectSame(bed.Text(now), "", "two are not acknowledged");
    ack.dataBase = 2;
    ack.bitmaps.dataReceived = PacketBitmap();
    bed.delivery.TakeAcks(ack, now, [](const OutstandingPacket&) {});
    test.ExpectSame(bed.Text(now), "5", "now they are");
    test.ExpectEqual(bed.delivery.Path().PeerWindow(), 3, "a packet more for a window of them");

    PlannerBed fixed;
    fixed.Open();
    fixed.initiator.Issue(UlpOperation::PUSH, 1'000'000, 0, false, 0);
    fixed.SendData(0);
    fixed.delivery.Refuse(TransportPacket(TransportPacketType::NACK, NackCode::NO_RESOURCE), 0);
    test.ExpectEqual(fixed.delivery.Path().PeerWindow(), 128, "fixed windows are");
}

/// RT-18: requests for which the target was not ready are presented again, each at its time.
void
NotReady(FunctionCase& test)
{
    PlannerBed bed;
    bed.terms.isOrdered = false;
    bed.Open();
    for (uint32_t rsn = 0; rsn < 2; ++rsn)
    {
        TransportPacket pull(TransportPacketType::PULL_REQUEST);
        pull.piece.length = 100;
        pull.piece.rsn = rsn;
        bed.target.Receive(pull);
        UlpEvent event;
        test.Expect(bed.target.Present(event) && event.rsn == rsn, "presented");
        bed.target.Answer(rsn, UlpAnswer::NOT_READY, (20 - 10 * rsn) * US);
    }
    UlpEvent event;
    const auto told = [&test](const TransportPiece&) { test.Expect(false, "no error to tell"); };
    bed.target.RunUntil(10 * US - 1, US, told);
    test.Expect(!bed.target.Present(event), "not yet");
    bed.target.RunUntil(10 * US, US, told);
    test.Expect(bed.target.Present(event) && event.rsn == 1, "the second, whose time is first");
    test.Expect(!bed.target.Present(event), "and not the other");
    bed.target.RunUntil(20 * US, US, told);
    test.Expect(bed.target.Present(event) && event.rsn == 0, "which has its own");
}

/// A push of one packet, 5, has come and is presented.
void
PresentPush(FunctionCase& test, PlannerBed& bed)
{
    bed.Open();
    TransportPacket data(TransportPacketType::PUSH_UNSOLICITED_DATA);
    data.piece.psn = 5;
    data.piece.length = data.piece.amount = 100;
    bed.target.Receive(data);
    UlpEvent event;
    test.Expect(bed.target.Present(event), "presented");
}

/// Of a push in error the peer is told again until it has heard, each time after twice as long.
void
ErrorsAreRepeated(FunctionCase& test)
{
    PlannerBed bed;
    PresentPush(test, bed);
    const auto outcome = bed.target.Answer(0, UlpAnswer::ERROR, 40 * US);
    test.Expect(outcome.nack == NackCode::IN_ERROR && !outcome.acknowledge, "told");
    std::string at;
    for (TimePs now = 0; now <= 1000 * US; now += US)
    {
        bed.target.RunUntil(now, 40 * US, [&](const TransportPiece& about) {
            test.Expect(about.psn == 5 && about.rsn == 0, "of this push");
            at += std::to_string(now / US) + " ";
        });
    }
    test.ExpectSame(at, "40 120 280 600 ", "told again");
    test.Expect(bed.target.HearError(0, 5), "heard");
    bed.target.RunUntil(2000 * US, 40 * US, [&](const TransportPiece&) {
        test.Expect(false, "told after that");
    });
    UlpEvent event;
    test.Expect(!bed.target.Present(event) && bed.target.RetryTime() == NEVER, "it is over");
}

/// A peer that is gone is not told for ever: a simulation would not end.
void
ErrorsAreGivenUp(FunctionCase& test)
{
    PlannerBed bed;
    PresentPush(test, bed);
    bed.target.Answer(0, UlpAnswer::ERROR, US);
    uint32_t told = 0;
    TimePs last = 0;
    while (bed.target.RetryTime() != NEVER && told < 100)
    {
        last = bed.target.RetryTime();
        bed.target.RunUntil(last, US, [&told](const TransportPiece&) { ++told; });
    }
    test.ExpectEqual(told, 10, "how often it is told again");
    test.ExpectEqual(last, 1023 * US, "1 + 2 + 4 + ... us");
}

/// The units of a connection.
class ConnectionUnitsSuite : public FunctionSuite
{
  public:
    ConnectionUnitsSuite()
        : FunctionSuite("fabric-connection-units", kUnit)
    {
        Add("RT-1 set-up", SetUp);
        Add("RT-1 tear-down and probes", TearDown);
        Add("RT-1 any calls in any order", AnyCalls);
        Add("RT-9 what the peer is told, and when", Acks);
        Add("RT-14 what ACKs tell of the path", Path);
        Add("RT-14 the target is beyond the base delay of long packets", PathBase);
        Add("RT-13 what may be sent", Planner);
        Add("RT-13 turns and pacing", PlannerTurns);
        Add("RT-14 packets in flight by window", PlannerWindow);
        Add("RT-14 windows for the fabric and for the peer's NIC", FabricAndNicWindows);
        Add("RT-18 targets that are not ready", NotReady);
        Add("RT-18 errors are told until they are heard", ErrorsAreRepeated);
        Add("RT-18 errors are not told for ever", ErrorsAreGivenUp);
    }
};

ConnectionUnitsSuite g_connectionUnitsSuite; ///< Registers the suite.

} // namespace
