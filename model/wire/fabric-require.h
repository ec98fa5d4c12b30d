/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REQUIRE_H
#define FABRIC_REQUIRE_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

/**
 * Refuse a value that is out of its range.
 *
 * @param where class or function that was given the value
 * @param what name of the value
 * @param low smallest allowed value
 * @param high largest allowed value
 * @throw std::invalid_argument with a sentence that says what, where and what is allowed
 */
inline void
RequireRange(const char* where, const char* what, uint64_t value, uint64_t low, uint64_t high)
{
    if (value < low || value > high)
    {
        throw std::invalid_argument(std::string(where) + ": " + what + " is " +
                                    std::to_string(value) + ", allowed is " + std::to_string(low) +
                                    " to " + std::to_string(high) + ".");
    }
}

/**
 * Refuse a number that is none of those of a list.
 *
 * @param where class and function that was given the number
 * @param what name of the number
 * @param size how many the list has
 * @throw std::invalid_argument with a sentence that says what, where and what is allowed
 */
inline void
RequireIndex(const char* where, const char* what, uint64_t index, std::size_t size)
{
    if (size == 0)
    {
        throw std::invalid_argument(std::string(where) + ": " + what + " is " +
                                    std::to_string(index) + ", but there is none yet.");
    }
    RequireRange(where, what, index, 0, size - 1);
}

} // namespace ns3::fabric

#endif // FABRIC_REQUIRE_H
