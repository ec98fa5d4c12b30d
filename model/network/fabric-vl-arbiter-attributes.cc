/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-vl-arbiter-attributes.h"

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
VlArbiterAttributes::AddAttributes(TypeId tid, const std::string& prefix)
{
    return AddMeterAttributes(tid, prefix)
        .AddAttribute(prefix + "Meter",
                      "How the bandwidth of groups is measured (VA-2).",
                      BEFORE_INSTALL,
                      EnumValue(TOKEN_BUCKET),
                      MakeEnumAttributeAccessor<MeterKind>(&VlArbiterAttributes::m_meter),
                      MakeEnumChecker(TOKEN_BUCKET,
                                      "token-bucket",
                                      LEAKY_BUCKET,
                                      "leaky-bucket",
                                      SLIDING_WINDOW,
                                      "sliding-window"))
        .AddAttribute(prefix + "Mode",
                      "What is checked by a meter: each lane, or the lane that each group has "
                      "chosen (VA-5).",
                      BEFORE_INSTALL,
                      EnumValue(CHECK_LANES),
                      MakeEnumAttributeAccessor<CheckMode>(&VlArbiterAttributes::m_mode),
                      MakeEnumChecker(CHECK_LANES, "lane", CHECK_GROUPS, "group"))
        .AddAttribute(prefix + "OverBandwidth",
                      "What happens to packets that do not conform: they go to the "
                      "Over-Bandwidth level, or wait until they conform (VA-4).",
                      BEFORE_INSTALL,
                      EnumValue(OVER_DEMOTE),
                      MakeEnumAttributeAccessor<OverTreatment>(&VlArbiterAttributes::m_over),
                      MakeEnumChecker(OVER_DEMOTE, "demote", OVER_DISQUALIFY, "disqualify"))
        .AddAttribute(
            prefix + "Turns",
            "Between lanes or groups of a level (VA-3). Round robin can starve a "
            "lane whose group conforms at certain times only.",
            BEFORE_INSTALL,
            EnumValue(LEAST_RECENTLY_USED),
            MakeEnumAttributeAccessor<TurnPolicy>(&VlArbiterAttributes::m_turns),
            MakeEnumChecker(LEAST_RECENTLY_USED, "least-recently-used", ROUND_ROBIN, "round-robin"))
        .AddAttribute(prefix + "ChargeOverBandwidth",
                      "Whether packets that do not conform are charged to the meter (VA-8).",
                      BEFORE_INSTALL,
                      BooleanValue(false),
                      MakeBooleanAccessor(&VlArbiterAttributes::m_chargeOver),
                      MakeBooleanChecker());
}

TypeId
VlArbiterAttributes::AddMeterAttributes(TypeId tid, const std::string& prefix)
{
    return tid
        .AddAttribute(prefix + "Burst",
                      "Token bucket: bytes that a group may save up. Our choice.",
                      BEFORE_INSTALL,
                      UintegerValue(MeterSettings{}.burst),
                      MakeUintegerAccessor(&VlArbiterAttributes::m_burst),
                      MakeUintegerChecker<uint32_t>(1, 1U << 30))
        .AddAttribute(prefix + "Tolerance",
                      "Leaky bucket: bytes that may stand in it when a packet is sent. Our "
                      "choice.",
                      BEFORE_INSTALL,
                      UintegerValue(MeterSettings{}.tolerance),
                      MakeUintegerAccessor(&VlArbiterAttributes::m_tolerance),
                      MakeUintegerChecker<uint32_t>(0, 1U << 30))
        .AddAttribute(prefix + "Debt",
                      "Buckets, with ChargeOverBandwidth: bytes that such packets may put a "
                      "group behind. Our choice.",
                      BEFORE_INSTALL,
                      UintegerValue(MeterSettings{}.debt),
                      MakeUintegerAccessor(&VlArbiterAttributes::m_debt),
                      MakeUintegerChecker<uint32_t>(0, 1U << 30))
        .AddAttribute(prefix + "Window",
                      "Sliding window: its length; 0 for the time in which the link carries "
                      "1 MiB. Our choice.",
                      BEFORE_INSTALL,
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&VlArbiterAttributes::m_window),
                      MakeTimeChecker(Time(0), Seconds(1000)));
}

VlArbiterSettings
VlArbiterAttributes::MakeArbiterSettings(const LinkRate& rate) const
{
    VlArbiterSettings settings;
    settings.rate = rate;
    settings.meter = {m_meter, m_burst, m_tolerance, m_debt, m_window.GetPicoSeconds()};
    settings.mode = m_mode;
    settings.over = m_over;
    settings.chargeOver = m_chargeOver;
    settings.turns = m_turns;
    return settings;
}

} // namespace fabric
} // namespace ns3
