/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONGESTION_MANAGEMENT_H
#define FABRIC_CONGESTION_MANAGEMENT_H

#include "fabric-ack-return.h"
#include "fabric-congestion-settings.h"
#include "fabric-fgfc-frames.h"
#include "fabric-hop-meter.h"
#include "fabric-input-buffers.h"
#include "fabric-input-queues.h"

#include <array>

namespace ns3::fabric
{

/// CM, what a switch does about flows that meet congestion: their upstream gives way, by hop
/// credits (CM-5) where that is a switch, and by fine-grain flow control (CM-4) where it is a host.
class CongestionManagement
{
  public:
    /**
     * @param acks take hop credits upstream
     * @param fgfc restrains flows of hosts
     * @param settings what holds flows back
     */
    CongestionManagement(AckReturn& acks,
                         InputQueues& queues,
                         const InputBuffers& buffers,
                         FgfcFrames& fgfc,
                         const CongestionSettings& settings)
        : m_acks(acks),
          m_queues(queues),
          m_buffers(buffers),
          m_fgfc(fgfc)
    {
        Set(settings);
    }

    /// @param settings that count from now on
    void Set(const CongestionSettings& settings)
    {
        m_starts = {settings.hopCredits, settings.fgfc.isOn};
        m_meter = HopMeter(settings.watermarks, settings.roomDivisor);
    }

    /**
     * A frame is about to wait; it is counted in the record already.
     *
     * @param place of its flow channel
     * @param frame that is about to wait
     */
    void Joined(const QueuePlace& place, const Frame& frame, TimePs now)
    {
        const bool isEdge = place.input->edge != nullptr;
        if (m_starts[isEdge] && m_meter.Joined(*place.record, m_buffers.FreeBytes(*place.input)))
        {
            isEdge ? m_fgfc.Begin(place.ref, frame.next, now)
                   : m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::CREDIT, now);
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
        if (m_meter.Left(*place.record, units, m_buffers.FreeBytes(*place.input)))
        {
            place.input->edge
                ? m_fgfc.Change(*place.record, place.ref, now)
                : m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::CREDIT, now);
        }
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
     * @param place of the flow channel
     * @param amount of the HEADROOM ACK
     */
    void TakeCredit(const QueuePlace& place, uint32_t amount, TimePs now)
    {
        HopMeter::Receive(*place.record, amount);
        m_queues.Offer(place, now);
    }

  private:
    AckReturn& m_acks;              ///< Take hop credits upstream.
    InputQueues& m_queues;          ///< Of the switch.
    const InputBuffers& m_buffers;  ///< Of the switch.
    HopMeter m_meter;               ///< Hop credits.
    FgfcFrames& m_fgfc;             ///< Restrains flows of hosts.
    std::array<bool, 2> m_starts{}; ///< Whether flows begin to be metered: from switches, hosts.
};

} // namespace ns3::fabric

#endif // FABRIC_CONGESTION_MANAGEMENT_H
