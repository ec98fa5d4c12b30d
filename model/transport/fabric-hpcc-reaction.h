/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HPCC_REACTION_H
#define FABRIC_HPCC_REACTION_H

#include "fabric-hop-stack.h"
#include "fabric-hpcc-settings.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * The sender's part of HPCC (Li et al., SIGCOMM'19, algorithm 1) for one connection: how many bytes
 * may be in flight, by what the outputs on the way say of themselves.
 *
 * | step       | what it does                                                                    |
 * |------------|---------------------------------------------------------------------------------|
 * | each ACK   | u of each output: min(qlen, qlen before) / (B T) + bytes sent / (time x B); the |
 * |            | largest counts: U = (1 - tau / T) U + tau / T u, tau the time between both      |
 * | then       | U >= eta, or maxStage rounds of increase: W = W_c / (U / eta) + W_AI            |
 * |            | else: W = W_c + W_AI                                                            |
 * | each round | the same becomes the reference W_c; it counts as increase, or begins anew       |
 *
 * A round ends when a packet is acknowledged that was sent after the last one had ended, so each of
 * its ACKs reacts to W_c, and not to what another ACK has done.
 *
 * As in the authors' simulator U begins with 1, the first ACK is only remembered, and W is between
 * T times the lowest rate and T times the line's. After the way has changed the ACK is remembered,
 * too.
 */
class HpccReaction
{
  public:
    /**
     * @param settings valid; they outlive it
     * @param lineRate of the NIC, b/s
     */
    HpccReaction(const HpccSettings& settings, double lineRate);

    /**
     * An ACK has brought what the switches have written on a packet.
     *
     * @param stack records of at least one
     * @param base first data packet that is not acknowledged
     * @param next data packet that is sent next
     */
    void TakeAck(const HopStack& stack, uint32_t base, uint32_t next);

    /// @return W, bytes
    double Window() const
    {
        return m_window;
    }

    /// @return R = W / T, b/s
    double Rate() const;

    /// @return W_c, bytes
    double Reference() const
    {
        return m_reference;
    }

    /// @return U: bytes in flight as a part of what the fullest link carries in T
    double InFlight() const
    {
        return m_inFlight;
    }

  private:
    /// MeasureInflight of the paper. @return whether the stack is newer than the last
    bool Measure(const HopStack& stack);

    /// ComputeWind of the paper. @param isRound whether the reference follows
    void Compute(bool isRound);

    const HpccSettings* m_settings; ///< Of the endpoint.
    double m_first;                 ///< W_init, bytes.
    double m_least;                 ///< Bytes.
    double m_increase;              ///< W_AI, bytes.
    double m_window;                ///< W, bytes.
    double m_reference;             ///< W_c, bytes.
    double m_inFlight{1};           ///< U.
    HopStack m_last;                ///< L; empty before the first ACK.
    uint32_t m_roundEnd{0};         ///< The round ends when this PSN is acknowledged.
    uint32_t m_stage{0};            ///< Rounds of increase.
};

} // namespace ns3::fabric

#endif // FABRIC_HPCC_REACTION_H
