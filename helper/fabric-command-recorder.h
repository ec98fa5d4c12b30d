/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_RECORDER_H
#define FABRIC_COMMAND_RECORDER_H

#include "fabric-command-queues.h"
#include "fabric-command-timeline.h"

#include <iosfwd>
#include <vector>

namespace ns3
{

/**
 * Writes down the stages that commands and their packets pass, of the hosts that are added. It has
 * to live as long as they run.
 */
class FabricCommandRecorder
{
  public:
    /// @param queues of a host, whose stages are written down from now on; the stages of a command
    /// are those of both ends if both are added
    void Add(Ptr<FabricCommandQueues> queues);

    /// @return commands with their stages, by the time of the request
    std::vector<fabric::CommandStory> GetStories() const
    {
        return m_timeline.Stories();
    }

    /// @param os where stages go, command by command: stages.csv
    void WriteStages(std::ostream& os) const;

  private:
    fabric::CommandTimeline m_timeline; ///< What they have told.
};

} // namespace ns3

#endif // FABRIC_COMMAND_RECORDER_H
