/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FAULT_INJECTOR_H
#define FABRIC_FAULT_INJECTOR_H

#include "fabric-types.h"

#include <array>
#include <cstdint>
#include <memory>
#include <random>

namespace ns3::fabric
{

/// How often a path does what to packets (RT-15). Probabilities are 0 to 1 and independent.
struct FaultRates
{
    double loss{0};                ///< A packet vanishes.
    double corrupt{0};             ///< A packet arrives damaged; its check finds that.
    double duplicate{0};           ///< A packet arrives twice.
    double reorder{0};             ///< A packet is held back, so that later ones pass it.
    TimePs reorderDelay{10000000}; ///< Longest time for which it is held back, ps.

    /// @return whether a packet may be harmed at all
    bool Any() const
    {
        return loss > 0 || corrupt > 0 || duplicate > 0 || reorder > 0;
    }
};

/// What was done to packets so far.
struct FaultCounts
{
    uint64_t packets{0};    ///< Seen.
    uint64_t lost{0};       ///< Vanished.
    uint64_t corrupted{0};  ///< Damaged.
    uint64_t duplicated{0}; ///< Doubled.
    uint64_t delayed{0};    ///< Held back.
};

/// What happens to one packet: 0, 1 or 2 copies arrive, each after a delay of its own.
struct Fate
{
    uint32_t copies{1};              ///< That arrive.
    std::array<TimePs, 2> delay{{}}; ///< Of each copy, besides the path's own, ps.
    bool isCorrupt{false};           ///< Whether the copies are damaged.
};

/**
 * Loses, damages, doubles and reorders packets at random.
 *
 * It stands in front of a receiver and owns its random numbers, so that what one receiver sees does
 * not depend on the others.
 */
class FaultInjector
{
  public:
    FaultInjector() = default;

    /**
     * @param rates how often what happens
     * @param seed of the random numbers
     * @throw std::invalid_argument for a probability outside 0 to 1, or a negative delay
     */
    FaultInjector(const FaultRates& rates, uint64_t seed);

    /// @return the fate of the next packet
    Fate Draw();

    /// @return what was done so far
    const FaultCounts& Counts() const
    {
        return m_counts;
    }

  private:
    /// @return whether something of this probability happens
    bool Happens(double probability);

    /// @return extra delay of one copy, ps
    TimePs DrawDelay();

    FaultRates m_rates;   ///< How often.
    FaultCounts m_counts; ///< How often it did.
    /// Draws; null if nothing ever happens, since each takes 2.5 KB.
    std::unique_ptr<std::mt19937_64> m_random;
};

} // namespace ns3::fabric

#endif // FABRIC_FAULT_INJECTOR_H
