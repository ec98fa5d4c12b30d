/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PCIE_OPTION_H
#define FABRIC_PCIE_OPTION_H

#include "fabric-number-text.h"
#include "fabric-option-type.h"
#include "fabric-program.h"

#include "ns3/uinteger.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Sets generation and lanes of PCIe from the option `--pcie` of a program.
 *
 * @tparam Helper has SetAttribute()
 * @param text such as 4x16
 * @throws BadInput with a sentence if it is no such text
 */
template <typename Helper>
void
SetPcie(Helper& helper, const std::string& text)
{
    const std::vector<std::string> parts = SplitList(text, 'x');
    const bool isPair = parts.size() == 2;
    const auto generation = isPair ? ReadNumber<uint32_t>(parts[0]) : std::nullopt;
    const auto lanes = isPair ? ReadNumber<uint32_t>(parts[1]) : std::nullopt;
    if (!generation || !lanes)
    {
        ThrowNotAllowed("--pcie", text, "a generation, x and a number of lanes, as 4x16");
    }
    helper.SetAttribute("PcieGeneration", UintegerValue(*generation));
    helper.SetAttribute("PcieLanes", UintegerValue(*lanes));
}

} // namespace ns3::fabric

#endif // FABRIC_PCIE_OPTION_H
