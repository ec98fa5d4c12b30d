/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_TABLE_FILE_H
#define FABRIC_LANE_TABLE_FILE_H

#include "fabric-lane-table.h"

#include <string>

namespace ns3::fabric
{

/**
 * Reads a lane table (PR-5, VA-11), in CSV if the name ends in `.csv`, else in JSON:
 *
 * @verbatim
   {"laneCount": 16,                        optional, 16 if it is not given
    "levels": ["high", "medium", "low"],    optional, highest first
    "lanes": [{"lane": 0, "level": "high", "group": 0,
               "trafficClass": 0,           optional, 0 if it is not given
               "latencySensitive": false},  optional, false if it is not given
              ...],
    "groups": [{"group": 0, "share": 40}, ...]}   percent of the link, at most two decimals
   @endverbatim
 *
 * CSV has a section for each of these, with a line of columns first and an empty line behind it.
 The
 * column named first tells which it is; the others may come in any order, and those that are
 * optional above may be left out or have empty cells:
 *
 * @verbatim
   laneCount
   16

   level
   high
   medium
   low

   lane,level,group,trafficClass,latencySensitive
   0,high,0,0,false

   group,share
   0,40
   @endverbatim
 *
 * See ReadTableCsv() for quotes and comments.
 *
 * @param text of the table
 * @param name what sentences call it, such as its file's name
 * @return the table, validated
 * @throws std::invalid_argument with one sentence that says the name, the line or the key, and what
 * is allowed
 */
LaneTable ParseLaneTable(const std::string& text, const std::string& name);

/**
 * @param file name of a file, see ParseLaneTable()
 * @return the table, validated
 * @throws std::invalid_argument as ParseLaneTable(), or if the file cannot be read
 */
LaneTable ReadLaneTable(const std::string& file);

} // namespace ns3::fabric

#endif // FABRIC_LANE_TABLE_FILE_H
