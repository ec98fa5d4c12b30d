/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_DESCRIPTOR_H
#define FABRIC_REDUCTION_DESCRIPTOR_H

#include "fabric-reduction-operation.h"
#include "fabric-tree-port.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a switch of a reduction's tree does with its frames (SW-14).
struct ReductionDescriptor
{
    static constexpr uint16_t NO_PORT = TreePort::NO_PORT; ///< There is none.

    LocationId reduction{FIRST_REDUCTION};                 ///< Location of the reduction.
    ReductionOperation operation{ReductionOperation::SUM}; ///< What is made of values.
    /// Ports to members and to the switches below, in ascending order.
    TreePorts children;
    TreePort up;              ///< To the switch above; NO_PORT at the root.
    bool isToAll{true};       ///< Whether all members get results, or one.
    uint16_t target{NO_PORT}; ///< If one: the child toward it; NO_PORT if it is not below.
    uint32_t window{1};       ///< Slots: frames that a member has under way at most.
    uint32_t firstOperand{0}; ///< Of as many entries of ReductionOperands.

    /// @return whether results go to members by it, and not only that they are there
    bool CarriesResults(uint16_t child) const
    {
        return isToAll || child == target;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_DESCRIPTOR_H
