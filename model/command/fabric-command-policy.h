/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_POLICY_H
#define FABRIC_COMMAND_POLICY_H

#include "fabric-command-settings.h"
#include "fabric-command-status.h"

#include <cstdint>
#include <memory>

namespace ns3::fabric
{

/// What a driver knows of a queue when it chooses the path of a command.
struct DriverView
{
    bool isKnownEmpty;           ///< By the last read pointer that it has seen.
    bool hasMore;                ///< Whether the next command waits for the driver already.
    TimePs waited;               ///< Since the application has asked for this one, ps.
    TimePs bufferWait;           ///< For the core, had all gone to the buffer; see BufferBacklog.
    const CommandStatus& status; ///< The last status that it has seen.
};

/**
 * How the driver chooses the path of each command of a queue (NQ-8). A user's own one is put in by
 * FabricCommandQueues::SetPolicy().
 */
class CommandPolicy
{
  public:
    virtual ~CommandPolicy() = default;

    /// @return whether the driver looks at the status before it asks, which costs a cache miss if
    /// there is a new one
    virtual bool WantsStatus(const DriverView& view) = 0;

    /// @return whether a command that fits goes to the NIC's buffer, not only to the ring
    virtual bool UsesLowLatency(const DriverView& view) = 0;
};

/// Ring and doorbell, whatever happens.
class MemoryPolicy : public CommandPolicy
{
  public:
    bool WantsStatus(const DriverView&) override
    {
        return false;
    }

    bool UsesLowLatency(const DriverView&) override
    {
        return false;
    }
};

/// The buffer, whatever happens.
class LowLatencyPolicy : public CommandPolicy
{
  public:
    bool WantsStatus(const DriverView&) override
    {
        return false;
    }

    bool UsesLowLatency(const DriverView&) override
    {
        return true;
    }
};

/**
 * The buffer where the ring is known to be empty. Else it speculates, as long as that pays: as the
 * NIC's statistics say, and with hysteresis; after a pause it tries again. Where the core can't
 * keep up the rate counts and not the latency, so commands go to the ring, many for each doorbell,
 * and it does not even look.
 *
 * Who is sent by the buffer waits for those that are fetched before it, so the path must not change
 * to and fro: how long a command waits for the core says little, since the ring is what makes that
 * short. What counts is how long it would wait, did all go to the buffer.
 */
class DynamicPolicy : public CommandPolicy
{
  public:
    explicit DynamicPolicy(const DynamicPathSettings& settings)
        : m_settings(settings)
    {
    }

    bool WantsStatus(const DriverView& view) override
    {
        // Who speculates needs no more than the statistics.
        const bool isDue = !m_speculates || ++m_unseen >= m_settings.window;
        m_unseen = isDue ? 0 : m_unseen;
        return isDue && !IsBehind(view);
    }

    bool UsesLowLatency(const DriverView& view) override
    {
        Judge(view.status);
        if (!m_speculates && --m_pause == 0)
        {
            Begin(true, view.status); // it may pay by now
        }
        return !IsBehind(view) && (view.isKnownEmpty || m_speculates);
    }

  private:
    /// @return whether the driver can't keep up
    bool IsBehind(const DriverView& view) const
    {
        return view.bufferWait > m_settings.backlog ||
               (view.hasMore && view.waited > m_settings.backlog);
    }

    /// Looks at a window of writes whose fate is known.
    void Judge(const CommandStatus& status)
    {
        const uint64_t accepted = status.accepted - m_accepted;
        const uint64_t known = accepted + status.dropped - m_dropped;
        if (known < m_settings.window)
        {
            return;
        }
        const double share = static_cast<double>(accepted) / static_cast<double>(known);
        Begin(m_speculates ? share >= m_settings.stopBelow : share > m_settings.resumeAbove,
              status);
    }

    /// A window begins.
    void Begin(bool speculates, const CommandStatus& status)
    {
        m_pause = m_speculates && !speculates ? m_settings.pause : m_pause;
        m_speculates = speculates;
        m_accepted = status.accepted;
        m_dropped = status.dropped;
    }

    DynamicPathSettings m_settings; ///< The settings.
    bool m_speculates{true};        ///< At present.
    uint32_t m_pause{1};            ///< Commands until it speculates again, if it does not.
    uint32_t m_unseen{0};           ///< Commands since it has looked.
    uint64_t m_accepted{0};         ///< At the begin of the window.
    uint64_t m_dropped{0};          ///< At the begin of the window.
};

/// @param settings the user's @return the policy that they name
std::unique_ptr<CommandPolicy> MakeCommandPolicy(const CommandSettings& settings);

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_POLICY_H
