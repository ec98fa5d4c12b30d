/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_CHANGES_H
#define FABRIC_LANE_CHANGES_H

#include "fabric-flow-entry.h"
#include "fabric-output-lanes.h"
#include "fabric-piece-sender.h"
#include "fabric-planned-changes.h"

#include <memory>

namespace ns3::fabric
{

/// How the lane table of a switch changes in the run (VA-11): no frame is lost, and those of a flow
/// stay in their order; what waits does so in the lanes of the new table from then on.
class LaneChanges
{
  public:
    LaneChanges(const SwitchPorts& ports,
                SwitchClock& clock,
                PlannedChanges& changes,
                OutputLanes& lanes,
                FlowEntry& entry,
                CrossbarArbiter& crossbar,
                PieceSender& sender)
        : m_ports(ports),
          m_clock(clock),
          m_changes(changes),
          m_lanes(lanes),
          m_entry(entry),
          m_crossbar(crossbar),
          m_sender(sender)
    {
    }

    /**
     * @param table that counts from then on
     * @param hasLinks whether there are links; before that the table is changed at once
     * @throws std::invalid_argument with a sentence if this switch can't have the table
     */
    void ChangeAt(TimePs at, const LaneTable& table, bool hasLinks);

  private:
    /// A table counts from now on.
    void Apply(const std::shared_ptr<LanePlans>& plans, TimePs now);

    const SwitchPorts& m_ports;  ///< Of the switch.
    SwitchClock& m_clock;        ///< Of the switch.
    PlannedChanges& m_changes;   ///< Of the switch.
    OutputLanes& m_lanes;        ///< Of the switch.
    FlowEntry& m_entry;          ///< Of the switch.
    CrossbarArbiter& m_crossbar; ///< Of the switch.
    PieceSender& m_sender;       ///< Of frames in pieces.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_CHANGES_H
