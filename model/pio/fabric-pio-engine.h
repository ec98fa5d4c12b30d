/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_ENGINE_H
#define FABRIC_PIO_ENGINE_H

#include "fabric-credit-line.h"
#include "fabric-nic-engine.h"
#include "fabric-pcie-link.h"
#include "fabric-pio-adaptor.h"
#include "fabric-pio-host.h"
#include "fabric-pio-registers.h"

#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * PIO in the clock of a NIC (DP-4): the adaptor, the software of its host, and what they share: the
 * PCIe link, stores on their way, credit words and SDMA descriptors in host memory.
 *
 *     threads --stores--> send contexts --packets--> NIC, which arbitrates between lanes
 *        ^                     |
 *        +---- credit words <--+
 */
class PioEngine : public NicEngine, private CreditWatcher
{
  public:
    /**
     * @param settings that are valid
     * @param pcie between host and adaptor
     */
    PioEngine(const PioSettings& settings, PcieLink& pcie);

    PioEngine(const PioEngine&) = delete;
    PioEngine& operator=(const PioEngine&) = delete;

    const PioSettings& Settings() const
    {
        return m_settings;
    }

    /// @param watcher is told what happens; null for nobody
    void SetWatcher(PioWatcher* watcher)
    {
        m_watcher = watcher;
        m_host.SetWatcher(watcher);
    }

    /// @return the software
    PioHost& Host()
    {
        return m_host;
    }

    /// @return the adaptor
    PioAdaptor& Adaptor()
    {
        return m_adaptor;
    }

    /// @return between them
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
    void CreditsOnWay(uint32_t context, const CreditUpdate& update) override;
    void HeadOnWay(uint32_t engine, TimePs at) override;

    PioSettings m_settings;         ///< The settings.
    PcieLink& m_pcie;               ///< Between host and adaptor.
    PioStores m_stores;             ///< On their way to the adaptor.
    CreditLines m_lines;            ///< In host memory, by context.
    std::vector<SdmaRing> m_rings;  ///< In host memory, by SDMA engine.
    PioAdaptor m_adaptor;           ///< Its side.
    PioHost m_host;                 ///< Software's side.
    PioWatcher* m_watcher{nullptr}; ///< Null for nobody.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_ENGINE_H
