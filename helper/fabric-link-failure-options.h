/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_FAILURE_OPTIONS_H
#define FABRIC_LINK_FAILURE_OPTIONS_H

#include "fabric-helper.h"
#include "fabric-program-options.h"

#include "ns3/nstime.h"

#include <string>

namespace ns3::fabric
{

/**
 * Options of a program in which a link of the fabric can fail and be repaired. The first host
 * sends, and the last one is the target.
 */
struct LinkFailureOptions
{
    Time failAt{0};             ///< A link fails; 0 for none.
    Time repairAt{0};           ///< It is repaired; 0 for not at all.
    std::string link{"target"}; ///< Which link: target, sender, or two switches such as 0-8.

    /// Adds failAt, repairAt and failLink. @param options of the program; refer to this object
    void AddTo(ProgramOptions& options);

    /// @return whether a link fails
    bool IsGiven() const;

    /**
     * @throws std::invalid_argument with a sentence if the link is repaired without having failed
     */
    void Check() const;

    /**
     * Refuses a failure where there is no fabric.
     *
     * @param allowed what may be given instead
     * @throws std::invalid_argument with a sentence if a link is to fail
     */
    void Refuse(const std::string& allowed) const;

    /**
     * Plans failure and repair.
     *
     * @throws std::invalid_argument with a sentence if it has no such link
     */
    void Plan(const FabricContainer& fabric) const;

  private:
    /// @return the link that is to fail
    Ptr<FabricChannel> FindLink(const FabricContainer& fabric) const;
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_FAILURE_OPTIONS_H
