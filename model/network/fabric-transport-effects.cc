/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dependent-attributes.h"
#include "fabric-transport-attributes.h"

#include <string>

namespace ns3::fabric
{

// ---- combinations of attributes in which one would have no effect ----

namespace
{

/// Refuses settings of congestion control by delays where there is another. @param lack which
void
RequireNoDelaySettings(const TransportSettings& settings, const std::string& lack)
{
    const TransportSettings usual;
    RequireDefaults({{"BaseDelay", settings.baseDelay != usual.baseDelay},
                     {"BaseDelayPeriod", settings.baseDelayPeriod != usual.baseDelayPeriod},
                     {"TargetDelay", settings.targetDelay != usual.targetDelay},
                     {"HopDelay", settings.hopDelay != usual.hopDelay},
                     {"FlowScaling", settings.flowScaling != usual.flowScaling},
                     {"LeastScaledWindow", settings.leastScaledWindow != usual.leastScaledWindow},
                     {"MostScaledWindow", settings.mostScaledWindow != usual.mostScaledWindow},
                     {"AdditiveIncrease", settings.additiveIncrease != usual.additiveIncrease},
                     {"DelayBeta", settings.delayBeta != usual.delayBeta},
                     {"MaxDecrease", settings.maxDecrease != usual.maxDecrease},
                     {"MinWindow", settings.minWindow != usual.minWindow}},
                    lack,
                    "CongestionControl=delay");
}

/// Refuses settings of delays that others of them make idle.
void
RequireEffectsOfDelays(const TransportSettings& settings)
{
    const TransportSettings usual;
    if (settings.baseDelay != 0)
    {
        RequireDefaults({{"BaseDelayPeriod", settings.baseDelayPeriod != usual.baseDelayPeriod}},
                        "BaseDelay is not measured",
                        "BaseDelay=0ns");
    }
    if (settings.flowScaling == 0)
    {
        RequireDefaults(
            {{"LeastScaledWindow", settings.leastScaledWindow != usual.leastScaledWindow},
             {"MostScaledWindow", settings.mostScaledWindow != usual.mostScaledWindow}},
            "FlowScaling is 0",
            "FlowScaling above 0");
    }
}

/// Refuses settings of DCQCN where there is another congestion control. @param lack which
void
RequireNoDcqcnSettings(const TransportSettings& settings, const std::string& lack)
{
    const TransportSettings usual;
    RequireDefaults({{"CnpInterval", settings.cnpInterval != usual.cnpInterval},
                     {"AlphaGain", settings.alphaGain != usual.alphaGain},
                     {"AlphaTimer", settings.alphaTimer != usual.alphaTimer},
                     {"RateTimer", settings.rateTimer != usual.rateTimer},
                     {"RateBytes", settings.rateBytes != usual.rateBytes},
                     {"RecoveryRounds", settings.recoveryRounds != usual.recoveryRounds},
                     {"RateIncrease", settings.rateIncrease != usual.rateIncrease},
                     {"HyperIncrease", settings.hyperIncrease != usual.hyperIncrease},
                     {"MinRate", settings.minRate != usual.minRate}},
                    lack,
                    "CongestionControl=dcqcn");
}

/// Refuses settings of HPCC where there is another congestion control. @param lack which
void
RequireNoHpccSettings(const HpccSettings& settings, const std::string& lack)
{
    const HpccSettings usual;
    RequireDefaults({{"HpccUtilization", settings.utilization != usual.utilization},
                     {"HpccMaxStage", settings.maxStage != usual.maxStage},
                     {"HpccFlows", settings.flows != usual.flows},
                     {"HpccHops", settings.hops != usual.hops},
                     {"HpccMinRate", settings.minRate != usual.minRate}},
                    lack,
                    "CongestionControl=hpcc");
}

/// Refuses settings of TIMELY where there is another congestion control. @param lack which
void
RequireNoTimelySettings(const TimelySettings& settings, const std::string& lack)
{
    const TimelySettings usual;
    RequireDefaults({{"TimelyLow", settings.low != usual.low},
                     {"TimelyHigh", settings.high != usual.high},
                     {"TimelyMinRtt", settings.minRtt != usual.minRtt},
                     {"TimelyGain", settings.gain != usual.gain},
                     {"TimelyBeta", settings.beta != usual.beta},
                     {"TimelyMaxDecrease", settings.maxDecrease != usual.maxDecrease},
                     {"TimelyHyperEvents", settings.hyperEvents != usual.hyperEvents},
                     {"TimelyHyperFactor", settings.hyperFactor != usual.hyperFactor},
                     {"TimelySegment", settings.segmentBytes != usual.segmentBytes},
                     {"TimelyPatched", settings.isPatched != usual.isPatched}},
                    lack,
                    "CongestionControl=timely");
}

/// Refuses settings of TIMELY that others of them make idle.
void
RequireEffectsOfTimely(const TimelySettings& settings)
{
    const TimelySettings usual;
    if (settings.isPatched)
    {
        RequireDefaults({{"TimelyHyperEvents", settings.hyperEvents != usual.hyperEvents},
                         {"TimelyHyperFactor", settings.hyperFactor != usual.hyperFactor}},
                        "TimelyPatched is true",
                        "TimelyPatched=false");
    }
    if (settings.hyperFactor == 1)
    {
        RequireDefaults({{"TimelyHyperEvents", settings.hyperEvents != usual.hyperEvents}},
                        "TimelyHyperFactor is 1",
                        "TimelyHyperFactor of 2 or more");
    }
}

} // namespace

void
TransportAttributes::RequireEffectsOfControl() const
{
    const CongestionControlKind control = m_settings.congestionControl;
    const std::string lack = "CongestionControl is " + m_congestionControl;
    if (control == CongestionControlKind::DELAY)
    {
        RequireEffectsOfDelays(m_settings);
    }
    else
    {
        RequireNoDelaySettings(m_settings, lack);
    }
    if (control != CongestionControlKind::MARKS)
    {
        RequireDefaults({{"MarkGain", m_settings.markGain != TransportSettings().markGain}},
                        lack,
                        "CongestionControl=marks");
    }
    if (control != CongestionControlKind::DCQCN)
    {
        RequireNoDcqcnSettings(m_settings, lack);
    }
    if (control != CongestionControlKind::HPCC)
    {
        RequireDefaults({{"HpccBaseRtt", m_hasHpccBaseRtt}}, lack, "CongestionControl=hpcc");
        RequireNoHpccSettings(m_settings.hpcc, lack);
    }
    if (control == CongestionControlKind::TIMELY)
    {
        RequireEffectsOfTimely(m_settings.timely);
    }
    else
    {
        RequireDefaults({{"TimelyIncrease", m_timelyIncrease.GetBitRate() != 0},
                         {"TimelyMinRate", m_timelyMinRate.GetBitRate() != 0}},
                        lack,
                        "CongestionControl=timely");
        RequireNoTimelySettings(m_settings.timely, lack);
    }
    if (control != CongestionControlKind::DCQCN && control != CongestionControlKind::HPCC &&
        control != CongestionControlKind::TIMELY)
    {
        RequireDefaults({{"LineRate", m_lineRate.GetBitRate() != 0}},
                        lack,
                        "CongestionControl=dcqcn, hpcc or timely");
    }
}

void
TransportAttributes::RequireEffects() const
{
    RequireEffectsOfControl();
    const TransportSettings usual;
    const ConnectionSettings connection;
    const std::string solicitation = "Solicitation is " + m_solicitation;
    if (m_connection.solicitation != Solicitation::CONGESTION)
    {
        RequireDefaults({{"SolicitBelowWindow",
                          m_connection.solicitBelowWindow != connection.solicitBelowWindow}},
                        solicitation,
                        "Solicitation=congestion");
    }
    if (m_settings.congestionControl == CongestionControlKind::FIXED) // always has all of it
    {
        RequireDefaults({{"SolicitBelowWindow",
                          m_connection.solicitBelowWindow != connection.solicitBelowWindow}},
                        "CongestionControl is fixed",
                        "CongestionControl=delay, marks, dcqcn, hpcc or timely");
    }
    if (m_connection.solicitation == Solicitation::NEVER ||
        m_connection.solicitation == Solicitation::ALWAYS)
    {
        RequireDefaults({{"SolicitAbove", m_connection.solicitAbove != connection.solicitAbove}},
                        solicitation,
                        "Solicitation=length or congestion");
    }
    const std::string detection = "LossDetection is " + m_lossDetection;
    if (m_settings.lossDetection != LossDetection::GAPS)
    {
        RequireDefaults(
            {{"ReorderThreshold", m_settings.reorderThreshold != usual.reorderThreshold}},
            detection,
            "LossDetection=gaps");
    }
    if (m_settings.lossDetection != LossDetection::TIME)
    {
        RequireDefaults(
            {{"Sprayed", m_settings.isSprayed},
             {"MinReorderWindow", m_settings.minReorderWindow != usual.minReorderWindow},
             {"MaxReorderWindow", m_settings.maxReorderWindow != usual.maxReorderWindow}},
            detection,
            "LossDetection=time");
    }
    if (m_settings.isStrict)
    {
        RequireDefaults({{"TxWeights", m_settings.txWeights != usual.txWeights}},
                        "StrictPriority is true",
                        "StrictPriority=false");
    }
}

} // namespace ns3::fabric
