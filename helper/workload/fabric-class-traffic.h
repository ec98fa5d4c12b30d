/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CLASS_TRAFFIC_H
#define FABRIC_CLASS_TRAFFIC_H

#include "fabric-helper.h"
#include "fabric-message-recorder.h"
#include "fabric-message-table.h"
#include "fabric-summary.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Classes of traffic that share a link, each from a host of its own: messages of one frame, as a
 * Poisson process. A host of which WAITING messages are under way makes no more, as one whose
 * application is blocked.
 */
class FabricClassTraffic
{
  public:
    static constexpr uint32_t WAITING = 1000; ///< Messages of a class that are under way at most.

    /// The traffic of a class.
    struct Class
    {
        uint32_t host;            ///< That sends.
        fabric::MessageFlow flow; ///< Of its messages.
        double meanGap;           ///< Between messages, ps; 0 for none.
    };

    /**
     * @param fabric whose hosts send and receive; must outlive this
     * @param payload of each message, bytes
     * @param classes the tags of whose messages are their places here
     */
    FabricClassTraffic(const FabricContainer& fabric, uint32_t payload, std::vector<Class> classes);

    /// All classes begin to send. To be called when the simulation runs.
    void Start();

    /**
     * Adds `share` and `latency` of each class.
     *
     * @param records messages that were delivered
     * @param names of the classes
     * @param from what was delivered before counts for nothing
     * @param to end of the run
     * @param rate of the link that they share
     */
    void AddFigures(fabric::Summary& summary,
                    const std::vector<FabricMessageRecorder::Record>& records,
                    const std::vector<uint16_t>& names,
                    Time from,
                    Time to,
                    DataRate rate) const;

  private:
    /// Plans the next message of a class.
    void Plan(uint32_t number);
    /// A class makes a message.
    void Send(uint32_t number);
    /// A message was delivered.
    void Deliver(const fabric::Message& message, Time at);

    const FabricContainer& m_fabric;                    ///< Its hosts send and receive.
    uint32_t m_payload;                                 ///< Of each message, bytes.
    std::vector<Class> m_classes;                       ///< In their order.
    std::vector<uint32_t> m_underWay;                   ///< Messages, by class.
    std::vector<Ptr<ExponentialRandomVariable>> m_gaps; ///< Between messages, by class.
};

} // namespace ns3

#endif // FABRIC_CLASS_TRAFFIC_H
