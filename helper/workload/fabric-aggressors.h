/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_AGGRESSORS_H
#define FABRIC_AGGRESSORS_H

#include "fabric-helper.h"
#include "fabric-notices.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// What GPCNeT's congestors do (Chunduri et al., SC'19).
enum class AggressorPattern : uint8_t
{
    ALL_TO_ALL,    ///< Messages of each to each other one, in turn.
    INCAST,        ///< Messages of all others to the first.
    PUT_INCAST,    ///< Writes of all others into the memory of the first.
    GET_BROADCAST, ///< Reads of all others from the memory of the first.
};

/// How hard each aggressor presses.
struct AggressorSettings
{
    uint64_t bytes{4096};     ///< Of each message or operation; GPCNeT's: 512 doubles.
    uint32_t outstanding{64}; ///< Under way at a time. Chosen.
};

/// Hosts of a fabric that load it without end, from Start() on.
class Aggressors
{
  public:
    Aggressors() = default;
    virtual ~Aggressors() = default;
    Aggressors(const Aggressors&) = delete;
    Aggressors& operator=(const Aggressors&) = delete;

    /// All begin at the present.
    virtual void Start() = 0;
};

/**
 * Aggressors with native messages: when its sender has notice that one is delivered it sends the
 * next, as ranks do whose sends end when they are matched. Each may have several ranks.
 */
class MessageAggressors : public Aggressors
{
  public:
    /// Tag of the messages.
    static constexpr uint64_t TAG = 2;

    /**
     * @param hosts at least 2; nobody else sends messages from or to them
     * @param pattern ALL_TO_ALL or INCAST
     * @param notices tell of deliveries; must stay
     */
    MessageAggressors(const FabricContainer& fabric,
                      const std::vector<uint32_t>& hosts,
                      AggressorPattern pattern,
                      const AggressorSettings& settings,
                      Notices& notices);
    ~MessageAggressors() override;

    void Start() override;

    /**
     * @param pattern ALL_TO_ALL or INCAST
     * @param aggressors how many there are
     * @param number of one that sends
     * @param message of it, from 0
     * @return number of the aggressor that it is for
     */
    static uint32_t DestinationOf(AggressorPattern pattern,
                                  uint32_t aggressors,
                                  uint32_t number,
                                  uint64_t message);

  private:
    /// A message is delivered. @param location of its sender
    void TellSender(LocationId location);
    /// One sends its next message.
    void SendNext(uint32_t number);

    AggressorPattern m_pattern;                  ///< Whom they send to.
    AggressorSettings m_settings;                ///< How much.
    Notices& m_notices;                          ///< Of deliveries.
    uint32_t m_topic;                            ///< Of these.
    std::vector<Ptr<FabricNetDevice>> m_devices; ///< By number.
    std::vector<uint32_t> m_numbers;             ///< By location, of those that are here.
    std::vector<uint32_t> m_ranks;               ///< Of MPI, by number.
    std::vector<uint64_t> m_sent;                ///< Messages, by number.
};

/// Aggressors with one-sided operations of the reliable transport, each over one connection.
class RmaAggressors : public Aggressors
{
  public:
    /**
     * Puts the transport on the hosts.
     *
     * @param hosts at least 2, without a transport yet
     * @param pattern PUT_INCAST or GET_BROADCAST
     */
    RmaAggressors(const FabricContainer& fabric,
                  const std::vector<uint32_t>& hosts,
                  AggressorPattern pattern,
                  const AggressorSettings& settings);

    void Start() override;

  private:
    AggressorPattern m_pattern;   ///< What they do.
    AggressorSettings m_settings; ///< How much.
    NetDeviceContainer m_devices; ///< The first is read or written.
    Address m_remote;             ///< Of the first.
};

/**
 * @param patterns hosts are dealt to them in turn, at least 2 to each, as GPCNeT does with all four
 * @param notices tell senders of deliveries; must stay
 * @return aggressors of each pattern
 * @throws std::invalid_argument if there are too few hosts
 */
std::vector<std::unique_ptr<Aggressors>> MakeAggressors(
    const FabricContainer& fabric,
    const std::vector<uint32_t>& hosts,
    const std::vector<AggressorPattern>& patterns,
    const AggressorSettings& settings,
    Notices& notices);

} // namespace ns3::fabric

#endif // FABRIC_AGGRESSORS_H
