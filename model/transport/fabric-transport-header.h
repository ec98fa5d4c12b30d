/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_HEADER_H
#define FABRIC_TRANSPORT_HEADER_H

#include "fabric-transport-packet.h"

#include "ns3/header.h"

namespace ns3
{

/**
 * The header of a packet of the reliable transport (RT-2, RT-5, RT-9): one class for all types,
 * 10 to 68 bytes long.
 *
 * Every header begins with six bytes, then come the parts that its type has, in the order of the
 * second table, and at the end a CRC-32C over all before it. Every field has its most significant
 * bit first.
 *
 * | bits  | width | field        | values                                                   |
 * |-------|-------|--------------|----------------------------------------------------------|
 * | 0-3   | 4     | version      | 1                                                        |
 * | 4-7   | 4     | type         | fabric::TransportPacketType                              |
 * | 8-11  | 4     | NACK code    | fabric::NackCode; 0 where it is no NACK                  |
 * | 12-15 | 4     | status       | fabric::TransportStatus                                  |
 * | 16-23 | 8     | flags        | 0x01 ordered connection, 0x02 the NACK's PSN is of the   |
 * |       |       |              | request window, 0x04 marked on the way, 0x08 the echo    |
 * |       |       |              | holds a time, 0x10 probe, 0x40 the echo is of a packet   |
 * |       |       |              | with as much payload as any; CONNECT, ACCEPT: requests   |
 * |       |       |              | to the sender need credits, 0x20: there are 0 at first,  |
 * |       |       |              | 0x80: 1, 0xA0: 16; the others are sent as 0              |
 * | 24-47 | 24    | CID          | of the receiver, 0 where it is not known                 |
 *
 * | part     | bits                        | fields, types that have it                         |
 * |----------|-----------------------------|----------------------------------------------------|
 * | source   | 24                          | sender's CID: CONNECT, ACCEPT, REFUSE, CLOSE,      |
 * |          |                             | CLOSED, RESET, NACK BAD_CID                        |
 * | PSN      | 32                          | types in a window, NACK NO_RESOURCE, IN_ERROR,     |
 * |          |                             | ERROR_HEARD and DUPLICATE                          |
 * | sent     | 64                          | time of sending, ps: types in a window             |
 * | RSN      | 32                          | types in a window, NACK NOT_READY, IN_ERROR,       |
 * |          |                             | ERROR_HEARD, CREDIT_WANTED, CREDIT, CREDIT_ONLY    |
 * |          |                             | and CREDIT_HEARD                                   |
 * | SSN      | 32                          | solicited requests, their grants and their data    |
 * | length   | 32, 64                      | bytes of the transaction and the ULP's tag:        |
 * |          |                             | requests and push data                             |
 * | offset   | 32                          | first byte of the piece: data and grants           |
 * | amount   | 32                          | bytes of the piece: data and grants; how often:    |
 * |          |                             | NACK NOT_READY                                     |
 * | bases    | 32, 32                      | PSN of requests and of data that is expected:      |
 * |          |                             | types in a window, ACK, CLOSE; in CONNECT and      |
 * |          |                             | ACCEPT the first ones                              |
 * | echo     | 16, 64                      | marked packets seen and time echoed, ps: types in  |
 * |          |                             | a window, ACK, CLOSE                               |
 * | bitmaps  | 64, 64 + 64, 64 + 64        | requests acknowledged, data acknowledged, data     |
 * |          |                             | received, bit 0 last; of the data bitmaps bits 127 |
 * |          |                             | to 64 first: ACK                                   |
 * | settings | 16, 16, 16, 16              | request window, data window, request span, MTU:    |
 * |          |                             | CONNECT, ACCEPT                                    |
 *
 * A NACK CONGESTION, DCQCN's CNP, has none of these parts.
 *
 * Payload follows the header and its length is `amount`. The check covers the header alone; the
 * network below has one for the whole packet.
 */
class FabricTransportHeader : public Header
{
  public:
    static constexpr uint32_t VERSION = 1; ///< Of the format.

    /**
     * @return the type of this class
     */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /// The header of a stand-alone ACK of nothing.
    FabricTransportHeader() = default;

    /**
     * @param packet what it says; fields that its type does not have are left out, and damage
     *        (isCorrupt) shows as a wrong check
     * @throw std::invalid_argument for a field that does not fit: CIDs have 24 bits, and a NACK
     *        needs a code
     */
    explicit FabricTransportHeader(const fabric::TransportPacket& packet);

    /// @return what it says; isCorrupt is set where the check was wrong
    const fabric::TransportPacket& GetPacket() const;

    /// @return whether all of the header was there, its check is right, and every code is known
    bool IsValid() const;

    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;

    /**
     * Read a header. Any input is safe; ask IsValid() afterwards.
     *
     * @param start where to read
     * @return bytes read, 0 if there are fewer than its type has or the type is not known
     */
    uint32_t Deserialize(Buffer::Iterator start) override;

    void Print(std::ostream& os) const override;

  private:
    fabric::TransportPacket m_packet; ///< What it says.
    bool m_isKnown{true};             ///< Whether all of it was there and its codes are known.
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_HEADER_H
