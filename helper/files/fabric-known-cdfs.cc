/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-known-cdfs.h"

#include <map>
#include <sstream>

namespace ns3::fabric
{

namespace
{

/// Distributions by name, as in their files; the same as in examples/cdfs.
const std::map<std::string, std::string> KNOWN_CDFS{
    {"websearch",
     "0 0\n10000 15\n20000 20\n30000 30\n50000 40\n80000 53\n200000 60\n1000000 70\n2000000 80\n"
     "5000000 90\n10000000 97\n30000000 100\n"},
    {"hadoop",
     "0 0\n100 1\n200 2\n300 5\n350 15\n400 20\n500 30\n600 40\n700 50\n1000 60\n2000 67\n7000 70\n"
     "30000 72\n50000 82\n80000 87\n120000 90\n300000 95\n1000000 97.5\n2000000 99\n10000000 "
     "100\n"},
    {"alistorage",
     "0 0\n4000 22.93\n8000 69.21\n16000 80.61\n32000 90.47\n64000 93.53\n128000 96.77\n"
     "256000 97.53\n2000000 100\n"}};

} // namespace

std::vector<std::string>
KnownCdfs::Names()
{
    std::vector<std::string> names;
    for (const auto& known : KNOWN_CDFS)
    {
        names.push_back(known.first);
    }
    return names;
}

bool
KnownCdfs::Has(const std::string& name)
{
    return KNOWN_CDFS.count(name) != 0;
}

SizeCdf
KnownCdfs::Find(const std::string& nameOrFile)
{
    const auto known = KNOWN_CDFS.find(nameOrFile);
    if (known == KNOWN_CDFS.end())
    {
        return SizeCdf::Read(nameOrFile);
    }
    std::istringstream is(known->second);
    return SizeCdf::Read(is, nameOrFile);
}

} // namespace ns3::fabric
