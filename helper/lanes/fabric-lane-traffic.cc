/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-traffic.h"

#include "fabric-seconds.h"

namespace ns3::fabric
{

LaneTraffic::LaneTraffic(LinkRate rate, Time end)
    : m_rate(rate),
      m_end(end.GetPicoSeconds()),
      m_random(CreateObject<ExponentialRandomVariable>())
{
}

void
LaneTraffic::SetStream(int64_t stream)
{
    m_random->SetStream(stream);
}

void
LaneTraffic::AddPoisson(uint8_t lane, uint64_t bytes, Time meanGap)
{
    AddPoissonGap(lane, bytes, static_cast<double>(meanGap.GetPicoSeconds()));
}

void
LaneTraffic::AddPoissonLoad(uint8_t lane, uint64_t bytes, double load)
{
    if (load > 0)
    {
        const TimePs busy = m_rate.TxTime(static_cast<uint32_t>(bytes));
        AddPoissonGap(lane, bytes, static_cast<double>(busy) / load);
    }
}

void
LaneTraffic::AddPoissonGap(uint8_t lane, uint64_t bytes, double meanGap)
{
    m_expected += static_cast<double>(m_end) / meanGap;
    m_sources.push_back({lane, static_cast<uint32_t>(bytes), meanGap, 0});
}

void
LaneTraffic::AddStream(uint8_t lane, uint64_t bytes, double load)
{
    const auto frame = static_cast<uint32_t>(bytes);
    const TimePs busy = m_rate.TxTime(frame);
    m_expected += static_cast<double>(m_end) * load / static_cast<double>(busy);
    m_sources.push_back({lane, frame, static_cast<double>(busy) * (1 - load) / load, busy});
}

double
LaneTraffic::GetExpectedFrames() const
{
    return m_expected;
}

std::vector<LaneFrame>
LaneTraffic::Draw()
{
    std::vector<LaneFrame> frames;
    for (const Source& source : m_sources)
    {
        const auto gap = [&] { return WholeGap(m_random->GetValue(source.meanGap, 0)); };
        for (TimePs time = gap(); time < m_end; time += source.busy + gap())
        {
            frames.push_back({time, source.bytes, source.lane});
        }
    }
    return frames;
}

} // namespace ns3::fabric
