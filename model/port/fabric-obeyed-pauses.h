/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OBEYED_PAUSES_H
#define FABRIC_OBEYED_PAUSES_H

#include "fabric-frame.h"
#include "fabric-input-queue.h"
#include "fabric-pause-state.h"

#include <vector>

namespace ns3::fabric
{

/// What an output has more if the other end of its link may pause it (WL-5).
class ObeyedPauses
{
  public:
    /// @param told time that the other end needs to pause the output after a repair, ps
    explicit ObeyedPauses(TimePs told)
        : m_told(told)
    {
    }

    /// @copydoc PauseState::Accept()
    void Accept(const PauseOrder& order)
    {
        m_state.Accept(order);
    }

    /// @param now time of a decision, ps
    void Update(TimePs now)
    {
        m_stopped = m_state.Stopped(now);
    }

    /// @return whether a frame must not start, as of the last Update()
    bool Stops(const Frame& frame) const
    {
        return (m_stopped >> frame.trafficClass % PAUSE_PRIORITIES & 1) != 0;
    }

    /// @return whether some frames must not start, as of the last Update()
    bool StopsAny() const
    {
        return m_stopped != 0;
    }

    /// @return whether no frame may start, as of the last Update()
    bool StopsAll() const
    {
        return m_stopped == ALL_PRIORITIES;
    }

    /// @copydoc PauseState::IsLifted()
    bool IsLifted() const
    {
        return m_state.IsLifted();
    }

    /// @return when that changes if nothing comes, NEVER for not at all, ps
    TimePs NextChange() const
    {
        return m_state.NextChange();
    }

    /**
     * The link was repaired. Nothing is sent until the other end could say something.
     *
     * @param up when it is in use again, ps
     */
    void LinkUp(TimePs up)
    {
        m_state.Forget(up);
        m_state.StopAll(up + m_told); // before what it has said already
    }

    /// Queues whose first frame may not start, so that others of their list need not wait for them.
    /// They count as listed, and stand in no list.
    std::vector<QueueRef> waiting;

  private:
    PauseState m_state;   ///< What the other end has said.
    TimePs m_told;        ///< Length of the pause after a repair, ps.
    uint8_t m_stopped{0}; ///< Bit n: priority n, as of the last Update().
};

} // namespace ns3::fabric

#endif // FABRIC_OBEYED_PAUSES_H
