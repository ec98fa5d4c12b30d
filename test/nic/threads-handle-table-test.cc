/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-handle-table.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <string>
#include <thread>
#include <vector>

namespace ns3::fabric
{

namespace
{

void
TestHandles(FunctionCase& test)
{
    constexpr uint32_t MANY = 40'000; // more than the first directory has room for
    HandleTable<std::string> table;
    test.Expect(table.IsUnused() && table.UnderWay() == 0, "an empty table");
    std::vector<const std::string*> places;
    for (uint32_t i = 0; i < MANY; ++i)
    {
        test.Expect(table.Put(std::to_string(i)) == i, "new handles come in order");
        places.push_back(&table.At(i));
    }
    for (uint32_t i = 0; i < MANY; ++i)
    {
        if (&table.At(i) != places[i] || table.At(i) != std::to_string(i))
        {
            test.Expect(false, "value " + std::to_string(i) + " has moved or changed");
        }
    }
    test.Expect(table.UnderWay() == MANY, "all are kept");
    table.Free(5);
    test.Expect(table.Take(7) == "7" && table.At(7).empty(), "what is taken is no longer there");
    test.Expect(table.UnderWay() == MANY - 2, "two are free");
    test.Expect(table.Put("a") == 7 && table.Put("b") == 5, "free handles are used again");
}

void
TestHandlesOfThreads(FunctionCase& test)
{
    constexpr uint64_t OLD = 5'000;
    HandleTable<uint64_t> table;
    for (uint64_t i = 0; i < OLD; ++i)
    {
        table.Put(i);
    }
    uint64_t sum = 0;
    std::thread reader([&table, &sum] {
        for (uint32_t round = 0; round < 20; ++round)
        {
            for (uint32_t i = 0; i < OLD; ++i)
            {
                sum += table.At(i);
            }
        }
    });
    for (uint64_t i = 0; i < 100'000; ++i)
    {
        table.Put(0);
    }
    reader.join();
    test.Expect(sum == 20 * OLD * (OLD - 1) / 2, "a thread reads while another puts");
}

/// Tests of HandleTable.
class HandleTableTestSuite : public FunctionSuite
{
  public:
    HandleTableTestSuite()
        : FunctionSuite("fabric-handle-table", kUnit)
    {
        Add("DP-8 values by handle: they stay, and handles are used again", TestHandles);
        Add("DP-15 values by handle: one thread reads while another puts", TestHandlesOfThreads);
    }
};

HandleTableTestSuite g_handleTableTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
