/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-build-info.h"

#if !defined(FABRIC_NS3_VERSION) && __has_include("ns3/version-defines.h")
#include "ns3/version-defines.h"
#endif

namespace ns3::fabric
{

namespace
{

/// @return the version of the module, `unknown` unless the build defines FABRIC_VERSION
std::string
ModuleVersion()
{
#ifdef FABRIC_VERSION
    return FABRIC_VERSION;
#else
    return "unknown";
#endif
}

/// @return the version of ns-3, `unknown` if neither the build (FABRIC_NS3_VERSION) nor ns-3 tells
std::string
Ns3Version()
{
#ifdef FABRIC_NS3_VERSION
    return FABRIC_NS3_VERSION;
#elif defined(NS3_VERSION_MAJOR) && defined(NS3_VERSION_MINOR) && defined(NS3_VERSION_PATCH)
    std::string version =
        std::to_string(NS3_VERSION_MAJOR) + "." + std::to_string(NS3_VERSION_MINOR);
    return version + (NS3_VERSION_PATCH ? "." + std::to_string(NS3_VERSION_PATCH) : "");
#else
    return "unknown";
#endif
}

/// @return the compiler of the module with its version, `GCC 12.2.0`
std::string
Compiler()
{
#if defined(__clang__)
    constexpr const char* name = "Clang";
    const int parts[] = {__clang_major__, __clang_minor__, __clang_patchlevel__};
#else
    constexpr const char* name = "GCC";
    const int parts[] = {__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__};
#endif
    return std::string(name) + " " + std::to_string(parts[0]) + "." + std::to_string(parts[1]) +
           "." + std::to_string(parts[2]);
}

/// @return CMake's build type of the module; with asserts or logging, which cost time, it says so
std::string
BuildType()
{
#ifdef FABRIC_BUILD_TYPE
    std::string type = FABRIC_BUILD_TYPE;
#else
    std::string type = "unknown";
#endif
#ifdef NS3_ASSERT_ENABLE
    type += ", asserts";
#endif
#ifdef NS3_LOG_ENABLE
    type += ", logging";
#endif
    return type;
}

} // namespace

std::string
BuildInfo::Describe() const
{
    return "fabric " + version + ", ns-3 " + ns3Version + ", " + compiler + ", " + type;
}

BuildInfo
GetBuildInfo()
{
    return {ModuleVersion(), Ns3Version(), Compiler(), BuildType()};
}

} // namespace ns3::fabric
