/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BANDWIDTH_METER_H
#define FABRIC_BANDWIDTH_METER_H

#include "fabric-meter-rule.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// A packet, or the rest of one, whose flits follow each other on a link without a gap.
struct FlitTrain
{
    TimePs start;         ///< When the packet's first flit begins, ps.
    uint32_t offset;      ///< Bytes of the packet that were sent before this train.
    uint32_t bytes;       ///< Bytes of the train; the last flit may be a part of one.
    uint32_t flitBytes;   ///< Bytes of a flit.
    const LinkRate& rate; ///< Of the link.

    /**
     * @param sent bytes of the train
     * @return when the flit behind them begins, ps
     */
    TimePs FlitTime(uint32_t sent) const
    {
        return start + rate.TxTime(offset + sent);
    }
};

/**
 * What all meters do (VA-2): they measure what a bandwidth group sends against its share of the
 * link. Time is an argument, in ps, and never goes back; all arithmetic is exact, so nothing
 * drifts.
 *
 * What has been charged is only ever forgotten as time passes: between two charges a meter goes
 * from 'exceeded' to 'conforming' once, at ConformsAt(), and never the other way. So who asks often
 * may keep that time and compare.
 *
 * A meter is a value of few bytes; its rule, always the same, is an argument. GroupMeters has all
 * kinds of them behind one interface.
 *
 * @tparam Meter the meter, which can be copied cheaply, made of a rule when nothing was sent, with
 * `TimePs ConformsAt(rule) const` and `TimePs Charge(rule, bytes, now)`, which returns the first
 * after it. `CHARGES_RUNS_AT_ONCE` says whether charging a conforming train when it begins comes to
 * the same as charging it flit by flit
 */
template <typename Meter>
class BandwidthMeter
{
  public:
    /// @return whether the group has not exceeded its share
    bool IsConforming(const MeterRule& rule, TimePs now) const
    {
        return now >= Self().ConformsAt(rule);
    }

    /**
     * Charges flit by flit, each when it begins.
     *
     * @param train what is sent
     */
    void ChargeTrain(const MeterRule& rule, const FlitTrain& train)
    {
        Meter& meter = static_cast<Meter&>(*this);
        const TimePs begin = train.FlitTime(0);
        if (Meter::CHARGES_RUNS_AT_ONCE && IsConforming(rule, begin))
        {
            meter.Charge(rule, train.bytes, begin);
            return;
        }
        for (uint32_t sent = 0; sent < train.bytes; sent += train.flitBytes)
        {
            meter.Charge(rule, std::min(train.flitBytes, train.bytes - sent), train.FlitTime(sent));
        }
    }

    /**
     * Looks ahead: checks at each flit, and charges nothing (VA-7).
     *
     * @param train what is to be sent
     * @param charged whether the flits would be charged
     * @return bytes from the beginning of the train, whole flits or all, for which the answer of
     * IsConforming() is the same as at the first
     */
    uint32_t BytesAlike(const MeterRule& rule, const FlitTrain& train, bool charged) const
    {
        const TimePs begin = train.FlitTime(0);
        const bool isConforming = IsConforming(rule, begin);
        Meter meter = Self();
        if (isConforming && charged)
        {
            // All flits at once are the worst case.
            meter.Charge(rule, train.bytes, begin);
            if (meter.IsConforming(rule, begin))
            {
                return train.bytes;
            }
            meter = Self();
        }
        uint32_t sent = 0;
        while (sent < train.bytes && meter.IsConforming(rule, train.FlitTime(sent)) == isConforming)
        {
            const uint32_t flit = std::min(train.flitBytes, train.bytes - sent);
            if (charged)
            {
                meter.Charge(rule, flit, train.FlitTime(sent));
            }
            sent += flit;
        }
        return sent;
    }

  private:
    const Meter& Self() const
    {
        return static_cast<const Meter&>(*this);
    }
};

} // namespace ns3::fabric

#endif // FABRIC_BANDWIDTH_METER_H
