/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-link-kind.h"

#include <set>
#include <tuple>

namespace ns3::fabric
{

namespace
{

/// An order of kinds.
struct ByAllValues
{
    /// @return all of it
    static auto ValuesOf(const LinkKind& kind)
    {
        const LinkTiming& timing = kind.timing;
        return std::make_tuple(kind.rate.BitsPerSecond(),
                               timing.delay,
                               timing.dataLatency,
                               timing.controlLatency,
                               timing.storeAndForward);
    }

    /// @return whether one comes before another
    bool operator()(const LinkKind& one, const LinkKind& other) const
    {
        return ValuesOf(one) < ValuesOf(other);
    }
};

} // namespace

const LinkKind&
SharedKind(const LinkKind& kind)
{
    static std::set<LinkKind, ByAllValues> kinds;
    return *kinds.insert(kind).first;
}

} // namespace ns3::fabric
