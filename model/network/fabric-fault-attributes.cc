/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fault-attributes.h"

#include "fabric-attribute-flags.h"

#include "ns3/double.h"
#include "ns3/object-base.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace fabric
{

TypeId
FaultAttributes::AddAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Loss",
                      "Part of arriving packets that vanish.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::loss)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("Corrupt",
                      "Part of arriving packets that are damaged.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::corrupt)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("Duplicate",
                      "Part of arriving packets that arrive twice.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::duplicate)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("Reorder",
                      "Part of arriving packets that are held back for a random time.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::reorder)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("ReorderDelay",
                      "Longest time for which they are held back.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(10)),
                      MakeTimeAccessor(&FaultAttributes::m_reorderDelay),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("FaultSeed",
                      "Seed of the faults; the node's number is added to it.",
                      BEFORE_INSTALL,
                      UintegerValue(1),
                      MakeUintegerAccessor(&FaultAttributes::m_faultSeed),
                      MakeUintegerChecker<uint32_t>());
}

FaultInjector
FaultAttributes::MakeFaultInjector(uint32_t node)
{
    reorderDelay = m_reorderDelay.GetPicoSeconds();
    return FaultInjector(*this, (uint64_t{m_faultSeed} << 32) + node);
}

} // namespace fabric
} // namespace ns3
