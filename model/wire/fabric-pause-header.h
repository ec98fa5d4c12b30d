/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_HEADER_H
#define FABRIC_PAUSE_HEADER_H

#include "fabric-pause.h"

#include "ns3/header.h"

#include <array>

namespace ns3
{

/**
 * The content of a pause frame (WL-5), which comes after an Ethernet header with destination
 * 01-80-C2-00-00-01 and EtherType 0x8808. Two forms, both filled up with zeros to the 46 bytes of
 * the shortest Ethernet frame:
 *
 * | bytes | link pause (802.3x)   | priority-based pause (802.1Qbb)                        |
 * |-------|-----------------------|--------------------------------------------------------|
 * | 0-1   | opcode 0x0001         | opcode 0x0101                                          |
 * | 2-3   | quanta                | class-enable vector, bit n of the second byte: class n |
 * | 4-19  | zero                  | quanta of classes 0 to 7, 2 bytes each                 |
 * | 20-45 | zero                  | zero                                                   |
 *
 * All fields have their most significant byte first; a quantum is 512 bit times, and 0 quanta lift
 * a pause. Sources: IEEE Std 802.3-2018, Annexes 31A (opcodes, address), 31B (PAUSE) and 31D
 * (priority-based flow control, from IEEE Std 802.1Qbb-2011). The unused byte of the vector and the
 * zeros are ignored on receipt.
 *
 * A link pause reads like a pause of all classes, so that its receiver needs one code for both.
 */
class FabricPauseHeader : public Header
{
  public:
    static constexpr uint16_t LINK_PAUSE = 0x0001;     ///< Opcode of 802.3x.
    static constexpr uint16_t PRIORITY_PAUSE = 0x0101; ///< Opcode of 802.1Qbb.
    static constexpr uint32_t BYTES = 46;              ///< Shortest Ethernet payload.

    /**
     * @return the type of this class
     */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /// A priority-based pause in which no class is enabled; call SetQuanta for some.
    FabricPauseHeader() = default;

    /// @param quanta how long the whole link pauses, units of 512 bit times, 0 lifts the pause
    static FabricPauseHeader ForLink(uint16_t quanta);

    /**
     * Enable a class of a priority-based pause.
     *
     * @param priority the class, 0 to 7
     * @param quanta how long it pauses, units of 512 bit times, 0 lifts the pause
     * @throw std::invalid_argument if there is no such class or this is a link pause
     */
    void SetQuanta(uint32_t priority, uint16_t quanta);

    /// @return LINK_PAUSE or PRIORITY_PAUSE; anything else has been read and is not valid
    uint16_t GetOpcode() const;

    /// @return bit n: the frame speaks of class n
    uint8_t GetClassEnable() const;

    /**
     * @param priority a class, 0 to 7
     * @return its pause, units of 512 bit times; says nothing if the class is not enabled
     * @throw std::invalid_argument if there is no such class
     */
    uint16_t GetQuanta(uint32_t priority) const;

    /// @return whether all of the content was there and the opcode is one of the two
    bool IsValid() const;

    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;

    /**
     * Read the content. Any input is safe; ask IsValid() afterwards.
     *
     * @param start where to read
     * @return bytes read, 0 if fewer than 46 are there or the opcode is another one
     */
    uint32_t Deserialize(Buffer::Iterator start) override;

    void Print(std::ostream& os) const override;

  private:
    uint16_t m_opcode{PRIORITY_PAUSE};                         ///< Which form.
    uint8_t m_classEnable{0};                                  ///< Bit n: class n counts.
    std::array<uint16_t, fabric::PAUSE_PRIORITIES> m_quanta{}; ///< Pause of each class.
};

} // namespace ns3

#endif // FABRIC_PAUSE_HEADER_H
