/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reduction-port.h"

#include "fabric-net-device.h"
#include "fabric-network.h"

namespace ns3::fabric
{

ReductionPort::ReductionPort(FabricNetDevice& device)
    : m_device(device),
      m_network(PeekPointer(device.GetNetwork())),
      m_windows(m_network->GetReductions().Operands(), device.GetNic().Config().mtu, *this)
{
    device.GetNic().SetEngine(&m_windows, nullptr);
}

uint32_t
ReductionPort::Start(LocationId reduction, uint64_t bytes, uint64_t bits, TimePs now)
{
    Nic& nic = m_device.GetNic();
    nic.RunUntil(now);
    m_begun[reduction - FIRST_REDUCTION].Push({bytes, now});
    const uint32_t number = m_windows.Start(reduction, bytes, bits, now);
    nic.EngineHasWork(now);
    return number;
}

void
ReductionPort::OperationDone(const ReducedOperation& operation, TimePs at)
{
    m_done.Push(operation);
    Frame frame{};
    frame.kind = FrameKind::GROUP;
    m_network->Notify(at, &m_device, frame);
}

ReductionResult
ReductionPort::TakeDone()
{
    const ReducedOperation done = m_done.Front();
    m_done.Pop();
    Ring<Begun>& begun = m_begun[done.reduction - FIRST_REDUCTION];
    ReductionResult result;
    result.reduction = done.reduction;
    result.member = m_device.GetLocation();
    result.number = done.number;
    result.bytes = begun.Front().bytes;
    result.startedAt = begun.Front().at;
    result.hasValue = done.hasValue;
    result.bits = done.value;
    begun.Pop();
    return result;
}

} // namespace ns3::fabric
