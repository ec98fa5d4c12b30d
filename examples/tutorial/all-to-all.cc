/* SPDX-License-Identifier: GPL-2.0-only */

// Traffic of one's own: every host of a fat tree sends a message to every other one.

#include "ns3/core-module.h"
#include "ns3/fabric-module.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        FabricRun run("all-to-all.cc", "Every host sends a message to every other one.");
        run.AddTreeOptions();
        uint64_t bytes = 64 << 10;
        run.GetOptions().Add("bytes", "size of each message", bytes, fabric::SizeType(1, 1 << 30));
        run.Parse(argc, argv);

        const FabricContainer& fabric = run.InstallTree();
        const uint32_t hosts = fabric.hosts.GetN();
        const FabricMessageSenderHelper sender(bytes);
        for (uint32_t from = 0; from < hosts; ++from)
        {
            for (uint32_t i = 1; i < hosts; ++i)
            {
                sender.Install(fabric, from, (from + i) % hosts);
            }
        }
        run.RunUntilDelivered(0, uint64_t{hosts} * (hosts - 1));
        run.GetSummary().AddDistribution("fct", {}, run.GetCompletionTimes(0), "s");
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
