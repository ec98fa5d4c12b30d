/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-heap-bytes.h"
#include "fabric-huge-pages.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr std::size_t MIB = std::size_t{1} << 20;

/// Addresses from the first to before the second.
using Range = std::pair<std::uintptr_t, std::uintptr_t>;

/// @return memory of this process that is to be in huge pages, as the system sees it
std::vector<Range>
FindHugeRanges()
{
    std::vector<Range> ranges;
    std::ifstream maps("/proc/self/smaps");
    Range range;
    for (std::string line; std::getline(maps, line);)
    {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (const std::size_t dash = first.find('-'); dash != std::string::npos)
        {
            range = {std::stoull(first.substr(0, dash), nullptr, 16),
                     std::stoull(first.substr(dash + 1), nullptr, 16)};
        }
        if (first == "VmFlags:" && line.find(" hg") != std::string::npos)
        {
            ranges.push_back(range);
        }
    }
    return ranges;
}

std::size_t
CountHugeBytes()
{
    std::size_t bytes = 0;
    for (const Range& range : FindHugeRanges())
    {
        bytes += range.second - range.first;
    }
    return bytes;
}

/// @return whether the heap is one that can be made of huge pages here: no sanitizer's
bool
MayHaveHugePages()
{
    std::ifstream system("/sys/kernel/mm/transparent_hugepage/enabled");
    return HeapBytes() != 0 && system.good();
}

/// @return end of the heap
std::uintptr_t
EndOfHeap()
{
    return reinterpret_cast<std::uintptr_t>(sbrk(0));
}

/**
 * Takes pieces of the heap.
 *
 * @param bytes of those that count
 * @param from only pieces at this address or behind count
 * @return part of them that is in huge pages
 */
double
TakePieces(std::size_t bytes, std::uintptr_t from)
{
    constexpr std::size_t PIECE = 40 << 10;
    std::vector<std::unique_ptr<char[]>> before;
    std::vector<std::unique_ptr<char[]>> pieces;
    while (pieces.size() * PIECE < bytes)
    {
        auto piece = std::make_unique<char[]>(PIECE);
        const bool counts = reinterpret_cast<std::uintptr_t>(piece.get()) >= from;
        (counts ? pieces : before).push_back(std::move(piece));
    }
    const std::vector<Range> ranges = FindHugeRanges();
    std::size_t huge = 0;
    for (const auto& piece : pieces)
    {
        const auto at = reinterpret_cast<std::uintptr_t>(piece.get());
        for (const Range& range : ranges)
        {
            huge += range.first <= at && at < range.second;
        }
    }
    return static_cast<double>(huge) / static_cast<double>(pieces.size());
}

void
AttributeChooses(FunctionCase& self)
{
    const auto install = [](bool hugePages) {
        FatTreeHelper helper(16);
        helper.SetNetworkAttribute("HugePages", BooleanValue(hugePages));
        helper.Install();
        Simulator::Destroy();
        return CountHugeBytes();
    };
    const std::size_t before = CountHugeBytes();
    self.Expect(install(false) == before, "HugePages=false has asked for huge pages");
    // The helper asks for what 1024 hosts may need.
    self.Expect(!MayHaveHugePages() || install(true) >= before + 16 * MIB || before >= 16 * MIB,
                "HugePages=true has not asked for huge pages");
}

void
HeapGrowsByHugePages(FunctionCase& self)
{
    if (!MayHaveHugePages())
    {
        return;
    }
    constexpr double MOST = 0.75;
    const std::uintptr_t from = EndOfHeap(); // what was freed before is in small pages
    PreferHugePages(1024 * MIB); // begins with what is free at the end, which may be much
    const double part = TakePieces(80 * MIB, from);
    self.Expect(part > MOST, "part of the heap in huge pages: " + std::to_string(part));
    // More than the C library would keep.
    PreferHugePages(4096 * MIB);
    PreferHugePages(0);
    self.Expect(TakePieces(80 * MIB, from) > MOST, "the heap has given them back");
}

/// Memory in huge pages.
class HugePagesTestSuite : public FunctionSuite
{
  public:
    HugePagesTestSuite()
        : FunctionSuite("fabric-huge-pages", kUnit)
    {
        Add("DP-9 a network asks for huge pages by an attribute", AttributeChooses);
        Add("DP-9 the heap grows by huge pages", HeapGrowsByHugePages);
    }
};

HugePagesTestSuite g_hugePagesTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
