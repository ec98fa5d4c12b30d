/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUILD_INFO_H
#define FABRIC_BUILD_INFO_H

#include <string>

namespace ns3::fabric
{

/// What a program was built of, as `--version` and manifest.json tell it.
struct BuildInfo
{
    std::string version;    ///< Of the module, `unknown` if its build does not define it.
    std::string ns3Version; ///< Of ns-3, `unknown` if neither the build nor ns-3 tells.
    std::string compiler;   ///< Of the module, with its version: `GCC 12.2.0`.
    std::string type;       ///< CMake's build type; asserts and logging, which cost time, added.

    /// @return all of it in one line
    std::string Describe() const;
};

/// @return of what this program was built
BuildInfo GetBuildInfo();

} // namespace ns3::fabric

#endif // FABRIC_BUILD_INFO_H
