/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-first-flights.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A destination and a class of frames to it.
using Group = std::pair<LocationId, uint8_t>;

/// @return the queues that begin
std::vector<uint16_t>
Numbers(const FirstFlights::Next& next)
{
    std::vector<uint16_t> numbers;
    for (const QueueRef ref : next)
    {
        if (!(ref == NO_QUEUE))
        {
            numbers.push_back(ref.queue);
        }
    }
    return numbers;
}

/// One begins; of those that wait two begin where there is no congestion, else one.
void
TestTurnsOfStarts(FunctionCase& self)
{
    FirstFlights flights;
    self.Expect(flights.Begin(7, 0, {0, 1}), "the first one begins");
    for (uint16_t queue = 2; queue < 8; ++queue)
    {
        self.Expect(!flights.Begin(7, 0, {0, queue}), Text(queue, " waits"));
    }
    self.Expect(flights.Begin(7, 1, {0, 10}), "another class begins");
    self.Expect(flights.Begin(8, 0, {0, 11}), "another destination begins");
    self.Expect(Numbers(flights.End(7, 0, true)) == std::vector<uint16_t>{2, 3}, "two begin");
    self.Expect(Numbers(flights.End(7, 0, false)) == std::vector<uint16_t>{4}, "one begins");
    flights.Withdraw(7, 0, {0, 6});
    self.Expect(Numbers(flights.End(7, 0, true)) == std::vector<uint16_t>{5, 7}, "6 is gone");
    for (uint32_t left = 3; left != 0; --left)
    {
        self.Expect(!flights.Begin(7, 0, {0, 1}), Text(left, " have not heard yet"));
        flights.Withdraw(7, 0, {0, 1});
        self.Expect(Numbers(flights.End(7, 0, true)).empty(), "nobody waits");
    }
    self.Expect(flights.Begin(7, 0, {0, 1}), "it begins as at first");
}

/// Random starts, ends and withdrawals, with lists of all flows beside them.
void
TestRandomStarts(FunctionCase& self)
{
    const TestSeeds seeds(400);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        FirstFlights flights;
        std::map<Group, std::set<uint16_t>> underWay;
        std::map<Group, std::deque<uint16_t>> waiting;
        uint64_t starts = 0;
        uint64_t waits = 0;
        for (uint16_t queue = 1; queue < 300; ++queue)
        {
            const Group group{random() % 3, random() % 2};
            const bool begins = underWay[group].empty();
            self.Expect(flights.Begin(group.first, group.second, {1, queue}) == begins,
                        Text("seed ", seed, ": ", queue, begins ? " waits" : " begins"));
            if (begins)
            {
                underWay[group].insert(queue);
            }
            else
            {
                waiting[group].push_back(queue);
            }
            const Group other{random() % 3, random() % 2};
            if (std::deque<uint16_t>& list = waiting[other]; random() % 4 == 0 && !list.empty())
            {
                const auto gone = list.begin() + static_cast<long>(random() % list.size());
                flights.Withdraw(other.first, other.second, {1, *gone});
                list.erase(gone);
            }
            if (std::set<uint16_t>& begun = underWay[other]; random() % 2 == 0 && !begun.empty())
            {
                begun.erase(begun.begin());
                const bool isClear = random() % 2 == 0;
                std::vector<uint16_t> expected;
                std::deque<uint16_t>& list = waiting[other];
                for (int i = isClear ? 2 : 1; i != 0 && !list.empty(); --i)
                {
                    expected.push_back(list.front());
                    begun.insert(list.front());
                    list.pop_front();
                }
                self.Expect(Numbers(flights.End(other.first, other.second, isClear)) == expected,
                            Text("seed ", seed, ": others begin"));
            }
            starts = waits = 0;
            for (const auto& [any, begun] : underWay)
            {
                starts += begun.size();
                waits += waiting[any].size();
            }
            self.Expect(flights.UnderWay() == starts && flights.Waiting() == waits,
                        Text("seed ",
                             seed,
                             ": ",
                             flights.UnderWay(),
                             " of ",
                             starts,
                             " starts, ",
                             flights.Waiting(),
                             " of ",
                             waits,
                             " wait"));
        }
    }
}

/// The suite.
class FirstFlightsSuite : public FunctionSuite
{
  public:
    FirstFlightsSuite()
        : FunctionSuite("fabric-first-flights", kUnit)
    {
        Add("CM-6 whose turn it is", TestTurnsOfStarts);
        Add("CM-6 random starts", TestRandomStarts);
    }
};

FirstFlightsSuite g_firstFlightsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
