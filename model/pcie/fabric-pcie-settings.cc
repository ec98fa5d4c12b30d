/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pcie-settings.h"

#include <array>
#include <stdexcept>
#include <string>
#include <tuple>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t GENERATIONS = 5;     ///< Gen 6 has flits instead of TLPs on the link.
constexpr uint32_t MOST_LANES = 16;     ///< Of a slot.
constexpr uint32_t LEAST_SIZE = 128;    ///< Of MPS and MRRS, bytes.
constexpr uint32_t LARGEST_SIZE = 4096; ///< Of MPS and MRRS, bytes.

/// Transfers per second of a lane, by generation.
constexpr std::array<uint64_t, GENERATIONS> TRANSFERS{2'500'000'000,
                                                      5'000'000'000,
                                                      8'000'000'000,
                                                      16'000'000'000,
                                                      32'000'000'000};

bool
IsPowerOfTwo(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

void
RequirePowerOfTwo(const char* what, uint32_t value, uint32_t least, uint32_t most)
{
    if (!IsPowerOfTwo(value) || value < least || value > most)
    {
        throw std::invalid_argument("PCIe: " + std::string(what) + " is " + std::to_string(value) +
                                    "; allowed is a power of two from " + std::to_string(least) +
                                    " to " + std::to_string(most));
    }
}

void
RequireTime(const char* what, TimePs value)
{
    if (value < 0 || value > LONGEST_STEP)
    {
        throw std::invalid_argument("PCIe: " + std::string(what) + " is " + std::to_string(value) +
                                    " ps; allowed is 0 to " + std::to_string(LONGEST_STEP));
    }
}

} // namespace

uint64_t
PcieSettings::RawBitsPerSecond() const
{
    const uint64_t transfers = TRANSFERS[generation - 1] * lanes;
    return generation < 3 ? transfers / 10 * 8 : transfers * 128 / 130; // the line code
}

bool
PcieSettings::operator==(const PcieSettings& other) const
{
    const auto all = [](const PcieSettings& settings) {
        return std::tie(settings.generation,
                        settings.lanes,
                        settings.mps,
                        settings.mrrs,
                        settings.writeOverhead,
                        settings.requestOverhead,
                        settings.completionOverhead,
                        settings.tlpShare,
                        settings.outstandingReads,
                        settings.latency,
                        settings.memoryLatency,
                        settings.combinesWrites);
    };
    return all(*this) == all(other);
}

void
PcieSettings::Validate() const
{
    if (generation == 0 || generation > GENERATIONS)
    {
        throw std::invalid_argument("PCIe: the generation is " + std::to_string(generation) +
                                    "; allowed is 1 to " + std::to_string(GENERATIONS));
    }
    RequirePowerOfTwo("the number of lanes", lanes, 1, MOST_LANES);
    RequirePowerOfTwo("the maximum payload size (MPS)", mps, LEAST_SIZE, LARGEST_SIZE);
    RequirePowerOfTwo("the maximum read request size (MRRS)", mrrs, LEAST_SIZE, LARGEST_SIZE);
    if (outstandingReads == 0)
    {
        throw std::invalid_argument("PCIe: the limit of outstanding reads is 0; allowed is at "
                                    "least 1");
    }
    if (!(tlpShare >= LEAST_TLP_SHARE && tlpShare <= 1))
    {
        throw std::invalid_argument("PCIe: the share of TLPs is " + std::to_string(tlpShare) +
                                    "; allowed is 0.001 to 1");
    }
    RequireTime("the latency", latency);
    RequireTime("the latency of the host's memory", memoryLatency);
}

} // namespace ns3::fabric
