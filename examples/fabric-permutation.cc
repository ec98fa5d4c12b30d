/* SPDX-License-Identifier: GPL-2.0-only */

// Every host of a fat tree sends one message to the host a fixed number further on.

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-message-sender-helper.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <stdexcept>

using namespace ns3;

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        uint64_t bytes = 1 << 20;
        uint64_t shift = 0;
        double linkErrors = 0;
        FabricRun run("fabric-permutation.cc",
                      "Each host i of a fat tree sends to host i + shift.");
        run.AddTreeOptions();
        fabric::ProgramOptions& options = run.GetOptions();
        options.Add("bytes",
                    "bytes sent by each host",
                    bytes,
                    fabric::SizeType(1, uint64_t{1} << 40));
        options.Add("shift",
                    "distance from each host to its receiver, 0 for half the hosts",
                    shift,
                    fabric::CountType(uint64_t{0}, uint64_t{fabric::MAX_HOSTS}));
        options.Add("linkErrors",
                    "fraction of frames that a link damages and sends again, each way",
                    linkErrors,
                    fabric::NumberType(0, 0.5));
        options.ReserveAttributes({"ns3::FabricChannel::Retry"}, "--linkErrors");
        run.Parse(argc, argv);
        if (linkErrors > 0)
        {
            ObjectFactory errors("ns3::RateErrorModel");
            errors.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            errors.Set("ErrorRate", DoubleValue(linkErrors));
            run.GetHelper().SetErrorModel(errors);
            run.GetHelper().SetChannelAttribute("Retry", BooleanValue(true));
        }
        const FabricContainer& fabric = run.InstallTree();

        const uint32_t hosts = fabric.hosts.GetN();
        const uint64_t distance = shift == 0 ? hosts / 2 : shift;
        if (distance % hosts == 0)
        {
            throw fabric::BadInput("--shift=" + std::to_string(shift) + ": each of the " +
                                   std::to_string(hosts) +
                                   " hosts would send to itself; allowed is what is no multiple of "
                                   "their number");
        }
        const FabricMessageSenderHelper sender(bytes);
        for (uint32_t host = 0; host < hosts; ++host)
        {
            sender.Install(fabric, host, static_cast<uint32_t>((host + distance) % hosts));
        }
        run.RunUntilDelivered(0, hosts);

        fabric::Summary& summary = run.GetSummary();
        fabric::TimePs end = 0;
        for (const FabricMessageRecorder::Record& record : run.GetRecorder().GetRecords())
        {
            const double seconds = fabric::ToSeconds(record.CompletionTime());
            summary.Add("host_goodput",
                        {{"host", std::to_string(fabric::HostOf(record.message.src))}},
                        8.0 * static_cast<double>(bytes) / seconds,
                        "bit/s");
            end = record.deliveredAt;
        }
        summary.AddTime("completion_time", {}, end);
        summary.AddDistribution("fct", {}, run.GetCompletionTimes(0), "s");
        const double bits = 8.0 * static_cast<double>(bytes) * hosts;
        summary.Add("goodput", {}, bits / fabric::ToSeconds(end), "bit/s");
        if (linkErrors > 0)
        {
            const fabric::ErrorCounts errors = fabric::LinkErrorsOf(*fabric.network);
            summary.Add("link_repeats", {}, errors.repeats, "1");
            summary.Add("link_repeated_bytes", {}, errors.repeatedBytes, "B");
            summary.Add("link_timeouts", {}, errors.timeouts, "1");
            summary.Add("link_given_up", {}, errors.givenUp, "1");
        }
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
