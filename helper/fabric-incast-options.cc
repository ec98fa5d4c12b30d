/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-incast-options.h"

#include "fabric-option-type.h"

namespace ns3::fabric
{

void
IncastOptions::AddIncast(ProgramOptions& options)
{
    options.Add("senders", "hosts that send to the receiver", senders, CountType(1U));
    options.Add("bytes", "bytes sent by each sender", bytes, SizeType(1, uint64_t{1} << 40));
    options.Add("jitter",
                "each sender begins at a random time up to this late",
                jitter,
                TimeType(Time(0), Seconds(1)));
}

void
IncastOptions::AddAloneTime(ProgramOptions& options, const std::string& who)
{
    options.Add("aloneTime",
                "time for which " + who + " alone before the incast, 0 for long enough",
                aloneTime,
                TimeType(Time(0), Seconds(1)));
    options.ReserveAttributes({"ns3::Application::StartTime"}, "--aloneTime and --jitter");
}

void
IncastOptions::ChooseAloneTime(const SettlingTime& settling)
{
    // The first half fills the pipe.
    aloneTime = settling.Choose(aloneTime, MicroSeconds(50), 2);
    settling.Require("--aloneTime", aloneTime);
}

} // namespace ns3::fabric
