/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-bed.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t RATE = LaneBed::RATE;
constexpr TimePs DELAY = LaneBed::DELAY;
constexpr uint32_t PAYLOAD = LaneBed::PAYLOAD;

/// Host 0 sends to six others over one switch: its uplink is what they share.
struct UplinkBed : LaneBed
{
    UplinkBed()
        : LaneBed({6})
    {
    }

    /// Host 0 has so much to send to each other host, to host i + 1 in class i, from the beginning.
    void SendAll(uint64_t bytes)
    {
        for (uint8_t i = 0; i < 6; ++i)
        {
            bed->Send(0, i + 1U, bytes, i, 0);
        }
    }

    const NicLanes& Lanes() const
    {
        return *bed->GetNic(0).Lanes();
    }
};

/// @return what is wrong with the shares of a saturated uplink between two times
std::string
CheckShares(UplinkBed& uplink, const std::map<uint32_t, double>& expected)
{
    uplink.bed->RunUntil(200 * US);
    std::map<uint32_t, uint64_t> before;
    for (const auto& [lane, share] : expected)
    {
        before[lane] = uplink.Lanes().Sent(lane);
    }
    uplink.bed->RunUntil(1200 * US);
    uplink.bed->Check();
    const double link = 1000e-6 * RATE / 8;
    for (const auto& [lane, share] : expected)
    {
        const double found = static_cast<double>(uplink.Lanes().Sent(lane) - before[lane]) / link;
        if (std::abs(found - share) > 1e-3)
        {
            return "lane " + std::to_string(lane) + " has " + std::to_string(found) +
                   " of the uplink, expected " + std::to_string(share) + "; ";
        }
    }
    return "";
}

/// VA-6: six flows of one host to six hosts.
std::string
TestWorkedExample()
{
    std::string fault;
    for (const bool flowChannels : {true, false})
    {
        for (const MeterKind meter : {TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW})
        {
            for (const CheckMode mode : {CHECK_LANES, CHECK_GROUPS})
            {
                UplinkBed uplink;
                uplink.config.flowChannels.enabled = flowChannels;
                uplink.config.lanes->arbiter.meter.kind = meter;
                uplink.config.lanes->arbiter.mode = mode;
                uplink.Build();
                uplink.SendAll(10'000'000);
                std::map<uint32_t, double> expected;
                for (uint32_t lane = 0; lane < 6; ++lane)
                {
                    const double byGroup = lane < 4 ? 1.0 / 8 : 1.0 / 4;
                    expected[lane] = mode == CHECK_LANES ? 1.0 / 6 : byGroup;
                }
                fault += CheckShares(uplink, expected);
            }
        }
    }
    return fault;
}

/// Random assignments of lanes to groups, all above their bandwidth: equal parts for groups, and in
/// them for lanes.
std::string
TestAnyAssignment()
{
    std::string fault;
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        std::mt19937 random(seed);
        UplinkBed uplink;
        LaneTable& table = uplink.config.lanes->table;
        std::map<uint8_t, uint32_t> members;
        for (LaneSettings& lane : table.lanes)
        {
            lane.group = static_cast<uint8_t>(random() % 4);
            ++members[lane.group];
        }
        table.groups.clear();
        for (const auto& [group, count] : members)
        {
            table.groups.push_back({group, 100}); // of any lane's part the smallest is 1/16
        }
        uplink.config.lanes->arbiter.mode = CHECK_GROUPS;
        uplink.Build();
        uplink.SendAll(10'000'000);
        std::map<uint32_t, double> expected;
        for (const LaneSettings& lane : table.lanes)
        {
            expected[lane.lane] = 1.0 / static_cast<double>(members.size()) / members[lane.group];
        }
        const std::string wrong = CheckShares(uplink, expected);
        fault += wrong.empty() ? "" : "seed " + std::to_string(seed) + ": " + wrong;
    }
    return fault;
}

/// VA-3, VA-4: the high lane has its share and no more while others want the link.
std::string
TestLevels()
{
    UplinkBed uplink;
    uplink.config.lanes->arbiter.chargeOver = false;
    LaneTable& table = uplink.config.lanes->table;
    table.lanes = {{0, 0, 0, 0, false}, {1, 1, 1, 1, false}, {2, 2, 2, 2, false}};
    table.groups = {{0, 3000}, {1, 5000}, {2, 6000}};
    uplink.Build();
    for (uint8_t i = 0; i < 3; ++i)
    {
        uplink.bed->Send(0, i + 1U, 20'000'000, i, 0);
    }
    return CheckShares(uplink, {{0, 0.3}, {1, 0.5}, {2, 0.2}});
}

/// Notes what the switch gets from host 0.
class UplinkWatch : public SwitchObserver
{
  public:
    void Arrived(uint32_t, const Frame& frame, TimePs now) override
    {
        if (frame.src != LocationOf(0))
        {
            return;
        }
        const TimePs start = now - DELAY - SwitchConfig().timing.latency;
        starts.push_back(start);
        lanes.push_back(frame.lane);
        classes.push_back(frame.trafficClass);
        const uint32_t first = start < changeAt ? 0 : 10;
        if (changeAt != NEVER && frame.lane != first + frame.trafficClass)
        {
            fault = "class " + std::to_string(frame.trafficClass) + " is on lane " +
                    std::to_string(frame.lane) + " at " + std::to_string(start) + " ps";
        }
    }

    void Sent(uint32_t, const Frame&, TimePs) override
    {
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
        fault = "a frame was dropped";
    }

    TimePs changeAt{NEVER};      ///< Lanes begin with 10 from then on, ps.
    std::string fault;           ///< What is wrong.
    std::vector<TimePs> starts;  ///< Of frames on the uplink, ps.
    std::vector<uint32_t> lanes; ///< Of frames on the uplink.
    std::vector<int> classes;    ///< Of frames on the uplink.
};

/// VA-11: queues that wait go on in the lanes of the new table.
UplinkWatch
RunChange(bool lookahead, TimePs at)
{
    UplinkBed uplink;
    uplink.Build(lookahead);
    UplinkWatch watch;
    watch.changeAt = at;
    uplink.bed->Chip(0).SetObserver(&watch);
    uplink.bed->Chip(0).ChangeLanesAt(at, WorkedExample(10));
    uplink.SendAll(100'000);
    for (uint32_t i = 1; i <= 60; ++i)
    {
        uplink.bed->RunUntil(i * US);
        uplink.bed->Check();
    }
    uplink.bed->RunToEnd();
    uplink.bed->Check();
    if (!uplink.bed->IsEmpty() || uplink.bed->Deliveries().size() != 6)
    {
        watch.fault += "not all was delivered";
    }
    const uint64_t before = uplink.Lanes().Sent(0);
    const uint64_t after = uplink.Lanes().Sent(10);
    if (before == 0 || after == 0 || before + after != 102'400)
    {
        watch.fault += "lanes 0 and 10 sent " + std::to_string(before) + " and " +
                       std::to_string(after) + " bytes";
    }
    return watch;
}

/// VA-11 with and without look-ahead, at times inside and at the borders of windows and frames.
std::string
TestChange()
{
    const TimePs frame = LinkRate(RATE).TxTime(WireBytes(PAYLOAD));
    for (const TimePs at : {20 * US, 20 * US + 1, 200 * frame, TimePs{15'123'457}})
    {
        const UplinkWatch ahead = RunChange(true, at);
        const UplinkWatch plain = RunChange(false, at);
        if (!(ahead.fault + plain.fault).empty())
        {
            return ahead.fault + plain.fault + " (" + std::to_string(at) + " ps)";
        }
        if (ahead.starts != plain.starts || ahead.lanes != plain.lanes)
        {
            return "frames start at other times without look-ahead";
        }
    }
    return "";
}

/// VA-4: a disqualified lane goes on at the very time at which its group conforms.
std::string
TestDisqualified()
{
    UplinkBed uplink;
    uplink.config.lanes->table.groups = {{0, 1000}, {1, 2000}};
    uplink.config.lanes->arbiter.over = OVER_DISQUALIFY;
    uplink.config.lanes->arbiter.meter.kind = LEAKY_BUCKET;
    uplink.Build(false);
    UplinkWatch watch;
    uplink.bed->Chip(0).SetObserver(&watch);
    uplink.bed->Send(0, 1, 100 * PAYLOAD, 0, 0);
    uplink.bed->RunToEnd();
    const TimePs frame = LinkRate(RATE).TxTime(WireBytes(PAYLOAD));
    for (std::size_t i = 0; i < watch.starts.size(); ++i)
    {
        if (watch.starts[i] != static_cast<TimePs>(i) * 10 * frame)
        {
            return "frame " + std::to_string(i) + " starts at " + std::to_string(watch.starts[i]) +
                   " ps, expected is " + std::to_string(10 * frame * static_cast<TimePs>(i));
        }
    }
    // For each frame: the NIC sends it, it arrives, its output sends it and is free again.
    const uint64_t events = uplink.bed->EventCount();
    return watch.starts.size() == 100 && events <= 5 * 100 + 10
               ? watch.fault
               : std::to_string(watch.starts.size()) + " frames took " + std::to_string(events) +
                     " events";
}

/// VA-11: a table with a share for a group that had none lets its frames go, though nothing else
/// happens.
std::string
TestWaking()
{
    for (const bool lookahead : {true, false})
    {
        UplinkBed uplink;
        uplink.config.lanes->arbiter.over = OVER_DISQUALIFY;
        uplink.config.lanes->table.groups[0].share = 0;
        uplink.Build(lookahead);
        UplinkWatch watch;
        uplink.bed->Chip(0).SetObserver(&watch);
        uplink.bed->Chip(0).ChangeLanesAt(50 * US, WorkedExample());
        uplink.bed->Send(0, 1, PAYLOAD, 0, 0);
        uplink.bed->RunToEnd();
        if (watch.starts != std::vector<TimePs>{50 * US})
        {
            return std::string("with") + (lookahead ? "" : "out") +
                   " look-ahead the frame does not start when the table changes";
        }
    }
    return "";
}

/// VA-12: a NIC that is not to arbitrate shares its uplink between flows, whatever the table says.
std::string
TestSwitchedOff()
{
    UplinkBed uplink;
    uplink.nic.arbitratesLanes = false;
    uplink.config.lanes->arbiter.mode = CHECK_GROUPS;
    uplink.Build();
    uplink.bed->Chip(0).ChangeLanesAt(50 * US, WorkedExample(10));
    uplink.SendAll(1'000'000);
    uplink.bed->RunUntil(400 * US);
    const std::vector<TestBed::Delivery> some = uplink.bed->Deliveries();
    uplink.bed->RunToEnd();
    const std::vector<TestBed::Delivery> all = uplink.bed->Deliveries();
    const bool isFair = all.back().at - all.front().at < US;
    return !uplink.bed->GetNic(0).Lanes() && some.empty() && all.size() == 6 && isFair
               ? ""
               : "the flows do not end together";
}

/// @return what is wrong with frames of which class 0 is paused from 2 us to 9 us, and class 2 to 6
/// us
std::string
CheckPauses(const UplinkWatch& watch)
{
    const TimePs frame = LinkRate(RATE).TxTime(WireBytes(PAYLOAD));
    if (watch.starts.size() != 600)
    {
        return std::to_string(watch.starts.size()) + " frames were sent, expected are 600";
    }
    for (std::size_t i = 0; i < watch.starts.size(); ++i)
    {
        const TimePs start = watch.starts[i];
        const int trafficClass = watch.classes[i];
        const bool mayGo =
            start < 2 * US || trafficClass == 1 || start >= (trafficClass == 0 ? 9 * US : 6 * US);
        if (start != static_cast<TimePs>(i) * frame || !mayGo)
        {
            return "frame " + std::to_string(i) + " of class " + std::to_string(trafficClass) +
                   " starts at " + std::to_string(start) + " ps";
        }
    }
    // Frames take turns, so each class has one of the first three after its pause.
    for (const auto& [trafficClass, end] : {std::pair<int, TimePs>{0, 9 * US}, {2, 6 * US}})
    {
        const auto first = std::lower_bound(watch.starts.begin(), watch.starts.end(), end);
        const auto from = watch.classes.begin() + (first - watch.starts.begin());
        if (std::find(from, from + 3, trafficClass) == from + 3)
        {
            return "class " + std::to_string(trafficClass) + " does not go on after its pause";
        }
    }
    return "";
}

/// WL-5: queues of a lane that are paused let the others of the lane go, and go when they may.
std::string
TestPauses()
{
    for (const bool lookahead : {true, false})
    {
        UplinkBed uplink;
        // One lane for all classes.
        uplink.config.lanes->table.lanes.resize(1);
        uplink.config.hostControl.edgeFlowControl = LINK_PRIORITY_PAUSE;
        uplink.config.buffer.shares.totalBytes = 4 << 20;
        uplink.Build(lookahead);
        UplinkWatch watch;
        uplink.bed->Chip(0).SetObserver(&watch);
        // Classes 0 and 2 stop from 2 us on until class 2 may go on at 6 us and class 0 at 9 us.
        Nic& nic = uplink.bed->GetNic(0);
        for (const auto& [time, lasts, stop, go] :
             {std::tuple<TimePs, TimePs, uint8_t, uint8_t>{2 * US, 7 * US, 0x05, 0},
              {6 * US, 0, 0, 0x04}})
        {
            PauseOrder order{};
            order.time = time;
            order.lasts = lasts;
            order.stop = stop;
            order.go = go;
            nic.Accept(order);
        }
        for (uint8_t i = 0; i < 3; ++i)
        {
            uplink.bed->Send(0, i + 1U, 200 * PAYLOAD, i, 0);
        }
        uplink.bed->RunToEnd();
        const std::string fault = CheckPauses(watch);
        if (!fault.empty())
        {
            return fault;
        }
    }
    return "";
}

/// An uplink that fails holds its lanes back: nothing is lost but what is on the wire, and a table
/// that comes meanwhile counts.
std::string
TestFailure()
{
    for (const TimePs tableAt : {30 * US, 90 * US})
    {
        UplinkBed uplink;
        uplink.Build();
        uplink.SendAll(100'000);
        uplink.bed->FailLink(uplink.plan.links.size(), 10 * US, 60 * US, 0);
        uplink.bed->Chip(0).ChangeLanesAt(tableAt, WorkedExample(10));
        const Nic& nic = uplink.bed->GetNic(0);
        uplink.bed->RunUntil(11 * US);
        const uint64_t backlog = nic.Backlog();
        uplink.bed->RunUntil(59 * US);
        if (backlog == 0 || nic.Backlog() != backlog)
        {
            return "while the uplink is down " + std::to_string(backlog - nic.Backlog()) + " of " +
                   std::to_string(backlog) + " bytes leave";
        }
        uplink.bed->RunToEnd();
        uplink.bed->Check();
        constexpr std::size_t DOWN = static_cast<std::size_t>(DropCause::LINK_DOWN);
        const uint64_t lost = uplink.bed->Chip(0).Counts().droppedPayload[DOWN];
        const auto onWire = static_cast<uint64_t>(DELAY / LinkRate(RATE).TxTime(PAYLOAD)) + 2;
        if (nic.Backlog() != 0 || lost == 0 || lost > onWire * PAYLOAD ||
            uplink.Lanes().Sent(10) == 0)
        {
            return "lost " + std::to_string(lost) + " bytes, " + std::to_string(nic.Backlog()) +
                   " left, " + std::to_string(uplink.Lanes().Sent(10)) + " by the new table";
        }
    }
    return "";
}

/// Suite of virtual lanes at the uplinks of hosts.
class FabricNicLanesTestSuite : public TestSuite
{
  public:
    FabricNicLanesTestSuite()
        : TestSuite("fabric-nic-lanes", kUnit)
    {
        Add("VA-6 VA-12 the worked example at the uplink of a host", TestWorkedExample);
        Add("VA-6 VA-12 any assignment of lanes to groups at an uplink", TestAnyAssignment);
        Add("VA-3 VA-12 levels and guarantees at an uplink", TestLevels);
        Add("VA-11 DP-6 a table that changes while the queues of a host wait", TestChange);
        Add("VA-4 a disqualified lane of a host goes on when its group conforms, without polling",
            TestDisqualified);
        Add("VA-11 a new table wakes lanes of a host that had no share", TestWaking);
        Add("VA-12 an uplink that is not to arbitrate", TestSwitchedOff);
        Add("WL-8 VA-12 an uplink that fails holds its lanes back", TestFailure);
        Add("WL-5 VA-12 queues of a lane that are paused let the others go", TestPauses);
    }

  private:
    /**
     * @param name of a test case
     * @param test returns what is wrong
     */
    void Add(const std::string& name, std::string (*test)())
    {
        AddTestCase(NewFaultCase(name, test), kQuick);
    }
};

FabricNicLanesTestSuite g_fabricNicLanesTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
