/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-vl-arbiter-attributes.h"

#include "fabric-attributed-type.h"
#include "fabric-dependent-attributes.h"

namespace ns3::fabric
{

TypeId
VlArbiterAttributes::AddAttributes(TypeId tid, const std::string& prefix)
{
    const MeterSettings defaults;
    return AttributedType(tid, BEFORE_INSTALL, &VlArbiterAttributes::m_settings)
        .Add(prefix + "Mode",
             "What a meter checks: each `lane`, or the lane that each `group` has chosen.")
        .SetsOneOf(&VlArbiterSettings::mode, CHECK_LANES, "lane", CHECK_GROUPS, "group")
        .Add(prefix + "OverBandwidth",
             "What happens to packets that do not conform: `demote` (they fall to the "
             "Over-Bandwidth level) or `disqualify` (they wait until they conform).")
        .SetsOneOf(&VlArbiterSettings::over, OVER_DEMOTE, "demote", OVER_DISQUALIFY, "disqualify")
        .Add(prefix + "Turns",
             "Order between lanes or groups of a level. Round-robin can starve a lane whose group "
             "conforms at certain times only.")
        .SetsOneOf(&VlArbiterSettings::turns,
                   LEAST_RECENTLY_USED,
                   "least-recently-used",
                   ROUND_ROBIN,
                   "round-robin")
        .Add(prefix + "ChargeOverBandwidth",
             "Whether packets that do not conform are charged to the meter.")
        .Sets(&VlArbiterSettings::chargeOver, false)
        .In(&VlArbiterSettings::meter)
        .Add(prefix + "Meter", "Meter of the groups' bandwidth.")
        .SetsOneOf(&MeterSettings::kind,
                   TOKEN_BUCKET,
                   "token-bucket",
                   LEAKY_BUCKET,
                   "leaky-bucket",
                   SLIDING_WINDOW,
                   "sliding-window")
        .Add(prefix + "Burst", "Token bucket: its depth, bytes. Our choice.")
        .Sets(&MeterSettings::burst, defaults.burst, {1, 1U << 30})
        .Add(prefix + "Tolerance",
             "Leaky bucket: bytes that may be in it when a packet is sent. Our choice.")
        .Sets(&MeterSettings::tolerance, defaults.tolerance, {0, 1U << 30})
        .Add(prefix + "Debt",
             "Buckets, with ChargeOverBandwidth: largest debt that such packets cause, bytes. Our "
             "choice.")
        .Sets(&MeterSettings::debt, defaults.debt, {0, 1U << 30})
        .Add(prefix + "Window",
             "Sliding window: its length; 0 for the time in which the link carries 1 MiB. Our "
             "choice.")
        .Sets(&MeterSettings::window, Time(0), {Time(0), Seconds(1000)});
}

void
VlArbiterAttributes::RequireEffectsOfMeter(const std::string& prefix) const
{
    const MeterSettings& meter = m_settings.meter;
    const MeterSettings usual;
    const auto require = [&prefix](const char* name,
                                   bool isSet,
                                   const std::string& lack,
                                   const std::string& needed) {
        RequireDefaults({{(prefix + name).c_str(), isSet}}, prefix + lack, prefix + needed);
    };
    if (meter.kind != TOKEN_BUCKET)
    {
        require("Burst",
                meter.burst != usual.burst,
                "Meter is no token-bucket",
                "Meter=token-bucket");
    }
    if (meter.kind != LEAKY_BUCKET)
    {
        require("Tolerance",
                meter.tolerance != usual.tolerance,
                "Meter is no leaky-bucket",
                "Meter=leaky-bucket");
    }
    if (meter.kind != SLIDING_WINDOW)
    {
        require("Window",
                meter.window != usual.window,
                "Meter is no sliding-window",
                "Meter=sliding-window");
    }
    else
    {
        require("Debt",
                meter.debt != usual.debt,
                "Meter is sliding-window",
                "Meter=token-bucket or leaky-bucket");
    }
    if (!m_settings.chargeOver)
    {
        require("Debt",
                meter.debt != usual.debt,
                "ChargeOverBandwidth is false",
                "ChargeOverBandwidth=true");
    }
}

VlArbiterSettings
VlArbiterAttributes::MakeArbiterSettings(const LinkRate& rate) const
{
    VlArbiterSettings settings = m_settings;
    settings.rate = rate;
    return settings;
}

} // namespace ns3::fabric
