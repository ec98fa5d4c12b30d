/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NET_DEVICE_H
#define FABRIC_NET_DEVICE_H

#include "fabric-class-map.h"
#include "fabric-device.h"
#include "fabric-drop-causes.h"
#include "fabric-network.h"
#include "fabric-nic.h"
#include "fabric-packet-carrier.h"
#include "fabric-pcie-link.h"
#include "fabric-reduction-port.h"
#include "fabric-ring.h"

#include "ns3/data-rate.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace fabric
{

class QueueDiscGate;

} // namespace fabric

/**
 * A host's network interface.
 *
 * It is a NetDevice, over which ns-3's IP stacks run unchanged, and it has a light interface of its
 * own for messages of any size, for which no ns-3 Packet is made.
 *
 * The fabric is one broadcast domain: a packet to a group is sent to every other host, one copy
 * each. What finds no room in QueueBytes is dropped. Where a queue disc stands above the device
 * when the run begins, it is stopped and waits instead; without one there is no
 * NetDeviceQueueInterface, since ns-3 would install a queue disc then. When there is room again is
 * known only to who runs the NIC, which runs behind the simulation (DP-4), so the device looks
 * (fabric::QueueDiscGate).
 */
class FabricNetDevice : public FabricDevice, private fabric::NicListener
{
  public:
    static TypeId GetTypeId();
    FabricNetDevice();
    ~FabricNetDevice() override;

    /**
     * Puts the device on a node. Its settings are fixed from now on.
     *
     * @param network that it becomes part of
     */
    void Install(Ptr<Node> node, Ptr<FabricNetwork> network);

    /// @return address of the endpoint in the fabric
    fabric::LocationId GetLocation() const;

    /// @return the interface proper
    fabric::Nic& GetNic();

    Ptr<FabricNetwork> GetNetwork() const;

    /// @param edge switch to which it is linked
    void SetSwitch(const FabricSwitch* edge);

    /// @return the switch to which it is linked, null for none
    const FabricSwitch* GetSwitch() const;

    /// @return part of the fabric, by whose thread it is run
    uint32_t GetPart() const;

    /// @return whether another rank runs the host, and so nothing can be sent here
    bool IsElsewhere() const;

    /**
     * Sends a message at the present time.
     *
     * @param destination another endpoint of the fabric
     * @param bytes size of the message, any
     * @param trafficClass FTAG, 0..15
     * @param tag is given to the receiver
     * @return number of the message at this device, from 0
     * @throws std::invalid_argument with a sentence if it can't be sent
     */
    uint32_t SendMessage(fabric::LocationId destination,
                         uint64_t bytes,
                         uint8_t trafficClass = 0,
                         uint64_t tag = 0);

    /**
     * Sends a message of a process, or in a virtual network, at the present time. Switches take
     * other processes' messages to the same destination for another flow (FlowFields).
     *
     * @param flow destination, class, virtual network and process
     * @param bytes size of the message, any
     * @param tag is given to the receiver
     * @return number of the message at this device, from 0
     * @throws std::invalid_argument with a sentence if it can't be sent
     */
    uint32_t SendMessage(const fabric::MessageFlow& flow, uint64_t bytes, uint64_t tag = 0);

    /**
     * Begins an operation of a reduction at the present time (SW-14). The n-th operations of all
     * members are one, and have the same size.
     *
     * @param reduction of which this is a member, of integers or bits
     * @param bytes size of the message, any
     * @param value that stands for each element of it
     * @return number of the operation, from 0
     * @throws std::invalid_argument with a sentence if this is no member, or the others' differs
     */
    uint32_t Reduce(fabric::LocationId reduction, uint64_t bytes, int64_t value);

    /// The same of a reduction of doubles. @copydetails Reduce()
    uint32_t ReduceDouble(fabric::LocationId reduction, uint64_t bytes, double value);

    /// A receiver of results: what has come, at the present time.
    using ReductionCallback = Callback<void, const fabric::ReductionResult&>;

    /// @param callback is called for each operation that is done
    void SetReductionCallback(ReductionCallback callback);

    /// @return whether it can become a member of a reduction
    bool CanReduce() const;

    /**
     * Becomes a member of a reduction; called by the network.
     *
     * @param membership with the NIC's queue left out
     * @param trafficClass of its frames
     */
    void JoinReduction(fabric::ReductionMembership membership, uint8_t trafficClass);

    /// A receiver of messages: the message, complete at the present time.
    using MessageCallback = Callback<void, const fabric::Message&>;

    /// @param callback is called for each message that has arrived
    void SetMessageCallback(MessageCallback callback);

    /**
     * @param kind TRANSPORT or COMMAND: of the frames of an engine of the NIC
     * @param callback is called when the notifier tells of that engine (Deliver())
     */
    void SetReportCallback(fabric::FrameKind kind, Callback<void> callback);

    /**
     * @param settings of the PCIe link to the NIC; all who use it have the same
     * @return the link
     * @throws std::invalid_argument with a sentence if they are wrong, or somebody has others
     */
    fabric::PcieLink& UsePcie(const fabric::PcieSettings& settings);

    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;

    /// @param carrier of packets to where it reaches, from now on; null for none. It lives as long.
    void SetCarrier(fabric::PacketCarrier* carrier)
    {
        m_carrier = carrier;
    }

    /// A packet that a carrier has carried is here, at the present time. @param handle of it
    void TakeCarried(uint32_t handle);

    /**
     * The address is fixed, since the fabric delivers by it.
     *
     * @param address MacOf() the location
     */
    void SetAddress(Address address) override;

    /// @return payload of packets that were refused, bytes, by cause
    const fabric::RefusedBytes& GetRefusedBytes() const;

    /**
     * What a frame carries has arrived; called by the network's notifier at that time.
     *
     * @param frame the last one of a message, or one with a packet; of the kind TRANSPORT or
     *        COMMAND it says that an engine of the NIC has something to report
     */
    void Deliver(const fabric::Frame& frame);

    /**
     * @param location of an endpoint
     * @return its MAC address, locally administered: 02:00:00:00 and the location
     */
    static Mac48Address MacOf(fabric::LocationId location);

    /// @return the location that it stands for, 0 if it is none of a FabricNetDevice
    static fabric::LocationId LocationOf(Mac48Address address);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    // What the NIC tells.
    void MessageComplete(uint32_t handle, fabric::TimePs at) override;
    void PacketComplete(const fabric::Frame& frame, fabric::TimePs at) override;
    void FrameDamaged(const fabric::Frame& frame) override;
    void MessageLost(uint32_t handle) override;

    /**
     * @param destination one endpoint
     * @return whether it was accepted
     */
    bool SendTo(const fabric::CarriedPacket& carried, fabric::LocationId destination);

    /**
     * @param bytes size of a packet
     * @param destination one endpoint
     * @return why it is refused, nothing if it is accepted
     */
    std::optional<fabric::RefusalCause> FindRefusal(uint32_t bytes, fabric::LocationId destination);
    /// Tells a queue disc above the device whether there is room for packets.
    void LookForRoom();
    /// @return bytes of packets that wait, which QueueBytes bounds
    uint64_t QueuedBytes() const;
    /// @return how long it takes at least until there is room for a packet of the MTU, ps; 0 if
    /// there is, NEVER if that needs a link
    fabric::TimePs FindWaitForRoom();
    /// A packet has arrived.
    void DeliverPacket(const fabric::CarriedPacket& carried);
    /// As Reduce(). @param isDouble whether the value is one
    uint32_t Begin(fabric::LocationId reduction, uint64_t bytes, uint64_t bits, bool isDouble);
    /// @throws std::invalid_argument with a sentence if it was not installed, or is disposed
    void RequireNetwork() const;
    /// @throws std::invalid_argument with a sentence if another rank runs the host
    void RequireOwnRank() const;
    /// @return a sentence with the device and the present time @param what is wrong, and is allowed
    std::invalid_argument Complaint(const std::string& what) const;
    /// A message has arrived.
    void DeliverMessage(uint32_t handle);
    /// The host looks: all messages that wait for that have arrived.
    void DeliverMessages();

    /// A message that waits for the host's look.
    struct Waiting
    {
        fabric::TimePs at; ///< When that is, ps.
        uint32_t handle;   ///< Of the message.
    };

    Ptr<FabricNetwork> m_network;              ///< The fabric.
    const FabricSwitch* m_switch{nullptr};     ///< To which it is linked.
    std::unique_ptr<fabric::Nic> m_nic;        ///< The interface proper.
    fabric::LocationId m_location{0};          ///< Address in the fabric.
    uint64_t m_queueBytes;                     ///< Room for packets.
    fabric::RefusedBytes m_refusedBytes{};     ///< Payload of refused packets, by cause.
    std::string m_classToVc;                   ///< Virtual channel of each class.
    std::string m_dscpToClass;                 ///< `DscpToClass`
    fabric::DscpTable m_classOfDscp{};         ///< Class of each DSCP value.
    bool m_keepsArpJitter;                     ///< `ArpJitter`
    bool m_arbitratesLanes;                    ///< `ArbitrateLanes`
    DataRate m_receiveRate;                    ///< `ReceiveRate`
    uint32_t m_receiveBuffer;                  ///< `ReceiveBuffer`
    uint32_t m_receiveXoff;                    ///< `ReceiveXoffBytes`
    uint32_t m_receiveXon;                     ///< `ReceiveXonBytes`
    fabric::TimePs m_pollInterval;             ///< `PollInterval`, ps.
    fabric::TimePs m_nextLook{-1};             ///< When the host looks next, ps.
    fabric::Ring<Waiting> m_waiting;           ///< Messages that wait for the host's look, by time.
    MessageCallback m_messageCallback;         ///< Takes messages.
    ReductionCallback m_reductionCallback;     ///< Takes results of reductions.
    Callback<void> m_transportCallback;        ///< Takes the transport's reports.
    Callback<void> m_commandCallback;          ///< Takes those of command queues.
    fabric::PacketCarrier* m_carrier{nullptr}; ///< Of packets; null for none.
    std::unique_ptr<fabric::QueueDiscGate> m_gate;       ///< Null where no queue disc is above.
    std::unique_ptr<fabric::PcieLink> m_pcie;            ///< To the NIC; null where nobody uses it.
    std::unique_ptr<fabric::ReductionPort> m_reductions; ///< Null for a member of none.

    TracedCallback<Ptr<const Packet>> m_macTxTrace;     ///< Packets from the node.
    TracedCallback<Ptr<const Packet>> m_macTxDropTrace; ///< Packets refused.
    TracedCallback<Ptr<const Packet>> m_macRxTrace;     ///< Packets to the node.
};

} // namespace ns3

#endif // FABRIC_NET_DEVICE_H
