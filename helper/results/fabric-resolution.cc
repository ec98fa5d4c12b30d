/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-resolution.h"

#include "ns3/nstime.h"

#include <set>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// Names the list of times that ns-3 converts when the resolution changes, a private member.
struct ConvertedTimes
{
    using Pointer = std::set<Time*>**;   ///< To the member.
    friend Pointer Find(ConvertedTimes); ///< @return where the member is
};

/// Defines Find(). An explicit instantiation may name what is private (C++17, 17.7.2).
template <typename Tag, typename Tag::Pointer member>
struct PrivateMember
{
    /// @return where the member is
    friend typename Tag::Pointer Find(Tag)
    {
        return member;
    }
};

template struct PrivateMember<ConvertedTimes, &Time::g_markingTimes>;

} // namespace

void
RequirePicoseconds()
{
    if (Time::GetResolution() == Time::PS)
    {
        return;
    }
    // ns-3 follows the list without a look whether it is still there, and offers no other sign.
    if (!*Find(ConvertedTimes{}))
    {
        throw std::invalid_argument(
            "a fabric needs picoseconds, and it is too late to let ns-3 count in them: its "
            "resolution was set already, or the simulator has run; allowed is a helper of a fabric "
            "or Time::SetResolution(Time::PS) before, best at the begin of main()");
    }
    Time::SetResolution(Time::PS);
}

} // namespace ns3::fabric
