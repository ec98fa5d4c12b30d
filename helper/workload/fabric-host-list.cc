/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-host-list.h"

#include "fabric-number-text.h"
#include "fabric-text-lines.h"

#include <fstream>
#include <optional>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// The first and the last host of a range.
using HostRange = std::pair<uint32_t, uint32_t>;

/// @return what a word is allowed to say
OptionType<HostRange>
HostRangeType(uint32_t hosts)
{
    OptionType<HostRange> type;
    type.allowed = "a host from 0 to " + std::to_string(hosts - 1) + ", or a range of them as 4-7";
    type.parse = [hosts](const std::string& word) -> std::optional<HostRange> {
        const std::size_t dash = word.find('-');
        const auto first = ReadNumber<uint32_t>(word.substr(0, dash));
        const auto last =
            dash == std::string::npos ? first : ReadNumber<uint32_t>(word.substr(dash + 1));
        const bool isRange = first && last && *first <= *last && *last < hosts;
        return isRange ? std::optional(HostRange{*first, *last}) : std::nullopt;
    };
    return type;
}

} // namespace

std::vector<uint32_t>
HostList::Read(const std::string& name, uint32_t hosts)
{
    std::ifstream is = TextLines::Open(name, "hosts");
    return Read(is, name, hosts);
}

std::vector<uint32_t>
HostList::Read(std::istream& is, const std::string& name, uint32_t hosts)
{
    const OptionType<HostRange> ranges = HostRangeType(hosts);
    TextLines lines(is, name);
    std::vector<uint32_t> listed;
    std::vector<bool> isListed(hosts);
    lines.NextLine("hosts");
    do
    {
        while (lines.HasMore())
        {
            const auto [first, last] = lines.Read("host", ranges);
            for (uint32_t host = first; host <= last; ++host)
            {
                if (isListed[host])
                {
                    lines.RefuseWord("host", std::to_string(host), "each host once");
                }
                isListed[host] = true;
                listed.push_back(host);
            }
        }
    } while (lines.FindLine());
    if (listed.size() < 2)
    {
        lines.Refuse("there is one host; allowed are two at least");
    }
    return listed;
}

} // namespace ns3::fabric
