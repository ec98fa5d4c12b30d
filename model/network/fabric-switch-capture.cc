/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-capture.h"

#include "fabric-channel.h"
#include "fabric-net-device.h"
#include "fabric-pause.h"
#include "fabric-rank-link.h"
#include "fabric-switch-port.h"
#include "fabric-switch.h"

#include "ns3/boolean.h"
#include "ns3/callback.h"

#include <algorithm>
#include <ios>
#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSwitchCapture);

using fabric::CaptureDirection;
using fabric::CaptureOrder;
using fabric::TimePs;

namespace
{

/// @return a file that is open, with its file header written
Ptr<PcapFileWrapper>
OpenCapture(const std::string& name)
{
    Ptr<PcapFileWrapper> file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(name, std::ios::out | std::ios::binary);
    if (file->Fail())
    {
        throw std::invalid_argument("the file " + name +
                                    " can't be written; allowed is one in a folder that exists");
    }
    file->Init(fabric::CAPTURE_LINK_TYPE);
    return file;
}

/// @return the end of a link that is a port of a switch; null for none
Ptr<FabricSwitchPort>
SwitchEnd(const FabricChannel& link)
{
    for (std::size_t i = 0; i < link.GetNDevices(); ++i)
    {
        if (const auto port = DynamicCast<FabricSwitchPort>(link.GetDevice(i)))
        {
            return port;
        }
    }
    return nullptr;
}

/// @return its number
uint32_t
NumberOf(Ptr<const FabricSwitchPort> port, const FabricSwitch& fabricSwitch)
{
    uint32_t number = 0;
    while (fabricSwitch.GetPort(number) != port)
    {
        ++number;
    }
    return number;
}

/// @param perPriority whether it pauses priorities one by one
/// @return what a pause frame says
FabricPauseHeader
PauseHeaderOf(const fabric::PauseOrder& order, bool perPriority, const fabric::LinkRate& rate)
{
    const uint16_t quanta =
        order.stop == 0 ? 0 : fabric::TimeToQuanta(order.lasts, rate.BitsPerSecond());
    if (!perPriority)
    {
        return FabricPauseHeader::ForLink(quanta);
    }
    FabricPauseHeader header;
    for (uint32_t priority = 0; priority < fabric::PAUSE_PRIORITIES; ++priority)
    {
        const uint32_t bit = 1U << priority;
        if (((order.stop | order.go) & bit) != 0)
        {
            header.SetQuanta(priority, (order.stop & bit) != 0 ? quanta : 0);
        }
    }
    return header;
}

} // namespace

TypeId
FabricSwitchCapture::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricSwitchCapture")
                            .SetParent<Object>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricSwitchCapture>();
    return tid;
}

FabricSwitchCapture::FabricSwitchCapture() = default;
FabricSwitchCapture::~FabricSwitchCapture() = default;

void
FabricSwitchCapture::DoDispose()
{
    Close();
    Object::DoDispose();
}

void
FabricSwitchCapture::Start(Ptr<FabricDevice> device, const std::string& file)
{
    const auto link = DynamicCast<FabricChannel>(device->GetChannel());
    if (!link)
    {
        throw std::invalid_argument("the port for " + file +
                                    " has no link; allowed are those that have one");
    }
    if (fabric::RankCount() > 1)
    {
        throw std::invalid_argument("the file " + file +
                                    " can't be written on several ranks, which do not see what "
                                    "switches of others do; allowed is one");
    }
    auto port = DynamicCast<FabricSwitchPort>(device);
    const bool isHost = !port;
    if (isHost)
    {
        port = SwitchEnd(*link);
    }
    const auto fabricSwitch = port->GetNode()->GetObject<FabricSwitch>();
    auto capture = fabricSwitch->GetObject<FabricSwitchCapture>();
    const Ptr<PcapFileWrapper> opened = OpenCapture(file);
    if (!capture)
    {
        capture = CreateObject<FabricSwitchCapture>();
        capture->Attach(PeekPointer(fabricSwitch));
    }
    const uint32_t number = NumberOf(port, *fabricSwitch);
    const TimePs bound = fabricSwitch->GetChip().Sender(number)->Quiet();
    if (capture->m_ports[number].captures.empty())
    {
        capture->HearPeer(number);
    }
    capture->m_ports[number].captures.push_back({isHost, opened, CaptureOrder(bound)});
}

void
FabricSwitchCapture::HearPeer(uint32_t port)
{
    const Ptr<FabricSwitchPort> here = m_switch->GetPort(port);
    const auto link = DynamicCast<FabricChannel>(here->GetChannel());
    for (std::size_t i = 0; i < link->GetNDevices(); ++i)
    {
        const auto there = DynamicCast<FabricSwitchPort>(link->GetDevice(i));
        if (!there || there == here)
        {
            continue;
        }
        const auto peer = there->GetNode()->GetObject<FabricSwitch>();
        const uint32_t peerPort = NumberOf(there, *peer);
        const auto hear = [&](const char* source, auto sink) {
            peer->TraceConnectWithoutContext(source, MakeBoundCallback(sink, this, port, peerPort));
        };
        if (link->GetCreditSettings().inFrames)
        {
            hear("SendCredits", &FabricSwitchCapture::ArriveCredits);
        }
        if (const fabric::PauseController* pauses = peer->GetChip().Pauses(peerPort))
        {
            m_ports[port].isPausedByPriority = pauses->GetConfig().perPriority;
            hear("Pause", &FabricSwitchCapture::ArrivePause);
        }
    }
}

void
FabricSwitchCapture::Attach(FabricSwitch* fabricSwitch)
{
    m_switch = fabricSwitch;
    m_ports.resize(fabricSwitch->GetChip().Config().ports);
    const auto connect = [fabricSwitch](const char* source, const CallbackBase& sink) {
        fabricSwitch->TraceConnectWithoutContext(source, sink);
    };
    // Plain pointers, since the switch and this are aggregated: they end at the same time.
    connect("Send", MakeCallback(&FabricSwitchCapture::Send, this));
    connect("Arrive", MakeCallback(&FabricSwitchCapture::Arrive, this));
    connect("SendAcks", MakeCallback(&FabricSwitchCapture::SendAcks, this));
    connect("ArriveAcks", MakeCallback(&FabricSwitchCapture::ArriveAcks, this));
    connect("Pause", MakeCallback(&FabricSwitchCapture::Pause, this));
    connect("Fgfc", MakeCallback(&FabricSwitchCapture::Fgfc, this));
    connect("SendCredits", MakeCallback(&FabricSwitchCapture::SendCredits, this));
    connect("HostCredits", MakeCallback(&FabricSwitchCapture::TakeHostCredits, this));
    connect("HostPause", MakeCallback(&FabricSwitchCapture::TakeHostPause, this));
    fabricSwitch->AggregateObject(this);
}

// ---- records ----

void
FabricSwitchCapture::Write(PcapFileWrapper& file,
                           const CaptureOrder::Key& key,
                           const CaptureOrder::Bytes& bytes)
{
    file.Write(PicoSeconds(key.first), bytes.data(), static_cast<uint32_t>(bytes.size()));
}

bool
FabricSwitchCapture::Begin(uint32_t port, TimePs now, TimePs firstBit)
{
    Port& taken = m_ports[port];
    if (taken.captures.empty())
    {
        return false;
    }
    for (const auto direction : {CaptureDirection::RECEIVED, CaptureDirection::SENT})
    {
        const auto& open = taken.openAcks[static_cast<std::size_t>(direction)];
        if (open && open->time != now)
        {
            EndAcks(port, direction);
        }
    }
    // A frame in pieces that is stored is told of when it is whole, however long that takes.
    const TimePs oldest = std::min(firstBit, m_switch->GetChip().OldestFirstBitIn(port));
    const TimePs awaited = oldest == fabric::NEVER ? fabric::NEVER : oldest - DelayOf(port);
    for (Capture& capture : taken.captures)
    {
        capture.order.WriteSettled(now, awaited, [&capture](const auto& key, const auto& bytes) {
            Write(*capture.file, key, bytes);
        });
    }
    return true;
}

void
FabricSwitchCapture::Put(Capture& capture,
                         TimePs delay,
                         TimePs time,
                         CaptureDirection direction,
                         CaptureOrder::Bytes bytes)
{
    const bool isSent = direction == CaptureDirection::SENT;
    if (capture.isHost)
    {
        // What the switch sends the host receives later, and what it receives was sent before.
        time += isSent ? delay : -delay;
        direction = isSent ? CaptureDirection::RECEIVED : CaptureDirection::SENT;
    }
    fabric::SetCaptureDirection(bytes, direction);
    capture.order.Put(time, direction, std::move(bytes));
}

void
FabricSwitchCapture::PutControl(uint32_t port,
                                TimePs time,
                                CaptureDirection direction,
                                const CaptureOrder::Bytes& bytes)
{
    const TimePs delay = DelayOf(port);
    for (Capture& capture : m_ports[port].captures)
    {
        Put(capture, delay, time, direction, bytes);
    }
}

void
FabricSwitchCapture::PutData(uint32_t port,
                             TimePs time,
                             CaptureDirection direction,
                             fabric::Frame frame)
{
    FabricNetwork& network = *m_switch->GetNetwork();
    const bool isFromHost =
        direction == CaptureDirection::RECEIVED && m_switch->GetChip().Host(port) != nullptr;
    frame.severity = isFromHost ? 0 : frame.severity; // hosts know of none
    const bool isDamaged = frame.corrupt;
    for (Capture& capture : m_ports[port].captures)
    {
        const bool hasLeft = (direction == CaptureDirection::SENT) != capture.isHost;
        frame.corrupt = isDamaged && !hasLeft; // the link damages it
        Put(capture, DelayOf(port), time, direction, fabric::CaptureDataFrame(frame, network));
    }
}

void
FabricSwitchCapture::NoteAcks(uint32_t port,
                              CaptureDirection direction,
                              const fabric::AckBatch& acks,
                              TimePs now)
{
    auto& open = m_ports[port].openAcks[static_cast<std::size_t>(direction)];
    if (!open)
    {
        open = OpenAcks{now, {}};
    }
    for (uint32_t i = 0; i < acks.count; ++i)
    {
        open->frame.AddAck(acks.acks[i]);
    }
}

void
FabricSwitchCapture::EndAcks(uint32_t port, CaptureDirection direction)
{
    auto& open = m_ports[port].openAcks[static_cast<std::size_t>(direction)];
    TimePs time = open->time;
    if (direction == CaptureDirection::RECEIVED)
    {
        // An ACK frame takes effect after its tail.
        const fabric::Transmitter& sender = *m_switch->GetChip().Sender(port);
        time -=
            sender.Timing().controlLatency + sender.Rate().TxTime(open->frame.GetSerializedSize());
    }
    PutControl(port, time, direction, fabric::CaptureAckFrame(open->frame));
    open.reset();
}

void
FabricSwitchCapture::Close()
{
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        Begin(port, fabric::NEVER);
    }
    m_ports.clear();
}

TimePs
FabricSwitchCapture::DelayOf(uint32_t port) const
{
    return m_switch->GetChip().Sender(port)->Timing().delay;
}

Mac48Address
FabricSwitchCapture::AddressOf(uint32_t port) const
{
    return Mac48Address::ConvertFrom(m_switch->GetPort(port)->GetAddress());
}

// ---- what the switch tells ----

void
FabricSwitchCapture::Send(uint32_t port, const fabric::Frame& frame, Time now)
{
    const TimePs time = now.GetPicoSeconds();
    if (Begin(port, time))
    {
        PutData(port, time, CaptureDirection::SENT, frame);
    }
}

void
FabricSwitchCapture::Arrive(uint32_t port, const fabric::Frame& frame, Time now)
{
    if (m_ports[port].captures.empty())
    {
        return;
    }
    const TimePs time = m_switch->GetChip().FirstBitIn(port, frame);
    if (Begin(port, now.GetPicoSeconds(), time))
    {
        PutData(port, time, CaptureDirection::RECEIVED, frame);
    }
}

void
FabricSwitchCapture::SendAcks(uint32_t port, const fabric::AckBatch& acks, Time now)
{
    const TimePs time = now.GetPicoSeconds();
    if (Begin(port, time))
    {
        NoteAcks(port, CaptureDirection::SENT, acks, time);
    }
}

void
FabricSwitchCapture::ArriveAcks(uint32_t port, const fabric::AckBatch& acks, Time now)
{
    const TimePs time = now.GetPicoSeconds();
    if (Begin(port, time))
    {
        NoteAcks(port, CaptureDirection::RECEIVED, acks, time);
    }
}

void
FabricSwitchCapture::SendCredits(uint32_t port, const fabric::CreditOrder& order, Time now)
{
    Begin(port, now.GetPicoSeconds());
    PutCredits(port, CaptureDirection::SENT, order, now);
}

void
FabricSwitchCapture::PutCredits(uint32_t port,
                                CaptureDirection direction,
                                const fabric::CreditOrder& order,
                                Time start)
{
    fabric::CreditOrder sent = order;
    sent.damaged = false; // the link damages it
    const auto whole = fabric::CaptureCreditFrame(FabricCreditHeader(sent));
    const auto arriving = fabric::CaptureCreditFrame(FabricCreditHeader(order));
    const bool isSent = direction == CaptureDirection::SENT;
    const TimePs here = start.GetPicoSeconds() + (isSent ? 0 : DelayOf(port));
    for (Capture& capture : m_ports[port].captures)
    {
        const bool hasLeft = isSent != capture.isHost;
        Put(capture, DelayOf(port), here, direction, hasLeft ? whole : arriving);
    }
}

void
FabricSwitchCapture::ArriveCredits(FabricSwitchCapture* capture,
                                   uint32_t port,
                                   uint32_t peerPort,
                                   uint32_t sender,
                                   const fabric::CreditOrder& order,
                                   Time now)
{
    if (sender == peerPort)
    {
        capture->Begin(port, now.GetPicoSeconds());
        capture->PutCredits(port, CaptureDirection::RECEIVED, order, now);
    }
}

void
FabricSwitchCapture::TakeHostCredits(uint32_t port, const fabric::CreditOrder& order, Time start)
{
    PutCredits(port, CaptureDirection::RECEIVED, order, start);
}

void
FabricSwitchCapture::Pause(uint32_t port, const fabric::PauseOrder& order, Time now)
{
    const TimePs time = now.GetPicoSeconds();
    if (Begin(port, time))
    {
        const bool perPriority = m_switch->GetChip().Pauses(port)->GetConfig().perPriority;
        PutPause(port, time, CaptureDirection::SENT, order, perPriority, AddressOf(port));
    }
}

void
FabricSwitchCapture::Fgfc(uint32_t port, const fabric::FgfcOrder& order, Time now)
{
    const TimePs time = now.GetPicoSeconds();
    if (Begin(port, time))
    {
        const fabric::Nic& host = *m_switch->GetChip().Host(port);
        const FabricFgfcHeader header(host.Restraints()->Pattern(order.flow),
                                      order.lasts,
                                      order.credit);
        const Mac48Address destination = FabricNetDevice::MacOf(host.Location());
        PutControl(port,
                   time,
                   CaptureDirection::SENT,
                   fabric::CaptureFgfcFrame(header, AddressOf(port), destination));
    }
}

void
FabricSwitchCapture::ArrivePause(FabricSwitchCapture* capture,
                                 uint32_t port,
                                 uint32_t peerPort,
                                 uint32_t sender,
                                 const fabric::PauseOrder& order,
                                 Time now)
{
    if (sender == peerPort)
    {
        capture->Begin(port, now.GetPicoSeconds());
        const TimePs time = now.GetPicoSeconds() + capture->DelayOf(port);
        capture->PutPause(port,
                          time,
                          CaptureDirection::RECEIVED,
                          order,
                          capture->m_ports[port].isPausedByPriority,
                          Mac48Address()); // ports have no addresses
    }
}

void
FabricSwitchCapture::TakeHostPause(uint32_t port, const fabric::PauseOrder& order)
{
    // The switch obeys after the frame's tail; what is before its first bit is not settled yet.
    const fabric::SwitchChip& chip = m_switch->GetChip();
    const fabric::Transmitter& sender = *chip.Sender(port);
    const TimePs time = order.time - sender.Timing().controlLatency -
                        sender.Rate().TxTime(fabric::PAUSE_FRAME_BYTES);
    const Mac48Address source = FabricNetDevice::MacOf(chip.Host(port)->Location());
    const bool perPriority =
        chip.Config().hostControl.edgeFlowControl == fabric::LINK_PRIORITY_PAUSE;
    PutPause(port, time, CaptureDirection::RECEIVED, order, perPriority, source);
}

void
FabricSwitchCapture::PutPause(uint32_t port,
                              TimePs time,
                              CaptureDirection direction,
                              const fabric::PauseOrder& order,
                              bool perPriority,
                              Mac48Address source)
{
    const fabric::LinkRate rate = m_switch->GetChip().Output(port).Rate();
    const FabricPauseHeader header = PauseHeaderOf(order, perPriority, rate);
    PutControl(port, time, direction, fabric::CapturePauseFrame(header, source));
}

} // namespace ns3
