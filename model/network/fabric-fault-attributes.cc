/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fault-attributes.h"

#include "fabric-attributed-type.h"

namespace ns3::fabric
{

TypeId
FaultAttributes::AddAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL, &FaultAttributes::m_rates)
        .Add("Loss", "Part of arriving packets that vanish.")
        .Sets(&FaultRates::loss, 0, {0, 1})
        .Add("Corrupt", "Part of arriving packets that are damaged.")
        .Sets(&FaultRates::corrupt, 0, {0, 1})
        .Add("Duplicate", "Part of arriving packets that arrive twice.")
        .Sets(&FaultRates::duplicate, 0, {0, 1})
        .Add("Reorder", "Part of arriving packets that are held back for a random time.")
        .Sets(&FaultRates::reorder, 0, {0, 1})
        .Add("ReorderDelay", "Longest time for which they are held back.")
        .Sets(&FaultRates::reorderDelay, MicroSeconds(10), {Time(0), Seconds(1)})
        .Add("FaultSeed", "Seed of the faults; the node's number is added to it.")
        .Sets(&FaultAttributes::m_faultSeed, 1);
}

FaultInjector
FaultAttributes::MakeFaultInjector(uint32_t node) const
{
    return FaultInjector(m_rates, (uint64_t{m_faultSeed} << 32) + node);
}

} // namespace ns3::fabric
