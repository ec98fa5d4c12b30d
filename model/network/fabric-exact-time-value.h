/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EXACT_TIME_VALUE_H
#define FABRIC_EXACT_TIME_VALUE_H

#include "fabric-types.h"

#include "ns3/nstime.h"

#include <optional>
#include <string>

namespace ns3::fabric
{

/**
 * A time that is read from a text without rounding. Defaults are often set before the first helper
 * of a fabric lets ns-3 count picoseconds, by Config::SetDefault(), on a command line or from a
 * ConfigStore's file: ns-3's own value would turn `1500ps` into whole nanoseconds there.
 */
class ExactTimeValue : public TimeValue
{
  public:
    ExactTimeValue() = default;

    /// @param value ns-3's or one of this kind
    explicit ExactTimeValue(const TimeValue& value);

    /// @return the time of a value, ps; that of ns-3's is a multiple of what ns-3 counts
    static TimePs PicoSecondsOf(const TimeValue& value);

    Ptr<AttributeValue> Copy() const override;
    std::string SerializeToString(Ptr<const AttributeChecker> checker) const override;
    bool DeserializeFromString(std::string value, Ptr<const AttributeChecker> checker) override;

  private:
    std::optional<TimePs> m_exact; ///< Where ns-3's resolution would round it, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_EXACT_TIME_VALUE_H
