/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_TABLE_CSV_H
#define FABRIC_LANE_TABLE_CSV_H

#include <map>
#include <string>

namespace ns3::fabric
{

/// A lane table that was written in CSV, in the words of JSON, so that one reader checks both.
struct LaneTableCsv
{
    std::string json; ///< Says the same, see ParseLaneTable().
    /// Where in the CSV what is in `json` stands: `lanes[3]` is at `t.csv: line 5:`.
    std::map<std::string, std::string> lines;
};

/**
 * Reads the sections and cells of a lane table in CSV (PR-5), see ParseLaneTable(). Numbers, names
 * and what belongs together are not checked here.
 *
 * Cells are separated by commas; one in double quotes may hold commas and doubled quotes (RFC
 * 4180), but no end of a line. Blanks around cells, empty lines at both ends and lines that begin
 * with `#` count for nothing.
 *
 * @param name what sentences call it, such as its file's name
 * @return the same as JSON
 * @throws std::invalid_argument with one sentence that says the name, the line and what is allowed
 */
LaneTableCsv ReadLaneTableCsv(const std::string& text, const std::string& name);

} // namespace ns3::fabric

#endif // FABRIC_LANE_TABLE_CSV_H
