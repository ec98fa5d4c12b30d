/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tracked-connection.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What a network does to packets.
struct Harm
{
    double loss{0};      ///< They vanish.
    double duplicate{0}; ///< They come twice.
    TimePs delay{0};     ///< They are late by up to this, ps.
    TimePs outageEnd{0}; ///< Nothing comes before, ps.
    double refusal{0};   ///< ORDERED ones are refused by their target.
};

/// Two ends of a connection, each of which sends numbers to the other one.
class TwoEnds
{
  public:
    TwoEnds(const TrackingSettings& settings, const Harm& harm, uint32_t seed)
        : m_harm(harm),
          m_random(seed),
          m_ends{End(settings), End(settings)}
    {
    }

    /// What one end has seen.
    struct End
    {
        explicit End(const TrackingSettings& settings)
            : connection(settings)
        {
        }

        TrackedConnection<uint32_t> connection;
        std::array<std::deque<uint32_t>, 2> wanted;       ///< Not tracked yet, by class.
        std::array<std::vector<uint32_t>, 2> sent;        ///< In order, by class.
        std::array<std::vector<uint32_t>, 2> taken;       ///< Of the other end, by class.
        std::set<uint32_t> forgotten;                     ///< Under way when the connection failed.
        std::deque<std::pair<uint32_t, uint32_t>> inside; ///< ORDERED: number, turn.
        std::vector<PacketTrack> tracks;                  ///< Of all numbers.
        uint32_t failures{0};
        uint32_t refusals{0};
        uint32_t probes{0};
    };

    End& At(uint32_t end)
    {
        return m_ends[end];
    }

    /// One end wants to send a number.
    void Want(uint32_t end, TrackClass kind, uint32_t number)
    {
        m_ends[end].wanted[Place(kind)].push_back(number);
    }

    /// The network, or a target, is as it says from now on.
    void SetHarm(const Harm& harm)
    {
        m_harm = harm;
    }

    /// Runs until nothing is left to do. @return whether that is so before a time
    bool Run(TimePs until)
    {
        for (;;)
        {
            Send(0);
            Send(1);
            TimePs next =
                std::min(m_ends[0].connection.NextTime(), m_ends[1].connection.NextTime());
            next = m_events.empty() ? next : std::min(next, m_events.begin()->first);
            if (next == NEVER)
            {
                return true;
            }
            if (next > until)
            {
                return false;
            }
            m_now = std::max(m_now, next);
            Step();
        }
    }

    TimePs Now() const
    {
        return m_now;
    }

    /// A connection fails at an end.
    void Fail(uint32_t end)
    {
        ++m_ends[end].failures;
        Begin(end, NextEpoch(m_ends[end].connection.Epoch()));
    }

  private:
    /// What happens later.
    struct Event
    {
        uint32_t end;                     ///< Where.
        bool isArrival;                   ///< Or it leaves, or leaves the inside.
        bool isInside;                    ///< A packet has passed the inbound stage.
        std::optional<PacketTrack> track; ///< Of a packet.
        uint32_t number;                  ///< It.
        PacketAcks acks;                  ///< And what it says.
    };

    static uint32_t Place(TrackClass kind)
    {
        return static_cast<uint32_t>(kind);
    }

    bool Happens(double chance)
    {
        return std::uniform_real_distribution<>(0, 1)(m_random) < chance;
    }

    /// Sends what an end wants, as far as there is room.
    void Send(uint32_t end)
    {
        for (const TrackClass kind : {TrackClass::SINGLE, TrackClass::ORDERED})
        {
            auto& wanted = m_ends[end].wanted[Place(kind)];
            while (!wanted.empty() && m_ends[end].connection.HasRoom(kind))
            {
                const PacketTrack track = m_ends[end].connection.Track(kind, wanted.front());
                m_ends[end].sent[Place(kind)].push_back(wanted.front());
                m_ends[end].tracks.push_back(track);
                Leave(end, track, wanted.front());
                wanted.pop_front();
            }
        }
    }

    /// A packet is on its way to the wire.
    void Leave(uint32_t end, std::optional<PacketTrack> track, uint32_t number)
    {
        const bool isTold = !track || Happens(0.2);
        const PacketAcks acks = isTold ? m_ends[end].connection.Tell() : PacketAcks{};
        m_leftAt[end] = std::max(m_leftAt[end], m_now + static_cast<TimePs>(m_random() % 2000));
        m_events.insert({m_leftAt[end], {end, false, false, track, number, acks}});
    }

    void Step()
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            HandleEnd(end);
        }
        while (!m_events.empty() && m_events.begin()->first <= m_now)
        {
            const Event event = m_events.begin()->second;
            m_events.erase(m_events.begin());
            event.isInside ? LeaveInside(event.end) : event.isArrival ? Arrive(event) : Go(event);
        }
    }

    void HandleEnd(uint32_t end)
    {
        End& here = m_ends[end];
        if (here.connection.NextTime() > m_now)
        {
            return;
        }
        std::vector<PacketTrack> again;
        const auto due = here.connection.Handle(m_now, again);
        if (due.hasFailed)
        {
            Fail(end);
        }
        else
        {
            for (const PacketTrack& track : again)
            {
                Leave(end, track, *here.connection.Find(track));
            }
        }
        if (due.isProbe)
        {
            ++here.probes;
            Leave(end, here.connection.Track(TrackClass::SINGLE, 0), 0);
        }
        if (due.isAck)
        {
            Leave(end, std::nullopt, 0);
        }
    }

    /// A packet goes on the wire.
    void Go(Event event)
    {
        if (event.track)
        {
            m_ends[event.end].connection.Gone(*event.track, m_now);
        }
        event.end = 1 - event.end;
        event.isArrival = true;
        for (uint32_t copy = 0; copy < (Happens(m_harm.duplicate) ? 2U : 1U); ++copy)
        {
            const TimePs late =
                m_harm.delay == 0 ? 0 : static_cast<TimePs>(m_random() % m_harm.delay);
            if (!Happens(m_harm.loss) && m_now >= m_harm.outageEnd)
            {
                m_events.insert({m_now + 1000 + late, event});
            }
        }
    }

    void Arrive(const Event& event)
    {
        End& here = m_ends[event.end];
        for (const uint8_t epoch :
             {event.track ? event.track->epoch : uint8_t{0}, event.acks.epoch})
        {
            if (epoch != 0 && IsLaterEpoch(epoch, here.connection.Epoch()))
            {
                Begin(event.end, epoch);
            }
        }
        if (event.acks.epoch != 0)
        {
            here.connection.Learn(event.acks, m_now);
        }
        if (!event.track || here.connection.Take(*event.track, m_now) != TrackVerdict::FRESH ||
            event.number == 0)
        {
            return;
        }
        if (event.track->kind == TrackClass::SINGLE)
        {
            here.taken[0].push_back(event.number);
            return;
        }
        here.inside.emplace_back(event.number, here.connection.Turn());
        m_insideAt[event.end] =
            std::max(m_insideAt[event.end], m_now + static_cast<TimePs>(m_random() % 3000));
        m_events.insert({m_insideAt[event.end], {event.end, false, true, std::nullopt, 0, {}}});
    }

    /// A packet in order has passed the inbound stage: it is taken or refused.
    void LeaveInside(uint32_t end)
    {
        End& here = m_ends[end];
        const auto [number, turn] = here.inside.front();
        here.inside.pop_front();
        if (turn != here.connection.Turn())
        {
            return;
        }
        if (Happens(m_harm.refusal))
        {
            ++here.refusals;
            here.connection.Refuse(m_now);
            return;
        }
        here.taken[1].push_back(number);
        here.connection.Finish(m_now);
        if (here.refusals != 0 && Happens(0.1))
        {
            here.connection.Allow(m_now);
        }
    }

    void Begin(uint32_t end, uint8_t epoch)
    {
        End& here = m_ends[end];
        for (const PacketTrack& track : here.tracks)
        {
            if (const uint32_t* number = here.connection.Find(track))
            {
                here.forgotten.insert(*number);
            }
        }
        here.tracks.clear();
        here.connection.Begin(epoch);
    }

    Harm m_harm;
    std::mt19937 m_random;
    std::array<End, 2> m_ends;
    std::multimap<TimePs, Event> m_events;
    std::array<TimePs, 2> m_leftAt{};
    std::array<TimePs, 2> m_insideAt{};
    TimePs m_now{0};
};

TrackingSettings
DrawSettings(std::mt19937& random)
{
    TrackingSettings settings;
    settings.timeout = 2000 + static_cast<TimePs>(random() % 30'000);
    settings.limit = 65535;
    settings.window = 1 + random() % MOST_TRACKED;
    settings.ackEvery = 1 + random() % 16;
    settings.ackDelay = static_cast<TimePs>(random() % 5000);
    settings.notReady = 1 + static_cast<TimePs>(random() % 50'000);
    return settings;
}

Harm
DrawHarm(std::mt19937& random)
{
    Harm harm;
    harm.loss = random() % 3 == 0 ? 0 : 0.01 * static_cast<double>(random() % 40);
    harm.duplicate = random() % 2 == 0 ? 0 : 0.01 * static_cast<double>(random() % 50);
    harm.delay = random() % 2 == 0 ? 0 : static_cast<TimePs>(random() % 60'000);
    return harm;
}

/// Both ends want to send numbers, at once or one after the other. @return how many each
uint32_t
WantNumbers(TwoEnds& ends, std::mt19937& random)
{
    const uint32_t count = 1 + random() % 150;
    for (uint32_t number = 1; number <= count; ++number)
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            ends.Want(end, random() % 2 == 0 ? TrackClass::SINGLE : TrackClass::ORDERED, number);
        }
        if (random() % 8 == 0)
        {
            ends.Run(ends.Now() + static_cast<TimePs>(random() % 20'000));
        }
    }
    return count;
}

/// Whatever the network and the targets do, all is taken once, and what is ordered in order.
void
TestOnce(FunctionCase& self)
{
    const TestSeeds seeds(3000);
    uint64_t refusals = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const TrackingSettings settings = DrawSettings(random);
        Harm harm = DrawHarm(random);
        harm.refusal = random() % 3 == 0 ? 0.3 : 0;
        TwoEnds ends(settings, harm, seed);
        WantNumbers(ends, random);
        self.Expect(ends.Run(1'000'000'000'000), Text("seed ", seed, ": it ends"));
        for (uint32_t end = 0; end < 2; ++end)
        {
            auto taken = ends.At(1 - end).taken;
            std::sort(taken[0].begin(), taken[0].end());
            self.Expect(taken == ends.At(end).sent, Text("seed ", seed, ": once and in order"));
            self.ExpectEqual(ends.At(end).connection.Kept(), 0, Text("seed ", seed, ": kept"));
            refusals += ends.At(end).refusals;
        }
    }
    self.Expect(refusals > seeds.count, Text("only ", refusals, " were refused"));
}

/// Where a connection fails, nothing is taken twice, and all that was not under way is taken.
void
TestFailures(FunctionCase& self)
{
    const TestSeeds seeds(3000);
    uint64_t failures = 0;
    uint64_t forgotten = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        TrackingSettings settings = DrawSettings(random);
        settings.limit = random() % 4;
        Harm harm = DrawHarm(random);
        harm.outageEnd = static_cast<TimePs>(random() % 2'000'000);
        TwoEnds ends(settings, harm, seed);
        WantNumbers(ends, random);
        self.Expect(ends.Run(1'000'000'000'000), Text("seed ", seed, ": it ends"));
        for (uint32_t end = 0; end < 2; ++end)
        {
            const TwoEnds::End& here = ends.At(end);
            failures += here.failures;
            forgotten += here.forgotten.size();
            for (uint32_t kind = 0; kind < 2; ++kind)
            {
                std::vector<uint32_t> taken = ends.At(1 - end).taken[kind];
                if (kind == 0)
                {
                    std::sort(taken.begin(), taken.end());
                }
                self.Expect(std::is_sorted(taken.begin(), taken.end()) &&
                                std::adjacent_find(taken.begin(), taken.end()) == taken.end(),
                            Text("seed ", seed, ": never twice, and in order"));
                for (const uint32_t number : here.sent[kind])
                {
                    self.Expect(here.forgotten.count(number) != 0 ||
                                    std::binary_search(taken.begin(), taken.end(), number),
                                Text("seed ", seed, ": ", number, " is taken"));
                }
            }
            self.ExpectEqual(here.connection.Kept(), 0, Text("seed ", seed, ": kept"));
        }
    }
    self.Expect(failures > seeds.count && forgotten > seeds.count,
                Text(failures, " failures, ", forgotten, " forgotten"));
}

/// A packet that never has an answer goes at doubled intervals, as often as is allowed.
void
TestPatience(FunctionCase& self)
{
    TrackingSettings settings;
    settings.timeout = 100;
    settings.limit = 9;
    for (const TrackClass kind : {TrackClass::SINGLE, TrackClass::ORDERED})
    {
        TrackedConnection<int> connection(settings);
        const PacketTrack track = connection.Track(kind, 7);
        std::vector<TimePs> waits;
        TimePs now = 1000;
        for (;;)
        {
            self.ExpectEqual(connection.NextTime(), NEVER, "no time runs while it leaves");
            connection.Gone(track, now);
            std::vector<PacketTrack> again;
            const TimePs at = connection.NextTime();
            waits.push_back(at - now);
            now = at;
            if (connection.Handle(now, again).hasFailed)
            {
                break;
            }
            self.ExpectEqual(again.size(), 1, "sent again");
        }
        const std::vector<TimePs> expected{100, 200, 400, 800, 1600, 3200, 6400, 6400, 6400, 6400};
        self.Expect(waits == expected, "intervals");
    }
}

/// SINGLE packets are sent again by themselves, ORDERED ones with all that are behind them.
void
TestWhatIsSentAgain(FunctionCase& self)
{
    TrackingSettings settings;
    settings.timeout = 100;
    for (const TrackClass kind : {TrackClass::SINGLE, TrackClass::ORDERED})
    {
        const bool isOrdered = kind == TrackClass::ORDERED;
        TrackedConnection<int> connection(settings);
        for (int i = 0; i < 5; ++i)
        {
            connection.Gone(connection.Track(kind, i), 10 * i);
        }
        PacketAcks acks;
        acks.epoch = connection.Epoch();
        acks.singleBase = 1;
        acks.singles = 0b0110; // 2 and 3
        acks.orderedBase = 1;
        connection.Learn(acks, 50);
        std::vector<PacketTrack> again;
        connection.Handle(110, again);
        self.ExpectEqual(again.size(), isOrdered ? 0 : 1, "the first one by itself");
        connection.Handle(140, again);
        self.ExpectEqual(again.size(), isOrdered ? 0 : 2, "then the last one");
        connection.Handle(149, again);
        self.ExpectEqual(again.size(), isOrdered ? 0 : 2, "their time runs from the last answer");
        connection.Handle(150, again);
        self.ExpectEqual(again.size(), isOrdered ? 4 : 2, "all of the connection");
        self.ExpectEqual(again.front().sequence, 1, "the first of them");
    }
}

/// ORDERED packets do not overtake those that are sent again.
void
TestNoOvertaking(FunctionCase& self)
{
    TrackingSettings settings;
    settings.timeout = 100;
    TrackedConnection<int> connection(settings);
    for (int i = 0; i < 3; ++i)
    {
        connection.Gone(connection.Track(TrackClass::ORDERED, i), 0);
    }
    self.Expect(connection.HasRoom(TrackClass::ORDERED), "all have left");
    std::vector<PacketTrack> again;
    connection.Handle(100, again);
    self.ExpectEqual(again.size(), 3, "sent again");
    self.Expect(connection.HasRoom(TrackClass::SINGLE), "others have no order");
    for (const PacketTrack& track : again)
    {
        self.Expect(!connection.HasRoom(TrackClass::ORDERED), "not before all have left");
        connection.Gone(track, 110);
    }
    self.Expect(connection.HasRoom(TrackClass::ORDERED), "all have left again");
}

/// Who waits for a silent end asks, and so learns that the connection has failed there.
void
TestProbe(FunctionCase& self)
{
    TrackingSettings settings;
    settings.timeout = 10'000;
    TwoEnds ends(settings, {}, 1);
    ends.At(0).connection.Open();
    ends.Want(0, TrackClass::SINGLE, 1);
    ends.Run(30'000);
    self.ExpectEqual(ends.At(0).connection.Kept(), 0, "it has come");
    ends.Run(130'000);
    const uint32_t asked = ends.At(0).probes;
    self.Expect(asked >= 2 && asked <= 3, Text("asked ", asked, " times"));
    ends.Fail(1);
    ends.Run(230'000);
    self.ExpectEqual(ends.At(0).connection.Epoch(), 2, "it knows");
    self.ExpectEqual(ends.At(0).connection.NextTime(), NEVER, "and waits no longer");
}

/// An epoch is later than those before it, also where numbers begin again.
void
TestEpochs(FunctionCase& self)
{
    uint8_t epoch = 1;
    for (uint32_t i = 0; i < 600; ++i)
    {
        const uint8_t next = NextEpoch(epoch);
        self.Expect(next != 0 && IsLaterEpoch(next, epoch) && !IsLaterEpoch(epoch, next),
                    Text("after ", +epoch));
        epoch = next;
    }
}

/// A target tells of a gap once, and once more when what was sent again is lost, too.
void
TestGaps(FunctionCase& self)
{
    ArrivalWindow window;
    const auto take = [&window](uint32_t sequence) {
        window.TakeOrdered(sequence);
        return window.WantsToTell() && window.Acks(1).isMissing;
    };
    self.Expect(!take(0) && !take(1), "no gap");
    self.Expect(take(3), "a gap");
    self.Expect(!take(4) && !take(5), "it is told");
    self.Expect(take(3), "what was sent again is lost");
    self.Expect(!take(4) && !take(5) && !take(6), "it is told again");
    self.Expect(!take(2) && !take(3), "it has come");
    self.Expect(take(5), "another gap");
    window.Finish();
    const PacketAcks acks = window.Acks(1);
    self.ExpectEqual(acks.orderedBase + acks.taken, 4, "which is missing");
    ArrivalWindow refused;
    refused.TakeOrdered(0);
    refused.Refuse();
    refused.TakeOrdered(1);
    self.Expect(refused.WantsToTell() && !refused.Acks(1).isMissing, "refused, and not missing");

    // A packet that is told to be missing goes again at once, with those behind it.
    TrackingSettings settings;
    settings.timeout = 1'000'000;
    TrackedConnection<uint32_t> sender(settings);
    for (uint32_t i = 0; i < 6; ++i)
    {
        sender.Gone(sender.Track(TrackClass::ORDERED, i), i);
    }
    const auto learn = [&sender](TimePs now) {
        PacketAcks missing;
        missing.epoch = 1;
        missing.orderedBase = 1;
        missing.taken = 1;
        missing.isMissing = true;
        sender.Learn(missing, now);
        std::vector<PacketTrack> again;
        if (sender.NextTime() <= now)
        {
            sender.Handle(now, again);
        }
        return again;
    };
    const std::vector<PacketTrack> again = learn(100);
    self.ExpectEqual(again.size(), 4, "packets that go again");
    self.ExpectEqual(again.empty() ? 0 : again.front().sequence, 2, "the first of them");
    sender.Gone(again.front(), 150);
    self.ExpectEqual(learn(200).size(), 0, "they are going");
    for (const PacketTrack& track : again)
    {
        sender.Gone(track, 300);
    }
    self.Expect(sender.NextTime() > 300, "and do so once");
    self.ExpectEqual(learn(400).size(), 4, "they are lost once more");
    for (const PacketTrack& track : again)
    {
        sender.Gone(track, 500);
    }

    // Those on their way to the wire leave first, and then go again with the others.
    const PacketTrack leaving = sender.Track(TrackClass::ORDERED, 6);
    self.ExpectEqual(learn(600).size(), 0, "one has to leave");
    self.Expect(!sender.HasRoom(TrackClass::ORDERED), "and no other one goes");
    sender.Gone(leaving, 700);
    std::vector<PacketTrack> all;
    sender.Handle(700, all);
    self.ExpectEqual(all.size(), 5, "it goes again as well");
    self.ExpectEqual(all.empty() ? 0 : all.back().sequence, 6, "as the last one");
}

/// Gaps are found without waiting for time-outs, whatever is lost.
void
TestGapsAreFoundSoon(FunctionCase& self)
{
    const TestSeeds seeds(1000);
    TimePs longest = 0;
    TimePs sum = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        TrackingSettings settings;
        settings.timeout = 100'000'000;
        settings.limit = 65535;
        Harm harm;
        harm.loss = 0.01 * (1 + seed % 3);
        TwoEnds ends(settings, harm, seed);
        for (uint32_t number = 1; number <= 500; ++number)
        {
            ends.Want(0, TrackClass::ORDERED, number);
        }
        self.Expect(ends.Run(NEVER - 1), Text("seed ", seed, ": an end"));
        const std::vector<uint32_t>& taken = ends.At(1).taken[1];
        self.ExpectEqual(taken.size(), 500, Text("seed ", seed, ": taken"));
        self.Expect(std::is_sorted(taken.begin(), taken.end()), Text("seed ", seed, ": in order"));
        longest = std::max(longest, ends.Now());
        sum += ends.Now();
    }
    // Some 10 packets of each run are lost; without being told each would cost a time-out.
    const TimePs mean = sum / seeds.count;
    self.Expect(mean < 200'000'000, Text("mean ", mean, " ps, longest ", longest));
}

/// The suite.
/// The time of an ORDERED packet counts though another one was on its way to the wire when times
/// were looked through.
void
TestTimeOfNewOldest(FunctionCase& test)
{
    TrackingSettings settings;
    settings.timeout = 1000;
    TrackedConnection<uint32_t> connection(settings);
    std::vector<PacketTrack> again;
    const PacketTrack first = connection.Track(TrackClass::ORDERED, 0);
    connection.Gone(first, 0);
    const PacketTrack single = connection.Track(TrackClass::SINGLE, 1);
    connection.Gone(single, 500);
    const PacketTrack second = connection.Track(TrackClass::ORDERED, 2);
    connection.Handle(1000, again); // the first one goes again, behind the second one
    test.ExpectEqual(again.size(), 1, "the first one");
    connection.Gone(second, 1200);
    connection.Handle(1500, again); // the single one, too
    test.ExpectEqual(again.size(), 2, "and the single one");
    PacketAcks acks;
    acks.epoch = connection.Epoch();
    acks.singleBase = acks.orderedBase = 1;
    connection.Learn(acks, 1550);
    connection.Gone(first, 1600);
    connection.Gone(single, 1700);
    test.ExpectEqual(connection.Kept(), 1, "the second one");
    test.ExpectEqual(connection.NextTime(), 2550, "which is lost then");
    again.clear();
    connection.Handle(2550, again);
    test.ExpectEqual(again.size(), 1, "and goes again");
}

class TrackedConnectionSuite : public FunctionSuite
{
  public:
    TrackedConnectionSuite()
        : FunctionSuite("fabric-tracked-connection", kUnit)
    {
        Add("NQ-11 all comes once, whatever the network does", TestOnce);
        Add("NQ-11 what fails is forgotten at both ends", TestFailures);
        Add("NQ-11 a gap is told once a round trip", TestGaps);
        Add("NQ-11 gaps are found without time-outs", TestGapsAreFoundSoon);
        Add("NQ-11 a limit of tries at doubled intervals", TestPatience);
        Add("NQ-11 by packet, and by connection", TestWhatIsSentAgain);
        Add("NQ-11 no time is forgotten", TestTimeOfNewOldest);
        Add("NQ-11 nothing overtakes what is sent again", TestNoOvertaking);
        Add("NQ-11 who waits asks", TestProbe);
        Add("NQ-11 epochs", TestEpochs);
    }
};

TrackedConnectionSuite g_trackedConnectionSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
