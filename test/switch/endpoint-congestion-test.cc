/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-settings.h"
#include "fabric-injection-pacer.h"
#include "fabric-output-loads.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t LINK_BPS = 200'000'000'000;          ///< Rate of links here, bit/s.
constexpr uint32_t FULL_FRAME = WireBytes(MAX_PAYLOAD); ///< Bytes of a full frame.

/// The worse, the less, and the least severity for a limit or a delay is found.
void
TestSeverityRows(FunctionCase& self)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        SeveritySettings settings;
        settings.firstLimit = static_cast<uint32_t>(16 + random() % 2000);
        settings.limitSteps = static_cast<uint32_t>(1 + random() % 16);
        settings.firstDelay = static_cast<TimePs>(1 + random() % 1'000'000'000);
        settings.delaySteps = static_cast<uint32_t>(1 + random() % 64);
        const SeverityTable table({}, settings);
        const auto wrong = [&](uint32_t severity, const char* what) {
            return Text("seed ", seed, ", severity ", severity, ": ", what);
        };
        for (uint32_t s = 0; s + 1 < SeverityTable::SIZE; ++s)
        {
            const SeverityTable::Row& row = table.At(static_cast<Severity>(s));
            const SeverityTable::Row& next = table.At(static_cast<Severity>(s + 1));
            self.Expect(next.limit <= row.limit, wrong(s, "the next has a larger limit"));
            self.Expect(next.delay >= row.delay, wrong(s, "the next has a shorter delay"));
            self.Expect(row.delay == 0 || row.limit == 1, wrong(s, "it delays several frames"));
            self.Expect(next.marks.target <= row.marks.target && next.marks.high <= row.marks.high,
                        wrong(s, "the next has higher watermarks"));
            self.Expect(row.marks.drop < row.marks.target && row.marks.target < row.marks.high,
                        wrong(s, "its watermarks are in the wrong order"));
            self.Expect(row.mostHigh >= row.marks.high && row.mostHigh >= row.limit,
                        wrong(s, "a long link can't have what may be under way in its queue"));
        }
        self.Expect(table.At(1).limit == SeverityTable::NO_LIMIT, wrong(1, "it has a limit"));
        for (uint32_t i = 0; i < 50; ++i)
        {
            const auto units = static_cast<uint32_t>(random() % 3000);
            const Severity limited = table.ForLimit(units);
            self.Expect(table.At(limited).limit <= std::max(units, 1U) &&
                            table.At(limited - 1).limit > units,
                        wrong(limited, "it is not the least for a limit"));
            const auto delay = static_cast<TimePs>(1 + random() % 2'000'000'000);
            const Severity delayed = table.ForDelay(delay);
            self.Expect(table.At(delayed).delay >= delay || delayed == SeverityTable::SIZE - 1,
                        wrong(delayed, "its delay is too short"));
            self.Expect(table.At(delayed - 1).delay < delay, wrong(delayed, "one less would do"));
        }
    }
}

/// A worked example of the default rows.
void
TestDefaultRows(FunctionCase& self)
{
    const SeverityTable table({}, {});
    self.Expect(table.At(2).limit == 256 && table.At(6).limit == 128 && table.At(14).limit == 32,
                "64 KiB are halved every four severities");
    self.Expect(table.ForLimit(16) == 18 && table.At(18).limit == 16 && table.At(18).delay == 0,
                "18 allows for one frame of 4 KiB");
    self.Expect(table.ForLimit(1) == 32 && table.At(31).limit == 2 && table.At(32).delay == 0,
                "32 allows for one frame of 256 bytes");
    self.Expect(table.At(33).delay == US && table.At(49).delay == 2 * US &&
                    table.At(33 + 160).delay == 1024 * US,
                "1 us doubles every sixteen");
    self.Expect(table.At(18).marks.target == 32 && table.At(2).marks.target == 96,
                "queues are as short as the limit, but for two frames");
    SeveritySettings fine;
    fine.limitSteps = 32;
    const SeverityTable steps({}, fine);
    self.Expect(steps.At(34).limit == 128 && steps.ForLimit(16) == 129 && steps.ForDelay(US) == 144,
                "below a full frame four severities halve a limit, however many do above");
    SeveritySettings slow;
    slow.firstLimit = 1U << 20;
    slow.limitSteps = 32; // 255 severities do not halve it down to a frame
    const SeverityTable high({}, slow);
    self.Expect(high.ForLimit(100) == 255 && high.ForDelay(1) == 255,
                "the highest severity, if none is enough");
}

/// @return a detector whose thresholds are out of reach but for those that are set
EndpointSettings
NothingCounts()
{
    EndpointSettings settings;
    settings.bytes = settings.targetBytes = 1U << 28;
    settings.frames = 1U << 28;
    settings.growth = 1e6;
    return settings;
}

/// A frame alone is no congestion, however low the thresholds are: a flow that is paced since it
/// had company is let go when it is alone.
void
TestLoneFrame(FunctionCase& self)
{
    const SeverityTable table({}, {});
    for (const uint32_t target : {1, 500, 4'119, 20'000})
    {
        EndpointSettings settings = NothingCounts();
        settings.bytes = settings.targetBytes = target;
        EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
        for (uint32_t flow = 0; flow < 100; ++flow)
        {
            detector.Join(4'120, true);
            detector.Decide(US);
        }
        const Severity together = detector.Present();
        for (uint32_t flow = 0; flow < 100; ++flow)
        {
            detector.Leave(4'120, true);
        }
        // What remains sends as often as it may.
        TimePs now = US;
        Severity lone = together;
        for (uint32_t frame = 0; frame < 200 && lone != 0; ++frame)
        {
            now += table.At(lone).delay + 4 * US;
            detector.Join(4'120, true);
            lone = detector.Decide(now);
            detector.Leave(4'120, true);
            detector.Decide(now);
        }
        self.Expect(together > 1, Text("many flows are congestion, target ", target));
        self.ExpectEqual(lone, Severity{0}, Text("a lone one is not, target ", target));
    }
}

/// Each of the three thresholds alone makes congestion, from just above it on.
void
TestThresholds(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const auto severityAfter =
        [&table](const EndpointSettings& settings, uint32_t frames, uint32_t bytes, TimePs gap) {
            EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
            Severity severity = 0;
            for (uint32_t i = 0; i < frames; ++i)
            {
                detector.Join(bytes, i == 0);
                severity = detector.Decide(static_cast<TimePs>(i + 1) * gap);
            }
            return severity;
        };
    EndpointSettings byBytes = NothingCounts();
    byBytes.bytes = 10'000;
    self.Expect(severityAfter(byBytes, 10, 1'000, US) == 0, "the bytes of the threshold are none");
    self.Expect(severityAfter(byBytes, 11, 1'000, US) == 1, "more bytes are congestion");
    EndpointSettings byFrames = NothingCounts();
    byFrames.frames = 10;
    self.Expect(severityAfter(byFrames, 10, 64, US) == 0, "the frames of the threshold are none");
    self.Expect(severityAfter(byFrames, 11, 64, US) == 1, "more frames are congestion");
    EndpointSettings byGrowth = NothingCounts();
    byGrowth.growth = 2;
    // 200 Gb/s carry 25,000 bytes in a us: frames of 4,120 each 100 ns are 1.65 times that.
    self.Expect(severityAfter(byGrowth, 100, 4'120, 100 * NS) == 0, "growth below the threshold");
    self.Expect(severityAfter(byGrowth, 100, 4'120, 80 * NS) == 1, "growth above it is congestion");
    // The time in which a link was idle may be any; this one wraps round in the rate's arithmetic.
    constexpr TimePs WRAPS = (TimePs{1} << 48) + 10;
    self.Expect(severityAfter(byGrowth, 1, 4'120, WRAPS) == 0, "a frame after minutes is none");
}

/// Frames that may not go for now are not in the queue of the link, but their flows are there.
void
TestHeldFrames(FunctionCase& self)
{
    const SeverityTable table({}, {});
    EndpointSettings settings = NothingCounts();
    settings.bytes = 10'000;
    settings.frames = 10;
    EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
    for (uint32_t flow = 0; flow < 20; ++flow)
    {
        detector.Join(1'000, true);
        detector.Hold(1'000);
    }
    self.Expect(detector.Decide(US) == 0, "20 frames that are held are no congestion");
    self.Expect(detector.Bytes() == 0 && detector.Frames() == 0 && detector.Flows() == 20,
                "20 flows wait, and nothing for the link");
    for (uint32_t flow = 0; flow < 10; ++flow)
    {
        detector.Release(1'000);
    }
    self.Expect(detector.Decide(2 * US) == 0, "10 that may go are not over the thresholds");
    detector.Release(1'000);
    self.Expect(detector.Decide(3 * US) == 1, "11 that may go are congestion");
}

/// More and more frames wait, but for severity and not for the link: that does not raise it.
void
TestSeverityOfHeldFrames(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const EndpointSettings settings = EndpointSettings().For(LinkRate(LINK_BPS));
    EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
    for (uint32_t flow = 0; flow < 1000; ++flow)
    {
        detector.Join(FULL_FRAME, true);
        detector.Decide(flow);
    }
    const Severity begin = detector.Present();
    for (uint32_t flow = 0; flow < 960; ++flow)
    {
        detector.Hold(FULL_FRAME);
    }
    for (TimePs now = 0; now < 10 * MS; now += 10 * US)
    {
        detector.Join(FULL_FRAME, false);
        detector.Hold(FULL_FRAME);
        detector.Decide(now);
    }
    self.Expect(detector.Present() == begin,
                Text("it was ", +begin, " and is ", +detector.Present()));
}

/// Many flows get at once the severity with which they hold the target together.
void
TestManyFlows(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const EndpointSettings settings = EndpointSettings().For(LinkRate(LINK_BPS));
    const double underWay = LINK_BPS / 8e12 * EndpointSettings::USUAL_ROUND_TRIP;
    for (const uint32_t flows : {20U, 64U, 100U, 500U, 2000U, 5000U})
    {
        EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
        Severity severity = 0;
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            detector.Join(FULL_FRAME, true);
            severity = detector.Decide(flow); // all at about one time
        }
        const SeverityTable::Row& row = table.At(severity);
        const double share = (settings.targetBytes + underWay) / flows;
        if (share >= FULL_FRAME)
        {
            self.Expect(row.delay == 0 && row.limit * 256.0 <= share &&
                            row.limit * 256.0 > share / 1.3,
                        Text(flows, " flows may have ", row.limit, " units under way"));
            continue;
        }
        const double excess = FULL_FRAME * double{1} * flows - settings.targetBytes - underWay;
        const double exact = excess * 8e12 / LINK_BPS;
        const auto delay = static_cast<double>(row.delay);
        self.Expect(delay >= 0.999 * exact && delay < 1.05 * std::max(exact, 1e6),
                    Text(flows, " flows wait for ", delay, " ps, and ", exact, " would do"));
    }
}

/// So they do if their frames are short: a limit is in units that these do not fill.
void
TestManyShortFrames(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const EndpointSettings settings = EndpointSettings().For(LinkRate(LINK_BPS));
    const double together =
        settings.targetBytes + LINK_BPS / 8e12 * EndpointSettings::USUAL_ROUND_TRIP;
    for (const uint32_t payload : {0U, 1U, 64U, 256U, 300U, 1024U})
    {
        // So many that each may have eight frames.
        const uint32_t frame = WireBytes(payload);
        const auto flows = static_cast<uint32_t>(together / frame / 8);
        EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            detector.Join(frame, true);
            detector.Join(frame, false);
            detector.Decide(flow);
        }
        const SeverityTable::Row& row = table.At(detector.Present());
        const double frames = row.limit / (1.0 * FlowUnits(payload));
        self.Expect(row.delay == 0 && frames <= 8.5 && frames > 5.5,
                    Text("frames of ", payload, " bytes: each may have ", frames));
    }
}

/// Severity steps over what asks for nothing more of the frames that wait, up and down.
void
TestStepsOfFrames(FunctionCase& self)
{
    const SeverityTable table({}, {});
    EndpointSettings settings;
    settings.roundTrip = 10 * NS; // so short that a frame of each flow fills the link
    settings = settings.For(LinkRate(LINK_BPS));
    constexpr uint32_t flows = 4; // so few that they need no limit
    for (const uint32_t payload : {100U, 256U, 512U, 1024U, 4096U, 9000U})
    {
        const uint32_t frame = WireBytes(payload);
        EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
        std::vector<Severity> seen;
        TimePs now = 0;
        const auto decide = [&] {
            seen.push_back(detector.Decide(now));
            now += std::max(2 * settings.RoundTrip(), table.At(seen.back()).delay);
        };
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            detector.Join(frame, true);
        }
        while (seen.empty() || seen.back() < 40 || table.At(seen.back()).delay == 0)
        {
            for (uint32_t bytes = 0; bytes <= settings.targetBytes / 8; bytes += frame)
            {
                detector.Join(frame, false);
            }
            decide();
        }
        while (detector.Bytes() > settings.targetBytes / 2)
        {
            detector.Hold(frame);
        }
        while (seen.back() > 1)
        {
            decide();
        }
        const Severity single = table.ForLimit(FlowUnits(payload));
        const Severity most = *std::max_element(seen.begin(), seen.end());
        for (Severity severity = 1; severity < most; ++severity)
        {
            const bool isAlike = severity > single && table.At(severity).delay == 0;
            const auto times = std::count(seen.rbegin(), seen.rend(), severity);
            self.Expect(isAlike ? times == 0 : times > 0,
                        Text("frames of ", payload, " bytes: ", times, " times at ", +severity));
        }
        const auto down = std::find(seen.rbegin(), seen.rend(), most);
        self.Expect(std::is_sorted(seen.rbegin(), down), Text("frames of ", payload, " bytes"));
        self.ExpectEqual(+seen.back(), 1, "it ends at the first severity");
    }
}

/// One flow whose queue grows and grows is not limited to less than the link carries meanwhile.
void
TestLoneFlow(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const EndpointSettings settings = EndpointSettings().For(LinkRate(LINK_BPS));
    for (const TimePs roundTrip : {100'000, 1'000'000, 2'000'000, 5'000'000, 50'000'000})
    {
        EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
        detector.SetRoundTrip(roundTrip);
        for (uint32_t i = 0; i < 20'000; ++i)
        {
            detector.Join(FULL_FRAME, i == 0);
            if (i % 20 == 0)
            {
                detector.Decide(i * 2 * roundTrip); // a step each time
            }
        }
        const auto limitOf = [&table](uint32_t severity) {
            return std::max(table.At(static_cast<Severity>(severity)).limit * 256.0, 4096.0);
        };
        const double limit = limitOf(detector.Present());
        const double needed = LINK_BPS / 8e12 * static_cast<double>(roundTrip);
        self.Expect(limit >= needed, Text(limit, " bytes of ", needed, " that the link carries"));
        self.Expect(detector.Present() > (needed < 65'536 ? 1 : 0),
                    Text("severity ", +detector.Present(), " with ", roundTrip, " ps"));
        const double lower = limitOf(detector.Present() + 1);
        self.Expect(lower < needed || needed < 4096,
                    Text("the next one would be too low, ", lower));
    }
}

/// A worked example: thresholds and target by the rate of the link, and what was set stays.
void
TestSettingsByRate(FunctionCase& self)
{
    struct Row
    {
        uint64_t megabits; ///< Rate, Mb/s.
        uint32_t bytes;    ///< Threshold.
        uint32_t frames;   ///< Threshold.
        uint32_t target;   ///< Bytes.
    };

    for (const Row& row : {Row{1, 16'384, 64, 65'536},
                           {25'000, 16'384, 64, 65'536},
                           {50'000, 16'384, 64, 65'536},
                           {100'000, 32'768, 128, 131'072},
                           {150'000, 49'152, 192, 196'608},
                           {200'000, 65'536, 256, 262'144},
                           {400'000, 65'536, 256, 262'144},
                           {100'000'000, 65'536, 256, 262'144}})
    {
        const LinkRate rate(row.megabits * 1'000'000);
        const EndpointSettings usual = EndpointSettings().For(rate);
        const std::string where = Text(row.megabits, " Mb/s: ").Str();
        // The time of a byte is rounded where it is no whole number of ps.
        const auto isNear = [](uint32_t value, uint32_t expected) {
            return value <= expected && value + 1 >= expected;
        };
        self.Expect(isNear(usual.bytes, row.bytes), Text(where, usual.bytes, " bytes"));
        self.Expect(isNear(usual.frames, row.frames), Text(where, usual.frames, " frames"));
        self.Expect(isNear(usual.targetBytes, row.target),
                    Text(where, "target ", usual.targetBytes));

        EndpointSettings given;
        given.bytes = 500'000;
        self.ExpectEqual(given.For(rate).bytes, given.bytes, where + "bytes that are set");
        self.ExpectEqual(given.For(rate).targetBytes, given.bytes, where + "no target below them");
        given.bytes = 100;
        self.ExpectEqual(given.For(rate).targetBytes, usual.targetBytes, where + "few bytes");
        given = {};
        given.targetBytes = 3'000;
        self.ExpectEqual(given.For(rate).targetBytes, 3'000, where + "a target that is set");
        self.ExpectEqual(given.For(rate).bytes, 3'000, where + "no bytes above it");
        given.targetBytes = 1U << 28;
        self.ExpectEqual(given.For(rate).targetBytes, 1U << 28, where + "a large one");
        self.ExpectEqual(given.For(rate).bytes, usual.bytes, where + "bytes beside it");
        given.frames = 7;
        self.ExpectEqual(given.For(rate).frames, 7, where + "frames that are set");
    }
}

/// When the incast is over, its severity is, too.
void
TestDecay(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const EndpointSettings settings = EndpointSettings().For(LinkRate(LINK_BPS));
    EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
    for (uint32_t flow = 0; flow < 1000; ++flow)
    {
        detector.Join(FULL_FRAME, true);
        detector.Decide(flow);
    }
    for (uint32_t flow = 0; flow < 1000; ++flow)
    {
        detector.Leave(FULL_FRAME, true);
        detector.Decide(200 * US + flow);
    }
    self.Expect(detector.Present() > 100, "it does not end at once");
    detector.Join(FULL_FRAME, true);
    self.Expect(detector.Decide(10 * MS) == 0, "but also if nobody looks at it meanwhile");
    detector.Leave(FULL_FRAME, true);
    EndpointDetector watched(settings, table, LinkRate(LINK_BPS));
    for (uint32_t flow = 0; flow < 1000; ++flow)
    {
        watched.Join(FULL_FRAME, true);
        watched.Decide(flow);
    }
    for (uint32_t flow = 0; flow < 1000; ++flow)
    {
        watched.Leave(FULL_FRAME, true);
    }
    TimePs now = 200 * US;
    while (watched.Decide(now) != 0)
    {
        now += US;
    }
    // 1 + 2 + ... + 16 is the severity of 1000 senders, and each step takes 20 us.
    self.Expect(now - 200 * US > 250 * US && now - 200 * US < 400 * US, Text("it takes ", now));
    self.Expect(detector.Bytes() == 0 && detector.Frames() == 0 && detector.Flows() == 0,
                "nothing waits");
}

/// A flow that is alone is not held for an incast that was there before, with any round trip and
/// number of senders; two are.
void
TestFlowAlone(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        EndpointSettings settings;
        settings.roundTrip = static_cast<TimePs>((1 + random() % 50) * US);
        settings.growth = 1e6;
        settings.decayTime = MS;
        settings = settings.For(LinkRate(LINK_BPS));
        EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
        const auto come = [&](uint32_t source, bool isFirst, TimePs now) {
            detector.Join(FULL_FRAME, isFirst);
            detector.NoteSource(source, now);
            detector.Decide(now);
        };
        const auto senders = static_cast<uint32_t>(2000 + random() % 3000);
        for (uint32_t source = 0; source < senders; ++source)
        {
            come(source, true, 0);
        }
        self.ExpectEqual(+detector.Told(), +detector.Present(), Text("seed ", seed, ": incast"));
        for (uint32_t source = 0; source < senders; ++source)
        {
            detector.Leave(FULL_FRAME, true);
            detector.Decide(US);
        }
        const TimePs later = settings.roundTrip;
        come(1, true, later - 1);
        self.ExpectEqual(+detector.Told(), +detector.Present(), Text("seed ", seed, ": too early"));
        come(1, false, later);
        self.Expect(detector.Present() > 0, Text("seed ", seed, ": it is remembered"));
        self.ExpectEqual(+detector.Told(), 0, Text("seed ", seed, ": alone"));
        // It sends more than the link carries.
        for (uint32_t frame = 0; frame < 100; ++frame)
        {
            come(1, false, later);
        }
        const uint64_t inRoundTrip = LinkRate(LINK_BPS).BytesBy(settings.roundTrip, 1U << 30);
        const SeverityTable::Row& row = table.At(detector.Told());
        self.Expect(detector.Told() > 0, Text("seed ", seed, ": there is congestion"));
        self.Expect(row.delay == 0 && row.limit >= inRoundTrip / DATA_FLOW_UNIT,
                    Text("seed ", seed, ": it may fill the link"));
        detector.Join(FULL_FRAME, true);
        detector.Decide(later);
        self.ExpectEqual(+detector.Told(), +detector.Present(), Text("seed ", seed, ": two flows"));
        detector.Leave(FULL_FRAME, true);
        come(2, true, later + 1);
        detector.Leave(FULL_FRAME, true);
        detector.Decide(later + 1);
        self.ExpectEqual(+detector.Told(), +detector.Present(), Text("seed ", seed, ": another's"));
    }
}

/// The severity of an incast falls by one at first, whatever there was before.
void
TestDecayAnew(FunctionCase& self)
{
    const SeverityTable table({}, {});
    const EndpointSettings settings = EndpointSettings().For(LinkRate(LINK_BPS));
    EndpointDetector detector(settings, table, LinkRate(LINK_BPS));
    TimePs now = 0;
    for (uint32_t incast = 0; incast < 2; ++incast)
    {
        for (uint32_t flow = 0; flow < 1000; ++flow)
        {
            detector.Join(FULL_FRAME, true);
            detector.Decide(now + flow);
        }
        for (uint32_t flow = 0; flow < 1000; ++flow)
        {
            detector.Leave(FULL_FRAME, true);
        }
        const Severity most = detector.Present();
        // Before a step is due there is none, and afterwards one.
        while (detector.Decide(now) == most)
        {
            now += US;
        }
        self.Expect(detector.Present() == most - 1,
                    Text("incast ", incast, ": ", +most, " falls to ", +detector.Present()));
        while (detector.Decide(now) != 0)
        {
            now += US;
        }
    }
}

/// A switch looks at a link at each frame that comes to wait for it or waits no longer, whatever
/// flow it is of.
void
TestEachFrameIsLookedAt(FunctionCase& self)
{
    const SeverityTable table({}, {});
    EndpointSettings settings = NothingCounts();
    settings.frames = 2;
    OutputLoads loads(2, MarkRules{}, 1);
    loads.Watch(1, EndpointDetector(settings, table, LinkRate(LINK_BPS)), 1);
    InputQueue queue;
    queue.output = 1;
    Frame frame{};
    for (uint32_t i = 0; i < 3; ++i)
    {
        self.Expect(loads.Detector(queue)->Present() == 0, Text(i, " frames are no congestion"));
        loads.BeginWait(queue, frame, i == 0, US);
    }
    self.Expect(loads.Detector(queue)->Present() == 1, "the third makes congestion by coming");
    loads.EndWait(queue, frame, false, 10 * MS);
    self.Expect(loads.Detector(queue)->Present() == 0, "and ends it by leaving");
    self.Expect(!loads.IsWatched(0), "nobody looks at the other output");
}

/// What an output arbitrates between is judged apart, and a queue may come to another list.
void
TestListsApart(FunctionCase& self)
{
    const SeverityTable table({}, {});
    EndpointSettings settings = NothingCounts();
    settings.frames = 2;
    OutputLoads loads(1, MarkRules{}, 1);
    loads.Watch(0, EndpointDetector(settings, table, LinkRate(LINK_BPS)), 4);
    FramePool pool(8);
    InputQueue first;
    InputQueue other;
    other.list = 3;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t index = pool.Put(Frame{});
        first.Append(pool, index);
        loads.BeginWait(first, pool.At(index), i == 0, US);
    }
    Frame frame{};
    loads.BeginWait(other, frame, true, US);
    self.ExpectEqual(+loads.Detector(first)->Present(), 1, "three frames are congestion");
    self.ExpectEqual(+loads.Detector(other)->Present(), 0, "one of another list is none");
    const EndpointDetector& before = *loads.Detector(first);
    first.holds = InputQueue::OVER_LIMIT;
    loads.HoldsChanged(first, pool);
    loads.ChangeList(first, 3, pool);
    self.Expect(first.list == 3 && loads.Detector(first) == loads.Detector(other),
                "both are in one list now");
    self.Expect(before.Frames() == 0 && before.Flows() == 0, "nothing is left in the old one");
    self.ExpectEqual(loads.Detector(first)->Frames(), 1, "what is held is held there, too");
    self.ExpectEqual(loads.Detector(first)->Flows(), 2, "two queues");
    self.ExpectEqual(loads.WatchedBytes(0), WireBytes(0), "in all");
}

/// Flows go on in the order of their times, which are spread around the delay.
void
TestPacer(FunctionCase& self)
{
    const TestSeeds seeds(50);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        InjectionPacer pacer(2, 0.25, seed);
        std::multiset<std::pair<TimePs, uint16_t>> expected;
        double sum = 0;
        for (uint16_t i = 1; i <= 400; ++i)
        {
            const auto now = static_cast<TimePs>(random() % 1000);
            const TimePs at = pacer.Add(1, {3, i}, i, 10'000, now);
            self.Expect(at - now >= 7'500 && at - now <= 12'500,
                        Text("seed ", seed, ": ", at - now));
            sum += static_cast<double>(at - now);
            expected.emplace(at, i);
        }
        self.Expect(std::abs(sum / 400 - 10'000) < 300, Text("seed ", seed, ": mean ", sum / 400));
        self.Expect(pacer.NextTime(0) == NEVER, "nothing waits at the other output");
        for (const auto& [at, queue] : expected)
        {
            self.Expect(pacer.NextTime(1) == at, Text("seed ", seed, ": not in order"));
            const InjectionPacer::Turn turn = pacer.Take(1);
            self.Expect(turn.queue == QueueRef{3, queue} && turn.ticket == queue, "another queue");
        }
        self.Expect(pacer.NextTime(1) == NEVER, "nothing waits any more");
    }
}

/// Settings that contradict each other are refused.
void
TestEndpointRefusals(FunctionCase& self)
{
    const auto says = [](const CongestionSettings& settings, const char* allowed) {
        const std::string said = Refusal([&settings] { settings.Validate(); });
        return said.find(allowed) != std::string::npos;
    };
    CongestionSettings settings;
    self.Expect(Refusal([&settings] { settings.Validate(); }).empty(), "the defaults are allowed");
    settings.endpoint.bytes = 65'536;
    self.Expect(Refusal([&settings] { settings.Validate(); }).empty(), "a target by the rate");
    settings.endpoint.targetBytes = settings.endpoint.bytes - 1;
    self.Expect(says(settings, "allowed is at least EndpointBytes (65536)"), "a low target");
    settings = {};
    settings.severity.firstLimit = 15;
    self.Expect(says(settings, "allowed is at least 16"), "a limit below a frame");
    settings = {};
    settings.firstFlight = 257;
    self.Expect(says(settings, "allowed is at most FirstFlowLimit (256)"), "a long first flight");
    settings.firstFlight = 256;
    self.Expect(Refusal([&settings] { settings.Validate(); }).empty(), "one that is allowed");
}

/// The suite.
class EndpointCongestionSuite : public FunctionSuite
{
  public:
    EndpointCongestionSuite()
        : FunctionSuite("fabric-endpoint-congestion", kUnit)
    {
        Add("CM-3 the worse, the less", TestSeverityRows);
        Add("CM-3 CM-6 CM-7 the rows by default", TestDefaultRows);
        Add("CM-1 a frame alone is no congestion", TestLoneFrame);
        Add("CM-1 each threshold alone", TestThresholds);
        Add("CM-1 held frames are not in the queue", TestHeldFrames);
        Add("CM-2 held frames do not raise severity", TestSeverityOfHeldFrames);
        Add("CM-2 many flows at once", TestManyFlows);
        Add("CM-2 many flows of short frames at once", TestManyShortFrames);
        Add("CM-2 steps go by the frames that wait", TestStepsOfFrames);
        Add("CM-2 a lone flow keeps the link busy", TestLoneFlow);
        Add("CM-1 thresholds by the rate of the link", TestSettingsByRate);
        Add("CM-2 severity ends with the incast", TestDecay);
        Add("CM-2 a flow alone does not pay for others that have gone", TestFlowAlone);
        Add("CM-2 severity falls slowly at first", TestDecayAnew);
        Add("CM-1 each frame is looked at", TestEachFrameIsLookedAt);
        Add("CM-1 lists of an output are judged apart", TestListsApart);
        Add("CM-7 paced flows", TestPacer);
        Add("CM-3 refusals", TestEndpointRefusals);
    }
};

EndpointCongestionSuite g_endpointCongestionSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
