/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REACTION_POINT_H
#define FABRIC_REACTION_POINT_H

#include "fabric-dcqcn-settings.h"
#include "fabric-pacing-bucket.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * The sender's part of DCQCN (Zhu et al., SIGCOMM'15, section 3.1, RP) for one connection: its rate
 * R_C, and when it may send next at that rate.
 *
 * | event                    | what it does                                                      |
 * |--------------------------|-------------------------------------------------------------------|
 * | CNP                      | R_T = R_C, R_C *= 1 - alpha / 2, alpha = (1 - g) alpha + g; both  |
 * |                          | timers and the byte counter begin anew, T = B = 0                 |
 * | K without a CNP          | alpha *= 1 - g                                                    |
 * | timer, or byte counter   | a round of recovery; then T, or B, is 1 more                      |
 * | round, max(T, B) < F     | fast recovery: R_C = (R_T + R_C) / 2                              |
 * | round, min(T, B) > F     | hyper increase: R_T += (min(T, B) - F) R_HAI, R_C as above        |
 * | another round            | additive increase: R_T += R_AI, R_C as above                      |
 *
 * T and B count rounds that are over, so that fast recovery has the paper's F = 5 rounds. Hyper
 * increase is QCN's, to which the paper refers. R_T is no higher than the line rate, R_C no lower
 * than the lowest rate. alpha is 1 until the first CNP, before which line rate is the limit.
 *
 * No timer has to run: what they have done is found out when a packet is sent or a CNP comes, and
 * what they will do is known.
 */
class ReactionPoint
{
  public:
    /// @param settings valid; they outlive it
    explicit ReactionPoint(const DcqcnSettings& settings)
        : m_settings(&settings),
          m_target(settings.lineRate),
          m_current(settings.lineRate)
    {
    }

    /// A CNP has come.
    void TakeCnp(TimePs now);

    /// A packet is sent. @param bytes of it
    void Send(uint32_t bytes, TimePs now)
    {
        if (m_isLimited || m_settings->isBelowWire)
        {
            Charge(bytes, now);
        }
    }

    /// @return no packet is to be sent before this, ps
    TimePs ReadyAt() const
    {
        return m_readyAt;
    }

    /// @return R_C, b/s @param now not before the last packet and CNP
    double Rate(TimePs now) const;

    /// @return R_T, b/s, at the last packet or CNP
    double TargetRate() const
    {
        return m_target;
    }

    /// @return alpha at the last CNP
    double Alpha() const
    {
        return m_alpha;
    }

  private:
    /// As Send(), of a connection that the wire does not limit.
    void Charge(uint32_t bytes, TimePs now);

    /// Runs the timer.
    void RunUntil(TimePs now);

    /// The timer expires.
    void Expire();

    /// A round of recovery.
    void Raise();

    /// @return whether a round would change nothing any more
    bool IsRecovered() const
    {
        return m_target >= m_settings->lineRate && (m_target + m_current) / 2 <= m_current;
    }

    /// @return whether the wire is the limit: R_C comes near its rate by halves, to 1 b/s is enough
    bool IsAtLineRate() const
    {
        return !m_settings->isBelowWire && m_current >= m_settings->lineRate - 1;
    }

    /// @return when nothing is owed any more, if no CNP comes, ps
    TimePs WhenReady() const;

    const DcqcnSettings* m_settings; ///< Of the endpoint.
    double m_target;                 ///< R_T, b/s.
    double m_current;                ///< R_C, b/s.
    double m_alpha{1};               ///< At the last CNP.
    PacingBucket m_bucket;           ///< Of what is sent at R_C.
    uint64_t m_bytes{0};             ///< Since the byte counter's last expiry.
    uint64_t m_timerRounds{0};       ///< T.
    uint64_t m_byteRounds{0};        ///< B.
    TimePs m_lastCnp{0};             ///< ps.
    TimePs m_rateTimer{NEVER};       ///< Next expiry, ps.
    TimePs m_readyAt{0};             ///< ps.
    bool m_isLimited{false};         ///< A CNP has come.
};

} // namespace ns3::fabric

#endif // FABRIC_REACTION_POINT_H
