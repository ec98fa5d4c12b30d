/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_OPTIONS_H
#define FABRIC_TRANSPORT_OPTIONS_H

#include "fabric-program-options.h"
#include "fabric-transport-helper.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Options of a program that uses the reliable transport: faults, and what its initiators do.
 *
 * @code
 * fabric::TransportOptions transport;
 * transport.AddFaults(run.GetOptions());
 * transport.AddOperations(run.GetOptions());
 * run.Parse(argc, argv, [&transport] { transport.Check(); });
 * FabricTransportHelper helper;
 * transport.SetAttributes(helper);
 * @endcode
 */
struct TransportOptions
{
    double loss{0};                              ///< Part of packets that vanish.
    double reorder{0};                           ///< Part of packets that are held back.
    double duplicate{0};                         ///< Part of packets that arrive twice.
    double corrupt{0};                           ///< Part of packets that are damaged.
    uint64_t bytes{1 << 20};                     ///< Of each operation.
    uint32_t count{1};                           ///< Operations of each sender.
    uint32_t outstanding{64};                    ///< Operations of a sender at a time.
    std::vector<std::string> operations{"push"}; ///< In turn: push, pull.
    std::string push{"auto"};                    ///< Whether pushes ask first.
    bool ordered{true};                          ///< Whether completions keep their order.
    uint32_t window{128};                        ///< Data packets in flight.
    std::string congestionControl{"fixed"};      ///< Who decides about packets in flight.

    /// Adds loss, reorder, duplicate, corrupt. @param options of the program; refer to this object
    void AddFaults(ProgramOptions& options);

    /**
     * Adds bytes, count, outstanding, operations, push, ordered, window and congestionControl, and
     * reserves the attributes of all.
     *
     * @param options of the program; refer to this object
     */
    void AddOperations(ProgramOptions& options);

    /// @throws std::invalid_argument with a sentence if there is no operation
    void Check() const;

    /**
     * Refuses what says something to the transport alone.
     *
     * @param allowed what may be given instead
     * @throws std::invalid_argument with a sentence that names the first such option
     */
    void RefuseOwn(const std::string& allowed) const;

    /// @return whether there are faults that only the transport has: all but losses
    bool HasOwnFaults() const;

    /// @param helper gets the attributes that the options say
    void SetAttributes(FabricTransportHelper& helper) const;
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TRANSPORT_OPTIONS_H
