/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-exact-time-value.h"

#include "ns3/int64x64.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Units that are shorter than what ns-3 counts, or become so, ps.
constexpr std::array<std::pair<const char*, int64_t>, 5> UNITS_OF_TIME{
    {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};

/// Longest time that is read in ps, s; nobody asks for a part of a nanosecond more.
constexpr double MOST_EXACT_SECONDS = 1e6;

/// @return the time that a text says as ns-3 reads it when it counts ps, if it is short enough
std::optional<TimePs>
ReadExactTime(const std::string& text)
{
    std::istringstream words(text);
    std::string word;
    words >> word; // ns-3 passes over what is behind it
    const std::string::size_type digits = word.find_first_not_of("+-0123456789.eE");
    const std::string unit = digits == std::string::npos ? "s" : word.substr(digits);
    std::istringstream number(word.substr(0, digits));
    double value = 0;
    number >> value;
    for (const auto& [name, picoseconds] : UNITS_OF_TIME)
    {
        if (unit == name && std::abs(value) * picoseconds < MOST_EXACT_SECONDS * 1e12)
        {
            return (int64x64_t(value) * int64x64_t(picoseconds)).Round();
        }
    }
    return std::nullopt;
}

} // namespace

ExactTimeValue::ExactTimeValue(const TimeValue& value)
    : TimeValue(value)
{
    if (const auto* other = dynamic_cast<const ExactTimeValue*>(&value))
    {
        m_exact = other->m_exact;
    }
}

TimePs
ExactTimeValue::PicoSecondsOf(const TimeValue& value)
{
    const auto* exact = dynamic_cast<const ExactTimeValue*>(&value);
    return exact && exact->m_exact ? *exact->m_exact : value.Get().GetPicoSeconds();
}

Ptr<AttributeValue>
ExactTimeValue::Copy() const
{
    return Create<ExactTimeValue>(*this);
}

std::string
ExactTimeValue::SerializeToString(Ptr<const AttributeChecker> checker) const
{
    if (!m_exact)
    {
        return TimeValue::SerializeToString(checker);
    }
    return Time::GetResolution() == Time::PS
               ? TimeValue(PicoSeconds(*m_exact)).SerializeToString(checker)
               : std::to_string(*m_exact) + "ps";
}

bool
ExactTimeValue::DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker)
{
    if (!TimeValue::DeserializeFromString(value, checker))
    {
        return false;
    }
    m_exact = Time::GetResolution() == Time::PS ? std::nullopt : ReadExactTime(value);
    return true;
}

} // namespace ns3::fabric
