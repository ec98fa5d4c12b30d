/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-option-text.h"

#include "fabric-number-text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace ns3
{
namespace fabric
{

namespace
{

/// A unit and how many of the base unit it is.
struct Unit
{
    std::string_view name; ///< As it is written.
    double scale;          ///< Base units in one.
};

/// Units of sizes, bytes.
constexpr std::array<Unit, 9> SIZE_UNITS{{{"", 1},
                                          {"B", 1},
                                          {"kB", 1e3},
                                          {"KB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"KiB", 1024.},
                                          {"MiB", 1048576.},
                                          {"GiB", 1073741824.}}};

/// The units of ns-3's Time, in picoseconds.
constexpr std::array<Unit, 11> TIME_UNITS{{{"", 1e12},
                                           {"s", 1e12},
                                           {"ms", 1e9},
                                           {"us", 1e6},
                                           {"ns", 1e3},
                                           {"ps", 1},
                                           {"fs", 1e-3},
                                           {"min", 60e12},
                                           {"h", 3600e12},
                                           {"d", 86400e12},
                                           {"y", 365 * 86400e12}}};

/// The prefixes of ns-3's DataRate; the binary ones go with b/s and B/s only.
constexpr std::array<Unit, 8> RATE_PREFIXES{{{"", 1},
                                             {"k", 1e3},
                                             {"K", 1e3},
                                             {"M", 1e6},
                                             {"G", 1e9},
                                             {"Ki", 1024.},
                                             {"Mi", 1048576.},
                                             {"Gi", 1073741824.}}};

/// The units of ns-3's DataRate, in bit/s.
constexpr std::array<Unit, 4> RATE_UNITS{{{"bps", 1}, {"b/s", 1}, {"Bps", 8}, {"B/s", 8}}};

/// A decimal number and what follows it.
struct Quantity
{
    double value;          ///< The number.
    std::string_view unit; ///< The rest of the text.
};

/**
 * @param text a text that outlives the result
 * @return the finite number at its start and the rest, nothing if it does not start with a number
 */
std::optional<Quantity>
SplitQuantity(std::string_view text)
{
    // from_chars has no '+'; ns-3 writes times with one.
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || !std::isfinite(value))
    {
        return std::nullopt;
    }
    return Quantity{value, text.substr(result.ptr - text.data())};
}

/**
 * @param units the units allowed
 * @param name one of them, or not
 * @return its scale, nothing for an unknown unit
 */
template <std::size_t N>
std::optional<double>
ScaleOf(const std::array<Unit, N>& units, std::string_view name)
{
    for (const Unit& unit : units)
    {
        if (unit.name == name)
        {
            return unit.scale;
        }
    }
    return std::nullopt;
}

/**
 * @param name a unit of rates
 * @return bit/s in one of it, nothing for an unknown unit
 */
std::optional<double>
RateScale(std::string_view name)
{
    if (name.empty())
    {
        return 1;
    }
    if (name.size() < 3)
    {
        return std::nullopt;
    }
    const std::string_view prefix = name.substr(0, name.size() - 3);
    const std::string_view unit = name.substr(name.size() - 3);
    if (prefix.size() == 2 && unit[1] != '/')
    {
        return std::nullopt;
    }
    const auto prefixScale = ScaleOf(RATE_PREFIXES, prefix);
    const auto unitScale = ScaleOf(RATE_UNITS, unit);
    return prefixScale && unitScale ? std::optional(*prefixScale * *unitScale) : std::nullopt;
}

/**
 * @param value a number
 * @param bounds bounds of an integer type
 * @return whether the number, rounded, can be cast to the type without overflow and lies within
 */
template <typename T>
bool
IsWithin(double value, Bounds<T> bounds)
{
    // 2^63 is the smallest double that overflows int64_t; sizes and rates beyond it make no sense.
    return std::fabs(value) < 9223372036854775808.0 &&
           static_cast<T>(std::llround(value)) >= bounds.min &&
           static_cast<T>(std::llround(value)) <= bounds.max && (bounds.min < 0 || value >= 0);
}

/**
 * @param value a whole number
 * @param units units from the smallest to the largest, each a multiple of the one before
 * @return the number in the largest unit that divides it
 */
template <typename T, std::size_t N>
std::string
InLargestUnit(T value, const std::array<std::pair<const char*, int64_t>, N>& units)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < N && value != 0; ++i)
    {
        if (value % static_cast<T>(units[i].second) == 0)
        {
            best = i;
        }
    }
    return NumberText(value / static_cast<T>(units[best].second)) + units[best].first;
}

} // namespace

void
ThrowNotAllowed(const std::string& what, const std::string& text, const std::string& allowed)
{
    throw std::invalid_argument(what + "=" + text + ": allowed is " + allowed);
}

std::string
AllowedCount(Bounds<uint64_t> bounds)
{
    return "a whole number from " + NumberText(bounds.min) + " to " + NumberText(bounds.max);
}

std::string
AllowedNumber(Bounds<double> bounds)
{
    return "a number from " + NumberText(bounds.min) + " to " + NumberText(bounds.max);
}

std::string
AllowedSize(Bounds<uint64_t> bounds)
{
    return "a size from " + SizeText(bounds.min) + " to " + SizeText(bounds.max) +
           " in bytes, such as 64, 4KiB or 1MB";
}

std::string
AllowedTime(Bounds<TimePs> bounds)
{
    return "a time from " + TimeText(bounds.min) + " to " + TimeText(bounds.max) +
           ", such as 350ns or 1.5us";
}

std::string
AllowedRate(Bounds<uint64_t> bounds)
{
    return "a rate from " + RateText(bounds.min) + " to " + RateText(bounds.max) +
           ", such as 200Gbps";
}

std::string
AllowedChoice(const std::vector<std::string>& words)
{
    std::string allowed = "one of ";
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        allowed += (i == 0 ? "" : ", ") + words[i];
    }
    return allowed;
}

uint64_t
ParseCount(const std::string& what, const std::string& text, Bounds<uint64_t> bounds)
{
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || value < bounds.min || value > bounds.max)
    {
        ThrowNotAllowed(what, text, AllowedCount(bounds));
    }
    return value;
}

double
ParseNumber(const std::string& what, const std::string& text, Bounds<double> bounds)
{
    const auto quantity = SplitQuantity(text);
    if (!quantity || !quantity->unit.empty() || quantity->value < bounds.min ||
        quantity->value > bounds.max)
    {
        ThrowNotAllowed(what, text, AllowedNumber(bounds));
    }
    return quantity->value;
}

uint64_t
ParseSize(const std::string& what, const std::string& text, Bounds<uint64_t> bounds)
{
    const auto quantity = SplitQuantity(text);
    const auto scale = quantity ? ScaleOf(SIZE_UNITS, quantity->unit) : std::nullopt;
    const double bytes = scale ? quantity->value * *scale : -1;
    if (!scale || bytes != std::floor(bytes) || !IsWithin(bytes, bounds))
    {
        ThrowNotAllowed(what, text, AllowedSize(bounds));
    }
    return static_cast<uint64_t>(bytes);
}

TimePs
ParseTime(const std::string& what, const std::string& text, Bounds<TimePs> bounds)
{
    const auto quantity = SplitQuantity(text);
    const auto scale = quantity ? ScaleOf(TIME_UNITS, quantity->unit) : std::nullopt;
    if (!scale || !IsWithin(quantity->value * *scale, bounds))
    {
        ThrowNotAllowed(what, text, AllowedTime(bounds));
    }
    return std::llround(quantity->value * *scale);
}

uint64_t
ParseRate(const std::string& what, const std::string& text, Bounds<uint64_t> bounds)
{
    const auto quantity = SplitQuantity(text);
    const auto scale = quantity ? RateScale(quantity->unit) : std::nullopt;
    if (!scale || !IsWithin(quantity->value * *scale, bounds))
    {
        ThrowNotAllowed(what, text, AllowedRate(bounds));
    }
    return static_cast<uint64_t>(std::llround(quantity->value * *scale));
}

bool
ParseBoolean(const std::string& what, const std::string& text)
{
    if (text == "true" || text == "on" || text == "t" || text == "1")
    {
        return true;
    }
    if (text == "false" || text == "off" || text == "f" || text == "0")
    {
        return false;
    }
    ThrowNotAllowed(what, text, ALLOWED_BOOLEAN);
}

std::size_t
ParseChoice(const std::string& what, const std::string& text, const std::vector<std::string>& words)
{
    const auto word = std::find(words.begin(), words.end(), text);
    if (word == words.end())
    {
        ThrowNotAllowed(what, text, AllowedChoice(words));
    }
    return word - words.begin();
}

std::vector<std::string>
SplitList(const std::string& text)
{
    std::vector<std::string> items;
    if (text.empty())
    {
        return items;
    }
    std::size_t start = 0;
    for (std::size_t comma = text.find(','); comma != std::string::npos;
         comma = text.find(',', start))
    {
        items.push_back(text.substr(start, comma - start));
        start = comma + 1;
    }
    items.push_back(text.substr(start));
    return items;
}

std::string
SizeText(uint64_t bytes)
{
    static constexpr std::array<std::pair<const char*, int64_t>, 4> units{
        {{"", 1}, {"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}}};
    return InLargestUnit(bytes, units);
}

std::string
TimeText(TimePs time)
{
    static constexpr std::array<std::pair<const char*, int64_t>, 5> units{
        {{"ps", 1},
         {"ns", 1'000},
         {"us", 1'000'000},
         {"ms", 1'000'000'000},
         {"s", 1'000'000'000'000}}};
    return InLargestUnit(time, units);
}

std::string
RateText(uint64_t rate)
{
    static constexpr std::array<std::pair<const char*, int64_t>, 4> units{
        {{"bps", 1}, {"kbps", 1'000}, {"Mbps", 1'000'000}, {"Gbps", 1'000'000'000}}};
    return InLargestUnit(rate, units);
}

} // namespace fabric
} // namespace ns3
