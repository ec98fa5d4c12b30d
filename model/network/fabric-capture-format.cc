/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-capture-format.h"

#include "fabric-crc.h"
#include "fabric-ether-type.h"
#include "fabric-header.h"
#include "fabric-network.h"
#include "fabric-transport-header.h"

#include "ns3/buffer.h"
#include "ns3/crc32.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

using CaptureBytes = CaptureOrder::Bytes;

/// @return the bytes before a frame
CaptureBytes
Lead(uint8_t flags, uint16_t protocol)
{
    return {CAPTURE_VERSION,
            flags,
            static_cast<uint8_t>(protocol >> 8),
            static_cast<uint8_t>(protocol)};
}

/// Appends a header.
void
Append(CaptureBytes& bytes, const Header& header)
{
    Buffer buffer;
    const uint32_t size = header.GetSerializedSize();
    buffer.AddAtStart(size);
    header.Serialize(buffer.Begin());
    const std::size_t at = bytes.size();
    bytes.resize(at + size);
    buffer.CopyData(bytes.data() + at, size);
}

/// Appends a word, most significant byte first.
void
AppendWord(CaptureBytes& bytes, uint32_t word)
{
    for (int shift = 24; shift >= 0; shift -= 8)
    {
        bytes.push_back(static_cast<uint8_t>(word >> shift));
    }
}

/// @return type of a frame with a packet of an EtherType
FrameType
TypeOfProtocol(uint16_t protocol)
{
    return protocol == ETHERTYPE_IPV4   ? FrameType::IPV4
           : protocol == ETHERTYPE_IPV6 ? FrameType::IPV6
                                        : FrameType::ETHERNET;
}

/// Of an Ethernet frame.
struct EthernetHeader
{
    Mac48Address destination; ///< Who takes it.
    Mac48Address source;      ///< Who sends it.
    uint16_t etherType;       ///< Of its content.
};

/// @return an Ethernet frame with its FCS
CaptureBytes
CaptureEthernetFrame(const EthernetHeader& ethernet, const Header& content)
{
    CaptureBytes bytes = Lead(CAPTURE_FLAG_ETHERNET, ethernet.etherType);
    constexpr std::size_t ADDRESS_BYTES = 6;
    const std::size_t begin = bytes.size();
    bytes.resize(begin + 2 * ADDRESS_BYTES);
    ethernet.destination.CopyTo(bytes.data() + begin);
    ethernet.source.CopyTo(bytes.data() + begin + ADDRESS_BYTES);
    bytes.push_back(static_cast<uint8_t>(ethernet.etherType >> 8));
    bytes.push_back(static_cast<uint8_t>(ethernet.etherType));
    Append(bytes, content);
    const uint32_t check = CRC32Calculate(bytes.data() + CAPTURE_LEAD_BYTES,
                                          static_cast<int>(bytes.size() - CAPTURE_LEAD_BYTES));
    for (int shift = 0; shift < 32; shift += 8) // bit 0 of each byte is sent first, unlike others
    {
        bytes.push_back(static_cast<uint8_t>(check >> shift));
    }
    return bytes;
}

} // namespace

CaptureBytes
CaptureDataFrame(const Frame& frame, FabricNetwork& network)
{
    FabricHeader header = FabricHeader::FromFrame(frame);
    header.SetSeverity(frame.severity);
    const CarriedPacket* const carried =
        frame.kind == FrameKind::PACKET ? &network.GetPackets().At(frame.handle) : nullptr;
    CaptureBytes bytes = Lead(0, carried ? carried->protocol : 0);
    if (carried)
    {
        header.SetFrameType(TypeOfProtocol(carried->protocol));
    }
    Append(bytes, header);
    const std::size_t begin = bytes.size();
    if (carried)
    {
        bytes.resize(begin + carried->packet->GetSize());
        carried->packet->CopyData(bytes.data() + begin, carried->packet->GetSize());
    }
    else if (frame.kind == FrameKind::TRANSPORT || frame.kind == FrameKind::COMMAND)
    {
        Append(bytes,
               FabricTransportHeader(network.GetTransportPackets(frame.src).At(frame.handle)));
    }
    bytes.resize(begin + frame.payload); // zeros for what nobody has
    const uint32_t check =
        Crc32c(bytes.data() + CAPTURE_LEAD_BYTES, bytes.size() - CAPTURE_LEAD_BYTES);
    AppendWord(bytes, frame.corrupt ? ~check : check);
    return bytes;
}

CaptureBytes
CaptureAckFrame(const FabricAckHeader& acks)
{
    CaptureBytes bytes = Lead(0, 0);
    Append(bytes, acks);
    return bytes;
}

CaptureBytes
CaptureCreditFrame(const FabricCreditHeader& credits)
{
    CaptureBytes bytes = Lead(0, 0);
    Append(bytes, credits);
    return bytes;
}

CaptureBytes
CapturePauseFrame(const FabricPauseHeader& pause, Mac48Address source)
{
    return CaptureEthernetFrame({Mac48Address("01:80:C2:00:00:01"), source, ETHERTYPE_MAC_CONTROL},
                                pause);
}

CaptureBytes
CaptureFgfcFrame(const FabricFgfcHeader& fgfc, Mac48Address source, Mac48Address destination)
{
    return CaptureEthernetFrame({destination, source, ETHERTYPE_OUI_EXTENDED}, fgfc);
}

} // namespace ns3::fabric
