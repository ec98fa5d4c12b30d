/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIME_CHECKER_H
#define FABRIC_TIME_CHECKER_H

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
        return given && given->Get().GetPicoSeconds() >= m_lowest &&
               given->Get().GetPicoSeconds() <= m_highest;
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
        return ToNs3()->Create();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        return ToNs3()->Copy(source, destination);
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
