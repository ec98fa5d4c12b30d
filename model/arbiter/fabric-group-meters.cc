/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-meters.h"

#include <new>

namespace ns3::fabric
{

void
GroupMeters::Begin(uint32_t index, uint32_t count, const MeterRule& rule)
{
    if (rule.Kind() == SLIDING_WINDOW)
    {
        new (Windows() + index) SlidingWindow(rule);
        return;
    }
    SetBucket(index, count, BucketMeter(rule.Clock().Empty()));
}

void
GroupMeters::Keep(uint32_t index,
                  uint32_t count,
                  const MeterRule& rule,
                  const GroupMeters& other,
                  uint32_t otherCount)
{
    if (rule.Kind() == SLIDING_WINDOW)
    {
        new (Windows() + index) SlidingWindow(other.Windows()[index]);
        return;
    }
    SetBucket(index, count, other.Bucket(index, otherCount));
}

TimePs
GroupMeters::OtherConformsAt(uint32_t index, uint32_t count, const MeterRule& rule) const
{
    return rule.Kind() == SLIDING_WINDOW ? Windows()[index].ConformsAt(rule)
                                         : Bucket(index, count).ConformsAt(rule);
}

TimePs
GroupMeters::ChargeOther(uint32_t index,
                         uint32_t count,
                         const MeterRule& rule,
                         uint32_t bytes,
                         TimePs now)
{
    if (rule.Kind() == SLIDING_WINDOW)
    {
        return Windows()[index].Charge(rule, bytes, now);
    }
    BucketMeter bucket = Bucket(index, count);
    const TimePs conformsAt = bucket.Charge(rule, bytes, now);
    SetBucket(index, count, bucket);
    return conformsAt;
}

void
GroupMeters::ChargeTrain(uint32_t index,
                         uint32_t count,
                         const MeterRule& rule,
                         const FlitTrain& train)
{
    if (rule.Kind() == SLIDING_WINDOW)
    {
        Windows()[index].ChargeTrain(rule, train);
        return;
    }
    BucketMeter bucket = Bucket(index, count);
    bucket.ChargeTrain(rule, train);
    SetBucket(index, count, bucket);
}

uint32_t
GroupMeters::BytesAlike(uint32_t index,
                        uint32_t count,
                        const MeterRule& rule,
                        const FlitTrain& train,
                        bool charged) const
{
    return rule.Kind() == SLIDING_WINDOW ? Windows()[index].BytesAlike(rule, train, charged)
                                         : Bucket(index, count).BytesAlike(rule, train, charged);
}

} // namespace ns3::fabric
