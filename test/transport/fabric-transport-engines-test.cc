/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-control.h"
#include "fabric-function-case.h"
#include "fabric-grant-policy.h"
#include "fabric-refusal.h"
#include "fabric-reorder-engine.h"
#include "fabric-retransmission-engine.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"
#include "fabric-timed-ring.h"
#include "fabric-transport-bed.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// @return a packet of a request with a deadline
OutstandingPacket
Packet(uint32_t rsn, TimePs sentAt, TimePs deadline)
{
    OutstandingPacket packet;
    packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
    packet.rsn = rsn;
    packet.Send(sentAt, deadline - sentAt);
    return packet;
}

/// RT-12's table, row by row.
void
Retransmission(FunctionCase& test)
{
    RetransmissionEngine::Pool pool;
    RetransmissionEngine engine(0xFFFFFFFC, 16);
    LossDetector losses;
    const RetransmissionEngine::News news{losses, 200, 10, 20};
    std::string cleared;
    const auto clear = [&](uint32_t psn, const OutstandingPacket&, bool isWaiting) {
        cleared += std::to_string(static_cast<int32_t>(psn)) + (isWaiting ? "w " : " ");
    };
    for (uint32_t i = 0; i < 10; ++i)
    {
        test.Expect(engine.Register(Packet(20 - i, i, 100 + i), pool) == 0xFFFFFFFC + i, "PSN");
    }
    test.Expect(engine.Deadline() == 100, "earliest deadline");

    // Time-out of the first two; resent in the order of PSNs.
    auto expiry = engine.Expire(101, 1);
    test.Expect(expiry.lost == PacketBitmap(0b11, 0) && !expiry.exhausted &&
                    engine.Deadline() == 102,
                "time-out");
    test.Expect(engine.NextResend() == 0xFFFFFFFC, "by PSN");
    engine.Resent(0xFFFFFFFC, 101, 99);
    engine.Resent(0xFFFFFFFD, 101, 100);
    test.Expect(!engine.HasResend() && engine.At(0xFFFFFFFC).retries == 1, "resent");

    // Gaps: packets 4 and 6 have come, threshold 2; 0 and 1 were sent too lately.
    engine.NoteReceived(0xFFFFFFFC, PacketBitmap(0b1010000, 0), news, clear);
    test.Expect(engine.FindGaps(2, 50) == PacketBitmap(0b1100, 0), "2 and 3");
    test.Expect(engine.NextResend() == 0xFFFFFFFE, "the first gap");
    test.Expect(engine.FindGaps(2, 50).IsEmpty(), "once");

    // A refusal waits for its time and does not count; what is received but not acknowledged
    // neither.
    test.Expect(engine.Refuse(0xFFFFFFFC, 300) && engine.At(0xFFFFFFFC).retries == 0, "refused");
    test.Expect(!engine.Refuse(0x20, 300), "not in flight");
    engine.NoteReceived(0xFFFFFFFC, PacketBitmap(0b10, 0), news, clear);
    test.Expect(engine.At(0xFFFFFFFD).retries == 0, "the peer has it");
    test.ExpectSame(cleared, "-3 ", "it was resent");

    // An ACK retires, lowest PSN first.
    std::string retired;
    engine.Acknowledge(0xFFFFFFFE,
                       PacketBitmap(0b100, 0),
                       pool,
                       news,
                       clear,
                       [&](uint32_t psn, OutstandingPacket& p) {
                           retired += std::to_string(static_cast<int32_t>(psn)) + "/" +
                                      std::to_string(p.rsn) + " ";
                       });
    test.ExpectSame(retired, "-4/20 -3/19 0/16 ", "retired");

    expiry = engine.Expire(1000, 0);
    test.Expect(expiry.exhausted == 1U && engine.At(1).IsOfOwnRequest(), "no retries allowed");
    uint32_t left = 0;
    engine.Abandon(pool, [&](uint32_t, const OutstandingPacket&) { ++left; });
    test.Expect(left == 7 && engine.Deadline() == NEVER && engine.Slots() == 0, "given up");
}

/// RTO = max(scale x RTT, minimum), doubled, limited.
void
Rto(FunctionCase& test)
{
    RtoRule rule{4, 10 * US, 100 * US, true, 5 * US};
    RttEstimator rtt;
    test.Expect(rule.Rto(rtt, 0) == 20 * US, "before there is a sample");
    rtt.Sample(US);
    test.Expect(rule.Rto(rtt, 0) == 10 * US && rule.Rto(rtt, 1) == 20 * US, "minimum, back-off");
    test.Expect(rule.Rto(rtt, 200) == 100 * US, "limit");
    rtt.Sample(9 * US);
    test.Expect(rtt.Smoothed() == 2 * US, "a gain of 1/8");
    rule.backsOff = false;
    test.Expect(rule.Rto(rtt, 7) == 10 * US, "no back-off");
    rule.maximum = 5 * US;
    test.Expect(rule.Rto(rtt, 0) == 10 * US, "the limit is that of the back-off");
}

/// Where nobody moves the head, it is no older than the base; what is cleared has no RSN left.
void
HeadAndBase(FunctionCase& test)
{
    struct Entry
    {
        RsnState state{RsnState::UNKNOWN};
    };

    BufferPool<Entry> pool;
    ReorderEngine<Entry> engine;
    for (const uint32_t rsn : {0, 1, 2, 3})
    {
        engine.Store(rsn, pool);
    }
    engine.Retire(1, pool);
    test.Expect(engine.Base() == 0 && engine.Head() == 0, "the oldest is there");
    engine.Retire(0, pool);
    test.Expect(engine.Base() == 2 && engine.Head() == 2, "two are over");
    engine.Clear(pool);
    test.Expect(engine.Base() == 4 && engine.Head() == 4 && engine.End() == 4, "all are over");
    test.Expect(engine.State(3) == RsnState::RETIRED && engine.Size() == 0, "none is kept");
}

/// An error says that it is one, whatever the packet was before.
void
ErrorsHaveStatus(FunctionCase& test)
{
    OutstandingPacket error;
    error.type = TransportPacketType::ERROR_RESPONSE;
    error.rsn = 7;
    TransportPacket packet(TransportPacketType::ACK);
    error.WriteTo(packet, 3);
    test.Expect(packet.status == TransportStatus::REMOTE_ERROR, "its status");
    test.Expect(packet.piece.rsn == 7 && packet.piece.psn == 3, "what it is of");
}

/// Random requests in random order against a map.
void
Reorder(FunctionCase& test)
{
    struct Entry
    {
        RsnState state{RsnState::UNKNOWN};
        uint64_t value{0};
    };

    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        std::mt19937_64 random(seed);
        BufferPool<Entry> pool;
        ReorderEngine<Entry> engine;
        std::map<uint32_t, uint64_t> stored;
        std::map<uint32_t, bool> retired;
        uint32_t base = 0;
        const uint32_t span = 1 + random() % 300;
        bool isRight = true;
        for (uint32_t step = 0; step < 600; ++step)
        {
            const uint32_t rsn = base + static_cast<uint32_t>(random() % span);
            isRight = isRight &&
                      (engine.State(rsn) == RsnState::STORED) == (stored.count(rsn) > 0) &&
                      (engine.State(rsn) == RsnState::RETIRED) == (retired.count(rsn) > 0);
            if (Entry* entry = engine.Find(rsn))
            {
                isRight = isRight && entry->value == stored[rsn];
                engine.Retire(rsn, pool);
                stored.erase(rsn);
                retired[rsn] = true;
            }
            else if (engine.State(rsn) == RsnState::UNKNOWN)
            {
                engine.Store(rsn, pool).value = stored[rsn] = random();
            }
            for (; retired.count(base) > 0; ++base)
            {
                retired.erase(base);
            }
            isRight = isRight && engine.Base() == base && engine.Size() == stored.size();
        }
        engine.Clear(pool);
        isRight = isRight && engine.Slots() == 0;
        test.Expect(isRight, "seed " + std::to_string(seed));
    }
}

/// The order of grants.
void
GrantsWithinWindows(FunctionCase& test)
{
    const auto order = [](GrantOrder kind) {
        GrantPolicy policy(kind);
        policy.Add({1, 0, 0, 30});
        policy.Add({1, 1, 0, 10});
        policy.Add({2, 0, 1, 20});
        policy.Add({3, 0, 2, 10});
        std::string text;
        while (!policy.IsEmpty())
        {
            text +=
                std::to_string(policy.Next().cid) + "." + std::to_string(policy.Next().rsn) + " ";
            policy.Grant(10);
        }
        return text;
    };
    test.ExpectSame(order(GrantOrder::ARRIVAL), "1.0 1.0 1.0 1.1 2.0 2.0 3.0 ", "arrival");
    test.ExpectSame(order(GrantOrder::ROUND_ROBIN), "1.0 2.0 3.0 1.0 2.0 1.0 1.1 ", "round robin");
    test.ExpectSame(order(GrantOrder::SHORTEST_FIRST), "1.1 3.0 2.0 2.0 1.0 1.0 1.0 ", "shortest");
}

/// Random entries against a stable sort.
void
Arrivals(FunctionCase& test)
{
    /// What is to come.
    struct Entry
    {
        TimePs at;       ///< When, ps.
        uint32_t number; ///< In the order of Push().

        /// @return whether it is the same
        bool operator==(const Entry& other) const
        {
            return at == other.at && number == other.number;
        }
    };

    for (uint64_t seed = 1; seed <= 100; ++seed)
    {
        std::mt19937_64 random(seed);
        TimedRing<Entry> ring;
        std::vector<Entry> oracle;
        for (uint32_t i = 0; i < 500; ++i)
        {
            const Entry entry{static_cast<TimePs>(i / 2 + (random() % 8 == 0 ? random() % 40 : 0)),
                              i};
            ring.Push(entry);
            oracle.push_back(entry);
            std::stable_sort(oracle.begin(), oracle.end(), [](const Entry& a, const Entry& b) {
                return a.at < b.at;
            });
            for (uint64_t n = random() % 3; n > 0 && !oracle.empty(); --n)
            {
                const std::string where = "seed " + std::to_string(seed);
                test.Expect(ring.Earliest() == oracle.front().at, where + ": earliest");
                test.Expect(ring.Front() == oracle.front(), where + ": first");
                ring.Pop();
                oracle.erase(oracle.begin());
            }
            test.Expect(ring.IsEmpty() == oracle.empty(), "empty, seed " + std::to_string(seed));
        }
    }
    test.Expect(TimedRing<Entry>().Earliest() == NEVER, "nothing to come");
}

/// The times of a packet in flight, in fewer bits than two times have.
void
PacketTimes(FunctionCase& test)
{
    constexpr TimePs FAR = TimePs{1} << 61;
    OutstandingPacket packet;
    packet.Send(FAR, 100'000'000 * US); // as long as any setting allows
    test.Expect(packet.SentAt() == FAR, "when it was sent");
    test.Expect(packet.Deadline() == FAR + 100'000'000 * US, "its deadline");
    packet.PutOff(FAR + 110'000'000 * US);
    test.Expect(packet.SentAt() == FAR, "a refusal is not a resend");
    test.Expect(packet.Deadline() == FAR + 110'000'000 * US, "put off");
    packet.PutOff(FAR + 1'000'000'000 * US);
    test.Expect(packet.Deadline() == FAR + 1'000'000'000 * US, "put off by more than it can hold");
    test.Expect(packet.SentAt() > FAR, "sent that long before");
}

/// The three strategies.
void
Congestion(FunctionCase& test)
{
    TransportSettings settings;
    CongestionSample sample;
    sample.acked = 10;

    auto fixed = CongestionControl::Make(settings);
    CongestionState state = fixed->Start(64, 0);
    fixed->OnTimeOut(state, 0, US, 0);
    fixed->OnLoss(state, 0, US);
    fixed->OnAck(state, sample);
    test.Expect(state.window == 64, "fixed");

    settings.congestionControl = CongestionControlKind::DELAY;
    settings.targetDelay = 15 * US;
    settings.flowScaling = 0;
    auto delay = CongestionControl::Make(settings);
    state = delay->Start(64, 0);
    sample.now = 100 * US;
    sample.rtt = 40 * US;
    sample.baseDelay = NEVER;
    delay->OnAck(state, sample);
    test.Expect(state.window == 64, "nothing is known of the way");
    sample.baseDelay = 5 * US;
    delay->OnAck(state, sample);
    test.Expect(std::abs(state.window - 64 * (1 - 0.8 * 0.5)) < 1e-9, "twice the target");
    delay->OnAck(state, sample);
    test.Expect(std::abs(state.window - 38.4) < 1e-9, "once a round trip");
    sample.rtt = 10 * US;
    delay->OnAck(state, sample);
    test.Expect(std::abs(state.window - (38.4 + 10 / 38.4)) < 1e-9, "one packet a round trip");
    for (uint32_t i = 1; i < 200; ++i)
    {
        delay->OnTimeOut(state, (100 + 20 * i) * US, 10 * US, (90 + 20 * i) * US);
    }
    test.Expect(state.window == settings.minWindow, "down to the least");

    settings.congestionControl = CongestionControlKind::MARKS;
    auto marks = CongestionControl::Make(settings);
    state = marks->Start(64, 0);
    sample.marked = 10;
    for (uint32_t i = 0; i < 200; ++i)
    {
        sample.base = sample.next;
        sample.next += 10;
        marks->OnAck(state, sample);
    }
    test.Expect(state.window == 1 && state.markedPart > 0.99, "all marked");
    sample.marked = 0;
    for (uint32_t i = 0; i < 250; ++i)
    {
        sample.base = sample.next;
        sample.next += 10;
        marks->OnAck(state, sample);
    }
    test.Expect(state.window == 64 && state.markedPart < 0.01, "none marked");
}

/// A connection begins with the window that is asked for, or the data window if that is smaller.
void
InitialWindow(FunctionCase& test)
{
    for (const auto kind : {CongestionControlKind::DELAY, CongestionControlKind::MARKS})
    {
        for (const auto& [initial, limit, window] :
             {std::tuple{128U, 64U, 64U}, {10U, 64U, 10U}, {10U, 4U, 4U}, {1U, 128U, 1U}})
        {
            TransportSettings settings;
            settings.congestionControl = kind;
            settings.initialWindow = initial;
            ConnectionSettings connection;
            connection.dataWindow = limit;
            connection.solicitation = Solicitation::NEVER;
            TwoUlps ulps(settings, connection);
            TransportEndpoint& a = ulps.bed.Node(0);
            const ConnectionId cid = a.Connect(1, connection, 0);
            ulps.bed.Run(20 * US);
            a.Push(cid, 1'000'000, ulps.bed.Now());
            uint32_t sent = 0;
            while (a.NextPacket(ulps.bed.Now()))
            {
                ++sent;
            }
            test.ExpectEqual(sent, window, "packets at once");
            test.ExpectEqual(a.View(cid)->congestionWindow, window, "window");
        }
    }
}

/// The largest decrease for delay, however long it is.
void
LargestDecrease(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::DELAY;
    settings.targetDelay = 15 * US;
    settings.flowScaling = 0;
    const auto delay = CongestionControl::Make(settings);
    CongestionState state = delay->Start(64, 0);
    CongestionSample sample;
    sample.acked = 1;
    sample.now = 1000 * US;
    sample.rtt = 900 * US;
    sample.baseDelay = 5 * US;
    delay->OnAck(state, sample);
    test.ExpectEqual(state.window, 32, "half, where 0.8 x 880/900 would go");
    sample.now += sample.rtt - 1;
    delay->OnAck(state, sample);
    test.ExpectEqual(state.window, 32, "not twice in a round trip");
    sample.now += 1;
    delay->OnAck(state, sample);
    test.ExpectEqual(state.window, 16, "again after it");
}

/// A flight whose packets time out one by one makes the window smaller once, however short the
/// round trip is that was measured.
void
TimeOutsOfOneFlight(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::DELAY;
    const auto delay = CongestionControl::Make(settings);
    CongestionState state = delay->Start(64, 0);
    for (const double window : {32, 16, 8})
    {
        const TimePs sentAt = static_cast<TimePs>(1000 * US * (64 / window));
        for (TimePs i = 0; i < 64; ++i)
        {
            delay->OnTimeOut(state, sentAt + 320 * US + i * US, 100 * NS, sentAt + i * US);
        }
        test.ExpectEqual(state.window, window, "half for a flight");
    }
}

/// Swift's algorithm 1 as the paper has it (SIGCOMM'20), above and below one packet, against ACKs
/// of any delay.
void
SwiftAlgorithm(FunctionCase& test)
{
    uint32_t below = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> part(0.05, 0.95);
        TransportSettings settings;
        settings.congestionControl = CongestionControlKind::DELAY;
        settings.flowScaling = 0;
        settings.targetDelay = 15 * US;
        settings.additiveIncrease = part(random);
        settings.delayBeta = part(random);
        settings.maxDecrease = part(random);
        const auto delay = CongestionControl::Make(settings);
        const uint32_t limit = 1 + random() % 128;
        CongestionState state = delay->Start(limit, 0);
        double cwnd = limit;
        TimePs lastDecrease = -NEVER;
        CongestionSample sample;
        sample.baseDelay = 5 * US;
        const double target = 20 * US;
        for (uint32_t step = 0; step < 300; ++step)
        {
            sample.now += static_cast<TimePs>(random() % (80 * US));
            sample.rtt = static_cast<TimePs>(5 * US + random() % (40 * US));
            sample.acked = random() % 4;
            delay->OnAck(state, sample);
            const auto rtt = static_cast<double>(sample.rtt);
            if (rtt < target)
            {
                cwnd += cwnd >= 1 ? settings.additiveIncrease / cwnd * sample.acked
                                  : settings.additiveIncrease * sample.acked;
            }
            else if (sample.now - sample.rtt >= lastDecrease)
            {
                cwnd *= std::max(1 - settings.delayBeta * (rtt - target) / rtt,
                                 1 - settings.maxDecrease);
                lastDecrease = sample.now;
            }
            cwnd = std::clamp(cwnd, settings.minWindow, static_cast<double>(limit));
            below += cwnd < 1;
            test.ExpectNear(state.window, cwnd, 1e-9 * cwnd, Text("seed ", seed, " step ", step));
            cwnd = state.window;
        }
    }
    test.Expect(below > 5000, "windows below one packet");
}

/// RFC 8257 with rounds of any length, packets marked at random, and ACKs of one packet or more.
void
Marks(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        std::mt19937_64 random(seed);
        TransportSettings settings;
        settings.congestionControl = CongestionControlKind::MARKS;
        settings.markGain = 1.0 / static_cast<double>(1 + random() % 32);
        const auto marks = CongestionControl::Make(settings);
        const uint32_t limit = 1 + random() % 128;
        const uint32_t first = random() % 2 == 0 ? 0 : 0xFFFFFFF0;
        CongestionState state = marks->Start(limit, first);
        double window = limit;
        double alpha = 1;
        uint64_t base = first; // these do not wrap
        uint64_t roundEnd = first;
        uint64_t decreased = first; // what was sent before the last decrease
        uint32_t acked = 0;
        uint32_t marked = 0;
        for (uint32_t step = 0; step < 300; ++step)
        {
            CongestionSample sample;
            sample.acked = 1 + random() % 4;
            sample.marked = random() % 3 == 0 ? random() % (sample.acked + 1) : 0;
            base += sample.acked;
            const uint64_t next = base + random() % 20;
            sample.base = static_cast<uint32_t>(base);
            sample.next = static_cast<uint32_t>(next);
            acked += sample.acked;
            marked += sample.marked;
            if (base >= roundEnd)
            {
                const double part = static_cast<double>(marked) / acked;
                alpha = (1 - settings.markGain) * alpha + settings.markGain * part;
                acked = marked = 0;
                roundEnd = next;
            }
            uint32_t fresh = 0; // acknowledged of what was sent since the last decrease
            for (uint64_t psn = base - sample.acked; psn < base; ++psn)
            {
                fresh += psn >= decreased ? 1 : 0;
            }
            if (sample.marked > sample.acked - fresh)
            {
                window = std::max(1.0, window * (1 - alpha / 2));
                decreased = next;
            }
            else
            {
                window = std::min<double>(limit, window + fresh / window);
            }
            marks->OnAck(state, sample);
            test.ExpectNear(state.window, window, 1e-9, Text("seed ", seed, ", step ", step));
            test.ExpectNear(state.markedPart, alpha, 1e-9, Text("seed ", seed, ", step ", step));
        }
    }
}

/// RT-12: a packet that was refused waits for its time, whatever gaps there are, and is no
/// time-out.
void
Refusals(FunctionCase& test)
{
    for (const bool isByTime : {true, false})
    {
        RetransmissionEngine::Pool pool;
        RetransmissionEngine engine(0, 16);
        for (uint32_t i = 0; i < 4; ++i)
        {
            engine.Register(Packet(i, i, 1000), pool);
        }
        test.Expect(engine.Refuse(0, 300), "refused");
        LossDetector losses;
        const auto clear = [](uint32_t, const OutstandingPacket&, bool) {};
        engine.NoteReceived(0, PacketBitmap(0b1100, 0), {losses, 50, 10, 20}, clear);
        const PacketBitmap lost =
            isByTime ? engine.FindLost(losses, 0, 50) : engine.FindGaps(2, 50);
        test.Expect(lost == PacketBitmap(0b10, 0), "only 1 is missing");
        test.ExpectEqual(engine.NextResend(), 1, "1 is resent");
        engine.Resent(1, 60, 940);
        test.Expect(!engine.HasResend(), "0 has to wait");
        test.Expect(engine.Expire(299, 0).lost.IsEmpty() && !engine.HasResend(), "until its time");
        const auto due = engine.Expire(300, 0);
        test.Expect(engine.HasResend() && due.lost.IsEmpty() && !due.exhausted,
                    "no time-out, no retry");
        test.Expect(engine.At(0).wasRefused && engine.At(0).retries == 0, "as was asked");
        engine.Resent(0, 300, 700);
        test.Expect(!engine.At(0).wasRefused && engine.Deadline() == 1000,
                    "as any other after that");
    }
}

/// Each setting is refused outside its range with a sentence that names it.
void
Settings(FunctionCase& test)
{
    const auto refuse = [&test](const std::string& name,
                                const std::function<void(TransportSettings&)>& set) {
        TransportSettings settings;
        settings.Validate();
        set(settings);
        const std::string sentence = Refusal([&] { TransportEndpoint{settings}; });
        test.Expect(sentence.find(name) != std::string::npos &&
                        sentence.find("allowed is") != std::string::npos,
                    name + ": " + sentence);
    };
    refuse("maxConnections", [](auto& s) { s.maxConnections = 65536; });
    refuse("initiatorEntries", [](auto& s) { s.initiatorEntries = 0; });
    refuse("targetEntries", [](auto& s) { s.targetEntries = 0; });
    refuse("packetEntries", [](auto& s) { s.packetEntries = 0; });
    refuse("sendPayloadBytes", [](auto& s) { s.sendPayloadBytes = 100; });
    refuse("receivePayloadBytes", [](auto& s) { s.receivePayloadBytes = 0; });
    refuse("grantLimitBytes", [](auto& s) { s.grantLimitBytes = 1; });
    refuse("grantQuantumBytes", [](auto& s) { s.grantQuantumBytes = 1 << 20; });
    refuse("grantOrder", [](auto& s) { s.grantOrder = static_cast<GrantOrder>(3); });
    refuse("ackPackets", [](auto& s) { s.ackPackets = 129; });
    refuse("ackDelay", [](auto& s) { s.ackDelay = -1; });
    refuse("rtoScale", [](auto& s) { s.rtoScale = std::nan(""); });
    refuse("minRto", [](auto& s) { s.minRto = 0; });
    refuse("maxRto", [](auto& s) { s.maxRto = s.minRto - 1; });
    refuse("initialRtt", [](auto& s) { s.initialRtt = 0; });
    refuse("retryLimit", [](auto& s) { s.retryLimit = 256; });
    refuse("reorderThreshold", [](auto& s) { s.reorderThreshold = 0; });
    refuse("minReorderWindow", [](auto& s) { s.minReorderWindow = -1; });
    refuse("maxReorderWindow", [](auto& s) { s.minReorderWindow = s.maxReorderWindow + 1; });
    refuse("notReadyLimit", [](auto& s) { s.notReadyLimit = 256; });
    refuse("probeInterval", [](auto& s) { s.probeInterval = 0; });
    refuse("noResourceDelay", [](auto& s) { s.noResourceDelay = 0; });
    refuse("congestionControl",
           [](auto& s) { s.congestionControl = static_cast<CongestionControlKind>(9); });
    refuse("initialWindow", [](auto& s) { s.initialWindow = 127; }); // FIXED has all of it
    refuse("initialWindow", [](auto& s) {
        s.congestionControl = CongestionControlKind::MARKS;
        s.initialWindow = 0;
    });
    refuse("initialWindow", [](auto& s) {
        s.congestionControl = CongestionControlKind::DELAY;
        s.initialWindow = 129;
    });
    refuse("targetDelay", [](auto& s) { s.targetDelay = -1; });
    refuse("baseDelay", [](auto& s) { s.baseDelay = -1; });
    refuse("baseDelayPeriod", [](auto& s) { s.baseDelayPeriod = -1; });
    refuse("hopDelay", [](auto& s) { s.hopDelay = -1; });
    refuse("flowScaling", [](auto& s) { s.flowScaling = std::nan(""); });
    refuse("leastScaledWindow", [](auto& s) { s.leastScaledWindow = 0; });
    refuse("mostScaledWindow", [](auto& s) { s.mostScaledWindow = 1; });
    refuse("additiveIncrease", [](auto& s) { s.additiveIncrease = 0; });
    refuse("delayBeta", [](auto& s) { s.delayBeta = 2; });
    refuse("maxDecrease", [](auto& s) { s.maxDecrease = 1; });
    refuse("minWindow", [](auto& s) { s.minWindow = 0; });
    refuse("markGain", [](auto& s) { s.markGain = 0; });
    refuse("weight", [](auto& s) { s.txWeights[3] = 0; });

    const auto refuseConnection = [&test](const std::string& name,
                                          const std::function<void(ConnectionSettings&)>& set) {
        ConnectionSettings settings;
        set(settings);
        TransportEndpoint endpoint{TransportSettings()};
        const std::string sentence = Refusal([&] { endpoint.Connect(1, settings, 0); });
        test.Expect(sentence.find(name) != std::string::npos, name + ": " + sentence);
    };
    refuseConnection("mtu", [](auto& c) { c.mtu = 9001; });
    refuseConnection("requestWindow", [](auto& c) { c.requestWindow = 0; });
    refuseConnection("requestWindow", [](auto& c) { c.requestWindow = 65; });
    refuseConnection("dataWindow", [](auto& c) { c.dataWindow = 0; });
    refuseConnection("dataWindow", [](auto& c) { c.dataWindow = 129; });
    refuseConnection("requestSpan", [](auto& c) { c.requestSpan = 4097; });
    refuseConnection("solicitation",
                     [](auto& c) { c.solicitation = static_cast<Solicitation>(4); });
    refuseConnection("solicitBelowWindow", [](auto& c) { c.solicitBelowWindow = -1; });
}

/**
 * Goodput against loss, fixed window, selective acknowledgement. Each packet is lost with
 * probability p, each time it is sent, so it is sent 1 / (1 - p) times. As long as the window lasts
 * for the rounds of resends that its oldest packet needs, the wire is never idle, and with a packet
 * time s
 *
 *     goodput = (1 - p) / s.
 *
 * Here s = 100 ns, a round trip is about 2.5 us or 25 packets, the window 128: it stands still when
 * one packet is lost about 5 times in a row, p^5 = 1e-5 at 10 %. Go-back-N sends all packets of a
 * round trip again, R of them, for each one lost: (1 - p) / (s (1 - p + p R)).
 */
void
Goodput(FunctionCase& test)
{
    constexpr TimePs spacing = 100'000;
    constexpr double roundTrip = 22; // packets, at least: two ways of 1 us, two packets
    for (const double loss : {0.0, 0.001, 0.01, 0.02, 0.05, 0.1})
    {
        NetworkFaults faults;
        faults.loss = loss;
        faults.spacing = spacing;
        TransportBed bed(2, TransportSettings(), ConnectionSettings(), faults, 5);
        ConnectionSettings connection;
        connection.isOrdered = false;
        connection.mtu = 1000;
        connection.solicitation = Solicitation::NEVER;
        const ConnectionId cid = bed.Node(0).Connect(1, connection, 0);
        bed.onEvent = [&](uint32_t node, const UlpEvent& event) {
            if (event.type == UlpEventType::REQUEST)
            {
                bed.Node(node).AckRequest(event.cid, event.rsn, UlpAnswer::OK, bed.Now());
            }
            else if (node == 0 && event.status == TransportStatus::OK)
            {
                while (bed.Node(0).Push(cid, 4000, bed.Now()))
                {
                }
            }
        };
        bed.Run(1000 * US);
        const uint64_t before = bed.Node(1).Counters().deliveredBytes;
        bed.Run(6000 * US);
        const double packets =
            static_cast<double>(bed.Node(1).Counters().deliveredBytes - before) / 1000;
        const double goodput = packets * spacing / (5000 * US);
        const double expected = 1 - loss;
        const double goBackN = (1 - loss) / (1 - loss + loss * roundTrip);
        test.Expect(std::abs(goodput / expected - 1) <= 0.05,
                    "loss " + std::to_string(loss) + ": " + std::to_string(goodput) + " of " +
                        std::to_string(expected));
        test.Expect(goodput >= goBackN || loss == 0, "not below go-back-N");
    }
}

/// The suite.
class TransportEnginesSuite : public FunctionSuite
{
  public:
    TransportEnginesSuite()
        : FunctionSuite("fabric-transport-engines", kUnit)
    {
        Add("RT-12 retransmission engine", Retransmission);
        Add("RT-12 time-outs", Rto);
        Add("RT-11 reorder engine against a map", Reorder);
        Add("RT-11 head and base of unordered requests", HeadAndBase);
        Add("RT-18 an error is told with its status", ErrorsHaveStatus);
        Add("RT-4 order of grants", GrantsWithinWindows);
        Add("RT-12 times of a packet in flight", PacketTimes);
        Add("DP-7 arrivals against a stable sort", Arrivals);
        Add("RT-12 refusals", Refusals);
        Add("RT-14 congestion control", Congestion);
        Add("RT-14 a connection begins with the window that is asked for", InitialWindow);
        Add("RT-14 largest decrease for delay", LargestDecrease);
        Add("RT-14 time-outs of one flight count once", TimeOutsOfOneFlight);
        Add("RT-14 windows by delay against the algorithm of the paper", SwiftAlgorithm);
        Add("RT-14 windows by marks against a plain model", Marks);
        Add("RT-18 settings out of range", Settings);
        Add("RT-17 goodput against loss", Goodput);
    }
};

TransportEnginesSuite g_transportEnginesSuite; ///< Registers the suite.

} // namespace
