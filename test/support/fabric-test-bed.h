/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TEST_BED_H
#define FABRIC_TEST_BED_H

#include "fabric-destination-groups.h"
#include "fabric-group-tree.h"
#include "fabric-nic.h"
#include "fabric-reduction-descriptor.h"
#include "fabric-reduction-tree.h"
#include "fabric-reduction-windows.h"
#include "fabric-routing.h"
#include "fabric-switch-chip.h"
#include "fabric-topology.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/**
 * Switches and NICs of a topology with a loop of their own, so that the data path is tested without
 * a simulator: what ns-3 does in a real run is done here by a priority queue.
 */
class TestBed
{
  public:
    /// A message that was delivered.
    struct Delivery
    {
        TimePs at;            ///< Arrival of its last byte, ps.
        LocationId src;       ///< Source.
        LocationId dst;       ///< Destination.
        uint32_t sequence;    ///< Number at the source.
        uint64_t bytes;       ///< Size.
        uint8_t trafficClass; ///< FTAG.

        /// @return for comparing
        auto Tie() const
        {
            return std::tie(at, src, dst, sequence, bytes, trafficClass);
        }

        /// @return whether all is equal
        bool operator==(const Delivery& other) const
        {
            return Tie() == other.Tie();
        }
    };

    /// Rate and delay of a link; `link` counts the plan's links, then its hosts.
    using LinkOf = std::function<std::pair<LinkRate, TimePs>(std::size_t link)>;

    /**
     * @param plan switches, links, hosts
     * @param config of all switches; ports and seed are set for each
     * @param linkOf gives rate and delay
     * @param lookahead whether switches run ahead (DP-2) or tick at each of their instants (DP-5)
     * @param adjust changes the settings of a switch by its number; may be empty
     * @param adjustNic changes the settings of a NIC by its number; may be empty
     */
    TestBed(const TopologyPlan& plan,
            const std::vector<Routing>& routing,
            SwitchConfig config,
            const NicConfig& nicConfig,
            const LinkOf& linkOf,
            bool lookahead,
            const std::function<void(std::size_t, SwitchConfig&)>& adjust = {},
            const std::function<void(std::size_t, NicConfig&)>& adjustNic = {})
        : m_lookahead(lookahead),
          m_plan(plan)
    {
        for (std::size_t i = 0; i < plan.switches.size(); ++i)
        {
            config.ports = plan.switches[i].ports;
            config.seed = static_cast<uint32_t>(i + 1);
            SwitchConfig own = config;
            if (adjust)
            {
                adjust(i, own);
            }
            m_stations.push_back(std::make_unique<Station>(*this, i, own));
            m_stations[i]->chip.SetRouting(routing[i]);
            m_fabricPorts.emplace_back(config.ports, false);
        }
        for (std::size_t i = 0; i < plan.links.size(); ++i)
        {
            const LinkPlan& link = plan.links[i];
            const auto [rate, delay] = linkOf(i);
            Chip(link.switchA)
                .ConnectSwitch(link.portA, Chip(link.switchB), link.portB, rate, delay);
            Chip(link.switchB)
                .ConnectSwitch(link.portB, Chip(link.switchA), link.portA, rate, delay);
            m_fabricPorts[link.switchA][link.portA] = true;
            m_fabricPorts[link.switchB][link.portB] = true;
        }
        for (std::size_t i = 0; i < plan.hosts.size(); ++i)
        {
            const HostPlan& host = plan.hosts[i];
            NicConfig own = nicConfig;
            if (adjustNic)
            {
                adjustNic(i, own);
            }
            m_hosts.push_back(std::make_unique<Host>(*this, LocationOf(i), own));
            const auto [rate, delay] = linkOf(plan.links.size() + i);
            Chip(host.edgeSwitch).ConnectNic(host.port, m_hosts[i]->nic, rate, delay);
        }
        for (auto& station : m_stations)
        {
            station->chip.FinishLinks();
        }
        if (config.congestion.neighbourLoads.isOn)
        {
            TellLoads();
        }
    }

    /**
     * @param src host, from 0
     * @param dst host, from 0
     * @param bytes size of a message
     * @param trafficClass FTAG
     * @param at time of sending, ps
     */
    void Send(uint32_t src, uint32_t dst, uint64_t bytes, uint8_t trafficClass, TimePs at)
    {
        m_events.push({at, SEND, m_sends.size()});
        m_sends.push_back({src, LocationOf(dst), bytes, trafficClass});
    }

    /// Makes a group of hosts. @param group its location
    void AddGroup(LocationId group, const GroupTree& tree)
    {
        m_groupSizes[group] = static_cast<uint16_t>(tree.members.size());
        for (std::size_t i = 0; i < tree.ports.size(); ++i)
        {
            if (!tree.ports[i].empty())
            {
                Chip(i).SetGroupPorts(group, tree.ports[i]);
            }
        }
    }

    /// What a member of a reduction was told.
    struct Reduced
    {
        TimePs at;                  ///< When, ps.
        uint32_t host;              ///< Number of the member.
        ReducedOperation operation; ///< What is done.
    };

    /**
     * Makes a reduction.
     *
     * @param descriptor what is the same in all switches: location, operation, whom results go to,
     * window
     * @param target member that gets results, if not all
     * @param trafficClass FTAG
     */
    void AddReduction(ReductionDescriptor descriptor,
                      const ReductionTree& tree,
                      uint32_t target = 0,
                      uint8_t trafficClass = 0)
    {
        const auto toward =
            tree.PortsToward(m_plan, descriptor.isToAll ? tree.group.members.front() : target);
        for (std::size_t i = 0; i < tree.group.ports.size(); ++i)
        {
            if (!tree.group.ports[i].empty())
            {
                descriptor.children = tree.ChildrenOf(i);
                descriptor.up = tree.up[i];
                descriptor.target = toward[i];
                descriptor.firstOperand = m_operands.Reserve(descriptor.window);
                Chip(i).AddReduction(descriptor, m_operands);
            }
        }
        for (const uint32_t member : tree.group.members)
        {
            m_hosts[member]->Join({descriptor.reduction,
                                   0,
                                   descriptor.window,
                                   m_operands.Reserve(descriptor.window),
                                   descriptor.isToAll || member == target},
                                  trafficClass);
        }
    }

    /// A member of a reduction begins its next operation. @param value bits of its value
    void Reduce(uint32_t host, LocationId reduction, uint64_t bytes, uint64_t value, TimePs at)
    {
        m_events.push({at, SEND, m_sends.size()});
        m_sends.push_back({host, reduction, bytes, 0, value});
    }

    /// @return what members of reductions were told, in the order in which it was made known
    const std::vector<Reduced>& Results() const
    {
        return m_results;
    }

    /// A member of a group sends a message there. @copydetails Send()
    void SendToGroup(uint32_t src,
                     LocationId group,
                     uint64_t bytes,
                     uint8_t trafficClass,
                     TimePs at)
    {
        m_events.push({at, SEND, m_sends.size()});
        m_sends.push_back({src, group, bytes, trafficClass});
    }

    /// @param horizon all before it is handled, nothing at or after it, ps
    void RunUntil(TimePs horizon)
    {
        m_horizon = horizon;
        while (!m_events.empty() && std::get<0>(m_events.top()) < horizon)
        {
            const auto [now, kind, index] = m_events.top();
            m_events.pop();
            m_now = now;
            ++m_eventCount;
            if (kind == SEND)
            {
                const SendOrder& order = m_sends[index];
                if (order.dst >= FIRST_REDUCTION)
                {
                    m_hosts[order.src]->Reduce(order.dst, order.bytes, order.value, now);
                    continue;
                }
                Nic& nic = m_hosts[order.src]->nic;
                const uint32_t handle =
                    nic.SendMessage({order.dst, order.trafficClass}, order.bytes, 0, now);
                if (order.dst >= FIRST_GROUP)
                {
                    m_messages.At(handle).copies = m_groupSizes.at(order.dst) - 1;
                }
            }
            else
            {
                m_stations[index]->Tick(now);
            }
        }
        if (horizon != NEVER)
        {
            for (auto& host : m_hosts)
            {
                host->nic.RunUntil(horizon);
            }
        }
    }

    /// Loss models that are set from now on damage control frames too. All links are there.
    void LoseControl()
    {
        m_losesControl = true;
        for (std::size_t i = 0; i < Chips(); ++i)
        {
            for (uint32_t port = 0; port < Chip(i).Config().ports; ++port)
            {
                if (IsFabricPort(i, port))
                {
                    Chip(i).WatchAcks(port);
                }
            }
        }
    }

    /// @param loss damages frames that it sends; null for none
    void SetLossModel(std::size_t chip,
                      uint32_t port,
                      std::unique_ptr<LossModel> loss,
                      const RetrySettings& retry = {})
    {
        const Transmitter& link = Chip(chip).Output(port);
        Chip(chip).SetLinkErrors(port, MakeErrors(link, std::move(loss), retry));
    }

    /**
     * @param host whose NIC sends frames
     * @param loss damages frames that it sends; null for none
     */
    void SetLossModel(std::size_t host,
                      std::unique_ptr<LossModel> loss,
                      const RetrySettings& retry = {})
    {
        Transmitter& link = GetNic(host).Uplink();
        link.SetErrors(MakeErrors(link, std::move(loss), retry));
    }

    /**
     * A link fails (WL-8), known ahead.
     *
     * @param from when, after the end of any earlier outage of the link, ps
     * @param until when it is repaired, NEVER for not at all, ps
     * @param delay until routing knows, ps
     */
    void FailLink(std::size_t link, TimePs from, TimePs until, TimePs delay)
    {
        MakeWays();
        std::vector<std::pair<uint32_t, uint16_t>> ends;
        if (link < m_plan.links.size())
        {
            const LinkPlan& l = m_plan.links[link];
            ends = {{l.switchA, l.portA}, {l.switchB, l.portB}};
        }
        else
        {
            const HostPlan& host = m_plan.hosts[link - m_plan.links.size()];
            ends = {{host.edgeSwitch, host.port}};
        }
        m_ways->Fail(ends[0].first, ends[0].second, from + delay);
        if (until != NEVER)
        {
            m_ways->Repair(ends[0].first, ends[0].second, until + delay);
        }
        for (const auto& [chip, port] : ends)
        {
            Chip(chip).FailLinkAt(port, from, 0);
            if (until != NEVER)
            {
                Chip(chip).RepairLinkAt(port, until);
            }
        }
        for (std::size_t i = 0; i < Chips(); ++i)
        {
            Chip(i).UpdateWaysAt(from + delay, m_ways, i);
            if (until != NEVER)
            {
                Chip(i).UpdateWaysAt(until + delay, m_ways, i);
            }
        }
    }

    /// Runs until nothing is left to do.
    void RunToEnd()
    {
        RunUntil(NEVER);
    }

    /// @return deliveries by time, then source and number
    std::vector<Delivery> Deliveries() const
    {
        std::vector<Delivery> sorted = m_deliveries;
        std::sort(sorted.begin(), sorted.end(), [](const Delivery& a, const Delivery& b) {
            return a.Tie() < b.Tie();
        });
        return sorted;
    }

    /// @return deliveries in the order in which they were made known
    const std::vector<Delivery>& RawDeliveries() const
    {
        return m_deliveries;
    }

    SwitchChip& Chip(std::size_t i)
    {
        return m_stations[i]->chip;
    }

    Nic& GetNic(std::size_t i)
    {
        return m_hosts[i]->nic;
    }

    /// @param watch is told what each host has sent in a piece: `watch(location, segment)`
    void SetUplinkWatch(std::function<void(LocationId, const WireSegment&)> watch)
    {
        m_uplinkWatch = std::move(watch);
    }

    /// @return whether a switch is at the other end
    bool IsFabricPort(std::size_t chip, uint32_t port) const
    {
        return m_fabricPorts[chip][port];
    }

    /// @return number of switches
    std::size_t Chips() const
    {
        return m_stations.size();
    }

    /// @return number of hosts
    std::size_t Hosts() const
    {
        return m_hosts.size();
    }

    /// @return events that the loop handled
    uint64_t EventCount() const
    {
        return m_eventCount;
    }

    /**
     * Checks every switch, and that what was offered has been delivered or dropped or is in flight.
     *
     * @throws std::logic_error with a sentence
     */
    void Check() const
    {
        uint64_t offered = 0;
        uint64_t accounted = 0;
        for (const auto& station : m_stations)
        {
            station->chip.CheckInvariants();
            accounted += station->chip.InFlightPayload();
            offered += station->chip.Counts().copiedPayload;
            accounted += station->chip.Counts().combinedPayload;
            for (uint64_t bytes : station->chip.Counts().droppedPayload)
            {
                accounted += bytes;
            }
        }
        for (const auto& host : m_hosts)
        {
            const NicCounts& counts = host->nic.Counts();
            offered += counts.offered;
            accounted += counts.arrived + counts.corrupt + counts.linkDown + counts.bufferFull +
                         host->nic.Backlog();
        }
        if (offered != accounted)
        {
            throw std::logic_error("offered " + std::to_string(offered) + " bytes, accounted for " +
                                   std::to_string(accounted));
        }
    }

    /// @return messages that were not delivered to all
    std::size_t MessagesUnderWay() const
    {
        return m_messages.UnderWay();
    }

    /// @return whether no frame, flow channel or ACK is left in any switch
    bool IsEmpty() const
    {
        return std::all_of(m_stations.begin(), m_stations.end(), [](const auto& station) {
            return station->chip.IsEmpty();
        });
    }

  private:
    /// Switches tell each other of loads from now on.
    void TellLoads()
    {
        std::vector<uint32_t> switchOfHost;
        for (const HostPlan& host : m_plan.hosts)
        {
            switchOfHost.push_back(host.edgeSwitch);
        }
        const auto groups = std::make_shared<const DestinationGroups>(switchOfHost);
        uint64_t fastest = 0;
        for (auto& station : m_stations)
        {
            fastest = std::max(fastest, station->chip.FastestToSwitch());
        }
        for (auto& station : m_stations)
        {
            station->chip.TellLoads(groups, LoadScale(fastest));
        }
    }

    /// Kinds of events of the loop.
    enum EventKind
    {
        SEND, ///< An application sends.
        TICK, ///< A switch runs.
    };

    /// @return what a link does to frames, kept here
    LinkErrors* MakeErrors(const Transmitter& link,
                           std::unique_ptr<LossModel> loss,
                           const RetrySettings& retry)
    {
        m_errors.push_back(
            retry.enabled
                ? std::make_unique<LinkErrors>(loss.get(), retry, link.Rate(), link.Timing().delay)
                : std::make_unique<LinkErrors>(loss.get()));
        m_losses.push_back(std::move(loss));
        // Given up at once, a control frame would be lost often.
        if (!m_losesControl && (!retry.enabled || retry.limit == 1))
        {
            m_errors.back()->SpareControl();
        }
        return m_errors.back().get();
    }

    /// Time, kind, and number of the send or of the switch.
    using Event = std::tuple<TimePs, EventKind, std::size_t>;

    /// A message to send.
    struct SendOrder
    {
        uint32_t src;         ///< Host.
        LocationId dst;       ///< Destination.
        uint64_t bytes;       ///< Size.
        uint8_t trafficClass; ///< FTAG.
        uint64_t value{0};    ///< To a reduction.
    };

    /// A switch and its ticks.
    struct Station : public Alarm
    {
        Station(TestBed& owner, std::size_t number, const SwitchConfig& config)
            : bed(owner),
              index(number),
              chip(config)
        {
            chip.GetAgenda().SetAlarm(this);
        }

        void WakeBy(TimePs time) override
        {
            const TimePs w = chip.Lookahead();
            // A window that a horizon cut short goes on where it was cut.
            Plan(bed.m_lookahead ? std::max(time / w * w, handled) : time);
        }

        /// @param time of the next tick, ps
        void Plan(TimePs time)
        {
            next = time;
            chip.GetAgenda().PlanRun(time);
            bed.m_events.push({time, TICK, index});
        }

        void Tick(TimePs now)
        {
            if (now != next)
            {
                return; // it was brought forward
            }
            const TimePs w = bed.m_lookahead ? chip.Lookahead() : 1;
            handled = std::min(now + w, bed.m_horizon);
            chip.Advance(now, handled);
            next = NEVER;
            chip.GetAgenda().PlanRun(NEVER);
            const TimePs time = chip.NextTime();
            if (time != NEVER)
            {
                WakeBy(time);
            }
        }

        TestBed& bed;
        std::size_t index;
        SwitchChip chip;
        TimePs next{NEVER};
        TimePs handled{0};
    };

    /// A NIC and what it receives.
    struct Host : public NicListener, public ReductionListener
    {
        Host(TestBed& owner, LocationId location, const NicConfig& config)
            : bed(owner),
              nic(location, config, owner.m_messages)
        {
            nic.SetListener(this);
        }

        void MessageComplete(uint32_t handle, TimePs at) override
        {
            Message& m = bed.m_messages.At(handle);
            bed.m_deliveries.push_back(
                {at, m.src, nic.Location(), m.sequence, m.bytes, m.trafficClass});
            if (--m.copies == 0)
            {
                bed.m_messages.Free(handle);
            }
        }

        void PacketComplete(const Frame&, TimePs) override
        {
        }

        /// Becomes a member of a reduction.
        void Join(ReductionMembership membership, uint8_t trafficClass)
        {
            if (!windows)
            {
                windows =
                    std::make_unique<ReductionWindows>(bed.m_operands, nic.Config().mtu, *this);
                nic.SetEngine(windows.get(), nullptr);
            }
            membership.queue = nic.OpenQueue(MessageFlow{membership.reduction, trafficClass});
            windows->Join(membership);
        }

        /// Begins an operation.
        void Reduce(LocationId reduction, uint64_t bytes, uint64_t value, TimePs now)
        {
            nic.RunUntil(now);
            windows->Start(reduction, bytes, value, now);
            nic.EngineHasWork(now);
        }

        void OperationDone(const ReducedOperation& operation, TimePs at) override
        {
            bed.m_results.push_back({at, HostOf(nic.Location()), operation});
        }

        void MessageLost(uint32_t handle) override
        {
            bed.m_messages.Free(handle);
        }

        void SegmentSent(const Frame& frame, const WireSegment& segment, TimePs) override
        {
            if (bed.m_uplinkWatch)
            {
                bed.m_uplinkWatch(frame.src, segment);
            }
        }

        TestBed& bed;
        Nic nic;
        std::unique_ptr<ReductionWindows> windows;
    };

    /// Routing learns of failures from here.
    void MakeWays()
    {
        if (m_ways)
        {
            return;
        }
        m_ways = std::make_shared<Reachability>();
        for (const auto& station : m_stations)
        {
            m_ways->AddSwitch(station->chip.GetRouting(), station->chip.Config().ports);
        }
        for (const LinkPlan& link : m_plan.links)
        {
            m_ways->AddLink(link.switchA, link.portA, link.switchB, link.portB);
        }
        for (uint32_t i = 0; i < m_plan.hosts.size(); ++i)
        {
            const HostPlan& place = m_plan.hosts[i];
            m_ways->AddHost(LocationOf(i), place.edgeSwitch, place.port);
        }
    }

    bool m_lookahead;
    TopologyPlan m_plan;
    std::shared_ptr<Reachability> m_ways;
    TimePs m_now{0};
    TimePs m_horizon{NEVER};
    uint64_t m_eventCount{0};
    MessageTable m_messages;
    std::map<LocationId, uint16_t> m_groupSizes;
    ReductionOperands m_operands;
    std::vector<Reduced> m_results;
    std::vector<std::unique_ptr<Station>> m_stations;
    std::vector<std::unique_ptr<Host>> m_hosts;
    std::vector<std::vector<bool>> m_fabricPorts;
    std::vector<SendOrder> m_sends;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::vector<Delivery> m_deliveries;
    std::function<void(LocationId, const WireSegment&)> m_uplinkWatch;
    std::vector<std::unique_ptr<LossModel>> m_losses;
    std::vector<std::unique_ptr<LinkErrors>> m_errors;
    bool m_losesControl{false};
};

/**
 * @param rules computed routing of a regular topology
 * @return the same as general routing
 */
inline std::vector<Routing>
ToRouting(const std::vector<IntervalRouting>& rules)
{
    return {rules.begin(), rules.end()};
}

} // namespace ns3::fabric

#endif // FABRIC_TEST_BED_H
