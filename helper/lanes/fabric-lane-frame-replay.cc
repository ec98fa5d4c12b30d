/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-frame-replay.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::fabric
{

LaneFrameReplay::LaneFrameReplay(const FabricContainer& fabric,
                                 const std::vector<LaneFrame>& frames,
                                 const std::vector<Route>& routes,
                                 LaneLatencyRecorder& recorder)
    : m_fabric(fabric),
      m_frames(frames),
      m_routes(routes),
      m_recorder(recorder),
      m_progress(frames.size()),
      m_sent(routes.size(), 0)
{
    for (const Route& route : routes)
    {
        TraceSwitchOf(route.source);
        for (const uint32_t host : route.receivers)
        {
            fabric.GetDevice(host)->SetMessageCallback(
                MakeCallback(&LaneFrameReplay::Receive, this));
        }
    }
    for (uint32_t number = 0; number < frames.size(); ++number)
    {
        Simulator::Schedule(PicoSeconds(frames[number].time), &LaneFrameReplay::Send, this, number);
    }
}

void
LaneFrameReplay::TraceSwitchOf(uint32_t host)
{
    uint32_t edge = 0;
    while (PeekPointer(m_fabric.GetSwitch(edge)) != m_fabric.GetDevice(host)->GetSwitch())
    {
        ++edge;
    }
    if (std::find(m_traced.begin(), m_traced.end(), edge) != m_traced.end())
    {
        return;
    }
    m_traced.push_back(edge);
    const Ptr<FabricSwitch> fabricSwitch = m_fabric.GetSwitch(edge);
    fabricSwitch->TraceConnectWithoutContext("Arrive",
                                             MakeCallback(&LaneFrameReplay::Arrive, this));
    fabricSwitch->TraceConnectWithoutContext("Send", MakeCallback(&LaneFrameReplay::Begin, this));
}

void
LaneFrameReplay::Send(uint32_t number)
{
    const LaneFrame& frame = m_frames[number];
    const Route& route = m_routes.at(frame.lane);
    const uint32_t receiver = route.receivers[m_sent[frame.lane]++ % route.receivers.size()];
    m_fabric.GetDevice(route.source)
        ->SendMessage(LocationOf(receiver), frame.bytes - WireBytes(0), frame.lane, number);
}

std::size_t
LaneFrameReplay::NumberOf(const Frame& frame) const
{
    return m_fabric.network->GetMessages().At(frame.handle).tag;
}

void
LaneFrameReplay::Arrive(uint32_t, const Frame& frame, Time now)
{
    TimePs& head = m_progress[NumberOf(frame)].head;
    head = head == NEVER ? now.GetPicoSeconds() : head;
}

void
LaneFrameReplay::Begin(uint32_t, const Frame& frame, Time now)
{
    Progress& progress = m_progress[NumberOf(frame)];
    if (!progress.hasBegun)
    {
        progress.hasBegun = true;
        m_recorder.AddWait(m_frames[NumberOf(frame)].lane, now.GetPicoSeconds() - progress.head);
    }
}

void
LaneFrameReplay::Receive(const Message& message)
{
    m_end = Simulator::Now().GetPicoSeconds();
    const TimePs delay = m_fabric.hostLinks[HostOf(message.dst)]->GetDelay();
    m_recorder.AddLatency(m_frames[message.tag].lane, m_end - delay - m_progress[message.tag].head);
    m_recorder.AddTotal(m_frames[message.tag].lane, m_end - m_frames[message.tag].time);
    ++m_received;
}

double
LaneFrameReplay::GetDone() const
{
    return m_frames.empty()
               ? 1
               : static_cast<double>(m_received) / static_cast<double>(m_frames.size());
}

TimePs
LaneFrameReplay::GetEnd() const
{
    return m_end;
}

} // namespace ns3::fabric
