/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OPTION_VALUE_H
#define FABRIC_OPTION_VALUE_H

#include "fabric-seconds.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ns3::fabric
{

/// The value of an option or an attribute for machines: a number in s, B, bit/s or without a unit,
/// several of them, or a text.
using OptionValue = std::variant<bool,
                                 uint64_t,
                                 int64_t,
                                 double,
                                 std::string,
                                 std::vector<uint64_t>,
                                 std::vector<std::string>>;

/// Names and values, in the order in which they were added or given.
using NamedValues = std::vector<std::pair<std::string, OptionValue>>;

/**
 * @tparam T what an option is read into
 * @param value of the option
 * @param show gives the text of one that is no number
 */
template <typename T, typename Show>
OptionValue
ValueOf(const T& value, const Show& show)
{
    if constexpr (std::is_same_v<T, Time>)
    {
        return ToSeconds(value.GetPicoSeconds());
    }
    else if constexpr (std::is_same_v<T, DataRate>)
    {
        return value.GetBitRate();
    }
    else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    {
        return uint64_t{value};
    }
    else if constexpr (std::is_constructible_v<OptionValue, T> && !std::is_enum_v<T>)
    {
        return value;
    }
    else
    {
        return show(value);
    }
}

} // namespace ns3::fabric

#endif // FABRIC_OPTION_VALUE_H
