/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pcie-link.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What goes over the link at once in a test of bandwidth.
enum class Pattern
{
    WRITE, ///< The NIC writes.
    READ,  ///< The NIC reads.
    BOTH,  ///< As much is written as read.
};

/// @return data per direction in Gb/s when there is always more to do
double
EffectiveGbps(Pattern pattern, uint32_t bytes)
{
    constexpr uint32_t TIMES = 4000;
    PcieLink link{PcieSettings()};
    PcieStream engine;
    TimePs written = 0;
    TimePs read = 0;
    for (uint32_t i = 0; i < TIMES; ++i)
    {
        // The two keep step, as in a NIC that forwards.
        const TimePs at = pattern == Pattern::BOTH ? engine.lastEnd : 0;
        read = pattern == Pattern::WRITE ? 0 : std::max(read, link.Read(bytes, at));
        written = pattern == Pattern::READ ? 0 : link.Write(PcieSide::NIC, engine, bytes, at);
    }
    const PcieSettings& settings = link.Settings();
    const TimePs start = pattern == Pattern::WRITE
                             ? settings.latency
                             : 2 * settings.latency + settings.memoryLatency; // fills the pipe
    const TimePs end = pattern == Pattern::BOTH
                           ? written + settings.latency + settings.memoryLatency
                           : std::max(written, read);
    return 8e3 * TIMES * bytes / static_cast<double>(end - start);
}

/// The published table of effective bandwidth (pcie-model of Neugebauer et al.; 95-facts.md).
void
TestBandwidth(FunctionCase& self)
{
    /// A row of it, Gb/s.
    struct Row
    {
        uint32_t bytes; ///< Of a transfer.
        double write;   ///< Only writes.
        double read;    ///< Only reads.
        double both;    ///< Both, each.
    };

    for (const Row& row : {Row{64, 165.4, 173.3, 129.9},
                           Row{128, 191.5, 196.7, 165.4},
                           Row{256, 207.9, 210.9, 191.5},
                           Row{512, 207.9, 210.9, 199.4},
                           Row{4096, 207.9, 210.9, 199.4}})
    {
        const auto check = [&](const char* what, Pattern pattern, double expected) {
            const double got = EffectiveGbps(pattern, row.bytes);
            self.Expect(std::abs(got / expected - 1) < 0.02,
                        std::to_string(row.bytes) + " bytes, " + what + ": " + std::to_string(got) +
                            " Gb/s and not " + std::to_string(expected));
        };
        check("write", Pattern::WRITE, row.write);
        check("read", Pattern::READ, row.read);
        check("both", Pattern::BOTH, row.both);
    }
}

/// A DMA read of 64 bytes takes what was measured, and combined stores are one write each.
void
TestLatency(FunctionCase& self)
{
    PcieSettings settings;
    settings.generation = 3;
    settings.lanes = 8;
    PcieLink link(settings);
    const TimePs read = link.Read(64, 0);
    self.Expect(std::abs(read - 547 * NS) < 3 * NS, "a read takes " + std::to_string(read) + " ps");

    PcieStream core;
    link.Store(core, 128, 0);
    self.Expect(link.Counts(PcieSide::HOST).tlps == 1 + 2, "two lines are two writes");
    self.Expect(link.Counts(PcieSide::HOST).bytes == 20 + 64 + 2 * 24 + 128, "their bytes");
    settings.combinesWrites = false;
    PcieLink single(settings);
    single.Store(core, 128, 0);
    self.Expect(single.Counts(PcieSide::HOST).tlps == 16, "each store is a write of its own");
    self.Expect(single.Counts(PcieSide::HOST).bytes == 16 * 32, "with 24 bytes around 8");
}

/// What a write takes is given back to nobody: what comes earlier fills the gap before it.
void
TestGaps(FunctionCase& self)
{
    PcieDirection direction;
    self.Expect(direction.Book(100, 10) == 100 && direction.Book(0, 40) == 0, "both are free");
    self.Expect(direction.Book(30, 60) == 40, "the gap between is just large enough");
    self.Expect(direction.Book(0, 1) == 110, "nothing is left");
    direction.Forget(200);
    self.Expect(direction.Book(205, 5) == 205, "a new beginning");
}

/// Random writes and reads: streams keep their order, nothing overlaps, no more reads are under way
/// than allowed, and no byte is lost.
void
TestProperties(FunctionCase& self, uint32_t seed)
{
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    PcieSettings settings;
    settings.generation = draw(1, 5);
    settings.lanes = 1U << draw(0, 4);
    settings.mps = 128U << draw(0, 5);
    settings.mrrs = 128U << draw(0, 5);
    settings.outstandingReads = draw(1, 8);
    PcieLink link(settings);
    std::vector<PcieStream> streams(draw(1, 4));
    std::vector<TimePs> lastThere(streams.size(), 0);
    std::vector<std::pair<TimePs, TimePs>> reads; // of one request each
    uint64_t fromHost = 0;
    uint64_t fromNic = 0;
    TimePs now = 0;
    const TimePs alone = 2 * settings.latency + settings.memoryLatency;
    for (uint32_t i = 0; i < 200; ++i)
    {
        now += draw(0, 100'000);
        link.Advance(now);
        const uint32_t which = draw(0, static_cast<uint32_t>(streams.size()));
        const uint32_t bytes = draw(1, 3000);
        if (which == streams.size())
        {
            const uint32_t once = std::min(bytes, settings.mrrs);
            reads.emplace_back(now, link.Read(once, now));
            self.Expect(reads.back().second > now + alone, "a read takes a round trip at least");
            fromHost += once;
            continue;
        }
        const PcieSide from = which % 2 == 0 ? PcieSide::HOST : PcieSide::NIC;
        const TimePs there = link.Write(from, streams[which], bytes, now + draw(0, 50'000));
        self.Expect(there > lastThere[which],
                    "a write has passed another, seed " + std::to_string(seed));
        lastThere[which] = there;
        (from == PcieSide::HOST ? fromHost : fromNic) += bytes;
    }
    self.Expect(link.Counts(PcieSide::HOST).payload == fromHost &&
                    link.Counts(PcieSide::NIC).payload == fromNic,
                "bytes are lost, seed " + std::to_string(seed));
    // Of the reads so many may be done in a round trip as may be outstanding.
    for (std::size_t i = settings.outstandingReads; i < reads.size(); ++i)
    {
        std::vector<TimePs> done;
        for (std::size_t j = 0; j <= i; ++j)
        {
            done.push_back(reads[j].second);
        }
        std::sort(done.begin(), done.end());
        self.Expect(done.back() - done[i - settings.outstandingReads] >= alone,
                    "too many reads are outstanding, seed " + std::to_string(seed));
    }
}

/// As above.
void
TestManySeeds(FunctionCase& self)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        TestProperties(self, seed);
    }
}

/// What PCIe does not know is refused.
void
TestRefusals(FunctionCase& self)
{
    const auto refuses = [&self](auto change, const std::string& sentence) {
        PcieSettings settings;
        change(settings);
        const std::string said = Refusal([&settings] { PcieLink link(settings); });
        self.Expect(said == sentence, "says: " + said);
    };
    refuses([](PcieSettings& s) { s.generation = 6; },
            "PCIe: the generation is 6; allowed is 1 to 5");
    refuses([](PcieSettings& s) { s.lanes = 3; },
            "PCIe: the number of lanes is 3; allowed is a power of two from 1 to 16");
    refuses([](PcieSettings& s) { s.mps = 64; },
            "PCIe: the maximum payload size (MPS) is 64; allowed is a power of two from 128 to "
            "4096");
    refuses([](PcieSettings& s) { s.mrrs = 8192; },
            "PCIe: the maximum read request size (MRRS) is 8192; allowed is a power of two from "
            "128 to 4096");
    refuses([](PcieSettings& s) { s.outstandingReads = 0; },
            "PCIe: the limit of outstanding reads is 0; allowed is at least 1");
    refuses([](PcieSettings& s) { s.tlpShare = 0; },
            "PCIe: the share of TLPs is 0.000000; allowed is 0.001 to 1");
    refuses([](PcieSettings& s) { s.latency = LONGEST_STEP + 1; },
            "PCIe: the latency is 10000000000001 ps; allowed is 0 to 10000000000000");
    refuses([](PcieSettings& s) { s.memoryLatency = -1; },
            "PCIe: the latency of the host's memory is -1 ps; allowed is 0 to 10000000000000");
}

/// The suite.
class PcieSuite : public FunctionSuite
{
  public:
    PcieSuite()
        : FunctionSuite("fabric-pcie", kUnit)
    {
        Add("NQ-1 effective bandwidth", TestBandwidth);
        Add("NQ-1 latency and write combining", TestLatency);
        Add("NQ-1 gaps on the link", TestGaps);
        Add("NQ-1 order, limit of reads and bytes, many seeds", TestManySeeds);
        Add("NQ-1 links that PCIe does not know", TestRefusals);
    }
};

PcieSuite g_pcieSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
