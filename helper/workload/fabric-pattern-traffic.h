/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATTERN_TRAFFIC_H
#define FABRIC_PATTERN_TRAFFIC_H

#include "fabric-flow-list.h"
#include "fabric-helper.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What is sent to whom.
struct FabricPattern
{
    std::string name{"shift"};   ///< One of Names().
    uint64_t shift{0};           ///< Distance of `shift`, 0 for half the hosts.
    uint64_t bytes{1 << 20};     ///< Of each message.
    uint32_t groupHosts{0};      ///< Consecutive hosts of a group or switch; 0 if there is none.
    std::vector<uint32_t> rings; ///< Switches in each dimension of a torus; none for others.

    /// @return all patterns
    static const std::vector<std::string>& Names();
};

/**
 * Messages of all hosts by a pattern:
 *
 * | name           | host i sends to                                       |
 * |----------------|-------------------------------------------------------|
 * | shift          | host i + shift                                        |
 * | random         | a host of a random permutation, never itself          |
 * | bit-complement | the last host - i                                     |
 * | uniform        | any other host, drawn for each message                |
 * | adversarial    | any host of the next group or switch, for each message|
 * | tornado        | the host as far round each ring as is still shorter   |
 * | all-to-all     | all others, one message each, beginning with i + 1    |
 */
class FabricPatternTraffic
{
  public:
    /**
     * @param fabric whose hosts send
     * @param pattern what they send
     * @throws std::invalid_argument with a sentence if a host would send to itself, or there are no
     * groups or rings
     */
    FabricPatternTraffic(const FabricContainer& fabric, const FabricPattern& pattern);

    /// Each host sends its message, or with `all-to-all` its messages, at the start.
    void SendOnce();

    /// @return how many hosts send
    uint32_t Hosts() const
    {
        return m_hosts;
    }

    /// @return messages that SendOnce() sends, as many from each host
    uint64_t CountOnce() const;

    /**
     * Each host sends messages at random times (a Poisson process) for as long as the run lasts.
     *
     * @param interval mean time between the messages of a host
     */
    void SendEvery(Time interval);

    /// @return what SendOnce() would send, as flows, which another may start
    fabric::FlowList ListOnce();

    /**
     * @param interval mean time between the messages of a host
     * @param until they start before that
     * @return what SendEvery() would send until then, as flows, which another may start
     * @throws std::invalid_argument with a sentence if there are none, or too many
     */
    fabric::FlowList ListEvery(Time interval, Time until);

  private:
    /// @return a message as a flow, of the class that ns3::FabricMessageSender has
    fabric::FlowList::Flow FlowTo(uint32_t host, uint32_t receiver, fabric::TimePs start) const;
    /// Numbers the flows between two hosts. @return the list
    static fabric::FlowList Numbered(std::vector<fabric::FlowList::Flow> flows);
    /// @return time to a host's next message, ps
    int64_t DrawGap();
    /// What the command line says of messages counts for these, too.
    void ReadFlow();
    /// @return to whom a message goes
    uint32_t Receiver(uint32_t host);
    /// A host sends a message and plans the next.
    void SendNext(uint32_t host);
    /// A host plans its next message.
    void PlanNext(uint32_t host);
    /// Refuses patterns that the fabric has no groups or rings for.
    void CheckShape() const;
    /// Draws the permutation of `random`.
    void DrawPermutation();
    /// Works out that of `tornado`.
    void MakeTornado();

    const FabricContainer& m_fabric;       ///< Whose hosts send.
    FabricPattern m_pattern;               ///< What they send.
    uint32_t m_hosts;                      ///< How many there are.
    Ptr<UniformRandomVariable> m_random;   ///< Draws receivers.
    Ptr<ExponentialRandomVariable> m_gaps; ///< Draws times between messages, s.
    fabric::MessageFlow m_flow;            ///< Class and network of messages at random times.
    std::vector<uint32_t> m_permutation;   ///< Of `random` and `tornado`: receivers.
};

} // namespace ns3

#endif // FABRIC_PATTERN_TRAFFIC_H
