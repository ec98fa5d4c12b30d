/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTIONS_H
#define FABRIC_REDUCTIONS_H

#include "fabric-reduction-descriptor.h"
#include "fabric-reduction-operands.h"
#include "fabric-reduction-operation.h"
#include "fabric-types.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// What a reduction does (SW-14).
struct ReductionTerms
{
    static constexpr uint32_t MOST_WINDOW = 1 << 16; ///< A bound, chosen.

    ReductionOperation operation{ReductionOperation::SUM}; ///< What is made of values.
    LocationId target{0};    ///< The one member that gets results; 0 for all.
    uint8_t trafficClass{0}; ///< FTAG of its frames.
    /// Frames that a member has under way at most, and slots in each switch of the tree. Chosen:
    /// 256 KiB, more than a link of 200 Gb/s carries while a frame goes up and down a large tree.
    uint32_t window{64};
};

/// What a member of a reduction is told when an operation is done.
struct ReductionResult
{
    LocationId reduction{0}; ///< Location of the reduction.
    LocationId member{0};    ///< Location of the member.
    uint32_t number{0};      ///< Of the operation, from 0.
    uint64_t bytes{0};       ///< Size of its message.
    TimePs startedAt{0};     ///< When this member began, ps.
    bool hasValue{true};     ///< Whether this member gets the result; else it is 0.
    uint64_t bits{0};        ///< Of the result.

    /// @return the result of integers or bits
    int64_t Value() const
    {
        return static_cast<int64_t>(bits);
    }

    /// @return the result of doubles
    double Double() const
    {
        return DoubleOf(bits);
    }
};

/// Which ranks run the members of a reduction.
struct MemberRanks
{
    uint32_t here{0};             ///< Members of this rank.
    std::vector<uint32_t> others; ///< Other ranks that have some.
};

/// An operation that members of a rank have begun, as other ranks are told.
struct BegunOperation
{
    LocationId reduction; ///< Location of the reduction.
    uint64_t number;      ///< Of the operation.
    uint64_t bytes;       ///< Size.
};

/**
 * The reductions of a fabric: who takes part, and which sizes their operations have.
 *
 * All members begin an operation with the same size. Ranks tell each other which they have begun
 * with.
 */
class Reductions
{
  public:
    /// @return values that frames carry
    ReductionOperands& Operands()
    {
        return m_operands;
    }

    /// @return number of reductions
    uint32_t Size() const
    {
        return static_cast<uint32_t>(m_reductions.size());
    }

    /// @throws std::invalid_argument with a sentence if no reduction can have these terms, or there
    /// are too many
    void RequireTerms(const ReductionTerms& terms) const;

    /**
     * @param terms that it can have
     * @param members in ascending order
     * @param ranks that run them
     * @return location of a new reduction
     */
    LocationId Add(const ReductionTerms& terms, std::vector<LocationId> members, MemberRanks ranks);

    /**
     * A member begins its next operation.
     *
     * @param reduction location, which may be none of a reduction
     * @param bytes size of the message
     * @param isDouble whether its value is one
     * @throws std::invalid_argument with a sentence if it can't
     */
    void Begin(LocationId reduction, LocationId member, uint64_t bytes, bool isDouble);

    /// @return what members of this rank have begun since the last call, and other ranks have to be
    /// told of
    std::vector<BegunOperation> TakeBegun();

    /// @return ranks that have to be told @param reduction location of one
    const std::vector<uint32_t>& OthersOf(LocationId reduction) const
    {
        return m_reductions[reduction - FIRST_REDUCTION].ranks.others;
    }

    /**
     * Another rank has told.
     *
     * @throws std::invalid_argument with a sentence if members here have begun with another size
     */
    void Hear(const BegunOperation& operation);

  private:
    /// An operation that not all members have begun, as far as is known here.
    struct Operation
    {
        uint64_t bytes;      ///< Size.
        std::size_t missing; ///< Members of this rank that have not begun it, and other ranks.
        bool isBegun{false}; ///< Whether some member of this rank has.
    };

    /// A reduction.
    struct Reduction
    {
        ReductionTerms terms;             ///< What it does.
        std::vector<LocationId> members;  ///< In ascending order.
        MemberRanks ranks;                ///< That run them.
        std::vector<uint64_t> begun;      ///< Operations, by member.
        std::deque<Operation> operations; ///< Those that some have not begun, in order.
        uint64_t first{0};                ///< Number of the first of these.
    };

    /// @return an operation, which may be the next one that is begun
    static Operation& OperationAt(Reduction& reduction, uint64_t number, uint64_t bytes);
    /// Refuses another size. @param what a sentence begins with
    static void RequireSize(const Operation& operation,
                            const std::string& what,
                            uint64_t number,
                            uint64_t bytes);
    /// Forgets operations that all have begun.
    static void DropBegun(Reduction& reduction);

    std::vector<Reduction> m_reductions; ///< By location, from FIRST_REDUCTION on.
    std::vector<BegunOperation> m_begun; ///< See TakeBegun().
    ReductionOperands m_operands;        ///< Values that frames carry.
};

} // namespace ns3::fabric

#endif // FABRIC_REDUCTIONS_H
