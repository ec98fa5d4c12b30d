/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_SLOTS_H
#define FABRIC_REDUCTION_SLOTS_H

#include "fabric-reduction-operation.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * The slots of a reduction at a switch (SW-14): in each, what has come of one piece from its
 * children.
 *
 * The pieces of a reduction are the frames of its messages, numbered through; piece n has slot n
 * modulo their number. A member sends a piece when it has the result of the one that had the slot
 * before. So each finds its slot free, or opened by others of the same piece, in whatever order
 * they come.
 *
 * Values are combined in the order of the children, not in that of arrival: sums of doubles are the
 * same however late somebody is.
 */
class ReductionSlots
{
  public:
    /// @param operation what is made of values
    /// @param children that contribute, at least one
    /// @param slots at least one
    ReductionSlots(ReductionOperation operation, uint32_t children, uint32_t slots)
        : m_operation(operation),
          m_children(children),
          m_slots(slots),
          m_contributions(std::size_t{slots} * children)
    {
    }

    /**
     * A contribution has come.
     *
     * @param number of the slot
     * @param child from 0
     * @param value bits of its value
     * @param payload of its frame, bytes
     * @return bits of the result, if it was the last contribution; then the slot is free
     * @throws std::logic_error if the child has contributed already, or others have another size
     */
    std::optional<uint64_t> Take(uint32_t number, uint32_t child, uint64_t value, uint32_t payload)
    {
        Slot& slot = m_slots[number];
        if (slot.missing == 0)
        {
            slot = {m_children, payload};
            ++m_open;
        }
        Contribution& own = m_contributions[std::size_t{number} * m_children + child];
        Require(slot.payload == payload, "contributions differ in size", number);
        Require(!own.isThere, "a child contributes twice", number);
        own = {value, true};
        if (--slot.missing != 0)
        {
            return std::nullopt;
        }
        --m_open;
        return TakeResult(number);
    }

    /// @return slots with a piece of which something is missing
    uint32_t Open() const
    {
        return m_open;
    }

  private:
    /// A piece, or none.
    struct Slot
    {
        uint32_t missing{0}; ///< Contributions that have not come; 0 for a free slot.
        uint32_t payload{0}; ///< Of each contribution, bytes.
    };

    /// What a child has sent of a piece.
    struct Contribution
    {
        uint64_t value{0};   ///< Bits.
        bool isThere{false}; ///< Whether it has come.
    };

    /// Refuses what can't be.
    static void Require(bool ok, const char* what, uint32_t slot)
    {
        if (!ok)
        {
            throw std::logic_error("slot " + std::to_string(slot) + " of a reduction: " + what);
        }
    }

    /// @return what the values in a slot become, which is free then
    uint64_t TakeResult(uint32_t slot)
    {
        Contribution* const all = &m_contributions[std::size_t{slot} * m_children];
        uint64_t result = all[0].value;
        all[0].isThere = false;
        for (uint32_t child = 1; child < m_children; ++child)
        {
            result = Combine(m_operation, result, all[child].value);
            all[child].isThere = false;
        }
        return result;
    }

    ReductionOperation m_operation; ///< What is made of values.
    uint32_t m_children;            ///< That contribute.
    uint32_t m_open{0};             ///< Slots with a piece of which something is missing.
    std::vector<Slot> m_slots;      ///< By number.
    std::vector<Contribution> m_contributions; ///< By slot, then by child.
};

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_SLOTS_H
