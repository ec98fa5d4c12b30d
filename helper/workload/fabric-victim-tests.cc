/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-victim-tests.h"

#include "fabric-recursive-plan.h"
#include "fabric-seconds.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3::fabric
{

namespace
{

// Of GPCNeT's network_load_test, version 1.3.
constexpr uint64_t LATENCY_BYTES = 8;           ///< Of a message of latency and allreduce.
constexpr uint64_t BANDWIDTH_BYTES = 128 << 10; ///< Of a message of bandwidth.
constexpr uint32_t BANDWIDTH_MESSAGES = 8;      ///< To each neighbour at a time.

} // namespace

double
VictimTest::ValueOf(TimePs time) const
{
    const double seconds = ToSeconds(time);
    return quantity == ContentionQuantity::LATENCY ? seconds
                                                   : 8 * static_cast<double>(bytes) / seconds;
}

std::vector<VictimTest>
MakeVictimTests(uint32_t ranks, const VictimTestSettings& settings, const DrawFunction& draw)
{
    const ExchangePlan allreduce = PlanAllreduce(ranks, LATENCY_BYTES);
    VictimTest latency{"latency"};
    latency.iterations = settings.iterations;
    VictimTest bandwidth{"bandwidth", ContentionQuantity::BANDWIDTH};
    bandwidth.bytes = 2 * BANDWIDTH_MESSAGES * BANDWIDTH_BYTES;
    bandwidth.iterations = settings.bandwidthIterations;
    for (uint32_t i = 0; i < settings.rings; ++i)
    {
        const std::vector<uint32_t> ring = DrawOrder(ranks, draw);
        latency.arrangements.push_back(PlanRing(ring, LATENCY_BYTES, 1));
        ExchangePlan plan = PlanRing(ring, BANDWIDTH_BYTES, BANDWIDTH_MESSAGES);
        plan.insert(plan.end(), allreduce.begin(), allreduce.end());
        bandwidth.arrangements.push_back(std::move(plan));
    }
    VictimTest reduce{"allreduce"};
    reduce.arrangements.push_back(allreduce);
    reduce.iterations = settings.rings * settings.iterations;
    return {latency, bandwidth, reduce};
}

VictimTests::VictimTests(const FabricContainer& fabric,
                         std::vector<uint32_t> hosts,
                         std::vector<VictimTest> tests)
    : m_tests(std::move(tests)),
      m_rounds(hosts.size())
{
    for (uint32_t rank = 0; rank < hosts.size(); ++rank)
    {
        const Ptr<FabricNetDevice> device = fabric.GetDevice(hosts[rank]);
        m_devices.push_back(device);
        m_ranks[device->GetLocation()] = rank;
        device->SetMessageCallback(Callback<void, const Message&>(
            [this, rank](const Message& message) { Receive(rank, message); }));
    }
}

VictimTests::~VictimTests()
{
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        device->SetMessageCallback({});
    }
}

void
VictimTests::Start(const std::function<void()>& then)
{
    m_then = then;
    m_values.assign(m_tests.size(), {});
    m_test = 0;
    BeginNext();
}

void
VictimTests::BeginNext()
{
    while (m_test < m_tests.size() &&
           m_values[m_test].size() == m_tests[m_test].arrangements.size())
    {
        ++m_test;
    }
    if (m_test == m_tests.size())
    {
        if (const auto then = std::exchange(m_then, {}))
        {
            then(); // may start again
        }
        return;
    }
    const VictimTest& test = m_tests[m_test];
    m_exchange.emplace(test.arrangements[m_values[m_test].size()], 1 + test.iterations);
    Send(m_exchange->Start(Simulator::Now().GetPicoSeconds()));
}

void
VictimTests::Send(const std::vector<Exchange::Send>& sends)
{
    for (const Exchange::Send& send : sends)
    {
        const LocationId to = m_devices[send.to]->GetLocation();
        const uint32_t number = m_devices[send.from]->SendMessage(to, send.bytes, 0, TAG);
        m_rounds[send.from].resize(number + std::size_t{1});
        m_rounds[send.from][number] = send.round;
    }
}

void
VictimTests::Receive(uint32_t rank, const Message& message)
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    const uint64_t round = m_rounds[m_ranks.at(message.src)][message.sequence];
    Send(m_exchange->Receive(rank, round, now));
    if (!m_exchange->IsDone())
    {
        return;
    }
    const VictimTest& test = m_tests[m_test];
    RankValues values;
    for (const std::vector<TimePs>& times : m_exchange->GetTimes())
    {
        values.emplace_back();
        for (std::size_t i = 1; i < times.size(); ++i)
        {
            values.back().push_back(test.ValueOf(times[i]));
        }
    }
    m_values[m_test].push_back(std::move(values));
    BeginNext();
}

uint64_t
VictimTests::GetMessages() const
{
    uint64_t messages = 0;
    for (const VictimTest& test : m_tests)
    {
        for (const ExchangePlan& plan : test.arrangements)
        {
            messages += Exchange(plan, 1 + test.iterations).GetMessages();
        }
    }
    return messages;
}

NamedFigures
VictimTests::GetFigures(std::size_t test) const
{
    return ContentionFigures(m_values[test], m_tests[test].quantity);
}

} // namespace ns3::fabric
