/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "fabric-network.h"
#include "fabric-repeating-event.h"
#include "fabric-switch-attributes.h"
#include "fabric-switch-chip.h"
#include "fabric-switch-traces.h"
#include "fabric-window-driver.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <memory>
#include <string>
#include <vector>

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
class FabricSwitch : public Object, public fabric::SwitchAttributes, public FabricSwitchTraces
{
  public:
    static TypeId GetTypeId();
    FabricSwitch();
    ~FabricSwitch() override;

    /**
     * Puts the switch on a node with a FabricSwitchPort per port. Its settings are fixed from now
     * on, but for those that say otherwise.
     *
     * @param network that it becomes part of
     * @throws std::invalid_argument with a sentence if the settings can't go together, or it is
     * installed already
     */
    void Install(Ptr<Node> node, Ptr<FabricNetwork> network);

    /**
     * Links a port to another switch.
     *
     * @param peer the other switch
     * @throws std::invalid_argument with a sentence if either port is linked already, or the two
     * switches or the link can't go together
     */
    void Connect(uint32_t port,
                 Ptr<FabricSwitch> peer,
                 uint32_t peerPort,
                 Ptr<FabricChannel> channel);

    /**
     * Links a port to a host.
     *
     * @throws std::invalid_argument with a sentence if the port or the device is linked already, or
     * the switch and the device or the link can't go together
     */
    void Connect(uint32_t port, Ptr<FabricNetDevice> device, Ptr<FabricChannel> channel);

    /// @return the fabric of which it is part
    Ptr<FabricNetwork> GetNetwork() const;

    /**
     * @return the port
     * @throws std::invalid_argument with a sentence if there is no such port
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
     * @throws std::invalid_argument with a sentence if it is wrong (VA-14), or this switch can't
     * have it; the old table stays then
     */
    void SetLaneTable(const fabric::LaneTable& table);

    /**
     * Needs `FlowStatistics`. In the run the switch may be ahead of Simulator::Now() by a window;
     * a trace sink hears of what happens when it does.
     *
     * @return what flow channels did that are open at an input port, by flow_id
     * @throws std::invalid_argument with a sentence if it is not counted, or there is no such port
     */
    std::vector<fabric::FlowFigures> GetFlowChannels(uint32_t port) const;

    /**
     * Application groups of a class may change when it has none (`AppGroups`). In the run the
     * switch may be ahead of Simulator::Now() by a window.
     *
     * @param trafficClass FTAG, 0..15
     * @return flow channels of the class that hosts of this switch have
     */
    uint32_t CountFlows(uint8_t trafficClass) const;

    /**
     * A frame over `MaxFrameBytes` is dropped, with the cause `oversize`, and blocks its port: what
     * comes there after it waits for ResetPort(). In the run the switch may be ahead of
     * Simulator::Now() by a window.
     *
     * @return whether a port is blocked
     * @throws std::invalid_argument with a sentence if there is no such port
     */
    bool IsPortBlocked(uint32_t port) const;

    /**
     * Lets a blocked port work again, from the next multiple of GetLookahead() on. What waits there
     * goes on in the order in which it came. Without effect on a port that is not blocked.
     *
     * @throws std::invalid_argument with a sentence if there is no such port
     */
    void ResetPort(uint32_t port);

    /**
     * Needs `FlowStatistics=all`.
     *
     * @return what flow channels did that have ended, in the order of their ends
     * @throws std::invalid_argument with a sentence if it is not kept
     */
    const std::vector<fabric::FlowFigures>& GetClosedFlowChannels() const;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// @return what messages call this switch
    std::string Name() const;
    /// @return a port that has no link @throws std::invalid_argument if there is no such port
    Ptr<FabricSwitchPort> FreePort(uint32_t port) const;
    /**
     * Makes the direction of a link that leads here.
     *
     * @param port of this switch, receives
     * @throws std::invalid_argument with a sentence if the settings do not fit to the link
     */
    void ReceiveFrom(FabricSwitch& sender,
                     uint32_t senderPort,
                     uint32_t port,
                     const FabricChannel& channel);
    /// @param errors of what a port sends; null for a clean link without retry
    void SetErrors(uint32_t port, fabric::LinkErrors* errors);
    /// Advances the chip by an instant, whose time has come.
    void RunInstant();
    /// @throws std::invalid_argument with a sentence if less is counted of flow channels
    void RequireStatistics(fabric::FlowStatisticsMode least) const;
    void AckTimersChanged() override;
    void CongestionChanged() override;
    void GroupsChange(const std::string& text) override;
    void HostDiscardsChanged() override;
    void LaneTableFileChanges(const std::string& file) override;

    Ptr<FabricNetwork> m_network;                     ///< The fabric.
    std::vector<Ptr<FabricSwitchPort>> m_portDevices; ///< By number.
    std::unique_ptr<fabric::SwitchChip> m_chip;       ///< The switch proper.
    std::unique_ptr<fabric::WindowDriver> m_driver;   ///< Runs it.
    bool m_usesErrorModels{false};                    ///< See UsesErrorModels().
    /// Starts windows of one instant, in the context of the node; others begin with all switches'.
    fabric::RepeatingEvent m_instant;
};

} // namespace ns3

#endif // FABRIC_SWITCH_H
