/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_ADAPTOR_H
#define FABRIC_PIO_ADAPTOR_H

#include "fabric-credit-lines.h"
#include "fabric-nic-engine.h"
#include "fabric-pcie-link.h"
#include "fabric-pio-counts.h"
#include "fabric-pio-registers.h"
#include "fabric-ring.h"
#include "fabric-sdma-engine.h"
#include "fabric-send-context.h"
#include "fabric-timed-ring.h"

#include <optional>
#include <vector>

namespace ns3::fabric
{

/// Is told of what is on its way to host memory.
class CreditWatcher
{
  public:
    virtual ~CreditWatcher() = default;

    /// @param context number of it @param update that the adaptor writes, and that is not lost
    virtual void CreditsOnWay(uint32_t context, const CreditUpdate& update) = 0;

    /// @param engine of SDMA; its ring has a new head @param at when that is in host memory, ps
    virtual void HeadOnWay(uint32_t engine, TimePs at) = 0;
};

/**
 * The adaptor's side of PIO (PC-1 to PC-6, PC-9): send contexts and SDMA engines. It takes what
 * processors store, offers complete packets to the NIC, which arbitrates between their lanes, and
 * writes credits into host memory. It knows nothing of software but these stores.
 */
class PioAdaptor
{
  public:
    /**
     * @param settings that are valid
     * @param stores that come from the processors
     * @param lines words in host memory, by context
     * @param rings of SDMA descriptors in host memory, by engine
     */
    PioAdaptor(const PioSettings& settings,
               PcieLink& pcie,
               PioStores& stores,
               CreditLines& lines,
               std::vector<SdmaRing>& rings);

    /// @param watcher runs what waits for credits; null for nobody
    void SetWatcher(CreditWatcher* watcher)
    {
        m_watcher = watcher;
    }

    /// @return when it has something to do, NEVER for nothing, ps
    TimePs NextTime() const;

    /// @param now NextTime(): does what is due, ps
    void Handle(TimePs now);

    /// @return whether a packet is complete that the NIC has not taken
    bool HasPacket() const
    {
        return !m_complete.IsEmpty();
    }

    /// @return the next one of them, if there is one
    std::optional<EnginePacket> NextPacket();

    /// @copydoc NicEngine::PacketGoes()
    void PacketGoes(uint32_t queue, TimePs now, TimePs end);

    const PioAdaptorCounts& Counts() const
    {
        return m_counts;
    }

    /// @param context number of one @return it
    SendContext& Context(uint32_t context)
    {
        return m_contexts[context];
    }

  private:
    /// A packet that is complete, or its blocks.
    struct Packet
    {
        uint32_t unit; ///< Number of the context, or of the SDMA engine.
        uint32_t slot; ///< Its first one; or the number of the descriptor.
        bool isSdma;   ///< It goes by SDMA.
    };

    /// A packet that is offered.
    struct Offer
    {
        Packet packet;    ///< Which one.
        ControlWord word; ///< What software says of it.
    };

    /// Something that is due later.
    struct Due
    {
        TimePs at;     ///< When, ps.
        Packet packet; ///< Whose blocks are free then; or of a context only.
    };

    /// Takes stores of the processors.
    void Take(const PioStore& store, TimePs now);
    /// SDMA engines do what is due.
    void RunSdma(TimePs now);
    /// An SDMA engine takes what has come.
    void TakeSdma(uint32_t engine, TimePs now);
    /// SDMA engines read data, in turn.
    void ReadSdma(TimePs now);
    /// @return the next SDMA engine in turn that can read, or their number if none can
    std::size_t NextReader() const;
    /// A packet has gone by SDMA.
    void SdmaGoes(const Packet& packet, TimePs now);
    /// The blocks of a packet are free.
    void Free(const Packet& packet, TimePs now);
    /// Writes what a context wants to return.
    void Return(uint32_t context, TimePs now);

    uint32_t m_loseEvery;                 ///< See PioSettings.
    TimePs m_returnDelay;                 ///< See PioSettings.
    bool m_isEarly;                       ///< See SendContextSettings.
    PcieLink& m_pcie;                     ///< To the host.
    PioStores& m_stores;                  ///< From the processors.
    CreditLines& m_lines;                 ///< In host memory.
    std::vector<SdmaRing>& m_rings;       ///< In host memory.
    CreditWatcher* m_watcher{nullptr};    ///< Null for nobody.
    PcieStream m_returns;                 ///< Writes of credits.
    std::vector<SendContext> m_contexts;  ///< By number.
    std::vector<uint8_t> m_interrupts;    ///< Whether they are on, by context.
    std::vector<SdmaEngine> m_engines;    ///< By number.
    uint32_t m_readsLeft;                 ///< That all of them may begin now.
    std::size_t m_readTurn{0};            ///< SDMA engine whose turn it is.
    Ring<Offer> m_complete;               ///< That the NIC has not taken.
    std::vector<Ring<Packet>> m_inQueues; ///< That wait in queues of the NIC, by number.
    TimedRing<Due> m_frees;               ///< Packets that are leaving.
    TimedRing<Due> m_timers;              ///< Contexts that may have to return credits by then.
    PioAdaptorCounts m_counts;            ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_ADAPTOR_H
