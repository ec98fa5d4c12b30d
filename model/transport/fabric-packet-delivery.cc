/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-packet-delivery.h"

#include "fabric-resend-order.h"

#include <array>

namespace ns3::fabric
{

void
PacketDelivery::Propose(const ConnectionSettings& settings, PeerAddress peer)
{
    m_requests.sent = RetransmissionEngine(settings.firstRequestPsn, settings.requestWindow);
    m_data.sent = RetransmissionEngine(settings.firstDataPsn, settings.dataWindow);
    m_path.Open(Data(), peer, settings.mtu);
}

void
PacketDelivery::Open(const ConnectionTerms& terms, const TransportPacket& packet)
{
    m_requests.sent = RetransmissionEngine(Requests().Next(), terms.requestWindow);
    m_data.sent = RetransmissionEngine(Data().Next(), terms.dataWindow);
    m_path.Open(Data(), terms.peer, terms.mtu);
    m_requests.received = ReceiveWindow(packet.requestBase, terms.requestWindow);
    m_data.received = ReceiveWindow(packet.dataBase, terms.dataWindow);
    if (m_shared.settings.isSprayed)
    {
        m_losses.MakePast().Spray();
    }
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

// ---- losses ----

TimePs
PacketDelivery::ReorderLength() const
{
    const TransportSettings& settings = m_shared.settings;
    const LossPast* past = m_losses.GetPast();
    const TimePs rtt = m_path.Rtt();
    const TimePs shortest = std::min(m_path.ShortestRtt(), rtt);
    const SprayWindow::Way way{settings.initialRtt, rtt, shortest, settings.ackDelay};
    return std::clamp(past != nullptr ? past->Tolerance(way) : 0,
                      settings.minReorderWindow,
                      settings.maxReorderWindow);
}

TimePs
PacketDelivery::Tolerance(const TransmitWindow& window) const
{
    const bool isPatient = (m_losses.IsBulk() || m_shared.settings.isSprayed) && !window.IsFull();
    return isPatient ? ReorderLength() : std::min(ReorderLength(), m_path.Rtt());
}

void
PacketDelivery::FindLosses(TimePs now)
{
    const TransportSettings& settings = m_shared.settings;
    m_losses.StopTimer();
    std::array<PacketBitmap, 2> lost;
    for (SequenceSpace* space : {&m_requests, &m_data})
    {
        const TransmitWindow& window = space->sent.Window();
        if (window.Span() == 0 || settings.lossDetection == LossDetection::NONE)
        {
            continue;
        }
        lost[space == &m_data] =
            settings.lossDetection == LossDetection::TIME
                ? space->sent.FindLost(m_losses, Tolerance(window), now)
                : space->sent.FindGaps(settings.reorderThreshold, now - m_path.Rtt());
    }
    if (lost[0].IsEmpty() && lost[1].IsEmpty())
    {
        return;
    }
    TellLoss(LossCause::EARLY, now);
    m_losses.MakePast().Recover(now, m_path.Rtt());
    Claim(m_requests, lost[0], LossCause::EARLY);
    Claim(m_data, lost[1], LossCause::EARLY);
}

void
PacketDelivery::Claim(const SequenceSpace& space, PacketBitmap lost, LossCause cause)
{
    ResendHistory& resends = m_losses.MakePast().MakeResends();
    while (!lost.IsEmpty())
    {
        const uint32_t i = lost.Lowest();
        lost.Clear(i);
        const uint32_t psn = space.sent.Window().Base() + i;
        resends.Claim(psn, &space == &m_requests, cause, space.sent.At(psn).SentAt());
    }
}

void
PacketDelivery::TellLoss(LossCause cause, TimePs now, TimePs sentAt)
{
    const double before = m_path.Window();
    cause == LossCause::TIME_OUT ? m_path.TakeTimeOut(now, sentAt) : m_path.TakeLoss(now);
    m_losses.MakePast().MakeResends().Decrease(before / m_path.Window());
}

void
PacketDelivery::Clear(uint32_t psn, const OutstandingPacket& suspect, bool isWaiting, TimePs now)
{
    const bool isFirstCopy = isWaiting || now - suspect.SentAt() < m_path.ShortestRtt();
    if (isFirstCopy)
    {
        NoteLateness(psn, suspect.IsRequest(), now);
    }
    if (isWaiting)
    {
        // It has come before it was sent again, so no duplicate will tell.
        if (ResendHistory* resends = GetResends())
        {
            TakeBack(resends->Disprove(psn, suspect.IsRequest()), suspect.IsRequest());
        }
    }
    else if (suspect.isProbe && !isFirstCopy)
    {
        TellLoss(LossCause::PROBE, now);
        m_losses.MakePast().MakeResends().Claim(psn,
                                                suspect.IsRequest(),
                                                LossCause::PROBE,
                                                suspect.SentAt());
    }
}

void
PacketDelivery::NoteLateness(uint32_t psn, bool isRequest, TimePs now)
{
    if (ResendHistory* resends = GetResends())
    {
        resends->Deliver(psn, isRequest, now - m_losses.NewestRtt(isRequest));
    }
}

ResendHistory*
PacketDelivery::GetResends() const
{
    const LossPast* past = m_losses.GetPast();
    return past != nullptr ? past->GetResends() : nullptr;
}

bool
PacketDelivery::TakeBack(const std::optional<ResendHistory::Disproof>& disproof, bool isRequest)
{
    if (!disproof)
    {
        return false;
    }
    if (disproof->cause == LossCause::EARLY && !isRequest)
    {
        m_losses.MakePast().Measure(disproof->late);
    }
    if (disproof->factor > 1)
    {
        m_path.Restore(m_path.Window() * disproof->factor);
        ++m_shared.counters.undos;
    }
    return true;
}

void
PacketDelivery::TakeDuplicate(const TransportPacket& packet, TimePs now)
{
    SequenceSpace& space = packet.isRequestPsn ? m_requests : m_data;
    space.sent.NoteDuplicate(packet.piece.psn);
    WatchUlp(false, true, now);
    // If it is not known yet how late it was, the second copy may have been the first to be sent.
    NoteLateness(packet.piece.psn, packet.isRequestPsn, now);
    if (ResendHistory* resends = GetResends())
    {
        m_shared.counters.spuriousResends +=
            TakeBack(resends->Duplicate(packet.piece.psn, packet.isRequestPsn),
                     packet.isRequestPsn);
    }
}

void
PacketDelivery::Miss(const TransportPacket& packet)
{
    if (ResendHistory* resends = GetResends())
    {
        resends->Miss(packet.piece.psn, packet.isRequestPsn);
    }
}

void
PacketDelivery::Probe(TimePs now)
{
    if (WaitsForUlp())
    {
        m_poll->Ask(m_data.sent.At(Data().Base()).SentAt(), AnswerWait(), now);
        m_acks.Ask();
        ++m_shared.counters.polls;
        return;
    }
    m_losses.Probe(now);
    if (!HasResend() && !m_data.sent.Probe())
    {
        m_requests.sent.Probe();
    }
}

// ---- packets that come ----

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
    Miss(packet);
    RetransmissionEngine& engine = packet.isRequestPsn ? m_requests.sent : m_data.sent;
    if (!engine.Refuse(packet.piece.psn, now + m_shared.settings.noResourceDelay))
    {
        ++m_shared.counters.staleAcks;
    }
    else if (!packet.isRequestPsn)
    {
        m_path.TakeRefusal(now);
    }
}

void
PacketDelivery::TakeTrimmed(const TransportPacket& packet, TimePs now)
{
    Miss(packet);
    SequenceSpace& space = packet.isRequestPsn ? m_requests : m_data;
    if (!space.sent.Trim(packet.piece.psn, packet.piece.sentAt))
    {
        ++m_shared.counters.staleAcks; // it was sent again meanwhile
        return;
    }
    ++m_shared.counters.trimResends;
    m_losses.Hear(now);
    // It is lost without any doubt, so there is nothing to be undone later.
    m_path.TakeLoss(now);
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
        if (!expiry.lost.IsEmpty())
        {
            TellLoss(LossCause::TIME_OUT, now, expiry.lostSentAt);
            Claim(*space, expiry.lost, LossCause::TIME_OUT);
        }
        if (m_poll && space == &m_data && expiry.waitsSince != NEVER)
        {
            m_poll->LearnTimeOut(now - expiry.waitsSince);
        }
    }
    if (m_losses.Timer() <= now)
    {
        FindLosses(now);
    }
    if (LossTimer() <= now)
    {
        Probe(now);
    }
    return std::nullopt;
}

void
PacketDelivery::SendNew(OutstandingPacket&& outstanding, TransportPacket& packet, TimePs now)
{
    outstanding.Send(now, TimeOut(0));
    m_losses.Send(now);
    outstanding.isCounted = m_shared.packetEntries.Has(1);
    if (!outstanding.IsRequest())
    {
        m_losses.SendData(outstanding.offset >= BULK_BYTES);
    }
    RetransmissionEngine& engine = outstanding.IsRequest() ? m_requests.sent : m_data.sent;
    const uint32_t psn = engine.Register(outstanding, m_shared.tables);
    Write(packet, psn, outstanding, now);
    m_shared.packetEntries.Take(outstanding.isCounted);
    const uint32_t payload = packet.PayloadBytes();
    m_shared.payload.Take(payload);
    m_path.Send(payload, now);
}

void
PacketDelivery::SendAgain(TransportPacket& packet, TimePs now)
{
    bool isRequest = m_requests.sent.HasResend();
    uint32_t psn = (isRequest ? m_requests : m_data).sent.NextResend();
    if (m_shared.settings.resendsByRsn)
    {
        const ResendOrder::Candidate next = ResendOrder::Next(m_requests.sent, m_data.sent);
        isRequest = next.isRequest;
        psn = next.psn;
    }
    RetransmissionEngine& engine = (isRequest ? m_requests : m_data).sent;
    const OutstandingPacket& outstanding = engine.At(psn);
    TransportCounters& counters = m_shared.counters;
    ++counters.resends;
    ++(outstanding.wasRefused ? counters.refusedResends
       : outstanding.isProbe  ? counters.probes
       : outstanding.wasEarly ? counters.earlyResends
                              : counters.timeOuts);
    if (ResendHistory* resends = GetResends())
    {
        resends->Resend(psn, isRequest);
    }
    engine.Resent(psn, now, TimeOutOfResend(outstanding, now));
    m_losses.Send(now);
    Write(packet, psn, outstanding, now);
    packet.isProbe = outstanding.isProbe;
}

void
PacketDelivery::Write(TransportPacket& packet,
                      uint32_t psn,
                      const OutstandingPacket& outstanding,
                      TimePs now)
{
    outstanding.WriteTo(packet, psn);
    m_shared.counters.sentBytes += packet.PayloadBytes();
    m_path.Pace(packet, now);
    RideOn(packet, now);
}

} // namespace ns3::fabric
