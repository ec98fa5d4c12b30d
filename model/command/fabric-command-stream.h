/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_STREAM_H
#define FABRIC_COMMAND_STREAM_H

#include "fabric-command-arguments.h"
#include "fabric-command.h"
#include "fabric-message-table.h"
#include "fabric-mixed-bits.h"

#include <cmath>
#include <cstdint>

namespace ns3::fabric
{

/// Commands that an application asks for, all alike: one, or many in a row.
struct CommandStream
{
    CommandOp op{CommandOp::PUT}; ///< What they ask for.
    MessageFlow flow;             ///< Where they go.
    uint64_t bytes{0};            ///< Of data, each.
    uint64_t count{1};            ///< How many, at least one.
    TimePs start{0};              ///< Time of the first one, ps.
    TimePs gap{0};                ///< Between two, in the mean; 0 for one after the other, ps.
    bool isRandom{false};         ///< Whether gaps are drawn, exponentially distributed.
    uint64_t seed{1};             ///< Of these.
    uint32_t outstanding{0};      ///< That may be without acknowledgement; 0 for any number.
    uint8_t badSlots{0};          ///< The length that headers say, wrongly; 0 for the right one.
    CommandArguments arguments;   ///< Of each of them.
    uint64_t bitsStep{0};         ///< By which their match bits differ, one from the next.
};

/// The times of a stream's commands.
class CommandClock
{
  public:
    CommandClock() = default;

    explicit CommandClock(const CommandStream& stream)
        : m_at(stream.start),
          m_gap(stream.gap),
          m_isRandom(stream.isRandom),
          m_seed(stream.seed)
    {
    }

    /// @return when the application asks for the present command, ps
    TimePs At() const
    {
        return m_at;
    }

    /// The next command is the present one.
    void Advance()
    {
        m_at += m_isRandom ? Draw() : m_gap;
    }

  private:
    /// @return a gap, ps
    TimePs Draw()
    {
        const double share = MixedShare(m_seed, ++m_draws) + 0x1p-54; // not 0
        return static_cast<TimePs>(-std::log(share) * static_cast<double>(m_gap));
    }

    TimePs m_at{0};         ///< Of the present command, ps.
    TimePs m_gap{0};        ///< In the mean, ps.
    bool m_isRandom{false}; ///< Whether they are drawn.
    uint64_t m_seed{0};     ///< Of the draws.
    uint64_t m_draws{0};    ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_STREAM_H
