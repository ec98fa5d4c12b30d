/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DCQCN_MARKS_H
#define FABRIC_DCQCN_MARKS_H

#include "fabric-program-options.h"

#include "ns3/data-rate.h"

namespace ns3::fabric
{

/**
 * Where switches mark frames for DCQCN: from `minBytes` on with a probability that rises to
 * `probability` at `maxBytes`.
 */
struct DcqcnMarks
{
    double minBytes;    ///< K_min.
    double maxBytes;    ///< K_max.
    double probability; ///< P_max.

    /**
     * Zhu et al., SIGCOMM'15, figure 14: 5 KB, 200 KB and 1 % at 40 Gb/s.
     *
     * @param rate of the links, to which the thresholds are in proportion
     */
    static DcqcnMarks OfPaper(DataRate rate);

    /**
     * Lets all switches mark all classes so, where the command line says nothing else.
     *
     * @param options what the command line says
     */
    void SetDefaults(const ProgramOptions& options) const;
};

/// Lets all switches mark all classes, where the command line says nothing else.
void SetMarkClassesDefault(const ProgramOptions& options);

} // namespace ns3::fabric

#endif // FABRIC_DCQCN_MARKS_H
