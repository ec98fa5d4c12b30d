/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-preemption-attributes.h"

#include "fabric-attribute-flags.h"
#include "fabric-enum-attribute.h"

#include "ns3/boolean.h"
#include "ns3/object-base.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace fabric
{

TypeId
PreemptionAttributes::AddAttributes(TypeId tid, const std::string& prefix)
{
    return AddLimitAttributes(tid, prefix)
        .AddAttribute(prefix + "Preemption",
                      "Whether frames of latency-sensitive lanes interrupt those of lower levels "
                      "on the wire (VA-9).",
                      BEFORE_INSTALL,
                      BooleanValue(false),
                      MakeBooleanAccessor(&PreemptionAttributes::m_preempt),
                      MakeBooleanChecker())
        .AddAttribute(prefix + "Interleaving",
                      "Whether frames of any lane are sent while the next flit of the one that was "
                      "begun is not there (VA-10).",
                      BEFORE_INSTALL,
                      BooleanValue(false),
                      MakeBooleanAccessor(&PreemptionAttributes::m_interleave),
                      MakeBooleanChecker())
        .AddAttribute(prefix + "Check",
                      "When the bandwidth of a frame's group is checked: until it starts "
                      "(`packet`), or at each of its flits too (`flit`); it can then become "
                      "Over-Bandwidth half way, and be interrupted (VA-7).",
                      BEFORE_INSTALL,
                      EnumValue(CHECK_AT_PACKETS),
                      MakeEnumAttributeAccessor<CheckTime>(&PreemptionAttributes::m_checkTime),
                      MakeEnumChecker(CHECK_AT_PACKETS, "packet", CHECK_AT_FLITS, "flit"));
}

TypeId
PreemptionAttributes::AddLimitAttributes(TypeId tid, const std::string& prefix)
{
    const PreemptionSettings defaults;
    const auto most = MakeUintegerChecker<uint32_t>(0, PreemptionRules::MOST_BYTES);
    return tid
        .AddAttribute(prefix + "FlitBytes",
                      "Where frames can be cut. Omni-Path: a flit of 8 bytes.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.flitBytes),
                      MakeUintegerAccessor(&PreemptionAttributes::m_flitBytes),
                      MakeUintegerChecker<uint32_t>(1, 256))
        .AddAttribute(prefix + "MostUrgentBytes",
                      "Longest frame that interrupts others, bytes on the wire. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.mostUrgentBytes),
                      MakeUintegerAccessor(&PreemptionAttributes::m_mostUrgentBytes),
                      most)
        .AddAttribute(prefix + "LeastVictimBytes",
                      "Shortest frame that is interrupted, bytes on the wire. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.leastVictimBytes),
                      MakeUintegerAccessor(&PreemptionAttributes::m_leastVictimBytes),
                      most)
        .AddAttribute(prefix + "MostBytesPerVictim",
                      "Bytes that may interrupt one frame, all together. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.mostBytesPerVictim),
                      MakeUintegerAccessor(&PreemptionAttributes::m_mostBytesPerVictim),
                      most)
        .AddAttribute(prefix + "LeastSentBytes",
                      "Bytes of a frame that are sent before it is interrupted. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.leastSentBytes),
                      MakeUintegerAccessor(&PreemptionAttributes::m_leastSentBytes),
                      most)
        .AddAttribute(prefix + "LeastLeftBytes",
                      "Bytes of a frame that are left after it is interrupted. Omni-Path's.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.leastLeftBytes),
                      MakeUintegerAccessor(&PreemptionAttributes::m_leastLeftBytes),
                      most)
        .AddAttribute(prefix + "OpenFrames",
                      "Frames of a port that are partly sent at a time, the one on the wire among "
                      "them. VA-9: as many as levels, three by VA-1.",
                      BEFORE_INSTALL,
                      UintegerValue(defaults.levels),
                      MakeUintegerAccessor(&PreemptionAttributes::m_levels),
                      MakeUintegerChecker<uint32_t>(1, PreemptionRules::MOST_LEVELS));
}

PreemptionSettings
PreemptionAttributes::MakePreemptionSettings() const
{
    PreemptionSettings settings;
    settings.preempt = m_preempt;
    settings.interleave = m_interleave;
    settings.flitBytes = m_flitBytes;
    settings.mostUrgentBytes = m_mostUrgentBytes;
    settings.leastVictimBytes = m_leastVictimBytes;
    settings.mostBytesPerVictim = m_mostBytesPerVictim;
    settings.leastSentBytes = m_leastSentBytes;
    settings.leastLeftBytes = m_leastLeftBytes;
    settings.levels = m_levels;
    return settings;
}

} // namespace fabric
} // namespace ns3
