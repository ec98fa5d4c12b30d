/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NUMBER_LIST_H
#define FABRIC_NUMBER_LIST_H

#include <charconv>
#include <string>
#include <system_error>
#include <vector>

namespace ns3::fabric
{

/**
 * @tparam T of the numbers
 * @param numbers is set to the numbers of a list such as 1,3
 * @return whether it is one
 */
template <typename T>
bool
ReadNumberList(const std::string& text, std::vector<T>& numbers)
{
    numbers.clear();
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end)
    {
        T number = 0;
        const auto read = std::from_chars(at, end, number);
        if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',') ||
            (read.ptr != end && read.ptr + 1 == end))
        {
            return false;
        }
        numbers.push_back(number);
        at = read.ptr == end ? end : read.ptr + 1;
    }
    return true;
}

} // namespace ns3::fabric

#endif // FABRIC_NUMBER_LIST_H
