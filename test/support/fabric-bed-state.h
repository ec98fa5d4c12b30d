/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BED_STATE_H
#define FABRIC_BED_STATE_H

#include "fabric-test-bed.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * @param out gets the counters
 * @param transmitter whose counters
 */
inline void
Print(std::ostream& out, const Transmitter& transmitter)
{
    const TransmitCounts& counts = transmitter.Counts();
    out << counts.frames << " " << counts.bytes << " " << counts.controlFrames << " "
        << counts.controlBytes << " " << counts.acks << " ";
}

/**
 * @param out gets the counters
 * @param lanes whose counters; may be null
 */
inline void
PrintLanes(std::ostream& out, const LaneSender* lanes)
{
    for (uint32_t lane = 0; lanes && lane < DEFAULT_LANES; ++lane)
    {
        for (const LaneCounts& counts : lanes->Totals(lane))
        {
            out << " " << counts.frames << " " << counts.bytes;
        }
    }
}

/// @return all its counters in words, a line for each port
inline std::vector<std::string>
StateOf(TestBed& bed)
{
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        const SwitchChip& chip = bed.Chip(i);
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            std::ostringstream line;
            line << "switch " << i << " port " << port << ": ";
            Print(line, chip.Output(port));
            line << chip.OutputFlows(port).InUse() << " " << chip.OutputFlows(port).PeakInUse()
                 << " " << chip.InputFlows(port).InUse() << " " << chip.QueuedBytes(port) << " "
                 << chip.PeakHeldBytes(port);
            PrintLanes(line, chip.Lanes(port));
            lines.push_back(line.str());
        }
        const SwitchCounts& counts = chip.Counts();
        std::ostringstream line;
        line << "switch " << i << ": " << counts.droppedPayload[0] << " "
             << counts.droppedPayload[1] << " " << counts.droppedPayload[2] << " "
             << counts.lostAcks << " " << counts.droppedFrames << " " << counts.heldBytes << " "
             << counts.peakHeldBytes << " " << chip.InFlightPayload();
        lines.push_back(line.str());
    }
    for (std::size_t i = 0; i < bed.Hosts(); ++i)
    {
        const NicCounts& counts = bed.GetNic(i).Counts();
        std::ostringstream line;
        line << "host " << i << ": ";
        Print(line, bed.GetNic(i).Uplink());
        line << counts.offered << " " << counts.sent << " " << counts.arrived << " "
             << counts.corrupt << " " << counts.framesArrived << " " << counts.linkDown << " "
             << counts.lostPauses << " " << counts.bufferFull;
        lines.push_back(line.str());
    }
    for (const TestBed::Delivery& d : bed.Deliveries())
    {
        std::ostringstream line;
        line << "delivery " << d.at << " " << d.src << " " << d.dst << " " << d.sequence << " "
             << d.bytes << " " << +d.trafficClass;
        lines.push_back(line.str());
    }
    return lines;
}

/**
 * @param a a state
 * @param b another
 * @return the first difference, empty if there is none
 */
inline std::string
Difference(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    {
        const std::string left = i < a.size() ? a[i] : "nothing";
        const std::string right = i < b.size() ? b[i] : "nothing";
        if (left != right)
        {
            return "'" + left + "' and '" + right + "'";
        }
    }
    return "";
}

} // namespace ns3::fabric

#endif // FABRIC_BED_STATE_H
