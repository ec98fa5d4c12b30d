/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_SAMPLER_H
#define FABRIC_LANE_SAMPLER_H

#include "fabric-csv-writer.h"
#include "fabric-lane-path.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <ostream>

namespace ns3::fabric
{

/// Writes lanes.csv: what the arbiter has chosen of each lane in each period.
class LaneSampler
{
  public:
    /**
     * @param path is settled before each sample; must stay
     * @param recorder has the figures; must stay
     * @param os where to write; must stay
     * @param period between samples, above 0
     */
    LaneSampler(LanePath& path,
                const LaneRecorder& recorder,
                std::ostream& os,
                Time period,
                uint64_t packetBytes);
    ~LaneSampler();

    LaneSampler(const LaneSampler&) = delete;
    LaneSampler& operator=(const LaneSampler&) = delete;

    /// Writes what was chosen since the last sample, if any time has passed; at the end too.
    void Write();

  private:
    /// What had been chosen of a lane at the last sample.
    struct Known
    {
        uint64_t conforming{0}; ///< Packets that conformed.
        uint64_t over{0};       ///< The others.
    };

    /// A period has passed.
    void Sample();

    LanePath& m_path;                  ///< Is settled.
    const LaneRecorder& m_recorder;    ///< Has the figures.
    CsvWriter m_csv;                   ///< The file.
    Time m_period;                     ///< Between samples.
    Time m_last{0};                    ///< Of the last sample.
    uint64_t m_packetBytes;            ///< Of each packet.
    std::map<uint32_t, Known> m_known; ///< By lane.
    EventId m_next;                    ///< The next sample.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_SAMPLER_H
