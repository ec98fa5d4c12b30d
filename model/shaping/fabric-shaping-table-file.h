/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHAPING_TABLE_FILE_H
#define FABRIC_SHAPING_TABLE_FILE_H

#include "fabric-shaping-table.h"

#include <string>

namespace ns3::fabric
{

/**
 * Reads a shaping table (PR-5, SW-11, SW-12), in CSV if the name ends in `.csv`, else in JSON:
 *
 * @verbatim
   {"classes": [{"class": 0,             optional list; the first that matches a frame counts
                 "trafficClass": 0,      optional, any if it is not given
                 "vni": 7,               optional, any if it is not given
                 "vniMask": 255,         optional, bits of vni to compare; 65535 if it is not given
                 "queue": 0}, ...],
    "leaves": [{"queue": 0,
                "rate": "40Gbps",        optional, 0 if it is not given
                "burst": "16KiB",        optional, 16 KiB if it is not given
                "priority": 0,           optional, 0 to 7, 0 first
                "branch": 0}, ...],      optional, 0 to 3
    "branches": [{"branch": 0, "rate": "20Gbps", "burst": "16KiB", "priority": 0}, ...],  optional
    "head": {"rate": "100Gbps", "burst": "16KiB"}}      optional, unlimited if it is not given
   @endverbatim
 *
 * A rate is a number of bit/s, or a text: a number with bps, kbps, Mbps, Gbps or Tbps, or
 * `unlimited`. A burst is a number of bytes, or a text: a number with B, kB, MB, GB, KiB, MiB
 * or GiB.
 *
 * CSV has a section for each of the four, whose lines of columns begin with `class`, `queue`,
 * `branch` and `rate`:
 *
 * @verbatim
   class,trafficClass,vni,vniMask,queue
   0,0,7,255,0

   queue,rate,burst,priority,branch
   0,40Gbps,16KiB,0,0

   branch,rate,burst,priority
   0,20Gbps,16KiB,0

   rate,burst
   100Gbps,16KiB
   @endverbatim
 *
 * See ReadTableCsv() for quotes and comments.
 *
 * @param text of the table
 * @param name what sentences call it, such as its file's name
 * @param queues that a port can have
 * @return the table, validated
 * @throws std::invalid_argument with one sentence that says the name, the line or the key, and what
 * is allowed
 */
ShapingTable ParseShapingTable(const std::string& text,
                               const std::string& name,
                               uint32_t queues = LINK_SHAPING_QUEUES);

/**
 * @param file name of a file, see ParseShapingTable()
 * @param queues that a port can have
 * @return the table, validated
 * @throws std::invalid_argument as ParseShapingTable(), or if the file cannot be read
 */
ShapingTable ReadShapingTable(const std::string& file, uint32_t queues = LINK_SHAPING_QUEUES);

} // namespace ns3::fabric

#endif // FABRIC_SHAPING_TABLE_FILE_H
