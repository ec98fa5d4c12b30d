/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_COMPARISON_H
#define FABRIC_ORACLE_COMPARISON_H

#include "fabric-oracle-log.h"

#include <string>

namespace ns3::fabric
{

/**
 * Compares the state of a test bed with that of a FlowOracle at the same time: flow channels with
 * their extents and ids, their ways if they take several, what ports hold, and that extents of
 * neighbours agree.
 */
class OracleComparison
{
  public:
    /**
     * @param bed to compare; must stay
     * @param oracle to compare with; must stay
     */
    OracleComparison(TestBed& bed, FlowOracle& oracle)
        : m_bed(bed),
          m_oracle(oracle)
    {
    }

    /// @return the first difference in a sentence, empty if there is none
    std::string Find()
    {
        m_fault.clear();
        for (std::size_t i = 0; i < m_bed.Chips(); ++i)
        {
            CompareCounts(i);
            for (uint32_t port = 0; port < m_bed.Chip(i).Config().ports; ++port)
            {
                ComparePort(i, port);
                CompareFlows(i, port);
                CompareIds(i, port);
                CheckExtents(i, port);
            }
        }
        return m_fault;
    }

    /// @return the first difference between what hosts have sent and got, when nothing is under
    /// way; then nothing waits in switches, which could be a fault of both models.
    std::string FindAtEnd()
    {
        m_fault.clear();
        for (std::size_t i = 0; i < m_bed.Chips(); ++i)
        {
            const SwitchChip& chip = m_bed.Chip(i);
            ExpectAt("switch " + std::to_string(i) + " at the end",
                     chip.Counts().heldBytes,
                     0,
                     "bytes held");
        }
        for (std::size_t i = 0; i < m_bed.Hosts(); ++i)
        {
            const Nic& nic = m_bed.GetNic(i);
            const NicCounts counts = nic.Counts();
            const OracleHost& own = m_oracle.Host(i);
            const auto expect = [this, i](uint64_t actual, uint64_t expected, const char* what) {
                ExpectAt("host " + std::to_string(i), actual, expected, what);
            };
            expect(counts.sent, own.sentBytes, "bytes sent");
            expect(nic.Backlog(), own.WaitingBytes(), "bytes that wait");
            expect(counts.arrived, own.arrivedBytes, "bytes that came");
            expect(counts.corrupt, own.damagedBytes, "bytes that came damaged");
            expect(counts.linkDown, own.cutOffBytes, "bytes cut off");
        }
        return m_fault;
    }

  private:
    /// Notes a difference if two numbers are not equal.
    void ExpectAt(const std::string& place, uint64_t actual, uint64_t expected, const char* what)
    {
        if (m_fault.empty() && actual != expected)
        {
            m_fault = place + ": " + what + " " + std::to_string(actual) + ", expected is " +
                      std::to_string(expected);
        }
    }

    /// Compares what a switch has counted.
    void CompareCounts(std::size_t i)
    {
        const SwitchCounts& counts = m_bed.Chip(i).Counts();
        const OracleReach& own = m_oracle.Switch(i).Reach();
        const auto expect = [this, i](uint64_t actual, uint64_t expected, const char* what) {
            ExpectAt("switch " + std::to_string(i), actual, expected, what);
        };
        const auto dropped = [&counts](DropCause cause) {
            return counts.droppedPayload[static_cast<std::size_t>(cause)];
        };
        uint64_t held = 0;
        for (const OraclePort& port : m_oracle.Switch(i).Ports())
        {
            held += port.heldBytes;
        }
        expect(counts.heldBytes, held, "bytes held");
        expect(counts.lostAcks, own.lostAcks, "ACKs cut off");
        expect(counts.droppedFrames, own.lostFrames, "frames dropped");
        expect(dropped(DropCause::CORRUPT), own.LostBytes(OracleDeed::DAMAGED), "bytes damaged");
        expect(dropped(DropCause::NO_ROUTE), own.LostBytes(OracleDeed::NO_WAY), "bytes of no way");
        expect(dropped(DropCause::LINK_DOWN), own.LostBytes(OracleDeed::CUT_OFF), "bytes cut off");
    }

    /// Notes a difference if two numbers are not equal.
    template <typename A, typename B>
    void Expect(const A& actual,
                const B& expected,
                const char* what,
                std::size_t chip,
                uint32_t port,
                uint32_t flow = NO_FLOW)
    {
        std::string place = "switch " + std::to_string(chip) + " port " + std::to_string(port);
        if (flow != NO_FLOW)
        {
            place += " flow_id " + std::to_string(flow);
        }
        ExpectAt(place, static_cast<uint64_t>(actual), static_cast<uint64_t>(expected), what);
    }

    /// Compares what a port holds and has sent.
    void ComparePort(std::size_t i, uint32_t port)
    {
        const SwitchChip& chip = m_bed.Chip(i);
        const OraclePort& own = m_oracle.Switch(i).Ports()[port];
        const TransmitCounts& sent = chip.Output(port).Counts();
        Expect(chip.HeldBytes(port), own.heldBytes, "bytes in the input buffer", i, port);
        Expect(chip.PeakHeldBytes(port), own.peakHeldBytes, "most bytes there at a time", i, port);
        Expect(chip.QueuedBytes(port), own.waitingBytes, "bytes that wait for it", i, port);
        Expect(sent.frames, own.wire.sentFrames, "frames sent", i, port);
        Expect(sent.credits, own.wire.sentCredits, "credit frames sent", i, port);
        Expect(sent.controlFrames - sent.credits,
               own.wire.ControlFrames() - own.wire.sentCredits,
               "ACK frames sent, and frames to tell a host of flows",
               i,
               port);
        Expect(sent.acks, own.wire.sentAcks, "ACKs sent", i, port);
        Expect(chip.Output(port).FreeAt(), own.wire.freeAt, "end of what it sends, ps", i, port);
        if (const LinkErrors* errors = chip.Output(port).Errors())
        {
            const ErrorCounts& retried = errors->Counts();
            Expect(retried.repeats, own.wire.retried.repeats, "repeats", i, port);
            Expect(retried.repeatedBytes, own.wire.retried.repeatedBytes, "their bytes", i, port);
            Expect(retried.timeouts, own.wire.retried.timeouts, "time-outs", i, port);
            Expect(retried.givenUp, own.wire.retried.givenUp, "frames given up", i, port);
        }
    }

    /// Compares the flow channels that come in by a port.
    void CompareFlows(std::size_t i, uint32_t port)
    {
        const InputFlowTable& flows = m_bed.Chip(i).InputFlows(port);
        uint32_t used = 0;
        for (const auto& [name, queue] : m_oracle.Switch(i).Queues())
        {
            if (name.input != port || name.flow == NO_FLOW)
            {
                continue;
            }
            ++used;
            const bool isOpen = name.flow < flows.Records().size() &&
                                flows.Records()[name.flow].Is(FlowRecord::OPEN);
            Expect(isOpen, true, "exists", i, port, name.flow);
            if (isOpen)
            {
                CompareFlow(i, name, flows.Records()[name.flow], queue);
                CompareWays(i, name, queue);
            }
        }
        Expect(flows.InUse(), used, "flow channels", i, port);
    }

    /// Compares a flow channel.
    void CompareFlow(std::size_t i,
                     const OracleQueueName& name,
                     const FlowRecord& record,
                     const OracleQueue& queue)
    {
        const auto expect = [&](auto actual, auto expected, const char* what) {
            Expect(actual, expected, what, i, name.input, name.flow);
        };
        expect(record.src, queue.src, "source");
        expect(record.dst, queue.dst, "destination");
        expect(record.QueueExtent(), queue.Queued(), "queue_extent");
        expect(record.FlowExtent(), queue.Unacked(), "flow_extent");
        expect(record.TotalExtent(), queue.Total(), "total_extent");
        expect(record.queue.IsEmpty(), queue.frames.empty(), "empty");
        expect(record.outgoing, queue.outgoing, "outgoing flow_id");
        expect(record.unsentAcks, queue.acked, "units to acknowledge upstream");
        expect(record.unsentLosses, queue.lost, "units to report upstream as lost");
        expect((record.owes & FlowRecord::CREDIT) != 0, queue.owesCredit, "owes hop credit");
        expect(record.Is(FlowRecord::METERS_UPSTREAM), queue.metersUpstream, "meters upstream");
        expect(record.Is(FlowRecord::METERED), queue.isMetered, "is metered");
        expect(record.queue.holds, HoldsOf(queue, queue), "reasons to wait");
        expect(record.severity, queue.severity, "severity");
        expect((record.owes & FlowRecord::SEVERITY) != 0, queue.owesSeverity, "owes severity");
        if (queue.isMetered)
        {
            expect(record.headroom, queue.headroom, "headroom");
        }
        if (queue.owesCredit)
        {
            expect(record.unsentCredit, queue.credit, "hop credit to give");
        }
        if (m_oracle.Switch(i).GoesByWays(name))
        {
            expect(queue.isPaced ? record.queue.output : 0,
                   queue.isPaced ? queue.pacedBy : 0,
                   "output that looks for its time");
        }
        else if (queue.Total() != 0)
        {
            expect(record.queue.output, queue.output, "follow_port");
        }
    }

    /// Compares the ways of a flow channel.
    void CompareWays(std::size_t i, const OracleQueueName& name, const OracleQueue& queue)
    {
        FlowWays* ways = m_bed.Chip(i).InputFlows(name.input).Ways();
        uint32_t count = 0;
        if (ways)
        {
            ways->ForEach(name.flow, [&count](uint16_t, const FlowWay&) { ++count; });
        }
        Expect(count, queue.ways.size(), "ways", i, name.input, name.flow);
        for (const auto& [hop, way] : queue.ways)
        {
            const auto output = static_cast<uint16_t>(hop.first);
            const uint16_t number = ways ? ways->Find(name.flow, output, hop.second) : 0;
            Expect(number != 0, true, "has a way that is expected", i, name.input, name.flow);
            if (number != 0)
            {
                CompareWay(i, name, ways->At(number), queue, way);
            }
        }
    }

    /// Compares a way of a flow channel.
    void CompareWay(std::size_t i,
                    const OracleQueueName& name,
                    const FlowWay& actual,
                    const OracleQueue& queue,
                    const OraclePath& way)
    {
        const auto expect = [&](auto number, auto expected, const char* what) {
            Expect(number, expected, what, i, name.input, name.flow);
        };
        expect(actual.queue.IsEmpty(), way.frames.empty(), "whether a way is empty");
        expect(actual.units, way.sent, "units under way by a way");
        expect(actual.id, way.outgoing, "outgoing flow_id of a way");
        expect(actual.queue.holds, HoldsOf(queue, way), "reasons of a way to wait");
        expect(actual.queue.stands, StandOf(way), "place of a way's queue");
        expect(actual.isMetered, way.isMetered, "whether a way is metered");
        if (way.isMetered)
        {
            expect(actual.headroom, way.headroom, "headroom of a way");
        }
    }

    /// @return where the queue of a path stands, as InputQueue::stands
    static InputQueue::Stand StandOf(const OraclePath& path)
    {
        return path.place == OraclePath::ASKS       ? InputQueue::LISTED
               : path.place == OraclePath::LACKS_ID ? InputQueue::LACKS_ID
                                                    : InputQueue::NOWHERE;
    }

    /// Compares the flow_ids of a port's outgoing link.
    void CompareIds(std::size_t i, uint32_t port)
    {
        const OutputFlowTable& ids = m_bed.Chip(i).OutputFlows(port);
        const OraclePort& own = m_oracle.Switch(i).Ports()[port];
        Expect(ids.InUse(), own.sources.size(), "flow_ids in use on its link", i, port);
        Expect(ids.PeakInUse(), own.mostIds, "flow_ids in use there at most", i, port);
        Expect(ids.Allocated(), own.idsGiven, "flow_ids given there", i, port);
        Expect(ids.UseTime(own.idsCountedAt) - own.idTime,
               0,
               "ps too many in the time of flow_ids there,",
               i,
               port);
        for (const auto& [id, name] : own.sources)
        {
            const QueueRef source = ids.Source(id);
            Expect(source.input, name.input, "input of the outgoing flow_id", i, port, id);
            const FlowWay* way = WayOf(i, source);
            Expect(way != nullptr, name.isWay, "whether a way has the flow_id", i, port, id);
            Expect(way ? way->flow : source.queue,
                   name.flow,
                   "flow_id before the outgoing flow_id",
                   i,
                   port,
                   id);
        }
    }

    /// @return the way that a queue is of, null for none
    const FlowWay* WayOf(std::size_t i, QueueRef queue) const
    {
        return queue.queue < FIRST_WAY_QUEUE || queue == NO_QUEUE
                   ? nullptr
                   : &m_bed.Chip(i)
                          .InputFlows(queue.input)
                          .Ways()
                          ->At(queue.queue - FIRST_WAY_QUEUE);
    }

    /// FC-5, between neighbours: what a flow has not had acknowledged is on the link, or at the
    /// other end, or in ACKs that wait there or are under way.
    void CheckExtents(std::size_t i, uint32_t port)
    {
        const OraclePort& own = m_oracle.Switch(i).Ports()[port];
        for (const auto& [id, name] : own.sources)
        {
            const std::vector<FlowRecord>& records = m_bed.Chip(i).InputFlows(name.input).Records();
            const FlowWay* way = WayOf(i, m_bed.Chip(i).OutputFlows(port).Source(id));
            const uint32_t upstream = way ? way->units : records.at(name.flow).FlowExtent();
            const InputFlowTable& next = m_bed.Chip(own.wire.peer).InputFlows(own.wire.peerPort);
            uint64_t units = UnitsOnLink(own, id);
            if (id < next.Records().size())
            {
                const FlowRecord& record = next.Records()[id];
                units += record.TotalExtent() + record.unsentAcks + record.unsentLosses;
            }
            Expect(upstream,
                   units,
                   "FC-5: flow_extent, against the link and beyond, of outgoing",
                   i,
                   port,
                   id);
        }
    }

    /// @return units of a flow_id's frames on the link from a port, and in ACKs on their way back
    static uint64_t UnitsOnLink(const OraclePort& port, FlowId id)
    {
        uint64_t units = 0;
        for (const OracleFrame& frame : port.wire.frames)
        {
            units += frame.flow == id ? frame.Units() : 0;
        }
        for (const OracleWire::AckFrame& frame : port.incoming->acks)
        {
            for (const OracleAck& ack : frame)
            {
                units += ack.flow == id && LowersFlowExtent(ack.type) ? ack.amount : 0;
            }
        }
        return units;
    }

    TestBed& m_bed;       ///< Compared.
    FlowOracle& m_oracle; ///< Compared with.
    std::string m_fault;  ///< The first difference.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_COMPARISON_H
