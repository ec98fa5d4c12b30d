/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RESEND_HISTORY_H
#define FABRIC_RESEND_HISTORY_H

#include "fabric-types.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace ns3::fabric
{

/// Why a packet is taken for lost.
enum class LossCause : uint8_t
{
    EARLY,    ///< Packets that were sent later have come.
    TIME_OUT, ///< Nothing was heard of it.
    PROBE,    ///< The copy that was sent as a probe has come first.
};

/**
 * The packets of a connection that were taken for lost of late, and by what the congestion window
 * was divided for them. A packet was not lost if the peer has received it as often as it was sent,
 * probes among them (RFC 8985, section 7.4); once that is so for all packets behind a decrease, it
 * is undone. After DSACK's use in Linux (tcp_try_undo_dsack(), RFC 3708), which remembers one
 * decrease: here a report may come after several more.
 *
 * | event of a packet that was claimed | copies that may come twice | disproved          |
 * |------------------------------------|----------------------------|--------------------|
 * | sent again, as a probe too         | one more                   |                    |
 * | refused or trimmed on its way      | one less                   |                    |
 * | NACK DUPLICATE                     | one less                   | if none is left    |
 * | delivered before it is sent again  | as many                    | if there was none  |
 */
class ResendHistory
{
  public:
    /// A packet was not lost.
    struct Disproof
    {
        LossCause cause;  ///< Why it was taken for lost.
        double factor{1}; ///< By which the congestion window is to be multiplied.
        TimePs late{0};   ///< How late it has come, ps; 0 if that is not known.
    };

    /**
     * Congestion control has learned of losses, which are claimed next.
     *
     * @param factor by which the congestion window was divided; 1 if the last decrease was for
     * these too
     */
    void Decrease(double factor)
    {
        if (factor > 1)
        {
            ++m_decrease;
            Current() = {factor, 0, m_decrease};
        }
    }

    /**
     * A packet is taken for lost.
     *
     * @param isRequest whether its PSN is of the request window
     * @param sentAt when it was sent last, ps
     */
    void Claim(uint32_t psn, bool isRequest, LossCause cause, TimePs sentAt)
    {
        Entry& entry = EntryOf(psn, isRequest);
        if (!Knows(entry, psn, isRequest))
        {
            entry = Entry();
            entry.psn = psn;
            entry.isRequest = isRequest;
            entry.isKnown = true;
        }
        const bool isAgain = entry.isOpen;
        entry.cause = cause;
        if (isAgain && entry.decrease == m_decrease)
        {
            return;
        }
        entry.before = isAgain ? entry.decrease : m_decrease;
        entry.decrease = m_decrease;
        entry.sentAt = isAgain ? entry.sentAt : sentAt;
        entry.late = 0;
        entry.isOpen = true;
        ++Current().open;
    }

    /**
     * A packet is sent again.
     *
     * @param isRequest whether its PSN is of the request window
     */
    void Resend(uint32_t psn, bool isRequest)
    {
        Entry& entry = EntryOf(psn, isRequest);
        entry.copies += Knows(entry, psn, isRequest);
    }

    /**
     * The peer has got no copy of a packet that was sent, but its header, or had no room for it.
     *
     * @param isRequest whether its PSN is of the request window
     */
    void Miss(uint32_t psn, bool isRequest)
    {
        Entry& entry = EntryOf(psn, isRequest);
        entry.copies -= Knows(entry, psn, isRequest);
    }

    /**
     * A packet is delivered, perhaps before it was sent again.
     *
     * @param isRequest whether its PSN is of the request window
     * @param sentAt when one was sent that would come now, as long as the newest packet took, ps
     */
    void Deliver(uint32_t psn, bool isRequest, TimePs sentAt)
    {
        Entry& entry = EntryOf(psn, isRequest);
        if (IsClaimed(entry, psn, isRequest) && entry.late == 0)
        {
            entry.late = std::max<TimePs>(sentAt - entry.sentAt, 0);
        }
    }

    /**
     * The peer has received one copy more of a packet.
     *
     * @param isRequest whether its PSN is of the request window
     * @return what follows; nothing if it was not taken for lost, or another copy may have been
     */
    std::optional<Disproof> Duplicate(uint32_t psn, bool isRequest)
    {
        Miss(psn, isRequest); // what has come twice does not come twice any more
        return Disprove(psn, isRequest);
    }

    /**
     * The peer has received a packet.
     *
     * @param isRequest whether its PSN is of the request window
     * @return what follows if it was to be sent again, and that was not done yet; nothing if it was
     * not taken for lost, or it is not known which copy has come
     */
    std::optional<Disproof> Disprove(uint32_t psn, bool isRequest)
    {
        Entry& entry = EntryOf(psn, isRequest);
        if (!IsClaimed(entry, psn, isRequest) || entry.copies > 0)
        {
            return std::nullopt;
        }
        entry.isOpen = false;
        Disproof result{entry.cause, Release(entry.decrease), entry.late};
        if (entry.before != entry.decrease)
        {
            result.factor *= Release(entry.before);
        }
        return result;
    }

  private:
    /// A packet that was taken for lost.
    struct Entry
    {
        uint32_t psn{0};                   ///< Of the packet.
        int32_t copies{0};                 ///< Sent, beyond one, of which nothing is known.
        uint16_t decrease{0};              ///< Number of the last decrease for it.
        uint16_t before{0};                ///< Of the one before, if it was taken for lost again.
        bool isRequest{false};             ///< Whether its PSN is of the request window.
        bool isKnown{false};               ///< Whether there is a packet.
        bool isOpen{false};                ///< Whether it is taken for lost, and not disproved.
        LossCause cause{LossCause::EARLY}; ///< Why.
        TimePs sentAt{0};                  ///< When it was sent first, ps.
        TimePs late{0};                    ///< How late it was delivered, ps; 0 before that.
    };

    /// A decrease of the congestion window.
    struct Decreased
    {
        double factor{1};   ///< By which it was divided; 1 if that was undone.
        uint32_t open{0};   ///< Packets behind it that are not disproved.
        uint16_t number{0}; ///< Of it, modulo 2^16.
    };

    static constexpr uint32_t DATA = 256;      ///< Of a window, and of the one before it. Chosen.
    static constexpr uint32_t REQUESTS = 128;  ///< Of a window. Chosen.
    static constexpr uint32_t DECREASES = 128; ///< Round trips for which it is known. Chosen.

    /// @return where a packet stands, or another
    Entry& EntryOf(uint32_t psn, bool isRequest)
    {
        return isRequest ? m_requests[psn % REQUESTS] : m_data[psn % DATA];
    }

    /// @return whether a packet stands there
    static bool Knows(const Entry& entry, uint32_t psn, bool isRequest)
    {
        return entry.isKnown && entry.psn == psn && entry.isRequest == isRequest;
    }

    /// @return whether a packet stands there, and may still be disproved
    static bool IsClaimed(const Entry& entry, uint32_t psn, bool isRequest)
    {
        return entry.isOpen && Knows(entry, psn, isRequest);
    }

    /// A packet behind a decrease is disproved. @return by what the window is to be multiplied
    double Release(uint16_t number)
    {
        Decreased& decrease = m_decreases[number % DECREASES];
        return decrease.number == number && --decrease.open == 0 ? std::exchange(decrease.factor, 1)
                                                                 : 1;
    }

    /// @return the last decrease
    Decreased& Current()
    {
        return m_decreases[m_decrease % DECREASES];
    }

    uint16_t m_decrease{0};                         ///< Number of the last decrease, modulo 2^16.
    std::array<Decreased, DECREASES> m_decreases{}; ///< The latest, by number.
    std::array<Entry, DATA> m_data{};               ///< The latest, by PSN.
    std::array<Entry, REQUESTS> m_requests{};       ///< The latest, by PSN.
};

} // namespace ns3::fabric

#endif // FABRIC_RESEND_HISTORY_H
