/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FILE_WARNINGS_H
#define FABRIC_FILE_WARNINGS_H

#include "fabric-rank-link.h"

#include <iostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// Tells the user what was left out of a file, once, however many ranks there are.
/// @param warnings sentences, as readers of files have them
inline void
TellWarnings(const std::vector<std::string>& warnings)
{
    for (const std::string& warning : warnings)
    {
        if (OwnRank() == 0)
        {
            std::cerr << "warning: " + warning + "\n" << std::flush;
        }
    }
}

} // namespace ns3::fabric

#endif // FABRIC_FILE_WARNINGS_H
