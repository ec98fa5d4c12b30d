/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FAULT_ATTRIBUTES_H
#define FABRIC_FAULT_ATTRIBUTES_H

#include "fabric-fault-injector.h"

#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <cstdint>

namespace ns3
{
namespace fabric
{

/**
 * What happens to arriving packets, as attributes for an ns-3 object to inherit. The rates are a
 * base class, so that attributes can point to their members.
 */
class FaultAttributes : private FaultRates
{
  public:
    /// @param tid of a class that inherits this one @return the type with the attributes; they are
    /// for construction
    static TypeId AddAttributes(TypeId tid);

  protected:
    ~FaultAttributes() = default;

    /**
     * @param node number of the node, for the seed
     * @return a fault injector as the attributes say
     * @throw std::invalid_argument if one makes no sense
     */
    FaultInjector MakeFaultInjector(uint32_t node);

  private:
    /**
     * A member of a base class as one of this class, as the accessors of attributes need it.
     *
     * @param member of a base class
     * @return the same
     */
    template <typename T, typename Base>
    static T FaultAttributes::*Own(T Base::*member)
    {
        return member;
    }

    Time m_reorderDelay;  ///< `ReorderDelay`
    uint32_t m_faultSeed; ///< `FaultSeed`
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_FAULT_ATTRIBUTES_H
