/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-test-compat.h"
#include "fabric-udp-peers.h"
#include "support/fabric-function-case.h"
#include "udp-pair.h"

#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"

#include <algorithm>
#include <random>

namespace ns3::fabric
{

namespace
{

/**
 * All operations complete once, in order, and nothing is left.
 *
 * @param test gets the failures
 * @param pair that ran
 * @param count operations
 * @param what is tested
 */
void
ExpectAllDone(FunctionCase& test,
              const UdpPair& pair,
              uint64_t count,
              uint32_t bytes,
              const std::string& what)
{
    const auto& completed = pair.GetCompleted();
    test.Expect(completed.size() == count,
                what + ": " + std::to_string(completed.size()) + " of " + std::to_string(count) +
                    " operations complete");
    test.Expect(pair.GetErrors().empty(), what + ": no errors");
    for (uint64_t i = 0; i < completed.size(); ++i)
    {
        test.Expect(completed[i].cookie == i && completed[i].bytes == bytes,
                    what + ": order of completions at " + std::to_string(i));
    }
    for (uint32_t node = 0; node < 2; ++node)
    {
        const RdmaEndpoint& endpoint = pair.GetTransport(node)->GetEndpoint();
        const TransportOccupancy occupancy = endpoint.GetTransport().Occupancy();
        test.Expect(endpoint.Counts().outstanding == 0 && endpoint.Counts().outstandingBytes == 0,
                    what + ": outstanding");
        test.Expect(occupancy.initiatorEntries.used == 0 && occupancy.targetEntries.used == 0 &&
                        occupancy.packetEntries.used == 0 && occupancy.sendPayload.used == 0 &&
                        occupancy.receivePayload.used == 0 && occupancy.granted.used == 0,
                    what + ": resources are free");
        test.Expect(endpoint.GetTransport().Connections() == 0, what + ": connections");
    }
}

/// All three operations over both IP versions, also with a resolution of nanoseconds.
void
TestOperations(FunctionCase& test)
{
    for (const bool useIpv6 : {false, true})
    {
        for (const char* operations : {"write", "read", "send", "write,read,send"})
        {
            Simulation simulation;
            FabricTransportHelper transport;
            transport.SetInitiatorAttribute("Operations", StringValue(operations));
            transport.SetInitiatorAttribute("Count", UintegerValue(60));
            transport.SetInitiatorAttribute("Bytes", UintegerValue(20000));
            UdpPair pair(useIpv6, transport);
            const auto initiator = pair.AddInitiator();
            Simulator::Run();
            const std::string what = std::string(operations) + (useIpv6 ? " v6" : " v4");
            ExpectAllDone(test, pair, 60, 20000, what);
            test.Expect(initiator->IsDone() && initiator->GetCompletedBytes() == 60 * 20000, what);
            test.Expect(pair.GetTarget()->GetAccepted() == 1, what + ": accepted");
            const bool sends = std::string(operations).find("send") != std::string::npos;
            test.Expect((pair.GetTarget()->GetPresented() > 0) == sends, what + ": presented");
            test.Expect(pair.GetTransport(0)->GetDiscarded().empty() &&
                            pair.GetTransport(1)->GetDiscarded().empty(),
                        what + ": nothing is discarded");
        }
    }
}

/// Attributes of a random mix of faults.
void
SetFaults(FabricTransportHelper& transport, std::mt19937_64& random)
{
    double sum = 0;
    const auto part = [&](const char* name, double most) {
        const double value =
            random() % 2 == 0 ? 0 : most * static_cast<double>(random() % 100) / 100;
        transport.SetAttribute(name, DoubleValue(value));
        sum += value;
        return value > 0;
    };
    part("Loss", 0.1);
    part("Corrupt", 0.1);
    part("Duplicate", 0.3);
    const bool reorders = part("Reorder", 0.5);
    const uint64_t delay = 1 + random() % 50000;
    const uint64_t faultSeed = random() % 1000;
    if (reorders)
    {
        transport.SetAttribute("ReorderDelay", TimeValue(NanoSeconds(delay)));
    }
    if (sum > 0)
    {
        transport.SetAttribute("FaultSeed", UintegerValue(faultSeed));
    }
}

/// Exactly once and in order under every mix of faults; sequence numbers wrap on the way.
void
TestFaults(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 60; ++seed)
    {
        Simulation simulation;
        std::mt19937_64 random(seed);
        FabricTransportHelper transport;
        SetFaults(transport, random);
        transport.SetAttribute("FirstRequestPsn", UintegerValue(0xFFFFFFF8));
        transport.SetAttribute("FirstDataPsn", UintegerValue(0xFFFFFFE0));
        transport.SetAttribute("Solicitation",
                               StringValue(seed % 3 == 0   ? "always"
                                           : seed % 3 == 1 ? "never"
                                                           : "length"));
        transport.SetAttribute("CongestionControl", StringValue(seed % 2 == 0 ? "fixed" : "delay"));
        transport.SetInitiatorAttribute("Operations", StringValue("write,read,send"));
        transport.SetInitiatorAttribute("Count", UintegerValue(60));
        const uint32_t bytes = 1 + static_cast<uint32_t>(random() % 30000);
        transport.SetInitiatorAttribute("Bytes", UintegerValue(bytes));
        UdpPair pair(random() % 2 == 0, transport);
        pair.AddInitiator();
        Simulator::Run();
        ExpectAllDone(test, pair, 60, bytes, "seed " + std::to_string(seed));
    }
}

/// A link that loses everything for 1 ms in mid-message.
void
TestOutage(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    transport.SetInitiatorAttribute("Bytes", UintegerValue(4 << 20));
    UdpPair pair(false, transport);
    pair.AddInitiator();
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(1);
    model->Disable();
    pair.GetNode(1)->GetDevice(0)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    Simulator::Schedule(Seconds(2) + MilliSeconds(1), &ErrorModel::Enable, model);
    Simulator::Schedule(Seconds(2) + MilliSeconds(2), &ErrorModel::Disable, model);
    Simulator::Run();
    ExpectAllDone(test, pair, 1, 4 << 20, "outage");
    // 4 MiB take 3.6 ms at 10 Gb/s, the outage 1 ms, and then the last time-out may last so long.
    const Time latency = pair.GetLatencies().at(0);
    test.Expect(latency > MicroSeconds(4300) && latency < MilliSeconds(8),
                "latency " + std::to_string(latency.GetMicroSeconds()) + " us");
    test.Expect(pair.GetTransport(0)->GetEndpoint().GetTransport().Counters().timeOuts > 0,
                "time-outs");
}

/// Packets leave at the rate of the device, so that none wait below, and the link is full.
void
TestPacing(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    transport.SetInitiatorAttribute("Bytes", UintegerValue(4 << 20));
    UdpPair pair(false, transport);
    pair.AddInitiator();
    uint32_t most = 0;
    Callback<void, uint32_t, uint32_t> note(
        [&most](uint32_t /* before */, uint32_t packets) { most = std::max(most, packets); });
    DynamicCast<PointToPointNetDevice>(pair.GetNode(0)->GetDevice(0))
        ->GetQueue()
        ->TraceConnectWithoutContext("PacketsInQueue", note);
    Simulator::Run();
    ExpectAllDone(test, pair, 1, 4 << 20, "pacing");
    test.Expect(most <= 1, std::to_string(most) + " packets in the device's queue");
    const double seconds = pair.GetLatencies().at(0).GetSeconds();
    const double ideal = (4 << 20) * 8.0 / 10e9 * 1502 / 1404;
    test.Expect(seconds < 1.02 * ideal, std::to_string(seconds) + " s");
}

} // namespace

/// Peers are told apart by address and port, and garbage makes none known.
void
TestPeers(FunctionCase& test)
{
    UdpPeers peers;
    const Address four = InetSocketAddress("10.0.0.1", 7);
    const Address six = Inet6SocketAddress("2001:db8::1", 7);
    const Address other = Inet6SocketAddress("2001:db8::1", 8);
    test.Expect(peers.AddressOf(peers.Add(four)) == four, "IPv4");
    test.Expect(!peers.Find(six, false), "not known");
    const auto number = peers.Find(six, true);
    test.Expect(number && peers.AddressOf(*number) == six, "IPv6");
    test.Expect(peers.Find(six, false) == number && peers.Add(six) == *number, "known");
    test.Expect(peers.Add(other) != *number && peers.AddressOf(peers.Add(other)) == other,
                "another port, another peer");
    test.Expect(peers.Add(four) != peers.Add(InetSocketAddress("10.0.0.1", 8)), "in IPv4, too");
}

/// The transport over IP.
class FabricTransportIpTestSuite : public TestSuite
{
  public:
    FabricTransportIpTestSuite()
        : TestSuite("fabric-transport-ip", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-15 write, read and send over IPv4 and IPv6", TestOperations);
        add("RT-17 exactly once and in order under every mix of faults", TestFaults);
        add("RT-13 packets leave at the rate of the device", TestPacing);
        add("RT-15 peers", TestPeers);
        add("RT-17 an outage of 1 ms is survived", TestOutage);
    }
};

static FabricTransportIpTestSuite g_fabricTransportIpTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
