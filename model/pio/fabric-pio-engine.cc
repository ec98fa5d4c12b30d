/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-engine.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// @return the rings of SDMA engines that somebody uses
std::vector<SdmaRing>
MakeSdmaRings(const PioSettings& settings)
{
    std::vector<SdmaRing> rings;
    const uint32_t engines =
        settings.sdmaBytes == 0 ? 0 : std::min(settings.sdmaEngines, settings.threads);
    for (uint32_t i = 0; i < engines; ++i)
    {
        rings.emplace_back(settings.sdmaDescriptors);
    }
    return rings;
}

} // namespace

PioEngine::PioEngine(const PioSettings& settings, PcieLink& pcie)
    : m_settings(settings),
      m_pcie(pcie),
      m_lines(settings),
      m_rings(MakeSdmaRings(settings)),
      m_adaptor(m_settings, m_pcie, m_stores, m_lines, m_rings),
      m_host(m_settings, m_pcie, m_stores, m_lines, m_rings)
{
    m_adaptor.SetWatcher(this);
}

void
PioEngine::CreditsOnWay(uint32_t context, const CreditUpdate& update)
{
    m_host.CreditsOnWay(context, update);
    if (m_watcher)
    {
        m_watcher->CreditsReturn(context, update);
    }
}

void
PioEngine::HeadOnWay(uint32_t engine, TimePs at)
{
    m_host.HeadOnWay(engine, at);
}

TimePs
PioEngine::NextTime() const
{
    return std::min(m_adaptor.NextTime(), m_host.NextTime());
}

void
PioEngine::Handle(TimePs at)
{
    m_pcie.Advance(at);
    if (m_adaptor.NextTime() <= at)
    {
        m_adaptor.Handle(at);
    }
    if (m_host.NextTime() <= at)
    {
        m_host.Handle(at);
    }
}

std::optional<EnginePacket>
PioEngine::NextPacket(TimePs)
{
    return m_adaptor.NextPacket();
}

bool
PioEngine::OffersAll() const
{
    return true;
}

bool
PioEngine::HasPacket() const
{
    return m_adaptor.HasPacket();
}

void
PioEngine::PacketGoes(uint32_t queue, TimePs now, TimePs end)
{
    m_adaptor.PacketGoes(queue, now, end);
}

FrameKinds
PioEngine::Takes() const
{
    return 0; // its packets are parts of native messages
}

void
PioEngine::Arrive(const Frame&)
{
    // None are for it.
}

TimePs
PioEngine::NextReport(TimePs next) const
{
    return next; // nobody is told
}

TimePs
PioEngine::ReportDelay() const
{
    return NEVER; // an application learns of nothing but messages, from the NIC
}

} // namespace ns3::fabric
