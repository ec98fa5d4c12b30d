/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bed-state.h"
#include "fabric-function-case.h"
#include "fabric-graph-routing.h"
#include "fabric-hyperx.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-torus.h"

#include "ns3/test.h"

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t GRID_RATE = 200'000'000'000; ///< Of all links, bit/s.
constexpr uint32_t GRID_BYTES = 4096;           ///< Of messages at a load: one frame.

/// Ten switches with a host each, of which each is linked to three and two links from all others.
class PetersenGraph
{
  public:
    explicit PetersenGraph(GraphMode mode)
    {
        m_plan.switches.resize(10, {NO_GROUP, 0, Tier::EDGE});
        for (uint32_t i = 0; i < 5; ++i)
        {
            Link(i, (i + 1) % 5);
            Link(i, 5 + i);
            Link(5 + i, 5 + (i + 2) % 5);
        }
        for (uint32_t sw = 0; sw < 10; ++sw)
        {
            m_plan.hosts.push_back({sw, m_plan.switches[sw].ports++});
        }
        m_routing = MakeGraphRouting(m_plan, mode);
    }

    const TopologyPlan& GetPlan() const
    {
        return m_plan;
    }

    const std::vector<Routing>& GetRouting() const
    {
        return m_routing;
    }

  private:
    void Link(uint32_t a, uint32_t b)
    {
        std::vector<SwitchPlan>& switches = m_plan.switches;
        m_plan.links.push_back({a, b, switches[a].ports++, switches[b].ports++, LinkClass::FABRIC});
    }

    TopologyPlan m_plan;
    std::vector<Routing> m_routing;
};

/// A torus, HyperX or graph whose switches can be changed before Build().
struct GridBed
{
    TopologyPlan plan;            ///< What is built.
    std::vector<Routing> routing; ///< Of its switches.
    SwitchConfig config;          ///< Of its switches.

    /// @param topology with GetPlan() and GetRouting()
    template <typename Topology>
    explicit GridBed(const Topology& topology)
        : plan(topology.GetPlan()),
          routing(topology.GetRouting())
    {
        config.buffer.shares.virtualChannels = VIRTUAL_CHANNELS;
    }

    uint32_t Hosts() const
    {
        return static_cast<uint32_t>(plan.hosts.size());
    }

    /// Class 0 is sprayed: each frame chooses for itself.
    void Spray()
    {
        config.flowChannels.noFlowClasses = 1;
        config.flowChannels.unorderedClasses = 1;
    }

    /// @param lookahead whether switches run ahead
    TestBed Build(bool lookahead = true) const
    {
        const auto linkOf = [](std::size_t) {
            return std::pair(LinkRate(GRID_RATE), TimePs{100'000});
        };
        return TestBed(plan, routing, config, NicConfig{}, linkOf, lookahead);
    }
};

/// @param check is called with small grids of all kinds, and their names
void
ForAllGrids(const std::function<void(GridBed&, const std::string&)>& check)
{
    for (const auto mode : {TORUS_DIMENSION_ORDER, TORUS_MINIMAL, TORUS_ADAPTIVE})
    {
        GridBed torus(Torus({{5, 2, 3}, 1, mode}));
        check(torus, "torus, mode " + std::to_string(mode));
    }
    for (const auto mode :
         {HYPERX_DIMENSION_ORDER, HYPERX_BY_DIMENSION, HYPERX_MINIMAL, HYPERX_ADAPTIVE})
    {
        GridBed hyperX(HyperX({{4, 3, 2}, 1, {1, 1, 2}, mode}));
        check(hyperX, "HyperX, mode " + std::to_string(mode));
    }
    for (const auto mode : {GRAPH_MINIMAL, GRAPH_ADAPTIVE})
    {
        GridBed graph{PetersenGraph(mode)};
        check(graph, "graph, mode " + std::to_string(mode));
    }
}

/// Any hosts send to any others, more than once to the same.
void
SendAnywhere(TestBed& bed, uint32_t hosts, uint32_t seed)
{
    std::minstd_rand random(seed);
    for (uint32_t n = 0; n < 300; ++n)
    {
        const auto src = static_cast<uint32_t>(random() % hosts);
        const auto dst = static_cast<uint32_t>((src + 1 + random() % (hosts - 1)) % hosts);
        const auto at = static_cast<TimePs>(random() % 3'000'000);
        bed.Send(src, n % 3 == 0 ? dst : (src + 2) % hosts, 1 + random() % 30'000, 0, at);
    }
}

/// All modes deliver all frames, the same with look-ahead and without, and leave nothing; flows in
/// their order while links are up. In half of the runs they fail and are repaired meanwhile.
void
TestGridModes(FunctionCase& test)
{
    const TestSeeds seeds(4);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ForAllGrids([&](GridBed& grid, const std::string& kind) {
            const std::string name = "seed " + std::to_string(seed) + ", " + kind;
            if (seed % 2 == 0)
            {
                grid.Spray();
            }
            TestBed bed = grid.Build();
            TestBed slow = grid.Build(false);
            const bool fails = seed % 4 > 1;
            for (TestBed* one : {&bed, &slow})
            {
                std::minstd_rand random(seed);
                for (TimePs at = 500'000; fails && at < 5'000'000; at += 500'000)
                {
                    const auto link = static_cast<std::size_t>(random() % grid.plan.links.size());
                    one->FailLink(link, at, at + 400'000, 50'000);
                }
                SendAnywhere(*one, grid.Hosts(), seed);
                one->RunToEnd();
                one->Check();
            }
            const std::size_t arrived = bed.Deliveries().size();
            test.Expect(fails ? arrived > 200 : arrived == 300,
                        name + ": " + std::to_string(arrived) + " arrive");
            test.Expect(bed.IsEmpty(), name + ": nothing is left");
            test.ExpectEqual(Difference(StateOf(bed), StateOf(slow)), std::string(), name);
            std::map<std::pair<LocationId, LocationId>, uint32_t> last;
            for (const TestBed::Delivery& delivery : bed.RawDeliveries())
            {
                uint32_t& before = last[{delivery.src, delivery.dst}];
                test.Expect(fails || seed % 2 == 0 || delivery.sequence >= before,
                            name + ": order");
                before = delivery.sequence;
            }
        });
    }
}

/// A link that failed before the first frame is gone round in all modes: nothing is lost.
void
TestGridAround(FunctionCase& test)
{
    const TestSeeds seeds(2);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ForAllGrids([&](GridBed& grid, const std::string& kind) {
            std::minstd_rand random(seed);
            const auto failed = static_cast<std::size_t>(random() % grid.plan.links.size());
            TestBed bed = grid.Build();
            bed.FailLink(failed, 1'000, NEVER, 1'000);
            const uint32_t hosts = grid.Hosts();
            for (uint32_t host = 0; host < hosts; ++host)
            {
                for (uint32_t n = 1; n < hosts; ++n)
                {
                    bed.Send(host, (host + n) % hosts, 500, 0, 10'000'000);
                }
            }
            bed.RunToEnd();
            bed.Check();
            test.ExpectEqual(bed.Deliveries().size(),
                             std::size_t{hosts} * (hosts - 1),
                             "seed " + std::to_string(seed) + ", " + kind + ", link " +
                                 std::to_string(failed) + ": all arrive");
        });
    }
}

/// To whom a host sends: its number, and random numbers.
using ReceiverOf = std::function<uint32_t(uint32_t, std::minstd_rand&)>;

/// @return what hosts get of what they are sent at a load, each as parts of the rate of a host's
/// link; what comes in the first part of the run does not count
double
AcceptedLoad(const GridBed& grid, double load, const ReceiverOf& receiverOf)
{
    constexpr TimePs BEGIN = 20'000'000;
    constexpr TimePs END = 50'000'000;
    TestBed bed = grid.Build();
    std::minstd_rand random(11);
    const auto gap =
        static_cast<TimePs>(GRID_BYTES * 8e12 / (static_cast<double>(GRID_RATE) * load));
    for (uint32_t host = 0; host < grid.Hosts(); ++host)
    {
        for (auto at = static_cast<TimePs>(random() % gap); at < END; at += gap)
        {
            bed.Send(host, receiverOf(host, random), GRID_BYTES, 0, at);
        }
    }
    bed.RunUntil(END);
    uint64_t bytes = 0;
    for (const TestBed::Delivery& delivery : bed.RawDeliveries())
    {
        bytes += delivery.at >= BEGIN ? delivery.bytes : 0;
    }
    return static_cast<double>(bytes) * 8e12 /
           (static_cast<double>(END - BEGIN) * static_cast<double>(GRID_RATE) * grid.Hosts());
}

/// @return any other host
ReceiverOf
Uniform(uint32_t hosts)
{
    return [hosts](uint32_t host, std::minstd_rand& random) {
        return static_cast<uint32_t>((host + 1 + random() % (hosts - 1)) % hosts);
    };
}

/// @param bound what theory allows at most @param part of it that is to be reached
void
ExpectSaturation(FunctionCase& test,
                 double accepted,
                 double bound,
                 double part,
                 const std::string& what)
{
    test.Expect(accepted <= bound * 1.02 && accepted >= bound * part,
                what + ": " + std::to_string(accepted) + ", theory " + std::to_string(bound));
}

/// Uniform traffic fills the bisection of a k-ary n-cube: k / 8 of each host's load is on each
/// channel, times hosts of a switch (Dally and Towles, "Principles and practices of interconnection
/// networks", 2004).
void
TestTorusUniform(FunctionCase& test)
{
    for (const auto mode : {TORUS_DIMENSION_ORDER, TORUS_MINIMAL, TORUS_ADAPTIVE})
    {
        GridBed grid(Torus({{8, 4}, 2, mode}));
        // 8 in the longer dimension; nobody sends to itself.
        const double bound = 8.0 / (8 * 2) * 63 / 64;
        const double accepted = AcceptedLoad(grid, 0.48, Uniform(64));
        ExpectSaturation(test, accepted, bound, 0.9, "uniform, mode " + std::to_string(mode));
    }
}

/// Tornado: each host of a ring of 8 sends to the third further on, so by shortest paths each link
/// one way carries what three hosts send, and the other way nothing. The best is to send 3 / 8 of
/// it the other way: 5 / 8 x 3 = 3 / 8 x 5 = 15 / 8 of a host's load on each link.
void
TestTorusTornado(FunctionCase& test)
{
    const ReceiverOf tornado = [](uint32_t host, auto&) { return (host + 3) % 8; };
    GridBed byOrder(Torus({{8}, 1, TORUS_DIMENSION_ORDER}));
    ExpectSaturation(test, AcceptedLoad(byOrder, 0.5, tornado), 1.0 / 3, 0.95, "dimension order");
    GridBed adaptive(Torus({{8}, 1, TORUS_ADAPTIVE}));
    adaptive.Spray();
    ExpectSaturation(test, AcceptedLoad(adaptive, 0.6, tornado), 8.0 / 15, 0.85, "adaptive");
}

/// Uniform traffic in a HyperX: the K links to another switch of a line of S carry what the T hosts
/// of a switch send to 1 / S of all, so K S / T of a host's rate is possible (Ahn et al., SC'09).
void
TestHyperXUniform(FunctionCase& test)
{
    for (const auto mode :
         {HYPERX_DIMENSION_ORDER, HYPERX_BY_DIMENSION, HYPERX_MINIMAL, HYPERX_ADAPTIVE})
    {
        GridBed grid(HyperX({{4, 4}, 16, {2}, mode}));
        const double bound = 2 * 4.0 / 16 * 255 / 256;
        const double accepted = AcceptedLoad(grid, 0.48, Uniform(256));
        ExpectSaturation(test, accepted, bound, 0.9, "uniform, mode " + std::to_string(mode));
    }
}

/// All hosts of a switch send to those of the next in its line, to which K links lead. By shortest
/// paths K / T is carried; a detour by each of the S - 2 others uses two links, of which each is
/// shared by two such flows, so (K + K (S - 2) / 2) / T with them.
void
TestHyperXAdversarial(FunctionCase& test)
{
    for (const auto mode :
         {HYPERX_DIMENSION_ORDER, HYPERX_BY_DIMENSION, HYPERX_MINIMAL, HYPERX_ADAPTIVE})
    {
        GridBed grid(HyperX({{6, 3}, 8, {1}, mode}));
        const auto next = [](uint32_t host, std::minstd_rand& random) {
            const uint32_t sw = host / 8;
            return static_cast<uint32_t>((sw / 6 * 6 + (sw + 1) % 6) * 8 + random() % 8);
        };
        const bool detours = mode == HYPERX_BY_DIMENSION || mode == HYPERX_ADAPTIVE;
        const double bound = detours ? 3.0 / 8 : 1.0 / 8;
        const double accepted = AcceptedLoad(grid, 0.36, next);
        ExpectSaturation(test, accepted, bound, 0.9, "adversarial, mode " + std::to_string(mode));
    }
}

/// Suite of traffic through grids.
class GridTrafficSuite : public FunctionSuite
{
  public:
    GridTrafficSuite()
        : FunctionSuite("fabric-grid-traffic", kUnit)
    {
        Add("FC-13 DP-5 grids deliver all, with and without look-ahead", TestGridModes);
        Add("WL-8 failed links of grids", TestGridAround);
        Add("FC-13 saturation of a torus, uniform traffic", TestTorusUniform);
        Add("FC-13 saturation of a torus, tornado", TestTorusTornado);
        Add("FC-13 saturation of a HyperX, uniform traffic", TestHyperXUniform);
        Add("FC-13 saturation of a HyperX, adversarial traffic", TestHyperXAdversarial);
    }
};

GridTrafficSuite g_gridTrafficSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
