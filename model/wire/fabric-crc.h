/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CRC_H
#define FABRIC_CRC_H

#include <cstddef>
#include <cstdint>

namespace ns3::fabric
{

/**
 * CRC-32C (Castagnoli), polynomial 0x1EDC6F41, reflected, start and final XOR of all ones.
 *
 * RFC 3720 (iSCSI), section 12.1 and test vectors in B.4. It finds any 5 wrong bits in up to 5243
 * bits (Koopman, "32-Bit Cyclic Redundancy Codes for Internet Applications", DSN 2002), where
 * Ethernet's CRC-32 finds any 4 at the length of a full ACK frame.
 *
 * @param data bytes to protect
 * @param size how many of them
 * @return the check
 */
uint32_t Crc32c(const uint8_t* data, std::size_t size);

/**
 * CRC of 3 bits with the polynomial x^3 + x + 1 of RFC 3095 (ROHC), section 5.9.2; start of all
 * ones, most significant bit first.
 *
 * @param value field to protect
 * @param width bits of the field, 0 to 32
 * @return the check, 0 to 7
 */
uint8_t Crc3(uint32_t value, uint32_t width);

} // namespace ns3::fabric

#endif // FABRIC_CRC_H
