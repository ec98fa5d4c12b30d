/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_H
#define FABRIC_PIO_H

#include "fabric-message-table.h"
#include "fabric-own-queues.h"
#include "fabric-pcie-settings.h"
#include "fabric-pio-engine.h"

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>

namespace ns3
{

class FabricNetDevice;
class FabricNetwork;

/**
 * Sends by programmed I/O (PC-1 to PC-10) of a node, through the NIC of its FabricNetDevice:
 * threads of the node store packets into send contexts of the adaptor, over PCIe, and wait for
 * credits. It all runs in the NIC's clock, and there is no ns-3 event for a block, a packet or a
 * credit (DP-4).
 *
 * What is sent are native messages, in packets of PacketBytes; receivers need nothing but their
 * device.
 */
class FabricPio : public Object, private fabric::PioWatcher
{
  public:
    static TypeId GetTypeId();
    FabricPio();
    ~FabricPio() override;

    /**
     * Puts it into the first FabricNetDevice of a node. Its settings are fixed from now on.
     *
     * @param node of the host; its device has a link
     * @throws std::invalid_argument if a setting is out of its range, there is no such device, or
     * its NIC has a FabricPio, or has sent by another engine
     */
    void Install(Ptr<Node> node);

    /**
     * Puts it into a device, and aggregates it to the node of that; to the device if the node has
     * one in another device.
     *
     * @param device of a host, with a link
     * @throws std::invalid_argument as Install() of a node
     */
    void Install(Ptr<FabricNetDevice> device);

    /// @return the device in whose NIC it is, null before Install()
    Ptr<FabricNetDevice> GetDevice() const;

    /// When a thread sends a message.
    enum When
    {
        NOW,     ///< At the present time, or as soon after it as the thread can.
        IN_TURN, ///< When the thread has written those before; the message counts as sent then.
    };

    /**
     * Sends a message.
     *
     * @param thread of the node, 0 to Threads - 1; it writes its messages one after the other
     * @param flow to another endpoint
     * @param bytes size of the message, any
     * @param tag is given to the receiver
     * @return its number among the messages of the thread, from 1, see GetWritten()
     * @throws std::invalid_argument if there is no such thread, destination or class
     */
    uint64_t Send(uint32_t thread,
                  const fabric::MessageFlow& flow,
                  uint64_t bytes,
                  uint64_t tag = 0,
                  When when = NOW);

    /**
     * Changes the threshold of the context of a thread, which costs a store over PCIe. The adaptor
     * returns at once what there is, so that nobody waits for the old one.
     *
     * @param thread number of the thread
     * @param blocks unreturned blocks that cause a return; 0 for every change
     * @throws std::invalid_argument if there is no such thread, or the context has not so many
     * blocks
     */
    void SetThreshold(uint32_t thread, uint32_t blocks);

    /**
     * @param thread number of the thread
     * @return messages that it has not written by now
     * @throws std::invalid_argument if there is no such thread
     */
    uint32_t GetQueued(uint32_t thread);

    /**
     * @param thread number of the thread
     * @return messages that it has written by now: those up to this number, since it writes them
     * one after the other
     * @throws std::invalid_argument if there is no such thread
     */
    uint64_t GetWritten(uint32_t thread);

    /// @return settings of PIO, after Install()
    const fabric::PioSettings& GetSettings() const
    {
        return m_settings;
    }

    /// @return settings of PCIe
    const fabric::PcieSettings& GetPcieSettings() const
    {
        return m_pcie;
    }

    /// @return both sides, with their counters, as they are at the present time; after Install()
    fabric::PioEngine& GetEngine();

    /// @return messages that have arrived at the node
    uint64_t GetReceived() const
    {
        return m_received;
    }

    /**
     * TracedCallback signature for returns of credits.
     *
     * @param [in] context number of it
     * @param [in] value blocks returned: the absolute counter, or what the scheme says
     * @param [in] reasons why, see fabric::CreditReason
     * @param [in] time when they are in host memory
     */
    typedef void (*CreditTracedCallback)(uint32_t context,
                                         uint32_t value,
                                         uint32_t reasons,
                                         Time time);

    /**
     * TracedCallback signature for stalls.
     *
     * @param [in] thread that has waited for credits
     * @param [in] begin since then
     * @param [in] end until then
     */
    typedef void (*StallTracedCallback)(uint32_t thread, Time begin, Time end);

    /**
     * TracedCallback signature for messages that have arrived.
     *
     * @param [in] message the message
     */
    typedef void (*MessageTracedCallback)(const fabric::Message& message);

  private:
    void DoInitialize() override;
    void DoDispose() override;

    // What happens in the NIC's clock.
    void MessageBegins(uint32_t message, fabric::TimePs now) override;
    void StallEnds(uint32_t thread, fabric::TimePs since, fabric::TimePs now) override;
    void CreditsReturn(uint32_t context, const fabric::CreditUpdate& update) override;

    /// @return the type with attributes of contexts and policies
    static TypeId AddPioAttributes(TypeId tid);
    /// @return the type with attributes of software's times
    static TypeId AddTimeAttributes(TypeId tid);
    /// @throws std::invalid_argument with a sentence before Install()
    void RequireInstalled() const;
    /// @throws std::invalid_argument with a sentence before Install(), or if there is no such
    /// thread
    void RequireThread(uint32_t thread) const;
    /// @param blocks of a context @return its threshold, as `Threshold` says
    uint32_t ReadThreshold(uint32_t blocks) const;
    /// As Install(). @param device in whose NIC it will be; null if the node has none
    void InstallIn(Ptr<Node> node, Ptr<FabricNetDevice> device);
    /// @return the settings with those of each context @throws std::invalid_argument with a
    /// sentence
    fabric::PioSettings ReadSettings() const;
    /// Refuses attributes that would have no effect beside the others.
    void RequireEffects() const;
    /// A message has arrived.
    void Receive(const fabric::Message& message);
    /// @return the sentence as an exception, with who complains
    std::invalid_argument Complaint(const std::string& sentence) const;
    /// Users' callbacks are for the main thread. @throws std::invalid_argument with other threads
    void RequireOneThread() const;

    fabric::PioSettings m_settings;              ///< Of PIO.
    fabric::PcieSettings m_pcie;                 ///< Of the PCIe link.
    std::string m_threshold;                     ///< `Threshold`
    std::string m_contextBlocks;                 ///< `ContextBlocks`
    Ptr<Node> m_node;                            ///< Where it is.
    Ptr<FabricNetDevice> m_device;               ///< Has the NIC.
    FabricNetwork* m_network{nullptr};           ///< Of the device.
    std::unique_ptr<fabric::PioEngine> m_engine; ///< Both sides.
    fabric::OwnQueues m_queues;                  ///< Of the NIC, for the flows of the threads.
    uint64_t m_received{0};                      ///< Messages.

    TracedCallback<uint32_t, uint32_t, uint32_t, Time> m_creditTrace; ///< Returns of credits.
    TracedCallback<uint32_t, Time, Time> m_stallTrace;                ///< Stalls.
    TracedCallback<const fabric::Message&> m_receivedTrace;           ///< Messages.
};

} // namespace ns3

#endif // FABRIC_PIO_H
