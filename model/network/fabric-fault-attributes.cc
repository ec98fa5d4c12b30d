/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fault-attributes.h"

#include "fabric-attributed-type.h"
#include "fabric-dependent-attributes.h"

#include "ns3/random-variable-stream.h"

namespace ns3::fabric
{

namespace
{

constexpr uint32_t FIRST_FAULT_SEED = 1; ///< Default of `FaultSeed`.

} // namespace

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
        .Sets(&FaultAttributes::m_faultSeed, FIRST_FAULT_SEED);
}

FaultInjector
FaultAttributes::MakeFaultInjector(uint32_t node) const
{
    if (m_rates.reorder == 0)
    {
        RequireDefaults({{"ReorderDelay", m_rates.reorderDelay != FaultRates().reorderDelay}},
                        "Reorder is 0",
                        "Reorder above 0");
    }
    if (!m_rates.Any())
    {
        RequireDefaults({{"FaultSeed", m_faultSeed != FIRST_FAULT_SEED}},
                        "no packet has a fault",
                        "Loss, Corrupt, Duplicate or Reorder above 0");
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
