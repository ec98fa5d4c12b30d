/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-rate.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// @return packets of so many blocks whose credits come back together
uint32_t
GroupOf(const SendContextSettings& context, uint32_t blocks)
{
    const uint32_t threshold = context.scheme == CREDITS_ABSOLUTE ? context.threshold : 0;
    return std::max(1U, (threshold + blocks - 1) / blocks);
}

} // namespace

bool
PioRate::Holds(const PioSettings& settings, uint32_t payload)
{
    const uint32_t blocks = PioSettings::BlocksOf(payload);
    // Relative credits of a packet come one by one, and a look sees those that have come by then.
    return settings.context.scheme != CREDITS_RELATIVE && settings.wait == WAIT_POLLS &&
           settings.requestEvery == 0 && settings.loseEvery == 0 && settings.forceAfter == 0 &&
           settings.context.interval == 0 &&
           GroupOf(settings.context, blocks) <= settings.context.blocks / blocks;
}

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
    const uint32_t fit = settings.context.blocks / blocks;
    const uint32_t group = std::min(GroupOf(settings.context, blocks), fit);
    packets = fit / group * group;
    look = settings.memoryLookTime;
    roundTrip = look + first + others + block + pcie.latency +
                (settings.context.isEarly ? 0 : frame) + settings.returnDelay + credit +
                pcie.latency;
    bottleneck = std::max(others + std::max(first, block), frame);
    const uint32_t spare = fit - packets;
    roundTrip += (group - 1 - spare) * bottleneck;
}

double
PioRate::PacketsPerSecond() const
{
    constexpr double PS_PER_SECOND = 1e12;
    return PS_PER_SECOND * (IsShort() ? packets / static_cast<double>(roundTrip)
                                      : 1 / static_cast<double>(bottleneck));
}

} // namespace ns3::fabric
