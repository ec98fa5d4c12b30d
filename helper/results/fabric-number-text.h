/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NUMBER_TEXT_H
#define FABRIC_NUMBER_TEXT_H

#include <charconv>
#include <string>
#include <type_traits>

namespace ns3
{
namespace fabric
{

/**
 * Number to text: the shortest form that reads back as the same number.
 *
 * std::to_chars and not a stream, because a stream rounds to six digits and follows the locale.
 *
 * @tparam T an integer, floating-point or boolean type
 * @param value the number; a NaN of either sign is `nan`
 * @return its text, `true` or `false` for a boolean
 */
template <typename T>
std::string
NumberText(T value)
{
    static_assert(std::is_arithmetic_v<T>, "a number is needed");
    if constexpr (std::is_same_v<T, bool>)
    {
        return value ? "true" : "false";
    }
    else
    {
        if constexpr (std::is_floating_point_v<T>)
        {
            if (value != value)
            {
                return "nan";
            }
        }
        char text[64];
        const auto result = std::to_chars(text, text + sizeof(text), value);
        return std::string(text, result.ptr);
    }
}

} // namespace fabric
} // namespace ns3

#endif // FABRIC_NUMBER_TEXT_H
