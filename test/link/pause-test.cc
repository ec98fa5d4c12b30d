/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-controller.h"
#include "fabric-pause-settings.h"
#include "fabric-pause-state.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Each priority closes above 100 bytes and opens at 40, the port at 300 and 240, the EIQ at 50
/// and 25.
PauseController::Config
SmallConfig(bool perPriority)
{
    PauseController::Config config;
    config.perPriority = perPriority;
    config.priority = {100, 40};
    config.port = {300, 240};
    config.waiting = {50, 25};
    config.pauseTime = 1000;
    config.refreshAfter = 900;
    return config;
}

/**
 * @param order an order, or none
 * @return its priorities as "stop/go" in hexadecimal figures, "-" for no order
 */
std::string
TextOf(const std::optional<PauseOrder>& order)
{
    if (!order)
    {
        return "-";
    }
    std::ostringstream text;
    text << std::hex << +order->stop << '/' << +order->go;
    return text.str();
}

/// Every line of the controller's table, for the whole link.
class LinkControllerTest : public TestCase
{
  public:
    LinkControllerTest()
        : TestCase("WL-5 the pausing end: XOFF, refresh, XON of a whole link")
    {
    }

  private:
    void DoRun() override
    {
        PauseController pauses(SmallConfig(false));
        pauses.Arrive(3, 60, 0);
        pauses.Arrive(5, 40, 10);
        NS_TEST_EXPECT_MSG_EQ(pauses.IsDue(10), false, "the threshold is reached, not passed");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(10)), "-", "nothing to say");
        NS_TEST_EXPECT_MSG_EQ(pauses.NextTime(), NEVER, "and nothing to come");

        pauses.Arrive(3, 1, 20);
        NS_TEST_EXPECT_MSG_EQ(pauses.IsDue(20), true, "past the threshold");
        const std::optional<PauseOrder> order = pauses.Decide(25);
        NS_TEST_EXPECT_MSG_EQ(TextOf(order), "ff/0", "XOFF stops every priority");
        NS_TEST_EXPECT_MSG_EQ(order->lasts, 1000, "length of the pause");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(26)), "-", "it is said once");
        NS_TEST_EXPECT_MSG_EQ(pauses.NextTime(), 925, "the refresh counts from the order");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(924)), "-", "not yet");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(925)), "ff/0", "refresh");

        pauses.Leave(3, 60, 1000);
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(1000)), "-", "41 bytes are above XON");
        pauses.Leave(5, 40, 1500);
        NS_TEST_EXPECT_MSG_EQ(pauses.NextTime(), 1500, "the end of a frame comes first");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(1499)), "-", "its tail has not left");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(1500)), "0/ff", "XON");
        NS_TEST_EXPECT_MSG_EQ(pauses.NextTime(), NEVER, "no refresh of what is lifted");
        NS_TEST_EXPECT_MSG_EQ(pauses.IsStopping(), false, "lifted");
        NS_TEST_EXPECT_MSG_EQ(pauses.HeldBytes(), 1, "what is left");
        NS_TEST_EXPECT_MSG_EQ(pauses.PeakBytes(), 101, "the most there was");
    }
};

/// Priorities by themselves, the port's guard, and the frames without a flow_id.
class PriorityControllerTest : public TestCase
{
  public:
    PriorityControllerTest()
        : TestCase("WL-5 FC-9 the pausing end: priorities, the port's guard, the EIQ")
    {
    }

  private:
    void DoRun() override
    {
        PauseController pauses(SmallConfig(true));
        pauses.Arrive(9, 101, 0); // class 9 has priority 1
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(0)), "2/0", "priority 1 only");
        pauses.Arrive(2, 101, 1);
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(1)),
                              "6/0",
                              "an order refreshes what stays stopped");
        NS_TEST_EXPECT_MSG_EQ(pauses.NextTime(), 901, "all of it");
        pauses.Leave(1, 101, 5);
        pauses.Leave(2, 20, 3); // tells of an earlier end than the one before
        NS_TEST_EXPECT_MSG_EQ(pauses.NextTime(), 3, "ends are in order");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(5)), "4/2", "one goes, one stays");

        for (uint32_t priority = 4; priority < 7; ++priority)
        {
            pauses.Arrive(priority, 73, 10);
        }
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(10)),
                              "-",
                              "300 bytes reach the port's threshold");
        pauses.Arrive(7, 1, 11);
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(11)), "ff/0", "past it, nobody may go on");
        pauses.Leave(4, 61, 12);
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(12)),
                              "4/fb",
                              "but those with a cause of their own");

        pauses.BeginWait(50);
        NS_TEST_EXPECT_MSG_EQ(pauses.IsDue(13),
                              false,
                              "the EIQ's threshold is reached, not passed");
        pauses.BeginWait(1);
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(13)), "ff/0", "all would wait behind the EIQ");
        pauses.EndWait(25);
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(14)), "-", "26 are above half of it");
        pauses.EndWait(1);
        NS_TEST_EXPECT_MSG_EQ(pauses.IsDue(15), true, "25 are not");
        NS_TEST_EXPECT_MSG_EQ(TextOf(pauses.Decide(15)), "4/fb", "and the EIQ holds nobody");
        NS_TEST_EXPECT_MSG_EQ(pauses.WaitingBytes(), 25, "what is left");
    }
};

/// Every line of the sender's table.
class StateTest : public TestCase
{
  public:
    StateTest()
        : TestCase("WL-5 the paused end: stop, refresh, XON, time-out without refresh")
    {
    }

  private:
    void DoRun() override
    {
        PauseState state;
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(0), 0, "nothing was said");
        NS_TEST_EXPECT_MSG_EQ(state.NextChange(), NEVER, "and nothing will be");
        state.Accept({100, 50, 0x05, 0});
        state.Accept({140, 50, 0x01, 0});
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(99), 0, "an order does nothing before its time");
        NS_TEST_EXPECT_MSG_EQ(state.NextChange(), 100, "it is known to come");
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(100), 0x05, "stop");
        NS_TEST_EXPECT_MSG_EQ(state.NextChange(), 140, "the refresh comes before the time-out");
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(149), 0x05, "priority 2 to its last moment");
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(150),
                              0x01,
                              "its time is over, priority 0 was refreshed");
        NS_TEST_EXPECT_MSG_EQ(state.NextChange(), 190, "end of the refreshed pause");
        state.Accept({160, 1000, 0x80, 0x01});
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(160), 0x80, "XON for one, XOFF for another");
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(1160), 0, "time-out");
        NS_TEST_EXPECT_MSG_EQ(state.NextChange(), NEVER, "all over");

        state.Accept({2000, 50, 0xFF, 0});
        state.Accept({2050, 50, 0xFF, 0});
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(2050),
                              0xFF,
                              "a refresh at the time-out leaves no gap");
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(5000), 0, "long after, looked at late");
        state.Accept({6000, 50, 0x03, 0});
        state.Accept({6100, 50, 0x04, 0});
        NS_TEST_EXPECT_MSG_EQ(+state.Stopped(6100), 0x04, "several orders at one look");
    }
};

/// The headroom by hand, and settings that are refused.
class HeadroomTest : public TestCase
{
  public:
    HeadroomTest()
        : TestCase(
              "WL-5 headroom: worked example, and settings that could lose a frame are refused")
    {
    }

  private:
    /// @return the sentence that refuses the settings, empty if they are taken
    static std::string Refusal(const PauseSettings& settings, const PausedLink& link)
    {
        try
        {
            MakePauseController(EDGE_PRIORITY_PAUSE, settings, link);
        }
        catch (const std::invalid_argument& error)
        {
            return error.what();
        }
        return {};
    }

    void DoRun() override
    {
        // 200 Gb/s are 25 bytes per ns; 453 quanta are 453 * 64 = 28992 bytes.
        const PausedLink link{LinkRate(200'000'000'000), 1'000'000, 350'000, 9024, 524'288};
        PauseSettings settings;
        const uint64_t headroom = 2 * 25'000 + 8'750 + 28'992 + 84 + 3 * 9024;
        NS_TEST_EXPECT_MSG_EQ(PauseHeadroom(settings, link), headroom, "worked example");
        NS_TEST_EXPECT_MSG_EQ(Refusal(settings, link), "", "the defaults are good");

        settings.thresholds = {static_cast<uint32_t>(524'288 - headroom), 1000};
        NS_TEST_EXPECT_MSG_EQ(Refusal(settings, link), "", "the last byte may be used");
        const PauseController::Config config =
            MakePauseController(EDGE_PAUSE, settings, link).GetConfig();
        NS_TEST_EXPECT_MSG_EQ(config.perPriority, false, "the whole link");
        NS_TEST_EXPECT_MSG_EQ(config.port.xoffBytes, 524'288 - headroom, "guard of the port");
        NS_TEST_EXPECT_MSG_EQ(config.pauseTime, 65535 * 2560, "512 bits take 2560 ps");
        NS_TEST_EXPECT_MSG_EQ(config.pauseTime - config.refreshAfter, 360'960, "a frame's time");
        ++settings.thresholds.xoffBytes;
        const std::string tooHigh = Refusal(settings, link);
        for (const std::string& number : {std::to_string(settings.thresholds.xoffBytes),
                                          std::to_string(headroom),
                                          std::string("524288")})
        {
            NS_TEST_EXPECT_MSG_NE(tooHigh.find(number), std::string::npos, tooHigh);
        }

        settings.thresholds = {1000, 1001};
        NS_TEST_EXPECT_MSG_NE(Refusal(settings, link).find("1001"),
                              std::string::npos,
                              "XON above XOFF");
        settings.thresholds = {1000, 1000};
        settings.quanta = 282; // 282 * 2560 ps are the 721,920 ps of two frames
        NS_TEST_EXPECT_MSG_EQ(Refusal(settings, link), "", "just long enough");
        settings.quanta = 281;
        NS_TEST_EXPECT_MSG_NE(Refusal(settings, link).find("281 quanta"),
                              std::string::npos,
                              "too short");
    }
};

/// Both ends together: between the effects of XOFF and XON the sender stands still.
class RefreshTest : public TestCase
{
  public:
    RefreshTest()
        : TestCase("WL-5 refreshes keep a sender stopped until XON, however late the wire is free")
    {
    }

  private:
    static constexpr TimePs TRANSIT = 77; ///< From the start of an order to its effect, ps.

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 100 && !IsStatusFailure(); ++seed)
        {
            RunSeed(seed);
        }
        NS_TEST_EXPECT_MSG_GT(m_refreshes, 100, "the scenarios have long pauses");
    }

    /// Random arrivals and departures.
    void RunSeed(uint32_t seed)
    {
        std::mt19937 random(seed);
        PauseController pauses(SmallConfig(seed % 2 == 0)); // 100 ps for the frame in the way
        PauseState state;
        uint8_t told = 0;
        std::deque<std::pair<uint32_t, uint32_t>> frames; // class and bytes
        TimePs now = 0;
        for (uint32_t step = 0; step < 400; ++step)
        {
            TimePs next = now + random() % 400;
            const TimePs mostWait = random() % 101;
            if (pauses.NextTime() <= next)
            {
                next = pauses.NextTime() + mostWait; // a frame is in the way
            }
            now = next;
            if (frames.size() < 6 && random() % 4 < 3)
            {
                frames.emplace_back(random() % TRAFFIC_CLASSES, 1 + random() % 60);
                pauses.Arrive(frames.back().first, frames.back().second, now);
            }
            else if (!frames.empty() && random() % 8 == 0)
            {
                pauses.Leave(frames.front().first, frames.front().second, now + random() % 50);
                frames.pop_front();
            }
            if (std::optional<PauseOrder> order = pauses.Decide(now))
            {
                // Just before it takes effect the sender obeys all that was said before.
                NS_TEST_ASSERT_MSG_EQ(+(state.Stopped(now + TRANSIT - 1) & told),
                                      +told,
                                      "a pause ran out, seed " << seed);
                m_refreshes += (order->stop & told) != 0;
                order->time = now + TRANSIT;
                told = static_cast<uint8_t>((told | order->stop) & ~order->go);
                state.Accept(*order);
                NS_TEST_ASSERT_MSG_EQ(+state.Stopped(order->time),
                                      +told,
                                      "in effect, seed " << seed);
            }
        }
    }

    uint32_t m_refreshes{0}; ///< Orders that repeated one.
};

/// The suite.
class PauseSuite : public TestSuite
{
  public:
    PauseSuite()
        : TestSuite("fabric-pause", kUnit)
    {
        AddTestCase(new LinkControllerTest, kQuick);
        AddTestCase(new PriorityControllerTest, kQuick);
        AddTestCase(new StateTest, kQuick);
        AddTestCase(new HeadroomTest, kQuick);
        AddTestCase(new RefreshTest, kQuick);
    }
};

PauseSuite g_pauseSuite; ///< Registers the suite.

} // namespace
