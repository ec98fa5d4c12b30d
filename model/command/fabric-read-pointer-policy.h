/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_READ_POINTER_POLICY_H
#define FABRIC_READ_POINTER_POLICY_H

#include "fabric-command-settings.h"

#include <cstdint>

namespace ns3::fabric
{

/// When the NIC writes the read pointer of a queue back to the host (NQ-4).
class ReadPointerPolicy
{
  public:
    explicit ReadPointerPolicy(const WriteBackSettings& settings)
        : m_settings(settings)
    {
    }

    /**
     * The read pointer has advanced by a command.
     *
     * @param isEmpty whether nothing is left in the ring, as far as the NIC knows
     */
    void Advance(bool isEmpty, TimePs now)
    {
        ++m_commands;
        if (m_commands == 1 && m_settings.interval != 0)
        {
            m_dueAt = now + m_settings.interval;
        }
        m_isDue |= m_commands == m_settings.every || (isEmpty && m_settings.onEmpty);
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
        m_isDue = false;
        m_dueAt = NEVER;
        return true;
    }

  private:
    WriteBackSettings m_settings; ///< The settings.
    uint32_t m_commands{0};       ///< Since the last one.
    bool m_isDue{false};          ///< By commands, or on empty.
    TimePs m_dueAt{NEVER};        ///< By time, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_READ_POINTER_POLICY_H
