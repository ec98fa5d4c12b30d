/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "fabric-network.h"
#include "fabric-preemption-attributes.h"
#include "fabric-repeating-event.h"
#include "fabric-switch-chip.h"
#include "fabric-vl-arbiter-attributes.h"
#include "fabric-window-driver.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>

namespace ns3
{

class FabricChannel;
class FabricNetDevice;
class FabricSwitchPort;
class Node;

/**
 * A switch of a fabric, aggregated to its node: attributes, trace sources, and the event that
 * advances its SwitchChip window by window (DP-3).
 *
 * While a trace source has a sink, the switch advances by single instants, so that Simulator::Now()
 * is right in the sink (DP-5). A sink that is connected in the run is called from the end of the
 * window under way on: what comes before it may have been handled already.
 */
class FabricSwitch : public Object,
                     public fabric::VlArbiterAttributes,
                     public fabric::PreemptionAttributes,
                     private fabric::SwitchObserver
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    FabricSwitch();
    ~FabricSwitch() override;

    /**
     * Puts the switch on a node with a FabricSwitchPort per port. Its settings are fixed from now
     * on, but for those that say otherwise.
     *
     * @param node of the switch
     * @param network that it becomes part of
     */
    void Install(Ptr<Node> node, Ptr<FabricNetwork> network);

    /**
     * Links a port to another switch.
     *
     * @param port of this switch
     * @param peer the other switch
     * @param peerPort port there
     * @param channel the link
     */
    void Connect(uint32_t port,
                 Ptr<FabricSwitch> peer,
                 uint32_t peerPort,
                 Ptr<FabricChannel> channel);

    /**
     * Links a port to a host.
     *
     * @param port of this switch
     * @param device of the host
     * @param channel the link
     */
    void Connect(uint32_t port, Ptr<FabricNetDevice> device, Ptr<FabricChannel> channel);

    /**
     * @param port number of a port
     * @return the port
     */
    Ptr<FabricSwitchPort> GetPort(uint32_t port) const;

    /// @return the switch proper; it may be ahead of Simulator::Now() by a window
    fabric::SwitchChip& GetChip();

    /// @copydoc GetChip()
    const fabric::SwitchChip& GetChip() const;

    /// @return how far the switch may run ahead
    Time GetLookahead() const;

    /// @return runs the switch window by window
    fabric::WindowDriver& GetDriver();

    /// @return number of the switch in the fabric
    uint32_t GetNumber() const;

    /// @return whether error models damage what it or its hosts send
    bool UsesErrorModels() const;

    /// @return part of the fabric, by whose thread it is run
    uint32_t GetPart() const;

    /**
     * Sets the lane table, or changes it during the run (VA-11): no frame is lost, and those of a
     * flow keep their order. In the run it takes effect at the next multiple of GetLookahead(). A
     * switch that is installed without a table has no lanes later either.
     *
     * @param table the table
     * @throws std::invalid_argument with a sentence if it is wrong (VA-14), or this switch can't
     * have it; the old table stays then
     */
    void SetLaneTable(const fabric::LaneTable& table);

    /// @param seed of the choice between equally loaded outputs, 1 .. 2^31 - 2; before Install()
    void SetSeed(uint32_t seed);

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
     * TracedCallback signature for drops.
     *
     * @param [in] port number of the input port
     * @param [in] frame the frame
     * @param [in] cause why it is dropped
     * @param [in] now time of the event; equal to Simulator::Now()
     */
    typedef void (*DropTracedCallback)(uint32_t port,
                                       const fabric::Frame& frame,
                                       fabric::DropCause cause,
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

  protected:
    void DoDispose() override;

  private:
    // What SwitchChip tells.
    void Arrived(uint32_t port, const fabric::Frame& frame, fabric::TimePs now) override;
    void Sent(uint32_t port, const fabric::Frame& frame, fabric::TimePs now) override;
    void Dropped(uint32_t port,
                 const fabric::Frame& frame,
                 fabric::DropCause cause,
                 fabric::TimePs now) override;
    void Granted(uint32_t port,
                 const fabric::Frame& frame,
                 const fabric::Grant& grant,
                 fabric::TimePs now) override;

    void SegmentSent(uint32_t port,
                     const fabric::Frame& frame,
                     const fabric::WireSegment& segment,
                     fabric::TimePs now) override;

    /// @return what messages call this switch
    std::string Name() const;
    /// @return a port that has no link; the program ends if there is no such port
    Ptr<FabricSwitchPort> FreePort(uint32_t port) const;
    /// Advances the chip by an instant, whose time has come.
    void RunInstant();
    /// @return whether a trace source has a sink
    bool IsTraced() const;
    /// @return the settings of the chip
    fabric::SwitchConfig MakeConfig() const;

    /// The chip gets the timers of ACKs from the next multiple of the window on (DP-6).
    void ChangeAckTimers();

    // Attributes that may change in the run.
    void SetAckIdleTimer(Time time);
    Time GetAckIdleTimer() const;
    void SetAckBusyTimer(Time time);
    Time GetAckBusyTimer() const;
    void SetAckLongestTimer(Time time);
    Time GetAckLongestTimer() const;
    void SetLaneTableFile(std::string file);
    std::string GetLaneTableFile() const;
    void SetHopCredits(bool hopCredits);
    bool GetHopCredits() const;

    fabric::SwitchConfig m_config; ///< Settings that are attributes of their own type.
    fabric::Arbitration m_arbitration;
    fabric::Forwarding m_forwarding;
    bool m_flowChannels;
    uint32_t m_ports;
    Time m_latency;
    Time m_controlLatency;
    uint32_t m_bufferBytes;
    uint32_t m_reservedBytes;
    uint32_t m_virtualChannels;
    uint16_t m_noFlowClasses;
    uint16_t m_unorderedClasses;
    uint8_t m_flowFields;
    uint32_t m_flowIds;
    uint32_t m_highWatermark;
    uint32_t m_targetWatermark;
    uint32_t m_dropWatermark;
    uint32_t m_roomDivisor;
    fabric::EdgeFlowControl m_edgeFlowControl;
    uint32_t m_pauseXoffBytes;
    uint32_t m_pauseXonBytes;
    uint32_t m_eiqPauseBytes;
    uint16_t m_pauseQuanta;
    uint16_t m_pauseResponseQuanta;
    std::string m_classToVc;
    uint16_t m_markClasses;
    uint32_t m_markMinBytes;
    uint32_t m_markMaxBytes;
    double m_markProbability;
    std::string m_markRules;

    Ptr<FabricNetwork> m_network;                     ///< The fabric.
    std::vector<Ptr<FabricSwitchPort>> m_portDevices; ///< By number.
    std::unique_ptr<fabric::SwitchChip> m_chip;       ///< The switch proper.
    std::unique_ptr<fabric::WindowDriver> m_driver;   ///< Runs it.
    bool m_usesErrorModels{false};                    ///< See UsesErrorModels().
    /// Starts windows of one instant, in the context of the node; others begin with all switches'.
    fabric::RepeatingEvent m_instant;

    TracedCallback<uint32_t, const fabric::Frame&, Time>
        m_arriveTrace;                                                ///< Frames that take effect.
    TracedCallback<uint32_t, const fabric::Frame&, Time> m_sendTrace; ///< Frames sent.
    TracedCallback<uint32_t, const fabric::Frame&, const fabric::Grant&, Time>
        m_grantTrace; ///< An arbiter of virtual lanes has chosen a frame.
    TracedCallback<uint32_t, const fabric::Frame&, const fabric::WireSegment&, Time>
        m_segmentTrace;          ///< A frame leaves the wire.
    std::string m_laneTableFile; ///< `LaneTableFile`
    TracedCallback<uint32_t, const fabric::Frame&, fabric::DropCause, Time> m_dropTrace; ///< Drops.
};

} // namespace ns3

#endif // FABRIC_SWITCH_H
