/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-preemption-attributes.h"

#include "fabric-attributed-type.h"

namespace ns3::fabric
{

TypeId
PreemptionAttributes::AddAttributes(TypeId tid, const std::string& prefix)
{
    constexpr uint32_t MOST_BYTES = PreemptionRules::MOST_BYTES;
    const PreemptionSettings defaults;
    return AttributedType(tid, BEFORE_INSTALL, &PreemptionAttributes::m_settings)
        .Add(prefix + "FlitBytes",
             "Size of a flit, bytes: frames can be preempted at flit boundaries. Omni-Path: 8.")
        .Sets(&PreemptionSettings::flitBytes, defaults.flitBytes, {1, 256})
        .Add(prefix + "MostUrgentBytes",
             "Longest frame that preempts others, bytes on the wire. As Omni-Path.")
        .Sets(&PreemptionSettings::mostUrgentBytes, defaults.mostUrgentBytes, {0, MOST_BYTES})
        .Add(prefix + "LeastVictimBytes",
             "Shortest frame that is preempted, bytes on the wire. As Omni-Path.")
        .Sets(&PreemptionSettings::leastVictimBytes, defaults.leastVictimBytes, {0, MOST_BYTES})
        .Add(prefix + "MostBytesPerVictim",
             "Bytes that may preempt one frame in all. As Omni-Path.")
        .Sets(&PreemptionSettings::mostBytesPerVictim, defaults.mostBytesPerVictim, {0, MOST_BYTES})
        .Add(prefix + "LeastSentBytes",
             "Bytes of a frame that are sent before it can be preempted. As Omni-Path.")
        .Sets(&PreemptionSettings::leastSentBytes, defaults.leastSentBytes, {0, MOST_BYTES})
        .Add(
            prefix + "LeastLeftBytes",
            "Bytes of a frame that are left after it is preempted for the last time. As Omni-Path.")
        .Sets(&PreemptionSettings::leastLeftBytes, defaults.leastLeftBytes, {0, MOST_BYTES})
        .Add(prefix + "OpenFrames",
             "Frames of a port that are partly sent at a time, including the one on the wire. 0 "
             "for the number of levels of the lane table, Over-Bandwidth included.")
        .Sets(&PreemptionSettings::levels, defaults.levels, {0, PreemptionRules::MOST_LEVELS})
        .Add(prefix + "Preemption",
             "Whether frames of latency-sensitive lanes preempt those of lower levels on the wire.")
        .Sets(&PreemptionSettings::preempt, false)
        .Add(prefix + "Interleaving",
             "Whether frames of other lanes are sent while the next flit of the current one has "
             "not arrived.")
        .Sets(&PreemptionSettings::interleave, false)
        .Add(prefix + "Check",
             "When the bandwidth of a frame's group is checked: until it starts (`packet`), or "
             "also at each of its flits (`flit`), where it can become Over-Bandwidth half way. "
             "Its rest is charged as that, and with `LanePreemption` short frames of "
             "latency-sensitive lanes may preempt it.")
        .SetsOneOf(&PreemptionAttributes::m_checkTime,
                   CHECK_AT_PACKETS,
                   "packet",
                   CHECK_AT_FLITS,
                   "flit");
}

} // namespace ns3::fabric
