/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONGESTION_MANAGEMENT_H
#define FABRIC_CONGESTION_MANAGEMENT_H

#include "fabric-ack-return.h"
#include "fabric-congestion-settings.h"
#include "fabric-hop-meter.h"
#include "fabric-input-buffers.h"
#include "fabric-input-queues.h"

namespace ns3::fabric
{

/// CM, what a switch does about flows that meet congestion: their upstream gives way, by hop
/// credits (CM-5).
class CongestionManagement
{
  public:
    /**
     * @param acks take hop credits upstream
     * @param settings what holds flows back
     */
    CongestionManagement(AckReturn& acks,
                         InputQueues& queues,
                         const InputBuffers& buffers,
                         const CongestionSettings& settings)
        : m_acks(acks),
          m_queues(queues),
          m_buffers(buffers)
    {
        Set(settings);
    }

    /// @param settings that count from now on
    void Set(const CongestionSettings& settings)
    {
        m_startsMetering = settings.hopCredits;
        m_meter = HopMeter(settings.watermarks, settings.roomDivisor);
    }

    /**
     * A frame is about to wait; it is counted in the record already.
     *
     * @param place of its flow channel
     */
    void Joined(const QueuePlace& place, TimePs now)
    {
        if (m_startsMetering && !place.input->edge &&
            m_meter.Joined(*place.record, m_buffers.FreeBytes(*place.input)))
        {
            m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::CREDIT, now);
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
            m_acks.Owe(place.ref.input, place.ref.queue, FlowRecord::CREDIT, now);
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
    AckReturn& m_acks;             ///< Take hop credits upstream.
    InputQueues& m_queues;         ///< Of the switch.
    const InputBuffers& m_buffers; ///< Of the switch.
    HopMeter m_meter;              ///< Hop credits.
    bool m_startsMetering{true};   ///< Whether flows begin to be metered.
};

} // namespace ns3::fabric

#endif // FABRIC_CONGESTION_MANAGEMENT_H
