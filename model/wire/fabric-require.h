/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REQUIRE_H
#define FABRIC_REQUIRE_H

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

} // namespace ns3::fabric

#endif // FABRIC_REQUIRE_H
