/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_VL_ARBITER_QUEUE_DISC_H
#define FABRIC_VL_ARBITER_QUEUE_DISC_H

#include "fabric-class-map.h"
#include "fabric-lane-map.h"
#include "fabric-vl-arbiter-attributes.h"
#include "fabric-vl-arbiter.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * Arbitration between virtual lanes for any ns-3 device, through the traffic-control layer (VA-12).
 * It is the arbiter of the ports of fabric switches, without preemption: a device takes whole
 * packets.
 *
 * A packet gets its traffic class from the packet filters, which return it, and where none matches
 * from its DSCP. The class gives the lane; where several lanes carry a class, a flow stays on one,
 * by its hash. Every lane has a drop-tail queue. Packets of classes that no lane carries are
 * dropped.
 *
 * A packet is charged, with what the device adds to it, when it is handed to the device. So that
 * the choice is made late, the device should have a queue of one packet, and flow control to this
 * one, as ns-3's helpers install it. Where all packets are disqualified the queue disc wakes itself
 * when the first conforms.
 *
 * Attributes are for construction: they are set by a helper or Config::SetDefault(). The table can
 * be changed at any time, with SetLaneTable().
 */
class VlArbiterQueueDisc : public QueueDisc, public fabric::VlArbiterAttributes
{
  public:
    static TypeId GetTypeId();

    VlArbiterQueueDisc();
    ~VlArbiterQueueDisc() override;

    /// Reason of a drop: no lane of the table carries the packet's traffic class.
    static constexpr const char* NO_LANE_DROP = "No lane for the traffic class";

    /**
     * Sets the lane table, or changes it during the run (VA-11): no packet is lost or overtaken by
     * one of its lane.
     *
     * @throws std::invalid_argument with a sentence if it is wrong (VA-14), or does not have a lane
     * in which packets wait; the old table stays then
     */
    void SetLaneTable(const fabric::LaneTable& table);

    const fabric::LaneTable& GetLaneTable() const;

    /**
     * What initialization does and aborts at, for programs that would rather say a sentence.
     *
     * @throws std::invalid_argument with a sentence if the table is wrong, or the meters do not fit
     * it and the rate
     */
    void CheckSettings() const;

    /// @return the lane that it would be put into; nothing if no lane carries its class
    std::optional<uint8_t> GetLane(Ptr<QueueDiscItem> item);

    /**
     * @param group number of a group of the table
     * @return whether it has not exceeded its share; only after initialization
     */
    bool IsConforming(uint8_t group) const;

    /**
     * A packet is handed to the device.
     *
     * @param item the packet
     * @param lane its lane
     * @param level level at which it was chosen, 0 is the highest
     * @param conforming whether its group conforms; otherwise the level is Over-Bandwidth's
     */
    typedef void (*GrantTracedCallback)(Ptr<const QueueDiscItem> item,
                                        uint32_t lane,
                                        uint32_t level,
                                        bool conforming);

  protected:
    void DoDispose() override;

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    /// @return the traffic class of a packet
    uint32_t ClassOf(Ptr<QueueDiscItem> item);
    /// @return what the attributes say, for the arbiter
    fabric::VlArbiterSettings MakeSettings() const;
    /// @return the rate of the link, from the attribute, the device or its channel; 0 if unknown
    DataRate FindLinkRate() const;
    /// Runs when the first packet that is disqualified conforms.
    void WakeAt(fabric::TimePs time);
    /// Sets `DscpToClass`.
    void SetDscpToClass(std::string text);
    /// @return `DscpToClass`
    std::string GetDscpToClass() const;

    std::string m_tableFile;                      ///< `TableFile`
    DataRate m_linkRate;                          ///< `LinkRate`
    uint32_t m_linkOverhead;                      ///< `LinkOverhead`
    QueueSize m_laneQueueSize;                    ///< `LaneQueueSize`
    std::string m_dscpText;                       ///< `DscpToClass`
    fabric::DscpTable m_classOfDscp{};            ///< What it says.
    fabric::LaneTable m_table;                    ///< The table.
    fabric::LaneMap m_laneMap;                    ///< What follows from it.
    std::unique_ptr<fabric::VlArbiter> m_arbiter; ///< Who chooses; after initialization.
    fabric::LaneMask m_candidates{0};             ///< Lanes in which packets wait.
    EventId m_wake;                               ///< When a disqualified packet conforms.
    /// A packet is handed to the device.
    TracedCallback<Ptr<const QueueDiscItem>, uint32_t, uint32_t, bool> m_grantTrace;
};

} // namespace ns3

#endif // FABRIC_VL_ARBITER_QUEUE_DISC_H
