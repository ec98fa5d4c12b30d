/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-bed.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t RATE = LaneBed::RATE;
constexpr uint32_t PAYLOAD = LaneBed::PAYLOAD;

/// A switch with six hosts that send, class i by host i, and one that receives; or a chain of them.
struct OutputBed : LaneBed
{
    /// @param chain hosts that send, per switch
    explicit OutputBed(const ChainSources& chain = {6})
        : LaneBed(chain),
          receiver(static_cast<uint32_t>(plan.hosts.size()) - 1)
    {
        nic.arbitratesLanes = false; // these are tests of the outputs of switches
    }

    /// Every host but the receiver has so much to send, from the beginning.
    void SendAll(uint64_t bytes)
    {
        for (uint32_t host = 0; host < receiver; ++host)
        {
            bed->Send(host, receiver, bytes, static_cast<uint8_t>(host % 6), 0);
        }
    }

    /// @return the lanes of the port to the receiver
    const LaneSender& Lanes() const
    {
        const HostPlan& host = plan.hosts.back();
        return *bed->Chip(host.edgeSwitch).Lanes(host.port);
    }

    /// @return bytes that a lane of that port has sent
    uint64_t Sent(uint32_t lane) const
    {
        return Lanes().Sent(lane);
    }

    uint32_t receiver; ///< The last host.
};

/// VA-6: what each lane sends of a saturated link.
std::string
CheckWorkedExample(CheckMode mode, Arbitration arbitration, bool flowChannels)
{
    OutputBed lanes;
    lanes.config.lanes->arbiter.mode = mode;
    lanes.config.arbitration = arbitration;
    lanes.config.flowChannels.enabled = flowChannels;
    lanes.Build();
    lanes.SendAll(4'000'000);
    lanes.bed->RunUntil(200 * US);
    std::vector<uint64_t> before;
    for (uint32_t lane = 0; lane < 6; ++lane)
    {
        before.push_back(lanes.Sent(lane));
    }
    lanes.bed->RunUntil(600 * US);
    lanes.bed->Check();
    const double link = 400e-6 * RATE / 8;
    for (uint32_t lane = 0; lane < 6; ++lane)
    {
        const double byGroup = lane < 4 ? 1.0 / 8 : 1.0 / 4;
        const double expected = mode == CHECK_LANES ? 1.0 / 6 : byGroup;
        const double share = static_cast<double>(lanes.Sent(lane) - before[lane]) / link;
        if (std::abs(share - expected) > 1e-3)
        {
            return "lane " + std::to_string(lane) + " has " + std::to_string(share) +
                   " of the link, expected " + std::to_string(expected);
        }
    }
    return "";
}

/// VA-6 at an output, in all its kinds.
std::string
TestWorkedExample()
{
    for (CheckMode mode : {CHECK_LANES, CHECK_GROUPS})
    {
        for (Arbitration arbitration : {ARBITRATE_BY_FLOW, ARBITRATE_BY_PORT})
        {
            for (bool flowChannels : {true, false})
            {
                const std::string fault = CheckWorkedExample(mode, arbitration, flowChannels);
                if (!fault.empty())
                {
                    return fault;
                }
            }
        }
    }
    return "";
}

/// Notes what an output sends, and what is wrong with it.
class LaneWatch : public SwitchObserver
{
  public:
    explicit LaneWatch(uint32_t output)
        : m_output(output)
    {
    }

    void Arrived(uint32_t, const Frame&, TimePs) override
    {
    }

    void Sent(uint32_t port, const Frame& frame, TimePs now) override
    {
        if (port != m_output)
        {
            return;
        }
        const auto [last, isFirst] = m_next.insert({frame.src, 0});
        // A flow of which nothing is under way ends, and begins again with its next frame.
        if (!isFirst && frame.dataFlow != last->second && frame.dataFlow != 0)
        {
            fault = "a frame of host " + std::to_string(frame.src) + " came out of order";
        }
        last->second = frame.dataFlow + FlowUnits(frame.payload);
        const uint32_t class0 = now < changeAt ? 0 : 10;
        if (frame.lane != class0 + frame.trafficClass)
        {
            fault = "class " + std::to_string(frame.trafficClass) + " is on lane " +
                    std::to_string(frame.lane) + " at " + std::to_string(now) + " ps";
        }
        starts.push_back(now);
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
        fault = "a frame was dropped";
    }

    std::string fault;          ///< What is wrong.
    TimePs changeAt{NEVER};     ///< Lanes begin with 10 from then on, ps.
    std::vector<TimePs> starts; ///< Of frames, ps.

  private:
    uint32_t m_output;                     ///< The port.
    std::map<LocationId, uint32_t> m_next; ///< Position of the next frame, by source.
};

/// VA-11: frames that wait go on in the lanes of the new table, and none is lost or overtaken.
std::vector<TimePs>
CheckNewTable(bool lookahead, std::string& fault)
{
    OutputBed lanes({2, 2, 2});
    lanes.Build(lookahead);
    LaneWatch watch(lanes.plan.hosts.back().port);
    watch.changeAt = 20 * US;
    const std::size_t last = lanes.bed->Chips() - 1;
    lanes.bed->Chip(last).SetObserver(&watch);
    for (std::size_t chip = 0; chip < lanes.bed->Chips(); ++chip)
    {
        lanes.bed->Chip(chip).ChangeLanesAt(watch.changeAt, WorkedExample(10));
    }
    lanes.SendAll(100'000);
    for (uint32_t i = 1; i <= 50; ++i)
    {
        lanes.bed->RunUntil(i * US);
        lanes.bed->Check();
    }
    lanes.bed->RunToEnd();
    lanes.bed->Check();
    fault += watch.fault;
    if (!lanes.bed->IsEmpty() || lanes.bed->Deliveries().size() != 6)
    {
        fault += "not all was delivered";
    }
    if (lanes.Sent(0) == 0 || lanes.Sent(10) == 0 || lanes.Sent(0) + lanes.Sent(10) != 102'400)
    {
        fault += "lanes 0 and 10 sent " + std::to_string(lanes.Sent(0)) + " and " +
                 std::to_string(lanes.Sent(10)) + " bytes";
    }
    return watch.starts;
}

/// VA-11 with and without look-ahead.
std::string
TestChange()
{
    std::string fault;
    if (CheckNewTable(true, fault) != CheckNewTable(false, fault))
    {
        fault += "frames start at other times without look-ahead";
    }
    return fault;
}

/// VA-4: a lane that is disqualified goes on at the very time at which its group conforms.
std::string
TestDisqualified()
{
    OutputBed lanes;
    lanes.config.lanes->table.groups = {{0, 1000}, {1, 2000}};
    lanes.config.lanes->arbiter.over = OVER_DISQUALIFY;
    lanes.config.lanes->arbiter.meter.kind = LEAKY_BUCKET;
    lanes.config.lanes->arbiter.meter.tolerance = 0;
    lanes.Build(false);
    LaneWatch watch(lanes.plan.hosts.back().port);
    lanes.bed->Chip(0).SetObserver(&watch);
    lanes.bed->Send(0, lanes.receiver, 100 * PAYLOAD, 0, 0);
    lanes.bed->RunToEnd();
    const TimePs frame = LinkRate(RATE).TxTime(WireBytes(PAYLOAD));
    for (std::size_t i = 1; i < watch.starts.size(); ++i)
    {
        if (watch.starts[i] - watch.starts[i - 1] != 10 * frame)
        {
            return "a frame starts " + std::to_string(watch.starts[i] - watch.starts[i - 1]) +
                   " ps after the one before it, expected are " + std::to_string(10 * frame);
        }
    }
    // For each frame: it arrives, the port is free, the group conforms; and the sends.
    const uint64_t events = lanes.bed->EventCount();
    return watch.starts.size() == 100 && events <= 3 * 100 + 10
               ? watch.fault
               : std::to_string(watch.starts.size()) + " frames took " + std::to_string(events) +
                     " events";
}

/// VA-11: a table with a share for a group that had none lets its frames go, though nothing else
/// happens.
std::string
TestWaking()
{
    for (bool lookahead : {true, false})
    {
        OutputBed lanes;
        lanes.config.lanes->arbiter.over = OVER_DISQUALIFY;
        lanes.config.lanes->table.groups[0].share = 0;
        lanes.Build(lookahead);
        LaneWatch watch(lanes.plan.hosts.back().port);
        lanes.bed->Chip(0).SetObserver(&watch);
        lanes.bed->Chip(0).ChangeLanesAt(50 * US, WorkedExample());
        lanes.bed->Send(0, lanes.receiver, PAYLOAD, 0, 0);
        lanes.bed->RunToEnd();
        if (watch.starts != std::vector<TimePs>{50 * US})
        {
            return std::string("with") + (lookahead ? "" : "out") +
                   " look-ahead the frame does not start when the table changes";
        }
    }
    return "";
}

/// @return what is said of a table for a switch with two virtual channels, class 1 on the second
std::string
Complaint(const LaneTable& table, uint32_t ports = 8)
{
    SwitchConfig config;
    config.ports = ports;
    config.buffer.shares.virtualChannels = 2;
    config.buffer.vcOfClass[1] = 1;
    config.lanes = LaneArbitration{table, {}};
    try
    {
        config.Validate();
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/// @return whether a sentence has these words
bool
Says(const std::string& sentence, const std::string& words)
{
    return sentence.find(words) != std::string::npos;
}

/// VA-14: tables that a switch can't have.
std::string
TestBadTables()
{
    LaneTable table = WorkedExample();
    table.laneCount = 32;
    table.lanes[5].lane = 16;
    LaneTable noClass0 = WorkedExample();
    noClass0.lanes[0].trafficClass = 6;
    LaneTable otherChannel = WorkedExample();
    otherChannel.lanes[1].trafficClass = 6;
    OutputBed plain;
    plain.config.lanes.reset();
    plain.Build();
    std::string without;
    try
    {
        plain.bed->Chip(0).ChangeLanesAt(US, WorkedExample());
    }
    catch (const std::invalid_argument& error)
    {
        without = error.what();
    }
    const bool isRight = Complaint(WorkedExample()).empty() &&
                         Says(Complaint(table), "lane 16 does not fit into the header") &&
                         Says(Complaint(noClass0), "no lane carries class 0") &&
                         Says(Complaint(otherChannel), "no lane carries class 1") &&
                         Says(Complaint(WorkedExample(), 4096), "at most 3967") &&
                         Says(without, "the switch was made without one");
    return isRight ? "" : "a sentence is missing: " + without;
}

/// Suite of virtual lanes at the ports of switches.
class FabricLaneSenderTestSuite : public TestSuite
{
  public:
    FabricLaneSenderTestSuite()
        : TestSuite("fabric-port-lanes", kUnit)
    {
        Add("VA-6 the worked example at an output of a switch", TestWorkedExample);
        Add("VA-11 DP-6 a table that changes in flight loses and reorders no frame", TestChange);
        Add("VA-4 a disqualified lane goes on when its group conforms, without polling",
            TestDisqualified);
        Add("VA-11 a new table wakes lanes that had no share", TestWaking);
        Add("VA-14 tables that a switch can't have", TestBadTables);
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

FabricLaneSenderTestSuite g_fabricLaneSenderTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
