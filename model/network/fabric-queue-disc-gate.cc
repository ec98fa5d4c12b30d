/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-queue-disc-gate.h"

#include "ns3/fq-cobalt-queue-disc.h"
#include "ns3/fq-codel-queue-disc.h"
#include "ns3/fq-pie-queue-disc.h"
#include "ns3/node.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"

#include <utility>

namespace ns3::fabric
{

namespace
{

/// Gives a queue disc of a kind a quantum, if it has none.
template <typename FairQueueDisc>
void
SetQuantum(const Ptr<QueueDisc>& disc, uint32_t bytes)
{
    const auto fair = DynamicCast<FairQueueDisc>(disc);
    if (fair && fair->GetQuantum() == 0)
    {
        fair->SetQuantum(bytes);
    }
}

/**
 * Gives a queue disc and those below it the quantum that ns-3 takes from the device: it does so
 * when it begins with the queue disc, which may be before the device, and not for those below. With
 * a quantum of 0 they never return.
 */
void
SetQuanta(const Ptr<QueueDisc>& disc, uint32_t bytes)
{
    SetQuantum<FqCoDelQueueDisc>(disc, bytes);
    SetQuantum<FqCobaltQueueDisc>(disc, bytes);
    SetQuantum<FqPieQueueDisc>(disc, bytes);
    for (std::size_t i = 0; i < disc->GetNQueueDiscClasses(); ++i)
    {
        SetQuanta(disc->GetQueueDiscClass(i)->GetQueueDisc(), bytes);
    }
}

} // namespace

bool
QueueDiscGate::IsNeeded(const Ptr<NetDevice>& device)
{
    const auto control = device->GetNode()->GetObject<TrafficControlLayer>();
    return control && control->GetRootQueueDiscOnDevice(device);
}

QueueDiscGate::QueueDiscGate(const Ptr<NetDevice>& device, std::function<TimePs()> findWait)
    : m_findWait(std::move(findWait)),
      m_next([this] { Look(); })
{
    auto queues = device->GetObject<NetDeviceQueueInterface>();
    if (!queues)
    {
        queues = CreateObject<NetDeviceQueueInterface>();
        device->AggregateObject(queues);
    }
    m_queue = queues->GetTxQueue(0);
    m_next.SetContext(device->GetNode()->GetId());
    const auto control = device->GetNode()->GetObject<TrafficControlLayer>();
    control->ScanDevices(); // it may have looked for what was not there yet
    SetQuanta(control->GetRootQueueDiscOnDevice(device), device->GetMtu());
}

void
QueueDiscGate::Look()
{
    const TimePs wait = m_findWait();
    if (wait == 0)
    {
        m_queue->Wake();
        return;
    }
    m_queue->Stop();
    if (wait != NEVER)
    {
        m_next.ComeBy(Simulator::Now().GetPicoSeconds() + wait);
    }
}

} // namespace ns3::fabric
