/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-transport-layout.h"
#include "fabric-transport-path.h"
#include "fabric-transport-settings.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr double TIMELY_WIRE = 10e9;           ///< Line rate in these tests, b/s.
constexpr TimePs TIMELY_TRIP = 20 * US;        ///< D_min in these tests.
constexpr uint64_t TIMELY_SEGMENT = 16 * 1024; ///< Bytes of a segment.

/// @return settings with this D_min
TimelySettings
TimelyWithTrip()
{
    TimelySettings settings;
    settings.minRtt = TIMELY_TRIP;
    return settings;
}

/// A reaction whose segments are acknowledged at such distances that f is 1.
class SlowTimely
{
  public:
    explicit SlowTimely(const TimelySettings& settings)
        : m_reaction(settings, TIMELY_WIRE)
    {
    }

    /// An event. @return the rate after it, as a part of that before
    double After(TimePs rtt)
    {
        const double before = m_reaction.Rate();
        m_now += 2 * TIMELY_TRIP;
        m_reaction.TakeAck({rtt, TIMELY_TRIP, TIMELY_SEGMENT, 0, 0}, m_now);
        return m_reaction.Rate() / before;
    }

    const TimelyReaction& Get() const
    {
        return m_reaction;
    }

  private:
    TimelyReaction m_reaction;
    TimePs m_now{0};
};

/// It begins at line rate, and changes with each segment whose round trip is known.
void
TimelyBegins(FunctionCase& test)
{
    const TimelySettings settings = TimelyWithTrip();
    TimelyReaction reaction(settings, TIMELY_WIRE);
    test.ExpectEqual(reaction.Rate(), TIMELY_WIRE, "line rate");
    test.Expect(!reaction.TakeAck({700 * US, TIMELY_TRIP, TIMELY_SEGMENT - 1, 0, 0}, US),
                "no whole segment yet");
    test.Expect(!reaction.TakeAck({0, TIMELY_TRIP, 1, 0, 0}, US), "a segment, but no round trip");
    test.ExpectEqual(reaction.Rate(), TIMELY_WIRE, "still line rate");
    test.Expect(reaction.TakeAck({1000 * US, TIMELY_TRIP, 0, 0, 0}, 2 * US),
                "the round trip of the segment");
    test.ExpectNear(reaction.Rate(), TIMELY_WIRE * (1 - 0.8 * 0.5), 1, "1000 us for 500 us");
    test.Expect(!reaction.TakeAck({1000 * US, TIMELY_TRIP, TIMELY_SEGMENT - 1, 0, 0}, 3 * US),
                "counted anew");
}

/// Each line of the table, worked by hand: alpha 0.875, beta 0.8, delta 10 Mb/s, D_min 20 us.
void
TimelyFormulas(FunctionCase& test)
{
    const TimelySettings settings = TimelyWithTrip();
    SlowTimely timely(settings);
    test.ExpectNear(timely.After(625 * US), 1 - 0.8 * (1 - 500.0 / 625), 1e-9, "above T_high");
    // 10 Gb/s x 0.84; the round trip falls by 425 us: d = -371.875 us.
    test.ExpectNear(timely.After(200 * US), 1 + 10e6 / 8.4e9, 1e-9, "between, falling");
    test.ExpectNear(timely.Get().Gradient(), -371.875 / 20, 1e-9, "gradient");
    // d = 0.125 x -371.875 + 0.875 x 60 = 6.015625 us, g = 0.30078125.
    test.ExpectNear(timely.After(260 * US), 1 - 0.8 * 0.30078125, 1e-9, "between, rising");
    // d = 0.125 x 6.015625 + 0.875 x 100: g is 4.4, more than what could be taken.
    test.ExpectNear(timely.After(360 * US), 0.5, 1e-9, "half at most");
    const double before = timely.Get().Rate();
    test.ExpectNear(timely.After(49 * US), (before + 10e6) / before, 1e-9, "below T_low");
    test.ExpectNear(timely.After(49 * US),
                    (before + 20e6) / (before + 10e6),
                    1e-9,
                    "however the gradient is");
}

/// After five falling gradients in a row increases are five times as large, until one rises.
void
TimelyHyper(FunctionCase& test)
{
    const TimelySettings settings = TimelyWithTrip();
    SlowTimely timely(settings);
    timely.After(900 * US);
    timely.After(480 * US); // the first that falls
    TimePs rtt = 480 * US;
    for (uint32_t falling = 2; falling <= 7; ++falling)
    {
        const double before = timely.Get().Rate();
        timely.After(rtt -= 20 * US);
        const double more = timely.Get().Rate() - before;
        test.ExpectNear(more, falling >= 5 ? 50e6 : 10e6, 1, Text(falling, " in a row"));
    }
    timely.After(rtt + 100 * US);
    const double before = timely.Get().Rate();
    timely.After(rtt); // d is below 0 again
    test.ExpectNear(timely.Get().Rate() - before, 10e6, 1, "the row was broken");
}

/// With segments of 0 bytes the rate changes once in a round trip.
void
TimelyRounds(FunctionCase& test)
{
    TimelySettings settings = TimelyWithTrip();
    settings.segmentBytes = 0;
    TimelyReaction reaction(settings, TIMELY_WIRE);
    const auto ack = [&reaction](uint32_t base, uint32_t next, TimePs now) {
        return reaction.TakeAck({1000 * US, TIMELY_TRIP, 100, base, next}, now);
    };
    test.Expect(ack(1, 11, 0), "the first ACK ends a round");
    test.Expect(!ack(10, 20, 100 * US), "packet 10 was sent before");
    test.Expect(ack(11, 21, 110 * US), "packet 11 was not");
    test.Expect(!ack(20, 30, 200 * US), "nor is 20 a round later");
    test.ExpectNear(reaction.Rate(), TIMELY_WIRE * 0.6 * 0.6, 1, "two events");
}

/// What happens in less than D_min counts for a part of it.
void
TimelyParts(FunctionCase& test)
{
    const TimelySettings settings = TimelyWithTrip();
    TimelyReaction reaction(settings, TIMELY_WIRE);
    reaction.TakeAck({1000 * US, TIMELY_TRIP, TIMELY_SEGMENT, 0, 0}, 0);
    const double first = reaction.Rate();
    reaction.TakeAck({1000 * US, TIMELY_TRIP, TIMELY_SEGMENT, 0, 0}, 5 * US);
    test.ExpectNear(reaction.Rate() / first, 1 - 0.25 * 0.8 * 0.5, 1e-9, "a fourth of D_min");
    const double second = reaction.Rate();
    reaction.TakeAck({40 * US, TIMELY_TRIP, TIMELY_SEGMENT, 0, 0}, 7 * US);
    test.ExpectNear(reaction.Rate() - second, 0.1 * 10e6, 1, "a tenth of delta");
}

/// Without minRtt D_min is the shortest round trip of the way.
void
TimelyMeasured(FunctionCase& test)
{
    TimelySettings settings;
    settings.minRtt = 0;
    TimelyReaction reaction(settings, TIMELY_WIRE);
    reaction.TakeAck({100 * US, 40 * US, TIMELY_SEGMENT, 0, 0}, 0);
    reaction.TakeAck({104 * US, 40 * US, TIMELY_SEGMENT, 0, 0}, 100 * US);
    test.ExpectNear(reaction.Gradient(), 0.875 * 4 / 40, 1e-9, "in units of 40 us");
    reaction.TakeAck({104 * US, 10 * US, TIMELY_SEGMENT, 0, 0}, 200 * US);
    test.ExpectNear(reaction.Gradient(), 0.125 * 0.875 * 4 / 10, 1e-9, "of 10 us");
}

/// Algorithm 1 of SIGCOMM'15, with f and the largest decrease, and algorithm 2 of CoNEXT'16, as
/// they stand there, in microseconds and Mb/s.
struct PaperTimely
{
    double rate{0}, prevRtt{-1}, rttDiff{0}, lastTime{0};
    int negatives{0};

    void Update(double newRtt, double time, const TimelySettings& s, double line)
    {
        const double minRtt = s.minRtt * 1e-6;
        const double delta = s.increase * 1e-6;
        const double low = s.low * 1e-6;
        const double high = s.high * 1e-6;
        double f = (time - lastTime) / minRtt;
        if (prevRtt < 0)
        {
            prevRtt = newRtt;
            f = newRtt / minRtt;
        }
        f = f > 1 ? 1 : f;
        lastTime = time;
        const double newRttDiff = newRtt - prevRtt;
        prevRtt = newRtt;
        rttDiff = (1 - s.gain) * rttDiff + s.gain * newRttDiff;
        const double gradient = rttDiff / minRtt;
        negatives = gradient < 0 ? negatives + 1 : 0;
        double next;
        if (newRtt < low)
        {
            next = rate + f * delta;
        }
        else if (newRtt > high)
        {
            next = rate * (1 - f * s.beta * (1 - high / newRtt));
        }
        else if (s.isPatched)
        {
            const double w = gradient <= -0.25 ? 0 : gradient >= 0.25 ? 1 : 2 * gradient + 0.5;
            const double error = (newRtt - low) / low;
            next = f * delta * (1 - w) + rate * (1 - f * s.beta * w * error);
        }
        else if (gradient <= 0)
        {
            next = rate +
                   f * (negatives >= static_cast<int>(s.hyperEvents) ? s.hyperFactor : 1) * delta;
        }
        else
        {
            next = rate * (1 - f * s.beta * gradient);
        }
        next = std::max(next, rate * (1 - s.maxDecrease));
        rate = std::min(std::max(next, s.minRate * 1e-6), line);
    }
};

/// Random settings and round trips: as the papers' algorithms, and within its bounds.
void
TimelyAgainstPaper(FunctionCase& test)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const auto uniform = [&random](double low, double high) {
            return std::uniform_real_distribution<double>(low, high)(random);
        };
        TimelySettings s;
        s.low = static_cast<TimePs>(uniform(1, 100)) * US;
        s.high = s.low + static_cast<TimePs>(uniform(0, 500)) * US;
        s.minRtt = static_cast<TimePs>(uniform(1, 60)) * US;
        s.gain = uniform(0.01, 1);
        s.beta = uniform(0.001, 1);
        s.maxDecrease = uniform(0.1, 1);
        s.increase = uniform(0, 1e9);
        s.hyperEvents = 1 + random() % 8;
        s.hyperFactor = 1 + random() % 8;
        s.minRate = uniform(1e6, 1e8);
        s.isPatched = random() % 2 == 0;
        TimelyReaction reaction(s, TIMELY_WIRE);
        PaperTimely paper;
        paper.rate = TIMELY_WIRE * 1e-6;
        TimePs now = 0;
        TimePs rtt = 50 * US;
        for (int event = 0; event < 300; ++event)
        {
            now += 1 + static_cast<TimePs>(uniform(0, 40) * US);
            rtt = std::clamp(rtt + static_cast<TimePs>(uniform(-30, 30) * US), US, 700 * US);
            const double before = reaction.Rate();
            reaction.TakeAck({rtt, NEVER, s.segmentBytes, 0, 0}, now);
            paper.Update(static_cast<double>(rtt) * 1e-6,
                         static_cast<double>(now) * 1e-6,
                         s,
                         TIMELY_WIRE * 1e-6);
            test.ExpectNear(reaction.Rate(), paper.rate * 1e6, 10, Text("seed ", seed, ": rate"));
            test.Expect(reaction.Rate() >= std::min(s.minRate, before) - 1 &&
                            reaction.Rate() <= TIMELY_WIRE,
                        Text("seed ", seed, ": bounds"));
        }
    }
}

/**
 * Flows that share a link as a fluid, in steps of a microsecond. Each is told of the round trip
 * that its packets had, when they come back.
 */
class TimelyFluid
{
  public:
    /// @param settings outlive it @param starts when each flow begins
    TimelyFluid(const TimelySettings& settings, const std::vector<TimePs>& starts)
    {
        for (const TimePs start : starts)
        {
            m_flows.push_back({TimelyReaction(settings, TIMELY_WIRE), start, 0});
        }
    }

    /// @return mean of the round trips of the last half, us
    double RunUntil(TimePs end)
    {
        double sum = 0;
        uint32_t samples = 0;
        const TimePs half = (m_now + end) / 2;
        while (m_now < end)
        {
            const TimePs rtt = Step();
            sum += m_now > half ? static_cast<double>(rtt) : 0;
            samples += m_now > half ? 1 : 0;
        }
        return sum / samples * 1e-6;
    }

    /// @return rate of a flow, b/s
    double Rate(std::size_t flow) const
    {
        return m_flows[flow].reaction.Rate();
    }

  private:
    /// A flow.
    struct Flow
    {
        TimelyReaction reaction; ///< Its rate.
        TimePs start;            ///< When it begins, ps.
        double untold;           ///< Bytes that have come back, and no event has counted.
    };

    /// A microsecond. @return round trip of what comes back, ps
    TimePs Step()
    {
        constexpr double SECONDS = 1e-6;
        m_now += US;
        double sum = 0;
        for (const Flow& flow : m_flows)
        {
            sum += flow.start < m_now ? flow.reaction.Rate() : 0;
        }
        m_queue = std::max(0.0, m_queue + (sum - TIMELY_WIRE) * SECONDS);
        m_past.push_back(TIMELY_TRIP + static_cast<TimePs>(m_queue / TIMELY_WIRE * 1e12));
        while (m_past.size() > 1 && m_past.front() < static_cast<TimePs>(m_past.size() - 1) * US)
        {
            m_past.pop_front();
        }
        for (Flow& flow : m_flows)
        {
            if (flow.start + TIMELY_TRIP < m_now)
            {
                flow.untold +=
                    flow.reaction.Rate() / std::max(sum, TIMELY_WIRE) * TIMELY_WIRE * SECONDS / 8;
                const auto bytes = static_cast<uint64_t>(flow.untold);
                flow.untold -= static_cast<double>(bytes);
                flow.reaction.TakeAck({m_past.front(), TIMELY_TRIP, bytes, 0, 0}, m_now);
            }
        }
        return m_past.front();
    }

    std::vector<Flow> m_flows;
    std::deque<TimePs> m_past; ///< Round trips of what is under way, the oldest first, ps.
    double m_queue{0};         ///< Bits.
    TimePs m_now{0};           ///< ps.
};

/**
 * Patched TIMELY comes to rest where (1 - w) delta = R beta w (rtt - T_low) / T_low with w = 1/2
 * and R = C / n, so rtt = T_low (1 + n delta / (beta C)), with equal rates wherever they begin.
 */
void
TimelyFixedPoint(FunctionCase& test)
{
    for (const uint32_t flows : {2U, 5U, 10U})
    {
        TimelySettings settings = TimelyWithTrip();
        settings.isPatched = true;
        settings.beta = 0.008;
        std::vector<TimePs> starts;
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            starts.push_back(flow * 300 * US);
        }
        TimelyFluid link(settings, starts);
        const double rtt = link.RunUntil(1'000 * MS);
        const double wanted = 50 * (1 + flows * 10e6 / (0.008 * TIMELY_WIRE));
        test.ExpectNear(rtt, wanted, wanted * 0.02, Text(flows, " flows: round trip, us"));
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            test.ExpectNear(link.Rate(flow) / TIMELY_WIRE * flows,
                            1,
                            0.03,
                            Text("share of flow ", flow));
        }
    }
}

/// TIMELY itself has no fixed point (CoNEXT'16): flows that begin at other times keep other rates.
void
TimelyShares(FunctionCase& test)
{
    const TimelySettings settings = TimelyWithTrip();
    TimelyFluid link(settings, {0, 7 * MS});
    const double rtt = link.RunUntil(1'000 * MS);
    test.Expect(rtt > 20 && rtt < 500, Text("a queue of ", rtt, " us"));
    const double sum = link.Rate(0) + link.Rate(1);
    test.ExpectNear(sum / TIMELY_WIRE, 1, 0.05, "the link is used");
    const double ratio = link.Rate(0) / link.Rate(1);
    test.Expect(std::max(ratio, 1 / ratio) > 1.5, Text("one has ", ratio, " times the other's"));
}

/// @return what an ACK of so many packets tells
CongestionSample
AckOf(TimePs rtt, uint32_t packets)
{
    CongestionSample ack;
    ack.rtt = rtt;
    ack.acked = packets;
    return ack;
}

/// Packets are paced at the rate, which changes with full packets' bytes.
void
TimelyPaces(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::TIMELY;
    settings.lineRate = TIMELY_WIRE;
    settings.timely = TimelyWithTrip();
    const PathRules rules(settings);
    RatedPath path(rules, 4096);
    TransportPacket data(TransportPacketType::PUSH_UNSOLICITED_DATA);
    data.piece.amount = 1000;
    path.Send(data, 0);
    test.ExpectEqual(path.ReadyAt(), 0, "the wire has line rate itself");
    path.TakeAck(AckOf(1000 * US, 3), TIMELY_TRIP);
    test.ExpectEqual(path.Rate(0), TIMELY_WIRE, "three packets are less than a segment");
    path.TakeAck(AckOf(1000 * US, 1), TIMELY_TRIP);
    test.ExpectNear(path.Rate(0), 0.6 * TIMELY_WIRE, 1, "four are one");
    const double bits = 8.0 * WireBytes(TransportBytes(data));
    test.ExpectEqual(path.ReadyAt(),
                     static_cast<TimePs>(std::ceil(bits / 6e9 * 1e12)),
                     "what was sent, at 6 Gb/s");
}

/// The way to a peer: full packets on the wire, and D_min no longer than what somebody has told.
void
TimelyPath(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::TIMELY;
    settings.lineRate = TIMELY_WIRE;
    settings.timely.minRtt = 0;
    settings.timely.segmentBytes = 4096;
    settings.longestBaseDelay = 10 * US;
    const PathRules rules(settings);
    TransportPath path(rules);
    const TransmitWindow window(0, 64);
    path.Open(window, 0, 4096);
    test.ExpectEqual(path.Rate(0), TIMELY_WIRE, "begins at line rate");
    TransportPacket ack;
    const auto take = [&](TimePs rtt, TimePs now) {
        ack.echo = now - rtt;
        path.TakeAck(ack, 1, window, 0, now);
        return path.Rate(now) / TIMELY_WIRE;
    };
    // g = 0.875 x 2 / 10 with the longest base delay; the shortest round trip was 100 us.
    test.ExpectEqual(take(100 * US, MS), 1.0, "nothing has changed at first");
    const double less = 1 - 0.8 * 0.875 * 2 / 10;
    test.ExpectNear(take(102 * US, 2 * MS), less, 1e-9, "by the gradient");
    test.ExpectNear(path.UsedWindow(2 * MS), 64 * less, 1e-6, "a part of the window");
    TransportPacket data(TransportPacketType::PUSH_UNSOLICITED_DATA);
    data.piece.amount = 4096;
    path.Pace(data, 3 * MS);
    const double bits = 8.0 * WireBytes(TransportBytes(data));
    const auto pace = static_cast<TimePs>(std::ceil(bits / (TIMELY_WIRE * less) * 1e12));
    test.ExpectNear(static_cast<double>(path.ReadyAt() - 3 * MS),
                    static_cast<double>(pace),
                    2,
                    "a packet with all its headers");
    settings.longestBaseDelay = NEVER;
    const PathRules measuring(settings);
    TransportPath other(measuring);
    other.Open(window, 0, 4096);
    const TimePs trips[] = {40 * US, 60 * US};
    for (const TimePs trip : trips)
    {
        ack.echo = MS;
        other.TakeAck(ack, 1, window, 0, MS + trip);
    }
    // f is the 20 us between both, in units of the 40 us that were measured.
    test.ExpectNear(other.Rate(2 * MS) / TIMELY_WIRE,
                    1 - 0.5 * 0.8 * 0.875 * 20 / 40,
                    1e-9,
                    "in units of what was measured");
}

/// What is out of range is refused.
void
TimelyBadParameters(FunctionCase& test)
{
    const auto refuse = [&test](const std::string& name, void (*choose)(TransportSettings&)) {
        TransportSettings settings;
        settings.congestionControl = CongestionControlKind::TIMELY;
        settings.Validate();
        choose(settings);
        const std::string sentence = Refusal([&settings] { settings.Validate(); });
        test.Expect(sentence.find("Transport: " + name) == 0 &&
                        sentence.find("allowed is") != std::string::npos,
                    Text(name, ": ", sentence));
    };
    refuse("low of TIMELY is", [](TransportSettings& s) { s.timely.low = s.timely.high + 1; });
    refuse("high of TIMELY is", [](TransportSettings& s) { s.timely.high = 10'001 * MS; });
    refuse("minRtt of TIMELY is", [](TransportSettings& s) { s.timely.minRtt = -1; });
    refuse("gain of TIMELY is", [](TransportSettings& s) { s.timely.gain = 0; });
    refuse("beta of TIMELY is", [](TransportSettings& s) { s.timely.beta = 1.1; });
    refuse("maxDecrease of TIMELY is", [](TransportSettings& s) { s.timely.maxDecrease = 0; });
    refuse("increase of TIMELY is", [](TransportSettings& s) { s.timely.increase = -1; });
    refuse("hyperEvents of TIMELY is", [](TransportSettings& s) { s.timely.hyperEvents = 0; });
    refuse("hyperFactor of TIMELY is", [](TransportSettings& s) { s.timely.hyperFactor = 0; });
    refuse("segmentBytes of TIMELY is",
           [](TransportSettings& s) { s.timely.segmentBytes = (uint64_t{1} << 40) + 1; });
    refuse("minRate of TIMELY is", [](TransportSettings& s) { s.timely.minRate = 999; });
    refuse("initialWindow is 10 with congestionControl TIMELY",
           [](TransportSettings& s) { s.initialWindow = 10; });
}

/// TIMELY as a class, against the papers.
class FabricTimelySuite : public TestSuite
{
  public:
    FabricTimelySuite()
        : TestSuite("fabric-timely", kUnit)
    {
        const auto add = [this](const std::string& name, void (*run)(FunctionCase&)) {
            AddTestCase(new FunctionCase(name, run), kQuick);
        };
        add("RT-14 TIMELY: begins at line rate, one event a segment", TimelyBegins);
        add("RT-14 TIMELY: each line of the algorithm, by hand", TimelyFormulas);
        add("RT-14 TIMELY: hyper-active increase", TimelyHyper);
        add("RT-14 TIMELY: rounds instead of segments", TimelyRounds);
        add("RT-14 TIMELY: events that are close together", TimelyParts);
        add("RT-14 TIMELY: measured D_min", TimelyMeasured);
        add("RT-14 TIMELY: as the papers have it, random round trips", TimelyAgainstPaper);
        add("RT-14 TIMELY: fixed point of the patched one", TimelyFixedPoint);
        add("RT-14 TIMELY: unequal flows", TimelyShares);
        add("RT-14 TIMELY: pacing", TimelyPaces);
        add("RT-14 TIMELY: the way to a peer", TimelyPath);
        add("RT-14 TIMELY: parameters out of range", TimelyBadParameters);
    }
};

FabricTimelySuite g_fabricTimelySuite; ///< Registers the suite.

} // namespace
