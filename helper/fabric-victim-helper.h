/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_VICTIM_HELPER_H
#define FABRIC_VICTIM_HELPER_H

#include "fabric-helper.h"

#include "ns3/application-container.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Flows beside an incast that share links with it, but not its destination: victims, if the fabric
 * lets them.
 */
class VictimHelper
{
  public:
    /// Tag of the victims' messages.
    static constexpr uint64_t TAG = 2;

    /// Where victims are sent from.
    enum class From : uint8_t
    {
        OWN_HOST,    ///< Hosts that do not send in the incast.
        SENDER_HOST, ///< Hosts that send in the incast, too.
    };

    /// Where victims are sent to.
    enum class To : uint8_t
    {
        RECEIVER_SWITCH, ///< Hosts of the switch to which the incast's receiver is linked.
        ELSEWHERE,       ///< Hosts of other switches, which do not send either.
    };

    /**
     * Finds hosts for victims.
     *
     * @param receiver of the incast
     * @param senders of the incast, rising
     * @throws std::invalid_argument with a sentence if there are not hosts enough
     */
    VictimHelper(const FabricContainer& fabric,
                 uint32_t receiver,
                 const std::vector<uint32_t>& senders,
                 From from,
                 To to,
                 uint32_t victims);

    /// @return numbers of the hosts from which and to which each victim is sent
    const std::vector<std::pair<uint32_t, uint32_t>>& GetVictims() const;

    /**
     * Victims begin one after the other.
     *
     * @param victim number of it
     * @param interval between the messages of one
     * @return when it begins
     */
    Time GetStart(std::size_t victim, Time interval) const;

    /**
     * Victims send from time 0 on, without end, all at equal distances and one after the other.
     *
     * @param bytes of each message
     * @param interval between the messages of one
     */
    ApplicationContainer Install(uint64_t bytes, Time interval) const;

  private:
    const FabricContainer& m_fabric;                      ///< Where they are.
    std::vector<std::pair<uint32_t, uint32_t>> m_victims; ///< See GetVictims().
};

} // namespace ns3

#endif // FABRIC_VICTIM_HELPER_H
