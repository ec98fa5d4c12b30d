/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_METER_RULE_H
#define FABRIC_METER_RULE_H

#include "fabric-link-rate.h"
#include "fabric-share-clock.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

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
    static constexpr uint32_t SLOTS = 16; ///< Of a window; our choice.

    /**
     * @param settings length of the window
     * @param share of the link, 1/100 %
     * @throws std::invalid_argument if the group may not even send a byte in a window
     */
    static WindowRule Of(const MeterSettings& settings, uint32_t share, const LinkRate& rate);

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
     * @param share of the link, 1/100 %, 0 to 10000; with 0 the group never conforms
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

} // namespace ns3::fabric

#endif // FABRIC_METER_RULE_H
