/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch.h"

#include "fabric-channel.h"
#include "fabric-lane-table-file.h"
#include "fabric-net-device.h"
#include "fabric-require.h"
#include "fabric-switch-log.h"
#include "fabric-switch-port.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

using fabric::TimePs;

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid = FabricSwitchTraces::AddTraceSources(
        SwitchAttributes::AddAttributes(TypeId("ns3::FabricSwitch")
                                            .SetParent<Object>()
                                            .SetGroupName("Fabric")
                                            .AddConstructor<FabricSwitch>()));
    return tid;
}

FabricSwitch::FabricSwitch()
    : m_instant([this] { RunInstant(); })
{
}

FabricSwitch::~FabricSwitch() = default;

void
FabricSwitch::DoInitialize()
{
    fabric::LogSwitch(*this); // the run begins, and whoever enables a log has done so
    Object::DoInitialize();
}

void
FabricSwitch::DoDispose()
{
    m_instant.Stop();
    if (m_network)
    {
        m_network->TellEnd();
    }
    m_network = nullptr;
    m_portDevices.clear();
    Object::DoDispose();
}

void
FabricSwitch::Install(Ptr<Node> node, Ptr<FabricNetwork> network)
{
    const auto refuse = [&node](const std::string& sentence) {
        throw std::invalid_argument("ns3::FabricSwitch on node " + std::to_string(node->GetId()) +
                                    ": " + sentence);
    };
    if (m_chip)
    {
        refuse("it is installed already; allowed is once");
    }
    fabric::SwitchConfig config;
    try
    {
        config = ReadConfig();
        config.Validate();
    }
    catch (const std::invalid_argument& error)
    {
        refuse(error.what());
    }
    m_network = network;
    m_chip = std::make_unique<fabric::SwitchChip>(config);
    m_chip->SetDropHandler(
        [this](const fabric::Frame& frame) { m_network->ForgetFrame(frame, GetPart()); });
    if (fabric::FlowStatistics* statistics = m_chip->Statistics())
    {
        statistics->SetListener(
            [this](const fabric::FlowFigures& figures) { TellFlowClosed(figures); });
    }
    m_instant.SetContext(node->GetId());
    for (uint32_t port = 0; port < config.ports; ++port)
    {
        m_portDevices.push_back(CreateObject<FabricSwitchPort>());
        node->AddDevice(m_portDevices.back());
    }
    node->AggregateObject(this);
    m_driver = std::make_unique<fabric::WindowDriver>(*m_chip,
                                                      network->Add(this),
                                                      network->GetRunLimits(node),
                                                      network->GetWindows(),
                                                      m_instant);
    ListenToTraces([this](bool isTraced) { m_driver->Watch(isTraced ? this : nullptr); });
    network->GetSubnetManager().Add(*m_driver);
}

void
FabricSwitch::Connect(uint32_t port,
                      Ptr<FabricSwitch> peer,
                      uint32_t peerPort,
                      Ptr<FabricChannel> channel)
{
    const Ptr<FabricSwitchPort> here = FreePort(port);
    const Ptr<FabricSwitchPort> there = peer->FreePort(peerPort);
    if (here == there)
    {
        throw std::invalid_argument(Name() + ": port " + std::to_string(port) +
                                    " can't be linked with itself");
    }
    const fabric::SwitchConfig& config = m_chip->Config();
    const fabric::SwitchConfig& peerConfig = peer->m_chip->Config();
    if (config.buffer.vcOfClass != peerConfig.buffer.vcOfClass ||
        config.buffer.shares.virtualChannels != peerConfig.buffer.shares.virtualChannels ||
        config.buffer.lossyClasses != peerConfig.buffer.lossyClasses)
    {
        throw std::invalid_argument(
            Name() + " and " + peer->Name() +
            " differ in VirtualChannels, ClassToVc or LossyClasses; the two "
            "ends of a link must have the same");
    }
    if (channel->LosesControl() &&
        (config.buffer.LimitsFrames() || peerConfig.buffer.LimitsFrames()))
    {
        throw std::invalid_argument(
            Name() + " and " + peer->Name() +
            ": MaxFrameBytes is less than a jumbo frame, and their link loses frames "
            "(ErrorModel of ns3::FabricChannel); allowed is only one of them");
    }
    m_network->Add(channel,
                   fabric::SwitchLink{{{GetNumber(), port}, {peer->GetNumber(), peerPort}}});
    channel->Attach(here, there);
    peer->ReceiveFrom(*this, port, peerPort, *channel);
    ReceiveFrom(*peer, peerPort, port, *channel);
    SetErrors(port, channel->GetErrors(here));
    peer->SetErrors(peerPort, channel->GetErrors(there));
    if (channel->GetCreditSettings().inFrames)
    {
        m_chip->SetCreditFrames(port, channel->GetCreditSettings());
        peer->m_chip->SetCreditFrames(peerPort, channel->GetCreditSettings());
    }
    if (channel->LosesControl())
    {
        m_chip->WatchAcks(port);
        peer->m_chip->WatchAcks(peerPort);
    }
}

void
FabricSwitch::Connect(uint32_t port, Ptr<FabricNetDevice> device, Ptr<FabricChannel> channel)
{
    const Ptr<FabricSwitchPort> here = FreePort(port);
    if (device->GetChannel())
    {
        throw std::invalid_argument(Name() + ": the device with location " +
                                    std::to_string(device->GetLocation()) +
                                    " is linked already; a device has one link");
    }
    if (m_chip->Config().buffer.vcOfClass != device->GetNic().Config().vcOfClass)
    {
        throw std::invalid_argument(
            Name() + " and the device with location " + std::to_string(device->GetLocation()) +
            " differ in ClassToVc; the two ends of a link must have the same");
    }
    m_network->Add(channel, fabric::SwitchPort{GetNumber(), port}, PeekPointer(device));
    channel->Attach(here, device);
    try
    {
        m_chip->ConnectNic(port, device->GetNic(), channel->GetRate(), channel->GetDelay());
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(Name() + ": port " + std::to_string(port) + ": " +
                                    error.what());
    }
    if (channel->GetCreditSettings().inFrames)
    {
        m_chip->SetCreditFrames(port, channel->GetCreditSettings());
    }
    fabric::LinkErrors* uplink = channel->GetErrors(device);
    SetErrors(port, channel->GetErrors(here));
    device->GetNic().Uplink().SetErrors(uplink);
    m_usesErrorModels = m_usesErrorModels || (uplink && uplink->HasLoss());
}

void
FabricSwitch::SetErrors(uint32_t port, fabric::LinkErrors* errors)
{
    try
    {
        m_chip->SetLinkErrors(port, errors);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(Name() + ": port " + std::to_string(port) + ": " +
                                    error.what());
    }
    m_usesErrorModels = m_usesErrorModels || (errors && errors->HasLoss());
}

void
FabricSwitch::ReceiveFrom(FabricSwitch& sender,
                          uint32_t senderPort,
                          uint32_t port,
                          const FabricChannel& channel)
{
    try
    {
        sender.m_chip->ConnectSwitch(senderPort,
                                     *m_chip,
                                     port,
                                     channel.GetRate(),
                                     channel.GetDelay());
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(Name() + ": port " + std::to_string(port) + ": " +
                                    error.what());
    }
}

std::string
FabricSwitch::Name() const
{
    return "ns3::FabricSwitch on node " + std::to_string(GetPort(0)->GetNode()->GetId());
}

Ptr<FabricSwitchPort>
FabricSwitch::FreePort(uint32_t port) const
{
    if (port >= m_portDevices.size() || GetPort(port)->GetChannel())
    {
        throw std::invalid_argument(Name() + ": port " + std::to_string(port) +
                                    " can't be linked; allowed are those of the ports 0 to " +
                                    std::to_string(m_portDevices.size() - 1) +
                                    " that have no link yet");
    }
    return GetPort(port);
}

Ptr<FabricNetwork>
FabricSwitch::GetNetwork() const
{
    return m_network;
}

Ptr<FabricSwitchPort>
FabricSwitch::GetPort(uint32_t port) const
{
    fabric::RequireIndex("FabricSwitch::GetPort()", "port", port, m_portDevices.size());
    return m_portDevices[port];
}

fabric::SwitchChip&
FabricSwitch::GetChip()
{
    return *m_chip;
}

const fabric::SwitchChip&
FabricSwitch::GetChip() const
{
    return *m_chip;
}

Time
FabricSwitch::GetLookahead() const
{
    return PicoSeconds(m_chip->Lookahead());
}

fabric::WindowDriver&
FabricSwitch::GetDriver()
{
    return *m_driver;
}

uint32_t
FabricSwitch::GetNumber() const
{
    return m_driver->Number();
}

bool
FabricSwitch::UsesErrorModels() const
{
    return m_usesErrorModels;
}

uint32_t
FabricSwitch::GetPart() const
{
    return m_driver->GetPart();
}

// Not the present: if it is the start of a window, it may have been handled already. Before the run
// the next window is soon enough, since nothing happens in a switch before its first window is
// over.

void
FabricSwitch::AckTimersChanged()
{
    if (m_chip)
    {
        m_chip->ChangeAckTimersAt(m_driver->NextWindow(), Settings().ackTimers);
    }
}

void
FabricSwitch::CongestionChanged()
{
    if (m_chip)
    {
        // What was found out since, as the round trip, stays.
        fabric::CongestionSettings settings = m_chip->Config().congestion;
        settings.hopCredits = Settings().congestion.hopCredits;
        m_chip->ChangeCongestionAt(m_driver->NextWindow(), settings);
    }
}

void
FabricSwitch::SetLaneTable(const fabric::LaneTable& table)
{
    if (m_chip)
    {
        m_chip->ChangeLanesAt(m_driver->NextWindow(), table);
        ForgetLaneTableFile();
    }
    else
    {
        KeepLaneTable(table);
    }
}

void
FabricSwitch::GroupsChange(const std::string& text)
{
    if (m_chip)
    {
        m_chip->ChangeGroupsAt(m_driver->NextWindow(), fabric::ParseGroupRules(text));
    }
}

void
FabricSwitch::HostDiscardsChanged()
{
    if (m_chip)
    {
        m_chip->ChangeDiscardsAt(m_driver->NextWindow(), Settings().hostDiscards);
    }
}

uint32_t
FabricSwitch::CountFlows(uint8_t trafficClass) const
{
    return m_chip ? m_chip->CountFlows(trafficClass) : 0;
}

bool
FabricSwitch::IsPortBlocked(uint32_t port) const
{
    fabric::RequireIndex("FabricSwitch::IsPortBlocked()", "port", port, m_portDevices.size());
    return m_chip->IsPortBlocked(port);
}

void
FabricSwitch::ResetPort(uint32_t port)
{
    fabric::RequireIndex("FabricSwitch::ResetPort()", "port", port, m_portDevices.size());
    m_chip->ResetPortAt(port, m_driver->NextWindow());
}

void
FabricSwitch::LaneTableFileChanges(const std::string& file)
{
    if (!m_chip)
    {
        return;
    }
    if (!file.empty())
    {
        SetLaneTable(fabric::ReadLaneTable(file));
    }
    else if (const std::string old = GetLaneTableFile(); !old.empty())
    {
        throw std::invalid_argument(Name() + ": LaneTableFile is '" + old +
                                    "', and can't become empty in the run; allowed is the file of "
                                    "another table");
    }
}

void
FabricSwitch::RequireStatistics(fabric::FlowStatisticsMode least) const
{
    if (!m_chip || m_chip->Config().flowChannels.statistics < least)
    {
        throw std::invalid_argument(
            (m_chip ? Name() : "ns3::FabricSwitch") +
            ": figures of these flow channels are not there; allowed with FlowStatistics=" +
            (least == fabric::OPEN_FLOW_STATISTICS ? "open or =all" : "all") +
            ", on an installed switch");
    }
}

std::vector<fabric::FlowFigures>
FabricSwitch::GetFlowChannels(uint32_t port) const
{
    RequireStatistics(fabric::OPEN_FLOW_STATISTICS);
    if (port >= m_portDevices.size())
    {
        throw std::invalid_argument(Name() + ": there is no port " + std::to_string(port) +
                                    "; allowed are 0 to " +
                                    std::to_string(m_portDevices.size() - 1));
    }
    return m_chip->Statistics()->Open(port);
}

const std::vector<fabric::FlowFigures>&
FabricSwitch::GetClosedFlowChannels() const
{
    RequireStatistics(fabric::CLOSED_FLOW_STATISTICS);
    return m_chip->Statistics()->Closed();
}

void
FabricSwitch::RunInstant()
{
    if (TracesFlows() && !m_chip->Statistics())
    {
        NS_FATAL_ERROR(Name() << ": FlowClosed has a sink and FlowStatistics is off; allowed is "
                                 "open or all, or no sink");
    }
    const TimePs now = Simulator::Now().GetPicoSeconds();
    const Ptr<FabricNetwork> network = m_network; // a trace sink may dispose of all
    m_driver->Tick(now);
    network->GetCrew().DeliverMail(now);
}

} // namespace ns3
