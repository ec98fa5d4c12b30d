/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIME_CHECKER_H
#define FABRIC_TIME_CHECKER_H

#include "fabric-exact-time-value.h"
#include "fabric-types.h"

#include "ns3/attribute.h"
#include "ns3/nstime.h"

#include <string>

namespace ns3::fabric
{

/// Bounds of an attribute that is a time. They are kept in ps: those of ns-3's own checker are
/// rounded to nanoseconds, see ExactTime.
class TimeChecker : public AttributeChecker
{
  public:
    /// @param lowest it may be this, ps @param highest or this, ps
    TimeChecker(TimePs lowest, TimePs highest)
        : m_lowest(lowest),
          m_highest(highest)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        const auto* given = dynamic_cast<const TimeValue*>(&value);
        if (!given)
        {
            return false;
        }
        const TimePs time = ExactTimeValue::PicoSecondsOf(*given);
        return time >= m_lowest && time <= m_highest;
    }

    std::string GetValueTypeName() const override
    {
        return ToNs3()->GetValueTypeName();
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return ToNs3()->HasUnderlyingTypeInformation();
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return ToNs3()->GetUnderlyingTypeInformation();
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<ExactTimeValue>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const TimeValue*>(&source);
        auto* to = dynamic_cast<TimeValue*>(&destination);
        if (!from || !to)
        {
            return false;
        }
        if (auto* exact = dynamic_cast<ExactTimeValue*>(to))
        {
            *exact = ExactTimeValue(*from);
        }
        else
        {
            to->Set(PicoSeconds(ExactTimeValue::PicoSecondsOf(*from)));
        }
        return true;
    }

  private:
    /// @return ns-3's checker, with bounds in the resolution that counts now
    Ptr<const AttributeChecker> ToNs3() const
    {
        return MakeTimeChecker(PicoSeconds(m_lowest), PicoSeconds(m_highest));
    }

    TimePs m_lowest;  ///< It may be this, ps.
    TimePs m_highest; ///< Or this, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_TIME_CHECKER_H
