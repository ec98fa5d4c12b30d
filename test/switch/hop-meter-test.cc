/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-hop-meter.h"

#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

namespace ns3::fabric
{

namespace
{

/// A queue and what it owes its upstream, in the words of CM-5, without flags or rests.
class PlainMeter
{
  public:
    /**
     * @param marks depths, where there is room
     * @param divisor part of the room that a flow may take; 0 for no lowering
     * @param leastHigh units that the link needs in the queue until credit brings more
     */
    PlainMeter(const Watermarks& marks, uint32_t divisor, int64_t leastHigh)
        : m_marks(marks),
          m_divisor(divisor),
          m_leastHigh(leastHigh)
    {
    }

    /// @return whether metering starts with a frame of so many units
    bool Join(int64_t units, int64_t roomBytes)
    {
        depth += units;
        if (isMetering || depth <= Target(roomBytes))
        {
            return false;
        }
        isMetering = true;
        m_sixteenths = m_given = 0;
        m_owesEnd = false;
        return true;
    }

    /// @return whether upstream is owed something after a frame of so many units
    bool Leave(int64_t units, int64_t roomBytes)
    {
        depth -= units;
        if (!isMetering)
        {
            return false;
        }
        if (depth <= Drop(roomBytes))
        {
            isMetering = false;
            m_owesEnd = true;
            return true;
        }
        if (depth > High(roomBytes))
        {
            return false;
        }
        m_sixteenths += depth > Target(roomBytes) ? 15 * units : 17 * units;
        return true;
    }

    /// @return what the next HEADROOM ACK says
    int64_t Take()
    {
        if (isMetering)
        {
            const int64_t amount = std::min<int64_t>(m_sixteenths / 16 - m_given, 254);
            m_given += amount;
            return amount;
        }
        const int64_t amount = m_owesEnd ? 255 : 0;
        m_owesEnd = false;
        return amount;
    }

    int64_t depth{0};       ///< Units that wait.
    bool isMetering{false}; ///< UM.

  private:
    /// @return what a part of the room is, units
    int64_t Part(int64_t roomBytes) const
    {
        return roomBytes / 256 / m_divisor;
    }

    /// @return whether a part of the room is less than the target
    bool IsTight(int64_t roomBytes) const
    {
        return m_divisor != 0 && roomBytes / 256 < int64_t{m_divisor} * m_marks.target;
    }

    int64_t Target(int64_t roomBytes) const
    {
        return IsTight(roomBytes) ? Part(roomBytes) : m_marks.target;
    }

    /// What the link needs counts where the room is not tight, and where as much of it is free.
    int64_t High(int64_t roomBytes) const
    {
        const int64_t wanted = std::max<int64_t>(m_marks.high, m_leastHigh);
        if (!IsTight(roomBytes))
        {
            return wanted;
        }
        const int64_t lowered = std::min(wanted, 2 * Part(roomBytes));
        return std::max(lowered, std::min(m_leastHigh, roomBytes / 256));
    }

    int64_t Drop(int64_t roomBytes) const
    {
        return IsTight(roomBytes) ? std::min<int64_t>(m_marks.drop, Part(roomBytes) / 2)
                                  : m_marks.drop;
    }

    Watermarks m_marks;
    uint32_t m_divisor;
    int64_t m_leastHigh;
    int64_t m_sixteenths{0}; ///< Of a unit, all that was earned since metering started.
    int64_t m_given{0};      ///< Units, of these.
    bool m_owesEnd{false};
};

/// What upstream knows of it.
struct PlainSender
{
    /// @param amount of a HEADROOM ACK
    void Receive(int64_t amount)
    {
        headroom = (isMetered ? headroom : 0) + amount;
        isMetered = amount != 255;
    }

    bool isMetered{false}; ///< DM.
    int64_t headroom{0};   ///< Units, if it is metered.
};

/// One flow, with small depths so that all of them are met exactly.
void
AgainstPlainMeter(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto pick = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    Watermarks marks;
    marks.drop = pick(0, 4);
    marks.target = marks.drop + pick(1, 12);
    marks.high = marks.target + pick(1, 12);
    const uint32_t divisor = random() % 2 == 0 ? 0 : pick(1, 16);
    // In some runs so little is taken that more is owed than an ACK can say.
    const uint32_t takesOneIn = random() % 4 == 0 ? 200 : 5;
    const uint32_t largest = random() % 2 == 0 ? 5 : 37;
    const uint32_t leastHigh = random() % 2 == 0 ? 0 : pick(1, 100);
    const HopMeter meter(marks, divisor);
    PlainMeter plain(marks, divisor, leastHigh);
    FlowRecord down;
    down.nextDataFlow = down.dataFlow = down.ackFlow = 0xFFFFFF00; // positions wrap on the way
    FlowRecord up;
    PlainSender sender;
    const std::string what = "seed " + std::to_string(seed) + ", step ";
    for (uint32_t step = 0; step < 600; ++step)
    {
        const std::string when = what + std::to_string(step);
        const uint32_t room = pick(0, 400) * DATA_FLOW_UNIT + pick(0, 255);
        const uint32_t units = pick(1, largest);
        if (random() % takesOneIn == 0)
        {
            const uint8_t amount = HopMeter::TakeCredit(down);
            test.Expect(amount == plain.Take(), when + ": a credit of " + std::to_string(amount));
            HopMeter::Receive(up, amount);
            sender.Receive(amount);
        }
        else if (random() % 2 == 0)
        {
            down.nextDataFlow += units;
            test.Expect(meter.Joined(down, room) == plain.Join(units, room), when + ": joined");
        }
        else if (plain.depth >= units)
        {
            down.dataFlow += units;
            test.Expect(meter.Left(down, units, room, leastHigh) == plain.Leave(units, room),
                        when + ": left");
            HopMeter::Sent(up, units);
            sender.headroom -= sender.isMetered ? units : 0;
        }
        test.Expect(down.Is(FlowRecord::METERS_UPSTREAM) == plain.isMetering, when + ": UM");
        test.Expect(up.Is(FlowRecord::METERED) == sender.isMetered, when + ": DM");
        const bool isHeld = sender.isMetered && sender.headroom <= 0;
        test.Expect(((up.queue.holds & InputQueue::NO_HEADROOM) != 0) == isHeld, when + ": held");
    }
}

void
TestAgainstPlainMeter(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 500; ++seed)
    {
        AgainstPlainMeter(test, seed);
    }
}

/// Suite of hop credits against a plain model.
class HopMeterTestSuite : public FunctionSuite
{
  public:
    HopMeterTestSuite()
        : FunctionSuite("fabric-hop-meter", kUnit)
    {
        Add("CM-5 random flows are metered as a plain model meters them", TestAgainstPlainMeter);
    }
};

HopMeterTestSuite g_hopMeterTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
