/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLON_FIELDS_H
#define FABRIC_COLON_FIELDS_H

#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace ns3::fabric
{

/**
 * Reads numbers with colons between, such as `0:65536:1e-3`.
 *
 * @param text of nothing else: signs before unsigned numbers, and spaces, are wrong
 * @param first is set to the first number
 * @param rest are set to the others
 * @return whether there are just so many, each in the range of its type
 */
template <typename First, typename... Rest>
bool
ReadColonFields(std::string_view text, First& first, Rest&... rest)
{
    const auto read = std::from_chars(text.data(), text.data() + text.size(), first);
    if (read.ec != std::errc())
    {
        return false;
    }
    text.remove_prefix(read.ptr - text.data());
    if constexpr (sizeof...(Rest) == 0)
    {
        return text.empty();
    }
    else
    {
        return !text.empty() && text[0] == ':' && ReadColonFields(text.substr(1), rest...);
    }
}

/**
 * @param text of words with commas, or a comma and spaces, between
 * @param use is called with each word: `void use(const std::string&)`
 */
template <typename Use>
void
ForEachWord(const std::string& text, Use&& use)
{
    std::istringstream words(text);
    for (std::string word; std::getline(words >> std::ws, word, ',');)
    {
        use(word);
    }
}

} // namespace ns3::fabric

#endif // FABRIC_COLON_FIELDS_H
