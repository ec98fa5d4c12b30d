/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OPTION_TYPE_H
#define FABRIC_OPTION_TYPE_H

#include "fabric-number-text.h"
#include "fabric-types.h"
#include "fabric-word-list.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// The sentence for a value that is not allowed: `what=text: allowed is allowed`, as an exception.
[[noreturn]] void ThrowNotAllowed(const std::string& what,
                                  const std::string& text,
                                  const std::string& allowed);

/**
 * What an option can be: which texts are allowed, what they mean, and how a value is shown. ns-3's
 * own readers are not used because they abort, or read `5x` as 5.
 *
 * @tparam T the value
 */
template <typename T>
struct OptionType
{
    std::string allowed; ///< For sentences, `a whole number from 1 to 64`; empty for any text.
    std::function<std::optional<T>(const std::string&)> parse; ///< Nothing if it is not allowed.
    std::function<std::string(const T&)> show;                 ///< As a text that means the same.

    /**
     * @param what the name of what is read, such as `--bytes`
     * @return its value
     * @throws std::invalid_argument with one sentence that says what, the text, and what is allowed
     */
    T Read(const std::string& what, const std::string& text) const
    {
        if (const std::optional<T> value = parse(text))
        {
            return *value;
        }
        ThrowNotAllowed(what, text, allowed);
    }
};

/**
 * @param kind of value, `a time`
 * @param min the least one; nothing for no bound
 * @param max the largest one; nothing for no bound
 * @param show a value as text
 * @return what is allowed: `a time from 0ps to 1s`, `a time of at least 0ps` or `a time`
 */
template <typename T, typename Show>
std::string
RangeText(const std::string& kind,
          const std::optional<T>& min,
          const std::optional<T>& max,
          const Show& show)
{
    if (min && max)
    {
        return kind + " from " + show(*min) + " to " + show(*max);
    }
    return kind + (min ? " of at least " + show(*min) : "") +
           (max ? " of at most " + show(*max) : "");
}

/// Whole numbers without a unit, of an unsigned type. A bound may be absent.
template <typename T>
OptionType<T>
CountType(std::optional<T> min, std::optional<T> max)
{
    static_assert(std::is_unsigned_v<T> && !std::is_same_v<T, bool>, "a count is unsigned");
    return {RangeText("a whole number", min, max, NumberText<T>),
            [min, max](const std::string& text) {
                const std::optional<T> number = ReadNumber<T>(text);
                const bool isWithin =
                    number && (!min || *number >= *min) && (!max || *number <= *max);
                return isWithin ? number : std::nullopt;
            },
            NumberText<T>};
}

/// Those from `min` to `max`.
template <typename T>
OptionType<T>
CountType(T min, T max = std::numeric_limits<T>::max())
{
    return CountType(std::optional(min), std::optional(max));
}

/// Finite numbers without a unit, such as `0.8` or `1e-6`. A bound may be absent.
OptionType<double> NumberType(std::optional<double> min, std::optional<double> max);

/// `true`, `on`, `t`, `1`, and what is the opposite of each.
OptionType<bool> BooleanType();

/// Sizes in whole bytes, with a unit or without: `64`, binary `4KiB`, decimal `1MB`; `1.5KiB` too.
OptionType<uint64_t> SizeType(uint64_t min, uint64_t max);

/// Times as ns-3 writes them (`1us`; seconds without a unit), rounded to the nearest picosecond. A
/// bound may be absent.
OptionType<Time> TimeType(const std::optional<Time>& min, const std::optional<Time>& max);

/// Rates as ns-3 writes them (`200Gbps`, `25GB/s`; bit/s without a unit), within bounds in bit/s.
OptionType<DataRate> RateType(uint64_t min = 1'000'000, uint64_t max = 100'000'000'000'000);

/// The same, or 0 for a rate that is said elsewhere.
OptionType<DataRate> OptionalRateType();

/// Any text, such as the name of a file, that the program checks itself.
OptionType<std::string> TextType();

/// @return what an option is whose variable says it: a boolean, any text, or a rate of a link
template <typename T>
OptionType<T>
UsualType()
{
    if constexpr (std::is_same_v<T, bool>)
    {
        return BooleanType();
    }
    else if constexpr (std::is_same_v<T, std::string>)
    {
        return TextType();
    }
    else
    {
        static_assert(std::is_same_v<T, DataRate>, "other types have bounds or words to be said");
        return RateType();
    }
}

/// One of some words, each of which stands for a value.
template <typename E>
OptionType<E>
EnumType(const std::vector<std::pair<std::string, E>>& choices)
{
    std::vector<std::string> words;
    for (const auto& choice : choices)
    {
        words.push_back(choice.first);
    }
    return {"one of " + WordList(words),
            [choices](const std::string& text) -> std::optional<E> {
                for (const auto& [word, value] : choices)
                {
                    if (word == text)
                    {
                        return value;
                    }
                }
                return std::nullopt;
            },
            [choices](const E& shown) {
                for (const auto& [word, value] : choices)
                {
                    if (value == shown)
                    {
                        return word;
                    }
                }
                return std::string("none of them");
            }};
}

/// One of some words.
OptionType<std::string> ChoiceType(const std::vector<std::string>& words);

/// One of some words, or the name of a file, which there is.
/// @param content what is in the file, `a topology`
OptionType<std::string> ChoiceOrFileType(const std::vector<std::string>& words,
                                         const std::string& content);

/**
 * Some of the words between commas, `none` or `all`. The value has them in the order of `words`, so
 * that the order given makes no difference.
 *
 * @param least how many at least, 0 or 1
 */
OptionType<std::vector<std::string>> ChoicesType(const std::vector<std::string>& words,
                                                 std::size_t least = 0);

/// Whole numbers between commas, each from `min` to `max`.
OptionType<std::vector<uint64_t>> CountsType(std::size_t least,
                                             std::size_t most,
                                             uint64_t min,
                                             uint64_t max);

/// @return the items of a text between commas, empty ones too; no items for an empty text
std::vector<std::string> SplitList(const std::string& text, char separator = ',');

/// @return a time as text, exactly, in a whole number unless that is long: `350ns`, `5.1516us`
std::string TimeText(const Time& time);

} // namespace ns3::fabric

#endif // FABRIC_OPTION_TYPE_H
