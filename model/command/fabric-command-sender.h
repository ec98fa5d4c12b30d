/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_SENDER_H
#define FABRIC_COMMAND_SENDER_H

#include "fabric-address-translation.h"
#include "fabric-chopping-units.h"
#include "fabric-command-arguments.h"
#include "fabric-command-packet.h"
#include "fabric-command-settings.h"
#include "fabric-command-steps.h"
#include "fabric-connection-tracker.h"
#include "fabric-departing-packet.h"
#include "fabric-flow-queue-table.h"
#include "fabric-handle-table.h"
#include "fabric-nic-engine.h"
#include "fabric-outbound-shaper.h"
#include "fabric-pcie-link.h"
#include "fabric-ring.h"
#include "fabric-target-memory.h"
#include "fabric-timed-ring.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

inline constexpr uint32_t NO_CONNECTION_YET = 0xFFFFFFFF; ///< Of what has not begun.

/// A command whose data is not acknowledged.
struct OutstandingCommand
{
    uint32_t queue{0};                      ///< Where it comes from.
    TimePs postedAt{0};                     ///< When the application asked for it, ps.
    uint64_t bytes{0};                      ///< Of data.
    uint64_t got{0};                        ///< GET: of these, have come.
    uint16_t counter{0};                    ///< Is advanced when it is complete.
    uint16_t turn{0};                       ///< Tells it apart from others of its id.
    bool isOpen{false};                     ///< Whether it is one.
    bool isPacket{false};                   ///< Carries a packet of the network stack.
    uint32_t connection{NO_CONNECTION_YET}; ///< On which it has begun.
};

/**
 * The way out of the NIC (NQ-9, NQ-10): flow queues, whose commands units cut into packets; the
 * data of those that do not carry it is read over PCIe, some packets ahead of the wire, at
 * addresses that are translated. What other NICs ask for goes the same way, from a queue for each
 * flow; acknowledgements go past them. The shaper says when a packet with data may go. Where
 * packets are tracked, they then wait for room in their retry buffer (NQ-11).
 */
class CommandSender : private TrackedSender
{
  public:
    /// @param settings that are valid; stay where they are
    CommandSender(const CommandSettings& settings,
                  PcieLink& pcie,
                  CommandNetwork& network,
                  const TargetMemory& memory,
                  const CommandSteps& steps);

    /**
     * @param queue where a command comes from
     * @param arguments of it; null for none
     * @return whether there is room for it; it is then in a flow queue
     */
    bool Enter(uint32_t queue,
               const Command& command,
               const CommandArguments* arguments,
               TimePs now);

    /// A packet without data goes out at once. @param flow to the other NIC
    void Send(const MessageFlow& flow, const CommandPacket& packet, TimePs at);

    /// Data goes out that another NIC has asked for. @param flow to it @param request what it wants
    void Respond(const MessageFlow& flow, const CommandPacket& request, TimePs now);

    /// @param id of a command whose data is not acknowledged
    OutstandingCommand& Under(uint32_t id)
    {
        return m_outstanding.At(id);
    }

    /// @return whether the command that an answer names is one of which data is not acknowledged
    bool IsUnder(uint32_t id, uint16_t turn) const
    {
        return !m_outstanding.IsUnused() && id <= m_mostId && m_outstanding.At(id).isOpen &&
               m_outstanding.At(id).turn == turn;
    }

    /// @param id of a command that is acknowledged @return the command, which is forgotten
    OutstandingCommand Complete(uint32_t id);

    /// @return a connection that has failed, with what was under way on it, once
    std::optional<uint32_t> TakeFailed();

    /// @param connection that has failed @return commands that had begun on it, which are forgotten
    std::vector<OutstandingCommand> TakeCommands(uint32_t connection);

    /// @return who keeps track of packets
    ConnectionTracker& Tracker()
    {
        return m_tracker;
    }

    /// @copydoc Tracker()
    const ConnectionTracker& Tracker() const
    {
        return m_tracker;
    }

    /// @return when a packet is ready, NEVER for none, ps
    TimePs NextTime() const
    {
        return std::min({m_ready.Earliest(), m_shaped.Earliest(), m_tracker.NextTime()});
    }

    /// @param now NextTime(): packets are ready, ps
    void Handle(TimePs now);

    /// @return whether commands have left their flow queues other than by PacketGoes(), once
    bool TakeHasLeft()
    {
        return std::exchange(m_hasLeft, false);
    }

    /// @return whether a packet is ready that the NIC has not taken
    bool HasPacket() const
    {
        return !m_offers.IsEmpty();
    }

    /// @return the next one of them, if there is one
    std::optional<EnginePacket> NextPacket();

    /// The first packet of a NIC's queue goes. @return whether a command has left its flow queue
    /// @param end when its last byte is on the link, ps
    bool PacketGoes(uint32_t queue, TimePs now, TimePs end);

    /// @return commands whose data is not acknowledged
    std::size_t Outstanding() const
    {
        return m_outstanding.UnderWay();
    }

    /// @return where addresses of what goes out are translated
    const AddressTranslation& Translation() const
    {
        return m_translation;
    }

  private:
    /// A command in a flow queue, of which something is not cut.
    struct Waiting
    {
        CommandPacket packet; ///< What all its packets say.
        bool isInline;        ///< Whether its data is here.
        uint64_t left;        ///< Bytes of data that are not cut.
    };

    /// A flow queue.
    struct FlowQueue
    {
        Ring<Waiting> commands;                ///< Not cut.
        uint32_t nicQueue{0};                  ///< Number of the NIC's queue.
        uint8_t trafficClass{0};               ///< Of its packets.
        bool isWaiting{false};                 ///< For a chopping unit.
        uint32_t unit{ChoppingUnits::NO_UNIT}; ///< Has the first command.
        uint32_t ahead{0};                     ///< Packets that have not gone.
        TimePs cutAt{0};                       ///< When the last of them is cut, ps.
        TimePs lastReady{0}; ///< When the last of them is ready: they keep their order, ps.
    };

    /// A packet in a queue of the NIC.
    struct Queued
    {
        uint32_t flowQueue; ///< Where it comes from.
        bool isLast;        ///< Of its command.
        PacketTrack track;  ///< Of the packet.
        uint32_t handle;    ///< Of the packet.
    };

    // What tracking wants.
    void Offer(const DepartingPacket& packet) override;
    void SendAgain(const DepartingPacket& packet, TimePs now) override;
    void Discard(const DepartingPacket& packet, TimePs now) override;
    void Fail(uint32_t connection) override;

    /// A packet is ready, and may enter the network.
    void Enter(const DepartingPacket& packet, TimePs now);
    /// @return whether a packet is of a command that has failed; its command has begun otherwise
    bool IsAbandoned(const DepartingPacket& packet);
    /// A packet is no longer ahead of the wire. @return whether a command has left its flow queue
    bool Leave(uint32_t flowQueue, bool isLast, TimePs now);
    /// @return what goes out for a command
    Waiting Prepare(uint32_t queue, const Command& command, const CommandArguments* arguments);
    /// @return bytes that are read over PCIe for the next packet @param cut bytes of its data
    uint32_t Fetches(Waiting& command, uint32_t cut) const;
    /// Cuts packets, as many as may be read ahead, if there is a unit; so do those who waited.
    void Cut(uint32_t flowQueue, TimePs now);

    /// @return whether a flow queue has something to cut, and room ahead
    bool MayCut(const FlowQueue& flow) const
    {
        return !flow.commands.IsEmpty() && flow.ahead < m_settings.readAhead;
    }

    /// @return whether the first command of a flow queue has a unit; if not, the queue waits
    bool HasUnit(uint32_t flowQueue);
    /// Cuts packets of the first command. @return whether all of it is cut
    bool CutFirst(uint32_t flowQueue, TimePs now);
    /// Cuts commands of a queue. @return whose turn it is with its unit, if one has waited for that
    std::optional<uint32_t> CutCommands(uint32_t flowQueue, TimePs now);

    /// When a packet has passed the stages before it is ready.
    struct Passage
    {
        TimePs cut;       ///< It is cut, ps.
        TimePs read;      ///< Its data is there, ps.
        TimePs ready;     ///< It is ready, ps.
        uint32_t fetched; ///< Bytes that are read over PCIe for it.
    };

    /// @return the way of the next packet of a command @param cut bytes of its data
    Passage Pass(FlowQueue& flow, bool isReply, uint32_t cut, TimePs now);
    /// Tells of the way of a packet.
    void Tell(const FlowQueue& flow, const CommandPacket& packet, const Passage& passage) const;
    /// Tells that a packet goes. @param end when its last byte is on the link, ps
    void TellGone(const CommandPacket& packet, LocationId peer, TimePs now, TimePs end) const;

    const CommandSettings& m_settings; ///< The settings.
    PcieLink& m_pcie;                  ///< To the host.
    const TargetMemory& m_memory;      ///< Has operands of atomics.
    CommandNetwork& m_network;         ///< Carries packets.
    const CommandSteps& m_steps;       ///< Are told.
    FlowQueueTable m_table;            ///< Whose each flow queue is.
    ChoppingUnits m_units;             ///< Cut messages.
    AddressTranslation m_translation;  ///< Of what is read.
    OutboundShaper m_shaper;           ///< Of packets with data.
    std::vector<FlowQueue> m_flows;    ///< By number; behind them those of replies, by NIC's queue.
    HandleTable<OutstandingCommand, HANDLES_OF_HOST> m_outstanding; ///< By id.
    uint32_t m_mostId{0};                                           ///< Of all so far.
    uint16_t m_turn{0};                                             ///< Of the last command.
    ConnectionTracker m_tracker;                                    ///< Keeps track of packets.
    TimedRing<DepartingPacket> m_ready;                             ///< By time.
    TimedRing<DepartingPacket> m_shaped;                            ///< Ready, held by the shaper.
    Ring<DepartingPacket> m_offers;       ///< Ready, and not taken by the NIC.
    std::vector<Ring<Queued>> m_inQueues; ///< By the NIC's queue.
    TimePs m_againAt{0};                  ///< When what is sent again is ready, ps.
    Ring<uint32_t> m_failed;              ///< See TakeFailed().
    bool m_hasLeft{false};                ///< See TakeHasLeft().
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_SENDER_H
