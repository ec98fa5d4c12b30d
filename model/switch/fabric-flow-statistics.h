/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_STATISTICS_H
#define FABRIC_FLOW_STATISTICS_H

#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

#include <functional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// What a flow channel did at an input port of a switch, and beyond (FC-3, FC-4).
struct FlowFigures
{
    uint16_t port{0};            ///< Input port.
    FlowId flow{NO_FLOW};        ///< flow_id on the incoming link.
    LocationId src{0};           ///< Source of its frames.
    LocationId dst{0};           ///< Destination of its frames.
    uint8_t trafficClass{0};     ///< FTAG of its frames.
    uint16_t output{0};          ///< Output port by which the last of its frames went.
    FlowId outgoing{NO_FLOW};    ///< flow_id that this had there; NO_FLOW toward a host.
    TimePs opened{0};            ///< When its first frame joined its queue, ps.
    TimePs closed{NEVER};        ///< When it ended, NEVER while it is open, ps.
    uint64_t frames{0};          ///< Frames that have joined its queue.
    uint64_t bytes{0};           ///< Their payload.
    uint64_t framesSent{0};      ///< Frames that have left by an output.
    uint64_t bytesSent{0};       ///< Their payload.
    uint32_t queueExtent{0};     ///< Units that wait.
    uint32_t flowExtent{0};      ///< Units sent and not acknowledged.
    uint32_t mostQueueExtent{0}; ///< The most that queueExtent was.
    uint32_t mostFlowExtent{0};  ///< The most that flowExtent was.
    uint32_t mostTotalExtent{0}; ///< The most that both together were.

    /// @return units that wait or are not acknowledged
    uint32_t TotalExtent() const
    {
        return queueExtent + flowExtent;
    }
};

/**
 * Counts what flow channels of a switch do, from their opening on (FC-3). A switch that counts
 * nothing has none of it.
 *
 * A frame that is dropped as it comes in joins no queue and is not counted. A channel of which all
 * frames were dropped so leaves no figures.
 */
class FlowStatistics : public SwitchObserver
{
  public:
    /// Is told of a channel that has ended.
    using Listener = std::function<void(const FlowFigures&)>;

    /**
     * @param ports whose records are looked at
     * @param keepsClosed whether figures of channels that have ended are kept
     */
    FlowStatistics(const SwitchPorts& ports, bool keepsClosed);

    /// @param listener may be empty
    void SetListener(Listener listener)
    {
        m_listener = std::move(listener);
    }

    /// @return the channels that are open at an input port, by flow_id
    std::vector<FlowFigures> Open(uint32_t port) const;

    /// @return the channels that have ended, in their order, if they are kept
    const std::vector<FlowFigures>& Closed() const
    {
        return m_closed;
    }

    // What the switch tells.
    void Arrived(uint32_t port, const Frame& frame, TimePs now) override;
    void Sent(uint32_t port, const Frame& frame, TimePs now) override;
    void Dropped(uint32_t port, const Frame& frame, DropCause cause, TimePs now) override;
    void Joined(uint32_t port, const Frame& frame, TimePs now) override;
    void Left(QueueRef from, uint32_t output, const Frame& frame, TimePs now) override;
    void Ended(uint32_t port, FlowId flow, TimePs now) override;

  private:
    /// @param figures of a channel: extents are as they are now
    void Update(FlowFigures& figures) const;

    const SwitchPorts& m_ports;                       ///< Of the switch.
    std::vector<std::vector<FlowFigures>> m_channels; ///< By port and flow_id; NO_FLOW if closed.
    std::vector<FlowFigures> m_closed;                ///< Those that have ended, if they are kept.
    Listener m_listener;                              ///< Told of those that end.
    bool m_keepsClosed;                               ///< Whether they are kept.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_STATISTICS_H
