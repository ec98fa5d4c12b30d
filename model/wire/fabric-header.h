/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HEADER_H
#define FABRIC_HEADER_H

#include "fabric-frame-type.h"
#include "fabric-frame.h"

#include "ns3/header.h"

namespace ns3
{

/**
 * The header of a data frame in the fabric, 20 bytes (WL-1).
 *
 * Bits are numbered from 0, the most significant bit of the first byte; every field has its most
 * significant bit first.
 *
 * | bits    | width | field          | values                                                   |
 * |---------|-------|----------------|----------------------------------------------------------|
 * | 0-15    | 16    | source         | 0x0001 to 0xBFFF; 0 is a control frame                   |
 * | 16-31   | 16    | destination    | 0x0001 to 0xFFFF, multicast from 0xC000                  |
 * | 32-35   | 4     | virtual lane   | 0 to 15                                                  |
 * | 36-37   | 2     | virtual channel| 0 to 3                                                   |
 * | 38-41   | 4     | FTAG           | 0 to 15                                                  |
 * | 42-52   | 11    | flow_id        | 0 to 2047, 0 is 'no flow'                                |
 * | 53-84   | 32    | data_flow      | units of 256 bytes, wraps after 1 TiB                    |
 * | 85-100  | 16    | VNI            | any                                                      |
 * | 101-114 | 14    | payload length | 0 to 9000 bytes                                          |
 * | 115-117 | 3     | frame type     | fabric::FrameType, data frames only                      |
 * | 118-119 | 2     | flags          | FLAG_LAST, FLAG_MARKED                                   |
 * | 120-127 | 8     | severity       | of the endpoint's congestion, as the sender knows (CM-3) |
 * | 128-159 | 32    | header check   | CRC-32C over bits 0 to 127                               |
 *
 * The header has a check of its own, beside the frame's FCS, because a cut-through switch acts on
 * the header long before the FCS is there.
 *
 * The setters throw std::invalid_argument for a value that its field does not allow.
 */
class FabricHeader : public Header
{
  public:
    static constexpr uint8_t FLAG_LAST = 0x01; ///< Last frame of its message.
    /// A port on its way was congested (RT-14), as CE of RFC 3168.
    static constexpr uint8_t FLAG_MARKED = 0x02;

    /**
     * @return the type of this class
     */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /**
     * The header that a frame has on the wire. A packet frame gets the type ETHERNET; use
     * SetFrameType where the packet is known better. A corrupt frame's header gets a wrong check.
     * Its severity is 0: hosts know of none; use SetSeverity for what a switch has sent.
     *
     * @param frame a message or packet frame
     * @throw std::invalid_argument for a frame with a field out of range
     */
    static FabricHeader FromFrame(const fabric::Frame& frame);

    /**
     * @return the frame of this header, without what does not go over the wire: time and handle are
     *         0. It is corrupt where IsCrcOk() is false.
     */
    fabric::Frame ToFrame() const;

    /// @param source unicast location, 0x0001 to 0xBFFF
    void SetSource(fabric::LocationId source);
    /// @param destination location, 0x0001 to 0xFFFF
    void SetDestination(fabric::LocationId destination);
    /// @param lane virtual lane, 0 to 15
    void SetVirtualLane(uint32_t lane);
    /// @param channel virtual channel, 0 to 3
    void SetVirtualChannel(uint32_t channel);
    /// @param trafficClass FTAG, 0 to 15
    void SetTrafficClass(uint32_t trafficClass);
    /// @param flow flow channel on the link, 0 to 2047
    void SetFlow(fabric::FlowId flow);
    /// @param units position of the frame in its flow, units of 256 bytes
    void SetDataFlow(uint32_t units);
    /// @param vni virtual network
    void SetVni(uint16_t vni);
    /// @param bytes payload, 0 to 9000 bytes; whether a port allows jumbo frames is the port's
    /// affair
    void SetPayloadBytes(uint32_t bytes);
    /// @param type type of a data frame
    void SetFrameType(fabric::FrameType type);
    /// @param flags any of FLAG_LAST and FLAG_MARKED
    void SetFlags(uint32_t flags);
    /// @param severity of the congestion of the flow's endpoint that the sender knows of, 0 to 255
    void SetSeverity(uint32_t severity);

    fabric::LocationId GetSource() const;
    fabric::LocationId GetDestination() const;
    uint8_t GetVirtualLane() const;
    uint8_t GetVirtualChannel() const;
    /// @return FTAG
    uint8_t GetTrafficClass() const;
    /// @return flow channel on the link
    fabric::FlowId GetFlow() const;
    /// @return position of the frame in its flow, units of 256 bytes
    uint32_t GetDataFlow() const;
    /// @return virtual network
    uint16_t GetVni() const;
    uint32_t GetPayloadBytes() const;
    fabric::FrameType GetFrameType() const;
    uint8_t GetFlags() const;
    /// @return severity of the congestion of the flow's endpoint that the sender knows of
    uint8_t GetSeverity() const;

    /// @return whether the header check was right when the header was read; true for a new header
    bool IsCrcOk() const;

    /// @return whether all of the header was there, its check is right and every field is in range
    bool IsValid() const;

    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;

    /**
     * Read a header. Any input is safe; ask IsValid() afterwards.
     *
     * @param start where to read
     * @return bytes read, 0 if fewer than 20 are there
     */
    uint32_t Deserialize(Buffer::Iterator start) override;

    void Print(std::ostream& os) const override;

  private:
    fabric::LocationId m_source{0};                           ///< Source location.
    fabric::LocationId m_destination{0};                      ///< Destination location.
    uint8_t m_virtualLane{0};                                 ///< Virtual lane.
    uint8_t m_virtualChannel{0};                              ///< Virtual channel.
    uint8_t m_trafficClass{0};                                ///< FTAG.
    fabric::FlowId m_flow{fabric::NO_FLOW};                   ///< Flow channel on the link.
    uint32_t m_dataFlow{0};                                   ///< Position, units of 256 bytes.
    uint16_t m_vni{0};                                        ///< Virtual network.
    uint16_t m_payloadBytes{0};                               ///< Payload, bytes.
    fabric::FrameType m_frameType{fabric::FrameType::NATIVE}; ///< Frame type.
    uint8_t m_flags{0};                                       ///< Flags.
    uint8_t m_severity{0};                                    ///< That the sender knows of.
    bool m_crcOk{true};                                       ///< The header check is right.
};

} // namespace ns3

#endif // FABRIC_HEADER_H
