/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLLECTIVE_TRANSPORT_H
#define FABRIC_COLLECTIVE_TRANSPORT_H

#include <cstdint>
#include <functional>
#include <utility>

namespace ns3::fabric
{

/// Carries messages between the hosts of ranks.
class CollectiveTransport
{
  public:
    /// A message.
    struct Message
    {
        uint32_t from;  ///< Rank.
        uint32_t to;    ///< Another one.
        uint64_t bytes; ///< At least 1.
        uint64_t tag;   ///< Is told when it has come; below 2^62.
    };

    /// Is told of a message that has come, whole.
    using ArrivalCallback = std::function<void(uint64_t tag)>;

    virtual ~CollectiveTransport() = default;
    CollectiveTransport(const CollectiveTransport&) = delete;
    CollectiveTransport& operator=(const CollectiveTransport&) = delete;

    /// @param callback is told of all messages from now on
    void SetArrivalCallback(ArrivalCallback callback)
    {
        m_arrival = std::move(callback);
    }

    /**
     * Opens what connections it needs; in the simulation.
     *
     * @param ready is called when messages can be sent, which may be at once
     */
    virtual void Open(const std::function<void()>& ready)
    {
        ready();
    }

    /// @return whether the host of a rank is on another rank of MPI, which sends for it
    virtual bool IsElsewhere(uint32_t /* rank */) const
    {
        return false;
    }

    /// Sends a message at the present time. @param message from a host that is not elsewhere
    virtual void Send(const Message& message) = 0;

  protected:
    CollectiveTransport() = default;

    /// A message has come. @param tag of it
    void Arrive(uint64_t tag) const
    {
        if (m_arrival)
        {
            m_arrival(tag);
        }
    }

  private:
    ArrivalCallback m_arrival; ///< Is told.
};

} // namespace ns3::fabric

#endif // FABRIC_COLLECTIVE_TRANSPORT_H
