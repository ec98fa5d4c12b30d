/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_ORACLE_H
#define FABRIC_PAUSE_ORACLE_H

#include "fabric-test-bed.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Watches the pauses between the switches of a chain (WL-5), in the obvious way: from when frames
 * come and leave it counts what is in each buffer, and compares with what is told; and it goes
 * through all that a port was ever told to find out whether a frame may start.
 *
 * In a chain the source of a frame says by which port it has come. No frame is lost or damaged, and
 * none is sent in pieces.
 */
class PauseOracle
{
  public:
    /// @param bed to watch, with links of `plan`; must stay
    PauseOracle(TestBed& bed, const TopologyPlan& plan)
    {
        for (std::size_t i = 0; i < bed.Chips(); ++i)
        {
            m_eyes.push_back(std::make_unique<Eye>(*this, bed.Chip(i)));
            bed.Chip(i).SetObserver(m_eyes.back().get());
        }
        for (const LinkPlan& link : plan.links)
        {
            m_eyes[link.switchA]->inputs[link.portA].peer = {link.switchB, link.portB};
            m_eyes[link.switchB]->inputs[link.portB].peer = {link.switchA, link.portA};
        }
    }

    /// @return the first rule that was broken, empty if none was
    const std::string& Fault() const
    {
        return m_fault;
    }

    /// @return pause frames between switches
    uint64_t Pauses() const
    {
        return m_pauses;
    }

    /// @return frames that started while another priority of their link was stopped
    uint64_t PassedBy() const
    {
        return m_passedBy;
    }

  private:
    /// A fill of a buffer, and whether it is closed.
    struct Fill
    {
        uint32_t bytes{0};
        bool isClosed{false};

        void Add(int64_t more, const PauseThresholds& thresholds)
        {
            bytes = static_cast<uint32_t>(bytes + more);
            isClosed = bytes > (isClosed ? thresholds.xonBytes : thresholds.xoffBytes);
        }
    };

    /// An input from a switch.
    struct Input
    {
        std::pair<std::size_t, uint32_t> peer; ///< Switch and port at the other end.
        /// What comes and leaves and has not been counted: time, what comes after what leaves;
        /// then bytes and priority.
        std::multimap<std::pair<TimePs, bool>, std::pair<uint32_t, uint32_t>> changes;
        std::array<Fill, PAUSE_PRIORITIES> lanes; ///< By priority.
        Fill port;                                ///< Of all.
        uint8_t told{0};                          ///< Bit n: priority n was stopped.
        TimePs lastTold{0};                       ///< When something was told last, ps.
    };

    struct Eye : public SwitchObserver
    {
        Eye(PauseOracle& owner, const SwitchChip& watched)
            : oracle(owner),
              chip(watched)
        {
        }

        /// @return what the sender to a port should be told at a time
        uint8_t Wanted(uint32_t port, TimePs now)
        {
            Input& input = inputs.at(port);
            const PauseConfig& config = chip.Pauses(port)->GetConfig();
            auto& changes = input.changes;
            for (; !changes.empty() && changes.begin()->first.first <= now;
                 changes.erase(changes.begin()))
            {
                const auto& [key, frame] = *changes.begin();
                const int64_t more = key.second ? frame.first : -int64_t{frame.first};
                const uint32_t lane = config.perPriority ? frame.second : 0;
                input.lanes[lane].Add(more, config.priority);
                input.port.Add(more, config.port);
            }
            uint8_t wanted = 0;
            for (uint32_t lane = 0; lane < PAUSE_PRIORITIES; ++lane)
            {
                const bool isLink = !config.perPriority && input.lanes[0].isClosed;
                const bool stops = input.port.isClosed || isLink || input.lanes[lane].isClosed;
                wanted |= static_cast<uint8_t>(stops ? 1U << lane : 0U);
            }
            return wanted;
        }

        /// @return bit n: priority n must not start by a port, by all that was told there
        uint8_t Stopped(uint32_t port, TimePs now) const
        {
            uint8_t stopped = 0;
            for (uint32_t lane = 0; lane < PAUSE_PRIORITIES; ++lane)
            {
                bool stops = false;
                for (const auto& [at, order] : heard)
                {
                    const bool speaks = ((order.stop | order.go) >> lane & 1) != 0;
                    if (at == port && order.time <= now && speaks)
                    {
                        stops = (order.stop >> lane & 1) != 0 && now < order.time + order.lasts;
                    }
                }
                stopped |= static_cast<uint8_t>(stops ? 1U << lane : 0U);
            }
            return stopped;
        }

        void Arrived(uint32_t port, const Frame& frame, TimePs now) override
        {
            cameBy[frame.src] = port;
            if (inputs.count(port) != 0)
            {
                inputs[port].changes.insert({{now, true}, What(frame)});
            }
        }

        void Sent(uint32_t port, const Frame& frame, TimePs now) override
        {
            const uint32_t from = cameBy.at(frame.src);
            if (inputs.count(from) != 0)
            {
                const uint32_t bytes = WireBytes(frame.payload);
                const TimePs tail = now + chip.Output(port).Rate().TxTime(bytes);
                inputs[from].changes.insert({{tail, false}, What(frame)});
            }
            if (inputs.count(port) == 0)
            {
                return;
            }
            const uint8_t stopped = Stopped(port, now);
            const bool mayStart = (stopped >> frame.trafficClass % PAUSE_PRIORITIES & 1) == 0;
            oracle.Require(mayStart, "a frame starts that is paused", now);
            oracle.m_passedBy += stopped != 0;
            oracle.Require(Wanted(port, now) == inputs[port].told, "a pause waits too long", now);
            const TimePs refresh = chip.Pauses(port)->GetConfig().refreshAfter;
            const bool isFresh = inputs[port].told == 0 || now < inputs[port].lastTold + refresh;
            oracle.Require(isFresh, "a refresh waits too long", now);
        }

        void Paused(uint32_t port, const PauseOrder& order, TimePs now) override
        {
            Input& input = inputs.at(port);
            const uint8_t wanted = Wanted(port, now);
            oracle.Require(order.stop == wanted, "the wrong priorities are stopped", now);
            oracle.Require(order.go == (input.told & ~wanted), "the wrong ones are let go", now);
            input.told = wanted;
            input.lastTold = now;
            oracle.m_eyes[input.peer.first]->heard.push_back({input.peer.second, order});
            ++oracle.m_pauses;
        }

        void Dropped(uint32_t, const Frame&, DropCause, TimePs now) override
        {
            oracle.Require(false, "a frame is dropped", now);
        }

        /// @return bytes and priority of a frame
        static std::pair<uint32_t, uint32_t> What(const Frame& frame)
        {
            return {WireBytes(frame.payload), frame.trafficClass % PAUSE_PRIORITIES};
        }

        PauseOracle& oracle;
        const SwitchChip& chip;
        std::map<uint32_t, Input> inputs;                   ///< Those from switches, by port.
        std::map<LocationId, uint32_t> cameBy;              ///< Port of all frames of a source.
        std::vector<std::pair<uint32_t, PauseOrder>> heard; ///< All that was told here, by port.
    };

    void Require(bool ok, const std::string& what, TimePs now)
    {
        if (!ok && m_fault.empty())
        {
            m_fault = what + ", at " + std::to_string(now) + " ps";
        }
    }

    std::vector<std::unique_ptr<Eye>> m_eyes; ///< By switch.
    std::string m_fault;                      ///< First fault.
    uint64_t m_pauses{0};                     ///< See Pauses().
    uint64_t m_passedBy{0};                   ///< See PassedBy().
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_ORACLE_H
