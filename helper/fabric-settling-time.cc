/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-settling-time.h"

#include "fabric-channel.h"
#include "fabric-ideal-paths.h"
#include "fabric-option-type.h"

#include <algorithm>
#include <cmath>

namespace ns3::fabric
{

namespace
{

/// @return rate of the slowest link of a host, bit/s
double
SlowestHostRate(const FabricContainer& fabric)
{
    double slowest = SettlingTime::USUAL_RATE;
    for (const Ptr<FabricChannel>& link : fabric.hostLinks)
    {
        slowest = std::min(slowest, static_cast<double>(link->GetRate().BitsPerSecond()));
    }
    return slowest;
}

} // namespace

SettlingTime::SettlingTime(const FabricContainer& fabric, Time messageTime, bool connects)
    : m_roundTrip(FabricIdealPaths(fabric.network).LongestHostRoundTrip()),
      m_messageTime(messageTime),
      m_setUp(connects ? m_roundTrip : Time(0)),
      m_slowness(USUAL_RATE / SlowestHostRate(fabric))
{
}

Time
SettlingTime::Enough() const
{
    return m_setUp + m_roundTrip * ROUND_TRIPS + m_messageTime * MESSAGES;
}

Time
SettlingTime::Least() const
{
    return m_setUp + m_roundTrip / 2 + m_messageTime;
}

Time
SettlingTime::AtHostRate(Time usual) const
{
    return PicoSeconds(std::llround(static_cast<double>(usual.GetPicoSeconds()) * m_slowness));
}

Time
SettlingTime::Choose(Time given, Time usual, int64_t parts, Time least) const
{
    return given.IsZero() ? std::max({AtHostRate(usual), Enough() * parts, least}) : given;
}

void
SettlingTime::Require(const std::string& option, Time time) const
{
    if (time < Least())
    {
        ThrowNotAllowed(option,
                        TimeText(time),
                        "at least " + TimeText(Least()) +
                            ", in which messages arrive over the longest way of the fabric");
    }
}

} // namespace ns3::fabric
