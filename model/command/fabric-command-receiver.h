/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_RECEIVER_H
#define FABRIC_COMMAND_RECEIVER_H

#include "fabric-command-packet.h"
#include "fabric-command-sender.h"
#include "fabric-command-settings.h"
#include "fabric-frame.h"
#include "fabric-pcie-link.h"
#include "fabric-timed-ring.h"

#include <cstdint>
#include <unordered_map>

namespace ns3::fabric
{

/// What software of a host learns: that a command of its own is acknowledged, or that one has come.
struct CommandReport
{
    TimePs at{0};         ///< When software sees it, ps.
    TimePs postedAt{0};   ///< When its initiator asked for it, ps.
    uint64_t bytes{0};    ///< Of data.
    bool isOwn{false};    ///< Whether it is the own command's acknowledgement.
    uint32_t queue{0};    ///< Own: where it comes from.
    LocationId source{0}; ///< Another's: who has sent it.
};

/// Is told what software of a host learns, ahead of that time.
class CommandListener
{
  public:
    virtual ~CommandListener() = default;

    /// @param report what software sees
    virtual void Learn(const CommandReport& report) = 0;
};

/// What has come to a NIC so far.
struct CommandArrivalCounts
{
    uint64_t puts{0};         ///< Whole ones.
    uint64_t sends{0};        ///< Whole ones.
    uint64_t bytes{0};        ///< Of data of these.
    uint64_t acknowledged{0}; ///< Own commands.
};

/**
 * The way into the NIC: data is written to host memory and, when all of a command is there,
 * acknowledged; software is told of sends, and of own commands that are acknowledged, by an event
 * in host memory.
 */
class CommandReceiver
{
  public:
    static constexpr uint32_t EVENT_BYTES = 32; ///< Of an event (Cassini: 16, 32 or 64).

    /// @param settings that are valid; stay where they are
    CommandReceiver(const CommandSettings& settings,
                    PcieLink& pcie,
                    CommandNetwork& network,
                    CommandSender& sender,
                    CommandListener& listener)
        : m_settings(settings),
          m_pcie(pcie),
          m_network(network),
          m_sender(sender),
          m_listener(listener)
    {
    }

    /// @param frame is on the link; its time is the arrival of its tail
    void Arrive(const Frame& frame);

    /// @return when a packet has to be handled, NEVER for none, ps
    TimePs NextTime() const
    {
        return m_arriving.Earliest();
    }

    /// @param now NextTime(): packets are handled, ps
    void Handle(TimePs now);

    const CommandArrivalCounts& Counts() const
    {
        return m_counts;
    }

  private:
    /// A packet on the link.
    struct Arrival
    {
        TimePs at;            ///< When its tail is in, ps.
        uint32_t handle;      ///< Of the packet.
        LocationId source;    ///< Who has sent it.
        uint16_t vni;         ///< Virtual network.
        uint8_t trafficClass; ///< Of its frame.
    };

    /// Takes data.
    void TakeData(const CommandPacket& packet, const Arrival& arrival);
    /// @return whether all data of a command has come
    bool IsWhole(const CommandPacket& packet, LocationId source);
    /// Writes an event into host memory. @return when software sees it, ps
    TimePs WriteEvent(PcieStream& order, TimePs at);

    const CommandSettings& m_settings;            ///< The settings.
    PcieLink& m_pcie;                             ///< To the host.
    CommandNetwork& m_network;                    ///< Keeps packets.
    CommandSender& m_sender;                      ///< Has own commands, and sends acknowledgements.
    CommandListener& m_listener;                  ///< Is told what software learns.
    PcieStream m_writes;                          ///< Of data and its events.
    PcieStream m_events;                          ///< Of acknowledgements.
    TimedRing<Arrival> m_arriving;                ///< By time.
    std::unordered_map<uint64_t, uint64_t> m_got; ///< Bytes by source and id, of parts.
    CommandArrivalCounts m_counts;                ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_RECEIVER_H
