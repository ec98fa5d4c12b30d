/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-packet-delivery.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Two ends of a delivery with a wire that loses, doubles and reorders.
class DeliveryPair
{
  public:
    explicit DeliveryPair(uint64_t seed)
        : m_random(seed),
          m_left(m_settings, m_counters),
          m_right(m_settings, m_counters),
          left(m_left),
          right(m_right)
    {
        ConnectionSettings settings;
        settings.dataWindow = 1 + seed % 128;
        settings.firstDataPsn = 0xFFFFFFF0;
        ConnectionTerms terms;
        terms.Propose(settings, true);
        TransportPacket first(TransportPacketType::CONNECT);
        first.requestBase = settings.firstRequestPsn;
        first.dataBase = settings.firstDataPsn;
        for (PacketDelivery* end : {&left, &right})
        {
            end->Propose(settings, 0);
            end->Open(terms, first);
        }
    }

    /// Sends so many packets from left to right. @return what is wrong
    std::string Run(uint32_t packets)
    {
        for (uint32_t steps = 0; m_retired < packets; ++steps, m_now += US)
        {
            if (steps > 100000)
            {
                return "it does not come to an end";
            }
            Send(packets);
            Step(left, m_toLeft, m_toRight);
            Step(right, m_toRight, m_toLeft);
        }
        if (m_taken.size() != packets || left.Data().Span() != 0)
        {
            return "packets are missing";
        }
        for (const auto& [psn, times] : m_taken)
        {
            if (times != 1)
            {
                return "PSN " + std::to_string(psn) + " was taken more than once";
            }
        }
        const bool isAllBack =
            m_left.packetEntries.Occupancy().used == 0 && m_left.payload.Occupancy().used == 0;
        return isAllBack ? "" : "something was not given back";
    }

  private:
    /// New packets, as the window lets them go.
    void Send(uint32_t packets)
    {
        while (m_sent < packets && !left.Data().IsFull())
        {
            OutstandingPacket packet;
            packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
            packet.rsn = m_sent++;
            packet.amount = 100;
            TransportPacket out;
            left.SendNew(std::move(packet), out, m_now);
            Put(m_toRight, out);
        }
    }

    /// Takes what came, and sends what is due.
    void Step(PacketDelivery& end,
              std::deque<TransportPacket>& in,
              std::deque<TransportPacket>& out)
    {
        for (uint32_t count = in.size(); count > 0; --count)
        {
            const TransportPacket packet = in.front();
            in.pop_front();
            Take(end, packet);
        }
        end.Expire(m_now);
        while (end.HasResend())
        {
            TransportPacket packet;
            end.SendAgain(packet, m_now);
            Put(out, packet);
        }
        if (end.IsAckDue(m_now))
        {
            TransportPacket packet;
            end.SendAck(packet, m_now);
            Put(out, packet);
        }
    }

    /// A packet has come.
    void Take(PacketDelivery& end, const TransportPacket& packet)
    {
        end.TakeAcks(packet, m_now, [this](const OutstandingPacket&) { ++m_retired; });
        if (packet.type == TransportPacketType::ACK ||
            end.Judge(packet, m_now) != PsnVerdict::EXPECTED)
        {
            return;
        }
        ++m_taken[packet.piece.psn];
        end.Take(packet, m_now);
        end.Acknowledge(packet, m_now);
    }

    void Put(std::deque<TransportPacket>& wire, const TransportPacket& packet)
    {
        for (uint32_t copies = m_random() % 4 == 0 ? m_random() % 3 : 1; copies > 0; --copies)
        {
            wire.insert(m_random() % 3 == 0 ? wire.begin() : wire.end(), packet);
        }
    }

    std::mt19937_64 m_random;
    TransportSettings m_settings;
    TransportCounters m_counters;
    DeliveryShared m_left;
    DeliveryShared m_right;
    std::deque<TransportPacket> m_toLeft;
    std::deque<TransportPacket> m_toRight;
    std::map<uint32_t, uint32_t> m_taken;
    uint32_t m_sent{0};
    uint32_t m_retired{0};
    TimePs m_now{US};

  public:
    PacketDelivery left;
    PacketDelivery right;
};

/// RT-6 to RT-8 without requests: every packet is taken once, whatever the wire does.
void
Delivery(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 100; ++seed)
    {
        const std::string fault = DeliveryPair(seed).Run(300);
        test.ExpectSame(fault, "", "seed " + std::to_string(seed));
    }
}

/// RT-12: who is resent too often, and RT-8: what does not fit.
void
DeliveryLimits(FunctionCase& test)
{
    TransportSettings settings;
    settings.retryLimit = 0;
    settings.sendsProbes = false;
    TransportCounters counters;
    DeliveryShared shared(settings, counters);
    PacketDelivery delivery(shared);
    delivery.Propose(ConnectionSettings(), 0);
    test.Expect(delivery.MaySendRequest(), "the first goes in any case");
    OutstandingPacket request;
    request.type = TransportPacketType::PULL_REQUEST;
    request.rsn = 9;
    TransportPacket out;
    delivery.SendNew(std::move(request), out, 100);
    test.Expect(out.IsRequest() && out.piece.rsn == 9 && delivery.Requests().Span() == 1 &&
                    delivery.Data().Span() == 0,
                "in the window of requests");
    TransportPacket ack;
    ack.requestBase = 2;
    const auto ignore = [](const OutstandingPacket&) {};
    test.Expect(!delivery.TakeAcks(ack, 200, ignore) && counters.malformed == 1, "never sent");
    test.Expect(!delivery.Expire(delivery.Deadline() - 1), "not yet");
    const auto late = delivery.Expire(delivery.Deadline());
    test.Expect(late && late->rsn == 9 && late->IsOfOwnRequest(), "too often");
    delivery.Abandon();
    test.Expect(delivery.Deadline() == NEVER && shared.packetEntries.Occupancy().used == 0,
                "all is given back");
}

/// The lower layer of the transport, without the upper one.
class PacketDeliverySuite : public FunctionSuite
{
  public:
    PacketDeliverySuite()
        : FunctionSuite("fabric-packet-delivery", kUnit)
    {
        Add("RT-8 every packet once, whatever the wire does", Delivery);
        Add("RT-12 at its limits", DeliveryLimits);
    }
};

PacketDeliverySuite g_packetDeliverySuite; ///< Registers the suite.

} // namespace
