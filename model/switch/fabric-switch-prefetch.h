/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_PREFETCH_H
#define FABRIC_SWITCH_PREFETCH_H

#include "fabric-fetch-step.h"
#include "fabric-link-rate.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-ports.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// Fetches what the next window of a switch touches into the caches, while others run.
class SwitchPrefetch
{
  public:
    SwitchPrefetch(const SwitchPorts& ports, const SwitchClock& clock)
        : m_ports(ports),
          m_clock(clock)
    {
    }

    /// @return whether the next window is expected to have so much to do that fetching pays
    bool IsWorthwhile() const;

    /// The switch gets a link.
    void AddLink(const LinkRate& rate)
    {
        m_frameTime = std::min(m_frameTime, rate.TxTime(WireBytes(MAX_PAYLOAD)));
    }

    /// @param step which part of it @param window length of the next window, ps
    void Fetch(FetchStep step, TimePs window) const;

  private:
    /// @return frames that a link carries in a window, as a rule: on a long one there are more
    uint32_t FramesIn(TimePs window) const;

    void FetchPorts() const;                   ///< Step PORTS.
    void FetchLinks(uint32_t most) const;      ///< Step LINKS. @param most frames of a link
    void FetchNeighbours(uint32_t most) const; ///< Step NEIGHBOURS. @param most frames of a link
    void FetchEngines(uint32_t most) const;    ///< Step ENGINES. @param most frames of a link

    /**
     * @param visit is called with the queue whose turn comes last at each output that is asked,
     * but for those with few: `void visit(const InputQueue&)`
     */
    template <typename Visit>
    void ForEachAskedOutput(Visit&& visit) const;
    void FetchLastQueues() const;  ///< Fetches these queues, which know the first ones.
    void FetchFirstQueues() const; ///< Then fetches those whose turn it is.
    void FetchFirstFrames() const; ///< Then fetches their first frames, and the next queues.
    /// Fetches entries of flows whose frames come from hosts. @param most of a link
    void FetchEdgeRecords(uint32_t most) const;

    /**
     * @param port of many flow channels
     * @param most ACK frames
     * @param visit is called with each ACK that is on the link to it: `void visit(const Ack&)`
     */
    template <typename Visit>
    void ForEachAck(uint32_t port, uint32_t most, Visit&& visit) const;
    /// @return whether what its ACKs are of is spread so far that it pays to fetch it
    bool HasManyFlows(uint32_t port) const;
    /// Fetches what tells whose ACKs are on the links. @param most ACK frames of a link
    void FetchChannels(uint32_t most) const;
    /// Then fetches the records of these flows. @param most ACK frames of a link
    void FetchRecords(uint32_t most) const;

    const SwitchPorts& m_ports; ///< Of the switch.
    const SwitchClock& m_clock; ///< Of the switch.
    TimePs m_frameTime{NEVER};  ///< Of a full frame on the fastest link, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_PREFETCH_H
