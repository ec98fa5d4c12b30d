/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-settings.h"

#include "fabric-packet-bitmap.h"
#include "fabric-require.h"

#include <sstream>

namespace ns3::fabric
{

namespace
{

constexpr TimePs NANOSECOND = 1000;          ///< ps.
constexpr TimePs SECOND = 1'000'000'000'000; ///< ps.

/// As RequireRange(), for times in ps.
void
RequireTime(const char* what, TimePs value, TimePs low, TimePs high)
{
    if (value < low || value > high)
    {
        throw std::invalid_argument(std::string("Transport: ") + what + " is " +
                                    std::to_string(value) + " ps, allowed is " +
                                    std::to_string(low) + " to " + std::to_string(high) + " ps.");
    }
}

/// As RequireRange(), for real numbers; not-a-number is refused.
void
RequireReal(const char* what, double value, double low, double high)
{
    if (!(value >= low && value <= high))
    {
        std::ostringstream text;
        text << "Transport: " << what << " is " << value << ", allowed is " << low << " to " << high
             << ".";
        throw std::invalid_argument(text.str());
    }
}

/// Refuses tables that are too small or too large.
void
RequireTables(const TransportSettings& s)
{
    constexpr uint64_t entries = uint64_t{1} << 24;
    constexpr uint64_t memory = uint64_t{1} << 40;
    RequireRange("Transport", "maxConnections", s.maxConnections, 1, 65535);
    RequireRange("Transport", "initiatorEntries", s.initiatorEntries, 1, entries);
    RequireRange("Transport", "targetEntries", s.targetEntries, 1, entries);
    RequireRange("Transport", "targetQuota", s.targetQuota, 0, entries);
    RequireRange("Transport", "targetRedZone", s.targetRedZone, 0, s.targetEntries);
    RequireRange("Transport", "packetEntries", s.packetEntries, 1, entries);
    RequireRange("Transport", "sendPayloadBytes", s.sendPayloadBytes, 16 * 1024, memory);
    RequireRange("Transport", "receivePayloadBytes", s.receivePayloadBytes, 16 * 1024, memory);
    RequireRange("Transport", "grantLimitBytes", s.grantLimitBytes, 16 * 1024, 0xFFFFFFFF);
    RequireRange("Transport",
                 "grantQuantumBytes",
                 s.grantQuantumBytes,
                 16 * 1024,
                 s.grantLimitBytes);
}

/// Refuses timers that make no sense.
void
RequireTimers(const TransportSettings& s)
{
    RequireRange("Transport", "ackPackets", s.ackPackets, 0, PacketBitmap::BITS);
    RequireTime("ackDelay", s.ackDelay, 0, SECOND);
    RequireReal("rtoScale", s.rtoScale, 1, 1000);
    RequireTime("minRto", s.minRto, NANOSECOND, 10 * SECOND);
    RequireTime("maxRto", s.maxRto, s.minRto, 100 * SECOND);
    RequireTime("initialRtt", s.initialRtt, NANOSECOND, 10 * SECOND);
    RequireRange("Transport", "retryLimit", s.retryLimit, 0, 255);
    RequireRange("Transport",
                 "lossDetection",
                 static_cast<uint64_t>(s.lossDetection),
                 0,
                 static_cast<uint64_t>(LossDetection::TIME));
    RequireRange("Transport", "reorderThreshold", s.reorderThreshold, 1, PacketBitmap::BITS - 1);
    RequireTime("minReorderWindow", s.minReorderWindow, 0, SECOND);
    RequireTime("maxReorderWindow", s.maxReorderWindow, s.minReorderWindow, SECOND);
    RequireRange("Transport", "notReadyLimit", s.notReadyLimit, 0, 255);
    RequireTime("probeInterval", s.probeInterval, 1000 * NANOSECOND, 100 * SECOND);
    RequireTime("noResourceDelay", s.noResourceDelay, NANOSECOND, 10 * SECOND);
    RequireTime("lookupTime", s.lookupTime, 0, SECOND);
    RequireTime("lookupLatency", s.lookupLatency, 0, SECOND / 1000);
}

/// Refuses parameters of DCQCN that make no sense.
void
RequireDcqcn(const DcqcnSettings& s)
{
    constexpr double lowest = 1e3;
    constexpr double highest = 1e15;
    RequireReal("lineRate", s.lineRate, lowest, highest);
    RequireTime("cnpInterval", s.cnpInterval, 0, SECOND);
    RequireReal("alphaGain", s.alphaGain, 1e-6, 1);
    RequireTime("alphaTimer", s.alphaTimer, NANOSECOND, 10 * SECOND);
    RequireTime("rateTimer", s.rateTimer, NANOSECOND, 10 * SECOND);
    RequireRange("Transport", "rateBytes", s.rateBytes, 1, uint64_t{1} << 40);
    RequireRange("Transport", "recoveryRounds", s.recoveryRounds, 0, 100);
    RequireReal("rateIncrease", s.rateIncrease, 0, 1e12);
    RequireReal("hyperIncrease", s.hyperIncrease, 0, 1e12);
    RequireReal("minRate", s.minRate, lowest, highest);
}

/// Refuses parameters of HPCC that make no sense.
void
RequireHpcc(const HpccSettings& s)
{
    RequireTime("baseRtt of HPCC", s.baseRtt, NANOSECOND, 10 * SECOND);
    RequireReal("utilization of HPCC", s.utilization, 0.01, 1);
    RequireRange("Transport", "maxStage of HPCC", s.maxStage, 0, 1000);
    RequireRange("Transport", "flows of HPCC", s.flows, 1, 1'000'000);
    RequireReal("minRate of HPCC", s.minRate, 1e3, 1e15);
    RequireRange("Transport", "hops of HPCC", s.hops, 1, MOST_HOPS);
}

/// Refuses parameters of TIMELY that make no sense.
void
RequireTimely(const TimelySettings& s)
{
    RequireTime("low of TIMELY", s.low, 0, s.high);
    RequireTime("high of TIMELY", s.high, s.low, 10 * SECOND);
    RequireTime("minRtt of TIMELY", s.minRtt, 0, 10 * SECOND);
    RequireReal("gain of TIMELY", s.gain, 1e-6, 1);
    RequireReal("beta of TIMELY", s.beta, 1e-6, 1);
    RequireReal("maxDecrease of TIMELY", s.maxDecrease, 1e-6, 1);
    RequireReal("increase of TIMELY", s.increase, 0, 1e12);
    RequireRange("Transport", "hyperEvents of TIMELY", s.hyperEvents, 1, 1'000'000);
    RequireRange("Transport", "hyperFactor of TIMELY", s.hyperFactor, 1, 1000);
    RequireRange("Transport", "segmentBytes of TIMELY", s.segmentBytes, 0, uint64_t{1} << 40);
    RequireReal("minRate of TIMELY", s.minRate, 1e3, 1e15);
}

/// @return its name, of one that has all of the data window from the start; null of others
const char*
NameOfOneWithAll(CongestionControlKind kind)
{
    switch (kind)
    {
    case CongestionControlKind::FIXED:
        return "FIXED";
    case CongestionControlKind::DCQCN:
        return "DCQCN";
    case CongestionControlKind::HPCC:
        return "HPCC";
    case CongestionControlKind::TIMELY:
        return "TIMELY";
    default:
        return nullptr;
    }
}

/// Refuses parameters of strategies that make no sense.
void
RequireStrategies(const TransportSettings& s)
{
    constexpr double tiny = 1e-6;
    RequireRange("Transport",
                 "congestionControl",
                 static_cast<uint64_t>(s.congestionControl),
                 0,
                 static_cast<uint64_t>(CongestionControlKind::TIMELY));
    RequireRange("Transport", "initialWindow", s.initialWindow, 1, PacketBitmap::BITS);
    const char* const withAll = NameOfOneWithAll(s.congestionControl);
    if (withAll && s.initialWindow != PacketBitmap::BITS)
    {
        throw std::invalid_argument("Transport: initialWindow is " +
                                    std::to_string(s.initialWindow) + " with congestionControl " +
                                    withAll +
                                    ", which has all of the data window, allowed is 128 or another "
                                    "congestionControl.");
    }
    RequireRange("Transport",
                 "grantOrder",
                 static_cast<uint64_t>(s.grantOrder),
                 0,
                 static_cast<uint64_t>(GrantOrder::SHORTEST_FIRST));
    RequireTime("baseDelay", s.baseDelay, 0, 10 * SECOND);
    RequireTime("baseDelayPeriod", s.baseDelayPeriod, 0, 100 * SECOND);
    RequireTime("targetDelay", s.targetDelay, 0, 10 * SECOND);
    RequireTime("hopDelay", s.hopDelay, 0, SECOND);
    RequireReal("flowScaling", s.flowScaling, 0, 100);
    RequireReal("leastScaledWindow", s.leastScaledWindow, 0.001, 1);
    RequireReal("mostScaledWindow", s.mostScaledWindow, 1.001, 10000);
    RequireReal("additiveIncrease", s.additiveIncrease, tiny, 64);
    RequireReal("delayBeta", s.delayBeta, tiny, 1);
    RequireReal("maxDecrease", s.maxDecrease, tiny, 1 - tiny);
    RequireReal("minWindow", s.minWindow, 0.001, 1);
    RequireReal("markGain", s.markGain, tiny, 1);
    RequireDcqcn(s);
    RequireHpcc(s.hpcc);
    RequireTimely(s.timely);
    for (const uint32_t weight : s.txWeights)
    {
        RequireRange("Transport", "a weight of the TX scheduler", weight, 1, 255);
    }
}

} // namespace

void
ConnectionSettings::Validate() const
{
    RequireRange("Connection", "mtu", mtu, 64, JUMBO_PAYLOAD);
    RequireRange("Connection", "requestWindow", requestWindow, 1, 64);
    RequireRange("Connection", "dataWindow", dataWindow, 1, PacketBitmap::BITS);
    RequireRange("Connection", "requestSpan", requestSpan, 1, 4096);
    RequireRange("Connection",
                 "solicitation",
                 static_cast<uint64_t>(solicitation),
                 0,
                 static_cast<uint64_t>(Solicitation::CONGESTION));
    RequireReal("solicitBelowWindow", solicitBelowWindow, 0, 1);
}

void
TransportSettings::Validate() const
{
    RequireTables(*this);
    RequireTimers(*this);
    RequireStrategies(*this);
}

} // namespace ns3::fabric
