/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-vl-arbiter-queue-disc.h"

#include "fabric-enum-attribute.h"
#include "fabric-lane-table-file.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/net-device.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("VlArbiterQueueDisc");

NS_OBJECT_ENSURE_REGISTERED(VlArbiterQueueDisc);

namespace
{

/// Attributes that are set at construction only, since the arbiter is made of them.
constexpr uint32_t AT_CONSTRUCTION = TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT;

/// @return the n-th lane of a mask, from 0
uint8_t
NthLane(fabric::LaneMask lanes, uint32_t n)
{
    for (; n != 0; --n)
    {
        lanes &= lanes - 1;
    }
    return static_cast<uint8_t>(fabric::LowestBit(lanes));
}

} // namespace

TypeId
VlArbiterQueueDisc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::VlArbiterQueueDisc")
            .SetParent<QueueDisc>()
            .SetGroupName("Fabric")
            .AddConstructor<VlArbiterQueueDisc>()
            .AddAttribute("TableFile",
                          "File of the lane table, in JSON (VA-11, PR-5). Empty: the table is set "
                          "by SetLaneTable().",
                          AT_CONSTRUCTION,
                          StringValue(""),
                          MakeStringAccessor(&VlArbiterQueueDisc::m_tableFile),
                          MakeStringChecker())
            .AddAttribute(
                "Meter",
                "How the bandwidth of groups is measured (VA-2).",
                AT_CONSTRUCTION,
                EnumValue(fabric::TOKEN_BUCKET),
                fabric::MakeEnumAttributeAccessor<fabric::MeterKind>(&VlArbiterQueueDisc::m_meter),
                MakeEnumChecker(fabric::TOKEN_BUCKET,
                                "token-bucket",
                                fabric::LEAKY_BUCKET,
                                "leaky-bucket",
                                fabric::SLIDING_WINDOW,
                                "sliding-window"))
            .AddAttribute(
                "Mode",
                "What is checked by a meter: each lane, or the lane that each group has "
                "chosen (VA-5).",
                AT_CONSTRUCTION,
                EnumValue(fabric::CHECK_LANES),
                fabric::MakeEnumAttributeAccessor<fabric::CheckMode>(&VlArbiterQueueDisc::m_mode),
                MakeEnumChecker(fabric::CHECK_LANES, "lane", fabric::CHECK_GROUPS, "group"))
            .AddAttribute("OverBandwidth",
                          "What happens to packets that do not conform: they go to the "
                          "Over-Bandwidth level, or wait until they conform (VA-4).",
                          AT_CONSTRUCTION,
                          EnumValue(fabric::OVER_DEMOTE),
                          fabric::MakeEnumAttributeAccessor<fabric::OverTreatment>(
                              &VlArbiterQueueDisc::m_over),
                          MakeEnumChecker(fabric::OVER_DEMOTE,
                                          "demote",
                                          fabric::OVER_DISQUALIFY,
                                          "disqualify"))
            .AddAttribute(
                "Turns",
                "Between lanes or groups of a level (VA-3). Round robin can starve a "
                "lane whose group conforms at certain times only.",
                AT_CONSTRUCTION,
                EnumValue(fabric::LEAST_RECENTLY_USED),
                fabric::MakeEnumAttributeAccessor<fabric::TurnPolicy>(&VlArbiterQueueDisc::m_turns),
                MakeEnumChecker(fabric::LEAST_RECENTLY_USED,
                                "least-recently-used",
                                fabric::ROUND_ROBIN,
                                "round-robin"))
            .AddAttribute("ChargeOverBandwidth",
                          "Whether packets that do not conform are charged to the meter (VA-8).",
                          AT_CONSTRUCTION,
                          BooleanValue(false),
                          MakeBooleanAccessor(&VlArbiterQueueDisc::m_chargeOver),
                          MakeBooleanChecker())
            .AddAttribute("Burst",
                          "Token bucket: bytes that a group may save up. Our choice.",
                          AT_CONSTRUCTION,
                          UintegerValue(fabric::MeterSettings{}.burst),
                          MakeUintegerAccessor(&VlArbiterQueueDisc::m_burst),
                          MakeUintegerChecker<uint32_t>(1, 1U << 30))
            .AddAttribute("Tolerance",
                          "Leaky bucket: bytes that may stand in it when a packet is sent. Our "
                          "choice.",
                          AT_CONSTRUCTION,
                          UintegerValue(fabric::MeterSettings{}.tolerance),
                          MakeUintegerAccessor(&VlArbiterQueueDisc::m_tolerance),
                          MakeUintegerChecker<uint32_t>(0, 1U << 30))
            .AddAttribute("Debt",
                          "Buckets, with ChargeOverBandwidth: bytes that such packets may put a "
                          "group behind. Our choice.",
                          AT_CONSTRUCTION,
                          UintegerValue(fabric::MeterSettings{}.debt),
                          MakeUintegerAccessor(&VlArbiterQueueDisc::m_debt),
                          MakeUintegerChecker<uint32_t>(0, 1U << 30))
            .AddAttribute("Window",
                          "Sliding window: its length; 0 for the time in which the link carries "
                          "1 MiB. Our choice.",
                          AT_CONSTRUCTION,
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&VlArbiterQueueDisc::m_window),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute("LinkRate",
                          "Rate of the link of which groups have shares; 0 for the attribute "
                          "DataRate of the device, or of its channel.",
                          AT_CONSTRUCTION,
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&VlArbiterQueueDisc::m_linkRate),
                          MakeDataRateChecker())
            .AddAttribute("LinkOverhead",
                          "Bytes that the device adds to a packet, which are charged: 2 for "
                          "point-to-point devices; 18 for csma devices, and the gap of 96 ns "
                          "between their frames.",
                          AT_CONSTRUCTION,
                          UintegerValue(0),
                          MakeUintegerAccessor(&VlArbiterQueueDisc::m_linkOverhead),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("LaneQueueSize",
                          "Size of the queue of each lane.",
                          AT_CONSTRUCTION,
                          QueueSizeValue(QueueSize("1000p")),
                          MakeQueueSizeAccessor(&VlArbiterQueueDisc::m_laneQueueSize),
                          MakeQueueSizeChecker())
            .AddAttribute("DscpToClass",
                          "Traffic classes of DSCP values, as '46:1,34:2'; others are class 0.",
                          AT_CONSTRUCTION,
                          StringValue(""),
                          MakeStringAccessor(&VlArbiterQueueDisc::SetDscpToClass,
                                             &VlArbiterQueueDisc::GetDscpToClass),
                          MakeStringChecker())
            .AddTraceSource("Grant",
                            "A packet is handed to the device.",
                            MakeTraceSourceAccessor(&VlArbiterQueueDisc::m_grantTrace),
                            "ns3::VlArbiterQueueDisc::GrantTracedCallback");
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
    IndexClasses();
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

void
VlArbiterQueueDisc::IndexClasses()
{
    for (uint8_t trafficClass = 0; trafficClass < fabric::TRAFFIC_CLASSES; ++trafficClass)
    {
        m_lanesOfClass[trafficClass] = m_table.LanesOfClass(trafficClass);
    }
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
    const uint32_t trafficClass = ClassOf(item);
    const fabric::LaneMask lanes =
        trafficClass < fabric::TRAFFIC_CLASSES ? m_lanesOfClass[trafficClass] : 0;
    if (lanes == 0)
    {
        return std::nullopt;
    }
    const auto count = static_cast<uint32_t>(__builtin_popcount(lanes));
    return NthLane(lanes, count == 1 ? 0 : item->Hash() % count);
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
        const fabric::TimePs next = m_arbiter->NextChange(m_candidates);
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
    fabric::VlArbiterSettings settings;
    const DataRate rate = FindLinkRate();
    if (rate.GetBitRate() == 0)
    {
        throw std::invalid_argument("LinkRate is 0, and neither the device nor its channel has an "
                                    "attribute DataRate; allowed is a rate");
    }
    settings.rate = fabric::LinkRate(rate.GetBitRate());
    settings.meter = {m_meter, m_burst, m_tolerance, m_debt, m_window.GetPicoSeconds()};
    settings.mode = m_mode;
    settings.over = m_over;
    settings.chargeOver = m_chargeOver;
    settings.turns = m_turns;
    return settings;
}

void
VlArbiterQueueDisc::CheckSettings() const
{
    fabric::VlArbiter(MakeSettings(), m_table);
}

bool
VlArbiterQueueDisc::CheckConfig()
{
    if (GetNQueueDiscClasses() != 0 || GetNInternalQueues() != 0)
    {
        NS_LOG_ERROR("VlArbiterQueueDisc makes its own queues and takes no classes");
        return false;
    }
    try
    {
        if (!m_tableFile.empty())
        {
            SetLaneTable(fabric::ReadLaneTable(m_tableFile));
        }
        m_arbiter = std::make_unique<fabric::VlArbiter>(MakeSettings(), m_table);
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
