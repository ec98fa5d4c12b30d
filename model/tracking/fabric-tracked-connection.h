/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRACKED_CONNECTION_H
#define FABRIC_TRACKED_CONNECTION_H

#include "fabric-arrival-window.h"
#include "fabric-packet-track.h"
#include "fabric-retry-window.h"
#include "fabric-tracking-settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * One end of a connection between two NICs (NQ-11): what it has sent and is not acknowledged, and
 * what has come from the other end. Each packet is taken once there, whatever the network does.
 *
 *     Track() -> wire -> Gone() -> acknowledged
 *       ^                  | time-out: SINGLE by itself, ORDERED with all behind the oldest one
 *       |                  | the other end misses an ORDERED one: it, with all behind it
 *       +------------------+ too often: the connection fails
 *
 * When it fails, at either end, a new epoch begins: both ends forget what was under way, and begin
 * at 0 again. What is still in the network of the epoch before is stale.
 *
 * @tparam T a packet
 */
template <typename T>
class TrackedConnection
{
  public:
    /// What is due, see Handle().
    struct Due
    {
        bool isAck{false};     ///< An acknowledgement has to go.
        bool isProbe{false};   ///< The other end has been silent: it has to be asked.
        bool hasFailed{false}; ///< A packet was sent again as often as is allowed.
    };

    /// @param settings that are valid; stay where they are
    explicit TrackedConnection(const TrackingSettings& settings)
        : m_settings(&settings)
    {
    }

    uint8_t Epoch() const
    {
        return m_epoch;
    }

    /// @return whether a packet may go: there is room in the retry buffer, and an ORDERED one does
    /// not overtake those that are sent again
    bool HasRoom(TrackClass kind) const
    {
        const bool mayGo =
            kind == TrackClass::SINGLE || (m_heldUntil == NEVER && !m_goesBack && !m_wantsBack);
        return Of(kind).Size() < m_settings->window && mayGo;
    }

    /// Keeps a packet that will go. @return what it has to say
    PacketTrack Track(TrackClass kind, const T& packet)
    {
        RetryWindow<T>& window = Of(kind);
        const PacketTrack track{window.Next(), m_epoch, kind};
        window.Add(packet);
        m_probeAt = NEVER;
        return track;
    }

    /// @return the packet, if it is not acknowledged; null otherwise
    T* Find(const PacketTrack& track)
    {
        return IsOpen(track) ? &Of(track.kind).At(track.sequence).packet : nullptr;
    }

    /// A packet has left: its time runs from now on.
    void Gone(const PacketTrack& track, TimePs now)
    {
        const bool isCurrent = track.kind == TrackClass::ORDERED && track.epoch == m_epoch;
        m_goesBack = m_goesBack && !(isCurrent && track.sequence == m_lastAgain);
        if (!IsOpen(track))
        {
            return;
        }
        auto& entry = Of(track.kind).At(track.sequence);
        entry.isLeaving = false;
        if (m_wantsBack && HaveLeft())
        {
            m_backAt = now;
        }
        if (track.kind == TrackClass::SINGLE || m_heldUntil == NEVER)
        {
            entry.dueAt = now + Patience(track.kind, entry.resends);
            m_dueAt = std::min(m_dueAt, entry.dueAt);
        }
    }

    /// Something waits for the other end, which is asked after a while of silence.
    void Open()
    {
        ++m_open;
    }

    /// It waits no longer.
    void Close()
    {
        --m_open;
    }

    /// A packet has come. @return whether it is to be taken
    TrackVerdict Take(const PacketTrack& track, TimePs now)
    {
        if (track.epoch != m_epoch)
        {
            m_ackAt = std::min(m_ackAt, now); // it has to learn of the present epoch
            return TrackVerdict::STALE;
        }
        const bool isOrdered = track.kind == TrackClass::ORDERED;
        const TrackVerdict verdict = isOrdered ? m_arrivals.TakeOrdered(track.sequence)
                                               : m_arrivals.TakeSingle(track.sequence);
        if (verdict == TrackVerdict::EARLY && isOrdered && !m_arrivals.IsRefusing())
        {
            m_ackAt = m_arrivals.WantsToTell() ? std::min(m_ackAt, now) : m_ackAt;
        }
        else if (verdict != TrackVerdict::FRESH)
        {
            m_ackAt = std::min(m_ackAt, now); // the last one may be lost
        }
        else if (!isOrdered)
        {
            Owe(now);
        }
        return verdict;
    }

    /// The oldest ORDERED packet that was taken is done.
    void Finish(TimePs now)
    {
        m_arrivals.Finish();
        Owe(now);
    }

    /// The oldest ORDERED packet that was taken is refused: it and those behind it come again.
    void Refuse(TimePs now)
    {
        m_arrivals.Refuse();
        m_ackAt = now;
    }

    /// What was refused may come again.
    void Allow(TimePs now)
    {
        if (m_arrivals.Allow())
        {
            m_ackAt = now;
        }
    }

    /// @return changes whenever ORDERED packets that were taken are no longer valid
    uint32_t Turn() const
    {
        return m_arrivals.Turn();
    }

    /// @return what a packet to the other end says of those that have come; it is then told
    PacketAcks Tell()
    {
        m_owed = 0;
        m_ackAt = NEVER;
        return m_arrivals.Acks(m_epoch);
    }

    /// The other end tells what has come.
    void Learn(const PacketAcks& acks, TimePs now)
    {
        if (acks.epoch != m_epoch)
        {
            return;
        }
        Of(TrackClass::SINGLE).Acknowledge(acks.singleBase, acks.singles);
        RetryWindow<T>& ordered = Of(TrackClass::ORDERED);
        if (ordered.Acknowledge(acks.orderedBase, 0))
        {
            Restart(now);
        }
        if (m_wantsBack && !ordered.IsOpen(m_missing))
        {
            StayHere(); // it has come
        }
        const bool isRefused = acks.isNotReady && acks.orderedBase == ordered.Base();
        if (isRefused && ordered.Size() != 0 && m_heldUntil == NEVER)
        {
            Hold(now);
        }
        else if (m_heldUntil != NEVER && !acks.isNotReady)
        {
            m_heldUntil = now;
        }
        else if (acks.isMissing && m_heldUntil == NEVER)
        {
            GoBackTo(acks.orderedBase + acks.taken, now);
        }
        const bool isIdle = Kept() == 0;
        m_dueAt = isIdle ? NEVER : m_dueAt;
        m_probeAt = isIdle && m_open != 0 ? now + PROBE_AFTER * m_settings->timeout : NEVER;
    }

    /// @return when something is due, NEVER for nothing, ps
    TimePs NextTime() const
    {
        return std::min({m_dueAt, m_ackAt, m_heldUntil, m_probeAt, m_backAt});
    }

    /**
     * @param now NextTime()
     * @param again what is sent again is added here, with what it says, in order
     * @return what else is due
     */
    Due Handle(TimePs now, std::vector<PacketTrack>& again)
    {
        Due due;
        due.isAck = m_ackAt <= now;
        due.isProbe = m_probeAt <= now && m_open != 0 && Kept() == 0;
        m_probeAt = m_probeAt <= now ? NEVER : m_probeAt;
        if (m_heldUntil <= now)
        {
            m_heldUntil = NEVER;
            ResendOrdered(Of(TrackClass::ORDERED).Base(), again);
        }
        if (m_backAt <= now)
        {
            ResendOrdered(m_missing, again);
        }
        if (m_dueAt <= now)
        {
            due.hasFailed = Expire(now, again);
        }
        return due;
    }

    /// Begins a new epoch. @param epoch later than the present one
    void Begin(uint8_t epoch)
    {
        m_epoch = epoch;
        for (RetryWindow<T>& window : m_windows)
        {
            window.Clear();
        }
        m_arrivals.Clear();
        m_owed = m_open = 0;
        m_goesBack = false;
        StayHere();
        m_dueAt = m_ackAt = m_heldUntil = m_probeAt = NEVER;
    }

    /// @return packets in the retry buffer
    uint32_t Kept() const
    {
        return m_windows[0].Size() + m_windows[1].Size();
    }

  private:
    static constexpr TimePs PROBE_AFTER = 4;      ///< Time-outs of silence; chosen.
    static constexpr uint32_t MOST_DOUBLINGS = 6; ///< Of the time-out; chosen.

    RetryWindow<T>& Of(TrackClass kind)
    {
        return m_windows[static_cast<uint32_t>(kind)];
    }

    const RetryWindow<T>& Of(TrackClass kind) const
    {
        return m_windows[static_cast<uint32_t>(kind)];
    }

    /// @return whether a packet is kept and not acknowledged
    bool IsOpen(const PacketTrack& track) const
    {
        return track.epoch == m_epoch && Of(track.kind).IsOpen(track.sequence);
    }

    /// @return how long a packet may be without an answer, ps
    TimePs Patience(TrackClass kind, uint32_t resends)
    {
        const bool isOrdered = kind == TrackClass::ORDERED;
        const uint32_t times = isOrdered ? Of(kind).At(Of(kind).Base()).resends : resends;
        return m_settings->timeout << std::min(times, MOST_DOUBLINGS);
    }

    /// A packet is to be acknowledged, with others or in a while.
    void Owe(TimePs now)
    {
        const bool isEnough = ++m_owed >= m_settings->ackEvery;
        m_ackAt = std::min(m_ackAt, isEnough ? now : now + m_settings->ackDelay);
    }

    /// Some ORDERED packets have come: the time of the others runs from now on.
    void Restart(TimePs now)
    {
        RetryWindow<T>& ordered = Of(TrackClass::ORDERED);
        if (ordered.Size() != 0 && ordered.At(ordered.Base()).dueAt != NEVER)
        {
            const TimePs dueAt = now + Patience(TrackClass::ORDERED, 0);
            ordered.At(ordered.Base()).dueAt = dueAt;
            m_dueAt = std::min(m_dueAt, dueAt); // those behind the oldest one are not looked at
        }
    }

    /// @return when ORDERED packets are lost, NEVER for not at all, ps
    TimePs OrderedDue()
    {
        RetryWindow<T>& ordered = Of(TrackClass::ORDERED);
        return ordered.Size() == 0 ? NEVER : ordered.At(ordered.Base()).dueAt;
    }

    /// ORDERED packets wait until the other end is ready, which is not held against them.
    void Hold(TimePs now)
    {
        RetryWindow<T>& ordered = Of(TrackClass::ORDERED);
        for (uint32_t i = 0; i < ordered.Size(); ++i)
        {
            ordered.At(ordered.Base() + i).dueAt = NEVER;
        }
        ordered.At(ordered.Base()).resends = 0;
        m_heldUntil = now + m_settings->notReady;
    }

    /// Sends a packet again.
    void Resend(TrackClass kind, uint32_t sequence, std::vector<PacketTrack>& again)
    {
        auto& entry = Of(kind).At(sequence);
        entry.isLeaving = true;
        entry.dueAt = NEVER;
        again.push_back({sequence, m_epoch, kind});
    }

    /**
     * The other end misses an ORDERED packet: it goes again, with those behind it, unless it does
     * so already. Those that are on their way to the wire leave before that, in vain, since what
     * goes again comes behind them.
     */
    void GoBackTo(uint32_t sequence, TimePs now)
    {
        const RetryWindow<T>& window = Of(TrackClass::ORDERED);
        if (!m_goesBack && !m_wantsBack && window.IsOpen(sequence) &&
            !window.At(sequence).isLeaving)
        {
            m_missing = sequence;
            m_wantsBack = true;
            m_backAt = HaveLeft() ? now : NEVER;
        }
    }

    /// Nothing goes again that the other end has missed.
    void StayHere()
    {
        m_wantsBack = false;
        m_backAt = NEVER;
    }

    /// @return whether all ORDERED packets have left
    bool HaveLeft() const
    {
        const RetryWindow<T>& window = Of(TrackClass::ORDERED);
        uint32_t sequence = window.Base();
        while (sequence != window.Next() && !window.At(sequence).isLeaving)
        {
            ++sequence;
        }
        return sequence == window.Next();
    }

    /// Sends ORDERED packets again that have left. @param from the first of them
    void ResendOrdered(uint32_t from, std::vector<PacketTrack>& again)
    {
        StayHere();
        RetryWindow<T>& window = Of(TrackClass::ORDERED);
        const bool isKept = static_cast<int32_t>(from - window.Base()) >= 0;
        for (uint32_t sequence = isKept ? from : window.Base(); sequence != window.Next();
             ++sequence)
        {
            if (!window.At(sequence).isLeaving)
            {
                Resend(TrackClass::ORDERED, sequence, again);
                m_goesBack = true;
                m_lastAgain = sequence;
            }
        }
    }

    /// Packets are lost. @return whether one is so too often
    bool Expire(TimePs now, std::vector<PacketTrack>& again)
    {
        RetryWindow<T>& singles = Of(TrackClass::SINGLE);
        for (uint32_t sequence = singles.Base(); sequence != singles.Next(); ++sequence)
        {
            auto& entry = singles.At(sequence);
            if (entry.dueAt > now)
            {
                continue;
            }
            if (entry.resends++ == m_settings->limit)
            {
                return true;
            }
            Resend(TrackClass::SINGLE, sequence, again);
        }
        RetryWindow<T>& ordered = Of(TrackClass::ORDERED);
        if (OrderedDue() <= now)
        {
            if (ordered.At(ordered.Base()).resends++ == m_settings->limit)
            {
                return true;
            }
            ResendOrdered(ordered.Base(), again);
        }
        m_dueAt = std::min(singles.Earliest(), OrderedDue());
        return false;
    }

    const TrackingSettings* m_settings;                    ///< The settings.
    std::array<RetryWindow<T>, TRACK_CLASSES> m_windows{}; ///< Of what was sent.
    ArrivalWindow m_arrivals;                              ///< Of what has come.
    TimePs m_dueAt{NEVER};                                 ///< No packet is lost before, ps.
    TimePs m_ackAt{NEVER};     ///< When an acknowledgement has to go, ps.
    TimePs m_heldUntil{NEVER}; ///< When ORDERED packets are tried again that were refused, ps.
    TimePs m_backAt{NEVER};    ///< When ORDERED packets go again from m_missing on, ps.
    uint32_t m_missing{0};     ///< See GoBackTo().
    TimePs m_probeAt{NEVER};   ///< When the other end has been silent for too long, ps.
    uint32_t m_owed{0};        ///< Packets that were not acknowledged here.
    uint32_t m_open{0};        ///< See Open().
    uint32_t m_lastAgain{0};   ///< Of ORDERED packets that are sent again, the last one.
    bool m_goesBack{false};    ///< Whether that one has not left.
    bool m_wantsBack{false};   ///< Whether others have to leave before packets go again.
    uint8_t m_epoch{1};        ///< Present one.
};

} // namespace ns3::fabric

#endif // FABRIC_TRACKED_CONNECTION_H
