/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_LINK_OPTIONS_H
#define FABRIC_LANE_LINK_OPTIONS_H

#include "fabric-lane-link-settings.h"
#include "fabric-program-options.h"

#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Options of a program in which virtual lanes share a link: their table, what arbitrates between
 * them, and the link.
 */
struct LaneLinkOptions
{
    /// Stands for a table that is built in, see MakeWorkedExample().
    static constexpr const char* WORKED_EXAMPLE = "worked-example";

    std::string table{WORKED_EXAMPLE}; ///< File of the lane table, or WORKED_EXAMPLE.
    std::string mode{"lane"};          ///< What a meter checks.
    std::string meter{"token-bucket"}; ///< How bandwidth is measured.
    std::string over{"demote"};        ///< What happens to packets above a group's bandwidth.
    bool chargeOver{true};             ///< Whether such packets are charged.
    LaneLinkSettings link;             ///< The link; complete after Read().

    /**
     * Adds table, mode, meter, over and chargeOver, and reserves the attributes that these set.
     *
     * @param options of the program; refer to this object
     */
    void AddArbiter(ProgramOptions& options);

    /**
     * Adds frameBytes, linkRate and linkDelay, and reserves the attributes that these set.
     *
     * @param options of the program; refer to this object
     */
    void AddLink(ProgramOptions& options);

    /**
     * Reads the table and completes the link.
     *
     * @throws std::invalid_argument with a sentence that names the file, and what is wrong in it
     */
    void Read();

    /**
     * After Read().
     *
     * @param option name of an option, with dashes
     * @param text numbers from 0 to 1 with commas, one for all lanes or one for each
     * @return the load of each lane of the table
     * @throws std::invalid_argument with a sentence if the text is anything else
     */
    std::vector<double> ParseLoads(const std::string& option, const std::string& text) const;

    /**
     * Refuses a run in which shares would mean nothing: the link has to carry 100 packets.
     *
     * @param duration of the run
     * @throws std::invalid_argument with a sentence if it is shorter
     */
    void CheckDuration(Time duration) const;

    /**
     * @return six lanes of one level and 10 % each: 0 to 3 are a group, 4 and 5 another, and each
     * carries the traffic class of its number
     */
    static LaneTable MakeWorkedExample();
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_LINK_OPTIONS_H
