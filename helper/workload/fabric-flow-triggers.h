/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_TRIGGERS_H
#define FABRIC_FLOW_TRIGGERS_H

#include "fabric-flow-list.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// What the triggers of a list have started so far.
class FlowTriggers
{
  public:
    /// @param list of flows and triggers; outlives this object
    explicit FlowTriggers(const FlowList& list)
        : m_list(list),
          m_activations(list.triggers.size(), 0)
    {
    }

    /**
     * All of a flow is sent, and known to have arrived.
     *
     * @param flow its number
     * @param start is called with the number of each flow that starts
     */
    template <typename Start>
    void Sent(uint32_t flow, const Start& start)
    {
        Activate(m_list.flows[flow].sendDone, start);
    }

    /// All of a flow is received. @copydetails Sent()
    template <typename Start>
    void Received(uint32_t flow, const Start& start)
    {
        Activate(m_list.flows[flow].receiveDone, start);
    }

    /// A flow is done at both ends. @copydetails Sent()
    template <typename Start>
    void FlowDone(uint32_t flow, const Start& start)
    {
        Sent(flow, start);
        Received(flow, start);
    }

    /// @return how often a trigger was activated
    uint32_t CountActivations(uint32_t trigger) const
    {
        return m_activations[trigger];
    }

  private:
    /// Activates a trigger. @param number of it, perhaps none @param start as above
    template <typename Start>
    void Activate(uint32_t number, const Start& start)
    {
        if (number == FlowList::NONE)
        {
            return;
        }
        using Kind = ConnectionMatrix::TriggerKind;
        const FlowList::Trigger& trigger = m_list.triggers[number];
        const uint32_t before = m_activations[number]++;
        if (trigger.kind == Kind::MULTISHOT)
        {
            if (before < trigger.flows.size())
            {
                start(trigger.flows[before]);
            }
            return;
        }
        if (before + 1 == (trigger.kind == Kind::BARRIER ? trigger.count : 1))
        {
            for (const uint32_t flow : trigger.flows)
            {
                start(flow);
            }
        }
    }

    const FlowList& m_list;              ///< What they are.
    std::vector<uint32_t> m_activations; ///< Of each trigger.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_TRIGGERS_H
