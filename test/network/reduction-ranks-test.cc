/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-reductions.h"
#include "fabric-refusal.h"
#include "fabric-test-seeds.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What ranks know of one reduction, each for itself, and what they tell each other.
class RanksOfReduction
{
  public:
    /// @param rankOf rank of each member @param count of ranks
    RanksOfReduction(std::vector<uint32_t> rankOf, uint32_t count)
        : m_rankOf(std::move(rankOf)),
          m_ranks(count),
          m_mail(count)
    {
        std::vector<LocationId> members;
        for (std::size_t i = 0; i < m_rankOf.size(); ++i)
        {
            members.push_back(static_cast<LocationId>(FIRST_UNICAST + i));
        }
        for (uint32_t rank = 0; rank < count; ++rank)
        {
            MemberRanks ranks;
            for (uint32_t other = 0; other < count; ++other)
            {
                const auto there = std::count(m_rankOf.begin(), m_rankOf.end(), other);
                if (other == rank)
                {
                    ranks.here = static_cast<uint32_t>(there);
                }
                else if (there > 0)
                {
                    ranks.others.push_back(other);
                }
            }
            m_ranks[rank].Add(ReductionTerms{}, members, ranks);
        }
    }

    /// A member begins its next operation, and its rank tells of it.
    void Begin(uint32_t member, uint64_t bytes)
    {
        Reductions& own = m_ranks[m_rankOf[member]];
        const auto location = static_cast<LocationId>(FIRST_UNICAST + member);
        own.Begin(FIRST_REDUCTION, location, bytes, false);
        for (const BegunOperation& operation : own.TakeBegun())
        {
            ++m_told;
            for (const uint32_t rank : own.OthersOf(FIRST_REDUCTION))
            {
                m_mail[rank].push_back(operation);
            }
        }
    }

    /// A rank hears of the next operation, if there is one.
    void Hear(uint32_t rank)
    {
        if (!m_mail[rank].empty())
        {
            m_ranks[rank].Hear(m_mail[rank].front());
            m_mail[rank].pop_front();
        }
    }

    /// All that is on its way is heard.
    void HearAll()
    {
        for (uint32_t rank = 0; rank < m_mail.size(); ++rank)
        {
            while (!m_mail[rank].empty())
            {
                Hear(rank);
            }
        }
    }

    /// @return operations of which ranks have told
    uint32_t Told() const
    {
        return m_told;
    }

  private:
    std::vector<uint32_t> m_rankOf;                 ///< By member.
    std::vector<Reductions> m_ranks;                ///< By rank.
    std::vector<std::deque<BegunOperation>> m_mail; ///< To each rank.
    uint32_t m_told{0};                             ///< See Told().
};

/// Members that begin their operations in any order, and ranks that hear of them late, agree on
/// sizes; one that has another is refused, wherever it is and whenever that is heard.
void
TestSizesOnRanks(FunctionCase& test)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const auto count = static_cast<uint32_t>(1 + random() % 4);
        std::vector<uint32_t> rankOf(2 + random() % 6);
        for (uint32_t& rank : rankOf)
        {
            rank = static_cast<uint32_t>(random() % count);
        }
        const std::set<uint32_t> used(rankOf.begin(), rankOf.end());
        RanksOfReduction ranks(rankOf, count);
        constexpr uint32_t OPERATIONS = 6;
        const auto wrongMember = static_cast<uint32_t>(random() % rankOf.size());
        const auto wrongOperation = static_cast<uint32_t>(random() % OPERATIONS);
        const bool isWrong = seed % 2 == 0;
        std::vector<uint32_t> begun(rankOf.size(), 0);
        const std::string refusal = Refusal([&] {
            for (std::size_t left = rankOf.size() * OPERATIONS; left > 0;)
            {
                ranks.Hear(static_cast<uint32_t>(random() % count));
                const auto member = static_cast<uint32_t>(random() % rankOf.size());
                const uint32_t number = begun[member];
                if (number < OPERATIONS)
                {
                    const bool other = isWrong && member == wrongMember && number == wrongOperation;
                    ++begun[member];
                    --left;
                    ranks.Begin(member, other ? 999 : 100 + number);
                }
            }
            ranks.HearAll();
        });
        const std::string what = "seed " + std::to_string(seed);
        test.ExpectEqual(!refusal.empty(), isWrong, what + ": " + refusal);
        test.Expect(!isWrong || refusal.find("number " + std::to_string(wrongOperation) +
                                             ", has ") != std::string::npos,
                    what + ": " + refusal);
        const uint32_t each = used.size() > 1 ? static_cast<uint32_t>(used.size()) : 0;
        test.Expect(isWrong || ranks.Told() == each * OPERATIONS, what + ": each rank tells once");
    }
}

/// Suite of reductions on ranks.
class ReductionRanksSuite : public FunctionSuite
{
  public:
    ReductionRanksSuite()
        : FunctionSuite("fabric-reduction-ranks", kUnit)
    {
        Add("SW-14 WL-7 sizes of operations on ranks", TestSizesOnRanks);
    }
};

ReductionRanksSuite g_reductionRanksSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
