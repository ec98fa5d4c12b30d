/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_LOG_H
#define FABRIC_FLOW_LOG_H

#include "fabric-types.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * What comes of the flows of a list: when each has started, was there and was known to be there,
 * and how they have ended. A way to end is a number, an outcome; 0 is success.
 */
class FlowLog
{
  public:
    static constexpr std::size_t SUCCESS = 0; ///< An outcome.

    /// What has come of a flow.
    struct State
    {
        TimePs start{NEVER};    ///< ps.
        TimePs received{NEVER}; ///< Its last byte was with who receives, ps.
        TimePs told{NEVER};     ///< Who has sent it knows that, ps.
    };

    /// @param flows how many there are @param outcomes how many ways to end there are
    FlowLog(std::size_t flows, std::size_t outcomes);

    /// A flow starts now.
    void Start(uint32_t flow);

    /// Who receives a flow is told now that all is there. @param at since when, ps
    void Receive(uint32_t flow, TimePs at);

    /// Who sends a flow is told now how it has ended.
    void End(uint32_t flow, std::size_t outcome);

    /// A flow ends with its start, of which nobody is told.
    void EndAtStart(std::size_t outcome)
    {
        ++m_outcomes[outcome];
    }

    /// Gets what has come of flows on other ranks; all ranks have to call it, when the simulation
    /// is over.
    void AddRanks();

    /// @return how many flows have ended
    uint64_t CountOver() const;

    /// @return how many have ended so
    uint64_t Count(std::size_t outcome) const
    {
        return m_outcomes[outcome];
    }

    /// @return part of the flows that are over, 0 to 1
    double GetDone() const;

    /// @return when somebody was told of something last, ps
    TimePs GetEnd() const
    {
        return m_end;
    }

    /// @return of all flows
    const std::vector<State>& GetStates() const
    {
        return m_states;
    }

    /// @throws InvariantError if flows are left though nothing has failed
    void CheckComplete() const;

  private:
    std::vector<State> m_states;      ///< By flow.
    std::vector<uint64_t> m_outcomes; ///< How many flows have ended so.
    uint64_t m_started{0};            ///< Flows.
    TimePs m_end{0};                  ///< See GetEnd().
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_LOG_H
