/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-job-list.h"

#include "fabric-collective-names.h"
#include "fabric-option-type.h"
#include "fabric-text-lines.h"
#include "fabric-topology.h"

#include <fstream>
#include <limits>

namespace ns3::fabric
{

std::vector<CollectiveJob>
JobList::Read(const std::string& name)
{
    std::ifstream is = TextLines::Open(name, "jobs");
    return Read(is, name);
}

std::vector<CollectiveJob>
JobList::Read(std::istream& is, const std::string& name)
{
    const OptionType<Collective> collectives = EnumType(CollectiveNames());
    const OptionType<uint64_t> sizes = SizeType(1, std::numeric_limits<int32_t>::max());
    const OptionType<Time> times = TimeType(Time(0), Seconds(1000));
    TextLines lines(is, name);
    std::vector<CollectiveJob> jobs;
    lines.NextLine("a job: collective, hosts, bytes and, if it does not begin at once, start");
    do
    {
        CollectiveJob job{};
        job.collective = lines.Read("collective", collectives);
        job.ranks = lines.Count("hosts", 2U, MAX_HOSTS);
        job.bytes = lines.Read("bytes", sizes);
        job.start = lines.HasMore() ? lines.Read("start", times).GetPicoSeconds() : 0;
        job.pieces = 1;
        lines.EndLine("collective, hosts, bytes and start");
        jobs.push_back(job);
    } while (lines.FindLine());
    return jobs;
}

} // namespace ns3::fabric
