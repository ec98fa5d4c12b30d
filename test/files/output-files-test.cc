/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fct-file.h"
#include "fabric-ideal-completion.h"
#include "fabric-pause-file.h"
#include "fabric-queue-length-file.h"
#include "support/fabric-function-case.h"

#include <sstream>

namespace ns3::fabric
{

namespace
{

/// Lines as HPCC writes them, by hand.
void
TestFctFile(FunctionCase& test)
{
    test.ExpectEqual(FctFile::AddressText(0), "0b000001", "node 0");
    test.ExpectEqual(FctFile::AddressText(1), "0b000101", "node 1");
    test.ExpectEqual(FctFile::AddressText(255), "0b00ff01", "node 255");
    test.ExpectEqual(FctFile::AddressText(256), "0b010001", "node 256");
    test.ExpectEqual(FctFile::AddressText(65535), "0bffff01", "the last node with an address");
    const FctFile::Row row{3, 256, 10001, 100, 5000, 2'000'000'000'499, 1'500, 12'499};
    std::ostringstream addresses;
    FctFile(addresses, 65536).Write(row);
    test.ExpectEqual(addresses.str(), "0b000301 0b010001 10001 100 5000 2000000000 2 12\n", "ns");
    std::ostringstream numbers;
    FctFile(numbers, 65537).Write(row);
    test.ExpectEqual(numbers.str(), "3 256 10001 100 5000 2000000000 2 12\n", "too many nodes");
}

/**
 * Three links of 1 us: 100, 200 and 100 Gb/s. The round trip is 6 us and 1000 bytes on each: 80, 40
 * and 80 ns. 2500 bytes are 3 frames with 48 bytes each, 2644 bytes at 100 Gb/s: 211.52 ns.
 */
void
TestStandalone(FunctionCase& test)
{
    const std::vector<PathHop> path{{1'000'000, 100'000'000'000},
                                    {1'000'000, 200'000'000'000},
                                    {1'000'000, 100'000'000'000}};
    test.ExpectEqual(HpccIdeal(path, 2500, 1000, 48), 6'200'000 + 211'520, "by hand");
    // One link of 25 Gb/s and 500 ns, 4096 bytes of payload: 1 us + 1310.72 ns + 1 byte in a frame.
    test.ExpectEqual(HpccIdeal({{500'000, 25'000'000'000}}, 1, 4096, 24),
                     1'000'000 + 1'310'720 + 8'000,
                     "a byte");
}

/// Pauses come in the order of times, up to the end of the run.
void
TestPauseFile(FunctionCase& test)
{
    PauseFile file;
    file.Add({5'000'999, 7, true, 2, false});
    file.Add({1'000, 3, false, 0, true});
    file.Add({5'000'999, 7, true, 0, true});
    file.Add({9'000, 3, false, 0, false});
    file.Add({6'000'000, 3, false, 0, true});
    std::ostringstream os;
    file.Write(os, 6'000'000);
    test.ExpectEqual(os.str(), "1 3 0 1 1\n9 3 0 1 0\n5000 7 1 1 1\n5000 7 1 3 0\n", "written");
}

/// One line for each sample, then its ports.
void
TestQueueLengthFile(FunctionCase& test)
{
    std::ostringstream os;
    QueueLengthFile file(os);
    file.Write(0, 8, 0, 10);
    file.Write(0, 8, 3, 20);
    file.Write(1'000'000, 9, 1, 5'000'000'000);
    test.ExpectEqual(os.str(), "time 0\n8 1 10\n8 4 20\ntime 1000\n9 2 5000000000\n", "written");
}

/// Suite of files that are written.
class OutputFilesSuite : public FunctionSuite
{
  public:
    OutputFilesSuite()
        : FunctionSuite("fabric-output-files", kUnit)
    {
        Add("FF-4 fct.txt", TestFctFile);
        Add("FF-4 the standalone time by hand", TestStandalone);
        Add("FF-5 pfc.txt", TestPauseFile);
        Add("FF-5 queue lengths", TestQueueLengthFile);
    }
};

OutputFilesSuite g_outputFilesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
