/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOTALS_H
#define FABRIC_TOTALS_H

#include "fabric-drop-causes.h"
#include "fabric-types.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

namespace fabric
{
class Nic;
class SwitchChip;
class Transmitter;
} // namespace fabric

/**
 * The books of a whole fabric since the start: payload and frames, added up from its switches and
 * devices.
 */
class FabricTotals
{
  public:
    uint64_t offered{0};   ///< Payload handed to devices, bytes.
    uint64_t copied{0};    ///< Payload of copies that switches made for groups, bytes.
    uint64_t combined{0};  ///< Payload that reductions have combined with other, bytes.
    uint64_t delivered{0}; ///< Payload that reached its destination, bytes.
    uint64_t inFlight{
        0}; ///< Payload in queues, buffers and on links, counted there one by one, bytes.
    std::map<std::string, uint64_t> dropped; ///< Payload dropped, by cause (NameOf()), bytes.
    uint64_t dataHops{0};                    ///< Data frames times links.
    uint64_t controlHops{0};                 ///< ACK and pause frames times links.

    /**
     * Adds what a switch holds, has dropped and sent.
     *
     * @param linksFail whether links of the fabric have failed: else their cause is not listed
     */
    void Add(const fabric::SwitchChip& chip, bool linksFail);

    /**
     * Adds what a host's NIC was offered, and what has become of it or has come to it.
     *
     * @param refused packets that it never got
     * @param now what arrives later is in flight, ps
     * @param linksFail as above
     */
    void Add(const fabric::Nic& nic,
             const fabric::RefusedBytes& refused,
             fabric::TimePs now,
             bool linksFail);

    /// Becomes the books of all ranks; all of them have to call it, when the simulation is over.
    void AddRanks();

    /// @throws std::logic_error with the figures unless what was offered and copied was delivered,
    /// combined with other or dropped, or is in flight
    void CheckConservation() const;

  private:
    /// Adds what was sent on a link.
    void AddHops(const fabric::Transmitter& transmitter);
    /// Adds to what was dropped.
    void Drop(fabric::DropCause cause, uint64_t bytes);
};

} // namespace ns3

#endif // FABRIC_TOTALS_H
