/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-victim-tests.h"

#include "fabric-recursive-plan.h"
#include "fabric-seconds.h"

#include "ns3/simulator.h"

#include <algorithm>
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
                         std::vector<VictimTest> tests,
                         Notices& notices)
    : m_tests(std::move(tests)),
      m_notices(notices),
      m_topic(notices.AddTopic([this](uint64_t) { EndPart(); })),
      m_sentBefore(hosts.size(), 0)
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
    m_times.emplace_back(m_tests.size());
    m_test = 0;
    BeginNext();
}

void
VictimTests::BeginNext()
{
    while (m_test < m_tests.size() &&
           m_times.back()[m_test].size() == m_tests[m_test].arrangements.size())
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
    m_exchange.emplace(test.arrangements[m_times.back()[m_test].size()], 1 + test.iterations);
    m_partsAtWork = RankCount();
    m_hostsAtWork = static_cast<uint32_t>(
        std::count_if(m_devices.begin(), m_devices.end(), [](const auto& device) {
            return !device->IsElsewhere();
        }));
    Send(m_exchange->Start(Simulator::Now().GetPicoSeconds()));
    if (m_hostsAtWork == 0)
    {
        m_notices.TellAll(m_topic, 0); // other ranks of MPI wait for this one, too
    }
}

void
VictimTests::Send(const std::vector<Exchange::Send>& sends)
{
    for (const Exchange::Send& send : sends)
    {
        const Ptr<FabricNetDevice>& from = m_devices[send.from];
        if (!from->IsElsewhere())
        {
            from->SendMessage(m_devices[send.to]->GetLocation(), send.bytes, 0, TAG);
        }
    }
}

void
VictimTests::Receive(uint32_t rank, const Message& message)
{
    const uint32_t from = m_ranks.at(message.src);
    const uint64_t round = m_exchange->RoundOf(from, message.sequence - m_sentBefore[from]);
    Send(m_exchange->Receive(rank, round, Simulator::Now().GetPicoSeconds()));
    if (m_exchange->IsDone(rank) && --m_hostsAtWork == 0)
    {
        m_notices.TellAll(m_topic, 0);
    }
}

void
VictimTests::EndPart()
{
    if (--m_partsAtWork == 0)
    {
        KeepTimes();
        BeginNext();
    }
}

void
VictimTests::KeepTimes()
{
    Times kept;
    for (uint32_t rank = 0; rank < m_devices.size(); ++rank)
    {
        m_sentBefore[rank] += m_exchange->GetMessages(rank);
        kept.emplace_back(m_tests[m_test].iterations, 0);
        if (!m_devices[rank]->IsElsewhere())
        {
            const std::vector<TimePs>& times = m_exchange->GetTimes()[rank];
            std::copy(times.begin() + 1, times.end(), kept.back().begin());
        }
    }
    m_times.back()[m_test].push_back(std::move(kept));
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

std::vector<TimePs*>
VictimTests::ListTimes()
{
    std::vector<TimePs*> list;
    for (std::vector<std::vector<Times>>& tests : m_times)
    {
        for (std::vector<Times>& arrangements : tests)
        {
            for (Times& ranks : arrangements)
            {
                for (std::vector<TimePs>& iterations : ranks)
                {
                    for (TimePs& time : iterations)
                    {
                        list.push_back(&time);
                    }
                }
            }
        }
    }
    return list;
}

void
VictimTests::AddRanks()
{
    const std::vector<TimePs*> list = ListTimes();
    std::vector<uint64_t> times;
    for (const TimePs* time : list)
    {
        times.push_back(static_cast<uint64_t>(*time));
    }
    times = SumOverRanks(times);
    for (std::size_t i = 0; i < list.size(); ++i)
    {
        *list[i] = static_cast<TimePs>(times[i]);
    }
}

NamedFigures
VictimTests::GetFigures(std::size_t time, std::size_t test) const
{
    std::vector<RankValues> values;
    for (const Times& ranks : m_times[time][test])
    {
        values.emplace_back();
        for (const std::vector<TimePs>& times : ranks)
        {
            values.back().emplace_back();
            for (const TimePs each : times)
            {
                values.back().back().push_back(m_tests[test].ValueOf(each));
            }
        }
    }
    return ContentionFigures(values, m_tests[test].quantity);
}

} // namespace ns3::fabric
