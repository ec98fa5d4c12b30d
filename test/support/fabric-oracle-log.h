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

/// What a switch did with a frame, as a test bed and FlowOracle tell it alike.
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

    // Of the flow channel of a frame that is sent to a switch, with the frame.

    uint32_t queued{0};     ///< queue_extent, units.
    uint32_t unacked{0};    ///< flow_extent, units.
    bool isMetered{false};  ///< Whether it goes on hop credits.
    int64_t headroom{0};    ///< Of a metered one, units.
    bool isMetering{false}; ///< Whether it gives its upstream hop credits.

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
                        isMetering);
    }

    /// @return what happened, in words
    std::string Text() const
    {
        static const char* const DEEDS[] = {"came in",
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
        if (unacked != 0)
        {
            text << ", then queue_extent " << queued << " flow_extent " << unacked;
        }
        if (isMetered)
        {
            text << " headroom " << headroom;
        }
        text << (isMetering ? " metering its upstream" : "");
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
 * @param log gets what the switches of a FlowOracle do
 * @param oracle the FlowOracle, which need not exist yet
 */
inline FlowOracle::Watcher
LogOf(OracleLog& log, const std::unique_ptr<FlowOracle>& oracle)
{
    return [&log, &oracle](TimePs now,
                           std::size_t number,
                           OracleDeed deed,
                           uint32_t port,
                           const OracleFrame& frame,
                           const OracleQueue* queue) {
        OracleEntry e = EntryOf(now, deed, port, frame, frame.position);
        e.controlFrames = oracle->Switch(number).Ports()[port].wire.sentAckFrames +
                          oracle->Switch(number).Ports()[port].wire.sentCredits;
        e.acks = oracle->Switch(number).Ports()[port].wire.sentAcks;
        if (queue != nullptr)
        {
            e.queued = queue->Queued();
            e.unacked = queue->unacked;
            e.isMetered = queue->isMetered;
            e.headroom = queue->isMetered ? queue->headroom : 0;
            e.isMetering = queue->metersUpstream;
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
            const QueueRef ref = chip.OutputFlows(port).Source(frame.flow);
            if (ref == NO_QUEUE)
            {
                return; // to a host, or without flow channel
            }
            const FlowRecord& record = chip.InputFlows(ref.input).Records()[ref.queue];
            OracleEntry& e = log.back();
            e.queued = record.QueueExtent();
            e.unacked = record.FlowExtent();
            e.isMetered = record.Is(FlowRecord::METERED);
            e.headroom = e.isMetered ? record.headroom : 0;
            e.isMetering = record.Is(FlowRecord::METERS_UPSTREAM);
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
