/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_TELEMETRY_H
#define FABRIC_PATH_TELEMETRY_H

#include "fabric-hop-stack.h"

#include <vector>

namespace ns3::fabric
{

/**
 * In-band network telemetry of a switch (RT-14): what its outputs have sent, which they write on
 * packets of the reliable transport as these leave.
 *
 * A packet finds the bytes before it in the sum, and those behind it in the queue, as in the
 * simulator of HPCC's authors. What has no payload of hosts (ACKs of links, pauses) is in neither.
 */
class PathTelemetry
{
  public:
    /// @param outputs number of them
    explicit PathTelemetry(uint32_t outputs)
        : m_outputs(outputs)
    {
    }

    /**
     * Frames leave from now on.
     *
     * @param source knows what was written on a packet
     * @param switchId number of the switch
     */
    void Begin(HopStackSource& source, uint16_t switchId)
    {
        m_source = &source;
        m_switchId = switchId;
    }

    /// @param rate of the link there, b/s
    void SetRate(uint32_t output, uint64_t rate)
    {
        m_outputs[output].rate = rate;
    }

    /**
     * A frame takes the wire.
     *
     * @param queued bytes that wait for the output, without the frame
     */
    void Leave(uint32_t output, const Frame& frame, uint32_t queued, TimePs now)
    {
        Output& from = m_outputs[output];
        if (frame.kind == FrameKind::TRANSPORT && m_source)
        {
            m_source->StackOf(frame).Push(
                {now, from.sent, from.rate, queued, m_switchId, static_cast<uint16_t>(output)});
        }
        from.sent += WireBytes(frame.payload);
    }

  private:
    /// What is known of an output.
    struct Output
    {
        uint64_t sent{0}; ///< Bytes.
        uint64_t rate{0}; ///< b/s.
    };

    std::vector<Output> m_outputs;     ///< By number.
    HopStackSource* m_source{nullptr}; ///< Null where no packet has records.
    uint16_t m_switchId{0};            ///< Number of the switch.
};

} // namespace ns3::fabric

#endif // FABRIC_PATH_TELEMETRY_H
