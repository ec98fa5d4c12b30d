/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_PATH_H
#define FABRIC_TRANSPORT_PATH_H

#include "fabric-congestion-control.h"
#include "fabric-rtt-estimator.h"
#include "fabric-transmit-window.h"
#include "fabric-transport-packet.h"

#include <algorithm>
#include <memory>

namespace ns3::fabric
{

/// What all ways to peers have in common: how time-outs and windows follow what is measured.
struct PathRules
{
    /// @param settings of the endpoint
    explicit PathRules(const TransportSettings& settings)
        : rto{settings.rtoScale,
              settings.minRto,
              settings.maxRto,
              settings.backsOff,
              settings.initialRtt},
          congestion(CongestionControl::Make(settings))
    {
    }

    RtoRule rto;                                   ///< Time-outs.
    std::unique_ptr<CongestionControl> congestion; ///< Strategy.
};

/**
 * What is known of the way to the peer (RT-14): round-trip time, marks, and the congestion window,
 * the number of data packets that may be in flight.
 */
class TransportPath
{
  public:
    /// @param rules of the endpoint
    explicit TransportPath(const PathRules& rules)
        : m_rules(rules)
    {
    }

    /**
     * The connection opens.
     *
     * @param data own data window, in which nothing was sent
     */
    void Open(const TransmitWindow& data)
    {
        m_congestion = m_rules.congestion->Start(data.Size(), data.Next());
    }

    /**
     * An ACK has come, alone or riding along: round trip and marks.
     *
     * @param packet with them
     * @param acked data packets newly acknowledged
     * @param data own data window, after the ACK
     */
    void TakeAck(const TransportPacket& packet,
                 uint32_t acked,
                 const TransmitWindow& data,
                 TimePs now)
    {
        CongestionSample sample;
        if (packet.echo >= 0 && packet.echo < now)
        {
            sample.rtt = now - packet.echo;
            m_rtt.Sample(sample.rtt);
        }
        const auto marks = static_cast<uint16_t>(packet.marksSeen - m_congestion.marksHeard);
        if (marks != 0 && marks < 0x8000)
        {
            sample.marked = marks;
            m_congestion.marksHeard = packet.marksSeen;
        }
        if (acked > 0 || sample.rtt > 0 || sample.marked > 0)
        {
            sample.now = now;
            sample.smoothedRtt = Rtt();
            sample.acked = acked;
            sample.base = data.Base();
            sample.next = data.Next();
            m_rules.congestion->OnAck(m_congestion, sample);
        }
    }

    /// @param rtt what is to be expected before a round trip was measured, ps
    void Expect(TimePs rtt)
    {
        m_rtt.Expect(rtt);
    }

    /// A gap, or a refusal by the peer.
    void TakeLoss(TimePs now)
    {
        m_rules.congestion->OnLoss(m_congestion, now, Rtt());
    }

    /// Nothing was heard of packets in time.
    void TakeTimeOut(TimePs now)
    {
        m_rules.congestion->OnTimeOut(m_congestion, now, Rtt());
    }

    /// A loss was none. @param window congestion window that is not less than it is, packets
    void Restore(double window)
    {
        m_congestion.window = std::min(std::max(window, m_congestion.window), m_congestion.limit);
    }

    /// @return shortest measured round trip, ps; NEVER before there is a sample
    TimePs ShortestRtt() const
    {
        return m_rtt.Shortest();
    }

    /// @return round trip to be expected, ps
    TimePs Rtt() const
    {
        return m_rtt.Expected(m_rules.rto.initialRtt);
    }

    /// @return measured and smoothed round trip, ps; 0 before there is a sample
    TimePs SmoothedRtt() const
    {
        return m_rtt.Smoothed();
    }

    /// @param resends of a packet so far @return its time-out, ps
    TimePs Rto(uint32_t resends) const
    {
        return m_rules.rto.Rto(m_rtt, resends);
    }

    /// @return data packets that may be in flight; below 1 they are paced
    double Window() const
    {
        return m_congestion.window;
    }

    /// @return largest Window()
    double LargestWindow() const
    {
        return m_congestion.limit;
    }

  private:
    const PathRules& m_rules;     ///< Of the endpoint.
    RttEstimator m_rtt;           ///< Round trip.
    CongestionState m_congestion; ///< Of the strategy.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_PATH_H
