/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-rate.h"

#include <algorithm>

namespace ns3::fabric
{

PioRate::PioRate(const PioSettings& settings,
                 const PcieSettings& pcie,
                 const LinkRate& wire,
                 uint32_t payload)
{
    const uint32_t blocks = PioSettings::BlocksOf(payload);
    const LinkRate tlps(pcie.TlpBitsPerSecond());
    const TimePs block = tlps.TxTime(BLOCK_BYTES + pcie.writeOverhead);
    const TimePs credit = tlps.TxTime(CREDIT_WORD_BYTES + pcie.writeOverhead);
    const TimePs frame = wire.TxTime(WireBytes(payload));
    // A core goes on as soon as its last store has begun to leave.
    const TimePs first = settings.packetTime + settings.blockTime;
    const TimePs others = (blocks - 1) * std::max(settings.blockTime, block);
    packets = settings.context.blocks / blocks;
    look = settings.memoryLookTime;
    roundTrip = look + first + others + block + pcie.latency +
                (settings.context.isEarly ? 0 : frame) + settings.returnDelay + credit +
                pcie.latency;
    bottleneck = std::max(others + std::max(first, block), frame);
}

double
PioRate::PacketsPerSecond() const
{
    constexpr double PS_PER_SECOND = 1e12;
    return PS_PER_SECOND * (IsShort() ? packets / static_cast<double>(roundTrip)
                                      : 1 / static_cast<double>(bottleneck));
}

} // namespace ns3::fabric
