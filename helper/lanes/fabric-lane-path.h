/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_PATH_H
#define FABRIC_LANE_PATH_H

#include "fabric-lane-recorder.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * Takes packets of virtual lanes to a link whose lanes are arbitrated, and over it; packets above
 * the room of a lane's queue are dropped. A LaneRecorder is told what becomes of them. The same
 * load can be put on a queue disc, an output of a switch, or the uplink of a host.
 *
 * @code
 * fabric::LaneLinkSettings link;
 * link.table = fabric::ReadLaneTable("lanes.json");
 * fabric::LaneRecorder recorder(link.table, MilliSeconds(1));
 * fabric::OutputLanePath path(link, recorder);
 * fabric::LaneLoad load(path, link, {0.5, 0.5, 0.2}); // of the link by each lane
 * path.StopAt(MilliSeconds(3));
 * Simulator::Run();
 * path.Settle();
 * recorder.AddFigures(summary, MilliSeconds(2).GetPicoSeconds() / link.PacketTime());
 * @endcode
 */
class LanePath
{
  public:
    virtual ~LanePath() = default;

    LanePath(const LanePath&) = delete;
    LanePath& operator=(const LanePath&) = delete;

    /// @throws std::invalid_argument with a sentence if settings do not fit each other
    virtual void CheckSettings() const = 0;

    /**
     * A packet of a lane comes.
     *
     * @param lane number of the lane
     * @throws std::out_of_range if there is no such lane
     */
    virtual void Send(uint32_t lane) = 0;

    /// Tells the recorder what has been chosen until now; to be called before it is read.
    virtual void Settle() = 0;

    /// @return packets that wait or are on a link
    virtual uint64_t GetPacketsInFlight() const = 0;

    /// @return packets that links have begun to carry, counted for each link
    virtual uint64_t GetPacketHops() const = 0;

    /// @param duration the run ends then
    virtual void StopAt(Time duration) = 0;

    /// @return payload of each packet, bytes
    uint32_t GetPayload() const
    {
        return m_payload;
    }

    /// @return what all packets came to until now; after Settle()
    RunTotals GetTotals() const;

  protected:
    /**
     * @param recorder is told what happens; must stay
     * @param payload of each packet, bytes
     */
    LanePath(LaneRecorder& recorder, uint32_t payload);

    LaneRecorder& m_recorder; ///< Is told what happens.

  private:
    uint32_t m_payload; ///< Of each packet, bytes.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_PATH_H
