/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "lone-delivery.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// One packet of a delivery whose peer has answered for some time, and says nothing any more.
class LonelyPacket : public LoneDelivery
{
  public:
    explicit LonelyPacket(uint64_t seed)
        : LoneDelivery(seed, TransportSettings().sendsProbes)
    {
        const TimePs rtt = DrawBetween(m_random, 100 * NS, 20 * US);
        for (uint64_t answers = m_random() % 50; answers > 0; --answers)
        {
            Send();
            m_now += DrawBetween(m_random, rtt, 2 * rtt);
            TransportPacket ack;
            ack.dataBase = m_delivery.Data().Next();
            TakeAck(ack);
        }
        Send();
        m_wait = m_delivery.LossTimer() - m_now;
    }

    /// Waits until the packet is given up. @return what is wrong
    std::string Run()
    {
        const TimePs begin = m_now;
        const uint32_t times = m_settings.retryLimit + 1;
        TimePs least = 0;
        for (uint32_t i = 0; i < times; ++i)
        {
            least += m_delivery.Path().Rto(i);
        }
        for (uint32_t steps = 0;; ++steps)
        {
            if (steps > 100'000)
            {
                return "it does not come to an end";
            }
            m_now = std::min(m_delivery.Deadline(), m_delivery.LossTimer());
            if (m_delivery.Expire(m_now))
            {
                break;
            }
            if (!SendAgain())
            {
                return "a time-out does not await the answer of a probe";
            }
        }
        if (m_counters.timeOuts != m_settings.retryLimit)
        {
            return "it was not resent as often as the limit says";
        }
        const TimePs took = m_now - begin;
        return took >= least && took <= least + times * m_wait ? "" : "probes put time-outs off";
    }

  private:
    /// Sends what is due. @return whether a time-out was not before a probe's answer
    bool SendAgain()
    {
        bool isPatient = true;
        while (m_delivery.HasResend())
        {
            TransportPacket out;
            m_delivery.SendAgain(out, m_now);
            isPatient = isPatient && (out.isProbe || m_now - m_probedAt >= m_wait);
            m_probedAt = out.isProbe ? m_now : m_probedAt;
        }
        return isPatient;
    }

    TimePs m_probedAt{-NEVER / 2};
    TimePs m_wait{0}; // for an answer
};

/// RT-12: a probe puts the time-out of its packet off by the time of its own answer at most.
void
ProbesAndTimeOuts(FunctionCase& test)
{
    const TestSeeds seeds(500);
    uint64_t probes = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        LonelyPacket packet(seed);
        test.ExpectSame(packet.Run(), "", "seed " + std::to_string(seed));
        probes += packet.Counters().probes;
    }
    test.Expect(probes > 5 * seeds.count, "there are probes");
}

/// An initiator with an operation at a time, whose target is gone from some moment on.
class GoneTarget
{
  public:
    explicit GoneTarget(uint64_t seed)
        : m_random(seed),
          m_settings(DrawSettings(m_random)),
          m_connection(DrawConnection(m_random)),
          m_faults(DrawFaults(m_random)),
          m_ulps(m_settings, m_connection, m_faults),
          m_bytes(m_random() % 3 == 0 ? DrawBetween(m_random, 5000, 400'000)
                                      : DrawBetween(m_random, 0, 4096)),
          m_isPull(m_random() % 3 == 0)
    {
        m_goneAt = DrawBetween(m_random, 0, 200 * US);
        m_ulps.bed.onSend = [this](uint32_t, const OutgoingPacket&) {
            return m_ulps.bed.Now() < m_goneAt;
        };
        m_ulps.bed.onEvent = [this, answer = m_ulps.bed.onEvent](uint32_t node,
                                                                 const UlpEvent& event) {
            answer(node, event);
            if (node == 0 && event.type == UlpEventType::COMPLETION &&
                event.status == TransportStatus::OK)
            {
                Issue();
            }
        };
    }

    /// @return what is wrong
    std::string Run()
    {
        m_cid = m_ulps.bed.Node(0).Connect(1, m_connection, 0);
        Issue();
        if (!m_ulps.bed.Run(m_goneAt + LONGEST))
        {
            return "it does not come to an end";
        }
        uint32_t failed = 0;
        for (const auto& [node, event] : m_ulps.events)
        {
            if (event.status != TransportStatus::OK &&
                event.status != TransportStatus::RETRY_LIMIT &&
                event.status != TransportStatus::FLUSHED)
            {
                return "another status";
            }
            failed += node == 0 && event.type == UlpEventType::FAILED &&
                      event.status == TransportStatus::RETRY_LIMIT;
        }
        if (failed != 1 || m_ulps.bed.Node(0).Connections() != 0)
        {
            return "the initiator does not fail";
        }
        return m_ulps.Used(0) == 0 ? "" : "not all is given back";
    }

  private:
    /// As the defaults: time-outs of 0.32 to 10 ms until the 17th, each with the answer of a probe;
    /// before them, where no packet is in flight, 17 probes of the peer each 10 ms.
    static constexpr TimePs LONGEST = 17 * 10 * MS + 135 * MS;

    static TransportSettings DrawSettings(std::mt19937_64& random)
    {
        TransportSettings s;
        s.congestionControl = static_cast<CongestionControlKind>(random() % 4);
        s.lossDetection = static_cast<LossDetection>(random() % 3);
        s.isSprayed = random() % 4 == 0;
        return s;
    }

    static ConnectionSettings DrawConnection(std::mt19937_64& random)
    {
        ConnectionSettings connection;
        connection.isOrdered = random() % 2 == 0;
        connection.solicitation = static_cast<Solicitation>(random() % 3);
        return connection;
    }

    /// Round trips are far below the 1024th part of the longest time-out.
    static NetworkFaults DrawFaults(std::mt19937_64& random)
    {
        NetworkFaults faults;
        faults.delay = DrawBetween(random, 100 * NS, 2 * US);
        faults.loss = random() % 3 == 0 ? 0.02 : 0;
        return faults;
    }

    void Issue()
    {
        TransportEndpoint& initiator = m_ulps.bed.Node(0);
        m_isPull ? initiator.Pull(m_cid, m_bytes, m_ulps.bed.Now())
                 : initiator.Push(m_cid, m_bytes, m_ulps.bed.Now());
    }

    std::mt19937_64 m_random;
    TransportSettings m_settings;
    ConnectionSettings m_connection;
    NetworkFaults m_faults;
    TwoUlps m_ulps;
    uint32_t m_bytes;
    bool m_isPull;
    TimePs m_goneAt{0};
    ConnectionId m_cid{0};
};

/// RT-18: whenever a peer goes silent, all ends with RETRY_LIMIT before long.
void
SilentPeers(FunctionCase& test)
{
    const TestSeeds seeds(400);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        test.ExpectSame(GoneTarget(seed).Run(), "", "seed " + std::to_string(seed));
    }
}

/// Peers of which nothing is heard any more.
class SilentPeerSuite : public FunctionSuite
{
  public:
    SilentPeerSuite()
        : FunctionSuite("fabric-silent-peer", kUnit)
    {
        Add("RT-12 probes do not put time-outs off", ProbesAndTimeOuts);
        Add("RT-18 a peer that goes silent ends at the retry limit", SilentPeers);
    }
};

SilentPeerSuite g_silentPeerSuite; ///< Registers the suite.

} // namespace
