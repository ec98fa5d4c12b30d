/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_IDEAL_H
#define FABRIC_TRANSPORT_IDEAL_H

#include "fabric-empty-path.h"
#include "fabric-transport-settings.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * How long a push of the reliable transport takes in the empty fabric, to the picosecond: from its
 * post until its last byte is at the target, over a connection that is open.
 *
 * Its packets are frames of a message that has their headers as well. If it is solicited, a request
 * and a grant go before. What limits it besides is not in it: windows and grants that are shorter
 * than a round trip, a congestion control that does not begin with a full window, look-ups in CAMs.
 */
class TransportIdeal
{
  public:
    /**
     * @param there path from the initiator to the target
     * @param back path from the target to the initiator
     * @param settings of the connection
     * @param telemetry bytes of it in headers that have any
     */
    TransportIdeal(const EmptyPath& there,
                   const EmptyPath& back,
                   const ConnectionSettings& settings,
                   uint32_t telemetry = 0);

    /// @return how long a full packet and its ACK take, ps
    TimePs RoundTrip() const;

    /// @return how long a push takes, ps
    TimePs CompletionTime(uint32_t bytes) const;

    /// @return what HPCC's scripts take as the ideal time of a flow, ps, with the headers of the
    /// transport
    TimePs HpccIdeal(uint32_t bytes) const;

  private:
    /// @return whether a push asks first
    bool IsSolicited(uint32_t bytes) const;
    /// @return bytes of the header of its packets
    uint32_t HeaderBytes(uint32_t bytes) const;

    EmptyPath m_there;             ///< To the target.
    EmptyPath m_back;              ///< From the target.
    ConnectionSettings m_settings; ///< Of the connection.
    uint32_t m_telemetry;          ///< Bytes.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_IDEAL_H
