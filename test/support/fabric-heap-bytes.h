/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HEAP_BYTES_H
#define FABRIC_HEAP_BYTES_H

#include <cstddef>
#include <malloc.h>

namespace ns3::fabric
{

/// @return bytes that this process has taken from malloc(); 0 where that is not known (sanitizers)
inline std::size_t
HeapBytes()
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

} // namespace ns3::fabric

#endif // FABRIC_HEAP_BYTES_H
