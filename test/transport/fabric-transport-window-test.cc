/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-receive-window.h"
#include "fabric-sequence-number.h"
#include "fabric-test-compat.h"
#include "fabric-transmit-window.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Arithmetic about the wrap.
void
SequenceNumbers(FunctionCase& test)
{
    test.Expect(SequenceBefore(0xFFFFFFFF, 0), "0 follows 2^32 - 1");
    test.Expect(!SequenceBefore(0, 0xFFFFFFFF), "and not the other way round");
    test.Expect(SequenceBefore(0xFFFFFFF0, 0x10), "across the wrap");
    test.Expect(!SequenceBefore(5, 5), "not before itself");
    test.Expect(SequenceDistance(0xFFFFFFFE, 3) == 5 && SequenceDistance(3, 0xFFFFFFFE) == -5, "5");
    std::mt19937 random(1);
    for (uint32_t i = 0; i < 100000; ++i)
    {
        const uint32_t a = random();
        const auto d = static_cast<int32_t>(random() % 0x7FFFFFFF);
        test.Expect(SequenceDistance(a, a + d) == d && SequenceDistance(a + d, a) == -d,
                    "distance");
    }
}

/// Every operation against a vector of bool.
void
Bitmaps(FunctionCase& test)
{
    std::mt19937_64 random(2);
    for (uint32_t round = 0; round < 20000; ++round)
    {
        const uint64_t sparse = random() % 3 == 0 ? 0 : ~uint64_t{0};
        const PacketBitmap bitmap(random() & random() & sparse, random() & random());
        const uint32_t n = random() % 129;
        const PacketBitmap from = bitmap.From(n);
        const PacketBitmap raised = bitmap.Raised(n);
        const PacketBitmap first = PacketBitmap::First(n);
        uint32_t lowest = 128;
        uint32_t width = 0;
        uint32_t leading = 0;
        for (uint32_t i = 0; i < 128; ++i)
        {
            test.Expect(from.Test(i) == (i + n < 128 && bitmap.Test(i + n)), "From");
            test.Expect(raised.Test(i) == (i >= n && bitmap.Test(i - n)), "Raised");
            test.Expect(first.Test(i) == (i < n), "First");
            lowest = bitmap.Test(i) ? std::min(lowest, i) : lowest;
            width = bitmap.Test(i) ? i + 1 : width;
            leading += leading == i && bitmap.Test(i);
        }
        test.Expect(lowest == bitmap.Lowest() && width == bitmap.Width(), "Lowest, Width");
        test.Expect(leading == bitmap.LeadingSet(), "LeadingSet");
    }
}

/// The tables of RT-7 and RT-8, row by row, across the wrap.
void
Rules(FunctionCase& test)
{
    TransmitWindow tx(0xFFFFFFFE, 4);
    for (uint32_t i = 0; i < 4; ++i)
    {
        test.Expect(!tx.IsFull() && tx.Take() == 0xFFFFFFFE + i, "PSNs");
    }
    test.Expect(tx.IsFull(), "full");
    auto result = tx.Acknowledge(0xFFFFFFFE, PacketBitmap(0b1010, 0));
    test.Expect(result.newlyAcked == PacketBitmap(0b1010, 0) && tx.Base() == 0xFFFFFFFE, "bitmap");
    result = tx.Acknowledge(0xFFFFFFFF, PacketBitmap());
    test.Expect(result.newlyAcked == PacketBitmap(1, 0) && tx.Base() == 0, "over leading set bits");
    test.Expect(tx.Acknowledge(0xFFFFFFFF, PacketBitmap()).verdict == AckVerdict::STALE, "older");
    test.Expect(tx.Acknowledge(3, PacketBitmap()).verdict == AckVerdict::IMPOSSIBLE, "never sent");
    test.Expect(tx.Acknowledge(0, PacketBitmap(0b100, 0)).verdict == AckVerdict::IMPOSSIBLE, "bit");
    test.Expect(tx.InFlight() == 1 && tx.Unacked() == PacketBitmap(1, 0), "one is left");
    tx.Acknowledge(2, PacketBitmap());
    test.Expect(tx.Span() == 0 && tx.Base() == 2, "all");

    ReceiveWindow rx(0xFFFFFFFE, 4);
    test.Expect(rx.Classify(0xFFFFFFFD) == PsnVerdict::BELOW, "below");
    test.Expect(rx.Classify(2) == PsnVerdict::BEYOND, "beyond");
    test.Expect(rx.Classify(1) == PsnVerdict::EXPECTED, "in the window");
    rx.Receive(1);
    test.Expect(rx.Classify(1) == PsnVerdict::DUPLICATE && rx.Base() == 0xFFFFFFFE, "duplicate");
    rx.Acknowledge(1);
    rx.Receive(0xFFFFFFFE);
    test.Expect(rx.Base() == 0xFFFFFFFE, "the ULP has not acknowledged");
    rx.Acknowledge(0xFFFFFFFE);
    test.Expect(rx.Base() == 0xFFFFFFFF && rx.Acked() == PacketBitmap(0b100, 0), "base moves");
    rx.Receive(0xFFFFFFFF);
    rx.Acknowledge(0xFFFFFFFF);
    rx.Receive(0);
    rx.Acknowledge(0);
    test.Expect(rx.Base() == 2 && rx.Received().IsEmpty(), "over all leading set bits");
}

/**
 * Exhaustive search. A network that may lose, duplicate and delay is a set of all that was ever
 * sent, out of which anything may come at any time, any number of times: what is lost never comes,
 * what is duplicated comes twice. A time-out sends a PSN that is in the set already. So each state
 * is (sender, receiver, ACKs ever sent), and each step is one of: send next, PSN arrives, ULP
 * acknowledges, ACK is sent, ACK arrives.
 */
class Search
{
  public:
    Search(FunctionCase& test, uint32_t window, uint32_t packets, bool isDeferred)
        : m_test(test),
          m_window(window),
          m_packets(packets),
          m_isDeferred(isDeferred)
    {
    }

    /// @return number of states
    std::size_t Run()
    {
        State start{TransmitWindow(FIRST, m_window), ReceiveWindow(FIRST, m_window), 0, {}};
        Visit(start);
        while (!m_open.empty() && !m_isWrong)
        {
            const State state = m_open.back();
            m_open.pop_back();
            Expand(state);
        }
        m_test.Expect(m_hasEnded, "the end is reached");
        return m_seen.size();
    }

  private:
    static constexpr uint32_t FIRST = 0xFFFFFFFD; // so that all wraps

    using Ack = std::pair<uint32_t, uint64_t>; ///< Base and bitmap.

    struct State
    {
        TransmitWindow tx;
        ReceiveWindow rx;
        uint32_t delivered; ///< Bit i: PSN FIRST + i.
        std::set<Ack> acks;
    };

    /// All of a state as a text of bytes.
    static std::string Key(const State& s)
    {
        std::string key;
        const auto put = [&key](uint64_t value) { key.push_back(static_cast<char>(value)); };
        put(s.tx.Base() - FIRST);
        put(s.tx.Next() - FIRST);
        put(s.tx.Acked().Low());
        put(s.rx.Base() - FIRST);
        put(s.rx.Received().Low());
        put(s.rx.Acked().Low());
        put(s.delivered);
        for (const Ack& ack : s.acks)
        {
            put(ack.first - FIRST);
            put(ack.second);
        }
        return key;
    }

    void Visit(const State& state)
    {
        if (m_seen.insert(Key(state)).second)
        {
            Check(state);
            m_open.push_back(state);
        }
    }

    void Fail(const std::string& what)
    {
        m_isWrong = true;
        m_test.Expect(false, what);
    }

    /// What is true of every state.
    void Check(const State& s)
    {
        if (SequenceBefore(s.rx.Base(), s.tx.Base()))
        {
            Fail("the sender believes more than the receiver says");
        }
        const uint32_t acked = s.rx.Base() - FIRST;
        for (uint32_t i = 0; i < m_packets; ++i)
        {
            const bool isReceived = i < acked || s.rx.Received().Test(i - acked);
            if (isReceived != ((s.delivered >> i & 1) != 0))
            {
                Fail("delivered and received differ");
            }
            const uint32_t base = s.tx.Base() - FIRST;
            const bool senderHas = i < base || (i - base < 128 && s.tx.Acked().Test(i - base));
            if (senderHas && !(i < acked || s.rx.Acked().Test(i - acked)))
            {
                Fail("freed what is not acknowledged");
            }
        }
        m_hasEnded = m_hasEnded || s.tx.Base() == FIRST + m_packets;
        // From everywhere it goes on: with a network that is good from now on, it ends.
        State good = s;
        for (uint32_t i = 0; i < m_packets; ++i)
        {
            Finish(good);
        }
        if (good.tx.Base() != FIRST + m_packets || good.delivered != (1U << m_packets) - 1)
        {
            Fail("a state without a way out");
        }
    }

    /// One round over a good network: all is sent, all arrives, is acknowledged, the ACK arrives.
    void Finish(State& s)
    {
        while (!s.tx.IsFull() && s.tx.Next() != FIRST + m_packets)
        {
            s.tx.Take();
        }
        for (uint32_t psn = s.tx.Base(); psn != s.tx.Next(); ++psn)
        {
            Arrive(s, psn);
        }
        while (s.rx.Acked() != s.rx.Received())
        {
            s.rx.Acknowledge(s.rx.Base() + (s.rx.Received() & ~s.rx.Acked()).Lowest());
        }
        s.tx.Acknowledge(s.rx.Base(), s.rx.Acked());
    }

    void Arrive(State& s, uint32_t psn)
    {
        switch (s.rx.Classify(psn))
        {
        case PsnVerdict::EXPECTED:
            if ((s.delivered >> (psn - FIRST) & 1) != 0)
            {
                Fail("delivered twice");
            }
            s.delivered |= 1U << (psn - FIRST);
            s.rx.Receive(psn);
            if (!m_isDeferred)
            {
                s.rx.Acknowledge(psn);
            }
            return;
        case PsnVerdict::BEYOND:
            Fail("a sender that keeps its window is beyond the receiver's");
            return;
        default:
            return;
        }
    }

    void Expand(const State& s)
    {
        if (!s.tx.IsFull() && s.tx.Next() != FIRST + m_packets)
        {
            State next = s;
            next.tx.Take();
            Visit(next);
        }
        for (uint32_t psn = FIRST; psn != s.tx.Next(); ++psn)
        {
            State next = s;
            Arrive(next, psn);
            Visit(next);
        }
        for (uint32_t i = 0; m_isDeferred && i < m_window; ++i)
        {
            if (s.rx.Received().Test(i) && !s.rx.Acked().Test(i))
            {
                State next = s;
                next.rx.Acknowledge(s.rx.Base() + i);
                Visit(next);
            }
        }
        State acking = s;
        acking.acks.insert({s.rx.Base(), s.rx.Acked().Low()});
        Visit(acking);
        for (const Ack& ack : s.acks)
        {
            for (const uint64_t bitmap : {ack.second, uint64_t{0}}) // stand-alone, piggybacked
            {
                State next = s;
                if (next.tx.Acknowledge(ack.first, PacketBitmap(bitmap, 0)).verdict ==
                    AckVerdict::IMPOSSIBLE)
                {
                    Fail("an honest ACK is impossible");
                }
                Visit(next);
            }
        }
    }

    FunctionCase& m_test;
    uint32_t m_window;
    uint32_t m_packets;
    bool m_isDeferred;
    bool m_isWrong{false};
    bool m_hasEnded{false};
    std::unordered_set<std::string> m_seen;
    std::vector<State> m_open;
};

/// Windows of 1 to 4 with up to 6 packets, acknowledged on receipt or by the ULP.
void
Exhaustive(FunctionCase& test)
{
    std::size_t states = 0;
    for (uint32_t window = 1; window <= 4; ++window)
    {
        for (uint32_t packets = 1; packets <= 6; ++packets)
        {
            states += Search(test, window, packets, false).Run();
        }
        for (uint32_t packets = 1; packets <= 6; ++packets)
        {
            states += Search(test, window, packets, true).Run();
        }
    }
    test.Expect(states > 80000, "states: " + std::to_string(states));
}

/// Large windows against an oracle, from near the end of the sequence space.
void
Large(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 2000; ++seed)
    {
        std::mt19937_64 random(seed);
        const uint32_t size = 1 + random() % 128;
        const uint32_t first = 0xFFFFFFFF - static_cast<uint32_t>(random() % 300);
        const uint32_t packets = 200 + random() % 300;
        TransmitWindow tx(first, size);
        ReceiveWindow rx(first, size);
        std::vector<uint8_t> delivered(packets, 0);
        std::vector<uint8_t> freed(packets, 0);
        std::vector<std::pair<uint32_t, PacketBitmap>> acks{{first, PacketBitmap()}};
        bool isRight = true;
        for (uint32_t step = 0; tx.Base() != first + packets && step < 200000; ++step)
        {
            if (!tx.IsFull() && tx.Next() != first + packets && random() % 2 == 0)
            {
                tx.Take();
            }
            if (tx.Next() != first)
            {
                // An old packet, or one of the window.
                const uint32_t psn =
                    random() % 4 == 0
                        ? first + static_cast<uint32_t>(random() % (tx.Next() - first))
                        : tx.Base() + static_cast<uint32_t>(random() % (tx.Span() + 1));
                if (psn != tx.Next() && rx.Classify(psn) == PsnVerdict::EXPECTED)
                {
                    isRight = isRight && ++delivered[psn - first] == 1;
                    rx.Receive(psn);
                }
            }
            const PacketBitmap waiting = rx.Received() & ~rx.Acked();
            if (!waiting.IsEmpty() && random() % 2 == 0)
            {
                rx.Acknowledge(rx.Base() + waiting.Lowest());
            }
            if (random() % 4 == 0)
            {
                acks.emplace_back(rx.Base(), rx.Acked());
            }
            const auto& ack = acks[random() % 2 ? acks.size() - 1 : random() % acks.size()];
            const auto result = tx.Acknowledge(ack.first, ack.second);
            isRight = isRight && result.verdict != AckVerdict::IMPOSSIBLE;
            for (PacketBitmap left = result.newlyAcked; !left.IsEmpty();)
            {
                const uint32_t i = left.Lowest();
                left.Clear(i);
                const uint32_t at = result.first + i - first;
                isRight = isRight && ++freed[at] == 1 && delivered[at] == 1;
            }
        }
        isRight = isRight && std::count(freed.begin(), freed.end(), 1) == packets;
        if (!isRight)
        {
            test.Expect(false, "seed " + std::to_string(seed));
            return;
        }
    }
}

/// The suite.
class TransportWindowSuite : public TestSuite
{
  public:
    TransportWindowSuite()
        : TestSuite("fabric-transport-window", kUnit)
    {
        Add("RT-5 32-bit sequence numbers and their wrap", SequenceNumbers);
        Add("RT-6 bitmaps", Bitmaps);
        Add("RT-7 RT-8 rules of sender and receiver, across the wrap", Rules);
        Add("RT-6 RT-17 small windows, searched exhaustively", Exhaustive);
        Add("RT-6 RT-17 large windows against an oracle", Large);
    }

  private:
    void Add(const std::string& name, FunctionCase::Body body)
    {
        AddTestCase(new FunctionCase(name, std::move(body)), kQuick);
    }
};

TransportWindowSuite g_transportWindowSuite; ///< Registers the suite.

} // namespace
