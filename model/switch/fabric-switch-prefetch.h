/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_PREFETCH_H
#define FABRIC_SWITCH_PREFETCH_H

#include "fabric-fetch-step.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-ports.h"

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

    /// @param step which part of it
    void Fetch(FetchStep step) const;

  private:
    void FetchPorts() const;      ///< Step PORTS.
    void FetchLinks() const;      ///< Step LINKS.
    void FetchNeighbours() const; ///< Step NEIGHBOURS.
    void FetchEngines() const;    ///< Step ENGINES.

    /**
     * @param visit is called with the queue whose turn comes last at each output that is asked,
     * but for those with few: `void visit(const InputQueue&)`
     */
    template <typename Visit>
    void ForEachAskedOutput(Visit&& visit) const;
    void FetchLastQueues() const;  ///< Fetches these queues, which know the first ones.
    void FetchFirstQueues() const; ///< Then fetches those whose turn it is.
    void FetchFirstFrames() const; ///< Then fetches their first frames, and the next queues.
    void FetchEdgeRecords() const; ///< Fetches entries of flows whose frames come from hosts.

    /**
     * @param port of many flow channels
     * @param visit is called with each ACK that is on the link to it: `void visit(const Ack&)`
     */
    template <typename Visit>
    void ForEachAck(uint32_t port, Visit&& visit) const;
    /// @return whether what its ACKs are of is spread so far that it pays to fetch it
    bool HasManyFlows(uint32_t port) const;
    void FetchChannels() const; ///< Fetches what tells whose ACKs are on the links.
    void FetchRecords() const;  ///< Then fetches the records of these flows.

    const SwitchPorts& m_ports; ///< Of the switch.
    const SwitchClock& m_clock; ///< Of the switch.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_PREFETCH_H
