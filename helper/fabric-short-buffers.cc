/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-short-buffers.h"

#include "fabric-channel.h"
#include "fabric-frame.h"
#include "fabric-switch-chip.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace ns3::fabric
{

namespace
{

/// @return the fastest output of a switch
LinkRate
FastestOutput(const SwitchChip& chip)
{
    LinkRate fastest;
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        const LinkRate& rate = chip.Output(port).Rate();
        fastest = rate.BitsPerSecond() > fastest.BitsPerSecond() ? rate : fastest;
    }
    return fastest;
}

/// @return time of a credit on the wire of a link
TimePs
CreditTime(const FabricChannel& link, const Transmitter& sender)
{
    const uint32_t channels = sender.Credits().Shares().virtualChannels;
    return link.GetCreditSettings().inFrames ? link.GetRate().TxTime(CreditFrameBytes(channels))
                                             : 0;
}

/// Looks for links that their buffers don't let go at their rate.
class ShortBuffers
{
  public:
    explicit ShortBuffers(const FabricContainer& fabric)
        : m_fabric(fabric)
    {
        for (const Ptr<FabricSwitch>& fabricSwitch : fabric.network->GetSwitches())
        {
            m_fastest.push_back(FastestOutput(fabricSwitch->GetChip()));
        }
        for (const Ptr<FabricNetDevice>& device : fabric.network->GetDevices())
        {
            m_frameBytes = std::max(m_frameBytes, WireBytes(device->GetMtu()));
        }
    }

    /// Looks at one direction of a link. @param to number of the switch at its other end
    void Look(const std::string& from, const Transmitter& sender, uint32_t to, uint32_t link)
    {
        Judge(from, sender, to, *m_fabric.links[link], m_frameBytes);
    }

    /// Looks at the link that a host sends on. @param host its number
    void LookAtHost(uint32_t host)
    {
        const Ptr<FabricNetDevice> device = m_fabric.GetDevice(host);
        Judge("host " + std::to_string(host),
              device->GetNic().Uplink(),
              m_fabric.edgeSwitches[host],
              *m_fabric.hostLinks[host],
              WireBytes(device->GetMtu()));
    }

    /// @return a sentence; empty if there are none
    std::string Describe() const
    {
        if (!m_worst)
        {
            return "";
        }
        std::ostringstream text;
        text << "BufferBytes of " << m_worst->bufferBytes << " lets the link from " << m_worst->name
             << " (" << GigabitsText(m_worst->rate) << ", " << m_worst->delay / 1e6
             << " us) carry at most "
             << GigabitsText(m_worst->loop.FramesPerSecond() * 8 * m_worst->loop.frameBytes)
             << " on a virtual channel, by the round trip of its credits; ";
        if (m_count > 1)
        {
            text << "others that are short: " << m_count - 1 << "; ";
        }
        text << "enough for it is " << m_worst->loop.EnoughBytes() + m_worst->lossyBytes;
        return text.str();
    }

  private:
    /// A link that is short.
    struct ShortLink
    {
        CreditLoop loop;      ///< Of its credits.
        std::string name;     ///< Both ends.
        double rate;          ///< Of the link, bit/s.
        TimePs delay;         ///< Of the link, ps.
        uint32_t bufferBytes; ///< At its other end.
        uint32_t lossyBytes;  ///< Of these, for lossy channels.
    };

    /// @return a rate as text
    static std::string GigabitsText(double bitsPerSecond)
    {
        constexpr double GIGA = 1e9;
        std::ostringstream text;
        text.precision(4);
        text << bitsPerSecond / GIGA << " Gb/s";
        return text.str();
    }

    /// Looks at a link.
    void Judge(const std::string& from,
               const Transmitter& sender,
               uint32_t to,
               const FabricChannel& link,
               uint32_t frameBytes)
    {
        const CreditLoop loop(sender, frameBytes, m_fastest[to], CreditTime(link, sender));
        if (!loop.IsShort())
        {
            return;
        }
        ++m_count;
        const double part = Part(loop);
        if (m_worst && part >= Part(m_worst->loop))
        {
            return;
        }
        const uint32_t bufferBytes =
            m_fabric.GetSwitch(to)->GetChip().Config().buffer.shares.totalBytes;
        m_worst = ShortLink{loop,
                            from + " to switch " + std::to_string(to),
                            static_cast<double>(sender.Rate().BitsPerSecond()),
                            sender.Timing().delay,
                            bufferBytes,
                            bufferBytes - sender.Credits().Shares().totalBytes};
    }

    /// @return part of the rate of a link that its credits allow
    static double Part(const CreditLoop& loop)
    {
        return static_cast<double>(loop.frames * loop.frameTime) /
               static_cast<double>(loop.roundTrip);
    }

    const FabricContainer& m_fabric;  ///< The fabric.
    std::vector<LinkRate> m_fastest;  ///< Outputs, by switch.
    uint32_t m_frameBytes{0};         ///< Largest frame that hosts send.
    std::optional<ShortLink> m_worst; ///< The link that is filled least.
    uint32_t m_count{0};              ///< Directions of links that are short.
};

} // namespace

CreditLoop
UplinkCreditLoop(const FabricContainer& fabric, uint32_t host, uint32_t payload)
{
    const Transmitter& uplink = fabric.GetDevice(host)->GetNic().Uplink();
    const SwitchChip& chip = fabric.GetSwitch(fabric.edgeSwitches[host])->GetChip();
    return CreditLoop(uplink,
                      WireBytes(payload),
                      FastestOutput(chip),
                      CreditTime(*fabric.hostLinks[host], uplink));
}

std::string
DescribeShortBuffers(const FabricContainer& fabric, const TopologyPlan& plan)
{
    ShortBuffers buffers(fabric);
    for (uint32_t i = 0; i < plan.links.size(); ++i)
    {
        const LinkPlan& link = plan.links[i];
        const auto look = [&](uint32_t from, uint16_t port, uint32_t to) {
            const SwitchChip& chip = fabric.GetSwitch(from)->GetChip();
            buffers.Look("switch " + std::to_string(from), chip.Output(port), to, i);
        };
        look(link.switchA, link.portA, link.switchB);
        look(link.switchB, link.portB, link.switchA);
    }
    for (uint32_t host = 0; host < plan.hosts.size(); ++host)
    {
        buffers.LookAtHost(host);
    }
    return buffers.Describe();
}

} // namespace ns3::fabric
