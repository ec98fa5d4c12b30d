/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OBSERVER_PAIR_H
#define FABRIC_OBSERVER_PAIR_H

#include "fabric-switch-observer.h"

namespace ns3::fabric
{

/// Lets two see what happens in a switch, one after the other.
class ObserverPair : public SwitchObserver
{
  public:
    /// @param first sees it first @param second sees it then; neither is null when something
    /// happens
    explicit ObserverPair(SwitchObserver* first = nullptr, SwitchObserver* second = nullptr)
        : m_first(first),
          m_second(second)
    {
    }

    void Arrived(uint32_t port, const Frame& frame, TimePs now) override
    {
        m_first->Arrived(port, frame, now);
        m_second->Arrived(port, frame, now);
    }

    void Sent(uint32_t port, const Frame& frame, TimePs now) override
    {
        m_first->Sent(port, frame, now);
        m_second->Sent(port, frame, now);
    }

    void Dropped(uint32_t port, const Frame& frame, DropCause cause, TimePs now) override
    {
        m_first->Dropped(port, frame, cause, now);
        m_second->Dropped(port, frame, cause, now);
    }

    void Trimmed(uint32_t port, const Frame& frame, const Frame& header, TimePs now) override
    {
        m_first->Trimmed(port, frame, header, now);
        m_second->Trimmed(port, frame, header, now);
    }

    void Joined(uint32_t port, const Frame& frame, TimePs now) override
    {
        m_first->Joined(port, frame, now);
        m_second->Joined(port, frame, now);
    }

    void Left(QueueRef from, uint32_t output, const Frame& frame, TimePs now) override
    {
        m_first->Left(from, output, frame, now);
        m_second->Left(from, output, frame, now);
    }

    void Ended(uint32_t port, FlowId flow, TimePs now) override
    {
        m_first->Ended(port, flow, now);
        m_second->Ended(port, flow, now);
    }

    void Acknowledged(uint32_t port, const AckBatch& acks, TimePs now) override
    {
        m_first->Acknowledged(port, acks, now);
        m_second->Acknowledged(port, acks, now);
    }

    void AcksSent(uint32_t port, const AckBatch& acks, TimePs now) override
    {
        m_first->AcksSent(port, acks, now);
        m_second->AcksSent(port, acks, now);
    }

    void CreditsSent(uint32_t port, const CreditOrder& order, TimePs now) override
    {
        m_first->CreditsSent(port, order, now);
        m_second->CreditsSent(port, order, now);
    }

    void Paused(uint32_t port, const PauseOrder& order, TimePs now) override
    {
        m_first->Paused(port, order, now);
        m_second->Paused(port, order, now);
    }

    void FlowRestrained(uint32_t port, const FgfcOrder& order, TimePs now) override
    {
        m_first->FlowRestrained(port, order, now);
        m_second->FlowRestrained(port, order, now);
    }

    void HostCredits(uint32_t port, const CreditOrder& order, TimePs start) override
    {
        m_first->HostCredits(port, order, start);
        m_second->HostCredits(port, order, start);
    }

    void HostPaused(uint32_t port, const PauseOrder& order) override
    {
        m_first->HostPaused(port, order);
        m_second->HostPaused(port, order);
    }

    void Granted(uint32_t port, const Frame& frame, const Grant& grant, TimePs now) override
    {
        m_first->Granted(port, frame, grant, now);
        m_second->Granted(port, frame, grant, now);
    }

    void Shaped(uint32_t port, const Frame& frame, const ShapingGrant& grant, TimePs now) override
    {
        m_first->Shaped(port, frame, grant, now);
        m_second->Shaped(port, frame, grant, now);
    }

    void SegmentSent(uint32_t port,
                     const Frame& frame,
                     const WireSegment& segment,
                     TimePs now) override
    {
        m_first->SegmentSent(port, frame, segment, now);
        m_second->SegmentSent(port, frame, segment, now);
    }

  private:
    SwitchObserver* m_first;  ///< Sees it first.
    SwitchObserver* m_second; ///< Sees it then.
};

} // namespace ns3::fabric

#endif // FABRIC_OBSERVER_PAIR_H
