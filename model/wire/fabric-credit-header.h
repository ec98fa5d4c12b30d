/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_HEADER_H
#define FABRIC_CREDIT_HEADER_H

#include "fabric-credit-order.h"

#include "ns3/header.h"

namespace ns3
{

/**
 * A credit frame: how much room became free in the buffer at one end of a link (WL-5). It is the
 * whole frame, so the FCS is in it.
 *
 * n is the number of virtual channels, 1 to 4; every field has its most significant bit first.
 *
 * | bits         | width | field      | values                                                |
 * |--------------|-------|------------|-------------------------------------------------------|
 * | 0-15         | 16    | control    | 0: no data frame has this source                      |
 * | 16-19        | 4     | frame type | 9, fabric::FrameType::CREDIT                          |
 * | 20-25        | 6     | count      | n                                                     |
 * | 26-39        | 14    | reserved   | sent as 0, ignored on receipt                         |
 * | 40 + 32 i    | 32    | freed i    | bytes of channel i that became free, modulo 2^32      |
 * | 40 + 32 n    | 32    | FCS        | CRC-32C over all before it                            |
 *
 * The counts go from the start on, as InfiniBand's credit limits do (InfiniBand Architecture
 * Specification, volume 1, 7.9): what a lost frame said is in the next one.
 */
class FabricCreditHeader : public Header
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /// A frame of one channel in which nothing became free.
    FabricCreditHeader() = default;

    /**
     * @param order what it says; a damaged one has a wrong FCS
     * @throw std::invalid_argument if it speaks of too many channels, or of none
     */
    explicit FabricCreditHeader(const fabric::CreditOrder& order);

    /// @return what it says, and whether the FCS was wrong when it was read
    const fabric::CreditOrder& GetOrder() const;

    /// @return whether all of the frame was there, of a possible size, and the FCS right
    bool IsValid() const;

    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;

    /**
     * Read a credit frame. Any input is safe; ask IsValid() afterwards.
     *
     * @param start where to read
     * @return bytes read, 0 if it is no credit frame or does not end here
     */
    uint32_t Deserialize(Buffer::Iterator start) override;

    void Print(std::ostream& os) const override;

  private:
    fabric::CreditOrder m_order; ///< What it says.
};

} // namespace ns3

#endif // FABRIC_CREDIT_HEADER_H
