/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_METERS_H
#define FABRIC_GROUP_METERS_H

#include "fabric-bucket-meter.h"
#include "fabric-line-array.h"
#include "fabric-sliding-window.h"

#include <cstddef>

namespace ns3::fabric
{

/**
 * The meters of a link's bandwidth groups (VA-2), all of one kind, one after the other in memory.
 * What each of them does with a rule, a packet or a train is described at BandwidthMeter. The rule
 * says the kind too, and the owner knows how many there are: a link has little more than what the
 * meters have counted.
 *
 * Of buckets the whole ps of all come first, which are all that most rules need, then the rests.
 */
class GroupMeters
{
  public:
    GroupMeters() = default;

    /**
     * Meters of groups that are not in use.
     *
     * @param memory to stand in, behind the piece before
     * @param count how many
     */
    GroupMeters(LineMemory& memory, MeterKind kind, uint32_t count)
        : m_words(memory, WordsOf(kind, count), LineArray<uint64_t>::BEHIND)
    {
    }

    /// A group begins with a meter that has seen no traffic.
    void Begin(uint32_t index, uint32_t count, const MeterRule& rule);

    /**
     * A group goes on with what it has used.
     *
     * @param rule of the meter, here and in the other
     * @param other meters of the same kind
     */
    void Keep(uint32_t index,
              uint32_t count,
              const MeterRule& rule,
              const GroupMeters& other,
              uint32_t otherCount);

    /// @return when it conforms, ps
    TimePs ConformsAt(uint32_t index, uint32_t count, const MeterRule& rule) const
    {
        return rule.IsWhole() ? rule.ConformsAt(Wholes()[index])
                              : OtherConformsAt(index, count, rule);
    }

    /**
     * @param bytes that are sent, at most 65535
     * @return when it conforms after it, ps
     */
    TimePs Charge(uint32_t index, uint32_t count, const MeterRule& rule, uint32_t bytes, TimePs now)
    {
        if (!rule.IsWhole())
        {
            return ChargeOther(index, count, rule, bytes, now);
        }
        TimePs& whole = Wholes()[index];
        whole = rule.Clock().ChargeWhole(whole, bytes, now);
        return rule.ConformsAt(whole);
    }

    /// @param train what is sent
    void ChargeTrain(uint32_t index, uint32_t count, const MeterRule& rule, const FlitTrain& train);

    /**
     * @param train what is to be sent
     * @param charged whether the flits would be charged
     * @return bytes for which the answer is the same as at the first
     */
    uint32_t BytesAlike(uint32_t index,
                        uint32_t count,
                        const MeterRule& rule,
                        const FlitTrain& train,
                        bool charged) const;

    /**
     * @param count how many
     * @return bytes of memory that they take
     */
    static std::size_t BytesOf(MeterKind kind, uint32_t count)
    {
        return WordsOf(kind, count) * sizeof(uint64_t);
    }

    /**
     * @param count how many
     * @return bytes of these, from the first on, that are touched by most rules
     */
    static std::size_t OftenUsedBytes(MeterKind kind, uint32_t count)
    {
        return kind == SLIDING_WINDOW ? BytesOf(kind, count) : count * sizeof(TimePs);
    }

  private:
    /// @return words of so many meters
    static uint32_t WordsOf(MeterKind kind, uint32_t count)
    {
        static_assert(sizeof(SlidingWindow) % sizeof(uint64_t) == 0, "whole words");
        const std::size_t bytes =
            kind == SLIDING_WINDOW ? sizeof(SlidingWindow) : sizeof(ShareClock::Instant);
        return static_cast<uint32_t>(count * bytes / sizeof(uint64_t));
    }

    /// @return whole ps of buckets
    TimePs* Wholes()
    {
        return reinterpret_cast<TimePs*>(m_words.begin());
    }

    /// @return whole ps of buckets
    const TimePs* Wholes() const
    {
        return reinterpret_cast<const TimePs*>(m_words.begin());
    }

    /// @return the meters, which are sliding windows
    SlidingWindow* Windows()
    {
        return reinterpret_cast<SlidingWindow*>(m_words.begin());
    }

    const SlidingWindow* Windows() const
    {
        return reinterpret_cast<const SlidingWindow*>(m_words.begin());
    }

    /// @return a meter, which is a bucket
    BucketMeter Bucket(uint32_t index, uint32_t count) const
    {
        return BucketMeter({Wholes()[index], m_words[count + index]});
    }

    /// A meter, which is a bucket, is this one now.
    void SetBucket(uint32_t index, uint32_t count, const BucketMeter& bucket)
    {
        Wholes()[index] = bucket.AtDepth().whole;
        m_words[count + index] = bucket.AtDepth().rest;
    }

    /// ConformsAt() of other rules than most.
    TimePs OtherConformsAt(uint32_t index, uint32_t count, const MeterRule& rule) const;
    /// Charge() of other rules than most.
    TimePs ChargeOther(uint32_t index,
                       uint32_t count,
                       const MeterRule& rule,
                       uint32_t bytes,
                       TimePs now);

    LineArray<uint64_t> m_words; ///< The meters.
};

} // namespace ns3::fabric

#endif // FABRIC_GROUP_METERS_H
