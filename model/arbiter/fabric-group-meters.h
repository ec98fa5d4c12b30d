/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_METERS_H
#define FABRIC_GROUP_METERS_H

#include "fabric-bucket-meter.h"
#include "fabric-line-array.h"
#include "fabric-sliding-window.h"

#include <cstddef>

namespace ns3
{
namespace fabric
{

/**
 * The meters of a link's bandwidth groups (VA-2), all of one kind, one after the other in memory.
 * What each of them does with a rule, a packet or a train is described at BandwidthMeter. The rule
 * says the kind too, and the owner knows how many there are: a link has little more than what the
 * meters have counted.
 */
class GroupMeters
{
  public:
    /// No meters.
    GroupMeters() = default;

    /**
     * Meters of groups that are not in use.
     *
     * @param memory to stand in
     * @param kind of all
     * @param count how many
     */
    GroupMeters(LineMemory& memory, MeterKind kind, uint32_t count)
        : m_row(memory, count * SizeOf(kind))
    {
    }

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
     * @param index of the meter
     * @param rule of the meter, here and in the other
     * @param other meters of the same kind
     */
    void Keep(uint32_t index, const MeterRule& rule, const GroupMeters& other);

    /**
     * @param index of the meter
     * @param rule of the meter
     * @return when it conforms, ps
     */
    TimePs ConformsAt(uint32_t index, const MeterRule& rule) const
    {
        return rule.Kind() == TOKEN_BUCKET ? Row<TokenBucket>()[index].ConformsAt()
                                           : OtherConformsAt(index, rule);
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
        return rule.Kind() == TOKEN_BUCKET ? Row<TokenBucket>()[index].Charge(rule, bytes, now)
                                           : ChargeOther(index, rule, bytes, now);
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

    /**
     * @param kind of meters
     * @param count how many
     * @return bytes of memory that they take
     */
    static std::size_t BytesOf(MeterKind kind, uint32_t count)
    {
        return LineArray<std::byte>::BytesOf(count * SizeOf(kind));
    }

    /**
     * Fetches meters, which are charged soon.
     *
     * @param kind of the meters
     * @param count how many there are
     */
    void Fetch(MeterKind kind, uint32_t count) const
    {
        m_row.Fetch(count * SizeOf(kind));
    }

  private:
    /// @return bytes of a meter
    static uint32_t SizeOf(MeterKind kind)
    {
        return kind == SLIDING_WINDOW ? sizeof(SlidingWindow) : sizeof(TokenBucket);
    }

    /// @return the meters, which are of this kind
    template <typename Meter>
    Meter* Row()
    {
        return reinterpret_cast<Meter*>(m_row.begin());
    }

    /// @return the meters, which are of this kind
    template <typename Meter>
    const Meter* Row() const
    {
        return reinterpret_cast<const Meter*>(m_row.begin());
    }

    /// ConformsAt() of other kinds than the default.
    TimePs OtherConformsAt(uint32_t index, const MeterRule& rule) const;
    /// Charge() of other kinds than the default.
    TimePs ChargeOther(uint32_t index, const MeterRule& rule, uint32_t bytes, TimePs now);

    LineArray<std::byte> m_row; ///< The meters.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_GROUP_METERS_H
