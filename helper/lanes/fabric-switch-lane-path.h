/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_LANE_PATH_H
#define FABRIC_SWITCH_LANE_PATH_H

#include "fabric-helper.h"
#include "fabric-lane-link-settings.h"
#include "fabric-lane-path.h"

#include <cstdint>
#include <functional>
#include <map>

namespace ns3::fabric
{

/**
 * Lanes over hosts of one switch. Each lane has a pair of hosts whose packets are on it; derived
 * classes choose the pairs, and with them which link it is.
 */
class SwitchLanePath : public LanePath
{
  public:
    /// Does nothing: the switch's installation has checked them.
    void CheckSettings() const override;
    void Send(uint32_t lane) override;
    uint64_t GetPacketsInFlight() const override;
    uint64_t GetPacketHops() const override;
    void StopAt(Time duration) override;

    /// @return switch and hosts
    const FabricContainer& GetFabric() const;

    static constexpr uint32_t HEADERS = WireBytes(0); ///< Header and FCS, bytes.
    static constexpr uint32_t LANE_QUEUE = 1'000;     ///< Packets of a lane that may wait.

  protected:
    /// Tells the pair of hosts to try for a lane: who sends and who receives, of candidate 0 to n.
    using PairOf = std::function<std::pair<uint32_t, uint32_t>(uint32_t candidate)>;

    /**
     * Makes the switch and its hosts; the last of them is GetLastHost().
     *
     * @param helper installs
     * @param link with its lanes and arbiter
     * @param recorder is told what happens; must stay
     */
    SwitchLanePath(FabricHelper helper, const LaneLinkSettings& link, LaneRecorder& recorder);

    /**
     * Finds a pair of hosts for each lane, none for two.
     *
     * @param pairOf tells the candidates
     */
    void AssignHosts(const LaneTable& table, const PairOf& pairOf);

    /// @return number of the host that is an end of all pairs
    uint32_t GetLastHost() const;

    /// The arbiter has chosen a packet of a lane.
    void Choose(uint32_t lane, bool isConforming);

  private:
    /// What sends the packets of a lane.
    struct Lane
    {
        Ptr<FabricNetDevice> device; ///< Of the host.
        LocationId receiver;         ///< Of its packets.
        uint8_t trafficClass;        ///< The lane's.
        uint32_t waiting;            ///< Packets that the arbiter has not chosen yet.
    };

    /// A packet has come.
    void Receive(const Message& message);

    FabricContainer m_fabric;         ///< The switch and its hosts.
    std::map<uint32_t, Lane> m_lanes; ///< By number.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_LANE_PATH_H
