/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-assembler.h"

#include "fabric-require.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/**
 * Refuses an entry of the link.
 *
 * @tparam Sentence makes a std::string, only if it is needed
 * @param ok what must be true
 * @param what the entry
 * @param lane of the entry
 * @param sentence why it is wrong
 */
template <typename Sentence>
void
Require(bool ok, const char* what, uint8_t lane, Sentence&& sentence)
{
    if (!ok)
    {
        throw std::logic_error("link: lane " + std::to_string(lane) + ' ' + what + ", but " +
                               sentence());
    }
}

constexpr const char* STARTS = "starts a frame"; ///< Start()
constexpr const char* STOPS = "stops";           ///< Stop()
constexpr const char* GOES_ON = "goes on";       ///< GoOn()
constexpr const char* BREAKS = "breaks";         ///< Break()
constexpr const char* IS_ASKED = "is sent on";   ///< Arrival()

} // namespace

LaneAssembler::LaneAssembler(const Link& link)
    : m_link(link),
      m_lanes(link.lanes)
{
    RequireRange("LaneAssembler", "the number of lanes", link.lanes, 1, MAX_LANES);
    RequireRange("LaneAssembler", "the number of levels", link.levels, 1, UINT32_MAX);
    RequireRange("LaneAssembler", "the flit in bytes", link.flitBytes, 1, UINT32_MAX);
}

const LaneAssembler::Lane&
LaneAssembler::OpenLane(const char* what, uint8_t lane) const
{
    const bool isOpen = lane < m_link.lanes && (m_openLanes >> lane & 1) != 0;
    Require(isOpen, what, lane, [] { return std::string("no frame of it is partly in"); });
    return m_lanes[lane];
}

void
LaneAssembler::RequireFree(const char* what, uint8_t lane) const
{
    Require(m_flowing == NO_LANE, what, lane, [this] {
        return "the frame of lane " + std::to_string(m_flowing) +
               " still flows, and its tail is in at " + std::to_string(NextTail()) + " ps";
    });
}

void
LaneAssembler::Start(TimePs now, uint8_t lane, uint32_t bytes, uint32_t handle)
{
    Require(lane < m_link.lanes, STARTS, lane, [this] {
        return "the last one is " + std::to_string(m_link.lanes - 1);
    });
    Require((m_openLanes >> lane & 1) == 0, STARTS, lane, [] {
        return std::string("another frame of it is partly in");
    });
    RequireFree(STARTS, lane);
    Require(m_openFrames < m_link.levels, STARTS, lane, [this] {
        return std::to_string(m_openFrames) + " frames are partly in already; allowed are " +
               std::to_string(m_link.levels);
    });
    m_lanes[lane] = {FrameArrival(now, m_link.rate, bytes), handle, 0, now};
    m_openLanes |= LaneMask{1} << lane;
    ++m_openFrames;
    m_flowing = lane;
}

uint32_t
LaneAssembler::Stop(TimePs now, uint8_t lane, uint32_t byte)
{
    const FrameArrival& arrival = OpenLane(STOPS, lane).arrival;
    Require(m_flowing == lane, STOPS, lane, [] { return std::string("it does not flow"); });
    Require(byte % m_link.flitBytes == 0, STOPS, lane, [byte] {
        return "byte " + std::to_string(byte) + " begins no flit";
    });
    const bool isThere =
        byte >= arrival.FirstByte() && byte < arrival.Bytes() && arrival.ReachesAt(byte) == now;
    Require(isThere, STOPS, lane, [&] {
        return "byte " + std::to_string(byte) + " is not where its frame of " +
               std::to_string(arrival.Bytes()) + " B is at " + std::to_string(now) + " ps";
    });
    m_lanes[lane].arrival.Stop(byte);
    ++m_lanes[lane].stops;
    m_flowing = NO_LANE;
    return m_lanes[lane].handle;
}

uint32_t
LaneAssembler::GoOn(TimePs now, uint8_t lane, uint32_t byte)
{
    const FrameArrival& arrival = OpenLane(GOES_ON, lane).arrival;
    RequireFree(GOES_ON, lane);
    Require(byte == arrival.FirstByte(), GOES_ON, lane, [&] {
        return "byte " + std::to_string(byte) + " is not where it stopped, which is byte " +
               std::to_string(arrival.FirstByte());
    });
    m_lanes[lane].arrival.GoOn(now);
    m_flowing = lane;
    return m_lanes[lane].handle;
}

uint32_t
LaneAssembler::Break(uint8_t lane)
{
    const uint32_t handle = OpenLane(BREAKS, lane).handle;
    m_openLanes &= ~(LaneMask{1} << lane);
    --m_openFrames;
    m_flowing = m_flowing == lane ? NO_LANE : m_flowing;
    return handle;
}

TimePs
LaneAssembler::NextTail() const
{
    return m_flowing == NO_LANE ? NEVER : m_lanes[m_flowing].arrival.TailAt();
}

std::optional<AssembledFrame>
LaneAssembler::TakeWhole(TimePs now)
{
    if (NextTail() > now)
    {
        return std::nullopt;
    }
    const Lane& lane = m_lanes[m_flowing];
    const AssembledFrame whole{lane.handle,
                               lane.arrival.Bytes(),
                               lane.head,
                               lane.arrival.TailAt(),
                               lane.stops,
                               m_flowing};
    m_openLanes &= ~(LaneMask{1} << m_flowing);
    --m_openFrames;
    m_flowing = NO_LANE;
    return whole;
}

const FrameArrival&
LaneAssembler::Arrival(uint8_t lane) const
{
    return OpenLane(IS_ASKED, lane).arrival;
}

} // namespace ns3::fabric
