/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BANDWIDTH_METER_H
#define FABRIC_BANDWIDTH_METER_H

#include "fabric-link-rate.h"
#include "fabric-share-clock.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

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

    /// @return whether all is equal
    bool operator==(const MeterSettings& other) const
    {
        return kind == other.kind && burst == other.burst && tolerance == other.tolerance &&
               debt == other.debt && window == other.window;
    }
};

/// What a sliding window has of its settings and its group's share.
struct WindowRule
{
    TimePs slotTime{0}; ///< Length of a slot, ps.
    uint64_t limit{0};  ///< Bytes of the window; 0 for a share of 0.
};

/**
 * How meters of one kind measure a share of a link: all that does not change while they do, so that
 * one is enough for all links of a rate. A meter itself is only what has been charged.
 */
class MeterRule
{
  public:
    /// Of a group that is not in use.
    MeterRule() = default;

    /**
     * @param settings of the meter
     * @param share of the link, 1/100 %, 0 to 10000; with 0 the group never conforms
     * @param rate of the link
     * @throws std::invalid_argument if the settings are out of range or do not fit the share and
     * rate
     */
    MeterRule(const MeterSettings& settings, uint32_t share, const LinkRate& rate);

    /// @return what kind of meter goes by it
    MeterKind Kind() const
    {
        return m_kind;
    }

    /// @return whether it is a bucket's whose times are whole ps, as with most shares and rates
    bool IsWhole() const
    {
        return m_isWhole;
    }

    /**
     * @param atDepth when the level of a bucket is at the depth, whole ps
     * @return the first ps at which its group conforms; NEVER for a share of 0
     */
    TimePs ConformsAt(TimePs atDepth) const
    {
        return atDepth + m_belowDepth;
    }

    /// @return what buckets go by; of no use for a sliding window
    const ShareClock& Clock() const
    {
        return m_clock;
    }

    /// @return what a sliding window goes by; of no use for buckets
    const WindowRule& Window() const
    {
        return m_window;
    }

  private:
    MeterKind m_kind{TOKEN_BUCKET}; ///< See Kind().
    bool m_isWhole{false};          ///< See IsWhole().
    bool m_belowDepth{false};       ///< Whether a group does not conform yet at the depth.
    ShareClock m_clock;             ///< See Clock().
    WindowRule m_window;            ///< See Window().
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
    /**
     * @param rule of the meter
     * @param now time, ps
     * @return whether the group has not exceeded its share
     */
    bool IsConforming(const MeterRule& rule, TimePs now) const
    {
        return now >= Self().ConformsAt(rule);
    }

    /**
     * Charges flit by flit, each when it begins.
     *
     * @param rule of the meter
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
     * @param rule of the meter
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
    /// @return the meter
    const Meter& Self() const
    {
        return static_cast<const Meter&>(*this);
    }
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BANDWIDTH_METER_H
