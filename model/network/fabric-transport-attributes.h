/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_ATTRIBUTES_H
#define FABRIC_TRANSPORT_ATTRIBUTES_H

#include "fabric-rdma.h"
#include "fabric-transport-settings.h"

#include "ns3/data-rate.h"
#include "ns3/type-id.h"

#include <string>

namespace ns3::fabric
{

/// The settings of a transport as attributes, for an ns-3 object to inherit.
class TransportAttributes
{
  public:
    /// @param tid of a class that inherits this one @return the type with the attributes; they are
    /// for construction
    static TypeId AddAttributes(TypeId tid);

    /**
     * What HPCC takes for T, where `HpccBaseRtt` is 0, `delay` and `timely` for the longest base
     * delay, where `BaseDelay` or `TimelyMinRtt` is 0, and all for the first round trip, where
     * `InitialRtt` is 0. To be called before ReadAttributes().
     *
     * @param roundTrip of the longest way in an empty network, ps
     */
    void SetBaseRtt(TimePs roundTrip)
    {
        m_baseRtt = roundTrip;
    }

    /// @return whether SetBaseRtt() is needed
    bool LacksBaseRtt() const
    {
        return UsesHpcc() && m_settings.hpcc.baseRtt == 0 && m_baseRtt == 0;
    }

    /// @return HPCC: bytes of telemetry in headers that have any; 0 of others
    uint32_t TelemetryInHeaders() const
    {
        return UsesHpcc() ? TelemetryBytes(m_settings.hpcc.hops) : 0;
    }

    /**
     * @param room bytes that a header and its payload may have
     * @return the settings of connections with this room: `Mtu`, or as much as there is
     */
    ConnectionSettings ConnectionSettingsFor(uint32_t room) const;

  protected:
    ~TransportAttributes() = default;

    /**
     * Brings what the attributes say into the settings.
     *
     * @param lineRate of the device, b/s; 0 if it has none
     * @throw std::invalid_argument if one makes no sense
     */
    void ReadAttributes(uint64_t lineRate);

    /// @return tables, timers and order of the endpoint
    const TransportSettings& GetTransportSettings() const
    {
        return m_settings;
    }

    /// @return the protocol above
    const RdmaSettings& GetRdmaSettings() const
    {
        return m_rdma;
    }

    /// The network sends packets of a connection by several ways. To be called before an endpoint
    /// has the settings.
    void Spray()
    {
        m_takesWays = true;
    }

    /**
     * @param room bytes that a header and its payload may have on the way to a peer
     * @throw std::invalid_argument if `Mtu` does not fit
     */
    void RequireRoom(uint32_t room) const;

  private:
    /// @return whether `CongestionControl` is that
    bool UsesHpcc() const
    {
        return m_congestionControl == "hpcc";
    }

    /// @return whether base delays are measured; what look-ups add no ideal path has
    bool MeasuresBaseDelay() const
    {
        const bool isMeasured = (m_congestionControl == "delay" && m_settings.baseDelay == 0) ||
                                (m_congestionControl == "timely" && m_settings.timely.minRtt == 0);
        return isMeasured && m_lookupRate == 0 && m_settings.lookupLatency == 0;
    }

    /// @return a type with the attributes of windows and solicitation
    static TypeId AddConnectionAttributes(TypeId tid);
    /// @return a type with the attributes of tables
    static TypeId AddTableAttributes(TypeId tid);
    /// @return a type with the attributes of acknowledgement and resends
    static TypeId AddRecoveryAttributes(TypeId tid);
    /// @return a type with the attributes of congestion control
    static TypeId AddCongestionAttributes(TypeId tid);
    /// @return a type with the attributes of DCQCN
    static TypeId AddDcqcnAttributes(TypeId tid);
    /// @return a type with the attributes of HPCC
    static TypeId AddHpccAttributes(TypeId tid);
    /// @return a type with the attributes of TIMELY
    static TypeId AddTimelyAttributes(TypeId tid);
    /// Reads the attributes of HPCC. @throw std::invalid_argument if they make no sense
    void ReadHpcc();
    /// Reads the attributes of TIMELY, when the line rate is known.
    void ReadTimely();
    /// Refuses attributes that would have no effect beside the others, when all are read.
    void RequireEffects() const;
    /// The same, of congestion control.
    void RequireEffectsOfControl() const;
    /// @return bytes of the longest header of packets with payload
    uint32_t HeaderBytes() const;
    /// @return a type with the attributes of the protocol above
    static TypeId AddRdmaAttributes(TypeId tid);

    TransportSettings m_settings;    ///< Tables, timers and order.
    ConnectionSettings m_connection; ///< But for the MTU.
    RdmaSettings m_rdma;             ///< The protocol above.

    // Attributes that do not stand in the settings as they are.
    std::string m_solicitation;      ///< `Solicitation`
    std::string m_grantOrder;        ///< `GrantOrder`
    std::string m_lossDetection;     ///< `LossDetection`
    std::string m_congestionControl; ///< `CongestionControl`
    std::string m_txWeights;         ///< `TxWeights`
    DataRate m_lineRate;             ///< `LineRate`
    DataRate m_rateIncrease;         ///< `RateIncrease`
    DataRate m_hyperIncrease;        ///< `HyperIncrease`
    DataRate m_minRate;              ///< `MinRate`
    DataRate m_hpccMinRate;          ///< `HpccMinRate`
    DataRate m_timelyIncrease;       ///< `TimelyIncrease`
    DataRate m_timelyMinRate;        ///< `TimelyMinRate`
    TimePs m_baseRtt{0};             ///< If `HpccBaseRtt` is 0, ps.
    bool m_hasHpccBaseRtt{false};    ///< Whether it is not 0.
    bool m_takesWays{false};         ///< See Spray().
    double m_lookupRate;             ///< `CamLookupRate`, 1/s
    uint32_t m_mtu;                  ///< `Mtu`
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_ATTRIBUTES_H
