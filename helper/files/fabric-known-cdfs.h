/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_KNOWN_CDFS_H
#define FABRIC_KNOWN_CDFS_H

#include "fabric-size-cdf.h"

#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Published distributions of sizes of flows, which need no file.
 *
 * | name       | of                                                            | mean, bytes |
 * |------------|---------------------------------------------------------------|-------------|
 * | websearch  | a web search (DCTCP, Alizadeh et al., SIGCOMM 2010)           | 1,711,250   |
 * | hadoop     | a Hadoop cluster (Roy et al., SIGCOMM 2015, as HPCC has them) | 120,421     |
 * | alistorage | a storage cluster (HPCC, Li et al., SIGCOMM 2019)             | 40,870      |
 */
class KnownCdfs
{
  public:
    /// @return all names
    static std::vector<std::string> Names();

    /// @return whether there is a distribution of a name
    static bool Has(const std::string& name);

    /// @return the distribution of a name, or of a file of that name; see SizeCdf::Read()
    static SizeCdf Find(const std::string& nameOrFile);
};

} // namespace ns3::fabric

#endif // FABRIC_KNOWN_CDFS_H
