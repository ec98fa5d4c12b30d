/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BANDWIDTH_METER_H
#define FABRIC_BANDWIDTH_METER_H

#include "fabric-link-rate.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{
namespace fabric
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
 * Measures what a bandwidth group sends against its share of the link (VA-2). Time is an argument,
 * in ps, and never goes back; all arithmetic is exact, so nothing drifts.
 *
 * What has been charged is only ever forgotten as time passes: between two charges a meter goes
 * from 'exceeded' to 'conforming' once, at ConformsAt(), and never the other way. So who asks often
 * may keep that time and compare.
 */
class alignas(64) BandwidthMeter // every charge touches the first line of the cache only
{
  public:
    virtual ~BandwidthMeter() = default;

    /// @return the first time from which the group conforms if nothing more is charged, ps; long
    /// past if it does now, NEVER for a share of 0
    virtual TimePs ConformsAt() const = 0;

    /**
     * @param bytes that are sent, at most 65535
     * @param now time, ps
     * @return ConformsAt() after it
     */
    virtual TimePs Charge(uint32_t bytes, TimePs now) = 0;

    /**
     * Charges flit by flit, each when it begins.
     *
     * @param train what is sent
     */
    virtual void ChargeTrain(const FlitTrain& train) = 0;

    /**
     * Looks ahead: checks at each flit, and charges nothing (VA-7).
     *
     * @param train what is to be sent
     * @param charged whether the flits would be charged
     * @return bytes from the beginning of the train, whole flits or all, for which the answer of
     * IsConforming() is the same as at the first
     */
    virtual uint32_t BytesAlike(const FlitTrain& train, bool charged) const = 0;

    /// @return bytes of memory that it takes
    virtual std::size_t MemoryBytes() const = 0;

    /**
     * @param now time, ps
     * @return whether the group has not exceeded its share
     */
    bool IsConforming(TimePs now) const
    {
        return now >= ConformsAt();
    }
};

/**
 * What meters do with trains of flits, by what they do with one.
 *
 * @tparam Meter the meter, which can be copied cheaply; `CHARGES_RUNS_AT_ONCE` says whether
 * charging a conforming train when it begins comes to the same as charging it flit by flit
 */
template <typename Meter>
class MeterBase : public BandwidthMeter
{
  public:
    void ChargeTrain(const FlitTrain& train) override
    {
        Meter& meter = static_cast<Meter&>(*this);
        const TimePs begin = train.FlitTime(0);
        if (Meter::CHARGES_RUNS_AT_ONCE && meter.IsConforming(begin))
        {
            meter.Charge(train.bytes, begin);
            return;
        }
        for (uint32_t sent = 0; sent < train.bytes; sent += train.flitBytes)
        {
            meter.Charge(std::min(train.flitBytes, train.bytes - sent), train.FlitTime(sent));
        }
    }

    uint32_t BytesAlike(const FlitTrain& train, bool charged) const override
    {
        const TimePs begin = train.FlitTime(0);
        const bool isConforming = IsConforming(begin);
        Meter meter = static_cast<const Meter&>(*this);
        if (isConforming && charged)
        {
            // All flits at once are the worst case.
            meter.Charge(train.bytes, begin);
            if (meter.IsConforming(begin))
            {
                return train.bytes;
            }
            meter = static_cast<const Meter&>(*this);
        }
        uint32_t sent = 0;
        while (sent < train.bytes && meter.IsConforming(train.FlitTime(sent)) == isConforming)
        {
            const uint32_t flit = std::min(train.flitBytes, train.bytes - sent);
            if (charged)
            {
                meter.Charge(flit, train.FlitTime(sent));
            }
            sent += flit;
        }
        return sent;
    }

    std::size_t MemoryBytes() const override
    {
        return sizeof(Meter);
    }
};

/// How bandwidth is measured (VA-2).
enum MeterKind
{
    TOKEN_BUCKET,   ///< Saves up what is not used, up to a burst.
    LEAKY_BUCKET,   ///< Saves nothing up: traffic that conforms is even.
    SLIDING_WINDOW, ///< Adds up what was sent in the time just past.
};

/// Settings of all meters of a link. No source gives numbers for them: the defaults are our choice.
struct MeterSettings
{
    MeterKind kind{TOKEN_BUCKET}; ///< Which meter.
    /// Token bucket: bytes that may be saved up, at least 1. Two to four large packets.
    uint32_t burst{16 * 1024};
    /// Leaky bucket: bytes that may stand in the bucket when a packet is sent; 0 spaces packets by
    /// their time at the group's share.
    uint32_t tolerance{0};
    /// Both buckets: if non-conforming packets are charged (VA-8), how many bytes they may put a
    /// group behind, so that it returns within their time at its share when it behaves.
    uint32_t debt{64 * 1024};
    /// Sliding window: its length, ps; 0 for the time in which the link carries DEFAULT_WINDOW.
    TimePs window{0};

    static constexpr uint32_t DEFAULT_WINDOW = 1024 * 1024; ///< Bytes.
};

/**
 * @param settings of the meter
 * @param share of the link, 1/100 %, 0 to 10000; with 0 the group never conforms
 * @param rate of the link
 * @return the meter, which has seen no traffic
 * @throws std::invalid_argument if the settings are out of range or do not fit the share and rate
 */
std::unique_ptr<BandwidthMeter> MakeMeter(const MeterSettings& settings,
                                          uint32_t share,
                                          const LinkRate& rate);

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BANDWIDTH_METER_H
