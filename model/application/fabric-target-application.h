/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TARGET_APPLICATION_H
#define FABRIC_TARGET_APPLICATION_H

#include "fabric-transport.h"

#include "ns3/application.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * The target's side of the reliable transport (RT-2): receive buffers for sends. Each is given back
 * some time after a send has filled it. Writes and reads need no application.
 */
class FabricTargetApplication : public Application
{
  public:
    static TypeId GetTypeId();
    FabricTargetApplication();
    ~FabricTargetApplication() override;

    /// @return connections that peers have opened
    uint64_t GetAccepted() const;
    /// @return operations that were presented, see FabricTransport::ReportsOneSided
    uint64_t GetPresented() const;
    /// @return bytes of the sends among them
    uint64_t GetReceivedBytes() const;

    /**
     * TracedCallback signature.
     *
     * @param [in] event what happened
     */
    typedef void (*EventTracedCallback)(const fabric::RdmaEvent& event);

  private:
    void StartApplication() override;
    void StopApplication() override;
    void DoDispose() override;

    /// Is told what happens.
    void Handle(const fabric::RdmaEvent& event);
    /// A receive buffer was emptied.
    void GiveBack();

    Ptr<FabricTransport> m_transport; ///< `Transport`
    uint64_t m_receives;              ///< `Receives`
    Time m_processingTime;            ///< `ProcessingTime`
    uint64_t m_accepted{0};           ///< So far.
    uint64_t m_presented{0};          ///< So far.
    uint64_t m_receivedBytes{0};      ///< So far.
    bool m_isActive{false};           ///< Between start and stop.

    TracedCallback<const fabric::RdmaEvent&> m_presentedTrace;  ///< Operations.
    TracedCallback<const fabric::RdmaEvent&> m_connectionTrace; ///< Connections.
    TracedCallback<const fabric::RdmaEvent&> m_errorTrace;      ///< Failures.
};

} // namespace ns3

#endif // FABRIC_TARGET_APPLICATION_H
