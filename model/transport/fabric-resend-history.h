/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RESEND_HISTORY_H
#define FABRIC_RESEND_HISTORY_H

#include "fabric-types.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

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
 * The packets of a connection that were taken for lost of late, and by how much the congestion
 * window was decreased for them: if the peer has received each of them twice, the decrease is
 * undone. After DSACK's use in RFC 3708 and Linux' tcp_try_undo_dsack().
 *
 * Losses within a given time are one episode. One that is real keeps its episode from being undone.
 */
class ResendHistory
{
  public:
    /**
     * A packet is taken for lost.
     *
     * @param isRequest whether its PSN is of the request window
     * @param length of an episode that begins with it, ps
     */
    void Claim(uint32_t psn, bool isRequest, LossCause cause, TimePs now, TimePs length)
    {
        if (m_open == 0 || now >= m_end)
        {
            ++m_episode;
            m_open = 0;
            m_end = now + length;
            m_factor = 1;
            m_before = 0;
        }
        ++m_open;
        Entry& entry = EntryOf(psn, isRequest);
        if (!Matches(entry, psn, isRequest) || entry.episode != m_episode)
        {
            entry = {psn, m_episode, 0, isRequest, cause};
        }
        entry.cause = cause;
        ++entry.claims;
    }

    /// A loss that stays one, whatever comes. @copydetails Claim()
    void Spoil(TimePs now)
    {
        m_open += now < m_end && m_open > 0;
    }

    /**
     * The congestion window has changed for what was claimed.
     *
     * @param before packets
     * @param after packets
     */
    void Decrease(double before, double after)
    {
        m_factor *= before / after;
        m_before = std::max(m_before, before);
    }

    /**
     * The peer has received a packet twice, or before it was sent again.
     *
     * @param isRequest whether its PSN is of the request window
     * @return why it was taken for lost; nothing if it was not
     */
    std::optional<LossCause> Disprove(uint32_t psn, bool isRequest)
    {
        Entry& entry = EntryOf(psn, isRequest);
        if (!Matches(entry, psn, isRequest))
        {
            return std::nullopt;
        }
        --entry.claims;
        m_open -= entry.episode == m_episode && m_open > 0;
        return entry.cause;
    }

    /**
     * @param window congestion window now, packets
     * @return what it is with all decreases undone, if all losses have proved to be none; once
     */
    std::optional<double> TakeUndo(double window)
    {
        if (m_open > 0 || m_factor <= 1)
        {
            return std::nullopt;
        }
        const double undone = std::min(window * m_factor, std::max(window, m_before));
        m_factor = 1;
        return undone;
    }

  private:
    /// A packet that was taken for lost.
    struct Entry
    {
        uint32_t psn;     ///< Of the packet.
        uint16_t episode; ///< In which it was, modulo 2^16.
        uint8_t claims;   ///< How often it was taken for lost, less how often that was disproved.
        bool isRequest;   ///< Whether its PSN is of the request window.
        LossCause cause;  ///< The last one.
    };

    static constexpr uint32_t ENTRIES = 256; ///< Both windows, and what has left them. Chosen.

    /// @return where a packet stands, or another
    Entry& EntryOf(uint32_t psn, bool isRequest)
    {
        return m_entries[(psn + (isRequest ? ENTRIES / 2 : 0)) % ENTRIES];
    }

    /// @return whether it is a packet's, and something is left to disprove
    static bool Matches(const Entry& entry, uint32_t psn, bool isRequest)
    {
        return entry.claims > 0 && entry.psn == psn && entry.isRequest == isRequest;
    }

    double m_factor{1};                       ///< By which the window was decreased.
    double m_before{0};                       ///< The largest window before, packets.
    TimePs m_end{0};                          ///< Of the episode, ps.
    uint32_t m_open{0};                       ///< Claims of the episode that are not disproved.
    uint16_t m_episode{0};                    ///< Number of it, modulo 2^16.
    std::array<Entry, ENTRIES> m_entries{{}}; ///< By PSN, the latest.
};

} // namespace ns3::fabric

#endif // FABRIC_RESEND_HISTORY_H
