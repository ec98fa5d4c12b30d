/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANDOM_CONGESTION_H
#define FABRIC_RANDOM_CONGESTION_H

#include "fabric-random-scenario.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <sstream>

namespace ns3::fabric
{

/**
 * Gives a random scenario tools of congestion management, and the congestion that they are for: an
 * incast of many flows, and buffers that have room for it.
 *
 * Times are in steps of 40 ps, as those of links are, so that what is due by a timer now and then
 * comes at the instant of something else.
 */
class RandomCongestion
{
  public:
    /// Sets of tools, each alone and all that go together.
    static constexpr uint32_t TOOL_SETS = 20;

    /// @param seed from which all is drawn; it goes through the sets of tools
    explicit RandomCongestion(uint64_t seed)
        : m_random(seed * 2'654'435'761 + 1),
          m_tools(seed % TOOL_SETS)
    {
    }

    /// @param scenario that gets the tools and the incast
    void AddTo(RandomScenario& scenario)
    {
        SwitchConfig config = scenario.Config();
        CongestionSettings& settings = config.congestion;
        settings.hopCredits = m_tools % 2 == 1;
        settings.fgfc.isOn = m_tools / 2 % 2 == 1;
        const uint32_t byEndpoint = m_tools / 4;
        settings.endpoint.isOn = byEndpoint != 0;
        settings.flowLimits = byEndpoint == 2 || byEndpoint == 4;
        settings.pacing = byEndpoint > 2;
        settings.pacingSpread = OneOf<double>({0, 0, 0.3, 1});
        config.flowChannels.enabled = true;
        config.timing.latency = config.timing.latency / 40 * 40;
        config.timing.controlLatency = config.timing.controlLatency / 40 * 40;
        config.buffer.shares.totalBytes += OneOf<uint32_t>({0, 20'000, 200'000, 1'000'000});
        settings.roomDivisor = OneOf<uint32_t>({0, 1, 4, 16});
        DrawFgfc(settings.fgfc);
        DrawEndpoint(settings.endpoint);
        m_isEven = m_random() % 2 == 0;
        DrawSeverity(settings, scenario);
        if (settings.flowLimits)
        {
            settings.firstFlight =
                std::min(settings.severity.firstLimit, OneOf<uint32_t>({0, 1, 16, 100, 1U << 20}));
        }
        InjectionSettings injection;
        DrawInjection(injection);
        if (injection.IsOn())
        {
            config.injection = std::make_shared<InjectionSettings>(injection);
        }
        settings.slowPaths.isOn = OneOf({false, true, true});
        settings.slowPaths.time = OneOf<TimePs>({0, 1, 40'000, 1'000'000, 5'000'000});
        AddIncast(scenario);
        std::ostringstream text;
        text << "instead tools " << m_tools << ", buffer " << config.buffer.shares.totalBytes
             << ", room divisor " << settings.roomDivisor << ", " << Describe(injection)
             << ", slow paths " << settings.slowPaths.isOn << " after " << settings.slowPaths.time
             << Describe(settings);
        scenario.Replace(config, text.str());
    }

  private:
    /// @return one of them
    template <typename T>
    T OneOf(std::initializer_list<T> list)
    {
        return list.begin()[m_random() % list.size()];
    }

    /// @return a time below a limit, a multiple of 40 ps, and at least 1 ns
    TimePs DrawTime(TimePs limit)
    {
        return 1000 + static_cast<TimePs>(m_random() % static_cast<uint64_t>(limit)) / 40 * 40;
    }

    /// What hosts may have in the fabric, and how their classes share it.
    void DrawInjection(InjectionSettings& injection)
    {
        injection.portLimit = OneOf<uint32_t>({0, 0, 0, 1, 16, 50, 300});
        if (injection.portLimit == 0 && m_random() % 4 != 0)
        {
            return;
        }
        injection.forcesFirst = m_random() % 8 == 0;
        for (uint32_t& limit : injection.limits)
        {
            limit = OneOf<uint32_t>({0, 0, 10, 40});
        }
        for (uint32_t& ratio : injection.ratios)
        {
            ratio = OneOf<uint32_t>({1, 1, 2, 7});
        }
        for (LimitId& id : injection.limitIds)
        {
            id = m_random() % (UNLIMITED_ID + 1);
        }
        for (GroupRule& rule : injection.groups)
        {
            rule.base = OneOf<GroupId>({0, 1, 5, 126, 127});
        }
    }

    /// @return what was drawn for hosts
    static std::string Describe(const InjectionSettings& injection)
    {
        std::ostringstream text;
        text << "port limit " << injection.portLimit << ", injection limits";
        for (uint32_t id = 0; id < INJECTION_LIMITS; ++id)
        {
            text << ' ' << injection.limits[id] << '/' << injection.ratios[id];
        }
        text << ", groups";
        for (const GroupRule& rule : injection.groups)
        {
            text << ' ' << +rule.base << "->" << +injection.limitIds[rule.base];
        }
        return text.str() + (injection.forcesFirst ? ", first forced" : "");
    }

    /// How hosts are told of their flows. Times are long enough for all frames that tell it.
    void DrawFgfc(FgfcSettings& fgfc)
    {
        constexpr TimePs NANOSECOND = 1000;
        fgfc.pauseTime = OneOf<TimePs>({4'000'000, 20'000'000, 100'000'000});
        fgfc.pauseTime += static_cast<TimePs>(m_random() % 1000) * NANOSECOND;
        fgfc.responseTime = DrawTime(OneOf<TimePs>({1, 50'000, 50'000, 10'000'000})) - NANOSECOND;
        fgfc.repeats = OneOf<uint32_t>({1, 2, 5, 1000});
        fgfc.creditUnits = OneOf<uint32_t>({1, 8, 32, 254});
    }

    /// When links to hosts are congested.
    void DrawEndpoint(EndpointSettings& endpoint)
    {
        endpoint.bytes = OneOf<uint32_t>({0, 1, 3'000, 20'000, 65'536, 1U << 30});
        endpoint.bytes -= static_cast<uint32_t>(m_random() % (endpoint.bytes / 2 + 1));
        endpoint.frames = OneOf<uint32_t>({0, 1, 3, 20, 256, 1U << 30});
        endpoint.growth = OneOf<double>({0.0, 0.5, 1.0, 2.0, 1000.0});
        endpoint.growthTime = DrawTime(OneOf<TimePs>({1, 500'000, 500'000, 10'000'000}));
        endpoint.targetBytes = OneOf<uint32_t>({0, 1, 1'000, 5'000, 50'000, 262'144});
        const auto more = static_cast<uint32_t>(m_random() % 1000);
        if (endpoint.targetBytes != 0)
        {
            endpoint.targetBytes += more;
            endpoint.bytes = std::min(endpoint.bytes, endpoint.targetBytes);
        }
        endpoint.roundTrip = DrawTime(OneOf<TimePs>({1, 100'000, 3'500'000, 50'000'000}));
        endpoint.decayTime = DrawTime(OneOf<TimePs>({1, 200'000, 2'000'000, 20'000'000}));
    }

    /// What severities ask for. In scenarios of full frames delays are so many of them, so that
    /// some are over at the instant of an ACK. Where hosts are told of their flows again and again,
    /// no flow waits for long.
    void DrawSeverity(CongestionSettings& settings, const RandomScenario& scenario)
    {
        SeveritySettings& severity = settings.severity;
        severity.firstLimit = OneOf<uint32_t>({16, 17, 64, 256, 1U << 20});
        severity.limitSteps = OneOf<uint32_t>({1, 2, 4, 32});
        severity.firstDelay = DrawTime(OneOf<TimePs>({1, 200'000, 200'000, 2'000'000, 20'000'000}));
        severity.delaySteps = OneOf<uint32_t>({1, 4, 16, 128});
        if (m_isEven)
        {
            const LinkRate rate = scenario.Links().back().first;
            const TimePs frame = rate.TxTime(WireBytes(scenario.HostConfig().mtu));
            severity.firstDelay = frame * OneOf<uint32_t>({1, 2, 4});
            severity.delaySteps = 1;
        }
        if (settings.fgfc.isOn)
        {
            severity.firstDelay = std::min<TimePs>(severity.firstDelay, 2'000'000);
            severity.delaySteps = 128;
        }
    }

    /// Many flows to one host or two, in rounds.
    void AddIncast(RandomScenario& scenario)
    {
        const auto hosts = static_cast<uint32_t>(scenario.Plan().hosts.size());
        const uint32_t mtu = scenario.HostConfig().mtu;
        uint64_t left = OneOf<uint64_t>({300, 600, 2000}) * mtu;
        const uint32_t classes = OneOf<uint32_t>({1, 4, TRAFFIC_CLASSES});
        const auto receiver = static_cast<uint32_t>(m_random() % hosts);
        const uint32_t receivers = OneOf<uint32_t>({1, 1, 2});
        const uint32_t frames = OneOf<uint32_t>({1, 4, 40});
        const TimePs gap = OneOf<TimePs>({0, 40, 100'000, 2'000'000});
        Message message;
        message.sentAt = scenario.Messages().back().sentAt;
        while (left != 0)
        {
            message.src = LocationOf(static_cast<uint32_t>(m_random() % hosts));
            message.dst =
                LocationOf((receiver + static_cast<uint32_t>(m_random() % receivers)) % hosts);
            message.trafficClass = static_cast<uint8_t>(m_random() % classes);
            const uint64_t bytes = 1 + m_random() % (uint64_t{frames} * mtu);
            message.bytes = std::min(left, m_isEven ? (bytes + mtu - 1) / mtu * mtu : bytes);
            left -= message.bytes;
            message.sentAt += gap == 0 ? 0 : static_cast<TimePs>(m_random() % gap) / 40 * 40;
            if (message.src != message.dst)
            {
                scenario.Add(message);
            }
        }
    }

    /// @return settings of the tools, for messages
    static std::string Describe(const CongestionSettings& settings)
    {
        const EndpointSettings& endpoint = settings.endpoint;
        const SeveritySettings& severity = settings.severity;
        std::ostringstream text;
        text << (settings.hopCredits ? ", hop credits" : "");
        if (settings.fgfc.isOn)
        {
            text << ", restraints for " << settings.fgfc.pauseTime << " ps, repeated "
                 << settings.fgfc.repeats << " times, obeyed after " << settings.fgfc.responseTime
                 << " ps, credit " << settings.fgfc.creditUnits;
        }
        if (endpoint.isOn)
        {
            text << ", endpoint over " << endpoint.bytes << " bytes " << endpoint.frames
                 << " frames growth " << endpoint.growth << " in " << endpoint.growthTime
                 << " ps, target " << endpoint.targetBytes << ", round trip " << endpoint.roundTrip
                 << " decay " << endpoint.decayTime << " ps, limits "
                 << (settings.flowLimits ? "" : "(off) ") << severity.firstLimit << " by "
                 << severity.limitSteps << ", first flight " << settings.firstFlight << ", delays "
                 << severity.firstDelay << " ps by " << severity.delaySteps
                 << (settings.pacing ? " spread " : " (off) ") << settings.pacingSpread;
        }
        return text.str();
    }

    std::mt19937_64 m_random; ///< Everything is drawn from it.
    uint32_t m_tools;         ///< Which set of tools.
    bool m_isEven{false};     ///< Whether all frames of the incast are full ones.
};

} // namespace ns3::fabric

#endif // FABRIC_RANDOM_CONGESTION_H
