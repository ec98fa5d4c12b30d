/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_ENGINE_H
#define FABRIC_COMMAND_ENGINE_H

#include "fabric-command-host.h"
#include "fabric-command-processor.h"
#include "fabric-command-receiver.h"
#include "fabric-command-sender.h"
#include "fabric-command-target.h"
#include "fabric-event-writer.h"
#include "fabric-nic-engine.h"
#include "fabric-pcie-link.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * Command queues in the clock of a NIC (DP-4): drivers on the cores of its host, the NIC's stages,
 * and what they share: the PCIe link, stores on their way, rings and statuses in host memory.
 *
 *     drivers --stores--> processor --commands--> sender --packets--> wire
 *        ^  ^                |                       ^
 *        |  +---- statuses <-+                       | acknowledgements
 *        +------- events <------ target <--------- receiver <--packets-- wire
 */
class CommandEngine : public NicEngine,
                      private CommandSink,
                      private CommandStatusWatcher,
                      private CommandListener
{
  public:
    /**
     * @param settings that are valid
     * @param pcie between host and NIC
     * @param network carries packets
     * @param listener is told what software learns, ahead of its time
     */
    CommandEngine(const CommandSettings& settings,
                  PcieLink& pcie,
                  CommandNetwork& network,
                  CommandListener& listener);

    CommandEngine(const CommandEngine&) = delete;
    CommandEngine& operator=(const CommandEngine&) = delete;

    const CommandSettings& Settings() const
    {
        return m_settings;
    }

    /// @param listener is told of steps while @param watchers is not 0; both stay where they are
    void Watch(CommandStepListener& listener, const uint32_t& watchers)
    {
        m_steps.Watch(listener, watchers);
    }

    /// @return software
    CommandHost& Host()
    {
        return m_host;
    }

    /// As CommandProcessor::SetWriteBack().
    void SetWriteBack(uint32_t queue, const WriteBackSettings& writeBack, TimePs now)
    {
        m_processor.SetWriteBack(queue, writeBack, now);
    }

    /// @return the NIC's queues
    const CommandProcessor& Processor() const
    {
        return m_processor;
    }

    /// @return the way out
    const CommandSender& Sender() const
    {
        return m_sender;
    }

    /// @return the way in
    const CommandReceiver& Receiver() const
    {
        return m_receiver;
    }

    /// @return messages with match bits
    const CommandTarget& Target() const
    {
        return m_target;
    }

    /// @return the event engine
    const EventWriter& Events() const
    {
        return m_events;
    }

    /// @return counting events
    const CounterTable& Counters() const
    {
        return m_counters;
    }

    /// @return commands whose arguments are kept: those in rings, and those that wait for a counter
    std::size_t KeptArguments() const
    {
        return m_arguments.UnderWay();
    }

    /// @return words that atomics may change
    TargetMemory& Memory()
    {
        return m_memory;
    }

    /// @return what does atomics
    const AtomicUnit& Atomics() const
    {
        return m_atomics;
    }

    /// @return between host and NIC
    const PcieLink& Pcie() const
    {
        return m_pcie;
    }

    TimePs NextTime() const override;
    void Handle(TimePs at) override;
    std::optional<EnginePacket> NextPacket(TimePs now) override;
    bool OffersAll() const override;
    bool HasPacket() const override;
    void PacketGoes(uint32_t queue, TimePs now, TimePs end) override;
    FrameKinds Takes() const override;
    void Arrive(const Frame& frame) override;
    TimePs NextReport(TimePs next) const override;
    TimePs ReportDelay() const override;

  private:
    bool TakeCommand(uint32_t queue, const Command& command, TimePs now) override;
    /// Tells that a command does not go to a flow queue, at least not yet.
    void TellParsed(uint32_t queue, const Command& command, TimePs now) const;
    /// Commands that were triggered go to the flow queues, as far as there is room.
    void Launch(TimePs now);
    /// @return whether a command is in a flow queue, and its arguments kept no longer
    bool Enter(uint32_t queue, const Command& command, TimePs now);
    void CommandFailed(uint32_t queue, const Command& command, TimePs now) override;
    void StatusOnWay(uint32_t queue, const CommandStatus& status) override;
    void Learn(const CommandReport& report) override;

    CommandSettings m_settings;             ///< The settings.
    PcieLink& m_pcie;                       ///< Between host and NIC.
    CommandListener& m_listener;            ///< Is told what software learns.
    CommandSteps m_steps;                   ///< Are told.
    CommandStores m_stores;                 ///< On their way to the NIC.
    std::vector<CommandRing> m_rings;       ///< In host memory, by queue.
    std::vector<CommandStatusLine> m_lines; ///< In host memory, by queue.
    CommandArgumentTable m_arguments;       ///< Of commands in rings.
    PcieStream m_failures;                  ///< Events of queues that halt.
    TargetMemory m_memory;                  ///< Words that atomics may change.
    AtomicUnit m_atomics;                   ///< Changes them.
    CounterTable m_counters;                ///< Counting events.
    Ring<TriggeredCommand> m_triggered;     ///< Ready for a flow queue.
    CommandSender m_sender;                 ///< The way out.
    EventWriter m_events;                   ///< To software.
    CommandTarget m_target;                 ///< Messages with match bits.
    CommandReceiver m_receiver;             ///< The way in.
    CommandProcessor m_processor;           ///< The NIC's queues.
    CommandHost m_host;                     ///< Software.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_ENGINE_H
