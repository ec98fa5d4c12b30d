/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-packet.h"

#include "ns3/ipv4-packet-info-tag.h"
#include "ns3/ipv6-packet-info-tag.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What belongs to a user's packet, beside ns-3's.
struct PacketRecord
{
    uint8_t source[6];      ///< Who sent it.
    uint8_t destination[6]; ///< Address that it was sent to.
    uint16_t protocol;      ///< EtherType.
    uint32_t size;          ///< Of the packet in ns-3's form, bytes.
};

/// Adds the types of tags. @param tags iterator of ns-3
template <typename Iterator>
void
AddTypes(Iterator tags, std::vector<TypeId::hash_t>& types)
{
    while (tags.HasNext())
    {
        types.push_back(tags.Next().GetTypeId().GetHash());
    }
}

/// @return the types of a packet's tags
std::vector<TypeId::hash_t>
TypesOfTags(const Packet& packet)
{
    std::vector<TypeId::hash_t> types;
    AddTypes(packet.GetPacketTagIterator(), types);
    AddTypes(packet.GetByteTagIterator(), types);
    return types;
}

/// Refuses types that are not known, which ns-3 would take as they are.
void
RequireKnown(const std::vector<TypeId::hash_t>& types)
{
    TypeId known;
    for (const TypeId::hash_t type : types)
    {
        if (!TypeId::LookupByHashFailSafe(type, &known))
        {
            throw std::invalid_argument(
                "a packet from another rank has a tag of a type that this rank does not know; "
                "allowed are types with NS_OBJECT_ENSURE_REGISTERED, or whose GetTypeId() was "
                "called on all ranks");
        }
    }
}

} // namespace

void
RegisterTags()
{
    Ipv4PacketInfoTag::GetTypeId();
    Ipv6PacketInfoTag::GetTypeId();
    SocketIpTosTag::GetTypeId();
    SocketIpv6TclassTag::GetTypeId();
    SocketPriorityTag::GetTypeId();
}

void
WritePacket(const CarriedPacket& carried, ByteWriter& writer)
{
    PacketRecord record{};
    carried.source.CopyTo(record.source);
    carried.destination.CopyTo(record.destination);
    record.protocol = carried.protocol;
    record.size = carried.packet->GetSerializedSize();
    writer.Put(record);
    writer.PutAll(TypesOfTags(*carried.packet));
    RankBytes bytes(record.size);
    carried.packet->Serialize(bytes.data(), record.size);
    writer.Put(bytes.data(), bytes.size());
}

CarriedPacket
ReadPacket(ByteReader& reader)
{
    const auto record = reader.Get<PacketRecord>();
    RequireKnown(reader.GetAll<TypeId::hash_t>());
    const uint8_t* from = reader.Get(record.size);
    const RankBytes bytes(from, from + record.size); // aligned, since ns-3 reads whole words
    CarriedPacket carried;
    carried.packet = Create<Packet>(bytes.data(), record.size, true);
    carried.source.CopyFrom(record.source);
    carried.destination.CopyFrom(record.destination);
    carried.protocol = record.protocol;
    return carried;
}

} // namespace ns3::fabric
