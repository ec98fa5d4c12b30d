/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network-scenario.h"
#include "fabric-random-network.h"
#include "support/fabric-delivery-journal.h"
#include "support/fabric-test-seeds.h"

#include "ns3/test.h"

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/**
 * Runs a random fabric with messages of which each has it for itself.
 *
 * @param crossbar of the switches
 * @return what was delivered when
 */
std::string
RunLoneMessages(FunctionCase& test, uint32_t seed, const std::string& crossbar)
{
    std::minstd_rand random(seed);
    const auto draw = [&random](std::initializer_list<uint64_t> values) {
        return *(values.begin() + random() % values.size());
    };
    Simulation simulation;
    FatTreeConfig config;
    config.levels = static_cast<uint32_t>(draw({2, 3}));
    config.radix = static_cast<uint32_t>(draw({4, 6}));
    config.hosts = 6;
    FatTreeHelper helper(config);
    helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(draw({2, 30'000, 777'777}))));
    helper.SetChannelAttribute("DataRate",
                               DataRateValue(DataRate(draw({100, 200, 400}) * 1'000'000'000)));
    helper.SetHostChannelAttribute("DataRate",
                                   DataRateValue(DataRate(draw({25, 200, 400}) * 1'000'000'000)));
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(draw({0, 1})));
    helper.SetSwitchAttribute("Forwarding",
                              StringValue(draw({0, 1}) ? "cut-through" : "store-and-forward"));
    helper.SetSwitchAttribute("Latency", TimeValue(PicoSeconds(draw({50'000, 350'000}))));
    helper.SetSwitchAttribute("Crossbar", StringValue(crossbar));
    const FabricContainer fabric = helper.Install();
    std::ostringstream journal;
    JournalDeliveries(fabric.network, journal);
    for (uint32_t i = 0; i < 12; ++i)
    {
        const uint32_t from = random() % config.hosts;
        const uint32_t to = (from + 1 + random() % (config.hosts - 1)) % config.hosts;
        const uint64_t bytes = draw({0, 1, 64, 4'096, 9'000, 100'000});
        Simulator::Schedule(MicroSeconds(100 * i),
                            [=] { fabric.GetDevice(from)->SendMessage(LocationOf(to), bytes, 0); });
    }
    Simulator::Run();
    fabric.network->CheckInvariants();
    test.ExpectEqual(fabric.network->GetTotals().inFlight, 0, "nothing is left");
    return journal.str();
}

/// What has a fabric for itself takes the same time with both crossbars.
void
TestLoneMessages(FunctionCase& test)
{
    const TestSeeds seeds(40);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        test.ExpectSame(RunLoneMessages(test, seed, "tiled"),
                        RunLoneMessages(test, seed, "ideal"),
                        "seed " + std::to_string(seed));
    }
}

/// @return what one switch with a setting says when it is installed, nothing if it takes it
std::string
Refusal(const std::vector<std::pair<std::string, std::string>>& attributes)
{
    Simulation simulation;
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 4;
    config.hosts = 2;
    FatTreeHelper helper(config);
    for (const auto& [name, value] : attributes)
    {
        helper.SetSwitchAttribute(name, StringValue(value));
    }
    try
    {
        helper.Install();
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return "";
}

/// Settings that have no effect or can't go are refused in a sentence.
void
TestTileRefusals(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> tiles{
        {"CrossbarRows", "2"},
        {"CrossbarTilePorts", "4"},
        {"CrossbarSpeedup", "2"},
        {"CrossbarTransit", "10ns"},
        {"CrossbarTileBuffer", "5000"},
        {"CrossbarOutputBuffer", "10000"},
        {"AgeQueuePlaces", "100"},
        {"AgeQueueFixedPlaces", "1"},
        {"AgeQueueSharedFraction", "0.25"},
    };
    for (const auto& attribute : tiles)
    {
        const std::string said = Refusal({attribute});
        test.Expect(said.find(attribute.first + " is of a crossbar of tiles") != std::string::npos,
                    attribute.first + ": " + said);
        test.ExpectEqual(Refusal({{"Crossbar", "tiled"}, attribute}), "", attribute.first);
    }
    const std::string latency = Refusal({{"Crossbar", "tiled"}, {"Latency", "10ns"}});
    test.Expect(latency.find("allowed is at least 50000 ps") != std::string::npos, latency);
    const std::string places = Refusal({{"Crossbar", "tiled"}, {"AgeQueuePlaces", "15"}});
    test.Expect(places.find("allowed is at least 16") != std::string::npos, places);
}

/// Fails unless all room of receivers has come back to who sends to them.
void
ExpectAllCredits(FunctionCase& test, const FabricContainer& fabric, const std::string& name)
{
    for (const Ptr<FabricSwitch>& node : fabric.network->GetSwitches())
    {
        const SwitchChip& chip = node->GetChip();
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            const LinkCredits& credits = chip.Output(port).Credits();
            for (uint32_t vc = 0; chip.Output(port).Peer() && vc < VIRTUAL_CHANNELS; ++vc)
            {
                test.ExpectEqual(credits.Used(vc),
                                 credits.OnTheWay(vc),
                                 name + ": credits have come back");
            }
        }
    }
}

/**
 * Random fabrics with tiles do the same with and without look-ahead, and nothing is left or lost
 * without a word.
 *
 * @param add something else that they have
 */
void
ExpectSameWithTiles(FunctionCase& test, const std::function<void(RandomRun&)>& add)
{
    const TestSeeds seeds(150);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        run.tiles = true;
        add(run);
        if (!run.linkPauses)
        {
            run.ended = [&test, seed](const FabricContainer& fabric) {
                ExpectAllCredits(test, fabric, "seed " + std::to_string(seed));
            };
        }
        const std::string reference = RunRandom(test, run);
        run.lookahead = false;
        test.ExpectSame(RunRandom(test, run), reference, "seed " + std::to_string(seed));
    }
}

/// What was granted toward a link that fails is lost, and its credits come back.
void
TestTilesWithOutages(FunctionCase& test)
{
    ExpectSameWithTiles(test, [](RandomRun& run) { run.outages = true; });
}

/// Pauses hold grants back; what still comes has room.
void
TestTilesWithPauses(FunctionCase& test)
{
    ExpectSameWithTiles(test, [](RandomRun& run) { run.linkPauses = true; });
}

/// Suite of tiled crossbars in networks.
class TiledCrossbarNetTestSuite : public FunctionSuite
{
  public:
    TiledCrossbarNetTestSuite()
        : FunctionSuite("fabric-tiled-crossbar-net", kUnit)
    {
        Add("SW-4 a message alone takes the same time with both crossbars", TestLoneMessages);
        Add("SW-3 WL-8 links fail that frames were granted for", TestTilesWithOutages);
        Add("SW-3 WL-5 pauses hold grants back", TestTilesWithPauses);
        Add("SW-4 settings without effect are refused", TestTileRefusals);
    }
};

TiledCrossbarNetTestSuite g_tiledCrossbarNetTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
