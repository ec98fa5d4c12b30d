/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PCIE_ATTRIBUTES_H
#define FABRIC_PCIE_ATTRIBUTES_H

#include "fabric-attributed-type.h"
#include "fabric-pcie-settings.h"

namespace ns3::fabric
{

/// @param lowest that is allowed @return what the time of a step of a host or its NIC may be
inline ValueRange<ExactTime>
StepTimes(ExactTime lowest = TimePs{0})
{
    return {lowest, LONGEST_STEP};
}

/// @param pcie the settings in an object @return its type with attributes of the PCIe link
template <typename Owner>
TypeId
AddPcieAttributes(TypeId tid, PcieSettings Owner::*pcie)
{
    const PcieSettings defaults;
    return AttributedType(tid, BEFORE_INSTALL, pcie)
        .Add("PcieGeneration", "Generation of PCIe, 1 to 5.")
        .Sets(&PcieSettings::generation, defaults.generation)
        .Add("PcieLanes", "Lanes of the PCIe link, 1 to 16.")
        .Sets(&PcieSettings::lanes, defaults.lanes)
        .Add("PcieMps", "Maximum payload size of PCIe, bytes.")
        .Sets(&PcieSettings::mps, defaults.mps)
        .Add("PcieMrrs", "Maximum read request size of PCIe, bytes.")
        .Sets(&PcieSettings::mrrs, defaults.mrrs)
        .Add("PcieTlpShare",
             "What the data link layer of PCIe leaves to TLPs, of the link. pcie-model "
             "(Neugebauer et al., SIGCOMM'18): 227.40 of 252.06 Gb/s.")
        .Sets(&PcieSettings::tlpShare, defaults.tlpShare, {LEAST_TLP_SHARE, 1})
        .Add("PcieOutstandingReads", "Reads over PCIe that are outstanding at a time.")
        .Sets(&PcieSettings::outstandingReads, defaults.outstandingReads)
        .Add("PcieLatency",
             "From the end of a TLP on the link to its effect, each way. With PcieMemoryLatency a "
             "DMA read of 64 bytes takes 547 ns (Neugebauer et al., SIGCOMM'18).")
        .Sets(&PcieSettings::latency, defaults.latency, StepTimes())
        .Add("PcieMemoryLatency", "Of a read of the host's memory besides. See PcieLatency.")
        .Sets(&PcieSettings::memoryLatency, defaults.memoryLatency, StepTimes())
        .Add("WriteCombining",
             "Whether the core joins its stores into writes of 64 bytes; else each of 8 bytes is "
             "a TLP of its own.")
        .Sets(&PcieSettings::combinesWrites, defaults.combinesWrites);
}

} // namespace ns3::fabric

#endif // FABRIC_PCIE_ATTRIBUTES_H
