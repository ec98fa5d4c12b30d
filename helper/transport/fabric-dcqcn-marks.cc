/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dcqcn-marks.h"

#include "fabric-switch.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::fabric
{

DcqcnMarks
DcqcnMarks::OfPaper(DataRate rate)
{
    constexpr double RATE = 40e9; // b/s
    const double scale = static_cast<double>(rate.GetBitRate()) / RATE;
    return {5e3 * scale, 200e3 * scale, 0.01};
}

void
DcqcnMarks::SetDefaults(const ProgramOptions& options) const
{
    constexpr double MOST = 1U << 30; // of the attributes
    const auto value = [MOST](double bytes) {
        return UintegerValue(static_cast<uint64_t>(std::min(bytes, MOST)));
    };
    SetMarkClassesDefault(options);
    UintegerValue classes;
    CreateObject<FabricSwitch>()->GetAttribute("MarkClasses", classes);
    if (classes.Get() == 0)
    {
        return; // there is no class that they would be of
    }
    options.SetDefault("ns3::FabricSwitch::MarkMinBytes", value(minBytes));
    options.SetDefault("ns3::FabricSwitch::MarkMaxBytes", value(maxBytes));
    options.SetDefault("ns3::FabricSwitch::MarkProbability", DoubleValue(probability));
}

void
SetMarkClassesDefault(const ProgramOptions& options)
{
    options.SetDefault("ns3::FabricSwitch::MarkClasses", UintegerValue(0xFFFF));
}

} // namespace ns3::fabric
