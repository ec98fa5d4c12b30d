/* SPDX-License-Identifier: GPL-2.0-only */
#include "pio/context-pair.h"
#include "pio/pio-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t WRAP = 2048; ///< Blocks after which a counter of 11 bits is at 0 again.

/// The counter wraps thousands of times.
void
TestWraps(FunctionCase& self)
{
    SendContextSettings settings = EveryChange(1024);
    settings.threshold = 341;
    ContextPair pair(settings);
    uint64_t written = 0;
    for (TimePs now = 0; written < uint64_t{WRAP} * 3000; ++now)
    {
        const uint32_t blocks = 1 + static_cast<uint32_t>(now % 33);
        const BlockReservation place = pair.software.Reserve(blocks, pair.line, now);
        self.Expect(place.look != CreditLook::SHORT, Text("no room after ", written, " blocks"));
        self.Expect(pair.adaptor.Store(place.slot, WordOf(blocks)), "overrun");
        pair.adaptor.Free(place.slot, now);
        pair.Return(now);
        written += blocks;
    }
    pair.adaptor.Returner().Force();
    pair.Return(NEVER - 1);
    pair.software.Refresh(pair.line, NEVER - 1);
    self.ExpectEqual(pair.software.Free(), 1024, "all are back");
}

/// A context whose packets leave in any order; updates are lost, or overwrite each other before
/// software looks.
class DisturbedContext
{
  public:
    /// @param blocks of the context
    DisturbedContext(FunctionCase& self, uint32_t seed, uint32_t blocks)
        : m_self(self),
          m_seed(seed),
          m_random(seed),
          m_blocks(blocks),
          m_pair(EveryChange(blocks))
    {
    }

    /// @param wraps of the counter, until which it runs
    void Run(uint64_t wraps)
    {
        while (m_written < wraps * WRAP)
        {
            if (!Write() && !m_packets.empty())
            {
                Leave();
            }
            Return();
        }
        while (!m_packets.empty())
        {
            Leave();
        }
        m_pair.loseEvery = 0;
        m_pair.adaptor.Returner().Force(); // what says it all, after whatever was lost
        m_pair.Return(m_now);
        m_pair.software.Refresh(m_pair.line, m_now);
        m_self.ExpectEqual(m_pair.software.Free(), m_blocks, Text("credits, seed ", m_seed));
        m_self.Expect(!m_pair.adaptor.IsHalted(), Text("an overrun, seed ", m_seed));
        m_self.Expect(m_lost > wraps && m_merged > wraps, Text("too easy, seed ", m_seed));
    }

  private:
    uint32_t Draw(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(m_random() % (high - low + 1));
    }

    /// Software writes a packet. @return whether there was room
    bool Write()
    {
        const uint32_t blocks = Draw(1, 33);
        const BlockReservation place = m_pair.software.Reserve(blocks, m_pair.line, m_now);
        if (place.look == CreditLook::SHORT)
        {
            return false;
        }
        m_merged += place.look == CreditLook::MEMORY ? m_unseen : 0;
        m_unseen = place.look == CreditLook::MEMORY ? 0 : m_unseen;
        m_self.Expect(m_pair.adaptor.Store(place.slot, WordOf(blocks)),
                      Text("an overrun, seed ", m_seed));
        m_packets.push_back(place.slot);
        m_written += blocks;
        return true;
    }

    /// One of the packets leaves.
    void Leave()
    {
        const std::size_t i = Draw(0, static_cast<uint32_t>(m_packets.size()) - 1);
        m_pair.adaptor.Free(m_packets[i], m_now);
        m_packets[i] = m_packets.back();
        m_packets.pop_back();
    }

    /// Credits come back, or are lost. Software that is short for ever would force a return.
    void Return()
    {
        ++m_now;
        if (m_packets.empty())
        {
            m_pair.adaptor.Returner().Force();
        }
        const bool isLost = Draw(0, 2) == 0;
        m_pair.loseEvery = isLost ? 1 : 0;
        const uint32_t writes = m_pair.Return(m_now);
        m_lost += isLost ? writes : 0;
        m_unseen += isLost ? 0 : writes;
    }

    FunctionCase& m_self;            ///< Is told what is wrong.
    uint32_t m_seed;                 ///< Of what is drawn.
    std::mt19937 m_random;           ///< Draws.
    uint32_t m_blocks;               ///< Of the context.
    ContextPair m_pair;              ///< What is tested.
    std::vector<uint32_t> m_packets; ///< First slots of those that may leave.
    uint64_t m_written{0};           ///< Blocks.
    uint64_t m_lost{0};              ///< Updates.
    uint64_t m_merged{0};            ///< Updates that were read at one look.
    uint32_t m_unseen{0};            ///< Updates since the last look.
    TimePs m_now{0};                 ///< ps.
};

/// Nothing goes wrong in thousands of wraps, whatever is lost and merged.
void
TestDisturbedWraps(FunctionCase& self)
{
    const TestSeeds seeds(3);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        const uint32_t blocks[] = {1024, 100, 33};
        DisturbedContext(self, seed, blocks[seed % std::size(blocks)]).Run(1000);
    }
}

/// Threads and adaptor count through thousands of wraps, over PCIe that loses updates.
void
TestSendersWrap(FunctionCase& self, CreditWait wait, uint32_t threshold)
{
    PioSettings settings = SettingsOf(1024, 33);
    settings.threads = 2;
    settings.wait = wait;
    settings.context.threshold = threshold;
    settings.loseEvery = 3;
    PcieSettings far;
    far.latency = 20 * US; // so that credits are short
    PioBed bed(settings, far);
    std::mt19937 random(threshold);
    uint64_t written = 0;
    while (written < uint64_t{WRAP} * 2000)
    {
        const uint32_t blocks = 1 + static_cast<uint32_t>(random() % 33);
        bed.Post(bed.posted % 2, 1, blocks * BLOCK_BYTES - CONTROL_WORD_BYTES);
        written += blocks;
        if (bed.posted % 1000 == 0)
        {
            bed.Run();
        }
    }
    bed.Run();
    self.ExpectEqual(bed.done.size(), bed.posted, Text("messages, threshold ", threshold));
    self.ExpectEqual(bed.engine.Adaptor().Counts().halted, 0, "no overrun");
    self.Expect(bed.engine.Adaptor().Counts().lostReturns > 2000 &&
                    bed.engine.Host().Counts().stalls > 2000,
                Text("too easy, threshold ", threshold));
}

void
TestAllSendersWrap(FunctionCase& self)
{
    TestSendersWrap(self, WAIT_POLLS, 0);
    TestSendersWrap(self, WAIT_POLLS, 1024);
    TestSendersWrap(self, WAIT_SLEEPS, 341);
}

/// The suite.
class CounterWrapSuite : public FunctionSuite
{
  public:
    CounterWrapSuite()
        : FunctionSuite("fabric-counter-wrap", kUnit)
    {
        Add("PC-5 PC-11 the counter wraps thousands of times", TestWraps);
        Add("PC-5 PC-11 it does so while updates are lost and merged", TestDisturbedWraps);
        Add("PC-5 PC-7 it does so between threads and adaptor", TestAllSendersWrap);
    }
};

CounterWrapSuite g_counterWrapSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
