/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "fabric-credit-settings.h"
#include "fabric-subnet-manager.h"
#include "fabric-transmitter.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/nstime.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class FabricDevice;

/**
 * A link between two ports (WL-4): its rate, its propagation delay, what it damages, whether it
 * repeats that (WL-6), and whether credits are frames of their own (WL-5).
 *
 * The frames on it are entries of the receiver's rings; the channel takes no part in their
 * transfer.
 *
 * A link can fail and be repaired (WL-8), any number of times, also in the run. What is on it then
 * is lost. Where a time that is asked for is so near that a switch may be ahead of it, it is put
 * off to the next multiple of the switch's look-ahead (DP-6); what is announced longer ahead is
 * exact.
 */
class FabricChannel : public Channel
{
  public:
    static TypeId GetTypeId();
    FabricChannel();
    ~FabricChannel() override;

    /**
     * @param first one end
     * @param second the other end
     */
    void Attach(Ptr<FabricDevice> first, Ptr<FabricDevice> second);

    /// @param ends those that are switches: one or two
    void SetPlace(fabric::SubnetManager* manager, std::vector<fabric::SwitchPort> ends);

    /**
     * The link fails.
     *
     * @param time from the start; after all that was asked for before
     * @throws std::invalid_argument with a sentence if the link has failed already, or the time is
     * not after that of an earlier call
     */
    void FailAt(Time time);

    /**
     * The link is repaired.
     *
     * @param time from the start; after all that was asked for before
     * @throws std::invalid_argument with a sentence if the link has not failed, or the time is not
     * after that of an earlier call
     */
    void RepairAt(Time time);

    /**
     * The link fails and is repaired, or neither.
     *
     * @param from when it fails, see FailAt()
     * @param to when it is repaired, see RepairAt()
     * @throws std::invalid_argument with a sentence as these do; nothing has changed then
     */
    void FailBetween(Time from, Time to);

    /// @return whether the link is in use now
    bool IsUp() const;

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    fabric::LinkRate GetRate() const;

    /// @return the propagation delay, ps
    fabric::TimePs GetDelay() const;

    /// @return error models of frames from the first end and from the second; null for none
    std::array<Ptr<ErrorModel>, 2> GetErrorModels() const;

    /**
     * @param sender one end
     * @return what damages and repeats the frames that this end sends; null if nothing does
     */
    fabric::LinkErrors* GetErrors(Ptr<const FabricDevice> sender);

    /// @return how each end tells the other of room in its buffer
    const fabric::CreditSettings& GetCreditSettings() const;

    /// @return whether control frames may be lost on it, in one direction at least
    bool LosesControl() const;

  protected:
    void DoDispose() override;

  private:
    /// Asks an ns-3 error model about frames.
    class Loss;

    /// Adds the attributes of the link-level retry. @return the type
    static TypeId AddRetryAttributes(TypeId tid);
    /// Adds the attributes of credits. @return the type
    static TypeId AddCreditAttributes(TypeId tid);
    /// Refuses settings of a retry that is off.
    void CheckRetry() const;
    /// Refuses settings of credit frames that there are not.
    void CheckCredits() const;
    /// Checks a time of FailAt() or RepairAt().
    void CheckChange(Time time, bool fails) const;
    /// @throws std::invalid_argument with a sentence: FailAt() or RepairAt() is refused
    [[noreturn]] static void RefuseChange(Time time, bool fails, const std::string& problem);
    /// Tells the ends whether the link is in use from now on.
    void SetUp(bool isUp);

    fabric::SubnetManager* m_manager{nullptr}; ///< Fails and repairs it.
    std::vector<fabric::SwitchPort> m_ports;   ///< Its ends that are switches.
    Time m_lastChange;                         ///< Last time of FailAt() and RepairAt().
    bool m_isPlannedUp{true};                  ///< Whether the link is in use after that.
    bool m_isUp{true};                         ///< Whether it is now.

    DataRate m_rate;                               ///< Rate of the link.
    Time m_delay;                                  ///< Propagation delay.
    Ptr<ErrorModel> m_errorModel;                  ///< From the first end to the second.
    Ptr<ErrorModel> m_reverseErrorModel;           ///< From the second end to the first.
    std::array<Ptr<FabricDevice>, 2> m_ends;       ///< Both ends.
    bool m_controlErrors;                          ///< `ControlErrors`
    fabric::RetrySettings m_retry;                 ///< Attributes of the link-level retry.
    fabric::CreditSettings m_credits;              ///< Attributes of credits.
    std::array<std::unique_ptr<Loss>, 2> m_losses; ///< By sender.
    /// By sender; null for a clean link without retry.
    std::array<std::unique_ptr<fabric::LinkErrors>, 2> m_errors;
};

} // namespace ns3

#endif // FABRIC_CHANNEL_H
