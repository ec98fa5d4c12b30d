/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_LOG_H
#define FABRIC_ORACLE_LOG_H

#include "fabric-flow-oracle.h"
#include "fabric-test-bed.h"

#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/// What a switch did, as a test bed and FlowOracle tell it alike.
struct OracleEntry
{
    TimePs time{0};            ///< When, ps.
    OracleDeed deed{};         ///< What.
    uint32_t port{0};          ///< Where it came in or went out.
    LocationId src{0};         ///< Of the frame.
    LocationId dst{0};         ///< Of the frame.
    uint8_t trafficClass{0};   ///< Of the frame.
    uint32_t vc{0};            ///< Of the frame.
    FlowId flow{0};            ///< Of the frame, on the link.
    uint32_t position{0};      ///< data_flow of the frame.
    uint32_t payload{0};       ///< Of the frame, bytes.
    bool isCorrupt{false};     ///< Whether the frame is damaged.
    uint64_t controlFrames{0}; ///< That the port has sent before.
    uint64_t acks{0};          ///< In them.

    // Of the flow channel of a frame that has joined it or is sent, with the frame.

    uint32_t queued{0};     ///< queue_extent, units.
    uint32_t unacked{0};    ///< flow_extent, units.
    bool isMetered{false};  ///< Whether it goes on hop credits.
    int64_t headroom{0};    ///< Of a metered one, units.
    bool isMetering{false}; ///< Whether it gives its upstream hop credits.
    uint32_t severity{0};   ///< Of its endpoint's congestion; or that an ACK tells.
    uint32_t holds{0};      ///< Why it may not send, as InputQueue::holds.

    uint32_t pacedBy{0}; ///< Output that looks for the time of a paced one.

    // Of the way by which a frame is sent, with the frame, if its flow takes several.

    bool isByWay{false};      ///< Whether it is so.
    uint32_t wayUnits{0};     ///< Under way by it.
    bool isWayMetered{false}; ///< Whether it goes on hop credits.
    int64_t wayHeadroom{0};   ///< Of a metered one, units.
    uint32_t wayHolds{0};     ///< Why it may not send, as InputQueue::holds.

    AckType ackType{}; ///< Of an ACK.

    // Of what a host is told of a flow of its own.

    TimePs obeyedAt{0}; ///< When it obeys, ps.
    TimePs lasts{0};    ///< How long the flow is restrained, ps.
    uint32_t credit{0}; ///< Of the flow, units.

    /// @return for comparing
    auto Tie() const
    {
        return std::tie(time,
                        deed,
                        port,
                        src,
                        dst,
                        trafficClass,
                        vc,
                        flow,
                        position,
                        payload,
                        isCorrupt,
                        controlFrames,
                        acks,
                        queued,
                        unacked,
                        isMetered,
                        headroom,
                        isMetering,
                        severity,
                        holds,
                        pacedBy,
                        isByWay,
                        wayUnits,
                        isWayMetered,
                        wayHeadroom,
                        wayHolds,
                        ackType,
                        obeyedAt,
                        lasts,
                        credit);
    }

    /// @return what happened, in words
    std::string Text() const
    {
        if (deed == OracleDeed::TOLD)
        {
            return "at " + std::to_string(time) + " ps an ACK of type " +
                   std::to_string(static_cast<uint32_t>(ackType)) + " for flow_id " +
                   std::to_string(flow) + " went out at port " + std::to_string(port) +
                   ", severity " + std::to_string(severity);
        }
        if (deed == OracleDeed::ORDERED)
        {
            std::ostringstream text;
            text << "at " << time << " ps the host at port " << port << " was told of its flow to "
                 << dst << " class " << +trafficClass << ": restrained for " << lasts
                 << " ps, credit " << credit << ", from " << obeyedAt << " ps on";
            return text.str();
        }
        static const char* const DEEDS[] = {"came in",
                                            "joined its queue",
                                            "went out",
                                            "was dropped as damaged",
                                            "was dropped without a way",
                                            "was cut off by a failed link"};
        std::ostringstream text;
        text << "at " << time << " ps a frame " << DEEDS[static_cast<int>(deed)] << " at port "
             << port << ": " << src << " to " << dst << " class " << +trafficClass << " channel "
             << vc << " flow_id " << flow << " data_flow " << position << " payload " << payload
             << (isCorrupt ? " damaged" : "") << ", the port had sent " << acks << " ACKs in "
             << controlFrames << " frames";
        text << ", then queue_extent " << queued << " flow_extent " << unacked << " severity "
             << severity << " holds " << holds;
        if (isMetered)
        {
            text << " headroom " << headroom;
        }
        text << (isMetering ? " metering its upstream" : "");
        if (pacedBy != 0)
        {
            text << ", paced by output " << pacedBy;
        }
        if (isByWay)
        {
            text << ", by a way with " << wayUnits << " units under way and holds " << wayHolds;
        }
        if (isWayMetered)
        {
            text << " and headroom " << wayHeadroom;
        }
        return text.str();
    }
};

/// What switches did, by number.
using OracleLog = std::vector<std::vector<OracleEntry>>;

/**
 * @param frame of either model
 * @param position of the frame in its flow, units
 * @return an entry of what both models' frames have
 */
template <typename AnyFrame>
OracleEntry
EntryOf(TimePs now, OracleDeed deed, uint32_t port, const AnyFrame& frame, uint32_t position)
{
    return {now,
            deed,
            port,
            frame.src,
            frame.dst,
            frame.trafficClass,
            frame.vc,
            frame.flow,
            position,
            frame.payload,
            frame.corrupt != 0};
}

/**
 * @param ack of either model, which a port sends
 * @param amount what it says
 * @return an entry; of what ACKs say it has only severities, since the models count the rest in
 * other ways
 */
template <typename AnyAck>
OracleEntry
EntryOf(TimePs now, uint32_t port, const AnyAck& ack, uint32_t amount)
{
    OracleEntry e;
    e.time = now;
    e.deed = OracleDeed::TOLD;
    e.port = port;
    e.flow = ack.flow;
    e.ackType = ack.type;
    e.severity = ack.type == AckType::NEW_ENDPOINT_CONGESTION ? amount : 0;
    return e;
}

/// @return an entry of what a host is told of its flow to a destination in a class
template <typename AnyOrder>
OracleEntry
EntryOf(TimePs now, uint32_t port, const AnyOrder& order, LocationId dst, uint8_t trafficClass)
{
    OracleEntry e;
    e.time = now;
    e.deed = OracleDeed::ORDERED;
    e.port = port;
    e.dst = dst;
    e.trafficClass = trafficClass;
    e.lasts = order.lasts;
    e.credit = order.credit;
    return e;
}

/// @return why frames of a path of a flow may not be sent, as InputQueue::holds
inline uint32_t
HoldsOf(const OracleQueue& queue, const OraclePath& path)
{
    return (path.LacksHeadroom() ? InputQueue::NO_HEADROOM : 0) |
           (path.changesPath ? InputQueue::CHANGES_PATH : 0) |
           (queue.isOverLimit ? InputQueue::OVER_LIMIT : 0) |
           (queue.isPaced ? InputQueue::PACED : 0) |
           (queue.awaitsTurn ? InputQueue::AWAITS_TURN : 0);
}

/**
 * @param log gets what the switches of a FlowOracle do
 * @param oracle the FlowOracle, which need not exist yet
 */
inline FlowOracle::Watcher
LogOf(OracleLog& log, const std::unique_ptr<FlowOracle>& oracle)
{
    return [&log, &oracle](TimePs now, std::size_t number, const OracleSight& sight) {
        if (sight.ack != nullptr)
        {
            log[number].push_back(EntryOf(now, sight.port, *sight.ack, sight.ack->amount));
            return;
        }
        if (sight.order != nullptr)
        {
            const OracleHost& host = oracle->HostAt(number, sight.port);
            const auto& [dst, trafficClass] = host.NameOf(sight.order->flow);
            log[number].push_back(EntryOf(now, sight.port, *sight.order, dst, trafficClass));
            log[number].back().obeyedAt = sight.order->obeyedAt;
            return;
        }
        const OracleFrame& frame = *sight.frame;
        const OracleWire& wire = oracle->Switch(number).Ports()[sight.port].wire;
        OracleEntry e = EntryOf(now, sight.deed, sight.port, frame, frame.position);
        e.controlFrames = wire.ControlFrames();
        e.acks = wire.sentAcks;
        if (const OracleQueue* queue = sight.queue)
        {
            e.queued = queue->Queued();
            e.unacked = queue->Unacked();
            e.isMetered = queue->isMetered;
            e.headroom = queue->isMetered ? queue->headroom : 0;
            e.isMetering = queue->metersUpstream;
            e.severity = queue->severity;
            e.holds = HoldsOf(*queue, *queue);
            e.pacedBy = queue->isPaced ? queue->pacedBy : 0;
        }
        if (const OraclePath* way = sight.way)
        {
            e.isByWay = true;
            e.wayUnits = way->sent;
            e.isWayMetered = way->isMetered;
            e.wayHeadroom = way->isMetered ? way->headroom : 0;
            e.wayHolds = HoldsOf(*sight.queue, *way);
        }
        log[number].push_back(e);
    };
}

/// Logs what the switches of a test bed do.
class BedLog
{
  public:
    /// @param bed to watch; must stay
    explicit BedLog(TestBed& bed)
        : m_log(bed.Chips())
    {
        for (std::size_t i = 0; i < bed.Chips(); ++i)
        {
            m_eyes.push_back(std::make_unique<Eye>(bed.Chip(i), m_log[i]));
            bed.Chip(i).SetObserver(m_eyes.back().get());
        }
    }

    /// @return what they did
    const OracleLog& Log() const
    {
        return m_log;
    }

  private:
    /// Observer of one switch.
    struct Eye : public SwitchObserver
    {
        Eye(const SwitchChip& watched, std::vector<OracleEntry>& entries)
            : chip(watched),
              log(entries)
        {
        }

        void Arrived(uint32_t port, const Frame& frame, TimePs now) override
        {
            Add(OracleDeed::ARRIVED, port, frame, now);
        }

        void Dropped(uint32_t port, const Frame& frame, DropCause cause, TimePs now) override
        {
            const OracleDeed deed = cause == DropCause::NO_ROUTE  ? OracleDeed::NO_WAY
                                    : cause == DropCause::CORRUPT ? OracleDeed::DAMAGED
                                                                  : OracleDeed::CUT_OFF;
            Add(deed, port, frame, now);
        }

        void Sent(uint32_t port, const Frame& frame, TimePs now) override
        {
            Add(OracleDeed::SENT, port, frame, now);
        }

        void Joined(uint32_t port, const Frame& frame, TimePs now) override
        {
            Add(OracleDeed::JOINED, port, frame, now);
            AddRecord(chip.InputFlows(port).Records()[frame.flow]);
        }

        void Left(QueueRef from, uint32_t port, const Frame& frame, TimePs) override
        {
            const InputFlowTable& flows = chip.InputFlows(from.input);
            AddRecord(flows.Records()[from.queue]); // to what is sent
            const FlowWays* ways = flows.Ways();
            const auto output = static_cast<uint16_t>(port);
            const uint16_t number =
                ways ? ways->Find(from.queue, output, frame.vc) : FlowWays::NONE;
            if (number != FlowWays::NONE)
            {
                AddWay(ways->At(number));
            }
        }

        void AcksSent(uint32_t port, const AckBatch& acks, TimePs now) override
        {
            for (uint32_t i = 0; i < acks.count; ++i)
            {
                log.push_back(EntryOf(now, port, acks.acks[i], acks.acks[i].ackFlow));
            }
        }

        void FlowRestrained(uint32_t port, const FgfcOrder& order, TimePs now) override
        {
            const FlowKey& flow = chip.Host(port)->Restraints()->Pattern(order.flow);
            log.push_back(EntryOf(now, port, order, flow.destination, flow.trafficClass));
            log.back().obeyedAt = order.time;
        }

        /// Adds the state of a flow channel to the last entry.
        void AddRecord(const FlowRecord& record)
        {
            OracleEntry& e = log.back();
            e.queued = record.QueueExtent();
            e.unacked = record.FlowExtent();
            e.isMetered = record.Is(FlowRecord::METERED);
            e.headroom = e.isMetered ? record.headroom : 0;
            e.isMetering = record.Is(FlowRecord::METERS_UPSTREAM);
            e.severity = record.severity;
            e.holds = record.queue.holds;
            e.pacedBy = (e.holds & InputQueue::PACED) != 0 ? record.queue.output : 0;
        }

        /// Adds the state of a way to the last entry.
        void AddWay(const FlowWay& way)
        {
            OracleEntry& e = log.back();
            e.isByWay = true;
            e.wayUnits = way.units;
            e.isWayMetered = way.isMetered;
            e.wayHeadroom = way.isMetered ? way.headroom : 0;
            e.wayHolds = way.queue.holds;
        }

        /// Adds an entry.
        void Add(OracleDeed deed, uint32_t port, const Frame& frame, TimePs now)
        {
            OracleEntry e = EntryOf(now, deed, port, frame, frame.dataFlow);
            e.controlFrames = chip.Output(port).Counts().controlFrames;
            e.acks = chip.Output(port).Counts().acks;
            log.push_back(e);
        }

        const SwitchChip& chip;
        std::vector<OracleEntry>& log;
    };

    OracleLog m_log;                          ///< By switch.
    std::vector<std::unique_ptr<Eye>> m_eyes; ///< By switch.
};

/**
 * @param actual what the switches of a test bed did
 * @param expected what those of a FlowOracle did
 * @return the earliest difference in a sentence, empty if there is none
 */
inline std::string
FirstDifference(const OracleLog& actual, const OracleLog& expected)
{
    TimePs earliest = NEVER;
    std::string sentence;
    for (std::size_t i = 0; i < actual.size(); ++i)
    {
        std::size_t n = 0;
        while (n < actual[i].size() && n < expected[i].size() &&
               actual[i][n].Tie() == expected[i][n].Tie())
        {
            ++n;
        }
        const OracleEntry* const did = n < actual[i].size() ? &actual[i][n] : nullptr;
        const OracleEntry* const should = n < expected[i].size() ? &expected[i][n] : nullptr;
        const TimePs time = std::min(did ? did->time : NEVER, should ? should->time : NEVER);
        if (time < earliest)
        {
            earliest = time;
            sentence = "switch " + std::to_string(i) + ", deed " + std::to_string(n) + ": '" +
                       (did ? did->Text() : "nothing") + "', expected is '" +
                       (should ? should->Text() : "nothing") + "'";
        }
    }
    return sentence;
}

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_LOG_H
