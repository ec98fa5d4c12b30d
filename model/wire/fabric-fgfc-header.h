/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FGFC_HEADER_H
#define FABRIC_FGFC_HEADER_H

#include "fabric-fgfc-frame.h"

#include "ns3/header.h"

namespace ns3
{

/**
 * The content of a frame of fine-grain flow control (CM-4), which comes after an Ethernet header
 * with the OUI Extended EtherType (0x88B7). Fields have their most significant byte first:
 *
 * | bytes | field         | values                                                         |
 * |-------|---------------|----------------------------------------------------------------|
 * | 0-2   | OUI           | 02-46-42, locally administered (its bit 0x02)                  |
 * | 3-4   | protocol id   | 1                                                              |
 * | 5     | version       | 1                                                              |
 * | 6     | form          | fabric::FgfcProtocol, the one that the flow has                |
 * | 7     | traffic class | 0 to 15                                                        |
 * | 8-11  | pause         | ns for which the flow is restrained, 0: not any more           |
 * | 12-13 | credit        | the flow may send so much more meanwhile, units of 256 bytes   |
 * | 14-15 | destination   | location                                                       |
 * | 16-17 | VNI           |                                                                |
 * | 18-19 | VLAN          | 0 to 4095                                                      |
 * | 20-23 | process       |                                                                |
 *
 * then, with form IPV4 or IPV6, whose addresses have 4 or 16 bytes:
 *
 * | bytes  | field                                                       |
 * |--------|-------------------------------------------------------------|
 * | 4 / 16 | IP source                                                   |
 * | 4 / 16 | IP destination                                              |
 * | 1      | protocol above IP                                           |
 * | 2      | source port                                                 |
 * | 2      | destination port                                            |
 * | 0 / 3  | flow label, 20 bits; the four before it are sent as 0, ignored on receipt |
 *
 * and zeros up to the 46 bytes of the shortest Ethernet frame. A field by which the switch does not
 * tell flows apart is 0.
 *
 * The EtherType is that of IEEE Std 802-2014, 9.2.4; the contents of such frames are published
 * nowhere, so the fields are those of CM-4, and their sizes and the OUI are chosen. MAC addresses
 * are not among them: the frame's own is the source of the flow, and the destination says the
 * other.
 */
class FabricFgfcHeader : public Header
{
  public:
    static constexpr uint32_t OUI = 0x024642;         ///< "FB", locally administered.
    static constexpr uint16_t PROTOCOL_ID = 1;        ///< Of this OUI.
    static constexpr uint8_t VERSION = 1;             ///< Of the format.
    static constexpr uint32_t MAX_LABEL = 0xFFFFF;    ///< Highest flow label (RFC 8200, 3).
    static constexpr uint32_t MAX_CREDIT = 0xFFFF;    ///< Highest credit, units of 256 bytes.
    static constexpr uint32_t MAX_PAUSE = 0xFFFFFFFF; ///< Longest pause, ns.

    /**
     * @return the type of this class
     */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /// A native flow without any fields is restrained no longer.
    FabricFgfcHeader() = default;

    /**
     * @param flow the fields that tell it; MAC addresses are left out
     * @param pause how long it is restrained, a whole number of ns, 0: not any more; ps
     * @param credit it may send so much more meanwhile, units of 256 bytes
     * @throw std::invalid_argument if a value does not fit into its field
     */
    FabricFgfcHeader(const fabric::FlowKey& flow, fabric::TimePs pause, uint32_t credit);

    /// @return form of the frame
    fabric::FgfcProtocol GetProtocol() const;

    /// @return the fields that tell the flow; MAC addresses are 0
    const fabric::FlowKey& GetFlow() const;

    /// @return how long the flow is restrained, 0: not any more, ps
    fabric::TimePs GetPause() const;

    /// @return it may send so much more meanwhile, units of 256 bytes
    uint32_t GetCredit() const;

    /// @return whether all of the content was there and is of this version, and its form that of
    /// its fields
    bool IsValid() const;

    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;

    /**
     * Read the content. Any input is safe; ask IsValid() afterwards.
     *
     * @param start where to read
     * @return bytes read, 0 if it is not valid
     */
    uint32_t Deserialize(Buffer::Iterator start) override;

    void Print(std::ostream& os) const override;

  private:
    /// Writes what there is with forms IPV4 and IPV6.
    void WriteIp(Buffer::Iterator& at) const;
    /// Reads it. @param protocol the form
    void ReadIp(Buffer::Iterator& at, fabric::FgfcProtocol protocol);

    uint8_t m_version{VERSION}; ///< 0 if what was read is not valid.
    fabric::FlowKey m_flow;     ///< Fields that tell the flow.
    uint32_t m_pause{0};        ///< Of the flow, ns.
    uint16_t m_credit{0};       ///< Of the flow, units of 256 bytes.
};

} // namespace ns3

#endif // FABRIC_FGFC_HEADER_H
