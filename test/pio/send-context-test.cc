/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pcie-settings.h"
#include "pio/context-pair.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Slots become free out of order; what is returned is the unbroken run.
void
TestRun(FunctionCase& self)
{
    SlotRun run(8);
    self.ExpectEqual(run.Free(2, 3, false).blocks, 0, "the lowest is not free");
    self.ExpectEqual(run.Free(0, 1, false).blocks, 1, "the lowest alone, the next is not free");
    const SlotRun::Growth growth = run.Free(1, 1, true);
    self.ExpectEqual(growth.blocks, 4, "all up to the highest of the run");
    self.Expect(growth.isRequested, "one of them asks");
    self.ExpectEqual(run.Free(5, 8, false).blocks, 8, "all around the ring");
}

/// Blocks are filled in any order, the first one of a packet last.
void
TestFills(FunctionCase& self)
{
    SendContext context(EveryChange(8));
    self.ExpectEqual(context.Fill(2), NO_SLOT, "whose it is, is not known");
    self.ExpectEqual(context.Fill(5), NO_SLOT, "nor of this one");
    self.ExpectEqual(context.Start(4, WordOf(2)), 4, "the second packet is complete first");
    self.ExpectEqual(context.Start(0, WordOf(4)), NO_SLOT, "two are missing");
    self.ExpectEqual(context.Fill(3), NO_SLOT, "one is");
    self.ExpectEqual(context.Fill(1), 0, "none is");
    context.Free(4, 0);
    self.Expect(!context.Returner().Take(), "the first packet holds the run up");
    context.Free(0, 0);
    self.ExpectEqual(context.Returner().Take()->value, 6, "both");
    self.ExpectEqual(context.Start(6, WordOf(3)), NO_SLOT, "a packet around the end of the ring");
    self.ExpectEqual(context.Fill(0), NO_SLOT, "one is missing");
    self.ExpectEqual(context.Fill(7), 6, "none is");
}

/// Who stores into a full block is found out.
void
TestOverrun(FunctionCase& self)
{
    ContextPair pair(EveryChange(4));
    self.Expect(pair.adaptor.Store(0, WordOf(4)), "there is room");
    pair.adaptor.Fill(2);
    self.Expect(pair.adaptor.IsHalted(), "the context halts");
    self.Expect(!pair.adaptor.Store(0, WordOf(1)), "and takes nothing");
    pair.Return(1);
    pair.software.Refresh(pair.line, 1);
    self.Expect(pair.software.IsHalted(), "software learns of it");
    self.ExpectEqual(pair.software.LastReasons(), CREDIT_ERROR, "and why");
    self.Expect(pair.software.Reserve(1, pair.line, 1).look == CreditLook::SHORT, "and stops");
}

/// The policies, one by one.
void
TestPolicies(FunctionCase& self)
{
    SendContextSettings settings = EveryChange(64);
    settings.threshold = 10;
    settings.interval = 100 * NS;
    CreditReturner returner(settings);
    const auto expect = [&](uint32_t value, uint32_t reasons, const char* what) {
        const std::optional<CreditUpdate> update = returner.Take();
        self.Expect(update && update->value == value && update->reasons == reasons, what);
        self.Expect(!returner.Take(), "it is said once");
    };
    returner.Grow({9, false}, 0);
    self.Expect(!returner.Take() && returner.DueAt() == 100 * NS, "below the threshold");
    returner.Grow({1, false}, 10 * NS);
    expect(10, CREDIT_THRESHOLD, "at the threshold");
    self.Expect(returner.DueAt() == NEVER, "nothing is unreturned");
    returner.Grow({1, true}, 20 * NS);
    expect(11, CREDIT_REQUESTED, "when asked by a packet");
    returner.Grow({2, false}, 30 * NS);
    returner.Tick(129 * NS);
    self.Expect(!returner.Take(), "not yet");
    returner.Tick(130 * NS);
    expect(13, CREDIT_TIMED, "after a time");
    returner.Grow({3, false}, 140 * NS);
    returner.Force();
    expect(16, CREDIT_FORCED, "when forced");
    returner.Force();
    expect(16, CREDIT_FORCED, "though nothing is new");
    returner.Grow({1, false}, 150 * NS);
    expect(17, CREDIT_FORCED, "but then the next is told at once");
    returner.Grow({5, false}, 160 * NS);
    returner.SetThreshold(2);
    expect(22, CREDIT_FORCED, "a new threshold forces a return");
    returner.Grow({2, false}, 170 * NS);
    expect(24, CREDIT_THRESHOLD, "and counts");
}

/// Software looks where it is cheapest.
void
TestLooks(FunctionCase& self)
{
    ContextPair pair(EveryChange(4));
    const auto look = [&pair](uint32_t blocks) {
        return pair.software.Reserve(blocks, pair.line, 10).look;
    };
    self.Expect(look(3) == CreditLook::CACHED, "all are free");
    pair.adaptor.Store(0, WordOf(3));
    self.Expect(look(2) == CreditLook::SHORT, "only one is");
    pair.adaptor.Free(0, 0);
    pair.Return(11);
    self.Expect(look(2) == CreditLook::SHORT, "the word has not come");
    pair.adaptor.Returner().Force();
    pair.Return(11);
    pair.software.Refresh(pair.line, 11);
    self.Expect(look(2) == CreditLook::SHARED, "somebody else has read it");
    pair.adaptor.Store(3, WordOf(2));
    pair.adaptor.Free(3, 0);
    pair.Return(10);
    self.Expect(look(3) == CreditLook::MEMORY, "in the word");
}

/// Lost updates: the next absolute one carries it all, relative ones leak.
void
TestLostUpdates(FunctionCase& self)
{
    const auto freeAfter = [&self](CreditScheme scheme) {
        ContextPair pair(EveryChange(64, scheme));
        pair.loseEvery = 3;
        for (uint32_t i = 0; i < 32; ++i)
        {
            const BlockReservation place = pair.software.Reserve(1, pair.line, i);
            pair.adaptor.Store(place.slot, WordOf(1));
            pair.adaptor.Free(place.slot, i);
            pair.Return(i);
        }
        self.ExpectEqual(pair.updates, 32, "updates, each third is lost");
        pair.software.Refresh(pair.line, 100);
        return pair.software.Free();
    };
    self.ExpectEqual(freeAfter(CREDITS_ABSOLUTE), 64, "absolute credits");
    self.ExpectEqual(freeAfter(CREDITS_RELATIVE), 54, "relative credits, 10 leak");
    self.Expect(freeAfter(CREDITS_BY_EGRESS) < 40, "by order of egress all after a hole");
}

/// Writes that each scheme needs when packets leave in another order.
void
TestWrites(FunctionCase& self)
{
    const auto writes = [](CreditScheme scheme) {
        ContextPair pair(EveryChange(64, scheme));
        std::vector<uint32_t> slots;
        for (uint32_t i = 0; i < 4; ++i)
        {
            slots.push_back(pair.software.Reserve(5, pair.line, 0).slot);
            pair.adaptor.Store(slots.back(), WordOf(5));
        }
        uint32_t count = 0;
        for (const uint32_t i : {1, 0, 3, 2})
        {
            pair.adaptor.Free(slots[i], 0);
            count += pair.Return(0);
        }
        return count;
    };
    self.ExpectEqual(writes(CREDITS_ABSOLUTE), 2, "two runs");
    self.ExpectEqual(writes(CREDITS_BY_EGRESS), 4, "four packets");
    self.ExpectEqual(writes(CREDITS_RELATIVE), 20, "twenty blocks");
}

/// A packet of the property test.
struct DrawnPacket
{
    uint32_t slot;   ///< Its first one.
    uint32_t blocks; ///< That it takes.
    bool asks;       ///< For a return.
};

/// Any order of stores and of egress, any time of returns.
class DrawnContext
{
  public:
    DrawnContext(FunctionCase& self, uint32_t seed)
        : m_self(self),
          m_seed(seed),
          m_random(seed),
          m_settings(DrawSettings()),
          m_pair(m_settings)
    {
        m_pair.loseEvery =
            m_settings.scheme == CREDITS_ABSOLUTE && Draw(0, 1) == 0 ? Draw(1, 4) : 0;
    }

    /// Runs it to the end.
    void Run()
    {
        for (uint32_t step = 0; step < 250; ++step)
        {
            m_now += Draw(0, 1000);
            Step(Draw(0, 9));
        }
        while (!m_stores.empty() || !m_complete.empty())
        {
            Store();
            Leave();
        }
        m_pair.loseEvery = 0;
        m_pair.adaptor.Returner().Force();
        m_pair.Return(m_lastReturn);
        m_pair.software.Refresh(m_pair.line, m_lastReturn);
        Expect(m_pair.software.Free() == m_settings.blocks, "a credit is lost");
        Expect(m_outstanding == 0, "the test has miscounted");
    }

  private:
    uint32_t Draw(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(m_random() % (high - low + 1));
    }

    SendContextSettings DrawSettings()
    {
        SendContextSettings settings;
        settings.counterBits = Draw(1, 14);
        const uint32_t most = std::min((1U << settings.counterBits) - 1, MOST_BLOCKS);
        settings.blocks = Draw(1, std::min(most, Draw(0, 3) == 0 ? most : 48));
        settings.scheme = static_cast<CreditScheme>(Draw(0, 2));
        settings.threshold = Draw(0, settings.blocks);
        settings.interval = Draw(0, 1) * Draw(1, 5000);
        settings.Validate();
        return settings;
    }

    void Expect(bool ok, const char* what)
    {
        m_self.Expect(ok, Text(what, ", seed ", m_seed));
    }

    void Step(uint32_t what)
    {
        if (what < 4)
        {
            Write();
        }
        else if (what < 7)
        {
            for (uint32_t i = Draw(1, 8); i > 0; --i)
            {
                Store();
            }
        }
        else
        {
            Leave();
        }
        m_pair.adaptor.Returner().Tick(m_now);
        if (Draw(0, 20) == 0)
        {
            m_pair.adaptor.Returner().Force();
        }
        m_lastReturn = std::max(m_lastReturn, m_now) + Draw(0, 3000);
        m_pair.Return(m_lastReturn);
    }

    /// Software takes blocks for a packet, and begins to store into them.
    void Write()
    {
        const uint32_t blocks = Draw(1, std::min(m_settings.blocks, 33U));
        const BlockReservation place = m_pair.software.Reserve(blocks, m_pair.line, m_now);
        if (place.look == CreditLook::SHORT)
        {
            return;
        }
        m_outstanding += blocks;
        Expect(m_outstanding <= m_settings.blocks, "more blocks than there are");
        for (uint32_t i = 0; i < blocks; ++i)
        {
            const uint32_t slot = (place.slot + i) % m_settings.blocks;
            m_stores.push_back({slot, i == 0 ? blocks : 0, Draw(0, 5) == 0});
        }
    }

    /// One of the blocks is stored.
    void Store()
    {
        if (m_stores.empty())
        {
            return;
        }
        const std::size_t i = Draw(0, static_cast<uint32_t>(m_stores.size()) - 1);
        const DrawnPacket store = m_stores[i];
        m_stores[i] = m_stores.back();
        m_stores.pop_back();
        const uint32_t slot =
            store.blocks != 0 ? m_pair.adaptor.Start(store.slot, WordOf(store.blocks, store.asks))
                              : m_pair.adaptor.Fill(store.slot);
        if (slot != NO_SLOT)
        {
            m_complete.push_back(slot);
        }
        Expect(!m_pair.adaptor.IsHalted(), "a full block is overrun");
    }

    /// One of the packets that are complete leaves.
    void Leave()
    {
        if (m_complete.empty())
        {
            return;
        }
        const std::size_t i = Draw(0, static_cast<uint32_t>(m_complete.size()) - 1);
        m_outstanding -= m_pair.adaptor.WordAt(m_complete[i]).blocks;
        m_pair.adaptor.Free(m_complete[i], m_now);
        m_complete[i] = m_complete.back();
        m_complete.pop_back();
    }

    FunctionCase& m_self;              ///< Is told what is wrong.
    uint32_t m_seed;                   ///< Of what is drawn.
    std::mt19937 m_random;             ///< Draws.
    SendContextSettings m_settings;    ///< Drawn.
    ContextPair m_pair;                ///< What is tested.
    std::vector<DrawnPacket> m_stores; ///< Blocks on their way; the first has the packet's length.
    std::vector<uint32_t> m_complete;  ///< First slots of packets that may leave.
    uint32_t m_outstanding{0};         ///< Blocks written and not free.
    TimePs m_now{0};                   ///< ps.
    TimePs m_lastReturn{0};            ///< When the last update comes, ps.
};

void
TestManyOrders(FunctionCase& self)
{
    const TestSeeds seeds(4000);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        DrawnContext(self, seed).Run();
    }
}

/// What makes no sense is refused.
void
TestRefusals(FunctionCase& self)
{
    const auto refuses = [&self](auto change, const std::string& sentence) {
        PioSettings settings;
        change(settings);
        self.ExpectSame(Refusal([&settings] { settings.Validate(4096); }), sentence, "refusal");
    };
    refuses([](PioSettings& s) { s.context.blocks = 0; },
            "PIO: the number of blocks of a context is 0; allowed is 1 to 1024");
    refuses([](PioSettings& s) { s.context.blocks = 1025; },
            "PIO: the number of blocks of a context is 1025; allowed is 1 to 1024");
    refuses([](PioSettings& s) { s.context.counterBits = 6; },
            "PIO: the number of blocks of a context is 64; allowed is 1 to 63, which the credit "
            "counter can tell apart");
    refuses([](PioSettings& s) { s.packetBytes = 4089; },
            "PIO: the number of blocks of a packet is 65; allowed is 1 to 64, the blocks of the "
            "context");
    refuses([](PioSettings& s) { s.context.threshold = 65; },
            "PIO: the threshold of credit returns is 65; allowed is 0 to 64, the blocks of the "
            "context");
    refuses(
        [](PioSettings& s) {
            s.context.blocks = 1024;
            s.contexts = 17;
        },
        "PIO: the number of contexts is 17; allowed is 1 to 16, for which the send memory of 1 MiB "
        "has room");
    refuses(
        [](PioSettings& s) {
            s.contexts = 17;
            s.eachContext.assign(17, s.context);
            for (uint32_t i = 0; i < 16; ++i)
            {
                s.eachContext[i].blocks = 1024;
            }
        },
        "PIO: the number of blocks of all contexts is 16448; allowed is 1 to 16384, for which the "
        "send memory of 1 MiB has room");
    refuses(
        [](PioSettings& s) {
            s.contexts = 2;
            s.eachContext.assign(2, s.context);
            s.eachContext[1].blocks = 31;
        },
        "PIO: the number of blocks of a packet is 32; allowed is 1 to 31, the blocks of the "
        "context");
    refuses([](PioSettings& s) { s.contexts = 161; },
            "PIO: the number of contexts is 161; allowed is 1 to 160");
    refuses([](PioSettings& s) { s.packetBytes = 5000; },
            "PIO: the payload of a packet is 5000; allowed is 1 to 4096, the MTU");
    refuses([](PioSettings& s) { s.blockTime = 0; },
            "PIO: the time to store a block is 0 ps; allowed is 1 to 10000000000000");
    refuses([](PioSettings& s) { s.memoryLookTime = LONGEST_STEP + 1; },
            "PIO: the time of a look in memory is 10000000000001 ps; allowed is 0 to "
            "10000000000000");
    refuses([](PioSettings& s) { s.context.interval = LONGEST_STEP + 1; },
            "PIO: the interval of returns is 10000000000001 ps; allowed is 0 to 10000000000000");
    refuses([](PioSettings& s) { s.forceAfter = LONGEST_STEP + 1; },
            "PIO: the time after which a return is forced is 10000000000001 ps; allowed is 0, or "
            "100000 to 10000000000000");
}

/// The suite.
class SendContextSuite : public FunctionSuite
{
  public:
    SendContextSuite()
        : FunctionSuite("fabric-send-context", kUnit)
    {
        Add("PC-4 the unbroken run", TestRun);
        Add("PC-1 PC-2 blocks are filled in any order", TestFills);
        Add("PC-7 an overrun is found out", TestOverrun);
        Add("PC-6 when credits are returned", TestPolicies);
        Add("PC-7 where software looks", TestLooks);
        Add("PC-5 PC-8 updates are lost", TestLostUpdates);
        Add("PC-8 writes of the schemes", TestWrites);
        Add("PC-3 PC-11 any order, many seeds", TestManyOrders);
        Add("PC-11 what is refused", TestRefusals);
    }
};

SendContextSuite g_sendContextSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
