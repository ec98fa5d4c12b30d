/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WIDE_SEARCH_H
#define FABRIC_WIDE_SEARCH_H

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// A link of a switch to another one.
struct NeighbourLink
{
    uint16_t port; ///< Of this switch.
    uint32_t sw;   ///< The other one.
};

/// Links of each switch to other switches, in ascending order of their ports.
using NeighbourLinks = std::vector<std::vector<NeighbourLink>>;

/**
 * Breadth-first searches from up to 64 switches at a time, all one link further at each step.
 *
 * Each search has a bit, and a switch a set of them, so that one look at a link serves all searches
 * that come by it. Only switches that some search has reached in the last step are looked at, so
 * long rows of switches take no more than searches one by one.
 */
class WideSearch
{
  public:
    static constexpr uint32_t WIDTH = 64; ///< Searches at a time.

    using Set = uint64_t; ///< A bit for each search.

    /// @param switches how many there are
    explicit WideSearch(uint32_t switches)
        : m_reached(switches),
          m_now(switches),
          m_before(switches)
    {
    }

    /// Forgets all searches.
    void Clear()
    {
        m_reached.assign(m_reached.size(), 0);
        Empty(m_now, m_front);
        Empty(m_before, m_last);
    }

    /**
     * Forgets all searches and begins others.
     *
     * @param count how many, WIDTH at most
     * @param switchOf where each begins: `uint32_t switchOf(uint32_t)`
     */
    template <typename SwitchOf>
    void Start(uint32_t count, const SwitchOf& switchOf)
    {
        Clear();
        for (uint32_t i = 0; i < count; ++i)
        {
            Join(switchOf(i), Set{1} << i);
        }
    }

    /// Some searches are at a switch now, as well as where they are otherwise.
    void Join(uint32_t sw, Set searches)
    {
        if (m_now[sw] == 0 && searches != 0)
        {
            m_front.push_back(sw);
        }
        m_now[sw] |= searches;
        m_reached[sw] |= searches;
    }

    /// Some searches are never to come to a switch.
    void Close(uint32_t sw, Set searches)
    {
        m_reached[sw] |= searches;
    }

    /**
     * All searches go one link further, to where they have not been.
     *
     * @param leadsOn whether they may go by a link: `bool leadsOn(uint32_t from, uint32_t to)`
     * @return whether one of them came anywhere
     */
    template <typename LeadsOn>
    bool Step(const NeighbourLinks& links, const LeadsOn& leadsOn)
    {
        Empty(m_before, m_last);
        m_before.swap(m_now);
        m_last.swap(m_front);
        for (const uint32_t sw : m_last)
        {
            const Set searches = m_before[sw];
            for (const NeighbourLink& link : links[sw])
            {
                const Set further = searches & ~m_reached[link.sw];
                if (further != 0 && leadsOn(sw, link.sw))
                {
                    if (m_now[link.sw] == 0)
                    {
                        m_front.push_back(link.sw);
                    }
                    m_now[link.sw] |= further;
                }
            }
        }
        for (const uint32_t sw : m_front)
        {
            m_reached[sw] |= m_now[sw];
        }
        return !m_front.empty();
    }

    /// The same by all links.
    bool Step(const NeighbourLinks& links)
    {
        return Step(links, [](uint32_t, uint32_t) { return true; });
    }

    /// @return switches that the last step has reached, each once
    const std::vector<uint32_t>& Front() const
    {
        return m_front;
    }

    /// @return searches that the last step has brought to a switch
    Set Now(uint32_t sw) const
    {
        return m_now[sw];
    }

    /// @return searches that the step before has brought there
    Set Before(uint32_t sw) const
    {
        return m_before[sw];
    }

    /// @return searches that have come to a switch, or are never to
    Set Reached(uint32_t sw) const
    {
        return m_reached[sw];
    }

    /// @return all of some searches. @param count how many
    static Set AllOf(uint32_t count)
    {
        return count == WIDTH ? ~Set{0} : (Set{1} << count) - 1;
    }

    /// @param visit is called with the number of each search of a set: `void visit(uint32_t)`
    template <typename Visit>
    static void ForEach(Set searches, const Visit& visit)
    {
        for (; searches != 0; searches &= searches - 1)
        {
            visit(static_cast<uint32_t>(__builtin_ctzll(searches)));
        }
    }

  private:
    /// Nobody is at these switches any more.
    static void Empty(std::vector<Set>& at, std::vector<uint32_t>& switches)
    {
        for (const uint32_t sw : switches)
        {
            at[sw] = 0;
        }
        switches.clear();
    }

    std::vector<Set> m_reached;    ///< By switch.
    std::vector<Set> m_now;        ///< By switch.
    std::vector<Set> m_before;     ///< By switch.
    std::vector<uint32_t> m_front; ///< Switches with searches in m_now.
    std::vector<uint32_t> m_last;  ///< Switches with searches in m_before.
};

} // namespace ns3::fabric

#endif // FABRIC_WIDE_SEARCH_H
