/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_READ_POINTER_POLICY_H
#define FABRIC_READ_POINTER_POLICY_H

#include "fabric-command-settings.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * When the NIC writes the read pointer of a queue back to the host (NQ-4).
 *
 * A number of commands that a ring hardly has room for would bring the pointer back when the ring
 * is empty: the driver would wait for room all the time. So a quarter of the ring is enough,
 * whatever that number is.
 */
class ReadPointerPolicy
{
  public:
    /// @param settings that are valid @param ringSlots of the ring
    ReadPointerPolicy(const WriteBackSettings& settings, uint32_t ringSlots)
        : m_settings(settings),
          m_mostSlots(ringSlots / RING_PART)
    {
    }

    /**
     * Another policy from now on. What is not told yet is told at once: the new one may wait for
     * something that does not come as long as the driver waits for room.
     */
    void Set(const WriteBackSettings& settings)
    {
        m_settings = settings;
        m_isDue |= m_commands != 0;
    }

    /**
     * The read pointer has advanced by a command.
     *
     * @param slots of the command
     * @param isEmpty whether nothing is left in the ring, as far as the NIC knows
     */
    void Advance(uint32_t slots, bool isEmpty, TimePs now)
    {
        ++m_commands;
        m_slots += slots;
        if (m_commands == 1 && m_settings.interval != 0)
        {
            m_dueAt = now + m_settings.interval;
        }
        const bool isPart = m_settings.every != 0 && m_slots >= m_mostSlots;
        m_isDue |= m_commands == m_settings.every || isPart || (isEmpty && m_settings.onEmpty);
    }

    /// It is due whatever the settings are.
    void Force()
    {
        m_isDue = true;
    }

    /// @return when it is due by time, NEVER for not at all, ps
    TimePs DueAt() const
    {
        return m_dueAt;
    }

    /// @return whether it is due; it is then done
    bool Take(TimePs now)
    {
        if (!m_isDue && m_dueAt > now)
        {
            return false;
        }
        m_commands = 0;
        m_slots = 0;
        m_isDue = false;
        m_dueAt = NEVER;
        return true;
    }

  private:
    static constexpr uint32_t RING_PART = 4; ///< Of a ring; 256 slots (Cassini) of the default one.

    WriteBackSettings m_settings; ///< The settings.
    uint32_t m_mostSlots;         ///< That the read pointer passes, if `every` counts.
    uint32_t m_commands{0};       ///< Since the last one.
    uint32_t m_slots{0};          ///< Since the last one.
    bool m_isDue{false};          ///< By commands, or on empty.
    TimePs m_dueAt{NEVER};        ///< By time, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_READ_POINTER_POLICY_H
