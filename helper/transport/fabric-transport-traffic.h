/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_TRAFFIC_H
#define FABRIC_TRANSPORT_TRAFFIC_H

#include "fabric-program-options.h"
#include "fabric-run-directory.h"
#include "fabric-target-network.h"
#include "fabric-transport-recorder.h"
#include "fabric-window-sampler.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * Every sender of a network has an initiator of the reliable transport that works with the target;
 * what they do is written down and counted.
 *
 * @code
 * SwitchedTargetNetwork network(fabric, 4);
 * FabricTransportHelper helper;
 * helper.SetInitiatorAttribute("Bytes", UintegerValue(1 << 20));
 * FabricTransportTraffic traffic(network);
 * traffic.Install(helper);
 * Simulator::Run();
 * traffic.CheckComplete();
 * network.AddCompletion(summary, traffic.GetCompletion());
 * traffic.AddFigures(summary);
 * @endcode
 */
class FabricTransportTraffic
{
  public:
    /// @param network senders and target; must stay
    explicit FabricTransportTraffic(const TargetNetwork& network);

    FabricTransportTraffic(const FabricTransportTraffic&) = delete;
    FabricTransportTraffic& operator=(const FabricTransportTraffic&) = delete;

    /**
     * What a target grants at a time fills its link for as long as with the transport's default at
     * 200 Gb/s, and for two round trips at least, where the command line does not say otherwise.
     *
     * @param options what the command line says
     * @param rate of the target's link
     * @param roundTrip between hosts on the longest way, in an empty network
     */
    static void SetGrantDefaults(const fabric::ProgramOptions& options,
                                 DataRate rate,
                                 Time roundTrip);

    /// The target asks each sender, and not they it; before Install().
    void LetTargetAsk();

    /// Looks at the connections' windows too; before Install(). @param period above 0
    void SampleWindows(Time period);

    /**
     * Installs transports and applications.
     *
     * @param helper makes them; the initiators' attribute Count must not be 0
     * @param tracesPackets whether every packet is written down
     */
    void Install(const FabricTransportHelper& helper, bool tracesPackets = false);

    /// @return the initiators, by number of the sender
    ApplicationContainer GetInitiators() const;

    /// @return part of the operations that are over, 0 to 1
    double GetDone() const;

    /// Adds what was done on other ranks; all call it once, when the simulation is over.
    void AddRanks();

    /**
     * To be called at the end.
     *
     * @throws fabric::InvariantError if operations are left that have neither failed nor will never
     * be posted, or what the initiators have complete is not what the targets have placed or
     * supplied
     */
    void CheckComplete() const;

    /// @return what was complete until the last operation was complete or failed
    TargetNetwork::Completion GetCompletion() const;

    /// @return payload of all operations that were posted, and the network's hops
    fabric::RunTotals GetTotals() const;

    /**
     * Adds latency and fct of complete operations, packets, resends and what they were for,
     * duplicates_discarded, cam_peak, granted_peak, what was refused, with DCQCN the CNPs, and how
     * many operations ended with each status; `not-posted` are those that a connection was not
     * there for any more.
     *
     * @param summary the figures
     */
    void AddFigures(fabric::Summary& summary) const;

    /// Writes messages.csv, windows.csv if windows were sampled, and packets.csv if packets were
    /// traced.
    void Write(fabric::RunDirectory& directory) const;

  private:
    /// @return the transports of all hosts, by number of the host
    std::vector<Ptr<FabricTransport>> GetTransports() const;
    /// Installs the initiator of a sender, or the target's that asks it.
    void InstallInitiator(uint32_t host, const FabricTransportHelper& helper);
    /// Something has happened to an initiator, which may be done by now. @param host its number
    void Look(uint32_t host);
    /// Looks what the target's link has carried when all were done.
    void CountBytes();
    /// @return operations that will never be posted
    uint64_t GetUnposted() const;

    /// An initiator.
    struct Initiator
    {
        Ptr<FabricInitiatorApplication> application; ///< It.
        bool isDone{false};                          ///< All its operations are over.
    };

    const TargetNetwork& m_network;                 ///< Senders and target.
    FabricTransportRecorder m_recorder;             ///< What they do.
    std::unique_ptr<FabricWindowSampler> m_windows; ///< Null if not asked for.
    std::vector<Initiator> m_initiators;            ///< By number of the host.
    uint32_t m_atWork{0};                           ///< Of these, those here that are not done.
    fabric::TimePs m_allDone{0};                    ///< When the last of these was, ps.
    bool m_tracesPackets{false};                    ///< Whether packets are written down.
    bool m_targetAsks{false};                       ///< Whether initiators are at the target.
    uint64_t m_operations{0};                       ///< Of all senders.
    uint64_t m_bytesToTarget{0};   ///< Until the last of them was over, if some pushed.
    uint64_t m_bytesFromTarget{0}; ///< As above, if some pulled.
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_TRAFFIC_H
