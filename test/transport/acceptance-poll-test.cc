/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "lone-delivery.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr TimePs WAIT = 4 * US;     ///< For an answer.
constexpr TimePs TIME_OUT = 9 * MS; ///< Of a packet.
constexpr TimePs SHORTEST = US;     ///< No answer takes less.
constexpr TimePs NEXT_ROUND = MS;   ///< A round that comes after others.

/// What was learned after n equal times T: T and four times the variation, T / 2 x 0.75^(n - 1).
void
UsualTimes(FunctionCase& test)
{
    for (const TimePs time : {10 * US, 100 * US})
    {
        AcceptancePoll poll;
        test.ExpectEqual(poll.Time(0, TIME_OUT, WAIT), WAIT, "before one is known");
        for (uint32_t n = 1; n < 40; ++n)
        {
            poll.Learn(0, SHORTEST, time);
            const double margin = 2.0 * double(time) * std::pow(0.75, n - 1);
            test.ExpectNear(double(poll.Time(0, TIME_OUT, WAIT)),
                            double(time) + std::max(margin, double(WAIT)),
                            100,
                            Text("time ", time, ", n ", n));
        }
        test.ExpectEqual(poll.Time(0, time + WAIT, WAIT), time, "an answer before the time-out");
        test.ExpectEqual(poll.Time(0, time, WAIT), NEVER, "the time-out comes before");
        poll.Hear(3 * time, true);
        test.ExpectEqual(poll.Time(0, TIME_OUT, WAIT), 3 * time + WAIT, "something was heard");
    }
}

/// Answers double the time, the first poll's; without them it is the wait's double, for three
/// polls.
void
Pauses(FunctionCase& test)
{
    AcceptancePoll poll;
    TimePs now = 20 * US;
    for (TimePs pause = 20 * US; pause < 1000 * US; pause *= 2)
    {
        poll.Ask(0, WAIT, now);
        test.ExpectEqual(poll.Time(0, TIME_OUT, WAIT), now + 2 * WAIT, "without an answer");
        now += SHORTEST;
        poll.Hear(now, false);
        poll.Hear(now, false);
        test.ExpectEqual(poll.Time(0, TIME_OUT, WAIT), now + pause, "all waits still");
        now += pause;
    }
    for (uint32_t asked = 1; asked <= 3; ++asked)
    {
        test.Expect(poll.Time(0, TIME_OUT, WAIT) != NEVER, Text("poll ", asked));
        poll.Ask(0, WAIT, now);
        test.ExpectEqual(poll.Time(0, TIME_OUT, WAIT),
                         asked < 3 ? now + (WAIT << asked) : NEVER,
                         Text("after poll ", asked));
    }
    poll.Hear(now, true);
    test.ExpectEqual(poll.Time(now, now + TIME_OUT, WAIT), now + WAIT, "a new round");
}

/// What may be an answer to a poll says nothing of the ULP; what has come too soon for it does.
void
NotLearned(FunctionCase& test)
{
    for (const bool isAnswer : {true, false})
    {
        AcceptancePoll poll;
        poll.Learn(0, SHORTEST, 10 * US);
        poll.Ask(0, WAIT, 40 * US);
        const TimePs later = isAnswer ? SHORTEST : SHORTEST - 1;
        poll.Learn(0, SHORTEST, 40 * US + later);
        poll.Hear(40 * US + later, true);
        test.ExpectEqual(poll.Time(NEXT_ROUND, NEXT_ROUND + TIME_OUT, WAIT) - NEXT_ROUND > 30 * US,
                         !isAnswer,
                         Text("is an answer: ", isAnswer));
    }
}

/// What wants an answer is not spared by what rides along, and wants it once.
void
AckThatAsks(FunctionCase& test)
{
    AckComposer composer;
    composer.Ask();
    TransportPacket data(TransportPacketType::PUSH_UNSOLICITED_DATA);
    composer.RideOn(data, ReceiveWindow(), ReceiveWindow(), US);
    test.Expect(composer.IsDue(US, 8), "still due");
    for (const bool asks : {true, false})
    {
        TransportPacket ack(TransportPacketType::ACK);
        composer.Write(ack, ReceiveWindow(), ReceiveWindow(), US);
        test.ExpectEqual(ack.isProbe, asks, "wants an answer");
        test.Expect(!composer.IsDue(US, 8), "all is said");
    }
}

/// A packet that a peer has received, which says nothing any more.
class ReceivedPacket : public LoneDelivery
{
  public:
    ReceivedPacket(uint64_t seed, bool polls)
        : LoneDelivery(seed, polls)
    {
        for (uint32_t pushes = m_random() % 20; pushes > 0; --pushes)
        {
            Send();
            Answer(false);
            m_now += m_random() % (50 * US);
            Answer(true);
        }
        Send();
        Answer(false);
    }

    /// @return when it is given up, ps
    TimePs Run()
    {
        for (;;)
        {
            m_now = std::min(m_delivery.Deadline(), m_delivery.LossTimer());
            if (m_delivery.Expire(m_now))
            {
                return m_now;
            }
            while (m_delivery.HasResend())
            {
                TransportPacket out;
                m_delivery.SendAgain(out, m_now);
            }
            if (m_delivery.IsAckDue(m_now))
            {
                TransportPacket ack(TransportPacketType::ACK);
                m_delivery.SendAck(ack, m_now);
            }
        }
    }

  private:
    /// @param isAccepted whether the ULP has the packet
    void Answer(bool isAccepted)
    {
        m_now += US + m_random() % US;
        TransportPacket ack(TransportPacketType::ACK);
        ack.dataBase = m_delivery.Data().Next() - !isAccepted;
        ack.bitmaps.dataReceived = PacketBitmap(!isAccepted, 0);
        TakeAck(ack);
    }
};

/// RT-18: a peer that goes silent after it has received is given up to the picosecond when it is
/// without polls, of which there are three at most.
void
PollsOfSilentPeers(FunctionCase& test)
{
    const TestSeeds seeds(500);
    uint64_t polls = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ReceivedPacket polled(seed, true);
        ReceivedPacket plain(seed, false);
        test.ExpectEqual(polled.Run(), plain.Run(), Text("seed ", seed));
        test.ExpectEqual(polled.Counters().timeOuts, plain.Counters().timeOuts, "time-outs");
        test.Expect(polled.Counters().polls <= 3, Text("seed ", seed, ": few polls"));
        test.ExpectEqual(plain.Counters().polls, 0, "none without probes");
        polls += polled.Counters().polls;
    }
    test.Expect(polls > seeds.count, "there are polls");
}

/// Pushes one after the other to a ULP that takes as long for each. Of the ACKs that the target
/// sends one is lost now and then, and never two in succession.
class PushesToSlowUlp
{
  public:
    PushesToSlowUlp(uint64_t seed, double loss, bool polls)
        : m_random(seed),
          m_loss(loss),
          m_settings(DrawSettings(m_random, polls)),
          m_faults(DrawFaults(m_random)),
          m_ulps(m_settings, ConnectionSettings(), m_faults),
          m_memory(static_cast<TimePs>(300 * NS * std::pow(1000 / 3.0, Draw())))
    {
        m_ulps.bed.onSend = [this](uint32_t from, const OutgoingPacket& out) {
            return from == 0 || out.packet.type != TransportPacketType::ACK || !IsLost();
        };
        m_ulps.bed.onEvent = [this](uint32_t node, const UlpEvent& event) { OnEvent(node, event); };
    }

    /// @return what is wrong
    std::string Run()
    {
        m_cid = m_ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
        m_ulps.bed.Run(100 * US);
        Issue();
        m_ulps.bed.Run(100 * MS);
        const TransportCounters& counters = m_ulps.bed.Node(0).Counters();
        if (m_times.size() != PUSHES || counters.timeOuts > 0)
        {
            return "an ACK was awaited until the time-out";
        }
        if (counters.polls > 2 * m_lost + LEARNING)
        {
            return std::to_string(counters.polls) + " polls for " + std::to_string(m_lost) +
                   " lost ACKs";
        }
        for (uint32_t i = 0; i < PUSHES; ++i)
        {
            if (m_times[i] > Longest(i))
            {
                return "push " + std::to_string(i) + " takes " + std::to_string(m_times[i]) +
                       " ps, " + std::to_string(Longest(i)) + " allowed";
            }
        }
        return "";
    }

    uint64_t TimeOuts()
    {
        return m_ulps.bed.Node(0).Counters().timeOuts;
    }

    uint64_t Polls()
    {
        return m_ulps.bed.Node(0).Counters().polls;
    }

  private:
    static constexpr uint32_t PUSHES = 100;
    static constexpr uint32_t LEARNED = 40; ///< Pushes after which the ULP is known.
    static constexpr uint32_t LEARNING = 5; ///< Polls at first: of a round with doubled pauses.

    double Draw()
    {
        return std::uniform_real_distribution<double>(0, 1)(m_random);
    }

    bool IsLost()
    {
        m_isLost = !m_isLost && m_ulps.bed.Now() > 100 * US && Draw() < m_loss;
        m_lost += m_isLost;
        return m_isLost;
    }

    /// @return without losses
    TimePs Clean() const
    {
        return RoundTrip() + m_memory + 2 * m_settings.ackDelay;
    }

    TimePs RoundTrip() const
    {
        return 2 * (m_faults.delay + m_faults.spacing);
    }

    /// At first four variations are two times the time itself, and a wait for an answer is that of
    /// four round trips as they were expected; a second poll comes after two more such waits. Then
    /// it is a few round trips: losses of other ACKs show in their variation.
    TimePs Longest(uint32_t push) const
    {
        return push < LEARNED ? 3 * Clean() + 12 * m_settings.initialRtt
                              : Clean() * 5 / 4 + 8 * RoundTrip() + 8 * m_settings.ackDelay;
    }

    static TransportSettings DrawSettings(std::mt19937_64& random, bool polls)
    {
        TransportSettings s;
        s.ackPackets = random() % 2 == 0 ? 1 : 8;
        s.lossDetection = static_cast<LossDetection>(random() % 3);
        s.sendsProbes = polls;
        return s;
    }

    static NetworkFaults DrawFaults(std::mt19937_64& random)
    {
        NetworkFaults faults;
        faults.delay = 300 * NS + static_cast<TimePs>(random() % (US));
        return faults;
    }

    void Issue()
    {
        m_began = m_ulps.bed.Now();
        m_ulps.bed.Node(0).Push(m_cid, 2000, m_began);
    }

    void OnEvent(uint32_t node, const UlpEvent& event)
    {
        if (event.type == UlpEventType::REQUEST)
        {
            m_ulps.bed.At(m_ulps.bed.Now() + m_memory, [this, event] { m_ulps.Answer(1, event); });
        }
        else if (node == 0 && event.type == UlpEventType::COMPLETION)
        {
            m_times.push_back(m_ulps.bed.Now() - m_began);
            if (m_times.size() < PUSHES)
            {
                Issue();
            }
        }
    }

    std::mt19937_64 m_random;
    double m_loss;
    TransportSettings m_settings;
    NetworkFaults m_faults;
    TwoUlps m_ulps;
    TimePs m_memory;
    ConnectionId m_cid{0};
    TimePs m_began{0};
    std::vector<TimePs> m_times;
    uint64_t m_lost{0};
    bool m_isLost{false};
};

/// RT-12: a lost ACK costs a poll's answer and no time-out, whatever time the ULP takes.
void
LostAcks(FunctionCase& test)
{
    const TestSeeds seeds(200);
    uint64_t timeOuts = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const double loss = 0.01 * (seed % 6); // 0: only what is learned asks
        PushesToSlowUlp polled(seed, loss, true);
        test.ExpectSame(polled.Run(), "", "seed " + std::to_string(seed));
        PushesToSlowUlp plain(seed, loss, false);
        plain.Run();
        timeOuts += plain.TimeOuts();
        test.ExpectEqual(plain.Polls(), 0, "none without probes");
    }
    test.Expect(timeOuts > seeds.count / 2, "there would be time-outs");
}

/// RT-12: a ULP that takes longer than time-outs is polled less often than these send again.
void
UlpSlowerThanTimeOuts(FunctionCase& test)
{
    constexpr uint32_t PUSHES = 30;
    TwoUlps ulps{TransportSettings(), ConnectionSettings()};
    const ConnectionId cid = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
    uint32_t completed = 0;
    ulps.bed.onEvent = [&](uint32_t node, const UlpEvent& event) {
        if (event.type == UlpEventType::REQUEST)
        {
            ulps.bed.At(ulps.bed.Now() + 2 * MS, [&ulps, event] { ulps.Answer(1, event); });
        }
        else if (node == 0 && event.type == UlpEventType::COMPLETION && ++completed < PUSHES)
        {
            ulps.bed.Node(0).Push(cid, 2000, ulps.bed.Now());
        }
    };
    ulps.bed.Node(0).Push(cid, 2000, 0);
    ulps.bed.Run(200 * MS);
    const TransportCounters& counters = ulps.bed.Node(0).Counters();
    test.ExpectEqual(completed, PUSHES, "all are accepted");
    test.Expect(counters.timeOuts > 2 * PUSHES, "there are time-outs");
    test.Expect(counters.polls < counters.timeOuts, Text(counters.polls, " polls"));
}

/// Polls of peers whose ULPs take long.
class AcceptancePollSuite : public FunctionSuite
{
  public:
    AcceptancePollSuite()
        : FunctionSuite("fabric-transport-acceptance-poll", kUnit)
    {
        Add("RT-12 the usual time of a ULP", UsualTimes);
        Add("RT-12 pauses of polls", Pauses);
        Add("RT-12 answers to polls are not learned from", NotLearned);
        Add("RT-9 an ACK that wants an answer", AckThatAsks);
        Add("RT-18 polls change no time-out", PollsOfSilentPeers);
        Add("RT-12 polls find lost ACKs of slow ULPs", LostAcks);
        Add("RT-12 a ULP slower than time-outs is hardly polled", UlpSlowerThanTimeOuts);
    }
};

AcceptancePollSuite g_acceptancePollSuite; ///< Registers the suite.

} // namespace
