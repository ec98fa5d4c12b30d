/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_AGE_QUEUE_PLACES_H
#define FABRIC_AGE_QUEUE_PLACES_H

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// How the places of an output's age queue are shared (SW-8, SW-9).
struct AgeQueueSettings
{
    uint32_t places{8192};      ///< In all.
    uint32_t fixedPlaces{4};    ///< Of each input in each list. Not published; chosen.
    double sharedFraction{0.5}; ///< Of the shared space that one active input may take; above 0.
};

/// How much of the shared space of an age queue inputs may take, by how many are active (SW-9).
class SharedSpaceTable
{
  public:
    static constexpr uint32_t ENTRIES = 64; ///< More active inputs have the last one's.

    /// @param fraction that one active input may take, above 0, at most 1
    explicit SharedSpaceTable(double fraction);

    /// @param active inputs, at least 1 @return fraction that all of them may take
    double Total(uint32_t active) const
    {
        return m_total[IndexOf(active)];
    }

    /// @param active inputs, at least 1 @return fraction that each of them may take
    double Each(uint32_t active) const
    {
        return m_total[IndexOf(active)] / active;
    }

  private:
    /// @return place in the table
    static uint32_t IndexOf(uint32_t active)
    {
        return (active < ENTRIES ? active : ENTRIES) - 1;
    }

    std::array<double, ENTRIES> m_total; ///< By number of active inputs - 1.
};

/**
 * The places of requests in the age queue of an output (SW-8): each input has a fixed number in
 * each list (virtual channel or lane), so that none of these can keep another out, and all share
 * the rest.
 *
 * A request takes a fixed place of its input. If the limits of the shared space allow, it moves
 * there at once and the fixed place is free again; else it is with the grant. Which of an input's
 * requests is granted makes no difference: fixed places are freed first.
 */
class AgeQueuePlaces
{
  public:
    /**
     * @param inputs that may ask
     * @param lists in which they may
     * @param settings of which inputs x lists x fixedPlaces are at most the places
     */
    AgeQueuePlaces(uint32_t inputs, uint32_t lists, const AgeQueueSettings& settings);

    /**
     * @param input that asks
     * @param list in which it does
     * @return whether there is a place, which is taken then
     */
    bool Take(uint32_t input, uint32_t list);

    /// A request that had a place is granted, or given up. @param list in which it was
    void Give(uint32_t input, uint32_t list);

    /// All requests are given up.
    void Clear();

    /// @return places that are taken
    uint32_t Taken() const
    {
        return m_taken;
    }

    /// @return places that an input has taken
    uint32_t TakenBy(uint32_t input) const
    {
        return m_inputs[input].fixed + m_inputs[input].shared;
    }

    /// @return places of the shared space that an input has taken
    uint32_t SharedBy(uint32_t input) const
    {
        return m_inputs[input].shared;
    }

    /// @return inputs that have taken places
    uint32_t Active() const
    {
        return m_active;
    }

  private:
    /// What an input has taken.
    struct Input
    {
        uint32_t fixed{0};  ///< Fixed places, of all lists.
        uint32_t shared{0}; ///< Places of the shared space.
    };

    /// @return whether an input may take another place of the shared space
    bool MayShare(const Input& input) const;

    uint32_t m_lists;                   ///< In which inputs ask.
    uint32_t m_fixedPlaces;             ///< Of each input in each list.
    double m_sharedPlaces;              ///< Size of the shared space.
    SharedSpaceTable m_limits;          ///< Of the shared space.
    std::vector<Input> m_inputs;        ///< By input.
    std::vector<uint32_t> m_fixedTaken; ///< By input, then by list.
    uint32_t m_sharedTaken{0};          ///< Places of the shared space.
    uint32_t m_taken{0};                ///< Places of both kinds.
    uint32_t m_active{0};               ///< Inputs that have places.
};

} // namespace ns3::fabric

#endif // FABRIC_AGE_QUEUE_PLACES_H
