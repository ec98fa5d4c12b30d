/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_TRACES_H
#define FABRIC_SWITCH_TRACES_H

#include "fabric-ack-batch.h"
#include "fabric-counted-trace.h"
#include "fabric-drop-causes.h"
#include "fabric-flow-statistics.h"
#include "fabric-switch-observer.h"

#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace ns3
{

/// Trace sources of a switch, for FabricSwitch to inherit.
class FabricSwitchTraces : public fabric::SwitchObserver
{
  public:
    /// @param tid of a class that inherits this one
    static TypeId AddTraceSources(TypeId tid);

    /// @param listener is told whether a trace source has a sink: now, and when sinks come and go
    void ListenToTraces(std::function<void(bool)> listener)
    {
        m_traced.Listen(std::move(listener));
    }

    /// @return whether the ends of flow channels are traced
    bool TracesFlows() const
    {
        return !m_flowClosed.IsEmpty();
    }

    /**
     * TracedCallback signature for frames.
     *
     * @param [in] port number of the port
     * @param [in] frame the frame
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*FrameTracedCallback)(uint32_t port, const fabric::Frame& frame, Time now);

    /**
     * TracedCallback signature for choices of the arbiters of virtual lanes.
     *
     * @param [in] port number of the output port
     * @param [in] frame the frame, with its lane
     * @param [in] grant its level, and whether it conforms
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*GrantTracedCallback)(uint32_t port,
                                        const fabric::Frame& frame,
                                        const fabric::Grant& grant,
                                        Time now);

    /**
     * TracedCallback signature for choices of shapers.
     *
     * @param [in] port number of the output port
     * @param [in] frame the frame
     * @param [in] grant its shaping queue, and which bucket pays
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*ShapeTracedCallback)(uint32_t port,
                                        const fabric::Frame& frame,
                                        const fabric::ShapingGrant& grant,
                                        Time now);

    /**
     * TracedCallback signature for drops.
     *
     * @param [in] port number of the input port
     * @param [in] frame the frame
     * @param [in] cause why it is dropped; fabric::NameOf() has its name
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*DropTracedCallback)(uint32_t port,
                                       const fabric::Frame& frame,
                                       fabric::DropCause cause,
                                       Time now);

    /**
     * TracedCallback signature for frames that are trimmed.
     *
     * @param [in] port number of the input port
     * @param [in] frame the frame as it came
     * @param [in] header what is left of it, and by which class it goes on
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*TrimTracedCallback)(uint32_t port,
                                       const fabric::Frame& frame,
                                       const fabric::Frame& header,
                                       Time now);

    /**
     * TracedCallback signature for runs of a frame's bytes on a wire.
     *
     * @param [in] port number of the output port
     * @param [in] frame the frame
     * @param [in] segment the run that ends now
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*SegmentTracedCallback)(uint32_t port,
                                          const fabric::Frame& frame,
                                          const fabric::WireSegment& segment,
                                          Time now);

    /**
     * TracedCallback signature for ACK frames. A frame of many ACKs comes in several calls of equal
     * time.
     *
     * @param [in] port number of the port
     * @param [in] acks the next ACKs of the frame; none if it is the greeting of a repaired link
     * @param [in] now time of the event; later than Simulator::Now() if a greeting that is sent
     *             waits for the wire
     */
    typedef void (*AcksTracedCallback)(uint32_t port, const fabric::AckBatch& acks, Time now);

    /**
     * TracedCallback signature for pauses of hosts and of other switches.
     *
     * @param [in] port number of the port
     * @param [in] order what the pause frame says
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*PauseTracedCallback)(uint32_t port, const fabric::PauseOrder& order, Time now);

    /**
     * TracedCallback signature for frames of fine-grain flow control.
     *
     * @param [in] port whose host they are for
     * @param [in] order what the frame says; the host's number of the flow leads to its fields by
     * GetChip().Host(port)->Restraints()->Pattern()
     * @param [in] now when its first bit is on the wire
     */
    typedef void (*FgfcTracedCallback)(uint32_t port, const fabric::FgfcOrder& order, Time now);

    /**
     * TracedCallback signature for credit frames.
     *
     * @param [in] port number of the port
     * @param [in] order what the frame says, and whether its link damages it
     * @param [in] now time of the event; equal to Simulator::Now(), but for frames of a host, of
     *             which the switch is told before they come
     */
    typedef void (*CreditsTracedCallback)(uint32_t port,
                                          const fabric::CreditOrder& order,
                                          Time now);

    /**
     * TracedCallback signature for pauses of the switch by a host. It is called between the time at
     * which the host sends the frame and that at which the switch obeys.
     *
     * @param [in] port number of the port
     * @param [in] order what the pause frame says, and when the switch obeys, unless the frame is
     *             damaged
     */
    typedef void (*HostPauseTracedCallback)(uint32_t port, const fabric::PauseOrder& order);

    /**
     * TracedCallback signature for flow channels that end.
     *
     * @param [in] figures what it did, and when it was opened
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*FlowTracedCallback)(const fabric::FlowFigures& figures, Time now);

    // What SwitchChip tells.
    void Arrived(uint32_t port, const fabric::Frame& frame, fabric::TimePs now) override;
    void Sent(uint32_t port, const fabric::Frame& frame, fabric::TimePs now) override;
    void Dropped(uint32_t port,
                 const fabric::Frame& frame,
                 fabric::DropCause cause,
                 fabric::TimePs now) override;
    void Trimmed(uint32_t port,
                 const fabric::Frame& frame,
                 const fabric::Frame& header,
                 fabric::TimePs now) override;
    void AcksSent(uint32_t port, const fabric::AckBatch& acks, fabric::TimePs now) override;
    void Acknowledged(uint32_t port, const fabric::AckBatch& acks, fabric::TimePs now) override;
    void Paused(uint32_t port, const fabric::PauseOrder& order, fabric::TimePs now) override;
    void CreditsSent(uint32_t port, const fabric::CreditOrder& order, fabric::TimePs now) override;
    void HostCredits(uint32_t port,
                     const fabric::CreditOrder& order,
                     fabric::TimePs start) override;
    void HostPaused(uint32_t port, const fabric::PauseOrder& order) override;
    void FlowRestrained(uint32_t port, const fabric::FgfcOrder& order, fabric::TimePs now) override;
    void Shaped(uint32_t port,
                const fabric::Frame& frame,
                const fabric::ShapingGrant& grant,
                fabric::TimePs now) override;
    void Granted(uint32_t port,
                 const fabric::Frame& frame,
                 const fabric::Grant& grant,
                 fabric::TimePs now) override;
    void SegmentSent(uint32_t port,
                     const fabric::Frame& frame,
                     const fabric::WireSegment& segment,
                     fabric::TimePs now) override;

  protected:
    /// A flow channel has ended.
    void TellFlowClosed(const fabric::FlowFigures& figures)
    {
        m_flowClosed(figures, PicoSeconds(figures.closed));
    }

  private:
    /// A trace source of frames.
    template <typename... What>
    using FrameTrace = fabric::CountedTrace<uint32_t, const fabric::Frame&, What..., Time>;
    /// A trace source of something else at a port.
    template <typename What>
    using PortTrace = fabric::CountedTrace<uint32_t, const What&, Time>;

    fabric::TraceCount m_traced;                                ///< Those that have sinks.
    FrameTrace<> m_arrive{m_traced};                            ///< Frames that take effect.
    FrameTrace<> m_send{m_traced};                              ///< Frames sent.
    FrameTrace<fabric::DropCause> m_drop{m_traced};             ///< Drops.
    FrameTrace<const fabric::Frame&> m_trim{m_traced};          ///< Trimmed frames.
    FrameTrace<const fabric::Grant&> m_grant{m_traced};         ///< An arbiter has chosen a frame.
    FrameTrace<const fabric::ShapingGrant&> m_shape{m_traced};  ///< A shaper has chosen a frame.
    FrameTrace<const fabric::WireSegment&> m_segment{m_traced}; ///< A frame leaves the wire.
    PortTrace<fabric::AckBatch> m_sendAcks{m_traced};           ///< ACKs sent.
    PortTrace<fabric::AckBatch> m_arriveAcks{m_traced};         ///< ACKs that take effect.
    PortTrace<fabric::PauseOrder> m_pause{m_traced};            ///< Pauses of hosts.
    PortTrace<fabric::FgfcOrder> m_fgfc{m_traced};              ///< Pauses of their flows.
    PortTrace<fabric::CreditOrder> m_sendCredits{m_traced};     ///< Credit frames.
    PortTrace<fabric::CreditOrder> m_hostCredits{m_traced};     ///< Those of hosts.
    /// Flow channels that end.
    fabric::CountedTrace<const fabric::FlowFigures&, Time> m_flowClosed{m_traced};
    /// Pauses by hosts.
    fabric::CountedTrace<uint32_t, const fabric::PauseOrder&> m_hostPause{m_traced};
};

} // namespace ns3

#endif // FABRIC_SWITCH_TRACES_H
