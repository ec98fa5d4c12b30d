/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PREEMPTION_ATTRIBUTES_H
#define FABRIC_PREEMPTION_ATTRIBUTES_H

#include "fabric-preemption-rules.h"
#include "fabric-vl-arbiter.h"

#include "ns3/type-id.h"

#include <string>

namespace ns3::fabric
{

/// Settings of preemption (VA-9), interleaving (VA-10) and of the time of checks (VA-7) as
/// attributes, for the ns-3 objects whose ports send frames in pieces to inherit.
class PreemptionAttributes
{
  public:
    /**
     * @param tid of a class that inherits this one
     * @param prefix of the attributes' names
     * @return the type with the attributes; they are for construction, since ports are made of them
     */
    static TypeId AddAttributes(TypeId tid, const std::string& prefix);

    const PreemptionSettings& GetPreemptionSettings() const
    {
        return m_settings;
    }

    /// @return when a frame's lane is checked
    CheckTime GetCheckTime() const
    {
        return m_checkTime;
    }

  protected:
    ~PreemptionAttributes() = default;

  private:
    PreemptionSettings m_settings; ///< Attributes but the one below.
    CheckTime m_checkTime;         ///< `Check`
};

} // namespace ns3::fabric

#endif // FABRIC_PREEMPTION_ATTRIBUTES_H
