/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INJECTION_TEXTS_H
#define FABRIC_INJECTION_TEXTS_H

#include "fabric-injection-settings.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace ns3::fabric
{

// ---- texts of attributes about injection limits ----

/**
 * @param text groups and their limits, such as `1:0,2:1`
 * @return limits by group; those that it does not name have limit 0
 * @throws std::invalid_argument with a sentence if it is wrong
 */
std::array<LimitId, APPLICATION_GROUPS> ParseLimitIds(const std::string& text);

/**
 * Reads values of injection limits, from limit 0 on.
 *
 * @param name of the attribute, for sentences
 * @param text such as `3,1`
 * @param range lowest and highest value that is allowed
 * @param values are set as far as the text has some
 * @throws std::invalid_argument with a sentence if it is wrong
 */
void ParseLimits(const std::string& name,
                 const std::string& text,
                 std::pair<uint32_t, uint32_t> range,
                 std::array<uint32_t, INJECTION_LIMITS>& values);

} // namespace ns3::fabric

#endif // FABRIC_INJECTION_TEXTS_H
