/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_OPTIONS_H
#define FABRIC_TRANSPORT_OPTIONS_H

#include "fabric-program-options.h"
#include "fabric-transport-helper.h"

#include "ns3/data-rate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Options of a program that uses the reliable transport: faults, and what its initiators do.
 *
 * @code
 * fabric::TransportOptions transport;
 * transport.AddFaults(run.GetOptions());
 * transport.AddOperations(run.GetOptions());
 * run.Parse(argc, argv, [&] { transport.Check(run.GetOptions().Common().threads); });
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
    bool trace{false};                           ///< Whether every packet is written down.

    /// Adds loss, reorder, duplicate, corrupt, and reserves their attributes. @param options of the
    /// program; refer to this object
    void AddFaults(ProgramOptions& options);

    /**
     * Adds bytes, count, outstanding, operations, what AddConnections() adds, and ordered, and
     * reserves the attributes of all.
     *
     * @param options of the program; refer to this object
     */
    void AddOperations(ProgramOptions& options);

    /**
     * Adds push, window and congestionControl, and reserves their attributes.
     *
     * @param options of the program; refer to this object
     */
    void AddConnections(ProgramOptions& options);

    /// Adds trace, whether packets.csv is written. @param options of the program; refer to this
    void AddTrace(ProgramOptions& options);

    /**
     * @param threads that run switches
     * @throws std::invalid_argument with a sentence if there is no operation, or packets are to be
     * written down by several threads
     */
    void Check(uint32_t threads) const;

    /**
     * Refuses what TCP cannot do: pulls, faults, and what sets the transport alone.
     *
     * @param canLose whether the network below it can lose packets
     * @throws std::invalid_argument with a sentence that names `--protocol=tcp`
     */
    void CheckTcp(bool canLose) const;

    /// @return whether the network marks packets that met congestion
    bool HasMarks() const;

    /**
     * Lets all switches mark frames, or write on packets, as the congestion control wants it, where
     * the command line says nothing else.
     *
     * @param options what the command line says
     * @param rate of the links
     */
    void SetSwitches(const ProgramOptions& options, DataRate rate) const;

    /**
     * @param hasMarks whether switches mark frames
     * @throws std::invalid_argument with a sentence if the congestion control needs it
     */
    void RequireMarks(bool hasMarks) const;

    /// @param helper gets the attributes that faults and AddConnections() say
    void SetConnectionAttributes(FabricTransportHelper& helper) const;

    /// @param helper gets the attributes that the options say, also of initiators
    void SetAttributes(FabricTransportHelper& helper) const;
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_OPTIONS_H
