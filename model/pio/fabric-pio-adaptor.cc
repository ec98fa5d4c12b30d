/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-adaptor.h"

#include <algorithm>

namespace ns3::fabric
{

PioAdaptor::PioAdaptor(const PioSettings& settings,
                       PcieLink& pcie,
                       PioStores& stores,
                       CreditLines& lines,
                       std::vector<SdmaRing>& rings)
    : m_loseEvery(settings.loseEvery),
      m_returnDelay(settings.returnDelay),
      m_isEarly(settings.context.isEarly),
      m_pcie(pcie),
      m_stores(stores),
      m_lines(lines),
      m_rings(rings),
      m_interrupts(settings.contexts, 0),
      m_readsLeft(settings.sdmaReads)
{
    for (uint32_t i = 0; i < settings.contexts; ++i)
    {
        m_contexts.emplace_back(settings.Context(i));
    }
    for (SdmaRing& ring : rings)
    {
        m_engines.emplace_back(ring, settings.sdmaPackets);
    }
}

TimePs
PioAdaptor::NextTime() const
{
    TimePs next = std::min({m_stores.Earliest(), m_frees.Earliest(), m_timers.Earliest()});
    for (const SdmaEngine& engine : m_engines)
    {
        next = std::min(next, engine.NextTime());
    }
    return next;
}

void
PioAdaptor::Handle(TimePs now)
{
    for (; m_frees.Earliest() <= now; m_frees.Pop())
    {
        Free(m_frees.Front().packet, now);
    }
    while (m_stores.Earliest() <= now)
    {
        const PioStore store = m_stores.Front();
        m_stores.Pop();
        Take(store, now);
    }
    if (!m_engines.empty())
    {
        RunSdma(now);
    }
    while (m_timers.Earliest() <= now)
    {
        const uint32_t context = m_timers.Front().packet.unit;
        m_timers.Pop();
        m_contexts[context].Returner().Tick(now);
        Return(context, now);
    }
}

void
PioAdaptor::Take(const PioStore& store, TimePs now)
{
    switch (store.kind)
    {
    case PioStoreKind::PACKET:
        if (m_contexts[store.unit].Store(store.slot, store.word))
        {
            m_complete.Push({{store.unit, store.slot, false}, store.word});
            return;
        }
        ++m_counts.halted;
        break;
    case PioStoreKind::DOORBELL:
        m_engines[store.unit].Doorbell(store.slot, m_pcie, now);
        return;
    case PioStoreKind::INTERRUPTS_OFF:
        m_interrupts[store.unit] = 0;
        return;
    case PioStoreKind::THRESHOLD:
        m_contexts[store.unit].Returner().SetThreshold(store.slot);
        break;
    case PioStoreKind::INTERRUPTS_ON:
        m_interrupts[store.unit] = 1;
        [[fallthrough]];
    case PioStoreKind::FORCE:
        m_contexts[store.unit].Returner().Force();
        break;
    }
    Return(store.unit, now);
}

void
PioAdaptor::TakeSdma(uint32_t engine, TimePs now)
{
    m_engines[engine].TakeDescriptors(now);
    while (const std::optional<uint32_t> number = m_engines[engine].TakeData(now))
    {
        ++m_readsLeft;
        m_complete.Push({{engine, *number, true}, m_rings[engine].At(*number)});
    }
}

void
PioAdaptor::RunSdma(TimePs now)
{
    for (uint32_t engine = 0; engine < m_engines.size(); ++engine)
    {
        TakeSdma(engine, now);
    }
    ReadSdma(now);
}

std::size_t
PioAdaptor::NextReader() const
{
    for (std::size_t i = 0; i < m_engines.size(); ++i)
    {
        const std::size_t engine = (m_readTurn + i) % m_engines.size();
        if (m_engines[engine].CanRead())
        {
            return engine;
        }
    }
    return m_engines.size();
}

void
PioAdaptor::ReadSdma(TimePs now)
{
    while (m_readsLeft != 0)
    {
        const std::size_t engine = NextReader();
        if (engine == m_engines.size())
        {
            return;
        }
        --m_readsLeft;
        m_engines[engine].ReadData(m_pcie, now);
        m_readTurn = engine + 1;
    }
}

void
PioAdaptor::SdmaGoes(const Packet& packet, TimePs now)
{
    ++m_counts.sdmaPackets;
    const TimePs headAt = m_engines[packet.unit].Go(packet.slot, m_pcie, now);
    ReadSdma(now);
    if (m_watcher && headAt != NEVER)
    {
        m_watcher->HeadOnWay(packet.unit, headAt);
    }
}

std::optional<EnginePacket>
PioAdaptor::NextPacket()
{
    if (m_complete.IsEmpty())
    {
        return std::nullopt;
    }
    const Offer offer = m_complete.Front();
    m_complete.Pop();
    const uint32_t queue = offer.word.queue;
    if (queue >= m_inQueues.size())
    {
        m_inQueues.resize(queue + 1);
    }
    m_inQueues[queue].Push(offer.packet);
    return EnginePacket{queue, offer.word.bytes, offer.word.message, FrameKind::MESSAGE};
}

void
PioAdaptor::PacketGoes(uint32_t queue, TimePs now, TimePs end)
{
    const Packet packet = m_inQueues[queue].Front();
    m_inQueues[queue].Pop();
    if (packet.isSdma)
    {
        SdmaGoes(packet, now);
        return;
    }
    ++m_counts.packets;
    if (m_isEarly || end <= now)
    {
        Free(packet, now);
        return;
    }
    m_frees.Push({end, packet});
}

void
PioAdaptor::Free(const Packet& packet, TimePs now)
{
    SendContext& context = m_contexts[packet.unit];
    const TimePs due = context.Returner().DueAt();
    context.Free(packet.slot, now);
    Return(packet.unit, now);
    if (context.Returner().DueAt() != due && context.Returner().DueAt() != NEVER)
    {
        m_timers.Push({context.Returner().DueAt(), packet});
    }
}

void
PioAdaptor::Return(uint32_t context, TimePs now)
{
    while (std::optional<CreditUpdate> update = m_contexts[context].Returner().Take())
    {
        const uint64_t before = m_pcie.Counts(PcieSide::NIC).bytes;
        update->at = m_pcie.Write(PcieSide::NIC, m_returns, CREDIT_WORD_BYTES, now + m_returnDelay);
        m_counts.returnBytes += m_pcie.Counts(PcieSide::NIC).bytes - before;
        ++m_counts.returns;
        if (m_loseEvery != 0 && m_counts.returns % m_loseEvery == 0)
        {
            ++m_counts.lostReturns;
            continue;
        }
        update->interrupts = m_interrupts[context] != 0;
        m_counts.interrupts += update->interrupts ? 1 : 0;
        m_lines.Write(context, *update);
        if (m_watcher)
        {
            m_watcher->CreditsOnWay(context, *update);
        }
    }
}

} // namespace ns3::fabric
