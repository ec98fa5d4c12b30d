/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_RECEIVER_H
#define FABRIC_COMMAND_RECEIVER_H

#include "fabric-address-translation.h"
#include "fabric-atomic-unit.h"
#include "fabric-command-packet.h"
#include "fabric-command-sender.h"
#include "fabric-command-settings.h"
#include "fabric-command-steps.h"
#include "fabric-command-target.h"
#include "fabric-event-writer.h"
#include "fabric-frame.h"
#include "fabric-pcie-link.h"
#include "fabric-timed-ring.h"

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <unordered_map>

namespace ns3::fabric
{

/// What has come to a NIC so far.
struct CommandArrivalCounts
{
    uint64_t puts{0};         ///< Whole ones.
    uint64_t sends{0};        ///< Whole ones.
    uint64_t bytes{0};        ///< Of data of these.
    uint64_t requests{0};     ///< Of data here.
    uint64_t acknowledged{0}; ///< Own commands, also those whose data has come.
    uint64_t failed{0};       ///< Own commands whose connection has failed.
};

/**
 * The way into the NIC: data is written to host memory and, when all of a command is there,
 * acknowledged; software is told of sends, and of own commands that are acknowledged, by an event
 * in host memory. Messages with match bits go to the lists, and requests of other NICs to the way
 * out, when the inbound stage is done with them.
 */
class CommandReceiver
{
  public:
    /// @param settings that are valid; stay where they are
    CommandReceiver(const CommandSettings& settings,
                    PcieLink& pcie,
                    CommandNetwork& network,
                    CommandSender& sender,
                    CommandTarget& target,
                    EventWriter& events,
                    CounterTable& counters,
                    AtomicUnit& atomics,
                    const CommandSteps& steps)
        : m_settings(settings),
          m_pcie(pcie),
          m_network(network),
          m_sender(sender),
          m_target(target),
          m_toHost(events),
          m_counters(counters),
          m_atomics(atomics),
          m_steps(steps),
          m_translation(settings.translation, INBOUND_SIDE)
    {
    }

    /// @param frame is on the link; its time is the arrival of its tail
    void Arrive(const Frame& frame);

    /// @return when a packet has to be handled, NEVER for none, ps
    TimePs NextTime() const
    {
        return std::min(m_arriving.Earliest(), m_inside.Earliest());
    }

    /// @param now NextTime(): packets are handled, ps
    void Handle(TimePs now);

    const CommandArrivalCounts& Counts() const
    {
        return m_counts;
    }

    /// @return puts and sends of which a part has come
    std::size_t Parts() const
    {
        return m_got.size();
    }

    /// What was under way on connections that have failed comes to its end.
    void FailConnections(TimePs now);

    /// @return where addresses of data that comes are translated
    const AddressTranslation& Translation() const
    {
        return m_translation;
    }

  private:
    static constexpr uint64_t INBOUND_SIDE = 2; ///< Of address translation.

    /// A packet on the link.
    struct Arrival
    {
        TimePs at;            ///< When its tail is in, ps.
        uint32_t handle;      ///< Of the packet.
        LocationId source;    ///< Who has sent it.
        uint16_t vni;         ///< Virtual network.
        uint8_t trafficClass; ///< Of its frame.
    };

    /// A packet in the inbound stage.
    struct Inside
    {
        TimePs at;            ///< When the stage is done with it, ps.
        MessageFlow back;     ///< To who has sent it.
        uint32_t connection;  ///< Tracked: of it.
        uint32_t turn;        ///< Tracked: see TrackedConnection::Turn().
        CommandPacket packet; ///< It.

        /// @return whether it is one of those that come in order
        bool IsOrdered() const
        {
            return packet.track.epoch != 0 && packet.track.kind == TrackClass::ORDERED;
        }
    };

    /// Data of a message that has come in part.
    struct Part
    {
        uint64_t got;        ///< Bytes.
        uint32_t connection; ///< Tracked: on which they came.
        CommandOp op;        ///< Of its command.
    };

    /**
     * @param passes how long the stage takes, ps
     * @param last when the packet before it was through, which this one does not overtake, ps
     * @return when a packet is through, with its address, ps
     */
    TimePs ThroughAt(const CommandPacket& packet, TimePs at, TimePs passes, TimePs& last);
    /// Takes a packet whose tail is in. @param connection tracked: on which
    void Take(const CommandPacket& packet, const Arrival& arrival, uint32_t connection);
    /// Takes a packet that is through the inbound stage. @return whether it is taken, see
    /// CommandTarget::TakeData()
    bool TakeInside(const Inside& inside, TimePs now);
    /// As TakeInside(), of a packet that comes in order, which is then done or refused.
    void TakeOrdered(const Inside& inside, TimePs now);
    /// Takes data of a put or a send.
    void TakeData(const CommandPacket& packet,
                  const MessageFlow& back,
                  uint32_t connection,
                  TimePs at);
    /// As FailConnections(), of one.
    void Fail(uint32_t connection, TimePs now);
    /// @return whether an answer is for a command that is still under way
    bool IsForOwn(const CommandPacket& packet) const;
    /// Does what another NIC asks for.
    void Serve(const CommandPacket& packet, const MessageFlow& back, TimePs now);
    /// Takes the acknowledgement of an own command. @param source who has sent it
    void TakeAck(const CommandPacket& packet, LocationId source, TimePs at);
    /// Takes data of an own get. @param source who has sent it
    void TakeReply(const CommandPacket& packet, LocationId source, TimePs at);

    /// Tells that a packet has passed a stage.
    void Passes(CommandStage stage, const CommandPacket& packet, LocationId source, TimePs at) const
    {
        if (m_steps.IsOn())
        {
            m_steps.Comes(stage, packet, source, at);
        }
    }

    /// An own command is done. @param event how
    void Complete(uint32_t id, CommandEvent event, uint64_t value, TimePs at);
    /// Software learns how an own command ended. @return when, ps
    TimePs TellEnd(const OutstandingCommand& own, CommandEvent event, uint64_t value, TimePs at);
    /// @return whether all data of a command has come
    bool IsWhole(const CommandPacket& packet, LocationId source, uint32_t connection);

    const CommandSettings& m_settings; ///< The settings.
    PcieLink& m_pcie;                  ///< To the host.
    CommandNetwork& m_network;         ///< Keeps packets.
    CommandSender& m_sender;           ///< Has own commands, and sends acknowledgements.
    CommandTarget& m_target;           ///< Has messages with match bits.
    EventWriter& m_toHost;             ///< Writes events.
    CounterTable& m_counters;          ///< Are advanced.
    AtomicUnit& m_atomics;             ///< Does atomics.
    const CommandSteps& m_steps;       ///< Are told.
    AddressTranslation m_translation;  ///< Of what is written.
    TimePs m_insideAt{0};              ///< When the last packet was through, ps.
    TimePs m_repliedAt{0};             ///< As above, of replies.
    PcieStream m_writes;               ///< Of data and its events.
    PcieStream m_events;               ///< Of acknowledgements, and of data of gets.
    TimedRing<Arrival> m_arriving;     ///< By time.
    TimedRing<Inside> m_inside;        ///< By time.
    std::pmr::unsynchronized_pool_resource m_pool; ///< So that parts allocate nothing in the end.
    std::pmr::unordered_map<uint64_t, Part> m_got{&m_pool}; ///< By CommandKey().
    CommandArrivalCounts m_counts;                          ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_RECEIVER_H
