/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-window-schedule.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

WindowSchedule::WindowSchedule(Crew& crew)
    : m_crew(crew),
      m_event([this] { Fire(); })
{
}

void
WindowSchedule::Enlist(uint32_t number, Ticker* ticker)
{
    m_tickers.resize(std::max<std::size_t>(m_tickers.size(), number + 1));
    m_tickers[number] = ticker;
}

void
WindowSchedule::Add(TimePs time, uint32_t number)
{
    if (Round* round = NearRound(time))
    {
        Put(number, *round);
    }
    else
    {
        m_far.Set(number, time);
    }
    m_event.ComeBy(time);
}

WindowSchedule::Round*
WindowSchedule::NearRound(TimePs time)
{
    constexpr std::size_t FEW = 8; // looked at one by one
    auto end = m_rounds.end();     // of the rounds that are not before it
    const auto few = end - static_cast<std::ptrdiff_t>(std::min(FEW, m_rounds.size()));
    while (end != few && (end - 1)->time < time)
    {
        --end;
    }
    if (end != few && (end - 1)->time == time)
    {
        return &*(end - 1);
    }
    const bool isFar = end == few && m_rounds.size() >= FEW;
    return isFar ? nullptr : &*m_rounds.insert(end, MakeRound(time));
}

void
WindowSchedule::Put(uint32_t number, Round& round)
{
    round.numbers[number / WORD] |= uint64_t{1} << number % WORD;
}

WindowSchedule::Round
WindowSchedule::MakeRound(TimePs time)
{
    if (m_spare.empty())
    {
        m_spare.emplace_back();
    }
    Round round{time, std::move(m_spare.back())};
    m_spare.pop_back();
    round.numbers.resize((m_tickers.size() + WORD - 1) / WORD);
    return round;
}

bool
WindowSchedule::HasWindow(const Round& round) const
{
    for (uint32_t word = 0; word < round.numbers.size(); ++word)
    {
        for (uint64_t left = round.numbers[word]; left != 0; left &= left - 1)
        {
            const uint32_t number = word * WORD + static_cast<uint32_t>(__builtin_ctzll(left));
            if (m_tickers[number]->StartsAt(round.time))
            {
                return true;
            }
        }
    }
    return false;
}

TimePs
WindowSchedule::NextTime() const
{
    return m_rounds.empty() ? m_far.Earliest() : std::min(m_rounds.back().time, m_far.Earliest());
}

WindowSchedule::Round
WindowSchedule::TakeRound(TimePs time)
{
    Round round = std::move(*NearRound(time)); // the last one: none begins before it
    m_rounds.pop_back();
    for (; m_far.Earliest() == time; m_far.Set(m_far.First(), NEVER))
    {
        Put(m_far.First(), round);
    }
    return round;
}

void
WindowSchedule::DropIdleRounds()
{
    while (!m_rounds.empty() && !HasWindow(m_rounds.back()))
    {
        std::vector<uint64_t>& numbers = m_rounds.back().numbers;
        std::fill(numbers.begin(), numbers.end(), 0);
        m_spare.push_back(std::move(numbers));
        m_rounds.pop_back();
    }
    while (m_far.Earliest() != NEVER && !m_tickers[m_far.First()]->StartsAt(m_far.Earliest()))
    {
        m_far.Set(m_far.First(), NEVER);
    }
}

void
WindowSchedule::Clear()
{
    m_rounds.clear();
    m_far = {};
    m_event.Stop();
}

void
WindowSchedule::Fire()
{
    Round round = TakeRound(NextTime());
    m_due.clear();
    for (uint32_t word = 0; word < round.numbers.size(); ++word)
    {
        for (uint64_t left = std::exchange(round.numbers[word], 0); left != 0; left &= left - 1)
        {
            m_due.push_back(m_tickers[word * WORD + static_cast<uint32_t>(__builtin_ctzll(left))]);
        }
    }
    m_spare.push_back(std::move(round.numbers));
    m_running = round.time;
    m_crew.RunWindows(m_due, round.time);
    m_running = NEVER;
    DropIdleRounds();
    if (NextTime() != NEVER)
    {
        m_event.ComeBy(NextTime());
    }
}

} // namespace ns3::fabric
