/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-window-schedule.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace fabric
{

WindowSchedule::WindowSchedule(Crew& crew)
    : m_crew(crew),
      m_event([this] { Fire(); })
{
}

void
WindowSchedule::Add(TimePs time, uint32_t number, Ticker* ticker)
{
    if (number >= m_tickers.size())
    {
        m_tickers.resize(number + 1);
    }
    m_tickers[number] = ticker;
    std::vector<uint64_t>& numbers = RoundAt(time).numbers;
    if (number / WORD >= numbers.size())
    {
        numbers.resize(number / WORD + 1);
    }
    numbers[number / WORD] |= uint64_t{1} << number % WORD;
    m_event.ComeBy(time);
}

WindowSchedule::Round&
WindowSchedule::RoundAt(TimePs time)
{
    const auto place =
        std::lower_bound(m_rounds.begin(), m_rounds.end(), time, [](const Round& round, TimePs t) {
            return round.time > t;
        });
    if (place != m_rounds.end() && place->time == time)
    {
        return *place;
    }
    if (m_spare.empty())
    {
        m_spare.emplace_back();
    }
    Round round{time, std::move(m_spare.back())};
    m_spare.pop_back();
    return *m_rounds.insert(place, std::move(round));
}

void
WindowSchedule::Clear()
{
    m_rounds.clear();
    m_event.Stop();
}

void
WindowSchedule::Fire()
{
    Round round = std::move(m_rounds.back());
    m_rounds.pop_back();
    m_due.clear();
    for (uint32_t word = 0; word < round.numbers.size(); ++word)
    {
        for (uint64_t left = round.numbers[word]; left != 0; left &= left - 1)
        {
            m_due.push_back(m_tickers[word * WORD + static_cast<uint32_t>(__builtin_ctzll(left))]);
        }
    }
    std::fill(round.numbers.begin(), round.numbers.end(), 0);
    m_spare.push_back(std::move(round.numbers));
    m_crew.RunWindows(m_due, round.time);
    if (!m_rounds.empty())
    {
        m_event.ComeBy(m_rounds.back().time);
    }
}

} // namespace fabric
} // namespace ns3
