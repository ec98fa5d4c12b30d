/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
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
PauseConfig
SmallConfig(bool perPriority)
{
    PauseConfig config;
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

/// @return what the sender is to be told now, if anything
std::optional<PauseOrder>
Decide(PauseController& pauses, TimePs now)
{
    return pauses.HasOrder(now) ? std::optional<PauseOrder>(pauses.TakeOrder(now)) : std::nullopt;
}

/// Every line of the controller's table, for the whole link.
void
TestLinkController(FunctionCase& test)
{
    PauseController pauses(SmallConfig(false));
    pauses.Arrive(3, 60, 0);
    pauses.Arrive(5, 40, 10);
    test.Expect(!pauses.IsDue(10), "the threshold is reached, not passed");
    test.ExpectEqual(TextOf(Decide(pauses, 10)), "-", "nothing to say");
    test.ExpectEqual(pauses.NextTime(), NEVER, "and nothing to come");

    pauses.Arrive(3, 1, 20);
    test.Expect(pauses.IsDue(20), "past the threshold");
    const std::optional<PauseOrder> order = Decide(pauses, 25);
    test.ExpectEqual(TextOf(order), "ff/0", "XOFF stops every priority");
    test.ExpectEqual(order->lasts, 1000, "length of the pause");
    test.ExpectEqual(TextOf(Decide(pauses, 26)), "-", "it is said once");
    test.ExpectEqual(pauses.NextTime(), 925, "the refresh counts from the order");
    test.ExpectEqual(TextOf(Decide(pauses, 924)), "-", "not yet");
    test.ExpectEqual(TextOf(Decide(pauses, 925)), "ff/0", "refresh");

    pauses.Leave(3, 60, 1000);
    test.ExpectEqual(TextOf(Decide(pauses, 1000)), "-", "41 bytes are above XON");
    pauses.Leave(5, 40, 1500);
    test.ExpectEqual(pauses.NextTime(), 1500, "the end of a frame comes first");
    test.ExpectEqual(TextOf(Decide(pauses, 1499)), "-", "its tail has not left");
    test.ExpectEqual(TextOf(Decide(pauses, 1500)), "0/ff", "XON");
    test.ExpectEqual(pauses.NextTime(), NEVER, "no refresh of what is lifted");
    test.Expect(!pauses.IsStopping(), "lifted");
    test.ExpectEqual(pauses.HeldBytes(), 1, "what is left");
    test.ExpectEqual(pauses.PeakBytes(), 101, "the most there was");
}

/// Priorities by themselves, the port's guard, and the frames without a flow_id.
void
TestPriorityController(FunctionCase& test)
{
    PauseController pauses(SmallConfig(true));
    pauses.Arrive(9, 101, 0); // class 9 has priority 1
    test.ExpectEqual(TextOf(Decide(pauses, 0)), "2/0", "priority 1 only");
    pauses.Arrive(2, 101, 1);
    test.ExpectEqual(TextOf(Decide(pauses, 1)), "6/0", "an order refreshes what stays stopped");
    test.ExpectEqual(pauses.NextTime(), 901, "all of it");
    pauses.Leave(1, 101, 5);
    pauses.Leave(2, 20, 3); // tells of an earlier end than the one before
    test.ExpectEqual(pauses.NextTime(), 3, "ends are in order");
    test.ExpectEqual(TextOf(Decide(pauses, 5)), "4/2", "one goes, one stays");

    for (uint32_t priority = 4; priority < 7; ++priority)
    {
        pauses.Arrive(priority, 73, 10);
    }
    test.ExpectEqual(TextOf(Decide(pauses, 10)), "-", "300 bytes reach the port's threshold");
    pauses.Arrive(7, 1, 11);
    test.ExpectEqual(TextOf(Decide(pauses, 11)), "ff/0", "past it, nobody may go on");
    pauses.Leave(4, 61, 12);
    test.ExpectEqual(TextOf(Decide(pauses, 12)), "4/fb", "but those with a cause of their own");

    pauses.BeginWait(50);
    test.Expect(!pauses.IsDue(13), "the EIQ's threshold is reached, not passed");
    pauses.BeginWait(1);
    test.ExpectEqual(TextOf(Decide(pauses, 13)), "ff/0", "all would wait behind the EIQ");
    pauses.EndWait(25);
    test.ExpectEqual(TextOf(Decide(pauses, 14)), "-", "26 are above half of it");
    pauses.EndWait(1);
    test.Expect(pauses.IsDue(15), "25 are not");
    test.ExpectEqual(TextOf(Decide(pauses, 15)), "4/fb", "and the EIQ holds nobody");
    test.ExpectEqual(pauses.WaitingBytes(), 25, "what is left");
}

/// Every line of the sender's table.
void
TestState(FunctionCase& test)
{
    PauseState state;
    test.ExpectEqual(+state.Stopped(0), 0, "nothing was said");
    test.ExpectEqual(state.NextChange(), NEVER, "and nothing will be");
    state.Accept({100, 50, 0x05, 0});
    state.Accept({140, 50, 0x01, 0});
    test.ExpectEqual(+state.Stopped(99), 0, "an order does nothing before its time");
    test.ExpectEqual(state.NextChange(), 100, "it is known to come");
    test.ExpectEqual(+state.Stopped(100), 0x05, "stop");
    test.ExpectEqual(state.NextChange(), 140, "the refresh comes before the time-out");
    test.ExpectEqual(+state.Stopped(149), 0x05, "priority 2 to its last moment");
    test.ExpectEqual(+state.Stopped(150), 0x01, "its time is over, priority 0 was refreshed");
    test.ExpectEqual(state.NextChange(), 190, "end of the refreshed pause");
    state.Accept({160, 1000, 0x80, 0x01});
    test.ExpectEqual(+state.Stopped(160), 0x80, "XON for one, XOFF for another");
    test.ExpectEqual(+state.Stopped(1160), 0, "time-out");
    test.ExpectEqual(state.NextChange(), NEVER, "all over");

    state.Accept({2000, 50, 0xFF, 0});
    state.Accept({2050, 50, 0xFF, 0});
    test.ExpectEqual(+state.Stopped(2050), 0xFF, "a refresh at the time-out leaves no gap");
    test.ExpectEqual(+state.Stopped(5000), 0, "long after, looked at late");
    state.Accept({6000, 50, 0x03, 0});
    state.Accept({6100, 50, 0x04, 0});
    test.ExpectEqual(+state.Stopped(6100), 0x04, "several orders at one look");
}

/// @return the sentence that refuses the settings, empty if they are taken
std::string
RefusalHeadroom(const PauseSettings& settings, const PausedLink& link)
{
    try
    {
        MakePauseController(LINK_PRIORITY_PAUSE, settings, link);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return {};
}

/// The headroom by hand, and settings that are refused.
void
TestHeadroom(FunctionCase& test)
{
    // 200 Gb/s are 25 bytes per ns; 453 quanta are 453 * 64 = 28992 bytes.
    PauseSettings settings;
    PausedLink link{LinkRate(200'000'000'000), 1'000'000, 350'000, 9024, 524'288};
    link.response = QuantaToTime(settings.responseQuanta, link.rate.BitsPerSecond());
    const uint64_t headroom = 2 * 25'000 + 8'750 + 28'992 + 84 + 3 * 9024;
    test.ExpectEqual(PauseHeadroom(link), headroom, "worked example");
    PausedLink nesting = link;
    nesting.nestedBytes = 4096;
    test.ExpectEqual(PauseHeadroom(nesting), headroom + 4096, "with nested frames");
    test.ExpectEqual(RefusalHeadroom(settings, link), "", "the defaults are good");

    settings.thresholds = {static_cast<uint32_t>(524'288 - headroom), 1000};
    test.ExpectEqual(RefusalHeadroom(settings, link), "", "the last byte may be used");
    const PauseConfig config = MakePauseController(LINK_PAUSE, settings, link).GetConfig();
    test.Expect(!config.perPriority, "the whole link");
    test.ExpectEqual(config.port.xoffBytes, 524'288 - headroom, "guard of the port");
    test.ExpectEqual(config.pauseTime, 65535 * 2560, "512 bits take 2560 ps");
    test.ExpectEqual(config.pauseTime - config.refreshAfter, 360'960, "a frame's time");
    ++settings.thresholds.xoffBytes;
    const std::string tooHigh = RefusalHeadroom(settings, link);
    for (const std::string& number : {std::to_string(settings.thresholds.xoffBytes),
                                      std::to_string(headroom),
                                      std::string("524288")})
    {
        test.Expect(tooHigh.find(number) != std::string::npos, Text(tooHigh));
    }

    settings.thresholds = {1000, 1001};
    test.Expect(RefusalHeadroom(settings, link).find("1001") != std::string::npos,
                "XON above XOFF");
    settings.thresholds = {1000, 1000};
    settings.quanta = 282; // 282 * 2560 ps are the 721,920 ps of two frames
    test.ExpectEqual(RefusalHeadroom(settings, link), "", "just long enough");
    settings.quanta = 281;
    test.Expect(RefusalHeadroom(settings, link).find("PauseQuanta is 281") != std::string::npos,
                "too short");
}

/// Random arrivals and departures. @return orders that repeated one
uint32_t
RunRefreshes(FunctionCase& test, uint32_t seed)
{
    constexpr TimePs TRANSIT = 77; // from the start of an order to its effect
    uint32_t refreshes = 0;
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
        if (std::optional<PauseOrder> order = Decide(pauses, now))
        {
            // Just before it takes effect the sender obeys all that was said before.
            test.ExpectEqual(state.Stopped(now + TRANSIT - 1) & told,
                             +told,
                             Text("a pause ran out, seed ", seed));
            refreshes += (order->stop & told) != 0;
            order->time = now + TRANSIT;
            told = static_cast<uint8_t>((told | order->stop) & ~order->go);
            state.Accept(*order);
            test.ExpectEqual(+state.Stopped(order->time), +told, Text("in effect, seed ", seed));
        }
    }
    return refreshes;
}

/// Both ends together: between the effects of XOFF and XON the sender stands still.
void
TestRefresh(FunctionCase& test)
{
    uint32_t refreshes = 0;
    for (uint32_t seed = 1; seed <= 100; ++seed)
    {
        refreshes += RunRefreshes(test, seed);
    }
    test.Expect(refreshes > 100, "the scenarios have long pauses");
}

/// What may come before a class is stopped: up to the XOFF of its priority, or of the port.
void
TestFreeBytes(FunctionCase& test)
{
    PauseController pauses(SmallConfig(true));
    test.ExpectEqual(pauses.FreeBytes(0, 0), 100, "an empty buffer");
    pauses.Arrive(1, 70, 0);
    test.ExpectEqual(pauses.FreeBytes(1, 0), 30, "of its priority");
    test.ExpectEqual(pauses.FreeBytes(9, 0), 30, "of another class of it");
    test.ExpectEqual(pauses.FreeBytes(0, 0), 100, "of another priority");
    pauses.Arrive(1, 40, 1);
    test.ExpectEqual(pauses.FreeBytes(1, 1), 0, "above XOFF");
    pauses.Arrive(2, 95, 2);
    pauses.Arrive(3, 90, 3);
    test.ExpectEqual(pauses.FreeBytes(0, 3), 5, "of the port");
    pauses.Leave(1, 70, 4);
    test.ExpectEqual(pauses.FreeBytes(1, 3), 0, "a frame leaves");
    test.ExpectEqual(pauses.FreeBytes(1, 4), 60, "it has left");
    PauseController whole(SmallConfig(false));
    whole.Arrive(1, 70, 0);
    test.ExpectEqual(whole.FreeBytes(0, 0), 30, "of the whole link");
}

/// The suite.
class PauseSuite : public FunctionSuite
{
  public:
    PauseSuite()
        : FunctionSuite("fabric-pause", kUnit)
    {
        Add("WL-5 the pausing end: XOFF, refresh, XON of a whole link", TestLinkController);
        Add("WL-5 FC-9 the pausing end: priorities, the port's guard, the EIQ",
            TestPriorityController);
        Add("WL-5 the paused end: stop, refresh, XON, time-out without refresh", TestState);
        Add("WL-5 headroom: worked example, and settings that could lose a frame are refused",
            TestHeadroom);
        Add("WL-5 CM-5 room below XOFF", TestFreeBytes);
        Add("WL-5 refreshes keep a sender stopped until XON, however late the wire is free",
            TestRefresh);
    }
};

PauseSuite g_pauseSuite; ///< Registers the suite.

} // namespace
