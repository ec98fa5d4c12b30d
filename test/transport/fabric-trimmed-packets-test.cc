/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-retransmission-engine.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <map>
#include <random>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// A connection over which node 0 pushes, and whose packets a test may trim.
class TrimmedPushes
{
  public:
    explicit TrimmedPushes(const TransportSettings& settings = {}, NetworkFaults faults = {})
        : ulps(settings, ConnectionSettings(), faults)
    {
        ConnectionSettings connection;
        connection.solicitation = Solicitation::NEVER;
        cid = ulps.bed.Node(0).Connect(1, connection, 0);
        ulps.bed.Run(100 * US);
    }

    /// @return what the sender has counted
    const TransportCounters& Sender()
    {
        return ulps.bed.Node(0).Counters();
    }

    /// @return what the receiver has counted
    const TransportCounters& Receiver()
    {
        return ulps.bed.Node(1).Counters();
    }

    /// @return how long a push takes until it is complete, ps
    TimePs Push(uint32_t bytes)
    {
        const TimePs start = ulps.bed.Now();
        const uint64_t before = Sender().completions;
        ulps.bed.Node(0).Push(cid, bytes, start);
        while (Sender().completions == before && ulps.bed.Now() < start + 100 * MS)
        {
            ulps.bed.Run(ulps.bed.Now() + 100 * NS);
        }
        return ulps.bed.Now() - start;
    }

    TwoUlps ulps;                    ///< Both ends.
    ConnectionId cid{NO_CONNECTION}; ///< Of the sender.
};

/// The row of the table of resends, and what is none.
void
TestEngine(FunctionCase& test)
{
    RetransmissionEngine::Pool pool;
    RetransmissionEngine engine(100, 8);
    OutstandingPacket packet;
    packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
    packet.Send(5, 1000);
    packet.retries = 3;
    engine.Register(packet, pool);
    engine.Register(packet, pool);
    test.Expect(!engine.Trim(99, 5) && !engine.Trim(102, 5), "outside of the window");
    test.Expect(!engine.Trim(100, 4), "an older copy");
    test.Expect(!engine.HasResend(), "nothing is to be resent");
    test.Expect(engine.Trim(101, 5), "the last copy");
    test.Expect(engine.HasResend() && engine.NextResend() == 101, "it is to be resent");
    test.ExpectEqual(engine.At(101).retries, 0, "the peer is there");
    test.Expect(!engine.Trim(101, 5), "once");
    engine.Resent(101, 7, 1000);
    test.Expect(!engine.HasResend() && !engine.Trim(101, 5), "a copy before it");
    test.Expect(engine.Trim(101, 7), "that one, too");
    engine.Resent(101, 9, 1000);
    engine.NoteDuplicate(101);
    test.Expect(!engine.Trim(101, 9), "what has come is not missed");
}

/// One packet of a push is trimmed, several times: it is sent again a round trip later each time,
/// and neither early detection nor time-outs have to find out.
void
TestRoundTrips(FunctionCase& test)
{
    TransportSettings settings;
    settings.lossDetection = LossDetection::NONE;
    settings.sendsProbes = false;
    TrimmedPushes clean(settings);
    clean.Push(40'000);
    const TimePs once = clean.Push(40'000);
    for (const uint32_t times : {1U, 2U, 5U})
    {
        TrimmedPushes run(settings);
        run.Push(40'000);
        uint32_t left = times;
        run.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
            if (from != 0 || out.packet.PayloadBytes() == 0 ||
                out.packet.piece.offset != 4096 * 5 || left == 0)
            {
                return true;
            }
            --left;
            run.ulps.bed.InjectHeader(out.packet, 0, 1, US);
            return false;
        };
        const TimePs time = run.Push(40'000);
        const std::string what = std::to_string(times) + " times: ";
        test.ExpectEqual(run.Sender().trimResends, times, what + "resends");
        test.ExpectEqual(run.Sender().resends, times, what + "no others");
        test.ExpectEqual(run.Sender().timeOuts, 0, what + "no time-out");
        test.ExpectEqual(run.Receiver().trimmed, times, what + "headers");
        test.ExpectEqual(run.Receiver().deliveredBytes, 80'000, what + "delivered");
        // A round trip is 2 us; NACK and resend wait for a wire of 100 ns.
        test.Expect(time <= once + times * (2 * US + 500 * NS),
                    Text(times, " times: ", time, " ps, ", once, " without"));
    }
}

/// The first packet of a connection is trimmed before the acceptor has heard of anything else.
void
TestFirstPacket(FunctionCase& test)
{
    TransportSettings settings;
    TwoUlps ulps(settings, ConnectionSettings());
    uint32_t trimmed = 0;
    ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        if (from != 0 || out.packet.PayloadBytes() == 0 || trimmed > 0)
        {
            return true;
        }
        ++trimmed;
        ulps.bed.InjectHeader(out.packet, 0, 1, US);
        return false;
    };
    const ConnectionId cid = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
    ulps.bed.Node(0).Push(cid, 1000, 0);
    ulps.bed.Run(MS);
    test.ExpectEqual(trimmed, 1, "trimmed");
    test.ExpectEqual(ulps.bed.Node(0).Counters().completions, 1, "complete");
    test.ExpectEqual(ulps.bed.Node(0).Counters().timeOuts, 0, "without a time-out");
}

/// NACKs and headers that are old, doubled or wrong do no harm.
void
TestStale(FunctionCase& test)
{
    TrimmedPushes run;
    std::vector<OutgoingPacket> nacks;
    std::vector<OutgoingPacket> data;
    bool trims = true;
    run.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        if (out.packet.type == TransportPacketType::NACK && out.packet.nack == NackCode::TRIMMED)
        {
            nacks.push_back(out);
        }
        if (from == 0 && out.packet.PayloadBytes() > 0)
        {
            data.push_back(out);
            if (trims)
            {
                trims = false;
                run.ulps.bed.InjectHeader(out.packet, 0, 1, US);
                return false;
            }
        }
        return true;
    };
    run.Push(4000);
    test.ExpectEqual(nacks.size(), 1, "one NACK");
    const uint64_t resends = run.Sender().resends;
    const uint64_t acks = run.Receiver().sent[static_cast<std::size_t>(TransportPacketType::ACK)];
    run.ulps.bed.Inject(nacks.front().packet, 1, 0, US);
    run.ulps.bed.InjectHeader(data.front().packet, 0, 1, US);
    run.ulps.bed.InjectHeader(nacks.front().packet, 0, 1, US); // no data
    TransportPacket stranger = data.front().packet;
    stranger.cid += 5;
    run.ulps.bed.InjectHeader(stranger, 0, 1, US);
    TransportPacket damaged = data.front().packet;
    damaged.isCorrupt = true;
    run.ulps.bed.InjectHeader(damaged, 0, 1, US);
    run.ulps.bed.Run(run.ulps.bed.Now() + 100 * US);
    test.ExpectEqual(run.Sender().resends, resends, "nothing is sent again");
    test.ExpectEqual(nacks.size(), 1, "what has come is not asked for");
    test.ExpectEqual(run.Receiver().sent[static_cast<std::size_t>(TransportPacketType::ACK)],
                     acks + 1,
                     "but acknowledged");
    test.ExpectEqual(run.Receiver().badCid, 1, "a stranger");
    test.ExpectEqual(run.Receiver().corrupt, 1, "damaged");
    test.ExpectEqual(run.Receiver().malformed, 1, "no data");
}

/// Any faults: all is pushed once, and little is sent again in vain.
void
TestRandom(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint64_t trimmed = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        TransportSettings settings;
        settings.retryLimit = 255;
        settings.minRto = 50 * US;
        settings.maxRto = 400 * US;
        settings.congestionControl = static_cast<CongestionControlKind>(random() % 4);
        settings.lossDetection = static_cast<LossDetection>(random() % 3);
        NetworkFaults faults;
        faults.trimmed = 0.05 * (1 + random() % 10);
        const bool hasOthers = random() % 2 == 0;
        faults.loss = hasOthers ? 0.05 : 0;
        faults.duplicate = hasOthers ? 0.05 : 0;
        faults.jitter = hasOthers ? 3 * US : 0;
        TrimmedPushes run(settings, faults);
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < 20; ++i)
        {
            const uint32_t each = 1 + random() % 100'000;
            run.Push(each);
            bytes += each;
        }
        const std::string what = "seed " + std::to_string(seed) + ": ";
        test.ExpectEqual(run.Sender().completions, 20, what + "complete");
        test.ExpectEqual(run.Receiver().deliveredBytes, bytes, what + "delivered once");
        test.ExpectEqual(run.ulps.Used(0) + run.ulps.Used(1), 0, what + "all is given back");
        if (!hasOthers)
        {
            test.ExpectEqual(run.Receiver().duplicates, 0, what + "nothing comes twice");
            test.ExpectEqual(run.Sender().timeOuts, 0, what + "no time-outs");
        }
        trimmed += run.ulps.bed.trimmed;
    }
    test.Expect(trimmed > 10 * uint64_t{seeds.count}, "some are trimmed");
}

} // namespace

/// What the transport does about packets that switches have trimmed.
class TrimmedPacketsTestSuite : public TestSuite
{
  public:
    TrimmedPacketsTestSuite()
        : TestSuite("fabric-trimmed-packets", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-15 RT-12 a NACK of a header has the last copy sent again", TestEngine);
        add("FC-15 RT-14 a trimmed packet comes a round trip later", TestRoundTrips);
        add("FC-15 RT-1 the first packet of a connection is trimmed", TestFirstPacket);
        add("FC-15 RT-8 old and wrong headers and NACKs do no harm", TestStale);
        add("FC-15 RT-14 random trimming beside other faults", TestRandom);
    }
};

static TrimmedPacketsTestSuite g_trimmedPacketsTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
