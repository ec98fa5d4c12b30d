/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_WINDOWS_H
#define FABRIC_REDUCTION_WINDOWS_H

#include "fabric-nic-engine.h"
#include "fabric-reduction-operands.h"
#include "fabric-ring.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// What makes a host a member of a reduction (SW-14).
struct ReductionMembership
{
    LocationId reduction{FIRST_REDUCTION}; ///< Location of the reduction.
    uint32_t queue{0};                     ///< Of the NIC, for its frames.
    uint32_t window{1};                    ///< Frames that it has under way at most.
    uint32_t firstOperand{0};              ///< Of as many entries of ReductionOperands.
    bool getsResults{true};                ///< Else it is told only that they are there.
};

/// An operation of a reduction that is done, as far as a member is concerned.
struct ReducedOperation
{
    LocationId reduction; ///< Location of the reduction.
    uint32_t number;      ///< Of the operation, from 0.
    bool hasValue;        ///< Whether this member gets the result.
    uint64_t value;       ///< Its bits.
};

/// Is told of operations that are done, ahead of time.
class ReductionListener
{
  public:
    virtual ~ReductionListener() = default;

    /// @param at when the last byte arrives, ps
    virtual void OperationDone(const ReducedOperation& operation, TimePs at) = 0;
};

/**
 * What a member sends to reductions, inside its NIC (SW-14): the frames of one operation after the
 * other, and none before the result of the frame a window earlier has come. So switches always have
 * slots for what comes. Results may overtake each other; operations are told of in order.
 */
class ReductionWindows : public NicEngine
{
  public:
    /// @param operands that frames carry
    /// @param mtu payload of a full frame, bytes
    ReductionWindows(ReductionOperands& operands, uint32_t mtu, ReductionListener& listener)
        : m_operands(operands),
          m_mtu(mtu),
          m_listener(listener)
    {
    }

    /// The host becomes a member of a reduction.
    void Join(const ReductionMembership& membership);

    /**
     * Begins an operation, after those before; the NIC has to be told of work
     * (Nic::EngineHasWork()).
     *
     * @param reduction of which the host is a member
     * @param bytes size of its message, any
     * @param value bits of what each frame carries
     * @param now Nic::RunUntil() this time was called, ps
     * @return number of the operation, from 0
     */
    uint32_t Start(LocationId reduction, uint64_t bytes, uint64_t value, TimePs now);

    TimePs NextTime() const override;
    void Handle(TimePs at) override;
    std::optional<EnginePacket> NextPacket(TimePs now) override;

    bool OffersAll() const override
    {
        return true;
    }

    bool HasPacket() const override;

    FrameKinds Takes() const override
    {
        return KindBit(FrameKind::GROUP);
    }

    /// @throws std::logic_error if frames of an operation have different results
    void Arrive(const Frame& frame) override;

    TimePs NextReport(TimePs next) const override
    {
        return next; // nobody asks: it tells of results as they are announced
    }

    TimePs ReportDelay() const override
    {
        return NEVER;
    }

  private:
    /// An operation that is not done.
    struct Operation
    {
        uint64_t value;        ///< Bits of what each frame carries.
        uint64_t left;         ///< Bytes that were not given to the NIC.
        uint64_t toSend;       ///< Frames that were not given to the NIC.
        uint64_t toCome;       ///< Frames of which the result was not announced.
        uint64_t result{0};    ///< Bits that those have that were.
        bool hasResult{false}; ///< Whether any was.
    };

    /// A frame that was given to the NIC.
    struct Sent
    {
        TimePs returnsAt{NEVER}; ///< When its result is in, if that was announced, ps.
        uint32_t operation{0};   ///< Number of its operation.
    };

    /// A reduction of which the host is a member.
    struct Member
    {
        ReductionMembership membership; ///< What it is told.
        Ring<Operation> operations;     ///< Not done, in order.
        std::vector<Sent> window;       ///< By number of the frame, modulo its size.
        uint32_t sending{0};            ///< Place of the first operation with frames to send.
        uint32_t begun{0};              ///< Operations begun.
        uint32_t done{0};               ///< Operations done.
        uint64_t sent{0};               ///< Frames given to the NIC.
        uint64_t returned{0};           ///< Frames before this have returned.

        /// @return whether there are frames to send
        bool Waits() const
        {
            return sending < operations.Size();
        }

        /// @return whether a frame may go
        bool MaySend() const
        {
            return Waits() && sent - returned < window.size();
        }

        /// @return the first frame of those that have not returned, or that will be sent next
        const Sent& First() const
        {
            return window[returned % window.size()];
        }

        /// Results that have come by a time make room in the window.
        void Settle(TimePs now)
        {
            while (returned != sent && First().returnsAt <= now)
            {
                ++returned;
            }
        }
    };

    /// @return the member @param reduction of which the host is one
    Member& Find(LocationId reduction)
    {
        return m_members[m_numberOf[reduction - FIRST_REDUCTION]];
    }

    /// @return its next frame @param member that may send one
    EnginePacket MakePacket(Member& member);
    /// Tells of operations that are done. @param at when the last result of the first is in, ps
    void TellDone(Member& member, TimePs at);

    ReductionOperands& m_operands;    ///< That frames carry.
    const uint32_t m_mtu;             ///< Payload of a full frame, bytes.
    ReductionListener& m_listener;    ///< Is told of operations.
    std::vector<Member> m_members;    ///< In the order in which the host has joined.
    std::vector<uint16_t> m_numberOf; ///< By location, from FIRST_REDUCTION on.
    std::size_t m_turn{0};            ///< Whose turn it is to send.
};

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_WINDOWS_H
