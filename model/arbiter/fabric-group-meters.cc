/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-meters.h"

#include <type_traits>

namespace ns3
{
namespace fabric
{

GroupMeters::GroupMeters(MeterKind kind, uint32_t count)
{
    switch (kind)
    {
    case TOKEN_BUCKET:
        m_row = LineArray<TokenBucket>(count);
        break;
    case LEAKY_BUCKET:
        m_row = LineArray<LeakyBucket>(count);
        break;
    case SLIDING_WINDOW:
        m_row = LineArray<SlidingWindow>(count);
        break;
    }
}

void
GroupMeters::Begin(uint32_t index, const MeterRule& rule)
{
    const auto begin = [index, &rule](auto& row) {
        using Meter = std::remove_reference_t<decltype(row[index])>;
        row[index] = Meter(rule);
    };
    std::visit(begin, m_row);
}

void
GroupMeters::Keep(uint32_t index, const GroupMeters& other)
{
    const auto keep = [index, &other](auto& row) {
        row[index] = std::get<std::remove_reference_t<decltype(row)>>(other.m_row)[index];
    };
    std::visit(keep, m_row);
}

TimePs
GroupMeters::OthersConformAt(uint32_t index) const
{
    return std::visit([index](const auto& row) { return row[index].ConformsAt(); }, m_row);
}

TimePs
GroupMeters::ChargeOther(uint32_t index, const MeterRule& rule, uint32_t bytes, TimePs now)
{
    return std::visit([&](auto& row) { return row[index].Charge(rule, bytes, now); }, m_row);
}

void
GroupMeters::ChargeTrain(uint32_t index, const MeterRule& rule, const FlitTrain& train)
{
    std::visit([&](auto& row) { row[index].ChargeTrain(rule, train); }, m_row);
}

uint32_t
GroupMeters::BytesAlike(uint32_t index,
                        const MeterRule& rule,
                        const FlitTrain& train,
                        bool charged) const
{
    const auto bytesAlike = [&](const auto& row) {
        return row[index].BytesAlike(rule, train, charged);
    };
    return std::visit(bytesAlike, m_row);
}

std::size_t
GroupMeters::MemoryBytes() const
{
    return std::visit([](const auto& row) { return row.MemoryBytes(); }, m_row);
}

} // namespace fabric
} // namespace ns3
