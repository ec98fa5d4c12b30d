/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-notification-point.h"
#include "fabric-reaction-point.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-transport-layout.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr double LINE = 100e9; ///< Line rate in these tests, b/s.

/// @return settings with this line rate
DcqcnSettings
AtLine()
{
    DcqcnSettings settings;
    settings.lineRate = LINE;
    return settings;
}

/// Before a CNP nothing is limited, after the first one half of it.
void
FirstCnp(FunctionCase& test)
{
    const DcqcnSettings settings = AtLine();
    ReactionPoint point(settings);
    point.Send(1'000'000, 5 * US);
    test.ExpectEqual(point.ReadyAt(), 0, "no limit");
    test.ExpectEqual(point.Rate(5 * US), LINE, "line rate");
    point.TakeCnp(10 * US);
    test.ExpectEqual(point.Rate(10 * US), LINE / 2, "alpha is 1 at first");
    test.ExpectEqual(point.TargetRate(), LINE, "target");
    test.ExpectEqual(point.Alpha(), 1, "(1 - g) + g");
}

/// A line rate below that of the wire is a limit before a CNP, and after the recovery from one.
void
BelowWire(FunctionCase& test)
{
    DcqcnSettings settings = AtLine();
    settings.isBelowWire = true;
    ReactionPoint point(settings);
    const auto pace = static_cast<TimePs>(std::ceil(8'000 / LINE * 1e12));
    point.Send(1'000, 5 * US);
    test.ExpectEqual(point.ReadyAt(), 5 * US + pace, "paced from the start");
    point.TakeCnp(100 * US);
    test.ExpectEqual(point.Rate(100 * US), LINE / 2, "as without");
    test.ExpectNear(point.Rate(10 * 1'000'000 * US), LINE, 1, "recovered");
    point.Send(1'000, 10 * 1'000'000 * US); // the bucket was empty
    point.Send(1'000, 10 * 1'000'000 * US);
    test.ExpectNear(static_cast<double>(point.ReadyAt() - 10 * 1'000'000 * US),
                    static_cast<double>(pace),
                    2,
                    "paced again");
}

/// After a CNP in 55 us, and none for ten times as long: alpha has got less, and so is the
/// decrease.
void
Alpha(FunctionCase& test)
{
    DcqcnSettings settings = AtLine();
    settings.rateIncrease = 0;
    settings.rateTimer = 10'000 * US; // no recovery
    ReactionPoint point(settings);
    point.TakeCnp(0);
    point.TakeCnp(55 * US - 1);
    test.ExpectNear(point.Rate(55 * US), LINE / 4, 1, "the timer began anew with the CNP");
    test.ExpectEqual(point.Alpha(), 1, "alpha");
    const TimePs last = 55 * US - 1 + 10 * 55 * US;
    point.TakeCnp(last);
    const double left = std::pow(1 - 1.0 / 256, 10);
    test.ExpectNear(point.Rate(last), LINE / 4 * (1 - left / 2), 1, "ten times less");
    test.ExpectNear(point.Alpha(), left * (1 - 1.0 / 256) + 1.0 / 256, 1e-12, "and a CNP more");
}

/// The curve of recovery, closed: F halves of the distance, then R_AI in each round.
void
Recovery(FunctionCase& test)
{
    const DcqcnSettings settings = AtLine();
    ReactionPoint point(settings);
    point.TakeCnp(0);
    point.TakeCnp(50 * US); // R_T = C/2, R_C = C/4
    for (uint32_t round = 0; round <= 40; ++round)
    {
        const TimePs now = (50 + 55 * round) * US;
        const double recovered = LINE / 2 - LINE / 4 * std::pow(0.5, std::min(round, 5U));
        const uint32_t rises = round < 5 ? 0 : round - 5;
        // Of each rise the rate has half at once, and half of what is left in each round after it.
        double rate = LINE / 2 - LINE / 4 * std::pow(0.5, round);
        for (uint32_t i = 1; i <= rises; ++i)
        {
            rate += settings.rateIncrease * (1 - std::pow(0.5, i));
        }
        test.ExpectNear(point.Rate(now), rises == 0 ? recovered : rate, 2, Text("round ", round));
        test.Expect(round == 0 || point.Rate(now - 1) < point.Rate(now),
                    Text("round ", round, " is at its time"));
    }
    test.ExpectEqual(point.TargetRate(), LINE / 2, "looking changes nothing");
}

/// Bytes raise the rate without a timer; both beyond F make it hyper increase.
void
BytesAndHyperIncrease(FunctionCase& test)
{
    DcqcnSettings settings = AtLine();
    settings.rateTimer = 1'000'000 * US;
    settings.rateBytes = 10'000;
    settings.recoveryRounds = 2;
    ReactionPoint point(settings);
    point.TakeCnp(0);
    point.TakeCnp(0);
    const double target = LINE / 2;
    point.Send(9'999, US);
    test.ExpectEqual(point.Rate(US), LINE / 4, "a byte is missing");
    point.Send(20'001, 2 * US); // three rounds: B is 0, 1 and 2
    test.ExpectEqual(point.TargetRate(),
                     target + 40e6,
                     "two of recovery, one of additive increase");
    point.Send(10'000, 3 * US);
    test.ExpectEqual(point.TargetRate(), target + 80e6, "the timer has not expired once");
    settings.rateTimer = 10 * US;
    point = ReactionPoint(settings);
    point.TakeCnp(0);
    point.TakeCnp(0);
    point.Send(40'000, 5 * US); // B = 4, two of them additive
    test.ExpectEqual(point.TargetRate(), target + 80e6, "bytes");
    point.Send(0, 30 * US); // T = 0, 1 and 2
    test.ExpectEqual(point.TargetRate(), target + 200e6, "max(T, B) is above F, min(T, B) is not");
    point.Send(0, 40 * US); // T = 3, B = 4
    test.ExpectEqual(point.TargetRate(), target + 600e6, "once R_HAI");
    point.Send(0, 50 * US); // T = 4
    test.ExpectEqual(point.TargetRate(), target + 1400e6, "twice R_HAI");
}

/// The rate stays between the lowest and the line's.
void
Bounds(FunctionCase& test)
{
    DcqcnSettings settings = AtLine();
    settings.minRate = 3e9;
    ReactionPoint point(settings);
    for (uint32_t i = 0; i < 100; ++i)
    {
        point.TakeCnp(i * US);
    }
    test.ExpectEqual(point.Rate(100 * US), 3e9, "the lowest");
    settings.rateIncrease = 30e9;
    test.ExpectNear(point.Rate(100 * MS), LINE, 1, "the highest");
    point.Send(4096, 100 * MS);
    test.ExpectEqual(point.ReadyAt() <= 100 * MS, true, "there nothing is paced");
    settings.lineRate = 1e9;
    ReactionPoint slow(settings);
    slow.TakeCnp(0);
    test.ExpectEqual(slow.Rate(0), 1e9, "a line that is slower than the lowest rate");
}

/// Packets go at R_C exactly, the rounding to ps apart, and one that is late makes none later.
void
Pacing(FunctionCase& test)
{
    DcqcnSettings settings = AtLine();
    settings.rateTimer = 100'000 * US;
    settings.rateBytes = uint64_t{1} << 40;
    ReactionPoint point(settings);
    point.TakeCnp(0);
    constexpr uint32_t BYTES = 1250; // 200 ns at 50 Gb/s
    constexpr TimePs GAP = 200'000;
    for (uint32_t i = 0; i < 100; ++i)
    {
        test.ExpectEqual(point.ReadyAt(), i * GAP, Text("packet ", i));
        point.Send(BYTES, i * GAP);
    }
    TimePs now = 100 * GAP + GAP / 2;
    point.Send(BYTES, now);
    test.ExpectEqual(point.ReadyAt(), 101 * GAP, "half a gap late");
    now = 103 * GAP;
    point.Send(BYTES, now);
    test.ExpectEqual(point.ReadyAt(), now, "two gaps late: one is made up for");
    point.Send(BYTES, now);
    test.ExpectEqual(point.ReadyAt(), now + GAP, "and no more");
    // A CNP while a packet waits: what is left to wait takes twice as long.
    point.TakeCnp(now + GAP / 2);
    test.ExpectEqual(point.ReadyAt(), now + GAP / 2 + GAP, "at half the rate");
}

/// DCQCN from the paper, one event after the other, for one connection.
class PaperModel
{
  public:
    explicit PaperModel(const DcqcnSettings& settings)
        : m_s(settings)
    {
    }

    /// The timers run, one expiry at a time.
    void RunUntil(TimePs now)
    {
        for (;;)
        {
            const TimePs next = std::min(m_alphaTimer, m_rateTimer);
            if (next > now)
            {
                break;
            }
            Pass(next);
            if (m_alphaTimer == next)
            {
                alpha = (1 - m_s.alphaGain) * alpha;
                m_alphaTimer += m_s.alphaTimer;
            }
            else
            {
                IncreaseRate();
                ++m_t;
                m_rateTimer += m_s.rateTimer;
            }
        }
        Pass(now);
    }

    void TakeCnp(TimePs now)
    {
        RunUntil(now);
        target = current;
        current = std::max(current * (1 - alpha / 2), std::min(m_s.minRate, m_s.lineRate));
        alpha = (1 - m_s.alphaGain) * alpha + m_s.alphaGain;
        m_alphaTimer = now + m_s.alphaTimer;
        m_rateTimer = now + m_s.rateTimer;
        m_bytes = m_t = m_b = 0;
    }

    void Send(uint32_t bytes, TimePs now)
    {
        RunUntil(now);
        if (m_rateTimer == NEVER)
        {
            return; // no CNP was heard yet
        }
        for (uint32_t i = 0; i < bytes; ++i)
        {
            if (++m_bytes == m_s.rateBytes)
            {
                IncreaseRate();
                ++m_b;
                m_bytes = 0;
            }
        }
        m_bucket = std::max(m_bucket, 8.0 * bytes);
        owed += 8.0 * bytes;
    }

    /// @return whether all that is owed will have been paid then, but for some bits
    bool IsReady(TimePs time, double tolerance) const
    {
        PaperModel ahead = *this;
        while (ahead.owed > tolerance && ahead.m_rateTimer <= time && !ahead.IsFull())
        {
            ahead.RunUntil(std::min(ahead.m_alphaTimer, ahead.m_rateTimer));
        }
        if (!ahead.IsFull() && ahead.owed > tolerance)
        {
            ahead.RunUntil(time);
        }
        return ahead.owed <= tolerance || ahead.IsFull();
    }

    /// @return whether the wire is the limit
    bool IsFull() const
    {
        return current >= m_s.lineRate - 1;
    }

    double current{LINE};
    double target{LINE};
    double alpha{1};
    double owed{0}; ///< Bits.

  private:
    void Pass(TimePs time)
    {
        owed = std::max(owed - current * static_cast<double>(time - m_now) / 1e12, -m_bucket);
        m_now = time;
    }

    void IncreaseRate()
    {
        const uint64_t f = m_s.recoveryRounds;
        if (std::max(m_t, m_b) < f)
        {
            // fast recovery
        }
        else if (std::min(m_t, m_b) > f)
        {
            target += static_cast<double>(std::min(m_t, m_b) - f) * m_s.hyperIncrease;
        }
        else
        {
            target += m_s.rateIncrease;
        }
        target = std::min(target, m_s.lineRate);
        current = (target + current) / 2;
    }

    DcqcnSettings m_s;
    TimePs m_now{0};
    TimePs m_alphaTimer{NEVER};
    TimePs m_rateTimer{NEVER};
    uint64_t m_bytes{0};
    uint64_t m_t{0};
    uint64_t m_b{0};
    double m_bucket{0};
};

/// @return settings at random
DcqcnSettings
DrawSettings(std::mt19937_64& random)
{
    const auto draw = [&random](uint64_t low, uint64_t high) {
        return low + random() % (high - low + 1);
    };
    DcqcnSettings s = AtLine();
    s.alphaGain = 1.0 / static_cast<double>(draw(1, 300));
    s.alphaTimer = static_cast<TimePs>(draw(1, 100)) * US;
    s.rateTimer = static_cast<TimePs>(draw(1, 300)) * US;
    s.rateBytes = draw(1, 2) == 1 ? draw(1, 20'000) : draw(100'000, 10'000'000);
    s.recoveryRounds = static_cast<uint32_t>(draw(0, 6));
    s.rateIncrease = static_cast<double>(draw(0, 1'000'000'000));
    s.hyperIncrease = static_cast<double>(draw(0, 1'000'000'000));
    s.minRate = draw(1, 2) == 1 ? 1e3 : static_cast<double>(draw(1'000'000, 200'000'000'000));
    return s;
}

/// CNPs, packets and pauses of any length against the paper's model.
void
AgainstModel(FunctionCase& test)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const DcqcnSettings settings = DrawSettings(random);
        ReactionPoint point(settings);
        PaperModel model(settings);
        TimePs now = 0;
        for (uint32_t step = 0; step < 300; ++step)
        {
            const uint64_t what = random() % 10;
            const TimePs ready = std::max(now, point.ReadyAt());
            now = what < 6    ? ready + (random() % 2 == 0 ? 0 : random() % 1'000'000)
                  : what == 9 ? now + random() % (5000 * US)
                              : now + random() % (60 * US);
            if (what < 6)
            {
                const auto bytes = static_cast<uint32_t>(64 + random() % 9000);
                point.Send(bytes, now);
                model.Send(bytes, now);
            }
            else if (what < 8)
            {
                point.TakeCnp(now);
                model.TakeCnp(now);
                test.ExpectNear(point.Alpha(), model.alpha, 1e-9, Text("seed ", seed, ": alpha"));
                test.ExpectNear(point.TargetRate(), model.target, 2, Text("seed ", seed, ": R_T"));
            }
            model.RunUntil(now);
            test.ExpectNear(point.Rate(now), model.current, 2, Text("seed ", seed, ": R_C"));
            const TimePs until = point.ReadyAt();
            test.Expect(until <= now || model.IsReady(until, 0.01),
                        Text("seed ", seed, ", step ", step, ": ready at ", until, ", not yet"));
            test.Expect(until <= now || !model.IsReady(until - 2, -0.01),
                        Text("seed ", seed, ", step ", step, ": ready before ", until));
        }
    }
}

/// One CNP in an interval, and at once.
void
Notification(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto interval = static_cast<TimePs>(random() % (100 * US));
        NotificationPoint point;
        TimePs now = static_cast<TimePs>(random() % US);
        TimePs last = -1;
        for (uint32_t i = 0; i < 200; ++i)
        {
            const bool isDue = last < 0 || now >= last + interval;
            test.ExpectEqual(point.TakeMark(now, interval), isDue, Text("seed ", seed));
            last = isDue ? now : last;
            now += random() % 3 == 0 ? interval - (now - last) : random() % (20 * US);
        }
    }
}

/// Two endpoints, of which one pushes; the network marks what a test says.
class MarkedPush
{
  public:
    using Choose = std::function<void(TransportSettings& settings)>; ///< Changes settings.

    explicit MarkedPush(const Choose& choose = {}, uint32_t bytes = 4'000'000)
        : ulps(Settings(choose), Connection())
    {
        ulps.bed.onSend = [this](uint32_t from, const OutgoingPacket& out) {
            return OnSend(from, out);
        };
        cid = From().Connect(1, Connection(), 0);
        ulps.bed.Run(20 * US);
        From().Push(cid, bytes, ulps.bed.Now());
    }

    TransportEndpoint& From()
    {
        return ulps.bed.Node(0);
    }

    TwoUlps ulps;
    ConnectionId cid;
    /// Says whether a packet with data is marked, by the number of those before it.
    std::function<bool(uint32_t number)> marks{[](uint32_t) { return false; }};
    /// Says whether a packet with data is lost.
    std::function<bool(uint32_t number)> loses{[](uint32_t) { return false; }};
    std::vector<TimePs> sent; ///< When each packet with data went out.
    std::vector<TimePs> cnps; ///< When each CNP went out.
    std::vector<TimePs> acks; ///< When each packet of the target went out, but for CNPs.

  private:
    static ConnectionSettings Connection()
    {
        ConnectionSettings connection;
        connection.solicitation = Solicitation::NEVER;
        return connection;
    }

    static TransportSettings Settings(const Choose& choose)
    {
        TransportSettings settings;
        settings.congestionControl = CongestionControlKind::DCQCN;
        settings.lineRate = 320e9; // 100 ns for a packet, the bed's
        if (choose)
        {
            choose(settings);
        }
        return settings;
    }

    bool OnSend(uint32_t from, const OutgoingPacket& out)
    {
        if (out.packet.nack == NackCode::CONGESTION)
        {
            cnps.push_back(ulps.bed.Now());
            return true;
        }
        if (from != 0)
        {
            acks.push_back(ulps.bed.Now());
        }
        if (from != 0 || out.packet.PayloadBytes() == 0)
        {
            return true;
        }
        const auto number = static_cast<uint32_t>(sent.size());
        sent.push_back(ulps.bed.Now());
        if (loses(number))
        {
            return false;
        }
        if (!marks(number))
        {
            return true;
        }
        TransportPacket marked = out.packet;
        marked.isMarked = true;
        ulps.bed.Inject(marked, 0, 1, 1'100'000); // as the bed's delay and spacing
        return false;
    }
};

/// What is said of a connection is its rate at that time, though nothing was done since.
void
RateOfAView(FunctionCase& test)
{
    MarkedPush push([](TransportSettings&) {});
    push.marks = [&push](uint32_t number) { return number >= 50 && push.cnps.empty(); };
    push.ulps.bed.Run(60 * US);
    const double rate = push.From().View(push.cid)->rate;
    test.Expect(rate > 0 && rate < 320e9, Text("it was decreased to ", rate));
    double last = rate;
    for (TimePs now = 100 * US; now <= 900 * US; now += 200 * US)
    {
        const double later = push.From().View(push.cid, now)->rate;
        test.Expect(later > last, Text("after ", now, " ps: ", later));
        last = later;
    }
    test.ExpectEqual(push.From().View(push.cid)->rate, rate, "as of the last step");
}

/// A mark comes back as a CNP at once, and from then on packets are paced at half the rate.
void
EndToEnd(FunctionCase& test)
{
    MarkedPush push([](TransportSettings& s) { s.rateTimer = 100'000 * US; });
    push.marks = [&push](uint32_t number) { return number >= 50 && push.cnps.size() < 2; };
    push.ulps.bed.Run(60 * US);
    test.ExpectEqual(push.cnps.size(), 1, "one in 50 us, however many are marked");
    test.ExpectEqual(push.cnps[0], push.sent[50] + 1'100'000, "at once");
    test.ExpectEqual(push.From().View(push.cid)->rate, 160e9, "half of the line rate");
    const TimePs heard = push.cnps[0] + 1'100'000;
    constexpr TimePs gap =
        TimePs{4096 + TransportHeaderBytes(TransportPacketType::PUSH_UNSOLICITED_DATA)} *
        50; // ps, at 160 Gb/s
    uint32_t paced = 0;
    for (std::size_t i = 1; i < push.sent.size(); ++i)
    {
        if (push.sent[i - 1] > heard + gap)
        {
            ++paced;
            test.ExpectNear(static_cast<double>(push.sent[i] - push.sent[i - 1]),
                            static_cast<double>(gap),
                            1,
                            "gap");
        }
    }
    test.Expect(paced > 100, "many");
    push.ulps.bed.Run(push.cnps[0] + 50 * US - 1);
    test.ExpectEqual(push.cnps.size(), 1, "not before 50 us");
    push.ulps.bed.Run(push.cnps[0] + 53 * US);
    test.ExpectEqual(push.cnps.size(), 2, "then the next");
    test.Expect(push.cnps[1] >= push.cnps[0] + 50 * US && push.cnps[1] <= push.cnps[0] + 51 * US,
                "with the next marked packet");
    test.ExpectEqual(push.From().View(push.cid)->rate, 80e9, "half of it again");
    push.ulps.bed.Run(10'000 * US);
    test.ExpectEqual(push.ulps.Text(0, UlpEventType::COMPLETION), "0:0", "all is delivered");
    const TransportCounters& taken = push.From().Counters();
    test.ExpectEqual(taken.cnpsTaken, push.ulps.bed.Node(1).Counters().cnpsSent, "CNPs");
    test.ExpectEqual(taken.resends, 0, "pacing resends nothing");
}

/// What was lost goes out again at R_C, too.
void
PacedResends(FunctionCase& test)
{
    MarkedPush push([](TransportSettings& s) {
        s.rateTimer = 100'000 * US;
        s.minRate = 1e9;
        s.cnpInterval = 0;
    });
    push.marks = [](uint32_t number) { return number < 20; };
    push.loses = [](uint32_t number) { return number >= 20 && number < 60; };
    push.ulps.bed.Run(200'000 * US);
    test.ExpectEqual(push.ulps.Text(0, UlpEventType::COMPLETION), "0:0", "all is delivered");
    test.Expect(push.From().Counters().resends >= 40, "what was lost was sent again");
    const TimePs heard = push.cnps.back() + 1'100'000;
    const TimePs gap = 4096 * 8000; // ps at 1 Gb/s, without headers
    const auto first = std::find_if(push.sent.begin(), push.sent.end(), [heard](TimePs time) {
        return time > heard;
    });
    for (auto each = first; each + 2 < push.sent.end(); ++each)
    {
        test.Expect(each[2] - each[0] >= gap, "never faster, but for one packet");
    }
    test.Expect(push.sent.end() - first > 900, "most of them");
}

/// Where windows go by marks an ACK goes at once when marks begin, and when they end. Elsewhere it
/// waits for 64 packets.
void
AcksOfMarks(FunctionCase& test)
{
    for (const auto kind : {CongestionControlKind::MARKS, CongestionControlKind::FIXED})
    {
        MarkedPush push([kind](TransportSettings& s) {
            s.congestionControl = kind;
            s.ackPackets = 64;
            s.ackDelay = 1000 * US;
        });
        push.marks = [](uint32_t number) { return number >= 10 && number < 20; };
        push.acks.clear();
        push.ulps.bed.Run(20'000 * US);
        const bool isTold = kind == CongestionControlKind::MARKS;
        const std::string what = isTold ? "marks" : "fixed";
        constexpr TimePs way = 1'100'000; // the bed's
        test.Expect(push.acks.size() > 2, what + ": ACKs");
        test.ExpectEqual(push.acks[0] - way, push.sent[isTold ? 10 : 63], what + ": first ACK");
        test.ExpectEqual(push.acks[1] - way, push.sent[isTold ? 20 : 127], what + ": second ACK");
    }
}

/// An end without DCQCN sends no CNP, and heeds none.
void
OneEnd(FunctionCase& test)
{
    for (const auto kind :
         {CongestionControlKind::FIXED, CongestionControlKind::DELAY, CongestionControlKind::MARKS})
    {
        MarkedPush push([kind](TransportSettings& s) { s.congestionControl = kind; });
        push.marks = [](uint32_t number) { return number % 10 == 0; };
        TransportPacket cnp(TransportPacketType::NACK, NackCode::CONGESTION);
        cnp.cid = push.cid;
        push.ulps.bed.Inject(cnp, 1, 0, 0);
        push.ulps.bed.Run(20'000 * US);
        test.ExpectEqual(push.cnps.size(), 0, "no CNP");
        test.ExpectEqual(push.From().View(push.cid)->rate, 0, "no rate");
        test.ExpectEqual(push.ulps.Text(0, UlpEventType::COMPLETION), "0:0", "delivered");
        test.ExpectEqual(push.From().Counters().cnpsTaken, 1, "counted");
    }
}

/// A low rate is a small window for who asks whether to solicit.
void
Solicits(FunctionCase& test)
{
    TransportSettings settings;
    settings.congestionControl = CongestionControlKind::DCQCN;
    ConnectionSettings connection;
    connection.solicitation = Solicitation::CONGESTION;
    connection.solicitBelowWindow = 0.4;
    for (const uint32_t cnps : {0U, 1U, 2U})
    {
        TwoUlps ulps(settings, connection);
        const ConnectionId cid = ulps.bed.Node(0).Connect(1, connection, 0);
        ulps.bed.Run(20 * US);
        TransportPacket cnp(TransportPacketType::NACK, NackCode::CONGESTION);
        cnp.cid = cid;
        for (uint32_t i = 0; i < cnps; ++i)
        {
            ulps.bed.Node(0).Receive(cnp, 1, ulps.bed.Now());
        }
        ulps.bed.Node(0).Push(cid, 1000, ulps.bed.Now());
        ulps.bed.Run(200 * US);
        const auto& sent = ulps.bed.Node(0).Counters().sent;
        const auto request = static_cast<uint32_t>(TransportPacketType::PUSH_SOLICITED_REQUEST);
        test.ExpectEqual(sent[request], cnps == 2 ? 1 : 0, Text(cnps, " CNPs"));
    }
}

/// A CNP is a packet with a header of its own, which says nothing but whom it is for.
void
Header(FunctionCase& test)
{
    const TransportPacket cnp(TransportPacketType::NACK, NackCode::CONGESTION);
    test.ExpectEqual(TransportBytes(cnp), 10, "bytes");
}

/// Parameters out of their ranges.
void
BadParameters(FunctionCase& test)
{
    const auto refuse = [&test](const char* name, const MarkedPush::Choose& choose) {
        TransportSettings settings;
        settings.congestionControl = CongestionControlKind::DCQCN;
        choose(settings);
        const std::string sentence = Refusal([&settings] { settings.Validate(); });
        test.Expect(sentence.find(std::string("Transport: ") + name + " is ") == 0 &&
                        sentence.find("allowed is") != std::string::npos,
                    std::string(name) + ": " + sentence);
    };
    refuse("lineRate", [](auto& s) { s.lineRate = 999; });
    refuse("cnpInterval", [](auto& s) { s.cnpInterval = -1; });
    refuse("alphaGain", [](auto& s) { s.alphaGain = 0; });
    refuse("alphaGain", [](auto& s) { s.alphaGain = 1.5; });
    refuse("alphaTimer", [](auto& s) { s.alphaTimer = 0; });
    refuse("rateTimer", [](auto& s) { s.rateTimer = 999; });
    refuse("rateBytes", [](auto& s) { s.rateBytes = 0; });
    refuse("recoveryRounds", [](auto& s) { s.recoveryRounds = 101; });
    refuse("rateIncrease", [](auto& s) { s.rateIncrease = -1; });
    refuse("hyperIncrease", [](auto& s) { s.hyperIncrease = 2e12; });
    refuse("minRate", [](auto& s) { s.minRate = 0; });
    refuse("initialWindow", [](auto& s) { s.initialWindow = 10; });
}

/// DCQCN alone, and between two endpoints.
class FabricDcqcnTestSuite : public TestSuite
{
  public:
    FabricDcqcnTestSuite()
        : TestSuite("fabric-dcqcn", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-14 DCQCN: the first CNP halves the line rate", FirstCnp);
        add("RT-14 DCQCN: a line rate below the wire's", BelowWire);
        add("RT-14 DCQCN: alpha", Alpha);
        add("RT-14 DCQCN: the curve of recovery", Recovery);
        add("RT-14 DCQCN: byte counter and hyper increase", BytesAndHyperIncrease);
        add("RT-14 DCQCN: lowest and highest rate", Bounds);
        add("RT-14 DCQCN: packets are paced at the rate", Pacing);
        add("RT-14 DCQCN: any CNPs and packets, against the paper's steps", AgainstModel);
        add("RT-14 DCQCN: one CNP in an interval", Notification);
        add("RT-14 DCQCN: a mark comes back as a CNP and slows its sender down", EndToEnd);
        add("RT-14 an ACK goes at once when marks begin or end", AcksOfMarks);
        add("RT-14 the rate of a view is that of its time", RateOfAView);
        add("RT-12 DCQCN: resends are paced, too", PacedResends);
        add("RT-14 DCQCN: an end without it", OneEnd);
        add("RT-3 DCQCN: a low rate is congestion", Solicits);
        add("RT-2 DCQCN: the header of a CNP", Header);
        add("RT-14 DCQCN: parameters out of range are refused", BadParameters);
    }
};

FabricDcqcnTestSuite g_fabricDcqcnTestSuite; ///< Registers the suite.

} // namespace
