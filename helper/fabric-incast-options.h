/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INCAST_OPTIONS_H
#define FABRIC_INCAST_OPTIONS_H

#include "fabric-program-options.h"
#include "fabric-settling-time.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::fabric
{

/// Options of a program with an incast, beside which others send that are first alone.
struct IncastOptions
{
    uint32_t senders{64};    ///< Number of senders.
    uint64_t bytes{1 << 20}; ///< That each sends.
    Time jitter;             ///< Most that a sender begins late.
    Time aloneTime;          ///< Time before the incast, 0 for one that is chosen.

    /// Adds senders, bytes and jitter. @param options of the program; refer to this object
    void AddIncast(ProgramOptions& options);

    /**
     * Adds aloneTime, and reserves what sets when applications start.
     *
     * @param options of the program; refer to this object
     * @param who sends alone before the incast, such as "the victim sends"
     */
    void AddAloneTime(ProgramOptions& options, const std::string& who);

    /**
     * Chooses aloneTime if it is not given.
     *
     * @param settling of those who send alone, of whose time the second half is measured
     * @throws std::invalid_argument with a sentence if it is too short for any of their messages
     */
    void ChooseAloneTime(const SettlingTime& settling);
};

} // namespace ns3::fabric

#endif // FABRIC_INCAST_OPTIONS_H
