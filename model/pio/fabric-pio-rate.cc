/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-rate.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t STORE_BYTES = 8; ///< Of a TLP, where stores are not joined.

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
    const uint32_t stores = pcie.combinesWrites ? 1 : BLOCK_BYTES / STORE_BYTES;
    const TimePs tlp = tlps.TxTime(BLOCK_BYTES / stores + pcie.writeOverhead);
    const TimePs block = stores * tlp;
    const TimePs credit = tlps.TxTime(CREDIT_WORD_BYTES + pcie.writeOverhead);
    frame = wire.TxTime(WireBytes(payload));
    // A core goes on as soon as its last store has begun to leave.
    const TimePs first = settings.packetTime + settings.blockTime;
    const TimePs others = (blocks - 1) * std::max(settings.blockTime, block);
    core = others + block - tlp + std::max(first, tlp);
    const uint32_t fit = settings.context.blocks / blocks;
    const uint32_t group = std::min(GroupOf(settings.context, blocks), fit);
    packets = fit / group * group;
    roundTrip = settings.memoryLookTime + first + others + block + pcie.latency +
                (settings.context.isEarly ? 0 : frame) + settings.returnDelay + credit +
                pcie.latency;
    const uint32_t spare = fit - packets;
    roundTrip += (group - 1 - spare) * Bottleneck();
    // Its first store begins behind the last one of the packet before.
    unbroken = roundTrip - settings.memoryLookTime + std::max(first, tlp) - first;
}

double
PioRate::PacketsPerSecond() const
{
    constexpr double PS_PER_SECOND = 1e12;
    return PS_PER_SECOND * (IsShort() ? packets / static_cast<double>(roundTrip)
                                      : 1 / static_cast<double>(Bottleneck()));
}

} // namespace ns3::fabric
