/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-control.h"

#include "fabric-sequence-number.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// The window is the connection's, whatever happens.
class FixedWindow : public CongestionControl
{
    void OnAck(CongestionState&, const CongestionSample&) const override
    {
    }

    void OnLoss(CongestionState&, TimePs, TimePs) const override
    {
    }

    void OnTimeOut(CongestionState&, TimePs, TimePs, TimePs) const override
    {
    }
};

/**
 * @param rtt round trip, ps
 * @return whether a round trip has passed since the last decrease
 */
bool
CanDecrease(const CongestionState& state, TimePs now, TimePs rtt)
{
    return now - rtt >= state.lastDecrease;
}

/// Delay against a target, after Swift (Kumar et al., SIGCOMM'20, algorithm 1).
class DelayControl : public CongestionControl
{
  public:
    /// @param settings with the parameters
    explicit DelayControl(const TransportSettings& settings)
        : m_target(settings),
          m_increase(settings.additiveIncrease),
          m_beta(settings.delayBeta),
          m_maxDecrease(settings.maxDecrease),
          m_minWindow(settings.minWindow)
    {
    }

  private:
    void OnAck(CongestionState& state, const CongestionSample& sample) const override
    {
        if (sample.rtt <= 0 || sample.baseDelay == NEVER)
        {
            return;
        }
        const auto delay = static_cast<double>(sample.rtt);
        const double target = m_target.Get(sample.baseDelay, sample.hops, state.window);
        if (delay < target)
        {
            const double step = m_increase * sample.acked;
            state.window += state.window >= 1 ? step / state.window : step;
            state.window = std::min<double>(state.window, state.limit);
        }
        else if (CanDecrease(state, sample.now, sample.rtt))
        {
            Decrease(state,
                     sample.now,
                     std::max(1 - m_beta * (delay - target) / delay, 1 - m_maxDecrease));
        }
    }

    void OnLoss(CongestionState& state, TimePs now, TimePs rtt) const override
    {
        if (CanDecrease(state, now, rtt))
        {
            Decrease(state, now, 1 - m_maxDecrease);
        }
    }

    void OnTimeOut(CongestionState& state, TimePs now, TimePs rtt, TimePs sentAt) const override
    {
        // A flight that has found a long queue times out packet by packet, while a round trip is
        // not known to be as long as that.
        if (sentAt >= state.lastDecrease)
        {
            OnLoss(state, now, rtt);
        }
    }

    /// Multiplies the window by a factor.
    void Decrease(CongestionState& state, TimePs now, double factor) const
    {
        state.window = std::max(state.window * factor, m_minWindow);
        state.lastDecrease = now;
    }

    DelayTarget m_target; ///< What is aimed at.
    double m_increase;    ///< Packets per round trip.
    double m_beta;        ///< Strength of the decrease.
    double m_maxDecrease; ///< Largest decrease.
    double m_minWindow;   ///< Packets.
};

/**
 * The part of marked packets, after DCTCP (RFC 8257, section 3.3), in packets.
 *
 * A mark decreases the window at once. Packets under way then have met the queue of the old window:
 * until later ones are acknowledged it neither decreases again nor grows (RFC 3168, 6.1.2).
 */
class MarkedPart : public CongestionControl
{
  public:
    /// @param gain of the average
    explicit MarkedPart(double gain)
        : m_gain(gain)
    {
    }

  private:
    void OnAck(CongestionState& state, const CongestionSample& sample) const override
    {
        state.roundAcked += sample.acked;
        state.roundMarked += sample.marked;
        if (!SequenceBefore(sample.base, state.roundEnd) && state.roundAcked != 0)
        {
            EndRound(state, sample.next);
        }
        const uint32_t first = sample.base - sample.acked;
        const uint32_t old = SequenceBefore(first, state.decreaseEnd)
                                 ? std::min(sample.acked, state.decreaseEnd - first)
                                 : 0;
        if (sample.marked > old)
        {
            state.window = std::max(1.0, state.window * (1 - state.markedPart / 2));
            state.decreaseEnd = sample.next;
        }
        else
        {
            const double grown = state.window + (sample.acked - old) / state.window;
            state.window = std::min<double>(state.limit, grown);
        }
    }

    /// A window of packets has been acknowledged. @param next PSN that ends the next one
    void EndRound(CongestionState& state, uint32_t next) const
    {
        const double part =
            std::min(1.0, static_cast<double>(state.roundMarked) / state.roundAcked);
        state.markedPart += m_gain * (part - state.markedPart);
        state.roundAcked = state.roundMarked = 0;
        state.roundEnd = next;
    }

    void OnLoss(CongestionState& state, TimePs now, TimePs rtt) const override
    {
        if (CanDecrease(state, now, rtt))
        {
            state.window = std::max(1.0, state.window / 2);
            state.lastDecrease = now;
        }
    }

    void OnTimeOut(CongestionState& state, TimePs now, TimePs rtt, TimePs) const override
    {
        if (CanDecrease(state, now, rtt))
        {
            state.window = 1;
            state.lastDecrease = now;
        }
    }

    double m_gain; ///< Of the average.
};

} // namespace

CongestionState
CongestionControl::Start(uint32_t limit, uint32_t firstPsn, uint32_t initial) const
{
    CongestionState state;
    state.limit = limit;
    state.window = std::min(limit, initial);
    // As ns-3's TcpDctcp and Linux begin: a window that is full from the start has to come down
    // fast. With 0 it would take some 16 round trips, each as long as the queue that it has made.
    state.markedPart = 1;
    state.roundEnd = state.decreaseEnd = firstPsn;
    return state;
}

std::unique_ptr<CongestionControl>
CongestionControl::Make(const TransportSettings& settings)
{
    switch (settings.congestionControl)
    {
    case CongestionControlKind::DELAY:
        return std::make_unique<DelayControl>(settings);
    case CongestionControlKind::MARKS:
        return std::make_unique<MarkedPart>(settings.markGain);
    case CongestionControlKind::FIXED:
    case CongestionControlKind::DCQCN:  // a rate, see ReactionPoint
    case CongestionControlKind::HPCC:   // sets the window itself, see RatedPath
    case CongestionControlKind::TIMELY: // a rate, see TimelyReaction
        break;
    }
    return std::make_unique<FixedWindow>();
}

} // namespace ns3::fabric
