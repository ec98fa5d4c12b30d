/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_CONTROL_H
#define FABRIC_CREDIT_CONTROL_H

#include "fabric-ring.h"
#include "fabric-sequence-number.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-packet.h"
#include "fabric-transport-settings.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace ns3::fabric
{

/// What the peer of one connection may send: its part of the target's CAM.
struct CreditAccount
{
    uint32_t limit{0};           ///< Metered: requests with an RSN below it have an entry.
    uint32_t wanted{0};          ///< Metered: the peer has requests up to this RSN, exclusive.
    uint32_t entries{0};         ///< Kept for it, whether a request is in them or not.
    bool isTrusted{false};       ///< It has an entry for each request that its span allows.
    bool isListedAsHead{false};  ///< It stands among those without an entry.
    bool isListedAsOther{false}; ///< It stands among those that want more.

    /// @return whether the peer waits for entries
    bool IsWaiting() const
    {
        return SequenceBefore(limit, wanted);
    }
};

/**
 * Who gets the entries of the target's CAM (RT-11). No request is sent before there is an entry
 * for it: credits for RSNs, as InfiniBand's end-to-end credits of a reliable connection. So
 * nothing that found no room ever stands in a window and keeps back what would make room
 * elsewhere, and two ends with full tables can't wait for each other.
 *
 * | connection | event                                   | next                                 |
 * |------------|-----------------------------------------|--------------------------------------|
 * | new        | entries for its whole span are free,    | trusted: needs no credits            |
 * |            | half the table and red zone apart       |                                      |
 * | new        | otherwise                               | metered from the start: told at      |
 * |            |                                         | set-up, with what it has at first    |
 * | trusted    | another one asks and finds none free,   | metered when it has heard of it;     |
 * |            | and it is its turn to be told           | keeps entries for what it has sent   |
 * | metered    | asks                                    | waits in line                        |
 * | waits      | one is free; it has none, or the quota  | gets its part of those that are free |
 * |            | is not reached and the red zone is left |                                      |
 * | metered    | a request comes, nobody waits           | gets as many ahead as its share is   |
 *
 * Those that have no entry, whose next request is the head of their line, come before those that
 * want more; each in the order of asking. What is given ahead of demand is at most a half of the
 * table, and shared evenly: idle connections hold no more than that.
 */
class CreditControl
{
  public:
    /**
     * @param settings of the endpoint
     * @param counters of the endpoint
     */
    CreditControl(const TransportSettings& settings, TransportCounters& counters)
        : m_counters(counters),
          m_limit(settings.targetEntries),
          m_quota(settings.targetQuota == 0 ? m_limit : settings.targetQuota),
          m_redZone(settings.targetRedZone)
    {
    }

    /**
     * A connection is new.
     *
     * @param span requests from the oldest that is not over to the newest
     */
    void Open(CreditAccount& account, uint32_t span)
    {
        account = CreditAccount();
        account.isTrusted =
            span <= m_quota && m_kept + span <= m_limit / 2 && span + m_redZone <= Free();
        ++(account.isTrusted ? m_trusted : m_metered);
        if (account.isTrusted)
        {
            Keep(account, span);
        }
        else if (!IsAnyListed())
        {
            const uint32_t most = std::min({Share(), span, Ahead(account)});
            Give(account,
                 *std::prev(std::upper_bound(FIRST_CREDITS.begin(), FIRST_CREDITS.end(), most)));
        }
    }

    /// Both ends have agreed on a span. @param span at most the one before
    void Agree(CreditAccount& account, uint32_t span)
    {
        if (account.isTrusted)
        {
            GiveBack(account, account.entries - span);
        }
    }

    /**
     * The peer of a trusted connection has heard that it needs credits.
     *
     * @param limit RSNs below it were or will be sent
     * @param entries how many of them are not over
     * @param stored how many of these are in the table
     */
    void Meter(CreditAccount& account, uint32_t limit, uint32_t entries, uint32_t stored)
    {
        account.isTrusted = false;
        account.limit = account.wanted = limit;
        GiveBack(account, account.entries - entries);
        m_unopened += entries - stored;
        --m_trusted;
        ++m_metered;
    }

    /// A connection is over. @param stored requests of it that are in the table
    void Close(CreditAccount& account, uint32_t stored)
    {
        if (!account.isTrusted)
        {
            m_unopened -= account.entries - stored;
        }
        --(account.isTrusted ? m_trusted : m_metered);
        account.wanted = account.limit;
        GiveBack(account, account.entries);
    }

    /**
     * The peer asks.
     *
     * @param wanted it has requests up to this RSN, exclusive
     * @param stored its requests that are in the table
     * @return whether it is told what it has already: perhaps the answer was lost
     */
    bool Want(CreditAccount& account, ConnectionId cid, uint32_t wanted, uint32_t stored)
    {
        const bool hasUnopened = account.entries > stored;
        if (!SequenceBefore(account.limit, wanted))
        {
            return hasUnopened;
        }
        const bool isInLine = account.IsWaiting();
        m_counters.creditWaits += !isInLine && (Free() == 0 || IsAnyListed());
        m_isAsked = true;
        m_isDue = true;
        if (SequenceBefore(account.wanted, wanted))
        {
            account.wanted = wanted;
        }
        List(account, cid);
        return hasUnopened;
    }

    /**
     * A request of a metered connection has come.
     *
     * @param stored its requests that are in the table, with this one
     * @param ceiling its span ends there, RSN
     * @return whether it gets entries ahead of its demand
     */
    bool TakeOpened(CreditAccount& account, uint32_t stored, uint32_t ceiling)
    {
        --m_unopened;
        const uint32_t share = Share();
        const uint32_t left = account.entries - stored;
        if (left >= (share + 1) / 2 || IsAnyListed())
        {
            return false;
        }
        const uint32_t inSpan =
            SequenceBefore(account.limit, ceiling) ? ceiling - account.limit : 0;
        const uint32_t ahead = std::min({share - left, inSpan, Ahead(account)});
        Give(account, ahead);
        return ahead > 0;
    }

    /// A request of a connection is over.
    void TakeRetired(CreditAccount& account, ConnectionId cid)
    {
        if (account.isTrusted)
        {
            return;
        }
        GiveBack(account, 1);
        List(account, cid);
    }

    /// @return whether entries may be given since the last look
    bool TakeDue()
    {
        const bool isDue = m_isDue;
        m_isDue = false;
        return isDue;
    }

    /// Somebody who is next in line.
    struct Waiter
    {
        ConnectionId cid{NO_CONNECTION}; ///< Who.
        bool isHead{false};              ///< In which line.
    };

    /// @return who is next, and leaves the line; nothing if there is nobody, or nothing to give
    std::optional<Waiter> Next()
    {
        const bool isHead = !m_heads.IsEmpty();
        Ring<ConnectionId>& line = isHead ? m_heads : m_others;
        if (line.IsEmpty() || Free() <= (isHead ? 0 : m_redZone))
        {
            return std::nullopt;
        }
        const Waiter waiter{line.Front(), isHead};
        line.Pop();
        return waiter;
    }

    /**
     * Gives what there is to who was next, or puts it into the line where it belongs.
     *
     * @return whether it gets something
     */
    bool Serve(CreditAccount& account, const Waiter& waiter)
    {
        (waiter.isHead ? account.isListedAsHead : account.isListedAsOther) = false;
        if (!account.IsWaiting())
        {
            return false;
        }
        const uint32_t fair = Free() / (1 + (waiter.isHead ? m_heads : m_others).Size());
        const uint32_t spare = std::min(Spare(account), std::max(fair, 1U));
        // The head of a line gets in whatever is kept for heads of line.
        const uint32_t given = std::min(account.wanted - account.limit,
                                        account.entries == 0 ? std::max(spare, 1U) : spare);
        Give(account, given);
        List(account, waiter.cid);
        return given > 0;
    }

    /// @return whether one that is trusted has to be metered now, since another asks and waits
    bool TakeShortage()
    {
        const bool isShort = m_isAsked && IsAnyListed() && m_trusted > 0;
        m_isAsked = false;
        return isShort;
    }

    /// @return entries that are kept for connections, whether a request is in them or not
    uint32_t Kept() const
    {
        return m_kept;
    }

  private:
    /// @return entries that nobody has
    uint32_t Free() const
    {
        return m_limit - m_kept;
    }

    /// @return whether somebody waits
    bool IsAnyListed() const
    {
        return !m_heads.IsEmpty() || !m_others.IsEmpty();
    }

    /// @return what quota and red zone leave to it
    uint32_t Spare(const CreditAccount& account) const
    {
        const uint32_t free = Free() - std::min(m_redZone, Free());
        return std::min(m_quota - account.entries, free);
    }

    /// @return what one metered connection is given ahead of demand, at most
    uint32_t Share() const
    {
        return m_limit / 2 / m_metered;
    }

    /// @return what may be given to it ahead of demand now
    uint32_t Ahead(const CreditAccount& account) const
    {
        return std::min(Spare(account), m_limit / 2 - std::min(m_limit / 2, m_unopened));
    }

    /// Puts it into line, if it waits and may have more.
    void List(CreditAccount& account, ConnectionId cid)
    {
        if (!account.IsWaiting() || account.entries >= m_quota)
        {
            return;
        }
        const bool isHead = account.entries == 0;
        bool& isListed = isHead ? account.isListedAsHead : account.isListedAsOther;
        if (!isListed)
        {
            (isHead ? m_heads : m_others).Push(cid);
            isListed = true;
        }
    }

    /// Its peer may send so many requests more.
    void Give(CreditAccount& account, uint32_t entries)
    {
        account.limit += entries;
        m_unopened += entries;
        Keep(account, entries);
    }

    void Keep(CreditAccount& account, uint32_t entries)
    {
        account.entries += entries;
        m_kept += entries;
    }

    void GiveBack(CreditAccount& account, uint32_t entries)
    {
        account.entries -= entries;
        m_kept -= entries;
        m_isDue = true;
    }

    TransportCounters& m_counters; ///< Of the endpoint.
    uint32_t m_limit;              ///< Entries.
    uint32_t m_quota;              ///< Most that one connection has.
    uint32_t m_redZone;            ///< Only for those that have none.
    uint32_t m_kept{0};            ///< Entries that connections have.
    uint32_t m_unopened{0};        ///< Of metered ones, without a request yet.
    uint32_t m_trusted{0};         ///< Connections that are trusted.
    uint32_t m_metered{0};         ///< The others.
    Ring<ConnectionId> m_heads;    ///< Who has none, in the order of asking.
    Ring<ConnectionId> m_others;   ///< Who wants more, in the order of asking.
    bool m_isAsked{false};         ///< Since the last look a peer has asked.
    bool m_isDue{false};           ///< Somebody may get one.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_CONTROL_H
