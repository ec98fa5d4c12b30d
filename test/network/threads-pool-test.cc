/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-test-compat.h"
#include "fabric-worker-pool.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ns3::fabric
{

namespace
{

void
TestRun(FunctionCase& test)
{
    for (const uint32_t workers : {1, 2, 5})
    {
        WorkerPool pool(workers);
        std::vector<uint32_t> calls(workers, 0); // not atomic: Run() has to order the writes
        std::vector<std::thread::id> threads(workers);
        for (uint32_t round = 1; round <= 300; ++round)
        {
            pool.Run([&](uint32_t worker) {
                ++calls[worker];
                threads[worker] = std::this_thread::get_id();
            });
            test.Expect(calls == std::vector<uint32_t>(workers, round), "each works once a round");
            test.Expect(threads[0] == std::this_thread::get_id(), "worker 0 is who calls");
        }
        for (uint32_t worker = 1; worker < workers; ++worker)
        {
            test.Expect(threads[worker] != threads[0], "the others have threads of their own");
        }
    }
}

void
TestExceptions(FunctionCase& test)
{
    WorkerPool pool(4);
    for (const uint32_t first : {0, 1, 3})
    {
        std::string caught;
        std::vector<uint32_t> calls(4, 0);
        try
        {
            pool.Run([&](uint32_t worker) {
                ++calls[worker];
                if (worker >= first)
                {
                    throw std::runtime_error("worker " + std::to_string(worker));
                }
            });
        }
        catch (const std::runtime_error& error)
        {
            caught = error.what();
        }
        test.ExpectSame(caught, "worker " + std::to_string(first), "exception of the first");
        test.Expect(calls == std::vector<uint32_t>(4, 1), "all have worked nevertheless");
        uint32_t sum = 0;
        pool.Run([&](uint32_t worker) {
            if (worker == 0)
            {
                ++sum;
            }
        });
        test.Expect(sum == 1, "the pool works on, and forgets the exceptions");
    }
}

/// Tests of WorkerPool.
class WorkerPoolTestSuite : public TestSuite
{
  public:
    WorkerPoolTestSuite()
        : TestSuite("fabric-worker-pool", kUnit)
    {
        AddTestCase(new FunctionCase("DP-15 each worker works, and all are waited for", TestRun),
                    kQuick);
        AddTestCase(new FunctionCase("DP-15 exceptions reach the calling thread", TestExceptions),
                    kQuick);
    }
};

WorkerPoolTestSuite g_workerPoolTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
