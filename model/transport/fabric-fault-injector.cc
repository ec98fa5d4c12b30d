/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fault-injector.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/**
 * @param name of a probability
 * @param value what must be 0 to 1
 */
void
RequireProbability(const char* name, double value)
{
    if (!(value >= 0 && value <= 1))
    {
        throw std::invalid_argument(std::string("FaultRates: ") + name + " is " +
                                    std::to_string(value) + ", allowed is 0 to 1.");
    }
}

} // namespace

FaultInjector::FaultInjector(const FaultRates& rates, uint64_t seed)
    : m_rates(rates),
      m_random(rates.Any() ? std::make_unique<std::mt19937_64>(seed) : nullptr)
{
    RequireProbability("loss", rates.loss);
    RequireProbability("corrupt", rates.corrupt);
    RequireProbability("duplicate", rates.duplicate);
    RequireProbability("reorder", rates.reorder);
    if (rates.reorderDelay < 0)
    {
        throw std::invalid_argument("FaultRates: reorderDelay is " +
                                    std::to_string(rates.reorderDelay) +
                                    " ps, allowed is 0 and more.");
    }
}

bool
FaultInjector::Happens(double probability)
{
    // 53 bits, the same with every standard library; nothing is drawn for what never happens.
    return probability > 0 && static_cast<double>((*m_random)() >> 11) * 0x1p-53 < probability;
}

TimePs
FaultInjector::DrawDelay()
{
    if (!Happens(m_rates.reorder))
    {
        return 0;
    }
    ++m_counts.delayed;
    const auto most = static_cast<uint64_t>(m_rates.reorderDelay);
    return static_cast<TimePs>((*m_random)() % (most + 1));
}

Fate
FaultInjector::Draw()
{
    ++m_counts.packets;
    Fate fate;
    if (Happens(m_rates.loss))
    {
        ++m_counts.lost;
        fate.copies = 0;
        return fate;
    }
    if (Happens(m_rates.corrupt))
    {
        ++m_counts.corrupted;
        fate.isCorrupt = true;
    }
    if (Happens(m_rates.duplicate))
    {
        ++m_counts.duplicated;
        fate.copies = 2;
    }
    for (uint32_t i = 0; i < fate.copies; ++i)
    {
        fate.delay[i] = DrawDelay();
    }
    return fate;
}

} // namespace ns3::fabric
