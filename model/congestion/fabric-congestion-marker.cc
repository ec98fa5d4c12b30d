/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-marker.h"

#include "fabric-colon-fields.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MOST_BYTES = 1U << 30; ///< Of a threshold; as large as a buffer may be.
constexpr double WHOLE = 4294967296.0;    ///< 2^32.

/// @return 32 bits that look random (the finalizer of splitmix64; Steele, Lea and Flood, 2014)
uint32_t
Hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return static_cast<uint32_t>(x >> 32 ^ x >> 1);
}

} // namespace

void
ParseMarkRules(const std::string& text, MarkRules& rules)
{
    ForEachWord(text, [&rules](const std::string& word) {
        uint32_t trafficClass = 0;
        MarkRule rule;
        rule.isOn = true;
        if (!ReadColonFields(word, trafficClass, rule.minBytes, rule.maxBytes, rule.probability) ||
            trafficClass >= TRAFFIC_CLASSES)
        {
            throw std::invalid_argument("MarkRules: '" + word +
                                        "' is not a traffic class from 0 to 15, two thresholds in "
                                        "bytes and a probability with colons between, as in "
                                        "'0:65536:65536:1,3:20000:80000:0.1'");
        }
        rules[trafficClass] = rule;
    });
}

bool
IsAnyMarked(const MarkRules& rules)
{
    return std::any_of(rules.begin(), rules.end(), [](const MarkRule& rule) { return rule.isOn; });
}

void
ValidateMarkRules(const MarkRules& rules)
{
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        const MarkRule& rule = rules[c];
        if (rule.minBytes > rule.maxBytes || rule.maxBytes > MOST_BYTES)
        {
            throw std::invalid_argument(
                "marks of class " + std::to_string(c) + ": MarkMinBytes is " +
                std::to_string(rule.minBytes) + " and MarkMaxBytes " +
                std::to_string(rule.maxBytes) +
                ", allowed is 0 <= MarkMinBytes <= MarkMaxBytes <= " + std::to_string(MOST_BYTES));
        }
        if (!(rule.probability > 0 && rule.probability <= 1))
        {
            throw std::invalid_argument("marks of class " + std::to_string(c) +
                                        ": MarkProbability is " + std::to_string(rule.probability) +
                                        ", allowed is above 0 to 1");
        }
        if (rule.minBytes == rule.maxBytes && rule.probability != 1)
        {
            throw std::invalid_argument(
                "marks of class " + std::to_string(c) + ": MarkProbability is " +
                std::to_string(rule.probability) +
                ", and no queue is between MarkMinBytes and MarkMaxBytes, which are both " +
                std::to_string(rule.minBytes) + "; allowed is 1, or two thresholds that differ");
        }
    }
}

CongestionMarker::CongestionMarker(const MarkRules& rules, uint32_t ports, uint32_t seed)
    : m_queued(std::size_t{ports} * TRAFFIC_CLASSES, 0),
      m_seed(uint64_t{seed} << 32)
{
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        m_rules[c] = {rules[c].isOn,
                      rules[c].minBytes,
                      rules[c].maxBytes,
                      static_cast<uint64_t>(std::llround(rules[c].probability * WHOLE))};
    }
}

bool
CongestionMarker::Decide(const Thresholds& rule, uint32_t queued)
{
    if (!rule.isOn || queued <= rule.none)
    {
        return false;
    }
    if (queued > rule.all)
    {
        return true;
    }
    constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15U; // splitmix64's step
    const uint64_t draw = Hash(m_seed + ++m_draws * GOLDEN);
    // Both factors are below 2^33 and 2^31.
    return draw * (rule.all - rule.none) < rule.atMost * (queued - rule.none);
}

} // namespace ns3::fabric
