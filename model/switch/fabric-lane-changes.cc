/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-changes.h"

namespace ns3::fabric
{

void
LaneChanges::ChangeAt(TimePs at, const LaneTable& table, bool hasLinks)
{
    const std::shared_ptr<LanePlans> plans = m_lanes.PlansFor(table);
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        if (Nic* nic = m_ports.outputs[port].nic)
        {
            nic->ChangeLanesAt(at, *plans);
        }
    }
    if (!hasLinks)
    {
        Apply(plans, at);
        return;
    }
    m_changes.Plan({at, PlannedChanges::Kind::SETTINGS, 0, true, [this, plans](TimePs now) {
                        Apply(plans, now);
                    }});
    m_clock.GetAgenda().Wake(at);
}

void
LaneChanges::Apply(const std::shared_ptr<LanePlans>& plans, TimePs now)
{
    m_lanes.Apply(plans, now);
    m_entry.RenewLists();
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        if (m_ports.outputs[port].lanes)
        {
            m_crossbar.Relist(port, now);
        }
        if (m_ports.outputs[port].wire)
        {
            m_sender.Rerank(port, now);
        }
    }
}

} // namespace ns3::fabric
