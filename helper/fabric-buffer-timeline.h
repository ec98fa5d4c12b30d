/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUFFER_TIMELINE_H
#define FABRIC_BUFFER_TIMELINE_H

#include "fabric-helper.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * What the input buffers of a fabric hold over time, by tiers. The switch of a receiver, where an
 * incast has to wait, is a tier of its own.
 *
 * The switches take the samples themselves, at exact times, however far they run ahead.
 */
class FabricBufferTimeline
{
  public:
    /// Name of the tier that the receiver's switch is.
    static constexpr const char* RECEIVER = "receiver";

    /**
     * @param fabric must stay
     * @param receiver host whose switch is apart
     * @param period between samples, above 0
     */
    FabricBufferTimeline(const FabricContainer& fabric, uint32_t receiver, Time period);

    FabricBufferTimeline(const FabricBufferTimeline&) = delete;
    FabricBufferTimeline& operator=(const FabricBufferTimeline&) = delete;

    /// @return name of the tier of a switch
    const std::string& TierOf(uint32_t switchIndex) const
    {
        return m_names[m_tiers[switchIndex]];
    }

    /**
     * No more samples are taken: all switches have come to the end. On several ranks all have to
     * call it, when the simulation is over.
     *
     * @param end of the run; samples before it count
     */
    void Finish(Time end);

    /**
     * When the buffers outside of the receiver's switch are back at a level for good; after
     * Finish().
     *
     * @param from nothing before counts
     * @param level bytes in all these buffers together
     * @return from `from` to the first sample from which on they hold no more than that; to the end
     * of the run if they hold more in the last sample
     */
    Time GetContainmentTime(Time from, double level) const;

    /// @return what the buffers outside of the receiver's switch held on average between two times,
    /// bytes; 0 if there is no sample; after Finish()
    double GetMean(Time from, Time to) const;

    /// Writes buffers.csv: a row per sample and tier. @param os where to write
    void Write(std::ostream& os) const;

  private:
    /// Held bytes, by number of the sample.
    using Series = std::vector<uint64_t>;

    /// @param sample number from 0 @return when it was taken
    Time TimeOf(std::size_t sample) const
    {
        return m_period * static_cast<int64_t>(sample + 1);
    }

    /// @return what all buffers outside of the receiver's switch hold
    uint64_t Outside(std::size_t sample) const;

    const FabricContainer& m_fabric;           ///< Is looked at.
    Time m_period;                             ///< Between samples.
    Time m_end;                                ///< Of the run.
    std::vector<std::string> m_names;          ///< Of tiers.
    std::vector<uint32_t> m_tiers;             ///< By switch: number of the tier.
    std::vector<std::vector<uint32_t>> m_held; ///< By switch, which may run on any thread: samples.
    std::vector<Series> m_series;              ///< By tier; of Finish().
};

} // namespace ns3

#endif // FABRIC_BUFFER_TIMELINE_H
