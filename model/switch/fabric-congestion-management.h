/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONGESTION_MANAGEMENT_H
#define FABRIC_CONGESTION_MANAGEMENT_H

#include "fabric-ack-return.h"
#include "fabric-congestion-settings.h"
#include "fabric-fgfc-frames.h"
#include "fabric-first-flights.h"
#include "fabric-hop-meter.h"
#include "fabric-injection-pacer.h"
#include "fabric-input-buffers.h"
#include "fabric-input-queues.h"
#include "fabric-output-loads.h"

#include <array>
#include <map>
#include <memory>

namespace ns3::fabric
{

/**
 * CM, what a switch does about flows that meet congestion. Their upstream gives way: by hop credits
 * (CM-5) where that is a switch, and by fine-grain flow control (CM-4) where it is a host. If it is
 * the link to a host that is congested, flows are told how severe that is (CM-2), and each switch
 * on their way holds them short (CM-3, CM-6, CM-7).
 */
class CongestionManagement
{
  public:
    /**
     * @param acks take hop credits and severities upstream
     * @param loads what waits for each output
     * @param fgfc restrains flows of hosts
     * @param settings what holds flows back; those of endpoints stay as they are
     * @param injection what hosts may have in the fabric, null if that has no limit; may be
     * replaced
     * @param seed of pacing
     */
    CongestionManagement(const SwitchPorts& ports,
                         SwitchClock& clock,
                         AckReturn& acks,
                         InputQueues& queues,
                         OutputLoads& loads,
                         const InputBuffers& buffers,
                         FgfcFrames& fgfc,
                         const CongestionSettings& settings,
                         const std::shared_ptr<const InjectionSettings>& injection,
                         uint32_t seed);

    /// @param settings that count from now on, but for those of endpoints
    void Set(const CongestionSettings& settings);

    /// @param roundTrip that counts from now on where EndpointSettings say none, ps
    void SetRoundTrip(TimePs roundTrip);

    /**
     * Queues of an input should not run dry between a word of credit and what it brings.
     *
     * @param roundTrip from a frame that leaves the queue to the one that credit for it brings, ps
     * @param rate at which frames come in
     * @param heldBytes credit that is not told at once
     */
    void CoverLink(uint32_t input, TimePs roundTrip, LinkRate rate, uint32_t heldBytes);

    /// @param port of a host that is linked; its link may get congested
    /// @param lists see OutputLoads::Watch()
    void Watch(uint32_t port, LinkRate rate, uint32_t lists);

    /**
     * A frame is about to wait; it is counted in the record already.
     *
     * @param place of its flow channel
     * @param frame that is about to wait
     */
    void Joined(const QueuePlace& place, const Frame& frame, TimePs now)
    {
        const bool isEdge = place.input->edge != nullptr;
        if (m_starts[isEdge] && MeterOf(place).Joined(*place.record, FreeBytes(place, now)))
        {
            isEdge ? m_fgfc.Begin(place.ref, frame.next, now)
                   : m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::CREDIT, now);
        }
    }

    /**
     * A frame has come of a flow of which nothing was here: it begins with what its upstream knows.
     * If that is a host, nobody knows anything until the first ACK.
     *
     * @param place of its flow channel, whose output is set
     * @param frame that has come
     */
    void Opened(const QueuePlace& place, const Frame& frame)
    {
        if (!place.input->edge)
        {
            place.record->severity = static_cast<Severity>(frame.severity);
        }
        else if (m_limitsStarts)
        {
            Start(place, frame.next);
        }
    }

    /**
     * A frame waits now. Upstream is told of the severity of its endpoint, unless the frame says
     * that it knows: a word that is lost does no harm then, and nobody is told the same with each
     * frame.
     *
     * @param place of its flow channel
     * @param frame as it has come
     */
    void Waits(const QueuePlace& place, const Frame& frame, TimePs now)
    {
        if (m_endpoint.isOn)
        {
            LookAtEndpoint(place);
        }
        const Severity severity = place.record->severity;
        if (severity != 0 && !place.input->edge && severity != frame.severity)
        {
            m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::SEVERITY, now);
        }
    }

    /**
     * A frame waits no longer; the record has been told.
     *
     * @param place of its flow channel
     * @param units length of the frame, 256 bytes
     */
    void Left(const QueuePlace& place, uint32_t units, TimePs now)
    {
        GiveCredit(place, units, now);
        if (place.record->severity != 0)
        {
            LookIfLess(place);
            HoldOverLimit(place);
        }
        if (m_limitsHosts && place.input->edge)
        {
            m_queues.UseTurn(place, units, now);
        }
    }

    /**
     * Frames of a flow channel count as sent and lost, though they have not left.
     *
     * @param place of it
     * @param units length of the frames, 256 bytes
     */
    void PassOver(const QueuePlace& place, uint32_t units) const
    {
        place.record->dataFlow += units;
        if (m_limitsHosts && place.input->edge)
        {
            place.input->edge->turns->PassOver(place.ref.queue, units);
        }
    }

    /**
     * Something that a host has sent has been acknowledged or lost.
     *
     * @param ref names its flow channel
     * @param units of 256 bytes
     */
    void LowerInjected(QueueRef ref, uint32_t units) const
    {
        if (m_limitsHosts)
        {
            m_ports.inputs[ref.input].edge->turns->Acknowledge(ref.queue, units);
        }
    }

    /// The flow_extent of a host's flow is lower: there may be turns for flows of the host.
    /// @param ref names the flow channel
    void GiveTurns(QueueRef ref, TimePs now)
    {
        if (m_limitsHosts)
        {
            m_queues.LookAtTurn(m_ports.Find(ref), now);
        }
    }

    /// All frames of a flow channel that waited were dropped: whoever was held back goes on.
    /// @param place of it; the record has been told
    void Dropped(const QueuePlace& place, TimePs now)
    {
        GiveCredit(place, 0, now);
    }

    /// @param place of a flow channel at an ingress edge that ends, however its frames have left
    void Ended(const QueuePlace& place, TimePs now)
    {
        if (place.record->Is(FlowRecord::METERS_UPSTREAM))
        {
            m_fgfc.End(place.ref, now);
        }
    }

    /**
     * A hop credit has come from downstream.
     *
     * @param place of the flow channel, or of a way
     * @param amount of the HEADROOM ACK
     */
    void TakeCredit(const QueuePlace& place, uint32_t amount, TimePs now)
    {
        if (place.IsWay())
        {
            place.Way().TakeCredit(amount);
        }
        else
        {
            HopMeter::Receive(*place.record, amount);
        }
        m_queues.Offer(place, now);
    }

    /**
     * A severity has come from downstream (CM-3).
     *
     * @param place of the flow channel
     */
    void TakeSeverity(const QueuePlace& place, Severity severity, TimePs now);

    /**
     * An ACK has come from downstream that lowers the flow_extent.
     *
     * @param type of the ACK; a normal one says that the congestion is over
     * @param record of the flow channel
     */
    static void Hear(AckType type, FlowRecord& record)
    {
        if (type == AckType::NORMAL)
        {
            record.severity = 0;
        }
    }

    /**
     * The flow_extent of a flow channel has become lower.
     *
     * @param ref names it
     */
    void Acknowledged(QueueRef ref, const FlowRecord& record, TimePs now)
    {
        if (record.severity != 0 || record.queue.IsHeldBySeverity())
        {
            Reconsider(m_ports.Find(ref), now);
        }
    }

    /**
     * Something of a flow that knew nothing of its destination has been acknowledged or lost.
     *
     * @param place of the flow channel, whose flow_extent and severity are the new ones
     */
    void EndStart(const QueuePlace& place, TimePs now);

    /**
     * Paced flows whose time has come ask their output, whose decision is being made.
     *
     * @param port of the output
     */
    void ReleasePaced(uint32_t port, TimePs now);

    /// @return flows of hosts that have begun and know nothing of their destinations; null if flows
    /// begin as they like
    const FirstFlights* Starts() const
    {
        return m_firstFlights.get();
    }

  private:
    /// @return room left for a flow, bytes
    uint32_t FreeBytes(const QueuePlace& place, TimePs now) const
    {
        return m_buffers.FreeBytes(*place.input, place.record->trafficClass, now);
    }

    /// @return whether other frames of a flow may come in elsewhere: its host tells all its frames
    /// to one input, and a switch with several ways to several
    static bool IsPart(const QueuePlace& place)
    {
        return !place.input->edge && place.HasWays();
    }

    /// @return what meters a flow
    const HopMeter& MeterOf(const QueuePlace& place) const
    {
        return IsPart(place) ? m_partMeter : m_meter;
    }

    /// A queue is shorter now: credit for its upstream. @param units that were sent, 256 bytes
    void GiveCredit(const QueuePlace& place, uint32_t units, TimePs now)
    {
        if (!place.record->Is(FlowRecord::METERS_UPSTREAM))
        {
            return;
        }
        if (MeterOf(place).Left(*place.record, units, FreeBytes(place, now), LeastHigh(place)))
        {
            place.input->edge
                ? m_fgfc.Change(*place.record, place.ref, now)
                : m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::CREDIT, now);
        }
    }

    /// @return what a flow's queue has to hold until credit brings more, units of 256 bytes; see
    /// SeverityTable::Row::mostHigh. Where a part of a limited flow comes the rest waits elsewhere.
    uint32_t LeastHigh(const QueuePlace& place) const
    {
        const uint32_t ofLink = m_leastHigh[place.ref.input];
        const Severity severity = place.record->severity;
        if (severity < SeverityTable::FIRST_LIMIT)
        {
            return ofLink;
        }
        return IsPart(place) ? 0 : std::min(ofLink, m_severities->At(severity).mostHigh);
    }

    /// Flows that may take several ways take others after a round trip, if not before.
    void SetRoundTripOfWays(TimePs roundTrip) const;
    /// A flow of a host begins: it tries the way, or waits for others to its destination; and it
    /// awaits its turn if what the host has in the fabric is limited.
    /// @param sendQueue of the host, from which it comes
    void Start(const QueuePlace& place, uint32_t sendQueue);
    /// A frame of a flow has come to wait, maybe for a congested host.
    void LookAtEndpoint(const QueuePlace& place);
    /// A frame of a flow that knows of congestion has left, maybe to the host: by now there may be
    /// less, or none.
    void LookIfLess(const QueuePlace& place);
    /// @param row of its severity @return whether a flow has too much under way
    bool IsOverLimit(const FlowRecord& record, const SeverityTable::Row& row) const;
    /// Holds a flow that has too much under way, or ends that.
    void HoldOverLimit(const QueuePlace& place);
    /// The time of a flow that is paced, and whose frames wait on ways of it, is looked for where
    /// some of them wait: that output leads on, or the flow learns of it.
    static void PaceByWay(const QueuePlace& place);
    /// The severity of a flow or what it has under way has changed.
    void Reconsider(const QueuePlace& place, TimePs now);

    // What each hop touches comes first: see SwitchUnits.
    const SwitchPorts& m_ports;    ///< Of the switch.
    InputQueues& m_queues;         ///< Of the switch.
    OutputLoads& m_loads;          ///< What waits for each output.
    const InputBuffers& m_buffers; ///< Of the switch.
    AckReturn& m_acks;             ///< Take hop credits and severities upstream.
    std::shared_ptr<const SeverityTable> m_severities; ///< What they ask of flows.
    bool m_limitsFlows;                                ///< Whether flows have limits by severity.
    bool m_limitsStarts;               ///< Whether flows of hosts may not begin as they like.
    bool m_limitsHosts;                ///< Whether what hosts have in the fabric is limited.
    std::array<bool, 2> m_starts{};    ///< Whether flows begin to be metered: from switches, hosts.
    HopMeter m_meter;                  ///< Hop credits, and credits of fine-grain flow control.
    std::vector<uint32_t> m_leastHigh; ///< By input, see HopMeter::Left().
    FgfcFrames& m_fgfc;                ///< Restrains flows of hosts.
    EndpointSettings m_endpoint;       ///< When endpoints are congested.
    /// The same for links to hosts, by their rate in bit/s: detectors keep references to it.
    std::map<uint64_t, EndpointSettings> m_endpointsByRate;
    Severity m_untilFirstAck{0};                  ///< That a flow of a host knows of.
    SwitchClock& m_clock;                         ///< Of the switch.
    std::unique_ptr<InjectionPacer> m_pacer;      ///< Null if nothing is paced.
    std::unique_ptr<FirstFlights> m_firstFlights; ///< Null if flows begin as they like.
    const std::shared_ptr<const InjectionSettings>& m_injection; ///< Which group a flow is in.
    std::shared_ptr<const SeverityTable> m_partSeverities; ///< Of which a part comes to an input.
    HopMeter m_partMeter; ///< Hop credits of flows of which a part comes to an input.
};

} // namespace ns3::fabric

#endif // FABRIC_CONGESTION_MANAGEMENT_H
