/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OPTION_TEXT_H
#define FABRIC_OPTION_TEXT_H

#include "fabric-types.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/**
 * Text to value, for options, table files and attributes. Each function takes the name of what is
 * being read (`--bytes`, `lanes.csv line 3`) and throws std::invalid_argument with one sentence
 * that names it, the text and what is allowed. ns-3's own readers are not used because they abort,
 * or read `5x` as 5.
 */

namespace ns3
{
namespace fabric
{

/// Inclusive bounds of a number.
template <typename T>
struct Bounds
{
    T min; ///< Smallest value allowed.
    T max; ///< Largest value allowed.
};

/// The sentence for a value that is not allowed: `what=text: allowed is allowed`, as an exception.
[[noreturn]] void ThrowNotAllowed(const std::string& what,
                                  const std::string& text,
                                  const std::string& allowed);

/**
 * @param bounds bounds of a count
 * @return `a whole number from 1 to 64`
 */
std::string AllowedCount(Bounds<uint64_t> bounds);

/**
 * @param bounds bounds of a number
 * @return as AllowedCount()
 */
std::string AllowedNumber(Bounds<double> bounds);

/**
 * @param bounds bounds of a size
 * @return as AllowedCount()
 */
std::string AllowedSize(Bounds<uint64_t> bounds);

/**
 * @param bounds bounds of a time
 * @return as AllowedCount()
 */
std::string AllowedTime(Bounds<TimePs> bounds);

/**
 * @param bounds bounds of a rate
 * @return as AllowedCount()
 */
std::string AllowedRate(Bounds<uint64_t> bounds);

/**
 * @param words the words of a choice
 * @return `one of a, b, c`
 */
std::string AllowedChoice(const std::vector<std::string>& words);

/// What a boolean option takes, for the sentence and the help text.
inline constexpr const char* ALLOWED_BOOLEAN = "true, on, t, 1, false, off, f or 0";

/// The longest Time in picoseconds, about 106 days.
inline constexpr Bounds<TimePs> ANY_TIME{-(NEVER - 1), NEVER - 1};

/// Rates that a DataRate can hold and that arithmetic in picoseconds can use, bit/s.
inline constexpr Bounds<uint64_t> ANY_RATE{0, 1'000'000'000'000'000'000};

/**
 * @param what the name of what is read
 * @param text decimal digits only
 * @param bounds the numbers allowed
 * @return the number
 */
uint64_t ParseCount(const std::string& what, const std::string& text, Bounds<uint64_t> bounds);

/**
 * @param what the name of what is read
 * @param text a finite decimal number such as `0.8` or `1e-6`
 * @param bounds the numbers allowed
 * @return the number
 */
double ParseNumber(const std::string& what, const std::string& text, Bounds<double> bounds);

/**
 * @param what the name of what is read
 * @param text a number of bytes with an optional unit: B, binary KiB MiB GiB, decimal kB KB MB GB
 * @param bounds bytes allowed
 * @return whole bytes; `1.5KiB` is taken, `1.5B` is not
 */
uint64_t ParseSize(const std::string& what, const std::string& text, Bounds<uint64_t> bounds);

/**
 * @param what the name of what is read
 * @param text a time as ns-3 reads it (`1us`, `0.5ms`; seconds without a unit)
 * @param bounds picoseconds allowed
 * @return picoseconds, rounded to the nearest
 */
TimePs ParseTime(const std::string& what,
                 const std::string& text,
                 Bounds<TimePs> bounds = ANY_TIME);

/**
 * @param what the name of what is read
 * @param text a rate as ns-3 reads it (`200Gbps`, `25GB/s`; bit/s without a unit)
 * @param bounds bit/s allowed
 * @return bit/s, rounded to the nearest
 */
uint64_t ParseRate(const std::string& what,
                   const std::string& text,
                   Bounds<uint64_t> bounds = ANY_RATE);

/**
 * @param what the name of what is read
 * @param text one of ALLOWED_BOOLEAN
 * @return the boolean
 */
bool ParseBoolean(const std::string& what, const std::string& text);

/**
 * @param what the name of what is read
 * @param text one of `words`, letter for letter
 * @param words the words allowed
 * @return the index of the word
 */
std::size_t ParseChoice(const std::string& what,
                        const std::string& text,
                        const std::vector<std::string>& words);

/**
 * @param text items between commas
 * @return the items, empty ones too; no items for an empty text
 */
std::vector<std::string> SplitList(const std::string& text);

/**
 * @param bytes a size
 * @return the size in the largest binary unit that gives a whole number: `4KiB`, `1000`
 */
std::string SizeText(uint64_t bytes);

/**
 * @param time picoseconds
 * @return the time in the largest unit from ps to s that gives a whole number: `350ns`
 */
std::string TimeText(TimePs time);

/**
 * @param rate bit/s
 * @return the rate in the largest decimal unit that gives a whole number: `200Gbps`
 */
std::string RateText(uint64_t rate);

} // namespace fabric
} // namespace ns3

#endif // FABRIC_OPTION_TEXT_H
