/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-source.h"

#include "fabric-seconds.h"

#include "ns3/simulator.h"

namespace ns3::fabric
{

LaneSource::LaneSource(LanePath& path, uint32_t lane, double meanGap)
    : m_path(path),
      m_lane(lane),
      m_meanGap(meanGap),
      m_gap(CreateObject<ExponentialRandomVariable>())
{
    m_gap->SetStream(lane);
    Plan();
}

LaneSource::~LaneSource()
{
    m_next.Cancel();
    m_change.Cancel();
}

void
LaneSource::ChangeAt(Time at, double meanGap)
{
    m_change = Simulator::Schedule(at, &LaneSource::Change, this, meanGap);
}

void
LaneSource::Plan()
{
    if (m_meanGap > 0)
    {
        const TimePs gap = WholeGap(m_gap->GetValue(m_meanGap, 0));
        m_next = Simulator::Schedule(PicoSeconds(gap), &LaneSource::Send, this);
    }
}

void
LaneSource::Change(double meanGap)
{
    m_meanGap = meanGap;
    m_next.Cancel(); // gaps have no memory: the next one begins now
    Plan();
}

void
LaneSource::Send()
{
    m_path.Send(m_lane);
    Plan();
}

} // namespace ns3::fabric
