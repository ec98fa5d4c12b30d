/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-crew.h"

#include "fabric-fetch.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Sets a flag while it lives.
class Raised
{
  public:
    /// @param flag to be set
    explicit Raised(bool& flag)
        : m_flag(flag)
    {
        m_flag = true;
    }

    ~Raised()
    {
        m_flag = false;
    }

    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;

  private:
    bool& m_flag; ///< Is set.
};

/// Runs switches one after the other, each with its port of the next task fetched while the one
/// before runs: 2 % with 47 switches of two tasks. More of them, or earlier, gains nothing.
void
TickFew(const std::vector<Ticker*>& tickers, TimePs now)
{
    for (std::size_t i = 0; i < tickers.size(); ++i)
    {
        if (i + 2 < tickers.size())
        {
            FetchMemory(tickers[i + 2], CACHE_LINE);
        }
        if (i + 1 < tickers.size())
        {
            tickers[i + 1]->FetchFirst();
        }
        tickers[i]->Tick(now);
    }
}

/// As TickFew(), with all that they need fetched in steps.
void
TickMany(const std::vector<Ticker*>& tickers, TimePs now)
{
    constexpr std::size_t STEPS = Ticker::FETCH_STEPS;
    for (std::size_t i = 0; i < tickers.size(); ++i)
    {
        for (std::size_t ahead = 0; ahead < STEPS && i + ahead < tickers.size(); ++ahead)
        {
            tickers[i + ahead]->Fetch(static_cast<uint32_t>(STEPS - 1 - ahead));
        }
        tickers[i]->Tick(now);
    }
}

/// Runs switches one after the other.
void
TickAll(const std::vector<Ticker*>& tickers, TimePs now)
{
    constexpr std::size_t MANY = 128; // measured: with 80 TickMany() gains nothing, with 320 10 %
    tickers.size() < MANY ? TickFew(tickers, now) : TickMany(tickers, now);
}

} // namespace

Crew::Crew(std::function<void(const WindowJournal&)> settle)
    : m_settle(std::move(settle)),
      m_due(1)
{
}

void
Crew::Divide(uint32_t parts, Duration leastWork)
{
    m_pool = std::make_unique<WorkerPool>(parts);
    m_leastWork = leastWork;
    m_due.resize(parts);
    m_journals.resize(parts);
    m_mail.resize(std::size_t{parts} * parts);
}

Mailbox&
Crew::GetMailbox(uint32_t from, uint32_t to)
{
    return m_mail[std::size_t{from} * Parts() + to];
}

void
Crew::RunWindows(const std::vector<Ticker*>& due, TimePs now)
{
    if (Parts() == 1)
    {
        TickAll(due, now);
        DeliverMail(now);
        return;
    }
    for (Ticker* ticker : due)
    {
        (ticker->RunsAlone() ? m_alone : m_due[ticker->GetPart()]).push_back(ticker);
    }
    const auto windows = static_cast<int64_t>(due.size() - m_alone.size());
    for (Ticker* ticker : m_alone)
    {
        ticker->Tick(now);
    }
    const bool mayCallBack = !m_alone.empty() && MayCallBack(); // users may have traced more
    m_alone.clear();
    if (!mayCallBack && PayThreads(windows))
    {
        RunBeside(now);
    }
    else
    {
        for (uint32_t part = 0; part < Parts(); ++part)
        {
            RunPart(part, now);
        }
        DeliverMail(now);
    }
    LearnWork(windows);
}

bool
Crew::PayThreads(int64_t windows) const
{
    const auto busy =
        std::count_if(m_due.begin(), m_due.end(), [](const auto& part) { return !part.empty(); });
    return busy > 1 && m_windowWork * windows >= m_leastWork;
}

void
Crew::LearnWork(int64_t windows)
{
    if (windows == 0)
    {
        return;
    }
    Duration work{0};
    for (const WindowJournal& journal : m_journals)
    {
        work += journal.work;
    }
    constexpr int64_t memory = 8; // windows vary; chosen
    m_windowWork += (work / windows - m_windowWork) / memory;
}

bool
Crew::MayCallBack() const
{
    for (const std::vector<Ticker*>& part : m_due)
    {
        if (std::any_of(part.begin(), part.end(), [](Ticker* t) { return t->RunsAlone(); }))
        {
            return true;
        }
    }
    return false;
}

void
Crew::RunBeside(TimePs now)
{
    {
        const Raised parallel(m_isParallel);
        m_pool->Run([this, now](uint32_t part) { RunPart(part, now); });
        m_pool->Run([this, now](uint32_t part) { DeliverTo(part, now); });
    }
    Settle();
}

void
Crew::RunPart(uint32_t part, TimePs now)
{
    const auto start = std::chrono::steady_clock::now();
    TickAll(m_due[part], now);
    m_due[part].clear();
    m_journals[part].work = std::chrono::steady_clock::now() - start;
}

void
Crew::DeliverTo(uint32_t part, TimePs now)
{
    for (uint32_t from = 0; from < Parts(); ++from)
    {
        GetMailbox(from, part).Deliver(now);
    }
}

void
Crew::DeliverMail(TimePs now)
{
    for (Mailbox& mailbox : m_mail)
    {
        mailbox.Deliver(now);
    }
    if (m_send)
    {
        m_send();
    }
}

void
Crew::Settle()
{
    for (WindowJournal& journal : m_journals)
    {
        m_settle(journal);
        journal.Clear();
    }
}

} // namespace ns3::fabric
