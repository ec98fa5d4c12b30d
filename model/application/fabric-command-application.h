/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_APPLICATION_H
#define FABRIC_COMMAND_APPLICATION_H

#include "fabric-command-queues.h"

#include "ns3/application.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * Issues writes, sends or reads from its node to another endpoint, by one command queue: all of
 * them when it starts, as a stream whose times are kept in the NIC's clock. Both nodes have
 * FabricCommandQueues.
 */
class FabricCommandApplication : public Application
{
  public:
    /// What its commands ask for.
    enum Operation
    {
        PUT,    ///< Data is written into the target's memory.
        SEND,   ///< And software there learns of it.
        TAGGED, ///< And the target's NIC matches it.
        GET,    ///< Data is read from the target's memory.
    };

    static TypeId GetTypeId();
    FabricCommandApplication();
    ~FabricCommandApplication() override;

#ifdef __clang__ // Older versions of ns-3 have no such function to override.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winconsistent-missing-override"
#endif
    /// @param stream number of its stream of random numbers @return how many it has: 1
    int64_t AssignStreams(int64_t stream);
#ifdef __clang__
#pragma clang diagnostic pop
#endif

  private:
    void StartApplication() override;
    void DoDispose() override;

    Ptr<FabricNetDevice> m_device;       ///< `Device`
    uint16_t m_remote;                   ///< `Remote`
    Operation m_operation;               ///< `Operation`
    uint64_t m_bytes;                    ///< `Bytes`
    uint64_t m_count;                    ///< `Count`
    Time m_interval;                     ///< `Interval`
    bool m_isPoisson;                    ///< `Poisson`
    uint32_t m_outstanding;              ///< `Outstanding`
    uint64_t m_matchBits;                ///< `MatchBits`
    uint32_t m_queue;                    ///< `Queue`
    uint8_t m_trafficClass;              ///< `TrafficClass`
    uint16_t m_vni;                      ///< `Vni`
    Ptr<UniformRandomVariable> m_random; ///< Seeds the times.
};

} // namespace ns3

#endif // FABRIC_COMMAND_APPLICATION_H
