/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TEST_SEEDS_H
#define FABRIC_TEST_SEEDS_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace ns3::fabric
{

/**
 * Seeds of a test that draws what it does.
 *
 * In the environment FABRIC_TEST_EFFORT multiplies how many there are (0.3 where a run takes ten
 * times as long, 50 for a night's search), and FABRIC_TEST_FIRST_SEED is the first one.
 */
struct TestSeeds
{
    /// @param usual how many there are by default
    explicit TestSeeds(uint32_t usual)
    {
        const char* text = std::getenv("FABRIC_TEST_FIRST_SEED");
        first = text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
        text = std::getenv("FABRIC_TEST_EFFORT");
        const double effort = text ? std::strtod(text, nullptr) : 1;
        count = std::max(1U, static_cast<uint32_t>(usual * effort));
        end = first + count;
    }

    /// @return whether so many are drawn that what is rare can be expected to come
    bool AreMany() const
    {
        return count >= 16;
    }

    uint32_t first; ///< First seed.
    uint32_t count; ///< Seeds, at least one.
    uint32_t end;   ///< After the last seed.
};

} // namespace ns3::fabric

#endif /* FABRIC_TEST_SEEDS_H */
