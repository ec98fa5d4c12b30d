/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-meters.h"

#include <new>

namespace ns3
{
namespace fabric
{

namespace
{

static_assert(sizeof(LeakyBucket) == sizeof(TokenBucket), "both are a time");

/// Stands for a kind of meters.
template <typename Meter>
struct Kind
{
    using Type = Meter; ///< The kind.
};

/**
 * @param kind of meters
 * @param visit what is done with the kind's type: `visit(Kind<Meter>)`
 * @return what that returns
 */
template <typename Visit>
auto
WithKind(MeterKind kind, Visit&& visit)
{
    switch (kind)
    {
    case LEAKY_BUCKET:
        return visit(Kind<LeakyBucket>());
    case SLIDING_WINDOW:
        return visit(Kind<SlidingWindow>());
    case TOKEN_BUCKET:
        break;
    }
    return visit(Kind<TokenBucket>());
}

} // namespace

void
GroupMeters::Begin(uint32_t index, const MeterRule& rule)
{
    WithKind(rule.Kind(), [&](auto kind) {
        using Meter = typename decltype(kind)::Type;
        new (Row<Meter>() + index) Meter(rule);
    });
}

void
GroupMeters::Keep(uint32_t index, const MeterRule& rule, const GroupMeters& other)
{
    WithKind(rule.Kind(), [&](auto kind) {
        using Meter = typename decltype(kind)::Type;
        new (Row<Meter>() + index) Meter(other.Row<Meter>()[index]);
    });
}

TimePs
GroupMeters::OtherConformsAt(uint32_t index, const MeterRule& rule) const
{
    return WithKind(rule.Kind(), [&](auto kind) {
        return Row<typename decltype(kind)::Type>()[index].ConformsAt();
    });
}

TimePs
GroupMeters::ChargeOther(uint32_t index, const MeterRule& rule, uint32_t bytes, TimePs now)
{
    return WithKind(rule.Kind(), [&](auto kind) {
        return Row<typename decltype(kind)::Type>()[index].Charge(rule, bytes, now);
    });
}

void
GroupMeters::ChargeTrain(uint32_t index, const MeterRule& rule, const FlitTrain& train)
{
    WithKind(rule.Kind(), [&](auto kind) {
        Row<typename decltype(kind)::Type>()[index].ChargeTrain(rule, train);
    });
}

uint32_t
GroupMeters::BytesAlike(uint32_t index,
                        const MeterRule& rule,
                        const FlitTrain& train,
                        bool charged) const
{
    return WithKind(rule.Kind(), [&](auto kind) {
        return Row<typename decltype(kind)::Type>()[index].BytesAlike(rule, train, charged);
    });
}

} // namespace fabric
} // namespace ns3
