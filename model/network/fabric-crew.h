/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREW_H
#define FABRIC_CREW_H

#include "fabric-mailbox.h"
#include "fabric-ticker.h"
#include "fabric-window-journal.h"
#include "fabric-worker-pool.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * The threads that run windows beside each other (DP-15): one for each part of the fabric, of which
 * the calling thread is the first.
 *
 * Windows that start at the same time are run in two steps. In the first, each part's thread
 * advances the switches of its part; what leaves the part goes into mailboxes. When all are done,
 * each part's thread takes the mail for its part. When that is done, the calling thread does what
 * is in the journals.
 */
class Crew
{
  public:
    /// A time on the wall.
    using Duration = std::chrono::nanoseconds;

    /// @param settle does what a journal says; called by the calling thread when all rest
    explicit Crew(std::function<void(const WindowJournal&)> settle);

    /**
     * Divides the work; before anything runs.
     *
     * @param leastWork expected time of the windows that start together, on the wall, from which on
     * threads run them; less is run by the calling thread, since waking the others would take
     * longer
     * @throws std::invalid_argument see WorkerPool
     */
    void Divide(uint32_t parts, Duration leastWork);

    /// @return number of parts, 1 before Divide()
    uint32_t Parts() const
    {
        return static_cast<uint32_t>(m_due.size());
    }

    /**
     * @param from part of a switch that sends
     * @param to part of a switch that receives
     * @return mailbox for what goes from the one to the other
     */
    Mailbox& GetMailbox(uint32_t from, uint32_t to);

    /// @return whether windows run beside each other just now, so that what concerns more than one
    /// part belongs into a journal
    bool IsParallel() const
    {
        return m_isParallel;
    }

    /// @param part of who asks
    WindowJournal& JournalOf(uint32_t part)
    {
        return m_journals[part];
    }

    /**
     * @param send is called when windows have been run: what left this rank is to be sent
     */
    void SetPost(std::function<void()> send)
    {
        m_send = std::move(send);
    }

    /**
     * Runs windows that start together.
     *
     * @param due whose windows, in the order of the switches' numbers
     * @param now their start, ps
     */
    void RunWindows(const std::vector<Ticker*>& due, TimePs now);

    /**
     * Delivers all mail, on the calling thread, and sends what left this rank. To be called after a
     * switch was advanced otherwise than by RunWindows().
     *
     * @param now the present, ps
     */
    void DeliverMail(TimePs now);

  private:
    /// @return whether threads run the windows in m_due
    bool PayThreads(int64_t windows) const;
    /// Runs the windows in m_due on the parts' threads, with their mail.
    void RunBeside(TimePs now);
    /// Runs the windows of a part.
    void RunPart(uint32_t part, TimePs now);
    /// Delivers the mail for a part.
    void DeliverTo(uint32_t part, TimePs now);
    /// Notes how long the windows took that were run last.
    void LearnWork(int64_t windows);
    /// Does what is in the journals.
    void Settle();

    /// @return whether a window that is to start now may call users back
    bool MayCallBack() const;

    std::function<void()> m_send; ///< Sends what left this rank; empty if there is one.
    std::function<void(const WindowJournal&)> m_settle; ///< Does what a journal says.
    std::vector<std::vector<Ticker*>> m_due;            ///< Windows that start now, by part.
    std::vector<Ticker*> m_alone;                       ///< Windows beside which nothing may run.
    std::vector<WindowJournal> m_journals;              ///< By part.
    std::vector<Mailbox> m_mail;                        ///< By sending part, then by receiving.
    std::unique_ptr<WorkerPool> m_pool;                 ///< The threads; null before Divide().
    Duration m_leastWork{0};                            ///< See Divide().
    Duration m_windowWork{0};                           ///< Mean time of a window of late.
    bool m_isParallel{false};                           ///< See IsParallel().
};

} // namespace ns3::fabric

#endif // FABRIC_CREW_H
