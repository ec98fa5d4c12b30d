/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FAULT_ATTRIBUTES_H
#define FABRIC_FAULT_ATTRIBUTES_H

#include "fabric-fault-injector.h"

#include "ns3/type-id.h"

#include <cstdint>

namespace ns3::fabric
{

/// What happens to arriving packets, as attributes for an ns-3 object to inherit.
class FaultAttributes
{
  public:
    /// @param tid of a class that inherits this one @return the type with the attributes; they are
    /// for construction
    static TypeId AddAttributes(TypeId tid);

  protected:
    ~FaultAttributes() = default;

    /**
     * Its random numbers follow RngSeed and RngRun, as those of ns-3's random variables.
     *
     * @param node number of the node, which has a random stream of its own
     * @throw std::invalid_argument if one makes no sense
     */
    FaultInjector MakeFaultInjector(uint32_t node) const;

  private:
    FaultRates m_rates;   ///< Attributes but the one below.
    uint32_t m_faultSeed; ///< `FaultSeed`
};

} // namespace ns3::fabric

#endif // FABRIC_FAULT_ATTRIBUTES_H
