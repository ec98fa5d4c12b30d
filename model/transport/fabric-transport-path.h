/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_PATH_H
#define FABRIC_TRANSPORT_PATH_H

#include "fabric-base-delay.h"
#include "fabric-congestion-control.h"
#include "fabric-nic-window.h"
#include "fabric-path-rules.h"
#include "fabric-rated-path.h"
#include "fabric-rtt-estimator.h"
#include "fabric-transmit-window.h"
#include "fabric-transport-packet.h"

#include <algorithm>
#include <memory>

namespace ns3::fabric
{

/// What DELAY knows of the way.
struct DelayPath
{
    BaseDelay base;   ///< Measured, if that is asked for.
    uint32_t hops{0}; ///< Switches on the way; 0 if they do not matter.
};

/**
 * What is known of the way to the peer (RT-14): round-trip time, marks, and two windows for data
 * packets. The congestion window is for those in the fabric, the NIC window for those that the peer
 * has not acknowledged, so that a slow host is not taken for a congested fabric.
 */
class TransportPath
{
  public:
    /// @param rules of the endpoint
    explicit TransportPath(const PathRules& rules)
        : m_rules(rules),
          m_nic(1)
    {
    }

    /**
     * The connection opens.
     *
     * @param data own data window, in which nothing was sent
     * @param peer at its other end
     * @param mtu payload of a packet, bytes
     */
    void Open(const TransmitWindow& data, PeerAddress peer, uint32_t mtu)
    {
        m_congestion = m_rules.congestion->Start(data.Size(), data.Next(), m_rules.initialWindow);
        m_nic = NicWindow(data.Size());
        if (m_rules.measuresBase || m_rules.countsHops)
        {
            m_delay = std::make_unique<DelayPath>();
        }
        if (m_rules.HasRate())
        {
            m_rated = std::make_unique<RatedPath>(m_rules, mtu);
            FollowRated();
        }
        if (m_rules.countsHops && m_rules.hops != nullptr)
        {
            m_delay->hops = m_rules.hops->HopsTo(peer);
        }
    }

    /**
     * A packet is sent for the first time.
     *
     * @param bytes of its payload
     */
    void Send(uint32_t bytes, TimePs now)
    {
        if (m_delay)
        {
            m_delay->base.Send(bytes, now);
        }
    }

    /**
     * A packet of a window is sent, perhaps again.
     *
     * @param packet with its payload
     */
    void Pace(const TransportPacket& packet, TimePs now)
    {
        if (m_rated)
        {
            m_rated->Send(packet, now);
        }
    }

    /// @return no data is to be sent, nor anything again, before this, ps
    TimePs ReadyAt() const
    {
        return m_rated ? m_rated->ReadyAt() : 0;
    }

    /// A packet has come that was marked on its way. @return whether the peer is told at once
    bool TakeMark(TimePs now)
    {
        return m_rated && m_rated->TakeMark(now);
    }

    /// The peer says that packets come marked.
    void TakeCnp(TimePs now)
    {
        if (m_rated)
        {
            m_rated->TakeCnp(now);
        }
    }

    /**
     * An ACK has brought what switches have written on a packet that was sent from here.
     *
     * @param base of the ACK
     * @param next of the own data window
     */
    void TakeTelemetry(const HopStack& stack, uint32_t base, uint32_t next, TimePs now)
    {
        if (m_rated)
        {
            m_rated->TakeTelemetry(stack, base, next, now);
            FollowRated();
        }
    }

    /// A packet has come. @param stack what switches have written on it
    void SeeTelemetry(const HopStack& stack)
    {
        if (m_rated)
        {
            m_rated->SeeTelemetry(stack);
        }
    }

    /// @return whether the peer has to be told what switches have written
    bool HasTelemetry() const
    {
        return m_rated && m_rated->HasTelemetry();
    }

    /// The peer is told; HasTelemetry() must be true. @param stack gets it
    void TellTelemetry(HopStack& stack)
    {
        m_rated->TellTelemetry(stack);
    }

    /// @return what is sent at most, b/s; 0 if that is not limited by a rate
    double Rate(TimePs now) const
    {
        return m_rated ? m_rated->Rate(now) : 0;
    }

    /**
     * An ACK has come, alone or riding along: round trip and marks.
     *
     * @param packet with them
     * @param acked data packets newly acknowledged
     * @param data own data window, after the ACK
     * @param newest when the newest data packet was sent that has come, as far as is known, ps
     */
    void TakeAck(const TransportPacket& packet,
                 uint32_t acked,
                 const TransmitWindow& data,
                 TimePs newest,
                 TimePs now)
    {
        const bool isMeasured = packet.echo >= 0 && packet.echo < now;
        if (isMeasured)
        {
            m_rtt.Sample(now - packet.echo);
        }
        if (m_rules.isFixed)
        {
            return; // nothing follows it
        }
        CongestionSample sample;
        sample.rtt = isMeasured ? now - packet.echo : 0;
        if (m_rules.measuresBase && isMeasured && packet.isLongEcho)
        {
            m_delay->base.Measure(sample.rtt, newest, now, m_rules.baseDelayPeriod);
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
            sample.baseDelay = m_rules.measuresBase ? m_delay->base.Get() : 0;
            sample.hops = m_delay ? m_delay->hops : 0;
            sample.acked = acked;
            sample.base = data.Base();
            sample.next = data.Next();
            m_rules.congestion->OnAck(m_congestion, sample);
            m_nic.Acknowledge(acked);
            if (m_rated)
            {
                const TimePs shortest = std::min(m_rtt.Shortest(), m_rules.longestBaseDelay);
                m_rated->TakeAck(sample, shortest);
            }
        }
    }

    /// @param rtt what is to be expected before a round trip was measured, ps
    void Expect(TimePs rtt)
    {
        m_rtt.Expect(rtt);
    }

    /// A packet was lost.
    void TakeLoss(TimePs now)
    {
        m_rules.congestion->OnLoss(m_congestion, now, Rtt());
    }

    /// The peer had no room for a packet.
    void TakeRefusal(TimePs now)
    {
        if (!m_rules.isFixed)
        {
            m_nic.Refuse(now, Rtt());
        }
    }

    /// Nothing was heard of packets in time. @param sentAt when the last of them was sent, ps
    void TakeTimeOut(TimePs now, TimePs sentAt)
    {
        m_rules.congestion->OnTimeOut(m_congestion, now, Rtt(), sentAt);
    }

    /// A loss was none. @param window congestion window that is not less than it is, packets
    void Restore(double window)
    {
        if (HasWindowOfRate())
        {
            return; // losses say nothing to it
        }
        m_congestion.window =
            std::min<double>(std::max(window, m_congestion.window), m_congestion.limit);
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

    /// @return from a data packet to the next, ps; 0 if the window is a packet or more, as Swift's
    /// pacing delay: with the last round trip, since the smoothed one is long after its queue
    TimePs PacingDelay() const
    {
        const auto rtt = static_cast<double>(m_rtt.Last(m_rules.rto.initialRtt));
        return Window() < 1 ? static_cast<TimePs>(rtt / Window()) : 0;
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

    /// @return data packets that may be in the fabric; below 1 they are paced
    double Window() const
    {
        return m_congestion.window;
    }

    /// @return Window(), or as much less as a rate beside it is below that of the line
    double UsedWindow(TimePs now) const
    {
        const bool isBeside = m_rated && !HasWindowOfRate();
        return isBeside ? Window() * Rate(now) / m_rules.lineRate : Window();
    }

    /// @return largest Window()
    double LargestWindow() const
    {
        return m_congestion.limit;
    }

    /// @return data packets that the peer may have without acknowledging them
    double PeerWindow() const
    {
        return m_nic.Packets();
    }

    /// @return whether both windows are as large as the data window
    bool IsOpen() const
    {
        return m_congestion.window >= m_congestion.limit && m_nic.IsOpen();
    }

  private:
    /// @return whether what gives the connection a rate sets the window, too
    bool HasWindowOfRate() const
    {
        return m_rated && m_rated->Window() > 0;
    }

    /// The window is that of what gives the connection a rate, if that has one.
    void FollowRated()
    {
        if (HasWindowOfRate())
        {
            m_congestion.window = std::clamp<double>(m_rated->Window(), 1.0, m_congestion.limit);
        }
    }

    const PathRules& m_rules;           ///< Of the endpoint.
    RttEstimator m_rtt;                 ///< Round trip.
    CongestionState m_congestion;       ///< Of the strategy.
    NicWindow m_nic;                    ///< For what the peer may have.
    std::unique_ptr<DelayPath> m_delay; ///< Null where neither base delay nor hops are needed.
    std::unique_ptr<RatedPath> m_rated; ///< Null where there is no rate.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_PATH_H
