/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tcp-flow-carrier.h"

#include "fabric-ideal-path.h"
#include "fabric-program.h"
#include "fabric-rank-placement.h"
#include "fabric-topology.h"

#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr std::size_t NOT_CONNECTED = 1;   ///< An outcome.
constexpr std::size_t CONNECTION_LOST = 2; ///< An outcome.
constexpr uint16_t FIRST_PORT = 1024;      ///< Of flows of a host that sends.
constexpr uint16_t LISTENING_PORT = 512;   ///< Of class 0; the others follow.
constexpr uint32_t ECN_BITS = 2;           ///< Of a TOS, below the DSCP.

/// @return the value that an attribute has by default now, or by the command line
std::string
ValueNow(const TypeId& type, const std::string& name)
{
    TypeId::AttributeInformation info;
    type.LookupAttributeByName(name, &info);
    return info.initialValue->SerializeToString(info.checker);
}

} // namespace

TcpFlowCarrier::TcpFlowCarrier(const FabricContainer& fabric, const FlowList& list)
    : LoggedFlowCarrier(fabric, list, {"ok", "not-connected", "connection-lost"}),
      m_hosts(fabric, FirstHosts(fabric.hosts.GetN())),
      m_flowsFrom(fabric.hosts.GetN()),
      m_connections(list.flows.size())
{
    RequirePorts(list);
    RequireClasses(list);
    std::set<std::pair<uint32_t, uint8_t>> receivers;
    for (uint32_t flow = 0; flow < list.flows.size(); ++flow)
    {
        const FlowList::Flow& of = list.flows[flow];
        std::vector<uint32_t>& before = m_flowsFrom[of.src];
        m_ports.push_back(static_cast<uint16_t>(FIRST_PORT + before.size()));
        before.push_back(flow);
        m_hosts.Introduce(of.src, of.dst);
        receivers.emplace(of.dst, of.trafficClass);
    }
    for (const auto& [host, trafficClass] : receivers)
    {
        ListenAt(host, trafficClass);
    }
}

TcpFlowCarrier::~TcpFlowCarrier()
{
    for (const Ptr<Socket>& listener : m_listeners)
    {
        listener->SetAcceptCallback({}, {});
    }
}

void
TcpFlowCarrier::RequirePorts(const FlowList& list)
{
    std::map<uint32_t, uint32_t> flowsFrom;
    for (const FlowList::Flow& flow : list.flows)
    {
        if (++flowsFrom[flow.src] > MOST_FLOWS)
        {
            throw std::invalid_argument("host " + std::to_string(flow.src) +
                                        " starts more flows than it has ports; allowed are up to " +
                                        std::to_string(MOST_FLOWS));
        }
    }
}

void
TcpFlowCarrier::RequireClasses(const FlowList& list)
{
    for (const FlowList::Flow& flow : list.flows)
    {
        if (flow.trafficClass != 0 && WantsMarks())
        {
            throw std::invalid_argument("a flow has traffic class " +
                                        std::to_string(flow.trafficClass) +
                                        "; allowed is class 0 where TCP goes by marks "
                                        "(ns3::TcpDctcp, UseEcn), since ns-3 sets no ECT beside a "
                                        "DSCP");
        }
    }
}

bool
TcpFlowCarrier::WantsMarks()
{
    return ValueNow(TcpL4Protocol::GetTypeId(), "SocketType") == "ns3::TcpDctcp" ||
           ValueNow(TcpSocketBase::GetTypeId(), "UseEcn") == "On";
}

std::string
TcpFlowCarrier::DscpToClass()
{
    std::string pairs;
    for (uint32_t trafficClass = 1; trafficClass < TRAFFIC_CLASSES; ++trafficClass)
    {
        const std::string number = std::to_string(trafficClass);
        pairs.append(pairs.empty() ? "" : ",").append(number).append(":").append(number);
    }
    return pairs;
}

uint8_t
TcpFlowCarrier::TosOf(uint8_t trafficClass)
{
    return static_cast<uint8_t>(trafficClass << ECN_BITS);
}

void
TcpFlowCarrier::ListenAt(uint32_t host, uint8_t trafficClass)
{
    const Ptr<Socket> listener = m_hosts.MakeSocket(host);
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(),
                                     static_cast<uint16_t>(LISTENING_PORT + trafficClass)));
    listener->SetIpTos(TosOf(trafficClass)); // also of the connections that it accepts
    listener->Listen();
    listener->SetAcceptCallback(
        {},
        Callback<void, Ptr<Socket>, const Address&>(
            [this](const Ptr<Socket>& socket, const Address& from) { Accept(socket, from); }));
    m_listeners.push_back(listener);
}

void
TcpFlowCarrier::Send(uint32_t flow, uint32_t place)
{
    const FlowList::Flow& starts = List().flows[flow];
    Connection& connection = m_connections[flow];
    connection.place = place;
    const Ptr<Socket> socket = m_hosts.MakeSocket(starts.src);
    socket->Bind(InetSocketAddress(m_hosts.AddressOf(starts.src), m_ports[flow]));
    socket->SetConnectCallback(
        Callback<void, Ptr<Socket>>([this, flow](const Ptr<Socket>&) { Open(flow); }),
        Callback<void, Ptr<Socket>>([this, flow](const Ptr<Socket>&) { Fail(flow); }));
    socket->SetCloseCallbacks({}, Callback<void, Ptr<Socket>>([this, flow](const Ptr<Socket>&) {
                                  Fail(flow);
                              }));
    connection.stream.SetSender(socket, [this, flow] { CheckAcknowledged(flow); });
    socket->Connect(InetSocketAddress(m_hosts.AddressOf(starts.dst),
                                      static_cast<uint16_t>(LISTENING_PORT + starts.trafficClass)));
    socket->SetIpTos(TosOf(starts.trafficClass)); // which Connect() may have set to 0
}

void
TcpFlowCarrier::Accept(const Ptr<Socket>& socket, const Address& from)
{
    const InetSocketAddress sender = InetSocketAddress::ConvertFrom(from);
    const uint32_t src = m_hosts.PlaceOf(sender.GetIpv4());
    const uint32_t flow = m_flowsFrom[src][sender.GetPort() - FIRST_PORT];
    m_connections[flow].stream.SetReceiver(socket, [this, flow] { CheckReceived(flow); });
    CheckReceived(flow);
}

void
TcpFlowCarrier::Open(uint32_t flow)
{
    m_connections[flow].isOpen = true;
    m_connections[flow].stream.Offer(List().flows[flow].bytes);
}

void
TcpFlowCarrier::CheckReceived(uint32_t flow)
{
    Connection& connection = m_connections[flow];
    if (!connection.hasArrived && connection.stream.GetReceived() == List().flows[flow].bytes)
    {
        connection.hasArrived = true;
        Arrive(flow, connection.place, Simulator::Now().GetPicoSeconds());
    }
}

void
TcpFlowCarrier::CheckAcknowledged(uint32_t flow)
{
    Connection& connection = m_connections[flow];
    if (!connection.isOver && connection.isOpen &&
        connection.stream.GetAcknowledged() == List().flows[flow].bytes)
    {
        connection.isOver = true;
        End(flow, connection.place, FlowLog::SUCCESS);
    }
}

void
TcpFlowCarrier::Fail(uint32_t flow)
{
    Connection& connection = m_connections[flow];
    if (!connection.isOver)
    {
        connection.isOver = true;
        End(flow, connection.place, connection.isOpen ? CONNECTION_LOST : NOT_CONNECTED);
    }
}

void
TcpFlowCarrier::CheckEnds() const
{
    for (uint32_t flow = 0; flow < m_connections.size(); ++flow)
    {
        const TcpStream& stream = m_connections[flow].stream;
        const uint64_t bytes = List().flows[flow].bytes;
        const bool isKnown = Log().GetStates()[flow].told != NEVER;
        if (stream.GetAcknowledged() > stream.GetReceived() ||
            stream.GetReceived() > stream.GetWritten() || stream.GetWritten() > bytes ||
            (isKnown && stream.GetReceived() != bytes))
        {
            throw InvariantError("flow " + std::to_string(flow) + " of " + std::to_string(bytes) +
                                 " bytes: TCP has " + std::to_string(stream.GetWritten()) +
                                 " of them, " + std::to_string(stream.GetReceived()) +
                                 " are received and " + std::to_string(stream.GetAcknowledged()) +
                                 " acknowledged");
        }
    }
}

RunTotals
TcpFlowCarrier::GetPayload() const
{
    CheckEnds();
    RunTotals totals;
    uint64_t& failed = totals.bytesDropped["failed"];
    for (uint32_t flow = 0; flow < m_connections.size(); ++flow)
    {
        const FlowLog::State& state = Log().GetStates()[flow];
        if (state.start == NEVER)
        {
            continue;
        }
        const Connection& connection = m_connections[flow];
        const bool hasFailed = connection.isOver && state.told == NEVER;
        const uint64_t missing = List().flows[flow].bytes - connection.stream.GetReceived();
        totals.bytesOffered += List().flows[flow].bytes;
        totals.bytesDelivered += connection.stream.GetReceived();
        (hasFailed ? failed : totals.bytesInFlight) += missing;
    }
    return totals;
}

void
TcpFlowCarrier::AddOwnFigures(Summary& summary) const
{
    uint64_t connections = 0;
    for (const Connection& connection : m_connections)
    {
        connections += connection.isOpen;
    }
    summary.Add("connections", {}, connections, "1");
}

LoggedFlowCarrier::IdealOfBytes
TcpFlowCarrier::IdealBetween(const FabricIdealPaths& paths, uint32_t src, uint32_t dst) const
{
    const IdealPath alone(paths.Find(LocationOf(src), LocationOf(dst)));
    return [alone](uint64_t bytes) {
        return Ideal{alone.path.CompletionTime(bytes), alone.HpccIdeal(bytes)};
    };
}

} // namespace ns3::fabric
