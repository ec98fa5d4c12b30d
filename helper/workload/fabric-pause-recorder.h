/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_RECORDER_H
#define FABRIC_PAUSE_RECORDER_H

#include "fabric-helper.h"
#include "fabric-node-numbers.h"
#include "fabric-pause-file.h"
#include "fabric-pause-order.h"
#include "fabric-switch.h"

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/// Keeps the pauses of a fabric, and writes them as pfc.txt.
class FabricPauseRecorder
{
  public:
    /**
     * @param fabric whose switches are listened to from now on; outlives this object
     * @param nodes what hosts and switches are in files
     */
    FabricPauseRecorder(const FabricContainer& fabric, const fabric::NodeNumbers& nodes);

    FabricPauseRecorder(const FabricPauseRecorder&) = delete;
    FabricPauseRecorder& operator=(const FabricPauseRecorder&) = delete;

    /// @return whether switches or hosts of the fabric pause those who send to them
    static bool HasPauses(const FabricContainer& fabric);

    /// Gets what was told on other ranks; all ranks have to call it, when the simulation is over.
    void AddRanks();

    /// Writes pfc.txt. @param os where to write @param end of the run, ps
    void Write(std::ostream& os, fabric::TimePs end) const;

  private:
    /// An interface that is told to pause.
    struct Interface
    {
        uint32_t node{0};     ///< Whose it is.
        bool isSwitch{false}; ///< Whether that is a switch.
        uint32_t port{0};     ///< Which it is.
    };

    /// A switch pauses who sends to it.
    void Paused(uint32_t switchIndex, uint32_t port, const fabric::PauseOrder& order);
    /// A host pauses its switch.
    void HostPaused(uint32_t switchIndex, uint32_t port, const fabric::PauseOrder& order);
    /// Keeps what an interface is told.
    void Add(const Interface& to, const fabric::PauseOrder& order);

    fabric::NodeNumbers m_nodes;                 ///< What hosts and switches are in files.
    std::vector<std::vector<Interface>> m_peers; ///< By switch and port.
    std::vector<fabric::PauseFile::Row> m_told;  ///< What they were told.
};

} // namespace ns3

#endif // FABRIC_PAUSE_RECORDER_H
