/* SPDX-License-Identifier: GPL-2.0-only */

// A program that only shows how programs begin and end; test/python/test_results.py runs it.

#include "fabric-csv-writer.h"
#include "fabric-program-run.h"
#include "fabric-program.h"

#include "ns3/simulator.h"

#include <optional>
#include <string>

using namespace ns3;
using namespace ns3::fabric;

int
main(int argc, char* argv[])
{
    return RunProgram([argc, argv] {
        uint64_t bytes = 1 << 20;
        std::string note;
        ProgramRun run("fabric-results-program.cc", "Sends nothing, in no time.");
        run.GetOptions().Add("bytes", "message size", bytes, SizeType(1, 1ULL << 30));
        run.GetOptions().Add("note", "text for the table of flows", note);
        run.Parse(argc, argv);
        Simulator::Stop(MicroSeconds(10));
        run.RunTo(MicroSeconds(10));
        RunTotals totals;
        totals.bytesOffered = bytes;
        totals.bytesDelivered = note == "lost" ? 0 : bytes;
        totals.simulatedTime = Simulator::Now().GetPicoSeconds();
        run.GetSummary().AddDistribution("fct", {}, {1.0 / 3e6, 10e-6}, "s");
        run.Finish(totals, [&note, bytes](RunDirectory& directory) {
            CsvWriter flows(directory.Open("flows.csv"), {"flow", "note", "bytes", "end"});
            flows.Row(0, note, bytes, 10e-6);
            flows.Row(1, "", 0, std::optional<double>());
        });
        return EXIT_DONE;
    });
}
