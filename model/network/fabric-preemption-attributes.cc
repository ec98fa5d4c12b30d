/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-preemption-attributes.h"

#include "fabric-attribute-flags.h"
#include "fabric-field-attribute.h"

namespace ns3
{
namespace fabric
{

TypeId
PreemptionAttributes::AddAttributes(TypeId tid, const std::string& prefix)
{
    return AddLimitAttributes(tid, prefix)
        .AddAttribute(
            prefix + "Preemption",
            "Whether frames of latency-sensitive lanes interrupt those of lower levels "
            "on the wire.",
            BEFORE_INSTALL,
            BooleanValue(false),
            MakeFieldAccessor(&PreemptionAttributes::m_settings, &PreemptionSettings::preempt),
            MakeBooleanChecker())
        .AddAttribute(
            prefix + "Interleaving",
            "Whether frames of any lane are sent while the next flit of the one that was "
            "begun is not there.",
            BEFORE_INSTALL,
            BooleanValue(false),
            MakeFieldAccessor(&PreemptionAttributes::m_settings, &PreemptionSettings::interleave),
            MakeBooleanChecker())
        .AddAttribute(prefix + "Check",
                      "When the bandwidth of a frame's group is checked: until it starts "
                      "(`packet`), or at each of its flits too (`flit`); it can then become "
                      "Over-Bandwidth half way, and be interrupted.",
                      BEFORE_INSTALL,
                      EnumValue(CHECK_AT_PACKETS),
                      MakeFieldAccessor(&PreemptionAttributes::m_checkTime),
                      MakeEnumChecker(CHECK_AT_PACKETS, "packet", CHECK_AT_FLITS, "flit"));
}

TypeId
PreemptionAttributes::AddLimitAttributes(TypeId tid, const std::string& prefix)
{
    const PreemptionSettings defaults;
    // One for each attribute: ns-3's factories tell the values that they keep apart by them.
    const auto most = [] { return MakeUintegerChecker<uint32_t>(0, PreemptionRules::MOST_BYTES); };
    return tid
        .AddAttribute(
            prefix + "FlitBytes",
            "Where frames can be cut. Omni-Path: a flit of 8 bytes.",
            BEFORE_INSTALL,
            UintegerValue(defaults.flitBytes),
            MakeFieldAccessor(&PreemptionAttributes::m_settings, &PreemptionSettings::flitBytes),
            MakeUintegerChecker<uint32_t>(1, 256))
        .AddAttribute(prefix + "MostUrgentBytes",
                      "Longest frame that interrupts others, bytes on the wire. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.mostUrgentBytes),
                      MakeFieldAccessor(&PreemptionAttributes::m_settings,
                                        &PreemptionSettings::mostUrgentBytes),
                      most())
        .AddAttribute(prefix + "LeastVictimBytes",
                      "Shortest frame that is interrupted, bytes on the wire. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.leastVictimBytes),
                      MakeFieldAccessor(&PreemptionAttributes::m_settings,
                                        &PreemptionSettings::leastVictimBytes),
                      most())
        .AddAttribute(prefix + "MostBytesPerVictim",
                      "Bytes that may interrupt one frame, all together. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.mostBytesPerVictim),
                      MakeFieldAccessor(&PreemptionAttributes::m_settings,
                                        &PreemptionSettings::mostBytesPerVictim),
                      most())
        .AddAttribute(prefix + "LeastSentBytes",
                      "Bytes of a frame that are sent before it is interrupted. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.leastSentBytes),
                      MakeFieldAccessor(&PreemptionAttributes::m_settings,
                                        &PreemptionSettings::leastSentBytes),
                      most())
        .AddAttribute(prefix + "LeastLeftBytes",
                      "Bytes of a frame that are left after it is interrupted. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.leastLeftBytes),
                      MakeFieldAccessor(&PreemptionAttributes::m_settings,
                                        &PreemptionSettings::leastLeftBytes),
                      most())
        .AddAttribute(
            prefix + "OpenFrames",
            "Frames of a port that are partly sent at a time, the one on the wire among "
            "them. By default as many as levels of priority.",
            BEFORE_INSTALL,
            UintegerValue(defaults.levels),
            MakeFieldAccessor(&PreemptionAttributes::m_settings, &PreemptionSettings::levels),
            MakeUintegerChecker<uint32_t>(1, PreemptionRules::MOST_LEVELS));
}

} // namespace fabric
} // namespace ns3
