/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reduction-windows.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

void
ReductionWindows::Join(const ReductionMembership& membership)
{
    const std::size_t place = membership.reduction - FIRST_REDUCTION;
    m_numberOf.resize(std::max(m_numberOf.size(), place + 1));
    m_numberOf[place] = static_cast<uint16_t>(m_members.size());
    m_members.emplace_back();
    m_members.back().membership = membership;
    m_members.back().window.resize(membership.window);
}

uint32_t
ReductionWindows::Start(LocationId reduction, uint64_t bytes, uint64_t value, TimePs now)
{
    Handle(now); // so that the next time is not over
    Member& member = Find(reduction);
    const uint64_t frames = bytes == 0 ? 1 : (bytes + m_mtu - 1) / m_mtu;
    member.operations.Push({value, bytes, frames, frames});
    return member.begun++;
}

TimePs
ReductionWindows::NextTime() const
{
    TimePs next = NEVER;
    for (const Member& member : m_members)
    {
        if (member.Waits() && !member.MaySend())
        {
            next = std::min(next, member.First().returnsAt);
        }
    }
    return next;
}

void
ReductionWindows::Handle(TimePs at)
{
    for (Member& member : m_members)
    {
        member.Settle(at);
    }
}

bool
ReductionWindows::HasPacket() const
{
    return std::any_of(m_members.begin(), m_members.end(), [](const Member& member) {
        return member.MaySend();
    });
}

std::optional<EnginePacket>
ReductionWindows::NextPacket(TimePs now)
{
    Handle(now);
    for (std::size_t i = 0; i < m_members.size(); ++i)
    {
        Member& member = m_members[m_turn];
        m_turn = (m_turn + 1) % m_members.size();
        if (member.MaySend())
        {
            return MakePacket(member);
        }
    }
    return std::nullopt;
}

EnginePacket
ReductionWindows::MakePacket(Member& member)
{
    Operation& operation = member.operations.At(member.sending);
    const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(operation.left, m_mtu));
    const ReductionMembership& membership = member.membership;
    const auto place = static_cast<uint32_t>(member.sent % membership.window);
    const uint32_t handle = membership.firstOperand + place;
    m_operands.At(handle) = operation.value;
    member.window[place] = {NEVER, member.done + member.sending};
    operation.left -= bytes;
    ++member.sent;
    if (--operation.toSend == 0)
    {
        ++member.sending;
    }
    return {membership.queue, bytes, handle, FrameKind::GROUP};
}

void
ReductionWindows::Arrive(const Frame& frame)
{
    Member& member = Find(frame.dst);
    Sent& sent = member.window[frame.handle % member.window.size()];
    sent.returnsAt = frame.time;
    Operation& operation = member.operations.At(sent.operation - member.done);
    const uint64_t value = m_operands.At(frame.handle);
    if (std::exchange(operation.hasResult, true) && operation.result != value)
    {
        throw std::logic_error("the reduction " + std::to_string(frame.dst) +
                               ": frames of an operation have different results");
    }
    operation.result = value;
    --operation.toCome;
    TellDone(member, frame.time);
}

void
ReductionWindows::TellDone(Member& member, TimePs at)
{
    const ReductionMembership& membership = member.membership;
    while (!member.operations.IsEmpty() && member.operations.Front().toCome == 0)
    {
        const uint64_t value = membership.getsResults ? member.operations.Front().result : 0;
        const ReducedOperation done{membership.reduction,
                                    member.done++,
                                    membership.getsResults,
                                    value};
        member.operations.Pop();
        --member.sending;
        m_listener.OperationDone(done, at);
    }
}

} // namespace ns3::fabric
