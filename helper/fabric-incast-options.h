/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INCAST_OPTIONS_H
#define FABRIC_INCAST_OPTIONS_H

#include "fabric-program-options.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::fabric
{

/// Options of a program with an incast, beside which others send that are first alone.
struct IncastOptions
{
    uint32_t senders{64};             ///< Number of senders.
    uint64_t bytes{1 << 20};          ///< That each sends.
    Time jitter;                      ///< Most that a sender begins late.
    Time aloneTime{MicroSeconds(50)}; ///< Time before the incast.

    /// Adds senders, bytes and jitter. @param options of the program; refer to this object
    void AddIncast(ProgramOptions& options);

    /**
     * Adds aloneTime, and reserves what sets when applications start.
     *
     * @param options of the program; refer to this object
     * @param who sends alone before the incast, such as "the victim sends"
     */
    void AddAloneTime(ProgramOptions& options, const std::string& who);
};

} // namespace ns3::fabric

#endif // FABRIC_INCAST_OPTIONS_H
