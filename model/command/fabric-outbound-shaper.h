/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTBOUND_SHAPER_H
#define FABRIC_OUTBOUND_SHAPER_H

#include "fabric-link-rate.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// Of the shaper (NQ-10).
struct ShaperSettings
{
    std::vector<uint64_t> rates; ///< By traffic class; 0 and none for no limit, bit/s.
    uint32_t burst{32768};       ///< Bytes that may go at once after a pause; chosen.
};

/**
 * Decides what may enter the network (NQ-10): a token bucket for each traffic class, with frames as
 * they are on the wire. It books times, so that nothing has to look at it again.
 */
class OutboundShaper
{
  public:
    /// @param settings that are valid
    explicit OutboundShaper(const ShaperSettings& settings)
    {
        for (const uint64_t rate : settings.rates)
        {
            m_buckets.emplace_back();
            if (rate != 0)
            {
                m_buckets.back().rate.emplace(rate);
                m_buckets.back().depth = m_buckets.back().rate->TxTime(settings.burst);
            }
        }
    }

    /**
     * @param trafficClass of a frame @param bytes of it on the wire
     * @param ready when it could go, not before the frame of the class before it, ps
     * @return when it may go, ps
     */
    TimePs Admit(uint8_t trafficClass, uint32_t bytes, TimePs ready)
    {
        if (trafficClass >= m_buckets.size() || !m_buckets[trafficClass].rate)
        {
            return ready;
        }
        Bucket& bucket = m_buckets[trafficClass];
        const TimePs cost = bucket.rate->TxTime(bytes);
        bucket.fullAt = std::max(bucket.fullAt, ready) + cost;
        return std::max(ready, bucket.fullAt - std::max(bucket.depth, cost));
    }

  private:
    /// Tokens of a class.
    struct Bucket
    {
        std::optional<LinkRate> rate; ///< With which tokens come; none for no limit.
        TimePs depth{0};              ///< Of the bucket, as the time that it takes to fill, ps.
        TimePs fullAt{0};             ///< When it will be full, if nothing goes, ps.
    };

    std::vector<Bucket> m_buckets; ///< By traffic class.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTBOUND_SHAPER_H
