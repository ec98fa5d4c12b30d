/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-chain-traffic.h"

#include <cmath>
#include <utility>

namespace ns3
{
namespace fabric
{

LaneChainTraffic::LaneChainTraffic(LinkRate rate, Time end)
    : m_rate(rate),
      m_end(end.GetPicoSeconds()),
      m_random(CreateObject<ExponentialRandomVariable>())
{
}

void
LaneChainTraffic::SetStream(int64_t stream)
{
    m_random->SetStream(stream);
}

void
LaneChainTraffic::AddPoisson(uint8_t lane, uint64_t bytes, Time meanGap)
{
    AddPoissonGap(lane, bytes, static_cast<double>(meanGap.GetPicoSeconds()));
}

void
LaneChainTraffic::AddPoissonLoad(uint8_t lane, uint64_t bytes, double load)
{
    if (load > 0)
    {
        const TimePs busy = m_rate.TxTime(static_cast<uint32_t>(bytes));
        AddPoissonGap(lane, bytes, static_cast<double>(busy) / load);
    }
}

void
LaneChainTraffic::AddPoissonGap(uint8_t lane, uint64_t bytes, double meanGap)
{
    m_expected += static_cast<double>(m_end) / meanGap;
    m_sources.push_back({lane, static_cast<uint32_t>(bytes), meanGap, false});
}

void
LaneChainTraffic::AddStream(uint8_t lane, uint64_t bytes, double load, uint64_t gaps, TimePs gap)
{
    const auto frame = static_cast<uint32_t>(bytes);
    const auto busy = static_cast<double>(m_rate.TxTime(frame));
    const double idle = busy * (1 - load) / load;
    m_expected += static_cast<double>(m_end) * load / busy;
    m_sources.push_back({lane, frame, idle, true, gaps, gap});
}

double
LaneChainTraffic::GetExpectedFrames() const
{
    return m_expected;
}

void
LaneChainTraffic::AppendTo(LaneChainPlan& plan)
{
    for (const Source& source : m_sources)
    {
        for (TimePs time = DrawGap(source); time < m_end; time += DrawGap(source))
        {
            ChainFrame frame = MakeFrame(source, time, plan);
            if (source.isStream)
            {
                time += AddGaps(frame, source, plan.settings.flitBytes);
            }
            plan.frames.push_back(std::move(frame));
        }
    }
}

TimePs
LaneChainTraffic::DrawGap(const Source& source)
{
    return std::llround(m_random->GetValue(source.meanGap, 0));
}

ChainFrame
LaneChainTraffic::MakeFrame(const Source& source, TimePs time, const LaneChainPlan& plan) const
{
    ChainFrame frame;
    frame.time = time;
    frame.bytes = source.bytes;
    frame.leave = static_cast<uint32_t>(plan.rates.size() - 1);
    frame.lane = source.lane;
    frame.rate = source.isStream ? m_rate : LinkRate();
    frame.source = source.lane + 1U;
    return frame;
}

TimePs
LaneChainTraffic::AddGaps(ChainFrame& frame, const Source& source, uint32_t flitBytes) const
{
    TimePs time = 0;
    uint32_t byte = 0;
    for (uint64_t i = 1; i <= source.gaps; ++i)
    {
        const uint64_t place = source.bytes * i / (source.gaps + 1);
        const auto next = static_cast<uint32_t>(place / flitBytes * flitBytes);
        frame.stalls.push_back({next, source.gap});
        time += m_rate.TxTime(next - byte) + source.gap;
        byte = next;
    }
    return time + m_rate.TxTime(source.bytes - byte);
}

} // namespace fabric
} // namespace ns3
