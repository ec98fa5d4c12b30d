/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-age-queue-places.h"

#include <algorithm>

namespace ns3::fabric
{

SharedSpaceTable::SharedSpaceTable(double fraction)
{
    double left = 1;
    for (double& total : m_total)
    {
        left *= 1 - fraction;
        total = 1 - left;
    }
}

AgeQueuePlaces::AgeQueuePlaces(uint32_t inputs, uint32_t lists, const AgeQueueSettings& settings)
    : m_lists(lists),
      m_fixedPlaces(settings.fixedPlaces),
      m_sharedPlaces(settings.places - double{1} * inputs * lists * settings.fixedPlaces),
      m_limits(settings.sharedFraction),
      m_inputs(inputs),
      m_fixedTaken(std::size_t{inputs} * lists, 0)
{
}

bool
AgeQueuePlaces::MayShare(const Input& input) const
{
    return input.shared + 1 <= m_limits.Each(m_active) * m_sharedPlaces &&
           m_sharedTaken + 1 <= m_limits.Total(m_active) * m_sharedPlaces;
}

bool
AgeQueuePlaces::Take(uint32_t input, uint32_t list)
{
    uint32_t& fixed = m_fixedTaken[input * m_lists + list];
    if (fixed == m_fixedPlaces)
    {
        return false;
    }
    Input& taker = m_inputs[input];
    m_active += taker.fixed + taker.shared == 0;
    ++m_taken;
    if (MayShare(taker))
    {
        ++taker.shared;
        ++m_sharedTaken;
    }
    else
    {
        ++taker.fixed;
        ++fixed;
    }
    return true;
}

void
AgeQueuePlaces::Give(uint32_t input, uint32_t list)
{
    uint32_t& fixed = m_fixedTaken[input * m_lists + list];
    Input& giver = m_inputs[input];
    --m_taken;
    if (fixed != 0)
    {
        --fixed;
        --giver.fixed;
    }
    else
    {
        --giver.shared;
        --m_sharedTaken;
    }
    m_active -= giver.fixed + giver.shared == 0;
}

void
AgeQueuePlaces::Clear()
{
    std::fill(m_inputs.begin(), m_inputs.end(), Input());
    std::fill(m_fixedTaken.begin(), m_fixedTaken.end(), 0);
    m_sharedTaken = m_taken = m_active = 0;
}

} // namespace ns3::fabric
