/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_RANKS_H
#define FABRIC_GROUP_RANKS_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Which ranks have members of groups (FC-16), as one rank sees it.
class GroupRanks
{
  public:
    /// @param own this rank
    explicit GroupRanks(uint32_t own)
        : m_own(own)
    {
    }

    /// Adds the next group, from FIRST_GROUP on. @param ranks of its members
    void Add(const std::vector<uint32_t>& ranks)
    {
        Places places;
        for (const uint32_t rank : ranks)
        {
            places.here += rank == m_own ? 1 : 0;
            if (rank != m_own &&
                std::find(places.others.begin(), places.others.end(), rank) == places.others.end())
            {
                places.others.push_back(rank);
            }
        }
        m_groups.push_back(std::move(places));
    }

    /// @return members on this rank
    uint16_t MembersHere(LocationId group) const
    {
        return m_groups[group - FIRST_GROUP].here;
    }

    /// @return other ranks with members, each once
    const std::vector<uint32_t>& OthersOf(LocationId group) const
    {
        return m_groups[group - FIRST_GROUP].others;
    }

    /// @return who has to tell of a message of a member here before it is over: the other members
    /// here, and each other rank with members
    uint16_t CountTellers(LocationId group) const
    {
        return static_cast<uint16_t>(MembersHere(group) - 1 + OthersOf(group).size());
    }

  private:
    /// Where the members of a group are.
    struct Places
    {
        uint16_t here{0};               ///< Members on this rank.
        std::vector<uint32_t> others{}; ///< Other ranks with members.
    };

    uint32_t m_own;               ///< This rank.
    std::vector<Places> m_groups; ///< From FIRST_GROUP on.
};

} // namespace ns3::fabric

#endif // FABRIC_GROUP_RANKS_H
