/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MANIFEST_H
#define FABRIC_MANIFEST_H

#include "fabric-program-options.h"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace ns3
{
namespace fabric
{

/**
 * The manifest of a run (SC-5): what was run, so that it can be repeated, and what depends on how
 * it was run and so is not in the summary (PR-3): events, wall time, memory, threads, look-ahead.
 */
class Manifest
{
  public:
    /**
     * Notes the time: the run begins here.
     *
     * @param options the options, after Parse(); outlives the manifest
     */
    explicit Manifest(const ProgramOptions& options);

    /**
     * Writes manifest.json and notes the time: the run ends here. Options and attributes are texts
     * that can be typed again.
     *
     * @param os where to write
     * @param events ns-3 events that were run
     */
    void Write(std::ostream& os, uint64_t events) const;

    /// @return the version of the module, `unknown` unless the build defines FABRIC_VERSION
    static std::string ModuleVersion();

    /// @return the version of ns-3, `unknown` if neither the build (FABRIC_NS3_VERSION) nor ns-3
    /// tells
    static std::string Ns3Version();

    /// @return the compiler of the module with its version, `GCC 12.2.0`
    static std::string Compiler();

    /// @return CMake's build type of the module, `unknown` unless the build defines
    /// FABRIC_BUILD_TYPE; with asserts or logging compiled in, which costs time, it says so
    static std::string BuildType();

    /// @return the largest memory that the process has had, bytes
    static uint64_t PeakMemory();

  private:
    const ProgramOptions& m_options;                   ///< What was asked for.
    std::chrono::system_clock::time_point m_date;      ///< When it began.
    std::chrono::steady_clock::time_point m_beginning; ///< The same, on a clock that nobody sets.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_MANIFEST_H
