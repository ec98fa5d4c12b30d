/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_OPERATION_H
#define FABRIC_REDUCTION_OPERATION_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ns3::fabric
{

/// What a reduction makes of the values of its members (SW-14).
enum class ReductionOperation : uint8_t
{
    SUM,        ///< Of signed integers, modulo 2^64.
    MIN,        ///< Of signed integers.
    MAX,        ///< Of signed integers.
    AND,        ///< Of bits.
    OR,         ///< Of bits.
    SUM_DOUBLE, ///< Of doubles.
    MIN_DOUBLE, ///< Of doubles.
    MAX_DOUBLE, ///< Of doubles.
};

/// @return whether its values are doubles
constexpr bool
IsOfDoubles(ReductionOperation operation)
{
    return operation >= ReductionOperation::SUM_DOUBLE;
}

/// @return the bits of a double
inline uint64_t
BitsOf(double value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// @return the double of these bits
inline double
DoubleOf(uint64_t bits)
{
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// @return what two values become @param a bits of the first @param b bits of the second
inline uint64_t
Combine(ReductionOperation operation, uint64_t a, uint64_t b)
{
    const auto x = static_cast<int64_t>(a);
    const auto y = static_cast<int64_t>(b);
    switch (operation)
    {
    case ReductionOperation::SUM:
        return a + b;
    case ReductionOperation::MIN:
        return x < y ? a : b;
    case ReductionOperation::MAX:
        return x > y ? a : b;
    case ReductionOperation::AND:
        return a & b;
    case ReductionOperation::OR:
        return a | b;
    case ReductionOperation::SUM_DOUBLE:
        return BitsOf(DoubleOf(a) + DoubleOf(b));
    case ReductionOperation::MIN_DOUBLE:
        return BitsOf(std::min(DoubleOf(a), DoubleOf(b)));
    case ReductionOperation::MAX_DOUBLE:
        return BitsOf(std::max(DoubleOf(a), DoubleOf(b)));
    }
    return 0;
}

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_OPERATION_H
