/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WORD_LIST_H
#define FABRIC_WORD_LIST_H

#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * For sentences that say what is allowed.
 *
 * @param separator between them
 * @return `a, b, c`
 */
inline std::string
WordList(const std::vector<std::string>& words, const std::string& separator = ", ")
{
    std::string text;
    for (const std::string& word : words)
    {
        text += (text.empty() ? "" : separator) + word;
    }
    return text;
}

} // namespace ns3::fabric

#endif // FABRIC_WORD_LIST_H
