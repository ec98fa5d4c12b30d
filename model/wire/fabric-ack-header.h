/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_HEADER_H
#define FABRIC_ACK_HEADER_H

#include "fabric-ack.h"

#include "ns3/header.h"

#include <vector>

namespace ns3
{

/**
 * An ACK frame: 1 to 48 ACKs of 25 bits with 9 bytes of framing (WL-2). It is the whole frame, so
 * the FCS is in it.
 *
 * Bits are numbered from 0, the most significant bit of the first byte; every field has its most
 * significant bit first. n is the number of ACKs, p = (8 - 25 n mod 8) mod 8 the padding.
 *
 * | bits             | width | field       | values                                              |
 * |------------------|-------|-------------|-----------------------------------------------------|
 * | 0-15             | 16    | control     | 0: no data frame has this source                    |
 * | 16-19            | 4     | frame type  | 8, fabric::FrameType::ACK                           |
 * | 20-25            | 6     | count       | n, 1 to 48                                          |
 * | 26-39            | 14    | reserved    | sent as 0, ignored on receipt                       |
 * | 40 + 25 i        | 25    | ACK i       | see below                                           |
 * | 40 + 25 n        | p     | padding     | sent as 0, ignored on receipt                       |
 * | 40 + 25 n + p    | 32    | FCS         | CRC-32C over all before it                          |
 *
 * | bits of an ACK | width | field    | values                                                    |
 * |----------------|-------|----------|-----------------------------------------------------------|
 * | 0-10           | 11    | flow_id  | 1 to 2047                                                 |
 * | 11-13          | 3     | type     | fabric::AckType, 0 to 6                                   |
 * | 14-21          | 8     | ack_flow | see fabric::Ack                                           |
 * | 22-24          | 3     | CRC      | fabric::Crc3 over bits 0 to 21                            |
 */
class FabricAckHeader : public Header
{
  public:
    /**
     * @return the type of this class
     */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /**
     * Append an ACK.
     *
     * @throw std::invalid_argument if the frame is full or a field is out of range
     */
    void AddAck(const fabric::Ack& ack);

    /// @return the ACKs, in the order in which they were added; empty if the frame made no sense
    const std::vector<fabric::Ack>& GetAcks() const;

    /// @return whether the FCS and the CRC of every ACK were right when the frame was read
    bool IsCrcOk() const;

    /// @return whether all of the frame was there, its checks are right, it has at least one ACK
    ///         and every field is in range
    bool IsValid() const;

    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;

    /**
     * Read an ACK frame. Any input is safe; ask IsValid() afterwards.
     *
     * @param start where to read
     * @return bytes read, 0 if it is no ACK frame or does not end here
     */
    uint32_t Deserialize(Buffer::Iterator start) override;

    void Print(std::ostream& os) const override;

  private:
    std::vector<fabric::Ack> m_acks; ///< The ACKs.
    bool m_crcOk{true};              ///< FCS and CRCs are right.
};

} // namespace ns3

#endif // FABRIC_ACK_HEADER_H
