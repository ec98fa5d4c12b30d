/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MATCH_POOL_H
#define FABRIC_MATCH_POOL_H

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Values in lists, each in one of them at most, in memory that is used again: who adds and removes
 * allocates nothing once the pool has been as full as it gets.
 *
 * @tparam T a value type
 */
template <typename T>
class MatchPool
{
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No place.

    /// A list, by places.
    struct List
    {
        uint32_t first{NONE}; ///< Its first value.
        uint32_t last{NONE};  ///< Its last value.
    };

    /// @return place of a value, which is in no list
    uint32_t Put(const T& value)
    {
        if (m_free == NONE)
        {
            m_free = static_cast<uint32_t>(m_nodes.size());
            m_nodes.push_back({});
        }
        const uint32_t place = m_free;
        m_free = m_nodes[place].next;
        m_nodes[place] = {value, NONE, NONE};
        ++m_size;
        return place;
    }

    /// @param place of a value that is in no list; it is kept no longer
    void Free(uint32_t place)
    {
        m_nodes[place].next = m_free;
        m_free = place;
        --m_size;
    }

    /// @param place of a value that is in no list; it is the last one of this list from now on
    void Append(List& list, uint32_t place)
    {
        m_nodes[place].before = list.last;
        m_nodes[place].next = NONE;
        (list.last == NONE ? list.first : m_nodes[list.last].next) = place;
        list.last = place;
    }

    /// @param place of a value of this list, which leaves it
    void Remove(List& list, uint32_t place)
    {
        const Node& node = m_nodes[place];
        (node.before == NONE ? list.first : m_nodes[node.before].next) = node.next;
        (node.next == NONE ? list.last : m_nodes[node.next].before) = node.before;
    }

    /// @return place of the value behind another one of its list, NONE for none
    uint32_t Next(uint32_t place) const
    {
        return m_nodes[place].next;
    }

    /// @return the value at a place
    T& At(uint32_t place)
    {
        return m_nodes[place].value;
    }

    /// @copydoc At(uint32_t)
    const T& At(uint32_t place) const
    {
        return m_nodes[place].value;
    }

    /// @return values that are kept
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return places that there are, used or free
    uint32_t Places() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

  private:
    /// A value in its list.
    struct Node
    {
        T value{};             ///< It.
        uint32_t next{NONE};   ///< Behind it; of one that is free: the next free one.
        uint32_t before{NONE}; ///< Before it.
    };

    std::vector<Node> m_nodes; ///< By place.
    uint32_t m_free{NONE};     ///< The first free place.
    uint32_t m_size{0};        ///< Places in use.
};

} // namespace ns3::fabric

#endif // FABRIC_MATCH_POOL_H
