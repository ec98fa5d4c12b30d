/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HOST_LIST_H
#define FABRIC_HOST_LIST_H

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * The hosts of the ranks of parallel programs, from a text: numbers of hosts in the order of ranks,
 * and ranges of them, between blanks and in any lines. What follows a # is a comment.
 *
 * @code
 * # 6 ranks
 * 12-14 3
 * 40 41
 * @endcode
 */
class HostList
{
  public:
    /**
     * @param name of a file
     * @param hosts of the fabric
     * @return hosts by rank, at least two, each another one
     * @throws std::invalid_argument with a sentence if it can't be read, or says something that is
     * not allowed
     */
    static std::vector<uint32_t> Read(const std::string& name, uint32_t hosts);

    /// The same from a stream. @param name of what is read, for sentences
    static std::vector<uint32_t> Read(std::istream& is, const std::string& name, uint32_t hosts);
};

} // namespace ns3::fabric

#endif // FABRIC_HOST_LIST_H
