/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-vl-arbiter-attributes.h"

#include "fabric-attribute-flags.h"
#include "fabric-field-attribute.h"

namespace ns3
{
namespace fabric
{

TypeId
VlArbiterAttributes::AddAttributes(TypeId tid, const std::string& prefix)
{
    return AddMeterAttributes(tid, prefix)
        .AddAttribute(prefix + "Meter",
                      "How the bandwidth of groups is measured.",
                      BEFORE_INSTALL,
                      EnumValue(TOKEN_BUCKET),
                      MakeFieldAccessor(&VlArbiterAttributes::m_settings,
                                        &VlArbiterSettings::meter,
                                        &MeterSettings::kind),
                      MakeEnumChecker(TOKEN_BUCKET,
                                      "token-bucket",
                                      LEAKY_BUCKET,
                                      "leaky-bucket",
                                      SLIDING_WINDOW,
                                      "sliding-window"))
        .AddAttribute(prefix + "Mode",
                      "What is checked by a meter: each lane, or the lane that each group has "
                      "chosen.",
                      BEFORE_INSTALL,
                      EnumValue(CHECK_LANES),
                      MakeFieldAccessor(&VlArbiterAttributes::m_settings, &VlArbiterSettings::mode),
                      MakeEnumChecker(CHECK_LANES, "lane", CHECK_GROUPS, "group"))
        .AddAttribute(prefix + "OverBandwidth",
                      "What happens to packets that do not conform: they go to the "
                      "Over-Bandwidth level, or wait until they conform.",
                      BEFORE_INSTALL,
                      EnumValue(OVER_DEMOTE),
                      MakeFieldAccessor(&VlArbiterAttributes::m_settings, &VlArbiterSettings::over),
                      MakeEnumChecker(OVER_DEMOTE, "demote", OVER_DISQUALIFY, "disqualify"))
        .AddAttribute(
            prefix + "Turns",
            "Between lanes or groups of a level. Round robin can starve a "
            "lane whose group conforms at certain times only.",
            BEFORE_INSTALL,
            EnumValue(LEAST_RECENTLY_USED),
            MakeFieldAccessor(&VlArbiterAttributes::m_settings, &VlArbiterSettings::turns),
            MakeEnumChecker(LEAST_RECENTLY_USED, "least-recently-used", ROUND_ROBIN, "round-robin"))
        .AddAttribute(
            prefix + "ChargeOverBandwidth",
            "Whether packets that do not conform are charged to the meter.",
            BEFORE_INSTALL,
            BooleanValue(false),
            MakeFieldAccessor(&VlArbiterAttributes::m_settings, &VlArbiterSettings::chargeOver),
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
                      MakeFieldAccessor(&VlArbiterAttributes::m_settings,
                                        &VlArbiterSettings::meter,
                                        &MeterSettings::burst),
                      MakeUintegerChecker<uint32_t>(1, 1U << 30))
        .AddAttribute(prefix + "Tolerance",
                      "Leaky bucket: bytes that may stand in it when a packet is sent. Our "
                      "choice.",
                      BEFORE_INSTALL,
                      UintegerValue(MeterSettings{}.tolerance),
                      MakeFieldAccessor(&VlArbiterAttributes::m_settings,
                                        &VlArbiterSettings::meter,
                                        &MeterSettings::tolerance),
                      MakeUintegerChecker<uint32_t>(0, 1U << 30))
        .AddAttribute(prefix + "Debt",
                      "Buckets, with ChargeOverBandwidth: bytes that such packets may put a "
                      "group behind. Our choice.",
                      BEFORE_INSTALL,
                      UintegerValue(MeterSettings{}.debt),
                      MakeFieldAccessor(&VlArbiterAttributes::m_settings,
                                        &VlArbiterSettings::meter,
                                        &MeterSettings::debt),
                      MakeUintegerChecker<uint32_t>(0, 1U << 30))
        .AddAttribute(prefix + "Window",
                      "Sliding window: its length; 0 for the time in which the link carries "
                      "1 MiB. Our choice.",
                      BEFORE_INSTALL,
                      TimeValue(Time(0)),
                      MakeFieldAccessor(&VlArbiterAttributes::m_settings,
                                        &VlArbiterSettings::meter,
                                        &MeterSettings::window),
                      MakeTimeChecker(Time(0), Seconds(1000)));
}

VlArbiterSettings
VlArbiterAttributes::MakeArbiterSettings(const LinkRate& rate) const
{
    VlArbiterSettings settings = m_settings;
    settings.rate = rate;
    return settings;
}

} // namespace fabric
} // namespace ns3
