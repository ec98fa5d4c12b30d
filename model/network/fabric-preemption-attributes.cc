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
        .Add(prefix + "FlitBytes", "Where frames can be cut. Omni-Path: a flit of 8 bytes.")
        .Sets(&PreemptionSettings::flitBytes, defaults.flitBytes, {1, 256})
        .Add(prefix + "MostUrgentBytes",
             "Longest frame that interrupts others, bytes on the wire. Omni-Path's.")
        .Sets(&PreemptionSettings::mostUrgentBytes, defaults.mostUrgentBytes, {0, MOST_BYTES})
        .Add(prefix + "LeastVictimBytes",
             "Shortest frame that is interrupted, bytes on the wire. Omni-Path's.")
        .Sets(&PreemptionSettings::leastVictimBytes, defaults.leastVictimBytes, {0, MOST_BYTES})
        .Add(prefix + "MostBytesPerVictim",
             "Bytes that may interrupt one frame, all together. Omni-Path's.")
        .Sets(&PreemptionSettings::mostBytesPerVictim, defaults.mostBytesPerVictim, {0, MOST_BYTES})
        .Add(prefix + "LeastSentBytes",
             "Bytes of a frame that are sent before it is interrupted. Omni-Path's.")
        .Sets(&PreemptionSettings::leastSentBytes, defaults.leastSentBytes, {0, MOST_BYTES})
        .Add(prefix + "LeastLeftBytes",
             "Bytes of a frame that are left after it is interrupted. Omni-Path's.")
        .Sets(&PreemptionSettings::leastLeftBytes, defaults.leastLeftBytes, {0, MOST_BYTES})
        .Add(prefix + "OpenFrames",
             "Frames of a port that are partly sent at a time, the one on the wire among them. 0 "
             "for "
             "as many as the lane table has levels, with Over-Bandwidth.")
        .Sets(&PreemptionSettings::levels, defaults.levels, {0, PreemptionRules::MOST_LEVELS})
        .Add(prefix + "Preemption",
             "Whether frames of latency-sensitive lanes interrupt those of lower levels on the "
             "wire.")
        .Sets(&PreemptionSettings::preempt, false)
        .Add(prefix + "Interleaving",
             "Whether frames of any lane are sent while the next flit of the one that was begun is "
             "not there.")
        .Sets(&PreemptionSettings::interleave, false)
        .Add(prefix + "Check",
             "When the bandwidth of a frame's group is checked: until it starts (`packet`), or at "
             "each of its flits too (`flit`); it can then become Over-Bandwidth half way, and be "
             "interrupted.")
        .SetsOneOf(&PreemptionAttributes::m_checkTime,
                   CHECK_AT_PACKETS,
                   "packet",
                   CHECK_AT_FLITS,
                   "flit");
}

} // namespace ns3::fabric
