/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TILED_OUTPUT_H
#define FABRIC_TILED_OUTPUT_H

#include "fabric-age-queue-places.h"
#include "fabric-input-queue.h"
#include "fabric-output-buffer.h"
#include "fabric-ring.h"

#include <vector>

namespace ns3::fabric
{

/// What an output has more behind a crossbar of tiles.
class TiledOutput
{
  public:
    /**
     * @param inputs of the switch
     * @param lists in which queues may wait
     * @param settings of the places of requests
     * @param buffer of the output
     */
    TiledOutput(uint32_t inputs,
                uint32_t lists,
                const AgeQueueSettings& settings,
                OutputBuffer buffer)
        : places(inputs, lists, settings),
          buffer(std::move(buffer)),
          m_lists(lists),
          m_waiting(std::size_t{inputs} * lists)
    {
    }

    /// @return queues of an input and a list that have no place, in their order
    Ring<QueueRef>& Waiting(uint32_t input, uint32_t list)
    {
        return m_waiting[input * m_lists + list];
    }

    /// @return queues of any input and list that have no place
    uint32_t CountWaiting() const
    {
        uint32_t count = 0;
        for (const Ring<QueueRef>& waiting : m_waiting)
        {
            count += waiting.Size();
        }
        return count;
    }

    /// @param visit is called with each queue that has no place, and none waits any more
    template <typename Visit>
    void TakeWaiting(Visit&& visit)
    {
        for (Ring<QueueRef>& waiting : m_waiting)
        {
            for (; !waiting.IsEmpty(); waiting.Pop())
            {
                visit(waiting.Front());
            }
        }
    }

    AgeQueuePlaces places; ///< AGEQ: of the queues in the lists of the output.
    OutputBuffer buffer;   ///< OBUF.
    bool lacksRoom{false}; ///< Whether a queue could not go for want of room in the buffer.

  private:
    uint32_t m_lists;                      ///< In which queues may wait.
    std::vector<Ring<QueueRef>> m_waiting; ///< By input, then by list.
};

} // namespace ns3::fabric

#endif // FABRIC_TILED_OUTPUT_H
