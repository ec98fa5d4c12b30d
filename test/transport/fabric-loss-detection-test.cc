/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-loss-detector.h"
#include "fabric-resend-order.h"
#include "fabric-retransmission-engine.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "two-ulps.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// The longest of two periods, against a list of all times.
void
RecentMaximumModel(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        RecentMaximum maximum;
        std::vector<std::vector<TimePs>> periods(2);
        for (uint32_t step = 0; step < 100; ++step)
        {
            if (random() % 4 == 0)
            {
                maximum.NextPeriod();
                periods.emplace_back();
            }
            else
            {
                periods.back().push_back(static_cast<TimePs>(random() % 1000));
                maximum.Add(periods.back().back());
            }
            TimePs longest = 0;
            for (std::size_t i = periods.size() - 2; i < periods.size(); ++i)
            {
                for (const TimePs time : periods[i])
                {
                    longest = std::max(longest, time);
                }
            }
            test.ExpectEqual(maximum.Get(), longest, Text("seed ", seed, " step ", step));
        }
    }
}

/// The reorder window, row by row.
void
ReorderRows(FunctionCase& test)
{
    ReorderWindow window;
    window.Recover(0, 1);
    test.ExpectEqual(window.Length(), 0, "a recovery is no reordering");
    window.Measure(80);
    test.ExpectEqual(window.Length(), 100, "a quarter more");
    window.Measure(8);
    test.ExpectEqual(window.Length(), 100, "the longest counts");
    TimePs now = 1000;
    const auto recover = [&](uint32_t times) {
        for (uint32_t i = 0; i < times; ++i, now += 10)
        {
            window.Recover(now, 10);
            window.Recover(now + 9, 10); // the same one
        }
    };
    recover(ReorderWindow::RECOVERIES - 1);
    test.ExpectEqual(window.Length(), 100, "15 more recoveries are a period");
    window.Measure(16);
    recover(ReorderWindow::RECOVERIES - 1);
    test.ExpectEqual(window.Length(), 100, "what was in the last one counts");
    recover(1);
    test.ExpectEqual(window.Length(), 20, "what was before it is forgotten");
    recover(ReorderWindow::RECOVERIES);
    test.ExpectEqual(window.Length(), 0, "and all in the end");
}

/// The window where packets are sprayed, term by term.
void
SprayRows(FunctionCase& test)
{
    SprayWindow window;
    SprayWindow::Way way{500, 100, 100, 10};
    test.ExpectEqual(window.Length(way), 1000, "two expected round trips while nothing is known");
    window.Measure(1000);
    test.ExpectEqual(window.Length(way), 1250, "or what is measured");
    window.Deliver(SprayWindow::FIRST_PACKETS - 1, 0, 100);
    window.Deliver(0, 399, 100);
    test.ExpectEqual(window.Length(way), 1250, "the last period counts");
    window.Deliver(0, 400, 100);
    test.ExpectEqual(window.Length(way), 1000, "four round trips are a period");
    window.Deliver(1, 401, 100);
    test.ExpectEqual(window.Length(way), 15, "one and a half times the time of an ACK");
    way.rtt = 190;
    test.ExpectEqual(window.Length(way), 150, "and of what waits");
    window.Measure(160);
    test.ExpectEqual(window.Length(way), 200, "the longest of all");
    window.Deliver(1000, 402, 100);
    way.rtt = 100;
    test.ExpectEqual(window.Length(way), 200, "packets alone end no period");
}

/// What was taken for lost, against a list of all decreases and packets.
class HistoryModel
{
  public:
    explicit HistoryModel(uint32_t seed)
        : m_random(seed),
          m_firstPsn(seed * 1000)
    {
    }

    /// @return what is wrong
    std::string Run()
    {
        for (m_step = 1; m_step <= 400 && m_fault.empty(); ++m_step)
        {
            // PSNs of a window do not share an entry, and those of the two windows never do.
            m_isRequest = m_random() % 4 == 0;
            m_psn = m_firstPsn + (m_isRequest ? 128 : 0) + m_random() % 100;
            switch (m_random() % 10)
            {
            case 0:
                Decrease();
                break;
            case 1:
            case 2:
                Claim();
                break;
            case 3:
                Resend();
                break;
            case 4:
                m_history.Miss(m_psn, m_isRequest);
                Count(-1);
                break;
            case 5:
                Deliver();
                break;
            case 6:
                Compare(m_history.Disprove(m_psn, m_isRequest));
                break;
            default:
                Count(-1);
                Compare(m_history.Duplicate(m_psn, m_isRequest));
                break;
            }
        }
        return m_fault;
    }

    uint32_t undone{0}; ///< Decreases.
    uint32_t kept{0};   ///< Packets that were not disproved since another copy may have come.

  private:
    struct Packet
    {
        uint32_t psn;
        bool isRequest;
        int32_t copies{0};
        bool isOpen{false};
        LossCause cause{LossCause::EARLY};
        uint32_t decrease{0};
        uint32_t before{0};
        TimePs sentAt{0}; // first
        TimePs late{0};
    };

    /// @return the packet; null if it was never claimed
    Packet* Find()
    {
        const auto isIt = [this](const Packet& packet) {
            return packet.psn == m_psn && packet.isRequest == m_isRequest;
        };
        const auto found = std::find_if(m_packets.begin(), m_packets.end(), isIt);
        return found != m_packets.end() ? &*found : nullptr;
    }

    void Decrease()
    {
        const double factor = m_random() % 3 == 0 ? 1 : 1 + m_random() % 3;
        m_history.Decrease(factor);
        if (factor > 1)
        {
            m_factors.push_back(factor);
        }
    }

    void Claim()
    {
        const auto cause = static_cast<LossCause>(m_random() % 3);
        m_history.Claim(m_psn, m_isRequest, cause, m_step);
        const auto now = static_cast<uint32_t>(m_factors.size() - 1);
        Packet* known = Find();
        Packet& packet = known ? *known : m_packets.emplace_back(Packet{m_psn, m_isRequest});
        packet.cause = cause;
        if (!packet.isOpen)
        {
            packet.isOpen = true;
            packet.decrease = packet.before = now;
            packet.sentAt = m_step;
            packet.late = 0;
        }
        else if (packet.decrease != now)
        {
            packet.late = 0;
            // Two decreases of a packet are known; one before them stays.
            if (packet.before != packet.decrease)
            {
                m_factors[packet.before] = 1;
            }
            packet.before = std::exchange(packet.decrease, now);
        }
    }

    void Resend()
    {
        m_history.Resend(m_psn, m_isRequest);
        Count(1);
    }

    void Count(int32_t copies)
    {
        if (Packet* packet = Find())
        {
            packet->copies += copies;
        }
    }

    void Deliver()
    {
        const auto delivered = static_cast<TimePs>(m_random() % 400);
        m_history.Deliver(m_psn, m_isRequest, delivered);
        if (Packet* packet = Find(); packet != nullptr && packet->isOpen && packet->late == 0)
        {
            packet->late = std::max<TimePs>(delivered - packet->sentAt, 0);
        }
    }

    void Compare(const std::optional<ResendHistory::Disproof>& disproof)
    {
        Packet* packet = Find();
        const bool isOpen = packet != nullptr && packet->isOpen;
        const bool isDisproved = isOpen && packet->copies <= 0;
        kept += isOpen && !isDisproved;
        if (disproof.has_value() != isDisproved)
        {
            Report("whether it is disproved");
        }
        if (!disproof || !isDisproved)
        {
            return;
        }
        packet->isOpen = false;
        const double factor = Undo(packet->decrease) * Undo(packet->before);
        undone += factor > 1;
        if (disproof->cause != packet->cause)
        {
            Report("cause");
        }
        if (disproof->late != packet->late)
        {
            Report("lateness");
        }
        if (disproof->factor != factor)
        {
            Report("factor");
        }
    }

    /// @return by what the window is multiplied after a packet behind a decrease is disproved
    double Undo(uint32_t decrease)
    {
        const auto isBehind = [decrease](const Packet& packet) {
            return packet.isOpen && (packet.decrease == decrease || packet.before == decrease);
        };
        const bool isLast = std::none_of(m_packets.begin(), m_packets.end(), isBehind);
        const bool isKnown = m_factors.size() - decrease <= 128;
        return isLast && isKnown ? std::exchange(m_factors[decrease], 1) : 1;
    }

    void Report(const std::string& what)
    {
        m_fault = what + " in step " + std::to_string(m_step);
    }

    std::mt19937_64 m_random;
    uint32_t m_firstPsn;
    uint32_t m_step{0};
    uint32_t m_psn{0};
    bool m_isRequest{false};
    ResendHistory m_history;
    std::vector<Packet> m_packets;
    std::vector<double> m_factors{1};
    std::string m_fault;
};

void
HistoryModels(FunctionCase& test)
{
    const TestSeeds seeds(300);
    uint32_t undone = 0;
    uint32_t kept = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        HistoryModel model(seed);
        test.ExpectEqual(model.Run(), "", Text("seed ", seed));
        undone += model.undone;
        kept += model.kept;
    }
    test.Expect(undone > seeds.count / 4 && kept > seeds.count / 4,
                Text(undone, " are undone, and ", kept, " are not"));
}

/// An engine and its detector against the rule as RFC 8985 writes it, over all packets.
class DetectionModel
{
  public:
    explicit DetectionModel(uint32_t seed)
        : m_random(seed),
          m_first(0xFFFFFFC0 + seed),
          m_engine(m_first, 128)
    {
    }

    /// @return what is wrong
    std::string Run()
    {
        for (uint32_t step = 0; step < 300; ++step)
        {
            m_now += m_random() % 3 * 100;
            switch (m_random() % 4)
            {
            case 0:
            case 1:
                Send();
                break;
            case 2:
                Deliver();
                break;
            case 3:
                Resend();
                break;
            }
            const std::string fault = Compare();
            if (!fault.empty())
            {
                return fault + " in step " + std::to_string(step);
            }
        }
        return "";
    }

    uint32_t lost{0}; ///< Packets that were found to be.
    TimePs late{0};   ///< How late the latest of those that were sent once came, ps.

  private:
    static constexpr TimePs RTT = 1000;    ///< The shortest.
    static constexpr TimePs WINDOW = 250;  ///< For reordering.
    static constexpr TimePs INITIAL = 500; ///< Round trip before there is one.

    struct Packet
    {
        TimePs sentAt;
        bool wasResent{false};
        bool isWaiting{false};
        bool isDelivered{false};
    };

    void Send()
    {
        if (m_engine.Window().IsFull())
        {
            return;
        }
        OutstandingPacket packet;
        packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
        packet.Send(m_now, 1'000'000);
        m_engine.Register(packet, m_pool);
        m_packets.push_back({m_now});
    }

    /// The peer has some of those that were sent a round trip ago.
    void Deliver()
    {
        const uint32_t base = m_engine.Window().Base() - m_first;
        PacketBitmap received;
        const TimePs newest = m_newest;
        const TimePs rtt = m_rtt;
        for (uint32_t i = base; i < m_packets.size(); ++i)
        {
            Packet& packet = m_packets[i];
            if (packet.isDelivered || m_random() % 4 != 0 || m_now - packet.sentAt < RTT)
            {
                continue;
            }
            received.Set(i - base);
            if (!packet.wasResent && !packet.isWaiting && packet.sentAt < newest)
            {
                late = std::max(late, m_now - packet.sentAt - rtt);
            }
            packet.isDelivered = true;
            packet.isWaiting = false;
            if (packet.sentAt >= m_newest)
            {
                m_newest = packet.sentAt;
                m_rtt = m_now - packet.sentAt;
            }
        }
        const RetransmissionEngine::News news{m_losses, m_now, RTT, INITIAL};
        const auto clear = [](uint32_t, const OutstandingPacket&, bool) {};
        if (m_random() % 2 == 0)
        {
            m_engine.NoteReceived(m_engine.Window().Base(), received, news, clear);
            return;
        }
        uint32_t next = base;
        while (next < m_packets.size() && m_packets[next].isDelivered)
        {
            ++next;
        }
        m_engine.Acknowledge(m_first + next,
                             received.From(next - base),
                             m_pool,
                             news,
                             clear,
                             [](uint32_t, const OutstandingPacket&) {});
    }

    void Resend()
    {
        if (m_engine.HasResend())
        {
            const uint32_t psn = m_engine.NextResend();
            m_engine.Resent(psn, m_now, 1'000'000);
            Packet& packet = m_packets[psn - m_first];
            packet.sentAt = m_now;
            packet.wasResent = true;
            packet.isWaiting = false;
        }
    }

    /// Finds the losses in both ways.
    std::string Compare()
    {
        uint32_t highest = 0;
        for (uint32_t i = 0; i < m_packets.size(); ++i)
        {
            highest = m_packets[i].isDelivered ? i : highest;
        }
        std::string expected;
        TimePs timer = NEVER;
        for (uint32_t i = 0; i < m_packets.size(); ++i)
        {
            Packet& packet = m_packets[i];
            const bool isOlder =
                packet.sentAt < m_newest || (packet.sentAt == m_newest && i < highest);
            if (packet.isDelivered || packet.isWaiting || !isOlder)
            {
                continue;
            }
            if (packet.sentAt + m_rtt + WINDOW <= m_now)
            {
                packet.isWaiting = true;
                expected += std::to_string(i) + " ";
                ++lost;
            }
            else
            {
                timer = std::min(timer, packet.sentAt + m_rtt + WINDOW);
            }
        }
        const LossPast* past = m_losses.GetPast();
        if ((past != nullptr ? past->Tolerance({}) : 0) != late + late / 4)
        {
            return "another lateness";
        }
        m_losses.StopTimer();
        PacketBitmap found = m_engine.FindLost(m_losses, WINDOW, m_now);
        std::string actual;
        while (!found.IsEmpty())
        {
            const uint32_t i = found.Lowest();
            found.Clear(i);
            actual += std::to_string(m_engine.Window().Base() + i - m_first) + " ";
        }
        return actual != expected          ? "lost: " + actual + "instead of " + expected
               : m_losses.Timer() != timer ? "the timer is another"
                                           : "";
    }

    std::mt19937_64 m_random;
    uint32_t m_first;
    RetransmissionEngine::Pool m_pool;
    RetransmissionEngine m_engine;
    LossDetector m_losses;
    std::vector<Packet> m_packets;
    TimePs m_now{1000};
    TimePs m_newest{-1};
    TimePs m_rtt{0};
};

void
Detection(FunctionCase& test)
{
    const TestSeeds seeds(300);
    uint32_t lost = 0;
    uint32_t late = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        DetectionModel model(seed);
        test.ExpectSame(model.Run(), "", "seed " + std::to_string(seed));
        lost += model.lost;
        late += model.late > 0;
    }
    test.Expect(lost > 5 * seeds.count, "packets are lost");
    test.Expect(late > seeds.count / 2, "packets are late");
}

/// Probes: when, and that they wait longer until something is heard.
void
ProbeTimes(FunctionCase& test)
{
    LossDetector losses;
    losses.Send(100);
    test.ExpectEqual(losses.ProbeTime(losses.Wait(40, 3)), 143, "before there is a round trip");
    for (uint32_t i = 0; i < 100; ++i)
    {
        losses.Deliver(1000 * i, false, 1000 * i + 80, 40);
    }
    const TimePs quiet = 99 * 1000 + 80;
    test.ExpectEqual(losses.ProbeTime(losses.Wait(40, 30)),
                     quiet + 110,
                     "a round trip and the least");
    losses.Probe(quiet + 110);
    test.ExpectEqual(losses.ProbeTime(losses.Wait(40, 30)), quiet + 110 + 220, "twice as long");
    losses.Probe(quiet + 330);
    test.ExpectEqual(losses.ProbeTime(losses.Wait(40, 30)), quiet + 330 + 440, "and again");
    losses.Hear(quiet + 400);
    test.ExpectEqual(losses.ProbeTime(losses.Wait(40, 30)),
                     quiet + 400 + 110,
                     "something was delivered");
    losses.Deliver(200'000, false, 200'400, 40);
    test.Expect(losses.ProbeTime(losses.Wait(40, 30)) > 200'400 + 400,
                "one was long: so may the next be");
    for (uint32_t i = 0; i < 100; ++i)
    {
        losses.Probe(300'000);
    }
    test.Expect(losses.ProbeTime(losses.Wait(100'000'000 * US, 0)) > 0, "it never overflows");
}

/// One window shows what is lost of the other when all is known of both.
void
TwoWindows(FunctionCase& test)
{
    LossDetector losses;
    losses.Deliver(50, true, 90, 40);
    test.Expect(losses.LossTime(10, false, false, 5) == NEVER, "what rode along");
    losses.Share();
    test.ExpectEqual(losses.LossTime(10, false, false, 5), 55, "a stand-alone ACK");
    losses.Deliver(60, false, 80, 40);
    losses.Share();
    test.ExpectEqual(losses.LossTime(10, true, false, 5), 35, "the other way round");
    test.Expect(losses.LossTime(60, true, false, 5) == NEVER, "not at the same time");
    test.ExpectEqual(losses.LossTime(60, true, true, 5), 85, "unless a later one has come");
}

/// A packet is delivered sooner after its resend than one can be: the earlier copy has come, and
/// says nothing of packets that were sent before the resend.
void
EarlierCopy(FunctionCase& test)
{
    for (const TimePs took : {5, 45})
    {
        RetransmissionEngine::Pool pool;
        RetransmissionEngine engine(0, 16);
        LossDetector losses;
        for (const TimePs sentAt : {0, 50})
        {
            OutstandingPacket packet;
            packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
            packet.Send(sentAt, 10'000);
            engine.Register(packet, pool);
        }
        test.Expect(engine.Probe(), "the oldest is sent again");
        engine.Resent(0, 100, 10'000);
        bool isCleared = false;
        engine.NoteReceived(
            0,
            PacketBitmap(1, 0),
            {losses, 100 + took, 40, 40},
            [&](uint32_t, const OutstandingPacket& packet, bool) { isCleared = packet.isProbe; });
        test.Expect(isCleared, "the probe is delivered");
        const PacketBitmap lost = engine.FindLost(losses, 0, 100 + took);
        test.Expect(lost == PacketBitmap(took < 40 ? 0 : 0b10, 0), Text("after ", took));
    }
}

// ---- whole connections ----

/// Both ends of a connection that pushes a lot, and what happens to its packets.
class Push
{
  public:
    /// @param change of the settings
    template <typename Change>
    Push(Change change, const NetworkFaults& faults)
        : ulps(Changed(change), ConnectionSettings(), faults)
    {
        cid = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
        ulps.bed.Run(100 * US);
    }

    /**
     * @param count pushes
     * @param bytes of each
     * @return how long they take, ps
     */
    TimePs Run(uint32_t count, uint32_t bytes = 4000)
    {
        const TimePs start = ulps.bed.Now();
        const uint64_t before = From().Counters().completions;
        for (uint32_t left = count; left > 0;)
        {
            while (left > 0 && From().Push(cid, bytes, ulps.bed.Now()))
            {
                --left;
            }
            ulps.bed.Run(ulps.bed.Now() + US);
        }
        while (From().Counters().completions < before + count &&
               ulps.bed.Now() < start + 1'000'000 * US)
        {
            ulps.bed.Run(ulps.bed.Now() + US);
        }
        return ulps.bed.Now() - start;
    }

    TransportEndpoint& From()
    {
        return ulps.bed.Node(0);
    }

    double Window()
    {
        return From().View(cid)->congestionWindow;
    }

    TwoUlps ulps;
    ConnectionId cid{NO_CONNECTION};

  private:
    template <typename Change>
    static TransportSettings Changed(Change change)
    {
        TransportSettings settings;
        change(settings);
        return settings;
    }
};

NetworkFaults
Clean()
{
    NetworkFaults faults;
    faults.delay = US;
    faults.spacing = 160 * NS;
    return faults;
}

constexpr auto AS_IT_IS = [](TransportSettings&) {};

/// Part of the packets is held back: no goodput is lost, whatever congestion control there is.
void
ReorderedGoodput(FunctionCase& test)
{
    const TestSeeds seeds(10);
    for (const auto control :
         {CongestionControlKind::FIXED, CongestionControlKind::DELAY, CongestionControlKind::MARKS})
    {
        const auto choose = [control](TransportSettings& s) { s.congestionControl = control; };
        const TimePs clean = Push(choose, Clean()).Run(1, 8000 * 4096);
        for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            Push push(choose, Clean());
            std::mt19937_64 random(seed);
            push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
                if (from != 0 || random() % 10 != 0)
                {
                    return true;
                }
                const auto late = static_cast<TimePs>(random() % (8 * US));
                push.ulps.bed.Inject(out.packet, 0, 1, US + late);
                return false;
            };
            const TimePs time = push.Run(1, 8000 * 4096);
            const TransportCounters& counters = push.From().Counters();
            const std::string name =
                Text("control ", static_cast<int>(control), ", seed ", seed, ": ").Str();
            test.Expect(time < clean * 1.05, name + std::to_string(double(time) / clean));
            test.Expect(counters.spuriousResends > 0 && counters.resends < 8000 * 0.01,
                        name + std::to_string(counters.resends) + " resends");
            test.Expect(control == CongestionControlKind::FIXED || counters.undos > 0,
                        name + "nothing was undone");
            test.ExpectEqual(push.ulps.Used(0) + push.ulps.Used(1), 0, name + "all is given back");
        }
    }
}

/// Sends data by one of four ways, each 4 us slower than the one before.
void
SendByWays(Push& push, std::mt19937_64& random)
{
    push.ulps.bed.onSend = [&push, &random](uint32_t from, const OutgoingPacket& out) {
        const bool isSprayed = from == 0 && out.packet.IsData();
        if (isSprayed)
        {
            push.ulps.bed.Inject(out.packet, 0, 1, US + static_cast<TimePs>(random() % 4) * 4 * US);
        }
        return !isSprayed;
    };
}

/// A packet is late by 12 us: the next one that is as late is waited for.
void
LearnsAtOnce(FunctionCase& test)
{
    for (const TimePs late : {12 * US, 17 * US})
    {
        Push push(AS_IT_IS, Clean());
        push.Run(500);
        uint32_t count = 0;
        push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
            const bool isHeldBack =
                from == 0 && out.packet.IsData() && (++count == 100 || count == 400);
            if (isHeldBack)
            {
                push.ulps.bed.Inject(out.packet, 0, 1, US + (count == 100 ? 12 * US : late));
            }
            return !isHeldBack;
        };
        push.Run(1, 1000 * 4096);
        push.ulps.bed.Run(push.ulps.bed.Now() + 40 * US);
        test.ExpectEqual(push.From().Counters().spuriousResends,
                         late == 12 * US ? 1 : 2,
                         Text("late by ", late));
    }
}

/// Packets take four ways: who knows it resends nothing, and is nearly as fast as in order.
void
Sprayed(FunctionCase& test)
{
    const TestSeeds seeds(10);
    constexpr uint32_t BYTES = 1000 * 4096;
    const TimePs clean = Push(AS_IT_IS, Clean()).Run(1, BYTES);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (const bool isKnown : {false, true})
        {
            Push push([isKnown](TransportSettings& s) { s.isSprayed = isKnown; }, Clean());
            std::mt19937_64 random(seed);
            SendByWays(push, random);
            const TimePs time = push.Run(1, BYTES);
            const uint64_t resends = push.From().Counters().resends;
            const std::string name =
                Text("seed ", seed, isKnown ? ", known: " : ", not known: ").Str();
            test.Expect(isKnown == (resends == 0), name + std::to_string(resends) + " resends");
            test.Expect(!isKnown || time < clean * 1.1,
                        name + std::to_string(double(time) / clean));
        }
    }
}

/**
 * A packet that was lost or late has been sent again early: a loss stays one, and the decrease for
 * a late packet is undone.
 *
 * @param before window before that
 * @param name of the case
 */
void
ExpectUndo(FunctionCase& test, Push& push, bool isLost, double before, const std::string& name)
{
    const TransportCounters& counters = push.From().Counters();
    test.ExpectEqual(counters.earlyResends, 1, name + "one resend");
    test.ExpectEqual(counters.undos, isLost ? 0 : 1, name + "undone");
    test.ExpectEqual(counters.spuriousResends, isLost ? 0 : 1, name + "spurious");
    test.Expect(isLost ? push.Window() < 0.6 * before : push.Window() >= before,
                name + "window " + std::to_string(push.Window()));
}

/// The congestion window after one packet is late, or lost.
void
Undo(FunctionCase& test)
{
    for (const auto control : {CongestionControlKind::DELAY, CongestionControlKind::MARKS})
    {
        for (const bool isLost : {true, false})
        {
            Push push([control](TransportSettings& s) { s.congestionControl = control; }, Clean());
            push.Run(500);
            const double before = push.Window();
            uint32_t count = 0;
            push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
                if (from != 0 || !out.packet.IsData() || ++count != 100)
                {
                    return true;
                }
                if (!isLost)
                {
                    push.ulps.bed.Inject(out.packet, 0, 1, 6 * US);
                }
                return false;
            };
            push.Run(110);
            push.ulps.bed.Run(push.ulps.bed.Now() + 20 * US);
            ExpectUndo(test, push, isLost, before, isLost ? "lost: " : "late: ");
        }
    }
}

/// A packet is sent again early, and once more as a probe, since no ACK comes for a while. If it
/// was lost, the two copies that come are no sign that it was not.
void
UndoAfterProbe(FunctionCase& test)
{
    for (const bool isLost : {true, false})
    {
        Push push([](TransportSettings& s) { s.congestionControl = CongestionControlKind::MARKS; },
                  Clean());
        push.Run(500);
        const double before = push.Window();
        uint32_t count = 0;
        uint32_t copies = 0;
        uint32_t psn = 0;
        bool isMute = false;
        push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
            if (from != 0)
            {
                return !isMute;
            }
            if (!out.packet.IsData())
            {
                return true;
            }
            if (++count == 100)
            {
                psn = out.packet.piece.psn;
                if (!isLost)
                {
                    push.ulps.bed.Inject(out.packet, 0, 1, 30 * US);
                }
                return false;
            }
            if (count > 100 && out.packet.piece.psn == psn)
            {
                // From the early resend to the probe all ACKs are lost.
                isMute = ++copies == 1;
            }
            return true;
        };
        push.Run(101);
        push.ulps.bed.Run(push.ulps.bed.Now() + 50 * US);
        const std::string name = isLost ? "lost: " : "late: ";
        test.ExpectEqual(push.From().Counters().probes, 1, name + "one probe");
        ExpectUndo(test, push, isLost, before, name);
    }
}

/// Packets and ACKs are lost: no packet whose first copy was lost passes for one that was not.
void
SpuriousResends(FunctionCase& test)
{
    struct Copies
    {
        uint32_t sent{0};
        bool isFirstLost{false};
    };

    const TestSeeds seeds(40);
    uint64_t spurious = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        Push push([](TransportSettings& s) { s.congestionControl = CongestionControlKind::MARKS; },
                  Clean());
        std::mt19937_64 random(seed);
        const uint64_t most = 2 + random() % 8;
        std::map<std::pair<bool, uint32_t>, Copies> packets;
        push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
            const bool isLost = random() % most == 0;
            if (from == 0 && (out.packet.IsData() || out.packet.IsRequest()))
            {
                Copies& copies = packets[{out.packet.IsRequest(), out.packet.piece.psn}];
                copies.isFirstLost |= copies.sent == 0 && isLost;
                ++copies.sent;
            }
            return !isLost;
        };
        push.Run(20, 40'000);
        const auto mayBe = std::count_if(packets.begin(), packets.end(), [](const auto& packet) {
            return packet.second.sent > 1 && !packet.second.isFirstLost;
        });
        const uint64_t found = push.From().Counters().spuriousResends;
        test.Expect(found <= static_cast<uint64_t>(mayBe),
                    Text("seed ", seed, ": ", found, " are spurious, at most ", mayBe, " can be"));
        spurious += found;
    }
    test.Expect(spurious > 0, "some are");
}

/// A late packet is sent again early. The peer has no room for that copy, or gets its header alone,
/// and then has the packet twice all the same: it was not lost.
void
UndoAfterRefusal(FunctionCase& test)
{
    for (const NackCode code : {NackCode::NO_RESOURCE, NackCode::TRIMMED})
    {
        const auto choose = [](TransportSettings& s) {
            s.congestionControl = CongestionControlKind::MARKS;
            s.sendsProbes = false;
        };
        Push push(choose, Clean());
        push.Run(500);
        uint32_t count = 0;
        uint32_t copies = 0;
        uint32_t psn = 0;
        push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
            if (from != 0 || !out.packet.IsData())
            {
                return true;
            }
            if (++count == 100)
            {
                psn = out.packet.piece.psn;
                push.ulps.bed.Inject(out.packet, 0, 1, 60 * US);
                return false;
            }
            if (count < 100 || out.packet.piece.psn != psn || ++copies != 1)
            {
                return true;
            }
            TransportPacket nack(TransportPacketType::NACK, code);
            nack.piece.psn = psn;
            nack.piece.sentAt = out.packet.piece.sentAt;
            nack.cid = push.cid;
            push.ulps.bed.Inject(nack, 1, 0, US);
            return false;
        };
        push.Run(110);
        push.ulps.bed.Run(push.ulps.bed.Now() + 100 * US);
        const std::string name = code == NackCode::TRIMMED ? "trimmed: " : "refused: ";
        test.ExpectEqual(copies, 2, name + "sent again twice");
        test.ExpectEqual(push.From().Counters().spuriousResends, 1, name + "not lost");
    }
}

/// Nothing but a time-out finds a loss: congestion control learns of it, and of that it was none.
void
TimeOuts(FunctionCase& test)
{
    for (const bool isLost : {true, false})
    {
        const auto choose = [](TransportSettings& s) {
            s.congestionControl = CongestionControlKind::MARKS;
            s.lossDetection = LossDetection::NONE;
            s.sendsProbes = false;
            s.minRto = 50 * US;
        };
        Push push(choose, Clean());
        push.Run(500);
        push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
            // The packet is lost, or what is said of it.
            return from != (isLost ? 0U : 1U) || out.packet.type == TransportPacketType::NACK;
        };
        push.From().Push(push.cid, 4000, push.ulps.bed.Now());
        push.ulps.bed.Run(push.ulps.bed.Now() + 60 * US);
        test.ExpectEqual(push.From().Counters().timeOuts, 1, "a time-out");
        test.Expect(isLost ? push.Window() == 1 : push.Window() > 100,
                    "window " + std::to_string(push.Window()));
        test.ExpectEqual(push.From().Counters().undos, isLost ? 0 : 1, "undone");
        push.ulps.bed.onSend = nullptr;
        push.ulps.bed.Run(push.ulps.bed.Now() + MS);
        test.ExpectEqual(push.From().Counters().completions, 501, "complete in the end");
    }
}

/// A lost tail is found in about two round trips, and congestion control learns of it.
void
Tail(FunctionCase& test)
{
    for (const bool sends : {true, false})
    {
        const auto choose = [sends](TransportSettings& s) {
            s.congestionControl = CongestionControlKind::MARKS;
            s.sendsProbes = sends;
        };
        Push push(choose, Clean());
        push.Run(500);
        const TimePs roundTrip = push.Run(1);
        uint32_t lost = 0;
        push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
            return from != 0 || !out.packet.IsData() || lost++ > 0;
        };
        const TimePs time = push.Run(1);
        const TransportCounters& counters = push.From().Counters();
        test.ExpectEqual(counters.probes, sends ? 1 : 0, "probes");
        test.ExpectEqual(counters.timeOuts, sends ? 0 : 1, "time-outs");
        test.Expect(sends ? time < 3 * roundTrip : time > 50 * US, "how long it takes");
        test.Expect(push.Window() <= 65, "a probe that repairs a loss shows one");
    }

    // The ACK is lost: the probe is a duplicate, and there was no loss.
    Push push([](TransportSettings& s) { s.congestionControl = CongestionControlKind::MARKS; },
              Clean());
    push.Run(500);
    uint32_t lost = 0;
    push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket&) {
        return from != 1 || lost++ > 0;
    };
    push.Run(1);
    test.Expect(push.From().Counters().probes >= 1 && push.From().Counters().timeOuts == 0,
                "found by a probe");
    test.Expect(push.Window() > 100, "window " + std::to_string(push.Window()));

    // The packet is lost, and the ACKs of its first probe: the second probe is a duplicate.
    Push twice([](TransportSettings& s) { s.congestionControl = CongestionControlKind::MARKS; },
               Clean());
    twice.Run(500);
    uint32_t copies = 0;
    twice.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        copies += from == 0 && out.packet.IsData();
        return from == 0 ? !out.packet.IsData() || copies > 1 : copies > 2;
    };
    twice.Run(1);
    twice.ulps.bed.Run(twice.ulps.bed.Now() + 50 * US);
    test.ExpectEqual(twice.From().Counters().probes, 2, "two probes");
    test.ExpectEqual(twice.From().Counters().undos, 0, "a loss");
    test.ExpectEqual(twice.From().Counters().spuriousResends, 0, "not spurious");
}

/// A probe that repairs a loss is acknowledged at once, however long other packets wait for that.
void
ProbesAreAnswered(FunctionCase& test)
{
    Push push(
        [](TransportSettings& s) {
            s.ackDelay = 100 * US;
            s.ackPackets = 64;
        },
        Clean());
    push.Run(512);
    const TimePs begin = push.ulps.bed.Now();
    uint32_t lost = 0;
    TimePs probed = NEVER;
    TimePs answered = NEVER;
    push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        const TimePs now = push.ulps.bed.Now();
        if (from == 0 && out.packet.IsData() && lost++ > 0)
        {
            probed = std::min(probed, now);
        }
        if (from == 1 && probed != NEVER)
        {
            answered = std::min(answered, now);
        }
        return from != 0 || !out.packet.IsData() || lost > 1;
    };
    push.Run(1);
    test.ExpectEqual(push.From().Counters().probes, 1, "probes");
    test.Expect(begin < probed && answered - probed < 20 * US,
                Text("sent at ", probed, ", answered at ", answered));
}

/// A way that gets longer is probed until its copies have shown how long it is.
void
LongerWay(FunctionCase& test)
{
    Push push(AS_IT_IS, Clean());
    push.Run(500);
    push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        push.ulps.bed.Inject(out.packet, from, 1 - from, 20 * US);
        return false;
    };
    for (uint32_t i = 0; i < 100; ++i)
    {
        push.Run(1);
    }
    const TransportCounters& counters = push.From().Counters();
    test.Expect(counters.probes >= 1 && counters.probes <= 10,
                "probes " + std::to_string(counters.probes));
    test.ExpectEqual(counters.timeOuts, 0, "a time-out is longer");
}

/// Data that has come shows that a request was lost, if the ACK says all of both windows.
void
LostRequest(FunctionCase& test)
{
    for (const auto type : {TransportPacketType::ACK, TransportPacketType::CLOSE})
    {
        TransportSettings settings;
        TransportCounters counters;
        DeliveryShared shared(settings, counters);
        PacketDelivery delivery(shared);
        delivery.Propose(ConnectionSettings(), 0);
        TransportPacket out;
        OutstandingPacket request;
        request.type = TransportPacketType::PULL_REQUEST;
        delivery.SendNew(std::move(request), out, US);
        OutstandingPacket data;
        data.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
        delivery.SendNew(std::move(data), out, 2 * US);
        TransportPacket ack(type);
        ack.dataBase = 1;
        delivery.TakeAcks(ack, 10 * US, [](const OutstandingPacket&) {});
        test.ExpectEqual(delivery.HasResend(), type == TransportPacketType::ACK, "shown");
    }
}

/// What is delivered may be resent for its ACK, but as long as the peer is heard that is no retry.
void
SlowUlp(FunctionCase& test)
{
    RetransmissionEngine::Pool pool;
    RetransmissionEngine engine(0, 16);
    LossDetector losses;
    OutstandingPacket packet;
    packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
    packet.Send(0, 100);
    engine.Register(packet, pool);
    const auto clear = [](uint32_t, const OutstandingPacket&, bool) {};
    const RetransmissionEngine::News news{losses, 50, 10, 10};
    engine.NoteReceived(0, PacketBitmap(1, 0), news, clear);
    const auto expiry = engine.Expire(100, 16);
    test.Expect(expiry.lost.IsEmpty() && engine.HasResend(), "resent, and not lost");
    test.ExpectEqual(engine.At(0).retries, 1, "in case the peer is gone");
    engine.NoteReceived(0, PacketBitmap(1, 0), news, clear);
    test.ExpectEqual(engine.At(0).retries, 0, "it is there");
}

/// Time-outs that are put off begin anew; those that are not over, or wait for room, stay.
void
PutOff(FunctionCase& test)
{
    RetransmissionEngine::Pool pool;
    RetransmissionEngine engine(0xFFFFFFFE, 16);
    OutstandingPacket packet;
    packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
    for (const TimePs timeOut : {100, 101, 30})
    {
        packet.Send(0, timeOut);
        engine.Register(packet, pool);
    }
    engine.Refuse(0, 90);
    engine.PutOff(500, 100);
    test.ExpectEqual(engine.Deadline(), 90, "what waits for room");
    engine.Expire(100, 16);
    test.Expect(engine.HasResend() && engine.NextResend() == 0, "goes then");
    engine.Resent(0, 100, 1000);
    test.ExpectEqual(engine.Deadline(), 101, "a time-out that was not over");
    const auto expiry = engine.Expire(101, 16);
    test.Expect(expiry.lost.Test(1) && !expiry.lost.Test(0), "is over then");
    test.ExpectEqual(engine.Deadline(), 500, "one that was put off");
    test.ExpectEqual(engine.At(0xFFFFFFFE).retries, 0, "has not been sent again");
    test.Expect(engine.Expire(500, 16).lost.Test(0), "and is over at last");
}

/// Set-up takes longer than the time-out: nothing of what follows is resent.
void
LongWay(FunctionCase& test)
{
    NetworkFaults faults = Clean();
    faults.delay = 200 * US;
    Push push(AS_IT_IS, faults);
    push.Run(10);
    test.ExpectEqual(push.From().Counters().resends, 0, "resends");
}

/// A packet that is later than a window can wait holds it no longer than a resend takes.
void
VeryLate(FunctionCase& test)
{
    const TimePs clean = Push(AS_IT_IS, Clean()).Run(1, 8000 * 4096);
    Push push(AS_IT_IS, Clean());
    uint32_t count = 0;
    push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        if (from != 0 || ++count % 200 != 0)
        {
            return true;
        }
        push.ulps.bed.Inject(out.packet, 0, 1, 60 * US);
        return false;
    };
    const TimePs time = push.Run(1, 8000 * 4096);
    test.Expect(time < clean * 1.25, std::to_string(double(time) / clean));
}

/// The peer had no room: the window for its NIC gets smaller, and not the one for the fabric.
void
RefusalIsTold(FunctionCase& test)
{
    Push push([](TransportSettings& s) { s.congestionControl = CongestionControlKind::MARKS; },
              Clean());
    push.Run(500);
    const double before = push.Window();
    uint32_t lost = 0;
    push.ulps.bed.onSend = [&](uint32_t from, const OutgoingPacket& out) {
        if (from != 0 || !out.packet.IsData() || lost++ > 0)
        {
            return true;
        }
        TransportPacket nack(TransportPacketType::NACK, NackCode::NO_RESOURCE);
        nack.piece.psn = out.packet.piece.psn;
        nack.cid = push.cid;
        push.ulps.bed.Inject(nack, 1, 0, 2 * US);
        return false;
    };
    push.Run(1);
    test.ExpectEqual(push.From().Counters().refusedResends, 1, "resent later");
    const double after = push.From().View(push.cid)->peerWindow;
    test.ExpectEqual(push.Window(), before, "of the fabric");
    test.Expect(after >= 64 && after <= 66, "of the NIC: " + std::to_string(after));
    push.Run(8000);
    test.ExpectEqual(push.From().View(push.cid)->peerWindow, 128, "opens again");
}

/// An ACK is sent after so many packets; with none given after as many as suit the congestion
/// control.
void
AckPackets(FunctionCase& test)
{
    struct Row
    {
        CongestionControlKind control;
        uint32_t given;
        uint32_t packets;
    };

    using Kind = CongestionControlKind;
    for (const auto& [control, given, packets] : {Row{Kind::FIXED, 1, 1},
                                                  Row{Kind::FIXED, 4, 4},
                                                  Row{Kind::FIXED, 16, 16},
                                                  Row{Kind::FIXED, 0, 8},
                                                  Row{Kind::DELAY, 0, 8},
                                                  Row{Kind::MARKS, 0, 8},
                                                  Row{Kind::DCQCN, 0, 8},
                                                  Row{Kind::HPCC, 0, 1},
                                                  Row{Kind::HPCC, 8, 8}})
    {
        const auto choose = [control = control, given = given](TransportSettings& s) {
            s.congestionControl = control;
            s.ackPackets = given;
            s.ackDelay = 100 * US;
        };
        Push push(choose, Clean());
        const auto acks = [&] {
            const auto& sent = push.ulps.bed.Node(1).Counters().sent;
            return sent[static_cast<uint32_t>(TransportPacketType::ACK)];
        };
        const uint64_t before = acks();
        push.Run(1600);
        test.ExpectNear(double(acks() - before),
                        1600.0 / packets,
                        3,
                        Text("ACKs with control ", static_cast<int>(control), ", given ", given));
    }
}

/// Resends in the order of requests: those with lower RSNs were sent later.
void
ResendsByRsn(FunctionCase& test)
{
    for (const bool byRsn : {true, false})
    {
        TransportSettings settings;
        settings.resendsByRsn = byRsn;
        TransportCounters counters;
        DeliveryShared shared(settings, counters);
        PacketDelivery delivery(shared);
        delivery.Propose(ConnectionSettings(), 0);
        for (uint32_t rsn : {7, 5, 6})
        {
            OutstandingPacket packet;
            packet.type = TransportPacketType::PUSH_UNSOLICITED_DATA;
            packet.rsn = rsn;
            TransportPacket out;
            delivery.SendNew(std::move(packet), out, US);
        }
        delivery.Expire(delivery.Deadline());
        std::string order;
        while (delivery.HasResend())
        {
            TransportPacket out;
            delivery.SendAgain(out, MS);
            order += std::to_string(out.piece.rsn);
        }
        test.ExpectSame(order, byRsn ? "567" : "756", "RSNs");
    }
}

/**
 * Resends by RSN over both windows: own requests and the peer's are two queues, of which the one
 * goes on whose first packet was sent longer ago.
 */
void
ResendsByRsnOfBoth(FunctionCase& test)
{
    using Type = TransportPacketType;
    const auto order = [](bool byRsn, const std::vector<std::pair<Type, uint32_t>>& packets) {
        TransportSettings settings;
        settings.resendsByRsn = byRsn;
        TransportCounters counters;
        DeliveryShared shared(settings, counters);
        PacketDelivery delivery(shared);
        delivery.Propose(ConnectionSettings(), 0);
        TimePs now = US;
        for (const auto& [type, rsn] : packets)
        {
            OutstandingPacket packet;
            packet.type = type;
            packet.rsn = rsn;
            TransportPacket out;
            delivery.SendNew(std::move(packet), out, now++);
        }
        delivery.Expire(now + 1000 * MS);
        std::string text;
        while (delivery.HasResend())
        {
            TransportPacket out;
            delivery.SendAgain(out, 2000 * MS);
            text += (out.IsRequest()    ? "q"
                     : out.IsPushData() ? "d"
                                        : "a") +
                    std::to_string(out.piece.rsn) + " ";
        }
        return text;
    };
    const std::vector<std::pair<Type, uint32_t>> late{{Type::PULL_REQUEST, 3},
                                                      {Type::PUSH_UNSOLICITED_DATA, 2},
                                                      {Type::PULL_DATA, 1},
                                                      {Type::PUSH_SOLICITED_DATA, 5},
                                                      {Type::PUSH_SOLICITED_REQUEST, 5},
                                                      {Type::PUSH_GRANT, 0}};
    test.ExpectSame(order(false, late), "q3 q5 d2 a1 d5 a0 ", "requests first, by PSN");
    test.ExpectSame(order(true, late), "d2 q3 q5 d5 a0 a1 ", "the peer's lowest was sent last");
    const std::vector<std::pair<Type, uint32_t>> early{{Type::ERROR_RESPONSE, 9},
                                                       {Type::PULL_REQUEST, 1},
                                                       {Type::PULL_DATA, 0xFFFFFFFF},
                                                       {Type::PULL_REQUEST, 0}};
    test.ExpectSame(order(true, early), "a4294967295 a9 q0 q1 ", "the peer's was sent before");
}

/// A packet that waits in one of two windows.
struct WaitingPacket
{
    uint32_t rsn;   ///< From the lowest on.
    bool isData;    ///< Its window.
    uint32_t psn;   ///< From the lowest on.
    bool isOwn;     ///< Its request.
    TimePs sentAt;  ///< ps.
    bool isWaiting; ///< To be resent.

    /// @return what comes before what in a queue
    auto Key() const
    {
        return std::make_tuple(rsn, isData, psn);
    }
};

/// @return the packet that goes next, found by sorting all of them; -1 if none waits
int
SlowNextResend(const std::vector<WaitingPacket>& packets)
{
    int first[2] = {-1, -1};
    for (const bool isOwn : {false, true})
    {
        std::vector<std::pair<decltype(packets[0].Key()), int>> queue;
        for (std::size_t i = 0; i < packets.size(); ++i)
        {
            if (packets[i].isWaiting && packets[i].isOwn == isOwn)
            {
                queue.emplace_back(packets[i].Key(), static_cast<int>(i));
            }
        }
        std::sort(queue.begin(), queue.end());
        first[isOwn] = queue.empty() ? -1 : queue.front().second;
    }
    if (first[0] < 0 || first[1] < 0)
    {
        return std::max(first[0], first[1]);
    }
    return packets[first[0]].sentAt < packets[first[1]].sentAt ? first[0] : first[1];
}

/// Random packets of both windows, RSNs and PSNs that wrap, time-outs and resends in turn: each
/// choice is that of a sorted list.
void
ResendOrderModel(FunctionCase& test)
{
    const TestSeeds seeds(40);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
        const uint32_t lowestPsn = 0U - draw(100);
        const uint32_t lowestRsn = 0U - draw(20);
        RetransmissionEngine::Pool pool;
        RetransmissionEngine engines[2] = {{lowestPsn, 64}, {lowestPsn, 128}};
        std::vector<WaitingPacket> packets;
        TimePs now = 1;
        const uint32_t count = 1 + draw(100);
        uint32_t next[2] = {0, 0};
        for (uint32_t i = 0; i < count; ++i)
        {
            const auto type = static_cast<TransportPacketType>(draw(7));
            OutstandingPacket packet;
            packet.type = type;
            const bool isData = !packet.IsRequest();
            if (next[isData] == (isData ? 128U : 64U))
            {
                continue;
            }
            const uint32_t rsn = draw(30);
            packet.rsn = lowestRsn + rsn;
            now += draw(3);
            packet.Send(now, 1 + draw(200));
            engines[isData].Register(packet, pool);
            packets.push_back({rsn, isData, next[isData]++, packet.IsOfOwnRequest(), now, false});
        }
        uint32_t choices = 0;
        for (uint32_t step = 0; step < 300; ++step)
        {
            now += draw(4);
            for (const bool isData : {false, true})
            {
                const PacketBitmap lost = engines[isData].Expire(now, 1'000'000).lost;
                for (WaitingPacket& packet : packets)
                {
                    packet.isWaiting |= packet.isData == isData && lost.Test(packet.psn);
                }
            }
            const int expected = SlowNextResend(packets);
            const bool waits = engines[0].HasResend() || engines[1].HasResend();
            test.Expect(waits == (expected >= 0), Text("seed ", seed, ": whether one waits"));
            if (!waits || expected < 0 || draw(3) == 0)
            {
                continue;
            }
            const ResendOrder::Candidate choice = ResendOrder::Next(engines[0], engines[1]);
            WaitingPacket& packet = packets[expected];
            test.Expect(choice.isRequest == !packet.isData && choice.psn == lowestPsn + packet.psn,
                        Text("seed ", seed, ": step ", step));
            engines[packet.isData].Resent(lowestPsn + packet.psn, now, 1 + draw(200));
            packet.sentAt = now;
            packet.isWaiting = false;
            ++choices;
        }
        test.Expect(choices > 0, Text("seed ", seed, ": something was chosen"));
    }
}

/// Goodput with losses stays near what they leave, without a time-out.
void
LossBound(FunctionCase& test)
{
    for (const double loss : {0.01, 0.1, 0.3})
    {
        NetworkFaults faults = Clean();
        const TimePs clean = Push(AS_IT_IS, faults).Run(8000);
        Push push(AS_IT_IS, faults);
        std::mt19937_64 random(7);
        push.ulps.bed.onSend = [&](uint32_t, const OutgoingPacket&) {
            return std::uniform_real_distribution<double>(0, 1)(random) >= loss;
        };
        const TimePs time = push.Run(8000);
        test.Expect(time * (1 - loss) < clean * 1.1,
                    Text("loss ", loss, ": ", double(clean) / time, " of goodput"));
        test.Expect(push.From().Counters().timeOuts <= 2, "no time-outs");
    }
}

/// The suite.
class LossDetectionSuite : public FunctionSuite
{
  public:
    LossDetectionSuite()
        : FunctionSuite("fabric-loss-detection", kUnit)
    {
        Add("RT-14 the longest of two periods, against a list", RecentMaximumModel);
        Add("RT-14 how late a packet may be", ReorderRows);
        Add("RT-14 how late a packet may be that was sprayed", SprayRows);
        Add("RT-14 what was taken for lost, against a list", HistoryModels);
        Add("RT-14 losses by time, against the rule over all packets", Detection);
        Add("RT-14 when probes are sent", ProbeTimes);
        Add("RT-14 one window shows what is lost of the other", TwoWindows);
        Add("RT-14 an earlier copy measures nothing", EarlierCopy);
        Add("RT-14 data shows that a request was lost", LostRequest);
        Add("RT-12 what waits for the peer's ULP", SlowUlp);
        Add("RT-12 time-outs that are put off", PutOff);
        Add("RT-12 a way that is longer than the time-out", LongWay);
        Add("RT-14 what is later than a window can wait", VeryLate);
        Add("RT-14 reordering costs no goodput", ReorderedGoodput);
        Add("RT-14 how late packets come is learned from one of them", LearnsAtOnce);
        Add("RT-14 sprayed packets are waited for from the first one on", Sprayed);
        Add("RT-14 what was no loss is undone", Undo);
        Add("RT-14 what was lost is not undone after a probe", UndoAfterProbe);
        Add("RT-14 what was no loss is undone after a refusal", UndoAfterRefusal);
        Add("RT-14 no resend is spurious of a packet that was lost", SpuriousResends);
        Add("RT-14 time-outs are told to congestion control", TimeOuts);
        Add("RT-12 a lost tail is found by a probe", Tail);
        Add("RT-12 a probe is acknowledged at once", ProbesAreAnswered);
        Add("RT-14 probes show how long a way has become", LongerWay);
        Add("RT-14 refusals are told to the NIC window", RefusalIsTold);
        Add("RT-9 ACKs after so many packets", AckPackets);
        Add("RT-12 resends in the order of requests", ResendsByRsn);
        Add("RT-12 resends by RSN over both windows, own and the peer's", ResendsByRsnOfBoth);
        Add("RT-12 resends by RSN, against a sorted list", ResendOrderModel);
        Add("RT-17 goodput is what losses leave", LossBound);
    }
};

LossDetectionSuite g_lossDetectionSuite; ///< Registers the suite.

} // namespace
