/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_WHEEL_H
#define FABRIC_WINDOW_WHEEL_H

#include "fabric-types.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Windows that begin soon, by the step in which they do: a few instructions to plan one, or to find
 * the first.
 *
 * Windows of switches with the same look-ahead begin together, at its multiples. So each step has
 * room for one time; the caller keeps what is of another time, and what is too far ahead.
 */
class WindowWheel
{
  public:
    static constexpr uint32_t STEPS = 64; ///< That it looks ahead.

    /// It is empty. @param windows numbers of windows are below
    void Resize(uint32_t windows)
    {
        m_words = (windows + WORD - 1) / WORD;
        m_numbers.assign(std::size_t{STEPS} * m_words, 0);
    }

    /// It is empty. @param step most windows that are not together begin so long after each other,
    /// above 0, ps
    void SetStep(TimePs step)
    {
        m_step = step;
        // Rounded up, so that a multiple of the step is not before its step.
        m_inverse = step == 1 ? ~uint64_t{0} : ~uint64_t{0} / static_cast<uint64_t>(step) + 1;
        m_from = StepOf(m_start);
    }

    /// @return see SetStep(); NEVER before it
    TimePs Step() const
    {
        return m_step;
    }

    /// @param time of Earliest(), or later than all that was taken: no window is before it, ps
    void Advance(TimePs time)
    {
        m_start = time;
        m_from = StepOf(time);
    }

    /**
     * @param time when it begins, not before that of the last Advance(), ps
     * @param number of the window
     * @return whether it is here now
     */
    bool Put(TimePs time, uint32_t number)
    {
        const uint64_t step = StepOf(time);
        const uint32_t place = step % STEPS;
        if (step - m_from >= STEPS || (IsTaken(place) && m_times[place] != time))
        {
            return false;
        }
        m_taken |= uint64_t{1} << place;
        m_times[place] = time;
        m_numbers[WordOf(place, number / WORD)] |= uint64_t{1} << number % WORD;
        return true;
    }

    /// @return when the first begins, NEVER if there is none, ps
    TimePs Earliest() const
    {
        if (m_taken == 0)
        {
            return NEVER;
        }
        const uint32_t first = m_from % STEPS;
        const uint64_t ahead = m_taken >> first | m_taken << (STEPS - first) % STEPS;
        return m_times[(first + static_cast<uint32_t>(__builtin_ctzll(ahead))) % STEPS];
    }

    /**
     * @param time when they begin, ps
     * @param isWanted whether one of them is: `bool isWanted(uint32_t number)`
     * @return whether any is
     */
    template <typename IsWanted>
    bool HasAny(TimePs time, IsWanted&& isWanted) const
    {
        const uint32_t place = StepOf(time) % STEPS;
        for (uint32_t word = 0; word < m_words; ++word)
        {
            for (uint64_t left = m_numbers[WordOf(place, word)]; left != 0; left &= left - 1)
            {
                if (isWanted(NumberOf(word, left)))
                {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * @param time of windows that are here, ps
     * @param visit is called with the number of each that begins then, in their order; they are
     * here no longer
     */
    template <typename Visit>
    void Take(TimePs time, Visit&& visit)
    {
        const uint32_t place = StepOf(time) % STEPS;
        m_taken &= ~(uint64_t{1} << place);
        for (uint32_t word = 0; word < m_words; ++word)
        {
            uint64_t& numbers = m_numbers[WordOf(place, word)];
            for (; numbers != 0; numbers &= numbers - 1)
            {
                visit(NumberOf(word, numbers));
            }
        }
    }

  private:
    __extension__ using Wide = unsigned __int128; ///< A product of two words.

    static constexpr uint32_t WORD = 64; ///< Windows in a word of a bit mask.

    /// @return index of a word of a place
    std::size_t WordOf(uint32_t place, uint32_t word) const
    {
        return std::size_t{place} * m_words + word;
    }

    /// @return the first window of a word that has some
    static uint32_t NumberOf(uint32_t word, uint64_t numbers)
    {
        return word * WORD + static_cast<uint32_t>(__builtin_ctzll(numbers));
    }

    /// @return number of the step that holds a time; it need not be exact, but does not fall
    uint64_t StepOf(TimePs time) const
    {
        return static_cast<uint64_t>((static_cast<Wide>(time) * m_inverse) >> 64);
    }

    /// @return whether windows begin in the step at a place
    bool IsTaken(uint32_t place) const
    {
        return (m_taken >> place & 1) != 0;
    }

    TimePs m_step{NEVER};                ///< See Step().
    uint64_t m_inverse{0};               ///< Of the step, times 2^64.
    TimePs m_start{0};                   ///< No window is before it, ps.
    uint64_t m_from{0};                  ///< Step of m_start.
    uint64_t m_taken{0};                 ///< Bit mask of the places with windows.
    uint32_t m_words{0};                 ///< Of the bit mask of a place.
    std::array<TimePs, STEPS> m_times{}; ///< When those of a place begin, ps.
    std::vector<uint64_t> m_numbers;     ///< Bit masks of windows, by place.
};

} // namespace ns3::fabric

#endif // FABRIC_WINDOW_WHEEL_H
