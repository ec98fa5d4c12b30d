/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MANIFEST_H
#define FABRIC_MANIFEST_H

#include "fabric-program-options.h"

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace ns3::fabric
{

/**
 * The manifest of a run (SC-5): what was run, so that it can be repeated, and what depends on how
 * it was run and so is not in the summary (PR-3): events, wall time, memory, threads, look-ahead.
 * The run begins when it is made.
 */
class Manifest
{
  public:
    /**
     * Writes manifest.json and notes the time: the run ends here. Options and attributes are texts
     * that can be typed again.
     *
     * @param os where to write
     * @param options what was asked for
     * @param events ns-3 events that were run
     */
    void Write(std::ostream& os, const ProgramOptions& options, uint64_t events) const;

  private:
    using Date = std::chrono::system_clock;
    using Clock = std::chrono::steady_clock; ///< Nobody sets it.

    Date::time_point m_date{Date::now()};        ///< When it began.
    Clock::time_point m_beginning{Clock::now()}; ///< The same.
};

} // namespace ns3::fabric

#endif // FABRIC_MANIFEST_H
