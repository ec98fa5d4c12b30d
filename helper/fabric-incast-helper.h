/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INCAST_HELPER_H
#define FABRIC_INCAST_HELPER_H

#include "fabric-helper.h"

#include "ns3/application-container.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

/**
 * An incast (SC-2): senders spread evenly over a fabric send to its first host, each one message.
 *
 * With a victim, one more flow shares links with the incast, but not its destination: from the last
 * host to the neighbour of the incast's receiver.
 */
class IncastHelper
{
  public:
    /// Tag of the incast's messages.
    static constexpr uint64_t INCAST_TAG = 1;
    /// Tag of the victim's messages.
    static constexpr uint64_t VICTIM_TAG = 2;

    /// @param bytes that each sends
    IncastHelper(uint32_t senders, uint64_t bytes);

    /**
     * @param start when the senders begin
     * @param jitter each begins at a random time up to this later
     */
    void SetStart(Time start, Time jitter);

    /**
     * Adds a victim, which sends from time 0 to the end of the run.
     *
     * @param bytes of each of its messages
     * @param interval between them
     */
    void SetVictim(uint64_t bytes, Time interval);

    /// @param stream random stream of the jitter (ns-3's AssignStreams); -1 lets ns-3 choose
    void SetStream(int64_t stream);

    /**
     * @param fabric where to install
     * @return the senders, then the victim if there is one
     */
    ApplicationContainer Install(const FabricContainer& fabric) const;

    /**
     * @return hosts that send in the incast
     * @throws std::invalid_argument if the fabric has too few
     */
    std::vector<uint32_t> GetSenders(const FabricContainer& fabric) const;

    /// @return when each of them begins
    std::vector<Time> GetStarts() const;

    /// @return bytes that each sends
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /// @return most senders that it has room for, beside the victim's ends
    static uint32_t GetMaxSenders(const FabricContainer& fabric);

    /// Host that all send to.
    static constexpr uint32_t RECEIVER = 0;
    /// Host that the victim sends to.
    static constexpr uint32_t VICTIM_RECEIVER = 1;

  private:
    uint32_t m_senders;        ///< Number of senders.
    uint64_t m_bytes;          ///< That each sends.
    uint64_t m_victimBytes{0}; ///< Of each of the victim's messages; 0 for no victim.
    Time m_victimInterval;     ///< Between the victim's messages.
    Time m_start;              ///< When the senders begin.
    Time m_jitter;             ///< Most that one begins later.
    int64_t m_stream{-1};      ///< Random stream of the jitter.
};

} // namespace ns3

#endif // FABRIC_INCAST_HELPER_H
