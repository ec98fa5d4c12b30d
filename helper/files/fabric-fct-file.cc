/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fct-file.h"

#include <cstdio>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0b000001; ///< Of node 0.
constexpr TimePs PS_OF_NANOSECOND = 1000;      ///< Picoseconds.

/// @return the nearest ns
TimePs
ToNanoseconds(TimePs time)
{
    return (time + PS_OF_NANOSECOND / 2) / PS_OF_NANOSECOND;
}

} // namespace

FctFile::FctFile(std::ostream& os, uint64_t nodes)
    : m_os(os),
      m_hasAddresses(nodes <= MOST_ADDRESSES)
{
}

std::string
FctFile::AddressText(uint32_t node)
{
    char text[16];
    std::snprintf(text, sizeof(text), "%08x", FIRST_ADDRESS + (node << 8));
    return text;
}

void
FctFile::Write(const Row& row)
{
    const auto address = [this](uint32_t node) {
        return m_hasAddresses ? AddressText(node) : std::to_string(node);
    };
    m_os << address(row.src) << " " << address(row.dst) << " " << row.srcPort << " " << row.dstPort
         << " " << row.bytes << " " << ToNanoseconds(row.start) << " " << ToNanoseconds(row.fct)
         << " " << ToNanoseconds(row.standalone) << "\n";
}

} // namespace ns3::fabric
