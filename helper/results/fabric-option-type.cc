/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-option-type.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ns3::fabric
{

namespace
{

/// Units and how many of the base unit each is. The first are those that are shown, ascending.
using Units = std::vector<std::pair<std::string_view, double>>;

/// Units of sizes, bytes.
const Units SIZE_UNITS{{"", 1},
                       {"KiB", 1024.},
                       {"MiB", 1048576.},
                       {"GiB", 1073741824.},
                       {"TiB", 1099511627776.},
                       {"B", 1},
                       {"kB", 1e3},
                       {"KB", 1e3},
                       {"MB", 1e6},
                       {"GB", 1e9},
                       {"TB", 1e12}};
constexpr std::size_t SIZE_UNITS_SHOWN = 5;

/// The units of ns-3's Time, ps.
const Units TIME_UNITS{{"ps", 1},
                       {"ns", 1e3},
                       {"us", 1e6},
                       {"ms", 1e9},
                       {"s", 1e12},
                       {"", 1e12},
                       {"fs", 1e-3},
                       {"min", 60e12},
                       {"h", 3600e12},
                       {"d", 86400e12},
                       {"y", 365 * 86400e12}};
constexpr std::size_t TIME_UNITS_SHOWN = 5;

/// Units of rates that are shown, bit/s; ns-3 knows more.
const Units RATE_UNITS{{"bps", 1}, {"kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}};

/// @return how many of the base unit a unit is, 0 for an unknown one
double
ScaleIn(const Units& units, std::string_view name)
{
    const auto unit = std::find_if(units.begin(), units.end(), [name](const auto& candidate) {
        return candidate.first == name;
    });
    return unit == units.end() ? 0 : unit->second;
}

/// @return bit/s in a unit of ns-3's DataRate, 0 for an unknown one
double
RateScale(std::string_view unit)
{
    std::istringstream one("1" + std::string(unit));
    DataRate rate;
    // Newer ones allow a space before the unit, and then older ones would read less than there is.
    const bool isUnit = unit.find_first_of("0123456789. \t\n") == unit.npos && one >> rate;
    return isUnit ? static_cast<double>(rate.GetBitRate()) : 0;
}

/**
 * @param text a number and a unit
 * @param scaleOf how many of the base unit a unit is, 0 for an unknown one
 * @return how many of the base unit they are, nothing for any other text
 */
template <typename ScaleOf>
std::optional<double>
ReadQuantity(std::string_view text, const ScaleOf& scaleOf)
{
    // from_chars has no '+'; ns-3 writes times with one.
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const double scale =
        result.ec == std::errc() ? scaleOf(text.substr(result.ptr - text.data())) : 0;
    return scale != 0 && std::isfinite(value) ? std::optional(value * scale) : std::nullopt;
}

/// @return the number, rounded, if it lies within bounds
std::optional<int64_t>
Within(std::optional<double> value, int64_t min, int64_t max)
{
    // 2^63 is the smallest double that overflows int64_t.
    if (!value || std::fabs(*value) >= 9223372036854775808.0 || (min >= 0 && *value < 0))
    {
        return std::nullopt;
    }
    const int64_t whole = std::llround(*value);
    return whole >= min && whole <= max ? std::optional(whole) : std::nullopt;
}

/// @return a whole number in the largest of the first units that divides it
std::string
InLargestUnit(int64_t value, const Units& units, std::size_t shown)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < shown && value != 0; ++i)
    {
        best = value % static_cast<int64_t>(units[i].second) == 0 ? i : best;
    }
    return NumberText(value / static_cast<int64_t>(units[best].second)).append(units[best].first);
}

std::string
SizeText(uint64_t bytes)
{
    return InLargestUnit(static_cast<int64_t>(bytes), SIZE_UNITS, SIZE_UNITS_SHOWN);
}

std::string
RateText(const DataRate& rate)
{
    return InLargestUnit(static_cast<int64_t>(rate.GetBitRate()), RATE_UNITS, RATE_UNITS.size());
}

} // namespace

void
ThrowNotAllowed(const std::string& what, const std::string& text, const std::string& allowed)
{
    throw std::invalid_argument(what + "=" + text + ": allowed is " + allowed);
}

OptionType<double>
NumberType(std::optional<double> min, std::optional<double> max)
{
    return {RangeText("a number", min, max, NumberText<double>),
            [min, max](const std::string& text) {
                const auto number = ReadNumber<double>(text);
                const bool isWithin =
                    number && (!min || *number >= *min) && (!max || *number <= *max);
                return isWithin ? number : std::nullopt;
            },
            NumberText<double>};
}

OptionType<bool>
BooleanType()
{
    OptionType<bool> type = EnumType<bool>({{"true", true},
                                            {"on", true},
                                            {"t", true},
                                            {"1", true},
                                            {"false", false},
                                            {"off", false},
                                            {"f", false},
                                            {"0", false}});
    type.allowed = "true, on, t, 1, false, off, f or 0";
    return type;
}

OptionType<uint64_t>
SizeType(uint64_t min, uint64_t max)
{
    return {"a size from " + SizeText(min) + " to " + SizeText(max) +
                " in bytes, such as 64, 4KiB or 1MB",
            [min, max](const std::string& text) -> std::optional<uint64_t> {
                const auto bytes =
                    ReadQuantity(text, [](auto unit) { return ScaleIn(SIZE_UNITS, unit); });
                const bool isWhole = bytes && *bytes == std::floor(*bytes);
                return isWhole ? Within(bytes, min, max) : std::nullopt;
            },
            SizeText};
}

OptionType<Time>
TimeType(const std::optional<Time>& min, const std::optional<Time>& max)
{
    return {RangeText("a time", min, max, TimeText) + ", such as 350ns or 1.5us",
            [least = min.value_or(Time::Min()),
             most = max.value_or(Time::Max())](const std::string& text) -> std::optional<Time> {
                const auto ps =
                    Within(ReadQuantity(text, [](auto unit) { return ScaleIn(TIME_UNITS, unit); }),
                           least.GetPicoSeconds(),
                           most.GetPicoSeconds());
                // What PicoSeconds() does with an integer, which may be negative here.
                return ps ? std::optional(Time::FromInteger(static_cast<uint64_t>(*ps), Time::PS))
                          : std::nullopt;
            },
            TimeText};
}

OptionType<DataRate>
RateType(uint64_t min, uint64_t max)
{
    return {"a rate from " + RateText(DataRate(min)) + " to " + RateText(DataRate(max)) +
                ", such as 200Gbps",
            [min, max](const std::string& text) -> std::optional<DataRate> {
                const auto rate = Within(ReadQuantity(text, RateScale), min, max);
                return rate ? std::optional(DataRate(*rate)) : std::nullopt;
            },
            RateText};
}

OptionType<DataRate>
OptionalRateType()
{
    OptionType<DataRate> type = RateType();
    type.allowed = "0 or " + type.allowed;
    type.parse = [parseRate = type.parse](const std::string& text) {
        return text == "0" ? std::optional(DataRate(0)) : parseRate(text);
    };
    type.show = [](const DataRate& rate) { return rate.GetBitRate() == 0 ? "0" : RateText(rate); };
    return type;
}

OptionType<std::string>
TextType()
{
    return {"",
            [](const std::string& text) { return text; },
            [](const std::string& text) { return text; }};
}

OptionType<std::string>
ChoiceType(const std::vector<std::string>& words)
{
    std::vector<std::pair<std::string, std::string>> choices;
    for (const std::string& word : words)
    {
        choices.emplace_back(word, word);
    }
    return EnumType(choices);
}

OptionType<std::string>
ChoiceOrFileType(const std::vector<std::string>& words, const std::string& content)
{
    OptionType<std::string> type = ChoiceType(words);
    const auto isWord = type.parse;
    type.allowed += ", or a file with " + content;
    type.parse = [isWord](const std::string& text) {
        std::error_code ignored;
        const bool isFile = !isWord(text) && std::filesystem::exists(text, ignored) &&
                            !std::filesystem::is_directory(text, ignored);
        return isFile ? std::optional(text) : isWord(text);
    };
    type.show = [](const std::string& text) { return text; };
    return type;
}

OptionType<std::vector<std::string>>
ChoicesType(const std::vector<std::string>& words, std::size_t least)
{
    const auto parse = [words, least](const std::string& text) {
        std::vector<std::string> items = SplitList(text == "none" ? "" : text);
        items = text == "all" ? words : items;
        const auto isChosen = [&items](const std::string& word) {
            return std::find(items.begin(), items.end(), word) != items.end();
        };
        const bool areWords = std::all_of(items.begin(), items.end(), [&words](const auto& item) {
            return std::find(words.begin(), words.end(), item) != words.end();
        });
        std::optional<std::vector<std::string>> chosen;
        if (areWords && items.size() >= least && !text.empty())
        {
            chosen.emplace();
            std::copy_if(words.begin(), words.end(), std::back_inserter(*chosen), isChosen);
        }
        return chosen;
    };
    return {(least == 0 ? "none, all or any of " : "all or any of ") + WordList(words, ","),
            parse,
            [](const auto& value) { return value.empty() ? "none" : WordList(value, ","); }};
}

OptionType<std::vector<uint64_t>>
CountsType(std::size_t least, std::size_t most, uint64_t min, uint64_t max)
{
    const OptionType<uint64_t> each = CountType(min, max);
    const auto parse = [=](const std::string& text) {
        std::optional<std::vector<uint64_t>> numbers(std::in_place);
        const std::vector<std::string> items = SplitList(text);
        for (const std::string& item : items)
        {
            const auto number = each.parse(item);
            if (!number)
            {
                return decltype(numbers)();
            }
            numbers->push_back(*number);
        }
        return items.size() >= least && items.size() <= most ? numbers : std::nullopt;
    };
    const auto show = [each](const std::vector<uint64_t>& numbers) {
        std::vector<std::string> texts;
        std::transform(numbers.begin(), numbers.end(), std::back_inserter(texts), each.show);
        return WordList(texts, ",");
    };
    return {"a list of " + NumberText(least) + " to " + NumberText(most) +
                " numbers with commas, each " + each.allowed,
            parse,
            show};
}

std::vector<std::string>
SplitList(const std::string& text, char separator)
{
    std::vector<std::string> items;
    // An item ends at a separator or at the end, and so does an empty one there.
    for (std::size_t start = 0; !text.empty() && start <= text.size();)
    {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        items.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return items;
}

std::string
TimeText(const Time& time)
{
    constexpr std::size_t MOST_LETTERS = 6; // four digits and a unit, which can be read at a glance
    const int64_t ps = time.GetPicoSeconds();
    const std::string whole = InLargestUnit(ps, TIME_UNITS, TIME_UNITS_SHOWN);
    std::size_t best = 0;
    while (best + 1 < TIME_UNITS_SHOWN && std::abs(ps) >= TIME_UNITS[best + 1].second)
    {
        ++best;
    }
    const double number = static_cast<double>(ps) / TIME_UNITS[best].second;
    const bool isExact = std::llround(number * TIME_UNITS[best].second) == ps;
    return whole.size() <= MOST_LETTERS || !isExact
               ? whole
               : NumberText(number).append(TIME_UNITS[best].first);
}

} // namespace ns3::fabric
