/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-vl-arbiter-queue-disc.h"

#include "fabric-attributed-type.h"
#include "fabric-lane-table-file.h"

#include "ns3/channel.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/net-device.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("VlArbiterQueueDisc");

NS_OBJECT_ENSURE_REGISTERED(VlArbiterQueueDisc);

TypeId
VlArbiterQueueDisc::GetTypeId()
{
    static TypeId tid = fabric::VlArbiterAttributes::AddAttributes(
        fabric::AttributedType(TypeId("ns3::VlArbiterQueueDisc")
                                   .SetParent<QueueDisc>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<VlArbiterQueueDisc>(),
                               fabric::BEFORE_INSTALL)
            .Add("TableFile",
                 "File of the lane table, in JSON or CSV. Empty: the table is set by "
                 "SetLaneTable().")
            .Sets(&VlArbiterQueueDisc::m_tableFile, "")
            .Add("LinkRate",
                 "Rate of the link of which groups have shares; 0 for the attribute DataRate of "
                 "the device, or of its channel.")
            .Uses(DataRateValue(DataRate(0)),
                  MakeDataRateAccessor(&VlArbiterQueueDisc::m_linkRate),
                  MakeDataRateChecker())
            .Add("LinkOverhead",
                 "Bytes that the device adds to a packet, which are charged: 2 for point-to-point "
                 "devices; 18 for csma devices, and the gap of 96 ns between their frames.")
            .Sets(&VlArbiterQueueDisc::m_linkOverhead, 0, {0, 1000})
            .Add("LaneQueueSize", "Size of the queue of each lane.")
            .Uses(QueueSizeValue(QueueSize("1000p")),
                  MakeQueueSizeAccessor(&VlArbiterQueueDisc::m_laneQueueSize),
                  MakeQueueSizeChecker())
            .Add("DscpToClass",
                 "Traffic classes of DSCP values, as '46:1,34:2'; others are class 0.")
            .Uses(StringValue(""),
                  MakeStringAccessor(&VlArbiterQueueDisc::SetDscpToClass,
                                     &VlArbiterQueueDisc::GetDscpToClass),
                  MakeStringChecker())
            .AddTraceSource("Grant",
                            "A packet is handed to the device.",
                            MakeTraceSourceAccessor(&VlArbiterQueueDisc::m_grantTrace),
                            "ns3::VlArbiterQueueDisc::GrantTracedCallback"),
        "");
    return tid;
}

VlArbiterQueueDisc::VlArbiterQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::NO_LIMITS)
{
}

VlArbiterQueueDisc::~VlArbiterQueueDisc() = default;

void
VlArbiterQueueDisc::DoDispose()
{
    m_wake.Cancel();
    m_arbiter.reset();
    QueueDisc::DoDispose();
}

void
VlArbiterQueueDisc::SetLaneTable(const fabric::LaneTable& table)
{
    table.Validate();
    const fabric::LaneMask lost = m_candidates & ~table.Lanes();
    if (lost != 0)
    {
        throw std::invalid_argument(
            "lane table: lane " + std::to_string(fabric::LowestBit(lost)) +
            " has packets that wait, allowed are tables that have this lane");
    }
    if (m_arbiter)
    {
        m_arbiter->SetTable(table, Simulator::Now().GetPicoSeconds());
    }
    m_table = table;
    m_laneMap = fabric::LaneMap(table);
    if (m_candidates != 0)
    {
        WakeAt(Simulator::Now().GetPicoSeconds());
    }
}

const fabric::LaneTable&
VlArbiterQueueDisc::GetLaneTable() const
{
    return m_table;
}

bool
VlArbiterQueueDisc::IsConforming(uint8_t group) const
{
    return m_arbiter->IsConforming(group, Simulator::Now().GetPicoSeconds());
}

void
VlArbiterQueueDisc::SetDscpToClass(std::string text)
{
    try
    {
        m_classOfDscp = fabric::ParseDscpToClass(text);
    }
    catch (const std::invalid_argument& error)
    {
        NS_FATAL_ERROR(error.what());
    }
    m_dscpText = text;
}

std::string
VlArbiterQueueDisc::GetDscpToClass() const
{
    return m_dscpText;
}

uint32_t
VlArbiterQueueDisc::ClassOf(Ptr<QueueDiscItem> item)
{
    const int32_t byFilter = GetNPacketFilters() == 0 ? PacketFilter::PF_NO_MATCH : Classify(item);
    if (byFilter != PacketFilter::PF_NO_MATCH)
    {
        return static_cast<uint32_t>(byFilter);
    }
    uint8_t dsField = 0;
    item->GetUint8Value(QueueItem::IP_DSFIELD, dsField);
    return m_classOfDscp[dsField >> 2];
}

std::optional<uint8_t>
VlArbiterQueueDisc::GetLane(Ptr<QueueDiscItem> item)
{
    const uint8_t lane = m_laneMap.LaneOf(ClassOf(item), item->Hash());
    return lane == fabric::LaneMap::NO_LANE ? std::nullopt : std::optional<uint8_t>(lane);
}

bool
VlArbiterQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    const std::optional<uint8_t> lane = GetLane(item);
    if (!lane)
    {
        NS_LOG_LOGIC("No lane carries class " << ClassOf(item));
        DropBeforeEnqueue(item, NO_LANE_DROP);
        return false;
    }
    // If the queue is full it says so to QueueDisc by itself.
    const bool isQueued = GetInternalQueue(*lane)->Enqueue(item);
    m_candidates |= fabric::LaneMask{isQueued} << *lane;
    return isQueued;
}

Ptr<QueueDiscItem>
VlArbiterQueueDisc::DoDequeue()
{
    const fabric::TimePs now = Simulator::Now().GetPicoSeconds();
    const auto grant = m_arbiter->Arbitrate(
        m_candidates,
        [this](uint8_t lane) { return GetInternalQueue(lane)->Peek()->GetSize() + m_linkOverhead; },
        now);
    if (!grant)
    {
        const fabric::TimePs next = m_arbiter->NextChange(m_candidates, now);
        if (next != fabric::NEVER)
        {
            WakeAt(next);
        }
        return nullptr;
    }
    const Ptr<InternalQueue> queue = GetInternalQueue(grant->lane);
    const Ptr<QueueDiscItem> item = queue->Dequeue();
    m_candidates &= ~(fabric::LaneMask{queue->IsEmpty()} << grant->lane);
    NS_LOG_LOGIC("lane " << +grant->lane << " at level " << +grant->level);
    m_grantTrace(item, grant->lane, grant->level, grant->conforming);
    return item;
}

void
VlArbiterQueueDisc::WakeAt(fabric::TimePs time)
{
    // One tick later where the resolution is coarser than a picosecond.
    Time at = PicoSeconds(time);
    if (at.GetPicoSeconds() < time)
    {
        at += Time(1);
    }
    m_wake.Cancel();
    m_wake = Simulator::Schedule(at - Simulator::Now(), &VlArbiterQueueDisc::Run, this);
}

DataRate
VlArbiterQueueDisc::FindLinkRate() const
{
    DataRateValue rate(m_linkRate);
    const Ptr<NetDeviceQueueInterface> interface = GetNetDeviceQueueInterface();
    const Ptr<NetDevice> device = interface ? interface->GetObject<NetDevice>() : nullptr;
    if (m_linkRate.GetBitRate() == 0 && device && !device->GetAttributeFailSafe("DataRate", rate) &&
        device->GetChannel())
    {
        device->GetChannel()->GetAttributeFailSafe("DataRate", rate);
    }
    return rate.Get();
}

fabric::VlArbiterSettings
VlArbiterQueueDisc::MakeSettings() const
{
    const DataRate rate = FindLinkRate();
    if (rate.GetBitRate() == 0)
    {
        throw std::invalid_argument("LinkRate is 0, and neither the device nor its channel has an "
                                    "attribute DataRate; allowed is a rate");
    }
    return MakeArbiterSettings(fabric::LinkRate(rate.GetBitRate()));
}

void
VlArbiterQueueDisc::CheckSettings() const
{
    RequireEffectsOfMeter("");
    fabric::VlArbiter(MakeSettings(), m_table);
}

bool
VlArbiterQueueDisc::CheckConfig()
{
    try
    {
        // ns-3 goes on after `false` where its assertions are off.
        if (GetNQueueDiscClasses() != 0 || GetNInternalQueues() != 0)
        {
            throw std::invalid_argument("it has " + std::to_string(GetNQueueDiscClasses()) +
                                        " classes and " + std::to_string(GetNInternalQueues()) +
                                        " queues; allowed are none, since it makes its own queues");
        }
        if (!m_tableFile.empty())
        {
            SetLaneTable(fabric::ReadLaneTable(m_tableFile));
        }
        RequireEffectsOfMeter("");
        m_arbiter = std::make_unique<fabric::VlArbiter>(MakeSettings(), m_table);
        if (m_arbiter->Settings().over == fabric::OVER_DISQUALIFY && !GetSendCallback())
        {
            throw std::invalid_argument("OverBandwidth is disqualify, and this is the child of "
                                        "another queue disc, which it cannot wake when a lane may "
                                        "send again; allowed is demote, or the root of a device");
        }
    }
    catch (const std::invalid_argument& error)
    {
        NS_FATAL_ERROR("VlArbiterQueueDisc: " << error.what());
    }
    return true;
}

void
VlArbiterQueueDisc::InitializeParams()
{
    ObjectFactory factory("ns3::DropTailQueue<QueueDiscItem>");
    factory.Set("MaxSize", QueueSizeValue(m_laneQueueSize));
    for (uint32_t lane = 0; lane < fabric::MAX_LANES; ++lane)
    {
        AddInternalQueue(factory.Create<InternalQueue>());
    }
}

} // namespace ns3
