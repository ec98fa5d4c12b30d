/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-preemption-rules.h"

#include "fabric-require.h"

namespace ns3::fabric
{

namespace
{

constexpr const char* WHERE = "Preemption"; ///< Begins each sentence.
constexpr uint32_t LARGEST_FLIT = 256;      ///< Bytes; no fabric has flits larger than 64 B.

} // namespace

PreemptionRules::PreemptionRules(const PreemptionSettings& settings)
    : m_settings(settings)
{
    RequireRange(WHERE, "the flit in bytes", settings.flitBytes, 1, LARGEST_FLIT);
    RequireRange(WHERE, "mostUrgentBytes", settings.mostUrgentBytes, 0, MOST_BYTES);
    RequireRange(WHERE, "leastVictimBytes", settings.leastVictimBytes, 0, MOST_BYTES);
    RequireRange(WHERE, "mostBytesPerVictim", settings.mostBytesPerVictim, 0, MOST_BYTES);
    RequireRange(WHERE, "leastSentBytes", settings.leastSentBytes, 0, MOST_BYTES);
    RequireRange(WHERE, "leastLeftBytes", settings.leastLeftBytes, 0, MOST_BYTES);
    RequireRange(WHERE, "levels", settings.levels, 1, MOST_LEVELS);
}

} // namespace ns3::fabric
