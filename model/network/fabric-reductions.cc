/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reductions.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// @return how sentences about an operation begin
std::string
NameOfOperation(LocationId reduction)
{
    return "an operation of the reduction " + std::to_string(reduction);
}

} // namespace

void
Reductions::RequireTerms(const ReductionTerms& terms) const
{
    const auto require =
        [](bool ok, const std::string& what, uint64_t is, uint64_t least, uint64_t most) {
            if (!ok)
            {
                throw std::invalid_argument("a reduction: " + what + " is " + std::to_string(is) +
                                            "; allowed are " + std::to_string(least) + " to " +
                                            std::to_string(most));
            }
        };
    const uint32_t window = terms.window;
    require(window >= 1 && window <= ReductionTerms::MOST_WINDOW,
            "its window",
            window,
            1,
            ReductionTerms::MOST_WINDOW);
    require(terms.trafficClass < TRAFFIC_CLASSES,
            "its traffic class",
            terms.trafficClass,
            0,
            TRAFFIC_CLASSES - 1);
    constexpr uint32_t MOST = 0x10000 - FIRST_REDUCTION;
    require(Size() < MOST, "its number", Size(), 0, MOST - 1);
}

LocationId
Reductions::Add(const ReductionTerms& terms, std::vector<LocationId> members, MemberRanks ranks)
{
    Reduction reduction;
    reduction.terms = terms;
    reduction.begun.resize(members.size());
    reduction.members = std::move(members);
    reduction.ranks = std::move(ranks);
    m_reductions.push_back(std::move(reduction));
    return static_cast<LocationId>(FIRST_REDUCTION + m_reductions.size() - 1);
}

Reductions::Operation&
Reductions::OperationAt(Reduction& reduction, uint64_t number, uint64_t bytes)
{
    if (number == reduction.first + reduction.operations.size())
    {
        const MemberRanks& ranks = reduction.ranks;
        reduction.operations.push_back({bytes, ranks.here + ranks.others.size()});
    }
    return reduction.operations.at(number - reduction.first);
}

void
Reductions::RequireSize(const Operation& operation,
                        const std::string& what,
                        uint64_t number,
                        uint64_t bytes)
{
    if (operation.bytes != bytes)
    {
        throw std::invalid_argument(what + ", number " + std::to_string(number) + ", has " +
                                    std::to_string(bytes) + " bytes; allowed are " +
                                    std::to_string(operation.bytes) +
                                    ", as another member has begun it with");
    }
}

void
Reductions::DropBegun(Reduction& reduction)
{
    while (!reduction.operations.empty() && reduction.operations.front().missing == 0)
    {
        reduction.operations.pop_front();
        ++reduction.first;
    }
}

std::vector<BegunOperation>
Reductions::TakeBegun()
{
    return std::exchange(m_begun, {});
}

void
Reductions::Hear(const BegunOperation& told)
{
    Reduction& reduction = m_reductions[told.reduction - FIRST_REDUCTION];
    Operation& operation = OperationAt(reduction, told.number, told.bytes);
    RequireSize(operation, NameOfOperation(told.reduction), told.number, told.bytes);
    --operation.missing;
    DropBegun(reduction);
}

void
Reductions::Begin(LocationId location, LocationId member, uint64_t bytes, bool isDouble)
{
    const std::string what = NameOfOperation(location);
    const std::size_t place = std::size_t{location} - FIRST_REDUCTION;
    if (location < FIRST_REDUCTION || place >= m_reductions.size())
    {
        throw std::invalid_argument(what + " can't begin, since there is none; allowed are " +
                                    std::to_string(m_reductions.size()) + " from " +
                                    std::to_string(FIRST_REDUCTION) + " on");
    }
    Reduction& reduction = m_reductions[place];
    const auto& members = reduction.members;
    const auto self = std::lower_bound(members.begin(), members.end(), member);
    if (self == members.end() || *self != member)
    {
        throw std::invalid_argument(what + " can't begin here; allowed is that at its " +
                                    std::to_string(members.size()) + " members");
    }
    if (isDouble != IsOfDoubles(reduction.terms.operation))
    {
        throw std::invalid_argument(what + " has a value of the wrong kind; allowed are " +
                                    (isDouble ? "integers, by Reduce()"
                                              : "doubles, by "
                                                "ReduceDouble()"));
    }
    const uint64_t number = reduction.begun[self - members.begin()];
    Operation& operation = OperationAt(reduction, number, bytes);
    RequireSize(operation, what, number, bytes);
    if (!std::exchange(operation.isBegun, true) && !reduction.ranks.others.empty())
    {
        m_begun.push_back({location, number, bytes});
    }
    ++reduction.begun[self - members.begin()];
    --operation.missing;
    DropBegun(reduction);
}

} // namespace ns3::fabric
