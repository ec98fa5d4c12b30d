/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-counted-trace.h"
#include "fabric-drop-causes.h"
#include "fabric-payloads.h"
#include "fabric-subnet-manager.h"
#include "fabric-test-compat.h"
#include "fabric-totals.h"
#include "fabric-window-driver.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include "ns3/simulator.h"
#include "ns3/test.h"

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs NS = 1000;                ///< ps.
constexpr uint64_t RATE = 100'000'000'000; ///< Of links, bit/s.
constexpr TimePs DELAY = 100 * NS;         ///< Of links.

/// What would be done by a network.
void
UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

/// Notes when frames take effect, and whether Simulator::Now() is right then.
struct Watcher : SwitchObserver
{
    void Arrived(uint32_t, const Frame&, TimePs now) override
    {
        ++arrived;
        isPunctual = isPunctual && now == Simulator::Now().GetPicoSeconds();
    }

    void Sent(uint32_t, const Frame&, TimePs) override
    {
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
    }

    uint32_t arrived{0};   ///< Frames.
    bool isPunctual{true}; ///< Whether Now() was right for all.
};

/// A switch that a driver runs, with two hosts; no ns-3 object is part of it.
class DrivenSwitch : private NicListener
{
  public:
    explicit DrivenSwitch(SwitchConfig config = {})
        : crew([](const WindowJournal&) {}),
          windows(crew),
          chip((config.ports = 2, config)),
          m_instant([this] {
              ++instants;
              driver.Tick(Simulator::Now().GetPicoSeconds());
          }),
          driver(chip, 0, limits, windows, m_instant),
          first(FIRST_UNICAST, {}, messages),
          second(FIRST_UNICAST + 1, {}, messages)
    {
        UsePicoseconds();
        first.SetListener(this);
        second.SetListener(this);
        chip.ConnectNic(0, first, LinkRate(RATE), DELAY);
        chip.ConnectNic(1, second, LinkRate(RATE), DELAY);
        std::vector<PortRange> ways(FIRST_UNICAST + 2);
        ways[FIRST_UNICAST] = {0, 1};
        ways[FIRST_UNICAST + 1] = {1, 1};
        chip.SetRouting(Routing(std::move(ways)));
        chip.FinishLinks();
    }

    ~DrivenSwitch()
    {
        windows.Clear();
        m_instant.Stop();
        Simulator::Destroy();
    }

    /// The first host sends messages of one frame, one each so many ps.
    void Send(uint32_t messagesToSend, TimePs interval)
    {
        for (uint32_t i = 0; i < messagesToSend; ++i)
        {
            Simulator::Schedule(PicoSeconds(i * interval), [this] {
                first.SendMessage({second.Location()}, 1000, 0, Simulator::Now().GetPicoSeconds());
            });
        }
    }

    RunLimits limits;
    Crew crew;
    WindowSchedule windows;
    MessageTable messages;
    SwitchChip chip;
    uint32_t instants{0};           ///< Windows of one instant.
    std::vector<TimePs> deliveries; ///< Of messages, ps.

  private:
    void MessageComplete(uint32_t handle, TimePs at) override
    {
        deliveries.push_back(at);
        messages.Free(handle);
    }

    void PacketComplete(const Frame&, TimePs) override
    {
    }

    void MessageLost(uint32_t handle) override
    {
        messages.Free(handle);
    }

    RepeatingEvent m_instant;

  public:
    WindowDriver driver;
    Nic first;
    Nic second;
};

void
TestDrivesAlike(FunctionCase& test)
{
    std::vector<std::vector<TimePs>> results;
    for (const bool lookahead : {true, false})
    {
        for (const bool isWatched : {true, false})
        {
            DrivenSwitch driven;
            Watcher watcher;
            driven.limits.lookahead = lookahead;
            driven.driver.Watch(isWatched ? &watcher : nullptr);
            driven.Send(50, 30 * NS);
            Simulator::Run();
            test.Expect(driven.deliveries.size() == 50 && driven.chip.IsEmpty(),
                        "all is delivered");
            test.Expect((driven.instants == 0) == (lookahead && !isWatched),
                        "who is watched, or must not run ahead, goes by instants");
            test.Expect(watcher.arrived == (isWatched ? 50 : 0) && watcher.isPunctual,
                        "who watches sees all at its time");
            results.push_back(driven.deliveries);
        }
    }
    test.Expect(std::set<std::vector<TimePs>>(results.begin(), results.end()).size() == 1,
                "results depend on the windows");
}

/// Whoever listens is told when the first sink comes and the last one goes.
void
TestTraceCount(FunctionCase& test)
{
    TraceCount count;
    CountedTrace<int> one(count);
    CountedTrace<int> other(count);
    std::vector<bool> told;
    count.Listen([&told](bool isTraced) { told.push_back(isTraced); });
    const Callback<void, int> sink([](int) {});
    one.ConnectWithoutContext(sink);
    one.ConnectWithoutContext(sink);
    other.ConnectWithoutContext(sink);
    test.ExpectEqual(count.Number(), 2U, "sources with sinks");
    one.DisconnectWithoutContext(sink);
    test.Expect(told.back(), "the other one has a sink still");
    other.DisconnectWithoutContext(sink);
    test.ExpectEqual(count.Number(), 0U, "no sinks are left");
    test.Expect(!told.front() && !told.back(), "told at first, and of the last");
}

void
TestHorizon(FunctionCase& test)
{
    DrivenSwitch driven;
    driven.Send(50, 30 * NS);
    driven.limits.horizon = 1000 * NS;
    Simulator::Run();
    const std::size_t before = driven.deliveries.size();
    test.Expect(before > 0 && before < 50, "the run has ended at the horizon");
    driven.limits.horizon = NEVER;
    driven.driver.Resume();
    Simulator::Run();
    test.Expect(driven.deliveries.size() == 50 && driven.chip.IsEmpty(), "it goes on");
}

/// Windows may be kept shorter than the look-ahead.
void
TestLongestWindow(FunctionCase& test)
{
    std::vector<std::vector<TimePs>> results;
    std::vector<uint64_t> events;
    for (const TimePs part : {1, 2, 3, 7})
    {
        DrivenSwitch driven;
        driven.limits.longest = part == 1 ? NEVER : driven.chip.Lookahead() / part;
        driven.Send(400, 0);
        Simulator::Run();
        test.Expect(driven.deliveries.size() == 400 && driven.chip.IsEmpty(), "all is delivered");
        results.push_back(driven.deliveries);
        events.push_back(Simulator::GetEventCount());
    }
    test.Expect(std::set<std::vector<TimePs>>(results.begin(), results.end()).size() == 1,
                "results depend on the longest window");
    test.Expect(std::is_sorted(events.begin(), events.end()) && events[1] > events[0] + 50,
                Text("shorter windows are more: ", events[0], ' ', events[1], ' ', events[3]));
}

void
TestNextWindow(FunctionCase& test)
{
    DrivenSwitch driven;
    const TimePs window = driven.chip.Lookahead();
    test.Expect(window > 0 && driven.driver.NextWindow() == window, "not the present");
    for (const TimePs at : {window - 1, window, 5 * window + 1})
    {
        Simulator::Schedule(PicoSeconds(at), [&test, &driven, at, window] {
            test.Expect(driven.driver.NextWindow() == (at / window + 1) * window,
                        "the next multiple of the look-ahead");
        });
    }
    Simulator::Run();
}

void
TestOutages(FunctionCase& test)
{
    DrivenSwitch driven;
    const SubnetSettings settings{500 * NS};
    SubnetManager manager(settings);
    manager.Add(driven.driver);
    manager.AddHost(driven.first.Location());
    manager.AddHost(driven.second.Location());
    const TimePs window = driven.chip.Lookahead();
    test.Expect(!manager.HasFailures(), "no link has failed yet");
    test.Expect(manager.FailLink({{0, 1}}, 1) == window, "what is too near is put off");
    test.Expect(manager.HasFailures(), "a link has failed");
    const TimePs repair = 20 * window + 7;
    test.Expect(manager.RepairLink({{0, 1}}, repair) == repair, "what is far enough is exact");
    driven.Send(400, 30 * NS);
    Simulator::Run();
    const auto& dropped = driven.chip.Counts().droppedPayload;
    test.Expect(dropped[static_cast<std::size_t>(DropCause::NO_ROUTE)] > 0,
                "routing has not heard of the failure");
    test.Expect(!driven.deliveries.empty() && driven.deliveries.front() > repair,
                "a message was delivered without a link");
    test.Expect(driven.deliveries.size() < 400 && driven.deliveries.size() > 300,
                std::to_string(driven.deliveries.size()) + " messages came through");
}

/// Switches on shortest ways: a ring of five, one that hangs on it, and one that is alone.
void
TestHopsOfSwitches(FunctionCase& test)
{
    std::vector<std::unique_ptr<DrivenSwitch>> switches;
    const SubnetSettings settings;
    SubnetManager manager(settings);
    for (uint32_t i = 0; i < 7; ++i)
    {
        switches.push_back(std::make_unique<DrivenSwitch>());
        manager.Add(switches.back()->driver);
    }
    for (uint32_t i = 0; i < 5; ++i)
    {
        manager.Add(SwitchLink{SwitchPort{i, 0}, SwitchPort{(i + 1) % 5, 1}});
    }
    manager.Add(SwitchLink{SwitchPort{5, 0}, SwitchPort{2, 2}});
    test.Expect(manager.Hops(0) == std::vector<uint32_t>{1, 2, 3, 3, 2, 4, 0}, "from the ring");
    test.Expect(manager.Hops(5) == std::vector<uint32_t>{4, 3, 2, 3, 4, 1, 0}, "from the end");
    test.Expect(manager.Hops(6) == std::vector<uint32_t>{0, 0, 0, 0, 0, 0, 1}, "alone");
}

/// @return a table whose lanes carry so many classes
LaneTable
LanesFor(uint8_t classes)
{
    LaneTable table;
    for (uint8_t lane = 0; lane < classes; ++lane)
    {
        table.lanes.push_back({lane, 0, lane, 0, false});
    }
    table.groups = {{0, 10'000}};
    return table;
}

void
TestTablesOfLanes(FunctionCase& test)
{
    SwitchConfig config;
    config.lanes = LaneArbitration{LanesFor(2), {}};
    DrivenSwitch with(config);
    DrivenSwitch without;
    const SubnetSettings settings;
    SubnetManager manager(settings);
    manager.Add(with.driver);
    manager.SetLaneTable(LanesFor(3));
    manager.Add(without.driver);
    bool isRefused = false;
    try
    {
        manager.SetLaneTable(LanesFor(4));
    }
    catch (const std::invalid_argument&)
    {
        isRefused = true;
    }
    with.Send(20, 30 * NS);
    Simulator::Run();
    test.Expect(isRefused, "a switch without lanes can't have a table");
    test.Expect(with.deliveries.size() == 20 && with.chip.Lanes(0)->Room() == 3,
                "the last table that all could have is used");
}

void
TestPayloads(FunctionCase& test)
{
    uint32_t lost = 0;
    uint32_t ended = 0;
    Payloads payloads([&lost](const Message& message) { lost += message.bytes == 1200; },
                      [&ended](const Message& message) { ended += message.bytes == 1200; });
    test.Expect(payloads.IsEmpty(), "nothing is under way");
    payloads.Divide(2);
    payloads.SetPart(7, 1);
    test.Expect(&payloads.TransportOf(7) != &payloads.TransportOf(8), "each part has a table");

    Frame frame{};
    frame.src = 7;
    frame.payload = 600;
    frame.kind = FrameKind::TRANSPORT;
    frame.handle = payloads.TransportOf(7).Put({});
    test.Expect(!payloads.IsEmpty(), "a transport's packet");
    payloads.Free(frame);
    test.Expect(payloads.IsEmpty(), "it was lost");

    frame.kind = FrameKind::PACKET;
    frame.handle = payloads.Packets().Put({});
    test.Expect(!payloads.IsEmpty(), "a user's packet");
    payloads.Free(frame);
    test.Expect(payloads.IsEmpty(), "it was lost");

    Message message;
    message.bytes = message.underWay = 1200;
    frame.kind = FrameKind::MESSAGE;
    frame.handle = payloads.Messages().Put(message);
    payloads.Free(frame);
    test.Expect(!payloads.IsEmpty() && payloads.Messages().At(frame.handle).isDamaged,
                "half of a message is lost, and half under way");
    payloads.Free(frame);
    test.Expect(payloads.IsEmpty(), "nothing of it is under way");
    test.Expect(lost == 1 && ended == 1, "that was told, once");
    payloads.FreeMessage(payloads.Messages().Put(message));
    test.Expect(lost == 1 && ended == 2, "one that is delivered is over");
}

void
TestTotals(FunctionCase& test)
{
    DrivenSwitch driven;
    driven.Send(10, 30 * NS);
    Simulator::Stop(PicoSeconds(500 * NS));
    Simulator::Run();
    RefusedBytes refused{};
    refused[static_cast<std::size_t>(RefusalCause::MTU)] = 77;
    FabricTotals totals;
    totals.Add(driven.chip, false);
    totals.Add(driven.first, refused, driven.limits.horizon, false);
    totals.Add(driven.second, {}, driven.limits.horizon, false);
    totals.CheckConservation();
    test.Expect(totals.offered == 10 * 1000 + 77 && totals.dropped.at("mtu") == 77,
                "what is refused was offered, and is dropped");
    test.Expect(totals.dropped.count("link-down") == 0 && totals.dropped.count("nic-queue") == 0,
                "causes that can't be are not listed");
    FabricTotals failing;
    failing.Add(driven.chip, true);
    test.Expect(failing.dropped.at("link-down") == 0, "where links fail, the cause is listed");
    bool isFound = false;
    ++totals.inFlight;
    try
    {
        totals.CheckConservation();
    }
    catch (const std::logic_error&)
    {
        isFound = true;
    }
    test.Expect(isFound, "a byte too much was not found");
}

void
TestNames(FunctionCase& test)
{
    std::set<std::string> names(DropCauseNames::DROPS.begin(), DropCauseNames::DROPS.end());
    names.insert(DropCauseNames::REFUSALS.begin(), DropCauseNames::REFUSALS.end());
    test.Expect(names.size() == DropCauseNames::DROPS.size() + DropCauseNames::REFUSALS.size(),
                "two causes have the same name");
    test.Expect(NameOf(DropCause::NO_ROUTE) == std::string("no-route") &&
                    NameOf(DropCause::CORRUPT) == std::string("corrupt") &&
                    NameOf(DropCause::LINK_DOWN) == std::string("link-down"),
                "what switches and links drop");
    test.Expect(NameOf(RefusalCause::NIC_QUEUE) == std::string("nic-queue") &&
                    NameOf(RefusalCause::MTU) == std::string("mtu") &&
                    NameOf(RefusalCause::UNKNOWN_DESTINATION) ==
                        std::string("unknown-destination") &&
                    NameOf(RefusalCause::NO_LINK) == std::string("no-link"),
                "what devices refuse");
}

/// Asks for windows at random times, and notes when they begin.
class RandomTicker : public Ticker
{
  public:
    using Windows = std::set<std::pair<TimePs, uint32_t>>; ///< Times, and numbers of tickers.

    using Tickers = std::vector<std::unique_ptr<RandomTicker>>; ///< All of a schedule.

    /**
     * @param others are asked for windows as well when one begins
     * @param wanted what all tickers have asked for
     * @param begun what has begun, in its order
     */
    RandomTicker(WindowSchedule& schedule,
                 uint32_t number,
                 const Tickers& others,
                 std::minstd_rand& random,
                 Windows& wanted,
                 std::vector<Windows::value_type>& begun)
        : m_schedule(schedule),
          m_number(number),
          m_others(others),
          m_random(random),
          m_wanted(wanted),
          m_begun(begun)
    {
        schedule.Enlist(number, this);
    }

    /// Asks for a window, unless its next one begins before that. @param now ps
    void Ask(TimePs now)
    {
        const TimePs near = 1 + m_random() % 20;
        const TimePs time = now + (m_random() % 3 == 0 ? near * 100 : near);
        if (time < m_planned)
        {
            m_wanted.erase({m_planned, m_number});
            m_wanted.insert({time, m_number});
            m_planned = time;
            // Look-aheads of different switches may be different.
            m_schedule.Add(time, 1 + static_cast<TimePs>(m_random() % 30), m_number);
        }
    }

    /// Asks for a window that is given up again. @param time of no other window, ps
    void AskInVain(TimePs time)
    {
        m_schedule.Add(time, 10, m_number);
        m_schedule.GiveUp(m_number);
    }

    void Tick(TimePs now) override
    {
        m_planned = NEVER;
        m_begun.emplace_back(now, m_number);
        if (now < 20'000)
        {
            Ask(now);
            m_others[m_random() % m_others.size()]->Ask(now);
        }
        else
        {
            AskInVain(now + 5);
        }
    }

    void Fetch(uint32_t) const override
    {
    }

    void FetchFirst() const override
    {
    }

    uint32_t GetPart() const override
    {
        return 0;
    }

    bool RunsAlone() const override
    {
        return true;
    }

    void PlanStart() override
    {
    }

  private:
    WindowSchedule& m_schedule;
    uint32_t m_number;
    const Tickers& m_others;
    std::minstd_rand& m_random;
    Windows& m_wanted;
    std::vector<Windows::value_type>& m_begun;
    TimePs m_planned{NEVER};
};

/// Windows that were asked for at any time, near and far, begin once each, in the order of time
/// and number, unless they are brought forward.
void
TestSchedule(FunctionCase& test)
{
    UsePicoseconds();
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        Crew crew([](const WindowJournal&) {});
        WindowSchedule schedule(crew);
        RandomTicker::Windows wanted;
        std::vector<RandomTicker::Windows::value_type> begun;
        RandomTicker::Tickers tickers;
        const uint32_t count = 1 + random() % 100;
        for (uint32_t number = 0; number < count; ++number)
        {
            tickers.push_back(
                std::make_unique<RandomTicker>(schedule, number, tickers, random, wanted, begun));
        }
        for (uint32_t i = 0; i < 2 * count; ++i)
        {
            tickers[random() % tickers.size()]->Ask(0);
        }
        RandomTicker idle(schedule, count, tickers, random, wanted, begun);
        idle.AskInVain(seed % 2 == 0 ? 1'000'000 : 7);
        Simulator::Run();
        test.Expect(!begun.empty() && Simulator::Now() == PicoSeconds(begun.back().first),
                    "seed " + std::to_string(seed) + ": it ends with a window that was given up");
        schedule.Clear();
        Simulator::Destroy();
        test.Expect(begun.size() > count && begun == std::vector(wanted.begin(), wanted.end()),
                    "seed " + std::to_string(seed) + ": " + std::to_string(begun.size()) +
                        " windows have begun, " + std::to_string(wanted.size()) +
                        " were asked for");
    }
}

/// Suite of what a fabric is put together of.
class NetworkUnitsTestSuite : public FunctionSuite
{
  public:
    NetworkUnitsTestSuite()
        : FunctionSuite("fabric-network-units", kUnit)
    {
        Add("DP-2 windows of any times begin in their order", TestSchedule);
        Add("DP-3 DP-5 a driver runs a switch ahead or by instants, alike", TestDrivesAlike);
        Add("DP-5 who listens to traces is told of sinks", TestTraceCount);
        Add("DP-6 a driver keeps to the horizon, and goes on when it is moved", TestHorizon);
        Add("DP-15 windows that are kept short change nothing", TestLongestWindow);
        Add("DP-6 the next window of a driver", TestNextWindow);
        Add("WL-8 a subnet manager fails a link and repairs it", TestOutages);
        Add("RT-14 switches on shortest ways", TestHopsOfSwitches);
        Add("VA-11 a subnet manager changes the lane tables of all switches or of none",
            TestTablesOfLanes);
        Add("SU-1 payloads are freed by the kind of their frame", TestPayloads);
        Add("PR-3 totals of switches and devices add up", TestTotals);
        Add("PR-3 causes of drops have one name each", TestNames);
    }
};

NetworkUnitsTestSuite g_networkUnitsTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
