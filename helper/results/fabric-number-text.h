/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NUMBER_TEXT_H
#define FABRIC_NUMBER_TEXT_H

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace ns3::fabric
{

/**
 * Number to text: the shortest form that reads back as the same number.
 *
 * std::to_chars and not a stream, because a stream rounds to six digits and follows the locale.
 *
 * @tparam T an integer, floating-point or boolean type
 * @param to gets the text at its end
 * @param value the number; a NaN of either sign is `nan`, a boolean `true` or `false`
 */
template <typename T>
void
AppendNumber(std::string& to, T value)
{
    static_assert(std::is_arithmetic_v<T>, "a number is needed");
    if constexpr (std::is_same_v<T, bool>)
    {
        to += value ? "true" : "false";
    }
    else
    {
        if constexpr (std::is_floating_point_v<T>)
        {
            if (value != value)
            {
                to += "nan";
                return;
            }
        }
        char text[64];
        const auto result = std::to_chars(text, text + sizeof(text), value);
        to.append(text, result.ptr);
    }
}

/// @return the text of AppendNumber()
template <typename T>
std::string
NumberText(T value)
{
    std::string text;
    AppendNumber(text, value);
    return text;
}

/// @return numbers that are allowed: `2 to 5`, or `2` if that is the only one
template <typename T>
std::string
SpanText(T least, T most)
{
    return least == most ? NumberText(least) : NumberText(least) + " to " + NumberText(most);
}

/**
 * Text to number, the opposite of NumberText().
 *
 * @tparam T an integer or floating-point type
 * @return the finite number that the whole text is, nothing if it is none of the type
 */
template <typename T>
std::optional<T>
ReadNumber(std::string_view text)
{
    T value{};
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    bool isNumber = result.ec == std::errc() && result.ptr == end;
    if constexpr (std::is_floating_point_v<T>)
    {
        isNumber = isNumber && std::isfinite(value);
    }
    return isNumber ? std::optional<T>(value) : std::nullopt;
}

} // namespace ns3::fabric

#endif // FABRIC_NUMBER_TEXT_H
