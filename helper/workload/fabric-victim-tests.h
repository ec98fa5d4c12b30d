/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_VICTIM_TESTS_H
#define FABRIC_VICTIM_TESTS_H

#include "fabric-contention-figures.h"
#include "fabric-exchange.h"
#include "fabric-helper.h"
#include "fabric-host-split.h"
#include "fabric-notices.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// A test of GPCNeT (Chunduri et al., SC'19): some arrangements of the ranks, each of which carries
/// out a plan a number of times.
struct VictimTest
{
    std::string name;                                         ///< `latency`, for example.
    ContentionQuantity quantity{ContentionQuantity::LATENCY}; ///< What it measures.
    uint64_t bytes{0}; ///< That a rank sends in an iteration, for bandwidths.
    std::vector<ExchangePlan> arrangements{}; ///< One after the other.
    uint32_t iterations{1};                   ///< Of each arrangement that are measured.

    /// @return what a time in ps means: s, or bit/s
    double ValueOf(TimePs time) const;
};

/// How much of each test is done.
struct VictimTestSettings
{
    uint32_t rings{4};               ///< Random rings; the allreduce has as many iterations.
    uint32_t iterations{20};         ///< Of latency and allreduce in each ring.
    uint32_t bandwidthIterations{2}; ///< Of bandwidth in each ring.
};

/**
 * @param ranks at least 2
 * @param draw for the rings
 * @return the three tests of GPCNeT's load test: `latency` of 8 bytes to both neighbours in random
 * rings; `bandwidth` of 8 x 128 KiB to each neighbour and a barrier; `allreduce` of 8 bytes
 */
std::vector<VictimTest> MakeVictimTests(uint32_t ranks,
                                        const VictimTestSettings& settings,
                                        const DrawFunction& draw);

/**
 * Hosts of a fabric that carry out tests one after the other, with native messages. All begin
 * an arrangement at one time, when they have notice that the one before is done. Its first
 * iteration is not measured.
 *
 * Each rank of MPI looks after its own hosts, and all end an arrangement at one time.
 */
class VictimTests
{
  public:
    /// Tag of the messages.
    static constexpr uint64_t TAG = 1;

    /**
     * @param hosts by rank; nobody else sends messages from or to them
     * @param tests of as many ranks
     * @param notices tell of the end of an arrangement; must stay
     */
    VictimTests(const FabricContainer& fabric,
                std::vector<uint32_t> hosts,
                std::vector<VictimTest> tests,
                Notices& notices);

    ~VictimTests();
    VictimTests(const VictimTests&) = delete;
    VictimTests& operator=(const VictimTests&) = delete;

    /**
     * Begins at the present, when the last time is done.
     *
     * @param then is called when all tests are done; may be empty
     */
    void Start(const std::function<void()>& then);

    /// @return messages of all tests, once
    uint64_t GetMessages() const;

    /// @return the tests
    const std::vector<VictimTest>& GetTests() const
    {
        return m_tests;
    }

    /// Adds what hosts of other ranks of MPI have measured; all call it once, when the simulation
    /// is over.
    void AddRanks();

    /**
     * @param time how often the tests were started before, from 0
     * @param test number of a test that was done then
     * @return its figures, in s or bit/s
     */
    NamedFigures GetFigures(std::size_t time, std::size_t test) const;

  private:
    /// What an iteration took, by rank and iteration, ps; 0 at hosts of other ranks of MPI.
    using Times = std::vector<std::vector<TimePs>>;

    /// Begins the next arrangement, or ends.
    void BeginNext();
    /// Sends messages. @param sends which
    void Send(const std::vector<Exchange::Send>& sends);
    /// A message has come. @param rank that has it
    void Receive(uint32_t rank, const Message& message);
    /// The hosts of a rank of MPI are done with the arrangement, which may be over by that.
    void EndPart();
    /// Keeps what the arrangement has measured.
    void KeepTimes();
    /// @return times of an iteration, one after the other
    std::vector<TimePs*> ListTimes();

    std::vector<Ptr<FabricNetDevice>> m_devices;          ///< By rank.
    std::vector<VictimTest> m_tests;                      ///< One after the other.
    Notices& m_notices;                                   ///< Of the end of an arrangement.
    uint32_t m_topic;                                     ///< Of these.
    std::vector<std::vector<std::vector<Times>>> m_times; ///< By start, test and arrangement.
    std::size_t m_test{0};                                ///< The present one.
    std::optional<Exchange> m_exchange;                   ///< The present arrangement.
    uint32_t m_hostsAtWork{0};                            ///< In it, of this rank of MPI.
    uint32_t m_partsAtWork{0};              ///< Ranks of MPI with hosts at work in it.
    std::map<LocationId, uint32_t> m_ranks; ///< By location.
    std::vector<uint64_t> m_sentBefore;     ///< Messages before it, by rank.
    std::function<void()> m_then;           ///< At the end.
};

} // namespace ns3::fabric

#endif // FABRIC_VICTIM_TESTS_H
