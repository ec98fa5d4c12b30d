/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WIDE_INTEGER_H
#define FABRIC_WIDE_INTEGER_H

namespace ns3::fabric
{

// No type of ISO C++ has 128 bits; GCC and Clang have these on every 64-bit machine, and say
// nothing of them under -Wpedantic after __extension__, which only a typedef may follow.

/// Integer of 128 bits, for exact products of two integers of 64 bits.
__extension__ typedef __int128 WideInt;
/// WideInt without a sign.
__extension__ typedef unsigned __int128 WideUint;

} // namespace ns3::fabric

#endif // FABRIC_WIDE_INTEGER_H
