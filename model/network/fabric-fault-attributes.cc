/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fault-attributes.h"

#include "fabric-attributed-type.h"

#include "ns3/random-variable-stream.h"

namespace ns3::fabric
{

TypeId
FaultAttributes::AddAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL, &FaultAttributes::m_rates)
        .Add("Loss", "Fraction of arriving packets that are lost.")
        .Sets(&FaultRates::loss, 0, {0, 1})
        .Add("Corrupt", "Fraction of arriving packets that are damaged.")
        .Sets(&FaultRates::corrupt, 0, {0, 1})
        .Add("Duplicate", "Fraction of arriving packets that arrive twice.")
        .Sets(&FaultRates::duplicate, 0, {0, 1})
        .Add("Reorder", "Fraction of arriving packets that are delayed by a random time.")
        .Sets(&FaultRates::reorder, 0, {0, 1})
        .Add("ReorderDelay", "Largest delay of these packets.")
        .Sets(&FaultRates::reorderDelay, MicroSeconds(10), {Time(0), Seconds(1)})
        .Add("FaultSeed",
             "Selects the random numbers of the faults, besides RngSeed and RngRun; each node has "
             "its own.")
        .Sets(&FaultAttributes::m_faultSeed, 1);
}

FaultInjector
FaultAttributes::MakeFaultInjector(uint32_t node) const
{
    if (!m_rates.Any())
    {
        return FaultInjector(m_rates, 0); // it draws nothing
    }
    constexpr int64_t FIRST_STREAM = int64_t{1} << 62; // far from those that users choose
    constexpr int64_t NODES = int64_t{1} << 30;
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(FIRST_STREAM + m_faultSeed * NODES + node);
    const uint64_t high = random->GetInteger(0, UINT32_MAX);
    return FaultInjector(m_rates, high << 32 | random->GetInteger(0, UINT32_MAX));
}

} // namespace ns3::fabric
