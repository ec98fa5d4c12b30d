/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_VL_ARBITER_ATTRIBUTES_H
#define FABRIC_VL_ARBITER_ATTRIBUTES_H

#include "fabric-vl-arbiter.h"

#include "ns3/type-id.h"

#include <string>

namespace ns3::fabric
{

/// Settings of an arbiter as attributes, for the ns-3 objects that have one (VA-12) to inherit.
class VlArbiterAttributes
{
  public:
    /**
     * @param tid of a class that inherits this one
     * @param prefix of the attributes' names
     * @return the type with the attributes; they are for construction, since the arbiter is made of
     * them
     */
    static TypeId AddAttributes(TypeId tid, const std::string& prefix);

    /**
     * Refuses settings of meters that nobody reads.
     *
     * @param prefix of the attributes' names
     * @throws std::invalid_argument with a sentence
     */
    void RequireEffectsOfMeter(const std::string& prefix) const;

    /// @return what the attributes say
    VlArbiterSettings MakeArbiterSettings(const LinkRate& rate) const;

  protected:
    ~VlArbiterAttributes() = default;

  private:
    VlArbiterSettings m_settings; ///< But for the rate.
};

} // namespace ns3::fabric

#endif // FABRIC_VL_ARBITER_ATTRIBUTES_H
