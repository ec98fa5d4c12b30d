/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-packet-delivery.h"

namespace ns3::fabric
{

void
PacketDelivery::Propose(const ConnectionSettings& settings)
{
    m_requests.sent = RetransmissionEngine(settings.firstRequestPsn, settings.requestWindow);
    m_data.sent = RetransmissionEngine(settings.firstDataPsn, settings.dataWindow);
    m_path.Open(Data());
}

void
PacketDelivery::Open(const ConnectionTerms& terms, const TransportPacket& packet)
{
    m_requests.sent = RetransmissionEngine(Requests().Next(), terms.requestWindow);
    m_data.sent = RetransmissionEngine(Data().Next(), terms.dataWindow);
    m_path.Open(Data());
    m_requests.received = ReceiveWindow(packet.requestBase, terms.requestWindow);
    m_data.received = ReceiveWindow(packet.dataBase, terms.dataWindow);
}

void
PacketDelivery::Abandon()
{
    for (SequenceSpace* space : {&m_requests, &m_data})
    {
        space->sent.Abandon(m_shared.tables, [this](uint32_t, const OutstandingPacket& packet) {
            GiveBack(packet);
        });
    }
}

uint32_t
PacketDelivery::TakeGaps(const TransportPacket& packet, TimePs now)
{
    const PacketBitmap& dataReceived = packet.bitmaps.dataReceived;
    if (!dataReceived.IsEmpty())
    {
        m_data.sent.NoteReceived(packet.dataBase, dataReceived);
    }
    if (!m_shared.settings.resendsEarly)
    {
        return 0;
    }
    const uint32_t threshold = m_shared.settings.reorderThreshold;
    const TimePs sentBefore = now - m_path.Rtt();
    if (packet.bitmaps.requestAcked != 0)
    {
        m_requests.sent.ResendGaps(packet.requestBase,
                                   PacketBitmap(packet.bitmaps.requestAcked, 0),
                                   threshold,
                                   sentBefore);
    }
    return dataReceived.IsEmpty()
               ? 0
               : m_data.sent.ResendGaps(packet.dataBase, dataReceived, threshold, sentBefore);
}

PsnVerdict
PacketDelivery::Judge(const TransportPacket& packet, TimePs now)
{
    const PsnVerdict verdict = SpaceOf(packet).received.Classify(packet.piece.psn);
    switch (verdict)
    {
    case PsnVerdict::BELOW:
        ++m_shared.counters.duplicates;
        m_acks.Force();
        break;
    case PsnVerdict::DUPLICATE:
        ++m_shared.counters.duplicates;
        Postpone(now);
        break;
    case PsnVerdict::BEYOND:
        ++m_shared.counters.beyondWindow;
        break;
    case PsnVerdict::EXPECTED:
        break;
    }
    return verdict;
}

void
PacketDelivery::Refuse(const TransportPacket& packet, TimePs now)
{
    RetransmissionEngine& engine = packet.isRequestPsn ? m_requests.sent : m_data.sent;
    if (!engine.Refuse(packet.piece.psn, now + m_shared.settings.noResourceDelay))
    {
        ++m_shared.counters.staleAcks;
    }
    else if (!packet.isRequestPsn)
    {
        m_path.TakeLoss(now);
    }
}

std::optional<OutstandingPacket>
PacketDelivery::Expire(TimePs now)
{
    for (SequenceSpace* space : {&m_requests, &m_data})
    {
        if (space->sent.Deadline() > now)
        {
            continue;
        }
        const auto expiry = space->sent.Expire(now, m_shared.settings.retryLimit);
        if (expiry.exhausted)
        {
            return space->sent.At(*expiry.exhausted);
        }
        if (expiry.expired > 0)
        {
            m_path.TakeTimeOut(now);
        }
    }
    return std::nullopt;
}

void
PacketDelivery::SendNew(OutstandingPacket&& outstanding, TransportPacket& packet, TimePs now)
{
    outstanding.Send(now, m_path.Rto(0));
    outstanding.isCounted = m_shared.packetEntries.Has(1);
    RetransmissionEngine& engine = outstanding.IsRequest() ? m_requests.sent : m_data.sent;
    const uint32_t psn = engine.Register(outstanding, m_shared.tables);
    Write(packet, psn, outstanding, now);
    m_shared.packetEntries.Take(outstanding.isCounted);
    m_shared.payload.Take(packet.PayloadBytes());
}

void
PacketDelivery::SendAgain(TransportPacket& packet, TimePs now)
{
    RetransmissionEngine& engine = m_requests.sent.HasResend() ? m_requests.sent : m_data.sent;
    const uint32_t psn = engine.NextResend(m_shared.settings.resendsByRsn);
    const OutstandingPacket& outstanding = engine.At(psn);
    TransportCounters& counters = m_shared.counters;
    ++counters.resends;
    ++(outstanding.wasRefused ? counters.refusedResends
       : outstanding.wasEarly ? counters.earlyResends
                              : counters.timeOuts);
    engine.Resent(psn, now, m_path.Rto(outstanding.retries));
    Write(packet, psn, outstanding, now);
}

void
PacketDelivery::Write(TransportPacket& packet,
                      uint32_t psn,
                      const OutstandingPacket& outstanding,
                      TimePs now)
{
    outstanding.WriteTo(packet, psn);
    m_shared.counters.sentBytes += packet.PayloadBytes();
    RideOn(packet, now);
}

} // namespace ns3::fabric
