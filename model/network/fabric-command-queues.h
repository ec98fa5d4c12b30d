/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_QUEUES_H
#define FABRIC_COMMAND_QUEUES_H

#include "fabric-agenda.h"
#include "fabric-command-engine.h"
#include "fabric-counted-trace.h"
#include "fabric-own-queues.h"
#include "fabric-packet-carrier.h"
#include "fabric-repeating-event.h"
#include "fabric-timed-ring.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class FabricNetDevice;
class FabricNetwork;

/**
 * The command queues of a node's NIC (NQ-2 to NQ-9): drivers on the cores of the node write
 * commands into rings in host memory or into the low-latency buffers of the NIC, and the NIC
 * fetches and sends them, writes what comes into host memory, and acknowledges it. It all runs in
 * the NIC's clock, and there is no ns-3 event for a command, a packet or a read over PCIe (DP-4).
 *
 * Both ends need one. Packets have the format of the reliable transport. With `RetryTimeout` the
 * NIC keeps track of them and sends again what is lost (NQ-11); without, a command of which a
 * packet is lost is never acknowledged.
 */
class FabricCommandQueues : public Object,
                            private fabric::CommandNetwork,
                            private fabric::CommandListener,
                            private fabric::CommandStepListener,
                            private fabric::PacketCarrier,
                            private fabric::Alarm
{
  public:
    static TypeId GetTypeId();
    FabricCommandQueues();
    ~FabricCommandQueues() override;

    /// What software of the node learns: of an own command, or of a send of another node.
    using ReportCallback = Callback<void, const fabric::CommandReport&>;

    /**
     * Puts them into the first FabricNetDevice of a node. Their settings are fixed from now on.
     *
     * @param node of the host; its device has a link
     * @throws std::invalid_argument if a setting is out of its range, there is no such device, or
     * its NIC has an engine already
     */
    void Install(Ptr<Node> node);

    /**
     * Puts them into a device, and aggregates them to the node of that; to the device if the node
     * has some in another device.
     *
     * @param device of a host, with a link
     * @throws std::invalid_argument as Install() of a node
     */
    void Install(Ptr<FabricNetDevice> device);

    /// @return the device in whose NIC they are, null before Install()
    Ptr<FabricNetDevice> GetDevice() const;

    /**
     * An application asks for commands, after those that it has asked for.
     *
     * @param queue number of the one that takes them: 0 to Queues - 1 for what goes to other hosts,
     * then those for targets
     * @param stream what it asks for; it begins at the present time if `start` is over
     * @throws std::invalid_argument if there is no such queue or destination, the queue has halted,
     * or the stream can't be
     */
    void Post(uint32_t queue, fabric::CommandStream stream);

    /**
     * Another policy of the driver for a queue (NQ-8), from now on.
     *
     * @throws std::invalid_argument if there is no such queue
     */
    void SetPolicy(uint32_t queue, std::unique_ptr<fabric::CommandPolicy> policy);

    /**
     * Another policy of read pointers for a queue (NQ-4), from now on, in place of
     * `WriteBackEvery`, `WriteBackOnEmpty` and `WriteBackInterval`. A read pointer that has not
     * been told is written at once.
     *
     * @throws std::invalid_argument if there is no such queue, or a driver might wait for ever
     */
    void SetWriteBack(uint32_t queue, const fabric::WriteBackSettings& writeBack);

    /// @param callback is called at the time at which software of the node learns something. With
    /// it each report costs an event of ns-3; without it none does.
    void SetReportCallback(ReportCallback callback);

    /// @return the settings, after Install()
    const fabric::CommandSettings& GetSettings() const
    {
        return m_settings;
    }

    /// @return both sides, with their counters, as they are at the present time
    /// @throws std::invalid_argument unless it is after Install() and before Simulator::Destroy()
    fabric::CommandEngine& GetEngine();

    /// @return times from a request to what software sees, ps: of own commands when they are
    /// acknowledged, in the order of that. It is known ahead when software will see something, so
    /// in a run that is stopped some may end later; see GetLatencies(Time).
    const std::vector<fabric::TimePs>& GetLatencies() const
    {
        return m_latencies[0];
    }

    /// @param end of a run @return those of GetLatencies() of which software has seen the end by
    /// then, in the same order, ps
    std::vector<fabric::TimePs> GetLatencies(Time end) const
    {
        return SeenUntil(0, end);
    }

    /// @return when software saw the last of these acknowledged, ps; 0 for none
    fabric::TimePs GetLastCompletion() const
    {
        return m_lastCompletion;
    }

    /// @return times as GetLatencies(), of sends of other nodes, when software here learns of them
    const std::vector<fabric::TimePs>& GetSendLatencies() const
    {
        return m_latencies[1];
    }

    /// @param end as that of GetLatencies(Time) @return those of GetSendLatencies(), ps
    std::vector<fabric::TimePs> GetSendLatencies(Time end) const
    {
        return SeenUntil(1, end);
    }

    /**
     * TracedCallback signature for packets that are sent again.
     *
     * @param [in] location of the other host
     * @param [in] bytes of data in the packet
     * @param [in] time when
     */
    typedef void (*ResendTracedCallback)(uint32_t location, uint32_t bytes, Time time);

    /**
     * TracedCallback signature for stages that commands and their packets pass.
     *
     * @param [in] step what has passed which stage, and when
     */
    typedef void (*StageTracedCallback)(const fabric::CommandStep& step);

  private:
    void DoInitialize() override;
    void DoDispose() override;

    // What carries packets.
    uint32_t QueueOf(const fabric::MessageFlow& flow) override;
    uint32_t MostBytes() const override;
    uint32_t FrameBytes(const fabric::CommandPacket& packet) const override;
    uint32_t Put(const fabric::CommandPacket& packet) override;
    fabric::CommandPacket At(uint32_t handle) override;
    fabric::LocationId DestinationOf(uint32_t queue) const override;
    void Resent(uint32_t queue, const fabric::CommandPacket& packet, fabric::TimePs now) override;
    fabric::CommandPacket Take(fabric::LocationId source, uint32_t handle) override;

    void Learn(const fabric::CommandReport& report) override;
    void Passed(const fabric::CommandStep& step) override;
    void WakeBy(fabric::TimePs time) override;

    // What carries packets of the node's network stack.
    bool Reaches(fabric::LocationId destination) override;
    uint64_t Backlog() const override;
    void Carry(const fabric::FlowKey& flow, uint32_t bytes, uint32_t handle) override;

    /// As Post(), of what is known to be right.
    void Ask(uint32_t queue, fabric::CommandStream stream);
    /// Software learns of a packet of the network stack.
    void LearnOfPacket(const fabric::CommandReport& report);
    /// It is told at its time. @param report what
    void TellLater(const fabric::CommandReport& report);
    /// Notes a latency. @param kind 0 of an own command, 1 of another node's send
    void AddLatency(uint32_t kind, const fabric::CommandReport& report);
    /// @param kind as in AddLatency() @return latencies that end by then, ps
    std::vector<fabric::TimePs> SeenUntil(uint32_t kind, Time end) const;
    /// @param what needs reports @throws std::invalid_argument with a sentence if it can't have any
    void RequireReports(const std::string& what) const;

    /// @return the type with attributes of rings and policies
    static TypeId AddQueueAttributes(TypeId tid);
    /// @return the type with attributes of reads, flow queues and read pointers
    static TypeId AddFetchAttributes(TypeId tid);
    /// @return the type with attributes of the outbound engine
    static TypeId AddOutboundAttributes(TypeId tid);
    /// @return the type with attributes of lists, messages and events
    static TypeId AddMatchingAttributes(TypeId tid);
    /// @return the type with attributes of atomics and counting events
    static TypeId AddAtomicAttributes(TypeId tid);
    /// @return the type with attributes of packet and connection tracking
    static TypeId AddTrackingAttributes(TypeId tid);
    /// @return the type with attributes of the NIC's stages
    static TypeId AddStageAttributes(TypeId tid);
    /// @return the type with attributes of the driver
    static TypeId AddDriverAttributes(TypeId tid);
    /// As Install(). @param device in whose NIC they will be; null if the node has none
    void InstallIn(Ptr<FabricNetDevice> device);
    void MakeEngine(); ///< Part of InstallIn().
    /// Part of InstallIn(). @throws std::invalid_argument if packets can't be carried
    void RequirePacketQueue() const;
    void ConnectEngine(); ///< Part of InstallIn(): from then on the NIC asks it.
    /// Refuses a device that can't have command queues.
    void RequireDevice() const;
    /// Reads `ClassWeights` and `QueueClasses`.
    void ReadClasses();
    /// Reads `PutRate`, `GetRate` and `ShaperRates`.
    void ReadRates();
    /// Refuses attributes that would have no effect beside the others.
    void RequireEffects() const;
    /// The same, of the driver's choice of a path.
    void RequireEffectsOfPolicy() const;
    /// The same, of packets that are sent again.
    void RequireEffectsOfTracking() const;
    /// @throws std::invalid_argument with a sentence if there are more threads than may be traced
    void RequireOneThread(const char* trace) const;
    /// @throws std::invalid_argument with a sentence unless they are in a device
    void RequireInstalled() const;
    /// @throws std::invalid_argument with a sentence if there is no such queue
    void RequireQueue(uint32_t queue) const;
    /// @throws std::invalid_argument with a sentence if it can't be
    void RequireStream(uint32_t queue, const fabric::CommandStream& stream);
    /// @throws std::invalid_argument with a sentence if they can't be
    void RequireArguments(const fabric::CommandStream& stream);
    /// @throws std::invalid_argument with a sentence if it can't be
    void RequireFlow(const fabric::MessageFlow& flow);
    /// @return whether the endpoint has command queues
    bool HasQueues(fabric::LocationId location) const;
    /// Calls the application.
    void Tell();
    /// @return the sentence as an exception, with who complains
    std::invalid_argument Complaint(const std::string& sentence) const;

    fabric::CommandSettings m_settings;                  ///< Of the queues.
    fabric::PcieSettings m_pcie;                         ///< Of the PCIe link.
    bool m_carriesPackets;                               ///< `CarriesPackets`
    uint32_t m_packetQueue;                              ///< `PacketQueue`
    uint64_t m_packetBytes{0};                           ///< See Backlog().
    std::string m_classWeights;                          ///< `ClassWeights`
    std::string m_queueClasses;                          ///< `QueueClasses`
    std::string m_shaperRates;                           ///< `ShaperRates`
    DataRate m_putRate;                                  ///< `PutRate`
    DataRate m_getRate;                                  ///< `GetRate`
    Ptr<Node> m_node;                                    ///< Where it is.
    Ptr<FabricNetDevice> m_device;                       ///< Has the NIC.
    FabricNetwork* m_network{nullptr};                   ///< Of the device.
    std::unique_ptr<fabric::CommandEngine> m_engine;     ///< Both sides.
    fabric::OwnQueues m_nicQueues;                       ///< Of the NIC, for flows of commands.
    std::unique_ptr<fabric::RepeatingEvent> m_wakeEvent; ///< Runs the NIC for reports.
    bool m_needsAlarm{false};  ///< Whether windows are longer than what a report takes.
    ReportCallback m_callback; ///< Is told what software learns.
    fabric::TimedRing<fabric::CommandReport> m_reports; ///< Of which it is not told yet.
    /// See GetLatencies() and GetSendLatencies().
    std::array<std::vector<fabric::TimePs>, 2> m_latencies;
    std::array<std::vector<fabric::TimePs>, 2> m_seenAt;    ///< When these end, ps.
    fabric::TimePs m_lastCompletion{0};                     ///< See GetLastCompletion().
    TracedCallback<uint32_t, uint32_t, Time> m_resendTrace; ///< Packets that are sent again.
    fabric::TraceCount m_watchers;                          ///< Whether m_stageTrace has sinks.
    fabric::CountedTrace<const fabric::CommandStep&> m_stageTrace{m_watchers}; ///< Stages.
};

} // namespace ns3

#endif // FABRIC_COMMAND_QUEUES_H
