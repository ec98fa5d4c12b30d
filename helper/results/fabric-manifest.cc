/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-manifest.h"

#include "fabric-build-info.h"

#include "ns3/rng-seed-manager.h"

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
    const BuildInfo build = GetBuildInfo();
    const Json manifest{{"program", options.GetName()},
                        {"version", build.version},
                        {"ns3_version", build.ns3Version},
                        {"compiler", build.compiler},
                        {"build_type", build.type},
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
