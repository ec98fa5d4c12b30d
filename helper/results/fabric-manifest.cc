/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-manifest.h"

#include "ns3/rng-seed-manager.h"

#if !defined(FABRIC_NS3_VERSION) && __has_include("ns3/version-defines.h")
#include "ns3/version-defines.h"
#endif

#include <ctime>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <sys/resource.h>

namespace ns3::fabric
{

namespace
{

/// Keeps the order of its members.
using Json = nlohmann::ordered_json;

/// @return a date in UTC, ISO 8601
std::string
UtcText(std::chrono::system_clock::time_point date)
{
    const std::time_t seconds = std::chrono::system_clock::to_time_t(date);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

Json
ToObject(const NamedValues& values)
{
    Json object = Json::object();
    for (const auto& named : values)
    {
        Json& member = object[named.first];
        std::visit([&member](const auto& value) { member = value; }, named.second);
    }
    return object;
}

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

/// @return the largest memory that the process has had, bytes
uint64_t
PeakMemory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    constexpr uint64_t unit = 1; // bytes there
#else
    constexpr uint64_t unit = 1024; // KiB on Linux and the BSDs
#endif
    return static_cast<uint64_t>(usage.ru_maxrss) * unit;
}

} // namespace

void
Manifest::Write(std::ostream& os, const ProgramOptions& options, uint64_t events) const
{
    const std::chrono::duration<double> wall = Clock::now() - m_beginning;
    const Json manifest{{"program", options.GetName()},
                        {"version", ModuleVersion()},
                        {"ns3_version", Ns3Version()},
                        {"compiler", Compiler()},
                        {"build_type", BuildType()},
                        {"options", ToObject(options.GetOptions())},
                        {"attributes", ToObject(options.GetAttributes())},
                        {"seed", RngSeedManager::GetSeed()},
                        {"run", RngSeedManager::GetRun()},
                        {"lookahead", options.Common().lookahead},
                        {"threads", options.Common().threads},
                        {"started", UtcText(m_date)},
                        {"wall_seconds", wall.count()},
                        {"events", events},
                        {"peak_memory_bytes", PeakMemory()}};
    // Bytes that are not UTF-8 become U+FFFD.
    os << manifest.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace ns3::fabric
