/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-link-failure-options.h"

#include "fabric-option-type.h"

#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

void
LinkFailureOptions::AddTo(ProgramOptions& options)
{
    options.Add("failAt",
                "time at which a link of the fabric fails, 0 for no failure",
                failAt,
                TimeType(Time(0), Seconds(10)));
    options.Add("repairAt",
                "time at which it is repaired, 0 for never",
                repairAt,
                TimeType(Time(0), Seconds(20)));
    options.Add(
        "failLink",
        "link that fails: target, sender (the first one), or between two switches, such as 0-8",
        link);
}

bool
LinkFailureOptions::IsGiven() const
{
    return !failAt.IsZero();
}

void
LinkFailureOptions::Check() const
{
    if (!repairAt.IsZero() && (failAt.IsZero() || repairAt <= failAt))
    {
        ThrowNotAllowed("--repairAt",
                        TimeText(repairAt),
                        "0, or a time after --failAt=" + TimeText(failAt));
    }
}

void
LinkFailureOptions::Refuse(const std::string& allowed) const
{
    if (IsGiven())
    {
        ThrowNotAllowed("--failAt", TimeText(failAt), allowed);
    }
}

void
LinkFailureOptions::Plan(const FabricContainer& fabric) const
{
    const Ptr<FabricChannel> channel = FindLink(fabric);
    if (IsGiven())
    {
        channel->FailAt(failAt);
    }
    if (!repairAt.IsZero())
    {
        channel->RepairAt(repairAt);
    }
}

Ptr<FabricChannel>
LinkFailureOptions::FindLink(const FabricContainer& fabric) const
{
    if (link == "target" || link == "sender")
    {
        return link == "target" ? fabric.hostLinks.back() : fabric.hostLinks.front();
    }
    std::istringstream text(link);
    uint32_t a;
    uint32_t b;
    char dash = 0;
    if (text >> a >> dash >> b && dash == '-' && text.eof())
    {
        try
        {
            return fabric.GetLink(a, b);
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument("--failLink=" + link + ": " + error.what());
        }
    }
    ThrowNotAllowed("--failLink",
                    link,
                    "target, sender, or the numbers of two switches, such as 0-8");
}

} // namespace ns3::fabric
