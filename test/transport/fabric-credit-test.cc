/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-credit-control.h"
#include "fabric-function-case.h"
#include "fabric-lookup-pipeline.h"
#include "fabric-request-credit.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-transport-bed.h"
#include "two-ulps.h"

#include <algorithm>
#include <deque>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs MICRO = 1'000'000; ///< ps.

/// @return settings with a CAM of so many entries
TransportSettings
WithEntries(uint32_t entries, uint32_t quota = 0, uint32_t redZone = 0)
{
    TransportSettings settings;
    settings.targetEntries = entries;
    settings.targetQuota = quota;
    settings.targetRedZone = redZone;
    return settings;
}

/// Some connections and their target's credits.
struct CreditBed
{
    /// @param isFresh whether what metered ones have at first is still there, and not used up
    CreditBed(const TransportSettings& settings,
              uint32_t connections,
              uint32_t span,
              bool isFresh = false)
        : control(settings, counters),
          accounts(connections)
    {
        for (CreditAccount& account : accounts)
        {
            control.Open(account, span);
            while (!isFresh && !account.isTrusted && account.entries > 0)
            {
                control.TakeRetired(account, NO_CONNECTION);
            }
        }
    }

    void Want(uint32_t i, uint32_t wanted)
    {
        control.Want(accounts[i], i + 1, wanted, 0);
    }

    /// @return who gets how much, as "connection+credits" with blanks
    std::string Serve()
    {
        std::string text;
        while (const auto waiter = control.Next())
        {
            CreditAccount& account = accounts[waiter->cid - 1];
            const uint32_t before = account.limit;
            if (control.Serve(account, *waiter))
            {
                text += (text.empty() ? "" : " ") + std::to_string(waiter->cid) + "+" +
                        std::to_string(account.limit - before);
            }
        }
        return text;
    }

    void Retire(uint32_t i)
    {
        control.TakeRetired(accounts[i], i + 1);
    }

    TransportCounters counters;
    CreditControl control;
    std::vector<CreditAccount> accounts;
};

/// RT-11: who gets an entry, by hand.
void
Credits(FunctionCase& test)
{
    CreditBed one(WithEntries(1), 3, 256);
    test.Expect(!one.accounts[0].isTrusted, "its span is more than there is");
    for (uint32_t i = 0; i < 3; ++i)
    {
        one.Want(i, 2);
    }
    test.ExpectEqual(one.counters.creditWaits, 2, "all but the first have to wait");
    test.ExpectSame(one.Serve(), "1+1", "one entry, in the order of asking");
    one.Retire(0);
    test.ExpectSame(one.Serve(), "2+1", "the next, since the first one has had its turn");
    one.Retire(1);
    test.ExpectSame(one.Serve(), "3+1", "the last");
    one.Retire(2);
    test.ExpectSame(one.Serve(), "1+1", "and anew");
    test.ExpectEqual(one.control.Kept(), 1, "never more than one");

    CreditBed fair(WithEntries(8), 2, 256);
    fair.Want(0, 100);
    fair.Want(1, 100);
    test.ExpectSame(fair.Serve(), "1+4 2+4", "fair parts");
    CreditBed quota(WithEntries(8, 3), 2, 256);
    quota.Want(0, 100);
    test.ExpectSame(quota.Serve(), "1+3", "no more than the quota");
    quota.Retire(0);
    test.ExpectSame(quota.Serve(), "1+1", "nor later");
    CreditBed red(WithEntries(8, 0, 3), 4, 256);
    red.Want(0, 100);
    test.ExpectSame(red.Serve(), "1+5", "the red zone stays free");
    red.Want(1, 100);
    red.Want(2, 100);
    red.Want(3, 100);
    test.ExpectSame(red.Serve(), "2+1 3+1 4+1", "but for heads of line");
    red.Retire(0);
    test.ExpectSame(red.Serve(), "", "of which there have to be as many left");
    for (uint32_t i = 0; i < 3; ++i)
    {
        red.Retire(0);
    }
    test.ExpectSame(red.Serve(), "1+1", "now there are: one more");
}

/// RT-11: connections that are trusted, until others need entries.
void
Trust(FunctionCase& test)
{
    CreditBed bed(WithEntries(20, 0, 1), 3, 4);
    test.Expect(bed.accounts[0].isTrusted && bed.accounts[1].isTrusted, "8 of 20 are kept");
    test.Expect(!bed.accounts[2].isTrusted, "12 would be more than a half");
    test.Expect(!bed.control.TakeShortage(), "nobody asks");
    bed.Want(2, 100);
    test.ExpectSame(bed.Serve(), "3+11", "all but the red zone");
    test.Expect(bed.control.TakeShortage() && !bed.control.TakeShortage(), "told once an asking");
    bed.control.Meter(bed.accounts[0], 7, 2, 1);
    test.ExpectEqual(bed.control.Kept(), 17, "two for what was sent, two given back");
    test.ExpectSame(bed.Serve(), "3+2", "which another gets");
    bed.control.Close(bed.accounts[1], 0);
    test.ExpectSame(bed.Serve(), "3+4", "and those of one that is gone");
    bed.control.Agree(bed.accounts[0], 1);
    test.ExpectEqual(bed.accounts[0].entries, 2, "a metered one has what it has");

    CreditBed agreed(WithEntries(16), 1, 8);
    agreed.control.Agree(agreed.accounts[0], 3);
    test.ExpectEqual(agreed.control.Kept(), 3, "the peer's span is shorter");
    CreditBed quota(WithEntries(100, 7), 1, 8);
    test.Expect(!quota.accounts[0].isTrusted, "its span is more than the quota");
    CreditBed red(WithEntries(16, 0, 9), 1, 8);
    test.Expect(!red.accounts[0].isTrusted, "it would take of the red zone");
}

/// RT-11: what is given ahead of demand.
void
Ahead(FunctionCase& test)
{
    CreditBed bed(WithEntries(16), 2, 256, true);
    CreditAccount& first = bed.accounts[0];
    test.ExpectEqual(first.limit, 1, "at first: of a share of 8 what the wire can say");
    test.ExpectEqual(bed.accounts[1].limit, 1, "of 4, with another one");
    test.Expect(bed.control.TakeOpened(first, 1, 256), "none of a share of 4 is left: now more");
    test.ExpectEqual(first.limit, 5, "4 ahead");
    test.Expect(!bed.control.TakeOpened(first, 2, 256), "3 are left");
    test.Expect(!bed.control.TakeOpened(first, 3, 256), "2 are");
    test.Expect(bed.control.TakeOpened(first, 4, 256), "1 is");
    test.ExpectEqual(first.limit, 8, "4 ahead again");
    test.Expect(!bed.control.TakeOpened(first, 5, 256), "3");
    test.Expect(!bed.control.TakeOpened(first, 6, 256), "2");
    test.Expect(bed.control.TakeOpened(first, 7, 9), "1");
    test.ExpectEqual(first.limit, 9, "up to its span");
    bed.Want(1, 20);
    test.Expect(!bed.control.TakeOpened(first, 8, 256), "1, but another one waits");
    CreditBed few(WithEntries(3), 2, 256, true);
    test.ExpectEqual(few.accounts[0].limit, 1, "one");
    test.ExpectEqual(few.accounts[1].limit, 0, "too few to share");
    test.Expect(!few.control.TakeOpened(few.accounts[0], 1, 256), "nor later");
    CreditBed many(WithEntries(200), 1, 256, true);
    test.ExpectEqual(many.accounts[0].limit, 16, "the most that the wire can say");
    CreditBed red(WithEntries(16, 0, 15), 1, 256, true);
    test.ExpectEqual(red.accounts[0].limit, 1, "but the red zone");
}

/// The same decisions, from lists that are searched anew each time.
class SlowCredits
{
  public:
    struct Account
    {
        bool isTrusted{false};
        bool isOpen{true};
        uint32_t limit{0};
        uint32_t wanted{0};
        uint32_t entries{0};
        uint32_t stored{0};
    };

    explicit SlowCredits(const TransportSettings& settings)
        : m_settings(settings)
    {
    }

    uint32_t Free() const
    {
        uint32_t free = m_settings.targetEntries;
        for (const Account& account : accounts)
        {
            free -= account.entries;
        }
        return free;
    }

    uint32_t Quota() const
    {
        return m_settings.targetQuota == 0 ? m_settings.targetEntries : m_settings.targetQuota;
    }

    /// @param used what it had at first, and has used up
    void Open(uint32_t span, uint32_t used)
    {
        Account account;
        const uint32_t entries = m_settings.targetEntries;
        account.isTrusted = span <= Quota() && entries - Free() + span <= entries / 2 &&
                            span + m_settings.targetRedZone <= Free();
        account.entries = account.isTrusted ? span : 0;
        account.limit = used;
        accounts.push_back(account);
    }

    /// Puts it into the line where it belongs, unless it stands there.
    void List(uint32_t i)
    {
        const Account& account = accounts[i];
        if (account.wanted > account.limit && account.entries < Quota())
        {
            std::deque<uint32_t>& line = account.entries == 0 ? heads : others;
            if (std::find(line.begin(), line.end(), i) == line.end())
            {
                line.push_back(i);
            }
        }
    }

    /// @return who gets how much, as CreditBed::Serve()
    std::string Serve()
    {
        std::string text;
        for (;;)
        {
            std::deque<uint32_t>& line = heads.empty() ? others : heads;
            const uint32_t kept = heads.empty() ? m_settings.targetRedZone : 0;
            if (line.empty() || Free() <= kept)
            {
                return text;
            }
            const uint32_t i = line.front();
            line.pop_front();
            Account& account = accounts[i];
            const auto waiting = static_cast<uint32_t>(1 + line.size());
            const uint32_t fair = std::max(1U, Free() / waiting);
            uint32_t given = 0;
            // One by one: each has to be allowed.
            while (account.isOpen && account.wanted > account.limit && given < fair &&
                   account.entries < Quota() &&
                   (account.entries == 0 ? Free() > 0 : Free() > m_settings.targetRedZone))
            {
                ++account.entries;
                ++account.limit;
                ++given;
            }
            List(i);
            if (given > 0)
            {
                text +=
                    (text.empty() ? "" : " ") + std::to_string(i + 1) + "+" + std::to_string(given);
            }
        }
    }

    std::vector<Account> accounts;
    std::deque<uint32_t> heads;
    std::deque<uint32_t> others;

  private:
    TransportSettings m_settings;
};

/// One run of both. @return what went wrong, empty if nothing did
std::string
CompareCredits(uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    const uint32_t entries = draw(1, 40);
    const TransportSettings settings =
        WithEntries(entries, draw(0, 1) * draw(1, 10), draw(0, 1) * draw(0, entries));
    const uint32_t span = draw(1, 12);
    const uint32_t count = draw(1, 10);
    CreditBed bed(settings, count, span);
    SlowCredits slow(settings);
    for (uint32_t i = 0; i < count; ++i)
    {
        slow.Open(span, bed.accounts[i].limit);
    }
    for (uint32_t step = 0; step < 300; ++step)
    {
        const uint32_t i = draw(0, count - 1);
        CreditAccount& account = bed.accounts[i];
        SlowCredits::Account& other = slow.accounts[i];
        if (!other.isOpen)
        {
            continue;
        }
        const uint32_t what = draw(0, 99);
        if (other.isTrusted)
        {
            if (what < 3)
            {
                const uint32_t sent = draw(0, span);
                other.stored = draw(0, sent);
                bed.control.Meter(account, sent, sent, other.stored);
                other.isTrusted = false;
                other.limit = other.wanted = sent;
                other.entries = sent;
            }
        }
        else if (what < 40)
        {
            const uint32_t wanted = other.limit + draw(0, 6);
            bed.control.Want(account, i + 1, wanted, other.stored);
            if (wanted > other.limit)
            {
                other.wanted = std::max(other.wanted, wanted);
                slow.List(i);
            }
        }
        else if (what < 70 && other.entries > other.stored)
        {
            ++other.stored;
            // What is given ahead has its own test; here it is within its bounds.
            const uint32_t before = account.limit;
            const bool isMore = bed.control.TakeOpened(account, other.stored, other.limit + 4);
            const uint32_t more = account.limit - before;
            if (isMore != (more > 0) || more > 4 || 2 * more > entries ||
                (more > 0 && slow.Free() < more + settings.targetRedZone))
            {
                return "too much ahead";
            }
            other.limit += more;
            other.entries += more;
        }
        else if (what < 99 && other.stored > 0)
        {
            --other.stored;
            --other.entries;
            bed.control.TakeRetired(account, i + 1);
            slow.List(i);
        }
        else if (what == 99)
        {
            bed.control.Close(account, other.stored);
            other = SlowCredits::Account();
            other.isOpen = false;
            other.limit = other.wanted = account.limit;
        }
        const std::string expected = slow.Serve();
        const std::string actual = bed.Serve();
        if (actual != expected)
        {
            return "step " + std::to_string(step) + ": '" + actual + "', expected '" + expected +
                   "'";
        }
        if (bed.control.Kept() != settings.targetEntries - slow.Free())
        {
            return "step " + std::to_string(step) + ": kept";
        }
        for (const SlowCredits::Account& each : slow.accounts)
        {
            if (each.entries > slow.Quota() || each.stored > each.entries)
            {
                return "quota";
            }
        }
    }
    return "";
}

/// RT-11: many seeds against the slow model.
void
CreditsAgainstModel(FunctionCase& test)
{
    const TestSeeds seeds(4000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string wrong = CompareCredits(seed);
        if (!wrong.empty())
        {
            test.Expect(false, "seed " + std::to_string(seed) + ": " + wrong);
            return;
        }
    }
}

/// RT-11: when the initiator asks, by hand.
void
Asking(FunctionCase& test)
{
    RequestCredit credit;
    test.Expect(credit.Covers(1000) && !credit.TakeAsk(5, 0, MICRO), "trusted");
    test.Expect(!credit.Raise(9), "credit that nobody needs");
    credit.Meter(3);
    credit.Meter(7);
    test.Expect(credit.Limit() == 3 && credit.Covers(2) && !credit.Covers(3), "from there on");
    test.Expect(!credit.TakeAsk(3, 0, MICRO) && credit.Deadline() == NEVER,
                "nothing more is wanted");
    test.Expect(credit.TakeAsk(5, 0, MICRO) && credit.Deadline() == MICRO, "two more");
    test.Expect(!credit.TakeAsk(7, 0, MICRO), "four: as many as were asked for are not new yet");
    test.Expect(credit.TakeAsk(8, 0, MICRO), "five: they are");
    test.Expect(!credit.TakeAsk(8, MICRO - 1, MICRO), "patience");
    TimePs at = MICRO;
    for (const TimePs wait : {2, 4, 8, 16, 16})
    {
        test.Expect(credit.TakeAsk(8, at, MICRO), "again");
        test.ExpectEqual(credit.Deadline(), at + wait * MICRO, "twice as long, up to 16 times");
        at += wait * MICRO;
    }
    test.Expect(credit.Raise(5) && credit.Raise(4) && credit.Limit() == 5, "an old one is no news");
    test.Expect(!credit.TakeAsk(8, at, MICRO) && credit.Deadline() == at + MICRO,
                "heard: wait anew");
    test.Expect(credit.Raise(10) && !credit.TakeAsk(8, at, MICRO), "more than was wanted");
    test.ExpectEqual(credit.Deadline(), NEVER, "nothing to wait for");
    test.Expect(credit.TakeAsk(11, at, MICRO), "one more than that");
}

/// RT-11: lookups take time, by hand.
void
Lookups(FunctionCase& test)
{
    TransportSettings settings;
    test.Expect(!LookupPipeline(settings).IsOn(), "none by default");
    settings.lookupTime = 100;
    settings.lookupLatency = 30;
    LookupPipeline pipeline(settings);
    const auto push = [&pipeline](TransportPacketType type, TimePs now) {
        TransportPacket packet(type,
                               type == TransportPacketType::NACK ? NackCode::DUPLICATE
                                                                 : NackCode::NONE);
        pipeline.Push(packet, 7, now);
    };
    push(TransportPacketType::PULL_REQUEST, 1000);          // 1000 + 100 + 30
    push(TransportPacketType::PUSH_UNSOLICITED_DATA, 1001); // 1100 + 100 + 30
    push(TransportPacketType::PULL_DATA, 1002);             // the other CAM: 1132, not before 1230
    push(TransportPacketType::ACK, 1003);                   // 1102 + 100 + 30 = 1232
    push(TransportPacketType::NACK, 1004);                  // no lookup, but not before the ACK
    push(TransportPacketType::PUSH_SOLICITED_DATA, 5000);   // idle since: 5130
    for (const TimePs expected : {1130, 1230, 1230, 1232, 1232, 5130})
    {
        test.ExpectEqual(pipeline.Next(), expected, "when it is looked up");
        test.ExpectEqual(pipeline.Take().peer, 7, "whom it is from");
    }
    test.ExpectEqual(pipeline.Next(), NEVER, "no more");
}

/// RT-11: one lookup at a time limits how many requests are completed.
void
LookupRate(FunctionCase& test)
{
    const auto run = [](TimePs lookupTime, TimePs latency) {
        TransportSettings settings;
        settings.lookupTime = lookupTime;
        settings.lookupLatency = latency;
        settings.ackPackets = 100; // one ACK for all
        settings.ackDelay = 1000 * MICRO;
        settings.minRto = 5000 * MICRO; // what waits for its lookup is not lost
        settings.sendsProbes = false;
        TwoUlps ulps(settings, ConnectionSettings());
        const ConnectionId cid = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
        for (uint32_t i = 0; i < 100; ++i)
        {
            ulps.bed.Node(0).Push(cid, 64, 0);
        }
        ulps.bed.Run(NEVER - 1);
        return ulps.events.back().second.at;
    };
    const TimePs free = run(0, 0);
    // A packet takes 0.1 us of the wire and 1 us to come; the last of 100 waits for the others.
    const TimePs slow = run(2 * MICRO, 0);
    test.ExpectNear(static_cast<double>(slow - free),
                    static_cast<double>(100 * (2 * MICRO - MICRO / 10)),
                    static_cast<double>(12 * MICRO),
                    "2 us for each of 100");
    const TimePs late = run(0, 5 * MICRO);
    test.ExpectNear(static_cast<double>(late - free),
                    static_cast<double>(10 * MICRO),
                    static_cast<double>(MICRO),
                    "5 us later at either end");
}

/// A target whose memory takes its time, and initiators with many requests.
struct Residence
{
    /// @param entries of the CAM @param connections with 50 requests each @param operation of them
    Residence(const TransportSettings& settings, uint32_t connections, UlpOperation operation)
        : bed(1 + connections, settings, ConnectionSettings(), NetworkFaults(), 1)
    {
        bed.onEvent = [this](uint32_t node, const UlpEvent& event) {
            if (event.type == UlpEventType::REQUEST)
            {
                bed.At(bed.Now() + 100 * MICRO, [this, event] { Answer(event); });
            }
            completions += event.type == UlpEventType::COMPLETION;
            end = event.type == UlpEventType::COMPLETION ? bed.Now() : end;
            (void)node;
        };
        for (uint32_t i = 1; i <= connections; ++i)
        {
            const ConnectionId cid = bed.Node(i).Connect(0, ConnectionSettings(), 0);
            for (uint32_t j = 0; j < 50; ++j)
            {
                operation == UlpOperation::PUSH ? bed.Node(i).Push(cid, bytes, 0)
                                                : bed.Node(i).Pull(cid, bytes, 0);
            }
        }
        bed.Run(NEVER - 1);
    }

    void Answer(const UlpEvent& event)
    {
        event.operation == UlpOperation::PULL
            ? bed.Node(0).Respond(event.cid, event.rsn, bed.Now())
            : bed.Node(0).AckRequest(event.cid, event.rsn, UlpAnswer::OK, bed.Now());
    }

    static constexpr uint32_t bytes = 1000;
    TransportBed bed;
    uint32_t completions{0};
    TimePs end{0};
};

/// RT-11: entries x requests / (residence + way of a credit and of a request).
void
ClosedForm(FunctionCase& test)
{
    for (const UlpOperation operation : {UlpOperation::PUSH, UlpOperation::PULL})
    {
        for (const uint32_t entries : {1U, 2U, 3U, 5U, 8U, 16U, 40U})
        {
            const Residence run(WithEntries(entries), 8, operation);
            test.ExpectEqual(run.completions, 400, "all complete");
            // An entry is kept 100 us for the memory, and 2 x (1 + 0.1) us for the credit's way to
            // the initiator and the request's to here.
            const double expected = 400.0 / entries * 102.2 * MICRO;
            test.ExpectNear(static_cast<double>(run.end),
                            expected,
                            0.04 * expected + 110 * MICRO,
                            "time with " + std::to_string(entries) + " entries");
            const TransportOccupancy o = const_cast<Residence&>(run).bed.Node(0).Occupancy();
            test.ExpectEqual(o.targetEntries.peak, entries, "all are in use, and no more");
            test.ExpectEqual(const_cast<Residence&>(run).bed.Node(0).Counters().noResource,
                             0,
                             "no packet is refused");
        }
    }
}

/// RT-11: the quota holds one connection back, and not the others.
void
QuotaEndToEnd(FunctionCase& test)
{
    const Residence free(WithEntries(8), 1, UlpOperation::PUSH);
    const Residence held(WithEntries(8, 2), 1, UlpOperation::PUSH);
    test.ExpectNear(static_cast<double>(held.end) / static_cast<double>(free.end),
                    25.0 / 7,
                    0.1,
                    "25 times 2 requests instead of 7 times 8");
    const Residence four(WithEntries(8, 2), 4, UlpOperation::PUSH);
    test.ExpectNear(static_cast<double>(four.end) / static_cast<double>(held.end),
                    1,
                    0.05,
                    "four of them have all");
}

/// RT-11: credits, questions and answers get lost: all is asked for again.
void
LostCredits(FunctionCase& test)
{
    for (const NackCode code :
         {NackCode::CREDIT, NackCode::CREDIT_WANTED, NackCode::CREDIT_ONLY, NackCode::CREDIT_HEARD})
    {
        // Three connections of a span of 4: one is trusted, one has 4 at first and lets them lie,
        // and for the third the first one has to be metered.
        ConnectionSettings settings;
        settings.requestSpan = 4;
        TwoUlps ulps(WithEntries(8), ConnectionSettings());
        uint32_t lost = 0;
        ulps.bed.onSend = [&lost, code](uint32_t, const OutgoingPacket& out) {
            const bool isIt =
                out.packet.type == TransportPacketType::NACK && out.packet.nack == code;
            lost += isIt && lost < 2;
            return !isIt || lost >= 2;
        };
        // The first one of each code is lost, the second one comes.
        const ConnectionId first = ulps.bed.Node(0).Connect(1, settings, 0);
        ulps.bed.Node(0).Connect(1, settings, 0);
        const ConnectionId second = ulps.bed.Node(0).Connect(1, settings, 0);
        for (uint32_t i = 0; i < 4; ++i)
        {
            ulps.bed.Node(0).Push(first, 100, 0);
            ulps.bed.Node(0).Push(second, 100, 0);
        }
        ulps.bed.Run(MICRO * 10'000);
        const std::string name = "code " + std::to_string(static_cast<int>(code));
        test.Expect(lost >= 1, name + ": one was lost");
        test.ExpectEqual(ulps.bed.Node(0).Counters().completions, 8, name + ": all complete");
        test.ExpectEqual(ulps.Used(0) + ulps.Used(1), 0, name + ": all is given back");
    }
}

/// RT-11: a peer that does not ask is refused.
void
WithoutCredit(FunctionCase& test)
{
    TwoUlps ulps(WithEntries(1), ConnectionSettings());
    ulps.answers = false;
    const ConnectionId cid = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
    ulps.bed.Run(20 * MICRO);
    for (uint32_t i = 0; i < 3; ++i)
    {
        TransportPacket packet(TransportPacketType::PULL_REQUEST);
        packet.cid = ulps.bed.Node(0).View(cid)->peerCid;
        packet.piece.psn = packet.piece.rsn = i;
        packet.piece.length = 1;
        ulps.bed.Node(1).Receive(packet, 0, ulps.bed.Now());
    }
    test.ExpectEqual(ulps.bed.Node(1).Counters().noResource, 3, "all are refused");
    test.ExpectEqual(ulps.bed.Node(1).Occupancy().targetEntries.peak, 0, "and none is kept");
}

/// RT-11: who asks though it is trusted has been told, and its answer was lost.
void
LostAnswer(FunctionCase& test)
{
    TwoUlps ulps(WithEntries(16384), ConnectionSettings());
    const ConnectionId cid = ulps.bed.Node(0).Connect(1, ConnectionSettings(), 0);
    ulps.bed.Run(20 * MICRO);
    TransportPacket ask(TransportPacketType::NACK, NackCode::CREDIT_WANTED);
    ask.cid = ulps.bed.Node(0).View(cid)->peerCid;
    ask.piece.rsn = 1;
    ulps.bed.Node(1).Receive(ask, 0, ulps.bed.Now());
    ulps.bed.Run(40 * MICRO);
    const auto nack = static_cast<uint32_t>(TransportPacketType::NACK);
    test.ExpectEqual(ulps.bed.Node(1).Counters().sent[nack], 1, "it is told again");
    test.ExpectEqual(ulps.bed.Node(0).Counters().sent[nack], 1, "and answers again");
}

} // namespace

/// The suite.
class CreditSuite : public FunctionSuite
{
  public:
    CreditSuite()
        : FunctionSuite("fabric-credit", kUnit)
    {
        Add("RT-11 who gets an entry", Credits);
        Add("RT-11 trusted until others need entries", Trust);
        Add("RT-11 entries ahead of demand", Ahead);
        Add("RT-11 credits against a slow model", CreditsAgainstModel);
        Add("RT-11 when credits are asked for", Asking);
        Add("RT-11 lookups one at a time", Lookups);
        Add("RT-11 lookups limit requests", LookupRate);
        Add("RT-11 throughput is entries by residence", ClosedForm);
        Add("RT-11 a quota is for one connection", QuotaEndToEnd);
        Add("RT-11 lost credits are asked for again", LostCredits);
        Add("RT-11 what has no credit is refused", WithoutCredit);
        Add("RT-11 a lost answer is asked for again", LostAnswer);
    }
};

static CreditSuite g_creditSuite; ///< Registers the suite.

} // namespace ns3::fabric
