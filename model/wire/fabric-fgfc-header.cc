/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fgfc-header.h"

#include "fabric-require.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricFgfcHeader);

namespace
{

constexpr const char* FGFC_HEADER = "FabricFgfcHeader"; ///< Names the class in complaints.
constexpr fabric::TimePs FGFC_PAUSE_UNIT = 1000;        ///< A ns, ps.
constexpr uint32_t IPV4_BYTES = 4;                      ///< Of an address.

/// Where an IPv4 address stands in one that it is mapped into. @param ip of either constness
template <typename Ip>
auto
MappedIpv4(Ip& ip)
{
    return ip.data() + ip.size() - IPV4_BYTES;
}

/// Prints an address as users write it.
void
PrintIp(std::ostream& os, const fabric::FlowKey::Ip& ip, bool isIpv4)
{
    if (isIpv4)
    {
        os << Ipv4Address::Deserialize(MappedIpv4(ip));
    }
    else
    {
        os << Ipv6Address::Deserialize(ip.data());
    }
}

} // namespace

TypeId
FabricFgfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricFgfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricFgfcHeader>();
    return tid;
}

TypeId
FabricFgfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

FabricFgfcHeader::FabricFgfcHeader(const fabric::FlowKey& flow,
                                   fabric::TimePs pause,
                                   uint32_t credit)
    : m_flow(flow)
{
    if (pause < 0 || pause % FGFC_PAUSE_UNIT != 0 || pause / FGFC_PAUSE_UNIT > MAX_PAUSE)
    {
        throw std::invalid_argument(
            std::string(FGFC_HEADER) + ": pause is " + std::to_string(pause) +
            " ps, allowed is a whole number of ns from 0 to " + std::to_string(MAX_PAUSE) + ".");
    }
    fabric::RequireRange(FGFC_HEADER, "credit in units of 256 bytes", credit, 0, MAX_CREDIT);
    fabric::RequireRange(FGFC_HEADER, "flow label", flow.flowLabel, 0, MAX_LABEL);
    m_flow.macSource = {};
    m_flow.macDestination = {};
    m_pause = static_cast<uint32_t>(pause / FGFC_PAUSE_UNIT);
    m_credit = static_cast<uint16_t>(credit);
}

fabric::FgfcProtocol
FabricFgfcHeader::GetProtocol() const
{
    return fabric::FgfcProtocolOf(m_flow);
}

const fabric::FlowKey&
FabricFgfcHeader::GetFlow() const
{
    return m_flow;
}

fabric::TimePs
FabricFgfcHeader::GetPause() const
{
    return m_pause * FGFC_PAUSE_UNIT;
}

uint32_t
FabricFgfcHeader::GetCredit() const
{
    return m_credit;
}

bool
FabricFgfcHeader::IsValid() const
{
    return m_version == VERSION;
}

uint32_t
FabricFgfcHeader::GetSerializedSize() const
{
    return fabric::FgfcHeaderBytes(GetProtocol());
}

void
FabricFgfcHeader::Serialize(Buffer::Iterator start) const
{
    Buffer::Iterator at = start;
    at.WriteU8(OUI >> 16);
    at.WriteHtonU16(OUI & 0xFFFF);
    at.WriteHtonU16(PROTOCOL_ID);
    at.WriteU8(m_version);
    at.WriteU8(static_cast<uint8_t>(GetProtocol()));
    at.WriteU8(m_flow.trafficClass);
    at.WriteHtonU32(m_pause);
    at.WriteHtonU16(m_credit);
    at.WriteHtonU16(m_flow.destination);
    at.WriteHtonU16(m_flow.vni);
    at.WriteHtonU16(m_flow.vlan);
    at.WriteHtonU32(m_flow.process);
    WriteIp(at);
    at.WriteU8(0, GetSerializedSize() - at.GetDistanceFrom(start));
}

void
FabricFgfcHeader::WriteIp(Buffer::Iterator& at) const
{
    const fabric::FgfcProtocol protocol = GetProtocol();
    if (protocol < fabric::FgfcProtocol::IPV4)
    {
        return;
    }
    const bool isIpv4 = protocol == fabric::FgfcProtocol::IPV4;
    for (const fabric::FlowKey::Ip* ip : {&m_flow.ipSource, &m_flow.ipDestination})
    {
        at.Write(isIpv4 ? MappedIpv4(*ip) : ip->data(), isIpv4 ? IPV4_BYTES : ip->size());
    }
    at.WriteU8(m_flow.protocol);
    at.WriteHtonU16(m_flow.sourcePort);
    at.WriteHtonU16(m_flow.destinationPort);
    if (!isIpv4)
    {
        at.WriteU8(static_cast<uint8_t>(m_flow.flowLabel >> 16));
        at.WriteHtonU16(m_flow.flowLabel & 0xFFFF);
    }
}

uint32_t
FabricFgfcHeader::Deserialize(Buffer::Iterator start)
{
    *this = FabricFgfcHeader();
    m_version = 0;
    const uint32_t available = start.GetRemainingSize();
    if (available < fabric::FgfcHeaderBytes(fabric::FgfcProtocol::NATIVE))
    {
        return 0;
    }
    const uint32_t ouiHead = start.ReadU8();
    const uint32_t oui = ouiHead << 16 | start.ReadNtohU16();
    const uint16_t protocolId = start.ReadNtohU16();
    const uint8_t version = start.ReadU8();
    const auto protocol = static_cast<fabric::FgfcProtocol>(start.ReadU8());
    if (oui != OUI || protocolId != PROTOCOL_ID || version != VERSION ||
        protocol > fabric::LAST_FGFC_PROTOCOL || available < fabric::FgfcHeaderBytes(protocol))
    {
        return 0;
    }
    m_flow.trafficClass = start.ReadU8();
    m_pause = start.ReadNtohU32();
    m_credit = start.ReadNtohU16();
    m_flow.destination = start.ReadNtohU16();
    m_flow.vni = start.ReadNtohU16();
    m_flow.vlan = start.ReadNtohU16();
    m_flow.process = start.ReadNtohU32();
    ReadIp(start, protocol);
    if (protocol != GetProtocol())
    {
        return 0;
    }
    m_version = version;
    return GetSerializedSize();
}

void
FabricFgfcHeader::ReadIp(Buffer::Iterator& at, fabric::FgfcProtocol protocol)
{
    if (protocol < fabric::FgfcProtocol::IPV4)
    {
        return;
    }
    const bool isIpv4 = protocol == fabric::FgfcProtocol::IPV4;
    for (fabric::FlowKey::Ip* ip : {&m_flow.ipSource, &m_flow.ipDestination})
    {
        if (isIpv4)
        {
            *ip = fabric::MAPPED_IPV4;
        }
        at.Read(isIpv4 ? MappedIpv4(*ip) : ip->data(), isIpv4 ? IPV4_BYTES : ip->size());
    }
    m_flow.protocol = at.ReadU8();
    m_flow.sourcePort = at.ReadNtohU16();
    m_flow.destinationPort = at.ReadNtohU16();
    if (!isIpv4)
    {
        const uint32_t labelHead = at.ReadU8();
        m_flow.flowLabel = (labelHead << 16 | at.ReadNtohU16()) & MAX_LABEL;
    }
}

void
FabricFgfcHeader::Print(std::ostream& os) const
{
    static constexpr const char* FORMS[] = {"native", "vlan", "ipv4", "ipv6"}; // by FgfcProtocol
    const fabric::FgfcProtocol form = GetProtocol();
    os << "form=" << FORMS[static_cast<std::size_t>(form)] << " pause=" << m_pause
       << " credit=" << m_credit << " destination=" << m_flow.destination
       << " class=" << +m_flow.trafficClass << " vni=" << m_flow.vni << " vlan=" << m_flow.vlan
       << " process=" << m_flow.process;
    if (form < fabric::FgfcProtocol::IPV4)
    {
        return;
    }
    const bool isIpv4 = form == fabric::FgfcProtocol::IPV4;
    os << " ip=";
    PrintIp(os, m_flow.ipSource, isIpv4);
    os << ">";
    PrintIp(os, m_flow.ipDestination, isIpv4);
    os << " protocol=" << +m_flow.protocol << " ports=" << m_flow.sourcePort << ">"
       << m_flow.destinationPort;
    if (!isIpv4)
    {
        os << " label=" << m_flow.flowLabel;
    }
}

} // namespace ns3
