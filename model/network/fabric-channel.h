/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "fabric-transmitter.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/nstime.h"

#include <array>
#include <memory>

namespace ns3
{

class FabricDevice;

/**
 * A link between two ports (WL-4): its rate, its propagation delay and what it damages.
 *
 * The frames on it are entries of the receiver's rings; the channel takes no part in their
 * transfer.
 */
class FabricChannel : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    FabricChannel();
    ~FabricChannel() override;

    /**
     * @param first one end
     * @param second the other end
     */
    void Attach(Ptr<FabricDevice> first, Ptr<FabricDevice> second);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /// @return the rate of the link
    fabric::LinkRate GetRate() const;

    /// @return the propagation delay, ps
    fabric::TimePs GetDelay() const;

    /// @return error models of frames from the first end and from the second; null for none
    std::array<Ptr<ErrorModel>, 2> GetErrorModels() const;

    /**
     * @param sender one end
     * @return what damages the frames that this end sends; null for a clean link
     */
    fabric::LossModel* GetLossModel(Ptr<const FabricDevice> sender);

  protected:
    void DoDispose() override;

  private:
    /// Asks an ns-3 error model about frames.
    class Loss;

    DataRate m_rate;                               ///< Rate of the link.
    Time m_delay;                                  ///< Propagation delay.
    Ptr<ErrorModel> m_errorModel;                  ///< From the first end to the second.
    Ptr<ErrorModel> m_reverseErrorModel;           ///< From the second end to the first.
    std::array<Ptr<FabricDevice>, 2> m_ends;       ///< Both ends.
    std::array<std::unique_ptr<Loss>, 2> m_losses; ///< By sender.
};

} // namespace ns3

#endif // FABRIC_CHANNEL_H
