/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TCP_FLOW_CARRIER_H
#define FABRIC_TCP_FLOW_CARRIER_H

#include "fabric-logged-flow-carrier.h"
#include "fabric-tcp-hosts.h"
#include "fabric-tcp-stream.h"

#include "ns3/socket.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Each flow has a connection of ns3's TCP of its own, which it opens when it starts; it stays open.
 * A flow is received when its last byte is with the application there, and sent when all of it is
 * acknowledged. A flow without bytes is, when its connection is open.
 *
 * The DSCP of a flow's packets is its traffic class; the first SYN has 0. What TCP does is up to
 * ns-3's attributes, such as ns3::TcpL4Protocol::SocketType.
 *
 * The ideal of a flow is that of a native message: TCP's own would have its windows in it.
 */
class TcpFlowCarrier : public LoggedFlowCarrier
{
  public:
    /// Flows that a host can start: each takes one of its ports.
    static constexpr uint32_t MOST_FLOWS = 64512;

    /**
     * @param fabric whose hosts send, and have no IP yet @param list what they send; both stay as
     * long as they do
     * @throws std::invalid_argument with a sentence if a host starts too many flows, or packets of
     * some can't be marked
     */
    TcpFlowCarrier(const FabricContainer& fabric, const FlowList& list);

    ~TcpFlowCarrier() override;

    /**
     * @param list of flows
     * @throws std::invalid_argument with a sentence for the first host that starts more than
     * MOST_FLOWS
     */
    static void RequirePorts(const FlowList& list);

    /**
     * @param list of flows
     * @throws std::invalid_argument with a sentence for the first whose packets can't be marked
     * though TCP goes by marks: ns-3 sets no ECT beside a DSCP, so only those of class 0 can
     */
    static void RequireClasses(const FlowList& list);

    /// @return whether ns-3's attributes ask for a TCP that goes by marks of congestion:
    /// ns3::TcpDctcp, or ns3::TcpSocketBase::UseEcn=On
    static bool WantsMarks();

    /// @return what ns3::FabricNetDevice::DscpToClass has to be, so that packets have the class of
    /// their flow
    static std::string DscpToClass();

    bool IsElsewhere(uint32_t /* host */) const override
    {
        return false;
    }

  private:
    /// The connection of a flow.
    struct Connection
    {
        TcpStream stream;       ///< Of the flow.
        uint32_t place{0};      ///< Is told with it.
        bool isOpen{false};     ///< Whether it could be opened.
        bool hasArrived{false}; ///< Whether all is received.
        bool isOver{false};     ///< Whether the sender knows that, or it has failed.
    };

    void Send(uint32_t flow, uint32_t place) override;
    void CheckEnds() const override;
    RunTotals GetPayload() const override;
    void AddOwnFigures(Summary& summary) const override;
    IdealOfBytes IdealBetween(const FabricIdealPaths& paths,
                              uint32_t src,
                              uint32_t dst) const override;

    /// A host takes connections of flows of a class.
    void ListenAt(uint32_t host, uint8_t trafficClass);
    /// A host has accepted a connection. @param from address and port of its other end
    void Accept(const Ptr<Socket>& socket, const Address& from);
    /// The connection of a flow is open.
    void Open(uint32_t flow);
    /// More of a flow may have come.
    void CheckReceived(uint32_t flow);
    /// More of a flow may have been acknowledged.
    void CheckAcknowledged(uint32_t flow);
    /// The connection of a flow is gone.
    void Fail(uint32_t flow);
    /// @return the byte of IP's header that packets of a class have
    static uint8_t TosOf(uint8_t trafficClass);

    TcpHosts m_hosts;                               ///< By number.
    std::vector<std::vector<uint32_t>> m_flowsFrom; ///< By host: flows that it starts, by port.
    std::vector<uint16_t> m_ports;                  ///< By flow, of who sends.
    std::vector<Connection> m_connections;          ///< By flow.
    std::vector<Ptr<Socket>> m_listeners;           ///< Of all hosts that receive.
};

} // namespace ns3::fabric

#endif // FABRIC_TCP_FLOW_CARRIER_H
