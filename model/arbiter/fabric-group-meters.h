/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_METERS_H
#define FABRIC_GROUP_METERS_H

#include "fabric-bucket-meter.h"
#include "fabric-line-array.h"
#include "fabric-sliding-window.h"

#include <cstddef>
#include <variant>

namespace ns3
{
namespace fabric
{

/**
 * The meters of a link's bandwidth groups (VA-2), all of one kind, one after the other in memory.
 * What each of them does with a rule, a packet or a train is described at BandwidthMeter.
 */
class GroupMeters
{
  public:
    /// No meters.
    GroupMeters() = default;

    /**
     * Meters of groups that are not in use.
     *
     * @param kind of all
     * @param count how many
     */
    GroupMeters(MeterKind kind, uint32_t count);

    /**
     * A group begins with a meter that has seen no traffic.
     *
     * @param index of the meter
     * @param rule of the meter
     */
    void Begin(uint32_t index, const MeterRule& rule);

    /**
     * A group goes on with what it has used.
     *
     * @param index of the meter, whose rule is that of the other
     * @param other meters of the same kind
     */
    void Keep(uint32_t index, const GroupMeters& other);

    /**
     * @param index of the meter
     * @return when it conforms, ps
     */
    TimePs ConformsAt(uint32_t index) const
    {
        if (const auto* buckets = std::get_if<LineArray<TokenBucket>>(&m_row))
        {
            return (*buckets)[index].ConformsAt();
        }
        return OthersConformAt(index);
    }

    /**
     * @param index of the meter
     * @param rule of the meter
     * @param bytes that are sent, at most 65535
     * @param now time, ps
     * @return when it conforms after it, ps
     */
    TimePs Charge(uint32_t index, const MeterRule& rule, uint32_t bytes, TimePs now)
    {
        // The default has no call.
        if (LineArray<TokenBucket>* buckets = std::get_if<LineArray<TokenBucket>>(&m_row))
        {
            return (*buckets)[index].Charge(rule, bytes, now);
        }
        return ChargeOther(index, rule, bytes, now);
    }

    /**
     * @param index of the meter
     * @param rule of the meter
     * @param train what is sent
     */
    void ChargeTrain(uint32_t index, const MeterRule& rule, const FlitTrain& train);

    /**
     * @param index of the meter
     * @param rule of the meter
     * @param train what is to be sent
     * @param charged whether the flits would be charged
     * @return bytes for which the answer is the same as at the first
     */
    uint32_t BytesAlike(uint32_t index,
                        const MeterRule& rule,
                        const FlitTrain& train,
                        bool charged) const;

    /// @return bytes of memory held besides the object
    std::size_t MemoryBytes() const;

    /// Fetches the meters, which are charged soon, if they are of the default kind.
    void Fetch() const
    {
        if (const auto* buckets = std::get_if<LineArray<TokenBucket>>(&m_row))
        {
            buckets->Fetch();
        }
    }

  private:
    /// ConformsAt() of other kinds than the default.
    TimePs OthersConformAt(uint32_t index) const;
    /// Charge() of other kinds than the default.
    TimePs ChargeOther(uint32_t index, const MeterRule& rule, uint32_t bytes, TimePs now);

    std::variant<LineArray<TokenBucket>, LineArray<LeakyBucket>, LineArray<SlidingWindow>>
        m_row; ///< The meters.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_GROUP_METERS_H
