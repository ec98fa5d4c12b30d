/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_DRAW_H
#define FABRIC_TRANSPORT_DRAW_H

#include "fabric-transport-endpoint.h"

#include <random>

namespace ns3::fabric
{

/// What random runs of the transport draw alike. The order of the draws is part of a seed's run.
class TransportDraw
{
  protected:
    /// @param seed of the run
    explicit TransportDraw(uint64_t seed)
        : m_random(seed)
    {
    }

    /// @return a number from 0 to 1
    double Unit()
    {
        return std::uniform_real_distribution<double>(0, 1)(m_random);
    }

    /// @return true in this part of the cases
    bool Chance(double part)
    {
        return Unit() < part;
    }

    /// @return a whole number from low to high
    uint32_t Draw(uint32_t low, uint32_t high)
    {
        return low + m_random() % (high - low + 1);
    }

    /// @param [out] s gets tables and memory, which are small in some runs
    void DrawTables(TransportSettings& s)
    {
        s.initiatorEntries = Chance(0.3) ? Draw(1, 5) : 1000;
        s.targetEntries = Chance(0.3) ? Draw(1, 5) : 1000;
        s.packetEntries = Chance(0.3) ? Draw(1, 5) : 1000;
        s.sendPayloadBytes = Chance(0.3) ? 16 * 1024 : 1 << 20;
        s.receivePayloadBytes = Chance(0.3) ? 16 * 1024 : 1 << 20;
        s.grantLimitBytes = Chance(0.5) ? 16 * 1024 : 1 << 18;
        s.grantQuantumBytes = 16 * 1024;
    }

    /// @param [out] c gets windows and what is solicited
    void DrawWindows(ConnectionSettings& c)
    {
        c.mtu = Draw(64, 4096);
        c.requestWindow = Chance(0.3) ? Draw(1, 4) : 64;
        c.dataWindow = Chance(0.3) ? Draw(1, 6) : 128;
        c.requestSpan = Chance(0.3) ? Draw(1, 4) : 256;
        c.solicitation = static_cast<Solicitation>(Draw(0, 3));
        c.solicitAbove = Draw(0, 20000);
    }

    std::mt19937_64 m_random; ///< Of the run.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_DRAW_H
