/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RUN_TOTALS_H
#define FABRIC_RUN_TOTALS_H

#include "fabric-types.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3::fabric
{

/// What every run says at its end (PR-3): nothing that was offered is lost without a word.
struct RunTotals
{
    uint64_t bytesOffered{0};   ///< Payload handed to the network, bytes.
    uint64_t bytesCopied{0};    ///< Payload of copies that the network made for groups, bytes.
    uint64_t bytesCombined{0};  ///< Payload that the network combined with other, bytes.
    uint64_t bytesDelivered{0}; ///< Payload handed to its receivers, bytes.
    uint64_t bytesInFlight{0};  ///< Payload in buffers and on links at the end, bytes.
    std::map<std::string, uint64_t> bytesDropped; ///< Payload dropped, bytes, by cause.
    TimePs simulatedTime{0};                      ///< When the run ended, ps.
    uint64_t dataHops{0};                         ///< Data frames times links.
    uint64_t controlHops{0};                      ///< ACK, pause and credit frames times links.

    /**
     * Offered + copied = delivered + combined + dropped + in flight.
     *
     * @throws InvariantError with the figures if they do not add up
     */
    void CheckConservation() const;
};

} // namespace ns3::fabric

#endif // FABRIC_RUN_TOTALS_H
