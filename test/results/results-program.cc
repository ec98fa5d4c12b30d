/* SPDX-License-Identifier: GPL-2.0-only */

// A program that only shows how programs begin and end; test/python/test_results.py runs it.

#include "fabric-csv-writer.h"
#include "fabric-program-options.h"
#include "fabric-program.h"
#include "fabric-progress-reporter.h"
#include "fabric-run-results.h"

#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;
using namespace ns3::fabric;

int
main(int argc, char* argv[])
{
    return RunProgram([argc, argv] {
        uint64_t bytes = 1 << 20;
        std::string note;
        ProgramOptions options("fabric-results-program.cc", "Sends nothing, in no time.");
        options.AddSize("bytes", "message size", bytes, {1, 1ULL << 30});
        options.AddText("note", "text for the table of flows", note);
        options.Parse(argc, argv);
        RunResults results(options);
        bool isDone = false;
        ProgressReporter progress(options.GetProgress(), {[&isDone] { return !isDone; }, nullptr});
        progress.Start();
        Simulator::Schedule(MicroSeconds(10), [&] {
            isDone = true;
            progress.Stop();
        });
        Simulator::Run();
        RunTotals totals;
        totals.bytesOffered = bytes;
        totals.bytesDelivered = note == "lost" ? 0 : bytes;
        totals.simulatedTime = Simulator::Now().GetPicoSeconds();
        results.GetSummary().AddDistribution("fct", {}, {1.0 / 3e6, 10e-6}, "s");
        if (RunDirectory* directory = results.GetDirectory())
        {
            CsvWriter flows(directory->Open("flows.csv"), {"flow", "note", "bytes", "end"});
            flows.Row(0, note, bytes, 10e-6);
            flows.Row(1, "", 0, std::optional<double>());
        }
        results.Finish(totals, Simulator::GetEventCount(), std::cout);
        Simulator::Destroy();
        return EXIT_DONE;
    });
}
