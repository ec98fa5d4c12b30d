/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_WATCH_H
#define FABRIC_FLOW_WATCH_H

#include "fabric-ack-batch.h"
#include "fabric-hop-meter.h"
#include "fabric-test-bed.h"

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/**
 * Watches all switches of a test bed, and notes what breaks a rule of flow channels: order (FC-10),
 * one path at a time (FC-11), one flow per flow_id (FC-17), headroom (CM-5); of classes without
 * order only the third. It also makes a hash of all that happens in each switch in its order, to
 * compare two runs.
 *
 * What happens in different switches has to be seen in the order of time for FC-11, so that is only
 * watched if the test bed runs without look-ahead.
 */
class FlowWatch
{
  public:
    /**
     * @param bed to watch; must stay
     * @param ordered whether frames come in the order of time
     * @param lossless whether no frame is lost
     */
    FlowWatch(TestBed& bed, bool ordered, bool lossless)
        : m_bed(bed),
          m_ordered(ordered),
          m_lossless(lossless)
    {
        for (std::size_t i = 0; i < bed.Chips(); ++i)
        {
            m_eyes.push_back(std::make_unique<Eye>(*this, i));
            bed.Chip(i).SetObserver(m_eyes.back().get());
        }
    }

    /// @return the first rule that was broken, empty if none was
    const std::string& Fault() const
    {
        return m_fault;
    }

    /// @return units of frames with a flow_id that were dropped
    uint64_t LostUnits() const
    {
        return m_lostUnits;
    }

    /// @return a number per switch that stands for all that happened in it
    std::vector<uint64_t> Hashes() const
    {
        std::vector<uint64_t> hashes;
        for (const auto& eye : m_eyes)
        {
            hashes.push_back(eye->hash);
        }
        return hashes;
    }

    /// Hop credits are not checked: ACKs may be lost, and what follows is more than is seen here.
    void IgnoreCredits()
    {
        m_checksCredits = false;
    }

  private:
    /// Source, destination and class: what native messages are told apart by.
    using FlowName = std::tuple<LocationId, LocationId, uint8_t>;

    /// Where the frames of a flow went that have not left the fabric.
    struct FlowState
    {
        /// Switches and ports that a frame took, by its position in the flow.
        std::map<uint32_t, std::vector<std::pair<std::size_t, uint32_t>>> underWay;
        /// Port that frames under way took, and how many did, by switch.
        std::map<std::size_t, std::pair<uint32_t, uint32_t>> pathAt;
        uint32_t nextOut{0}; ///< Position that the next frame to leave has at least.
    };

    /// What hop credits let a flow send on a link, counted from the HEADROOM ACKs that came (CM-5).
    struct Allowance
    {
        FlowName flow;         ///< Its name.
        uint32_t underWay{0};  ///< Units that were sent and not acknowledged.
        bool isMetered{false}; ///< Whether it may send only what it has credits for.
        int64_t headroom{0};   ///< Units for which it has.

        /// A HEADROOM ACK has come.
        void Take(uint32_t amount)
        {
            headroom = (isMetered ? headroom : 0) + amount;
            isMetered = amount != HopMeter::ALL;
        }
    };

    /// Observer of one switch.
    struct Eye : public SwitchObserver
    {
        Eye(FlowWatch& owner, std::size_t number)
            : watch(owner),
              index(number)
        {
        }

        void Arrived(uint32_t port, const Frame& frame, TimePs now) override
        {
            Mix(1, port, frame, now);
            watch.Arrived(index, port, frame);
        }

        void Sent(uint32_t port, const Frame& frame, TimePs now) override
        {
            Mix(2, port, frame, now);
            Begin(port, frame);
            watch.Sent(index, port, frame);
        }

        void Dropped(uint32_t port, const Frame& frame, DropCause cause, TimePs now) override
        {
            Mix(3 + static_cast<uint64_t>(cause), port, frame, now);
            watch.m_waiting[{index, NameOf(frame)}] -= FlowUnits(frame.payload);
            watch.Lost(frame);
        }

        void Acknowledged(uint32_t port, const AckBatch& acks, TimePs /* now */) override
        {
            for (uint32_t i = 0; i < acks.count; ++i)
            {
                watch.Acknowledged(index, port, acks.acks[i]);
            }
        }

        void SegmentSent(uint32_t port,
                         const Frame& frame,
                         const WireSegment& segment,
                         TimePs now) override
        {
            Mix(uint64_t{segment.first} << 32 | segment.bytes, port, frame, now);
        }

        /// A frame takes the wire; others of the port may be partly sent.
        void Begin(uint32_t port, const Frame& frame)
        {
            const PortWire* wire = watch.m_bed.Chip(index).Wire(port);
            if (!wire)
            {
                return;
            }
            onWire[{port, frame.lane}] = frame;
            for (const auto& [place, other] : onWire)
            {
                const bool isOpen = (wire->wire.OpenLanes() >> place.second & 1) != 0;
                if (place.first == port && isOpen && frame.flow != NO_FLOW &&
                    other.flow == frame.flow && NameOf(other) != NameOf(frame))
                {
                    watch.Note("FC-8: a flow_id is used by two flows on a wire",
                               index,
                               port,
                               frame);
                }
            }
        }

        /// Adds an event to the hash.
        void Mix(uint64_t what, uint32_t port, const Frame& frame, TimePs now)
        {
            const uint64_t words[] = {what,
                                      port,
                                      static_cast<uint64_t>(now),
                                      frame.src,
                                      frame.dst,
                                      frame.flow,
                                      frame.payload,
                                      frame.dataFlow,
                                      frame.vc,
                                      frame.corrupt,
                                      frame.trafficClass};
            for (const uint64_t word : words)
            {
                hash = (hash ^ word) * 0x9e3779b97f4a7c15;
                hash ^= hash >> 32;
            }
        }

        FlowWatch& watch;
        std::size_t index;
        uint64_t hash{0};
        std::map<std::pair<uint32_t, uint8_t>, Frame> onWire; ///< The last frame by port and lane.
    };

    static FlowName NameOf(const Frame& frame)
    {
        return {frame.src, frame.dst, frame.trafficClass};
    }

    /// @return whether frames of its flow go by one path at a time
    bool KeepsOrder(const Frame& frame) const
    {
        return m_bed.Chip(0).Config().flowChannels.IsOrdered(frame.trafficClass);
    }

    /// Notes the first fault.
    void Note(const char* what, std::size_t chip, uint32_t port, const Frame& frame)
    {
        if (m_fault.empty())
        {
            std::ostringstream text;
            text << what << ": switch " << chip << " port " << port << ", frame " << frame.src
                 << " to " << frame.dst << " class " << +frame.trafficClass << " flow_id "
                 << frame.flow << " data_flow " << frame.dataFlow;
            m_fault = text.str();
        }
    }

    /// A frame has come into a switch.
    void Arrived(std::size_t chip, uint32_t port, const Frame& frame)
    {
        m_waiting[{chip, NameOf(frame)}] += FlowUnits(frame.payload);
        const std::vector<FlowRecord>& records = m_bed.Chip(chip).InputFlows(port).Records();
        if (frame.flow == NO_FLOW || frame.flow >= records.size() ||
            !records[frame.flow].Is(FlowRecord::OPEN))
        {
            return;
        }
        const FlowRecord& record = records[frame.flow];
        if (record.src != frame.src || record.dst != frame.dst)
        {
            Note("FC-17: a flow_id is used by two flows", chip, port, frame);
        }
        // What was lost upstream is missing here.
        if (KeepsOrder(frame) && (frame.dataFlow < record.nextDataFlow ||
                                  (m_lossless && frame.dataFlow > record.nextDataFlow)))
        {
            Note("FC-10: a frame is not the one expected next", chip, port, frame);
        }
    }

    /// A frame has left a switch by a port.
    void Sent(std::size_t chip, uint32_t port, const Frame& frame)
    {
        m_waiting[{chip, NameOf(frame)}] -= FlowUnits(frame.payload);
        const bool isEgress = !m_bed.IsFabricPort(chip, port);
        if (!m_ordered || (frame.flow == NO_FLOW && !isEgress) || !HasFlow(frame) ||
            !KeepsOrder(frame))
        {
            return;
        }
        // A frame that was granted may go by tiles when the word comes that it needs headroom.
        const bool isAhead = m_bed.Chip(chip).Config().crossbar.IsTiled();
        if (!isEgress && m_checksCredits && !isAhead &&
            !UseAllowance(m_allowances[{chip, port, frame.flow}], frame))
        {
            Note("CM-5: a frame was sent without headroom", chip, port, frame);
        }
        FlowState& flow = m_flows[NameOf(frame)];
        if (isEgress)
        {
            // A flow that had nothing under way starts from 0.
            if (frame.dataFlow != 0 && frame.dataFlow < flow.nextOut)
            {
                Note("FC-10: a frame was overtaken", chip, port, frame);
            }
            flow.nextOut = frame.dataFlow + FlowUnits(frame.payload);
            Left(frame);
            return;
        }
        auto& [path, count] = flow.pathAt[chip];
        if (count != 0 && path != port)
        {
            Note("FC-11: a flow has frames on two paths", chip, port, frame);
        }
        path = port;
        ++count;
        flow.underWay[frame.dataFlow].emplace_back(chip, port);
    }

    /// @return whether the flow was free to send, or had headroom before this frame
    static bool UseAllowance(Allowance& allowance, const Frame& frame)
    {
        const bool mayGo = !allowance.isMetered || allowance.headroom > 0;
        allowance.flow = NameOf(frame);
        allowance.underWay += FlowUnits(frame.payload);
        allowance.headroom -= FlowUnits(frame.payload);
        return mayGo;
    }

    /// An ACK takes effect at a switch.
    void Acknowledged(std::size_t chip, uint32_t port, const Ack& ack)
    {
        const auto found = m_allowances.find({chip, port, ack.flow});
        if (found == m_allowances.end())
        {
            return;
        }
        Allowance& allowance = found->second;
        // What was said before is the chip's, which has not looked at this one.
        AckCounts heard = m_bed.Chip(chip).OutputFlows(port).Heard(ack.flow);
        if (ack.type == AckType::HEADROOM)
        {
            allowance.Take(heard.HearCredit(ack.ackFlow));
        }
        else if (LowersFlowExtent(ack.type))
        {
            allowance.underWay -= heard.HearLeft(ack.ackFlow);
        }
        if (allowance.underWay == 0 && m_waiting[{chip, allowance.flow}] == 0)
        {
            m_allowances.erase(found); // its flow_id is another flow's next
        }
    }

    /// A frame was dropped.
    void Lost(const Frame& frame)
    {
        m_lostUnits += frame.flow != NO_FLOW ? FlowUnits(frame.payload) : 0;
        if (m_ordered && frame.flow != NO_FLOW)
        {
            FlowState& flow = m_flows[NameOf(frame)];
            flow.nextOut = frame.dataFlow == 0 ? 0 : flow.nextOut;
            Left(frame);
        }
    }

    /// A frame is not in the fabric any more.
    void Left(const Frame& frame)
    {
        const auto flow = m_flows.find(NameOf(frame));
        if (flow == m_flows.end())
        {
            return;
        }
        for (const auto& [chip, port] : flow->second.underWay[frame.dataFlow])
        {
            --flow->second.pathAt[chip].second;
        }
        flow->second.underWay.erase(frame.dataFlow);
    }

    /// @return whether the frame's class has flow channels
    bool HasFlow(const Frame& frame)
    {
        const SwitchConfig& config = m_bed.Chip(0).Config();
        return config.flowChannels.enabled &&
               (config.flowChannels.noFlowClasses >> frame.trafficClass & 1) == 0;
    }

    TestBed& m_bed;
    bool m_ordered;
    bool m_lossless;
    bool m_checksCredits{true};
    std::vector<std::unique_ptr<Eye>> m_eyes;
    std::map<FlowName, FlowState> m_flows;
    std::map<std::tuple<std::size_t, uint32_t, FlowId>, Allowance> m_allowances; ///< By link.
    std::map<std::pair<std::size_t, FlowName>, uint32_t> m_waiting; ///< Units, by switch.
    std::string m_fault;
    uint64_t m_lostUnits{0};
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_WATCH_H
