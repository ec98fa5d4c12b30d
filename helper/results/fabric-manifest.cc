/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-manifest.h"

#include "fabric-json-writer.h"

#include "ns3/rng-seed-manager.h"

#if !defined(FABRIC_NS3_VERSION) && __has_include("ns3/version-defines.h")
#include "ns3/version-defines.h"
#endif

#include <ctime>
#include <sys/resource.h>

namespace ns3
{
namespace fabric
{

namespace
{

/**
 * @param date a date
 * @return the date in UTC, ISO 8601
 */
std::string
UtcText(std::chrono::system_clock::time_point date)
{
    const std::time_t seconds = std::chrono::system_clock::to_time_t(date);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

/**
 * @param json where to write
 * @param name name of the member
 * @param texts names and texts
 */
void
WriteTexts(JsonWriter& json, const std::string& name, const ProgramOptions::NamedTexts& texts)
{
    json.Key(name);
    json.BeginObject();
    for (const auto& [key, text] : texts)
    {
        json.Member(key, text);
    }
    json.EndObject();
}

} // namespace

Manifest::Manifest(const ProgramOptions& options)
    : m_options(options),
      m_date(std::chrono::system_clock::now()),
      m_beginning(std::chrono::steady_clock::now())
{
}

void
Manifest::Write(std::ostream& os, uint64_t events) const
{
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - m_beginning;
    JsonWriter json(os);
    json.BeginObject();
    json.Member("program", m_options.GetName());
    json.Member("version", ModuleVersion());
    json.Member("ns3_version", Ns3Version());
    json.Member("compiler", Compiler());
    json.Member("build_type", BuildType());
    WriteTexts(json, "options", m_options.GetOptions());
    WriteTexts(json, "attributes", m_options.GetAttributes());
    json.Member("seed", RngSeedManager::GetSeed());
    json.Member("run", RngSeedManager::GetRun());
    json.Member("lookahead", m_options.GetLookahead());
    json.Member("threads", m_options.GetThreads());
    json.Member("started", UtcText(m_date));
    json.Member("wall_seconds", wall.count());
    json.Member("events", events);
    json.Member("peak_memory_bytes", PeakMemory());
    json.EndObject();
}

std::string
Manifest::ModuleVersion()
{
#ifdef FABRIC_VERSION
    return FABRIC_VERSION;
#else
    return "unknown";
#endif
}

std::string
Manifest::Ns3Version()
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

std::string
Manifest::Compiler()
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

std::string
Manifest::BuildType()
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

uint64_t
Manifest::PeakMemory()
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

} // namespace fabric
} // namespace ns3
