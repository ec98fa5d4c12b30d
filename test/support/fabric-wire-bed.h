/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WIRE_BED_H
#define FABRIC_WIRE_BED_H

#include "fabric-chain.h"
#include "fabric-port-wire.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A run of a frame's bytes on a wire: start in ps, lane, number of the frame among those of its
/// lane from 1 on, first byte, bytes.
using SentRun = std::tuple<TimePs, uint32_t, uint32_t, uint32_t, uint32_t>;

/// What comes into a switch and what it sends.
class WireWatch : public SwitchObserver
{
  public:
    /// A frame at the time of an event.
    struct Event
    {
        TimePs time;   ///< When, ps.
        uint32_t port; ///< Where.
        Frame frame;   ///< Which.
    };

    void Arrived(uint32_t port, const Frame& frame, TimePs now) override
    {
        arrivals.push_back({now, port, frame});
    }

    void Sent(uint32_t port, const Frame& frame, TimePs now) override
    {
        starts.push_back({now, port, frame});
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
        ++drops;
    }

    void SegmentSent(uint32_t port, const Frame&, const WireSegment& s, TimePs) override
    {
        AddSegment(port, s);
    }

    /// Adds what was sent by a port of a switch, or by a host.
    void AddSegment(uint32_t port, const WireSegment& s)
    {
        uint32_t& number = m_started[{port, s.lane}];
        number += s.first == 0 ? 1 : 0;
        segments[port].emplace_back(s.start, s.lane, number, s.first, s.bytes);
    }

    /// @return when the first frame of a class starts, -1 for never, ps
    TimePs StartOf(uint8_t trafficClass) const
    {
        return TimeOf(starts, trafficClass);
    }

    /// @return when the first frame of a class arrives, -1 for never, ps
    TimePs ArrivalOf(uint8_t trafficClass) const
    {
        return TimeOf(arrivals, trafficClass);
    }

    std::vector<Event> arrivals;                       ///< In their order.
    std::vector<Event> starts;                         ///< In their order.
    std::map<uint32_t, std::vector<SentRun>> segments; ///< By output port, in their order.
    uint32_t drops{0};                                 ///< Frames.

  private:
    /// @return time of the first event of a class
    static TimePs TimeOf(const std::vector<Event>& events, uint8_t trafficClass)
    {
        const auto found = std::find_if(events.begin(), events.end(), [=](const Event& event) {
            return event.frame.trafficClass == trafficClass;
        });
        return found == events.end() ? -1 : found->time;
    }

    /// Frames that have started, by port and lane.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_started;
};

/// Switches whose outputs interrupt frames, each class on a lane and level of its own. The i-th
/// link is that of the i-th switch toward the last one, where the last host is.
struct WireBed
{
    /**
     * @param sources hosts that send, per switch of a chain; one more host hangs at the last one
     * @param sensitive so many of the best lanes may interrupt others
     */
    WireBed(const ChainSources& sources, uint32_t sensitive)
        : WireBed(MakeChainPlan(sources), sensitive)
    {
    }

    /// @param sensitive so many of the best lanes may interrupt others
    WireBed(const TopologyPlan& topology, uint32_t sensitive)
        : plan(topology),
          receiver(static_cast<uint32_t>(plan.hosts.size()) - 1),
          links(plan.links.size() + plan.hosts.size(), {LinkRate(100'000'000'000), 100'000})
    {
        config.flowChannels.enabled = false;
        config.timing.latency = 300'000;
        config.buffer.shares = {1U << 28, 1U << 26, 1};
        config.lanes = LaneArbitration{Table(sensitive), {}};
        config.lanes->arbiter.meter.burst = 1'000'000;
        config.lanes->preemption.preempt = true;
        nic.mtu = JUMBO_PAYLOAD;
    }

    /// @return class i on lane i of level i
    static LaneTable Table(uint32_t sensitive)
    {
        LaneTable table;
        table.levels.clear();
        for (uint8_t i = 0; i < DEFAULT_LANES; ++i)
        {
            table.levels.push_back("level " + std::to_string(i));
            table.lanes.push_back({i, i, i, i, i < sensitive});
            table.groups.push_back({i, GroupSettings::FULL_SHARE});
        }
        return table;
    }

    /// Makes switches and hosts.
    void Build(bool lookahead = true)
    {
        bed = std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nic,
            [this](std::size_t link) { return links[link]; },
            lookahead);
        watches.clear();
        watches.resize(bed->Chips());
        for (std::size_t chip = 0; chip < bed->Chips(); ++chip)
        {
            bed->Chip(chip).SetObserver(&watches[chip]);
        }
        uplinks = {};
        bed->SetUplinkWatch([this](LocationId source, const WireSegment& segment) {
            uplinks.AddSegment(HostOf(source), segment);
        });
    }

    /// Sends a frame.
    void Send(uint32_t from, uint32_t to, uint32_t wireBytes, uint8_t trafficClass, TimePs at)
    {
        bed->Send(from, to, wireBytes - WireBytes(0), trafficClass, at);
    }

    /// Runs to the end. @return what is wrong then
    std::string Run()
    {
        bed->RunToEnd();
        bed->Check();
        return bed->IsEmpty() ? "" : "something is left";
    }

    /// @return the wire of a switch toward the receiver
    const LaneWire& Wire(uint32_t chip)
    {
        return bed->Chip(chip).Wire(PortOf(chip))->wire;
    }

    /// @return the port of a switch toward the receiver
    uint32_t PortOf(uint32_t chip) const
    {
        return chip == plan.links.size() ? plan.hosts[receiver].port : plan.links[chip].portA;
    }

    TopologyPlan plan;                              ///< The chain.
    uint32_t receiver;                              ///< The last host.
    std::vector<std::pair<LinkRate, TimePs>> links; ///< Links, then hosts.
    SwitchConfig config;                            ///< Of the switches.
    NicConfig nic;                                  ///< Of the hosts.
    std::unique_ptr<TestBed> bed;                   ///< After Build().
    std::vector<WireWatch> watches;                 ///< By switch.
    WireWatch uplinks;                              ///< What hosts have sent, by their number.
};

} // namespace ns3::fabric

#endif // FABRIC_WIRE_BED_H
