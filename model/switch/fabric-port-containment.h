/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_CONTAINMENT_H
#define FABRIC_PORT_CONTAINMENT_H

#include "fabric-input-buffers.h"
#include "fabric-switch-ports.h"

namespace ns3::fabric
{

/**
 * Contains the fault of who sends frames over the largest size (SW-15): the frame is dropped, and
 * what comes after it by that port asks no output until the port is reset. It fills that port's
 * part of the buffer, and then holds up its sender; other ports go on.
 *
 * What came before has asked already, and leaves.
 */
class PortContainment
{
  public:
    PortContainment(const SwitchPorts& ports, InputBuffers& buffers, const BufferSettings& settings)
        : m_ports(ports),
          m_buffers(buffers),
          m_largest(settings.maxFrameBytes)
    {
        if (settings.LimitsFrames())
        {
            WatchPorts();
        }
    }

    /// @return whether it is over the largest size
    bool IsTooLarge(const Frame& frame) const
    {
        return WireBytes(frame.payload) > m_largest;
    }

    /// @return whether what comes by a port waits for its reset
    bool IsBlocked(uint32_t port) const
    {
        const InputPort& input = m_ports.inputs[port];
        return input.contained && input.contained->isBlocked;
    }

    /**
     * The link of a port has failed: what waits there and belongs to flow channels of the link is
     * lost with them, as the sender thinks it is. Other frames stay.
     */
    void LoseFlows(uint32_t port, TimePs now);

  private:
    /// All ports look at sizes from now on.
    void WatchPorts();

    const SwitchPorts& m_ports; ///< Of the switch.
    InputBuffers& m_buffers;    ///< Of the switch.
    const uint32_t m_largest;   ///< Size of a frame on the wire, bytes.
};

} // namespace ns3::fabric

#endif // FABRIC_PORT_CONTAINMENT_H
