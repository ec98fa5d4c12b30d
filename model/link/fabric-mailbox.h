/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MAILBOX_H
#define FABRIC_MAILBOX_H

#include "fabric-ack-batch.h"
#include "fabric-fetch.h"
#include "fabric-frame.h"
#include "fabric-pause-order.h"

#include <vector>

namespace ns3::fabric
{

class CreditEnd;
class InputLink;
class PauseEnd;

/// Where at a switch all comes in that the other end of a link sends.
struct LinkEnds
{
    InputLink* link{nullptr};    ///< Takes frames and ACKs.
    CreditEnd* credits{nullptr}; ///< Takes credits.
    PauseEnd* pauses{nullptr};   ///< Takes pauses; null where there are none.
    uint32_t port{0};            ///< Of the switch.
};

/// How much a mailbox holds.
struct MailCounts
{
    uint32_t frames{0};  ///< Frames, and entries for the pieces of frames.
    uint32_t acks{0};    ///< Parts of ACK frames.
    uint32_t credits{0}; ///< Credits.
    uint32_t pauses{0};  ///< Pauses.
};

/**
 * What leaves one part of a fabric for another, which another thread may be running: frames, ACKs,
 * credits and pauses of all links between the two (DP-15).
 *
 * One thread writes. When both parts rest, the contents are moved on. That is soon enough, since
 * what is sent in a window takes effect after the receiver's window (DP-2). Letters of all links
 * lie in one row, in the order in which they are written: reading them misses no cache.
 */
class alignas(CACHE_LINE) Mailbox // no two threads write to one cache line
{
  public:
    /**
     * @param link receiving end
     * @param frame takes effect there at frame.time
     */
    void Put(InputLink* link, const Frame& frame)
    {
        m_frames.push_back({frame, link});
    }

    /**
     * @param link receiving end
     * @param batch takes effect there at batch.time
     */
    void Put(InputLink* link, const AckBatch& batch)
    {
        m_acks.push_back({batch, link});
    }

    /**
     * @param end where it comes in, at the sender of what left a buffer
     * @param when time at which the sender has the credit, ps
     * @param vc virtual channel
     * @param bytes of the frame that left the buffer
     */
    void Put(CreditEnd* end, TimePs when, uint32_t vc, uint32_t bytes)
    {
        m_credits.push_back({end, when, vc, bytes});
    }

    /**
     * @param end where it comes in, at the switch that is paused
     * @param port of the link there
     * @param order is obeyed at order.time
     */
    void Put(PauseEnd* end, uint32_t port, const PauseOrder& order)
    {
        m_pauses.push_back({order, end, port});
    }

    /**
     * Moves the contents to the receivers, and wakes them.
     *
     * @param known both parts have decided everything before this time, ps
     */
    void Deliver(TimePs known);

    /// @return whether there is nothing in it
    bool IsEmpty() const
    {
        return m_frames.empty() && m_acks.empty() && m_credits.empty() && m_pauses.empty();
    }

    /// @return what is in it
    MailCounts Counts() const
    {
        return {static_cast<uint32_t>(m_frames.size()),
                static_cast<uint32_t>(m_acks.size()),
                static_cast<uint32_t>(m_credits.size()),
                static_cast<uint32_t>(m_pauses.size())};
    }

    /**
     * Forgets the contents, after a look at them: frames first, then ACKs, credits and pauses.
     *
     * @tparam Visitor has Take() for a Frame, an AckBatch and a PauseOrder, and for the time,
     * virtual channel and bytes of a credit
     */
    template <typename Visitor>
    void Empty(Visitor& visitor)
    {
        for (const Letter<Frame>& letter : m_frames)
        {
            visitor.Take(letter.entry);
        }
        for (const Letter<AckBatch>& letter : m_acks)
        {
            visitor.Take(letter.entry);
        }
        for (const CreditLetter& letter : m_credits)
        {
            visitor.Take(letter.when, letter.vc, letter.bytes);
        }
        for (const PauseLetter& letter : m_pauses)
        {
            visitor.Take(letter.order);
        }
        Clear();
    }

  private:
    /// A frame or ACKs on the way to a link.
    template <typename Entry>
    struct Letter
    {
        Entry entry;     ///< What is sent.
        InputLink* link; ///< Receiving end.
    };

    /// A credit on its way.
    struct CreditLetter
    {
        CreditEnd* end; ///< Where it comes in.
        TimePs when;    ///< When the sender has it, ps.
        uint32_t vc;    ///< Virtual channel.
        uint32_t bytes; ///< How much.
    };

    /// A pause on its way.
    struct PauseLetter
    {
        PauseOrder order; ///< What it says.
        PauseEnd* end;    ///< Where it comes in.
        uint32_t port;    ///< Of the link there.
    };

    /// Forgets the contents, and keeps their memory.
    void Clear();

    std::vector<Letter<Frame>> m_frames;  ///< In the order in which they were put in.
    std::vector<Letter<AckBatch>> m_acks; ///< In the order in which they were put in.
    std::vector<CreditLetter> m_credits;  ///< In the order in which they were put in.
    std::vector<PauseLetter> m_pauses;    ///< In the order in which they were put in.
};

} // namespace ns3::fabric

#endif // FABRIC_MAILBOX_H
