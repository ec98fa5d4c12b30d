/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INCAST_TRAFFIC_H
#define FABRIC_INCAST_TRAFFIC_H

#include "fabric-incast-helper.h"
#include "fabric-initiator-application.h"
#include "fabric-run.h"
#include "fabric-transport-helper.h"
#include "fabric-victim-helper.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// What victims beside an incast send.
struct VictimLoad
{
    uint64_t bytes; ///< Of each message.
    Time interval;  ///< Between the messages of one victim.
};

/// An incast and victims beside it, whatever carries them.
class IncastTraffic
{
  public:
    /// A message of a victim that was delivered.
    struct VictimMessage
    {
        TimePs sentAt;         ///< When it was handed over, ps.
        TimePs completionTime; ///< How long it took, ps.
    };

    IncastTraffic() = default;
    virtual ~IncastTraffic() = default;
    IncastTraffic(const IncastTraffic&) = delete;
    IncastTraffic& operator=(const IncastTraffic&) = delete;

    /**
     * Runs until the incast is over and all else has ended, too.
     *
     * @param then is called at the end of the incast
     * @throws InvariantError if a part of the incast is lost or hangs
     */
    virtual void Run(FabricRun& run, const std::function<void()>& then) = 0;

    /// @return those of all victims, but for what waited for a connection
    virtual std::vector<VictimMessage> GetVictimMessages() const = 0;

    /// Adds what only this traffic can tell. @param summary the figures
    virtual void AddFigures(Summary& summary) const = 0;

    /// Writes messages.csv.
    virtual void WriteMessages(RunDirectory& directory) const = 0;
};

/// An incast and victims that send native messages.
class MessageIncastTraffic : public IncastTraffic
{
  public:
    /// Installs it. @param fabric where
    MessageIncastTraffic(const FabricContainer& fabric,
                         const IncastHelper& incast,
                         const VictimHelper& victims,
                         const VictimLoad& load,
                         const FabricMessageRecorder& recorder);

    void Run(FabricRun& run, const std::function<void()>& then) override;
    std::vector<VictimMessage> GetVictimMessages() const override;
    void AddFigures(Summary& summary) const override;
    void WriteMessages(RunDirectory& directory) const override;

  private:
    const FabricMessageRecorder& m_recorder; ///< Keeps what was delivered.
    std::size_t m_senders;                   ///< Of the incast.
};

/**
 * An incast and victims that write by the reliable transport, each over a connection of its own.
 * The settings of the transport are the defaults of its attributes.
 */
class TransportIncastTraffic : public IncastTraffic
{
  public:
    static constexpr uint64_t MOST_BYTES = 0x7FFFFFFF; ///< That a sender can send.

    /**
     * Installs it.
     *
     * @param fabric where; must stay
     * @param incast of at most MOST_BYTES by each
     */
    TransportIncastTraffic(const FabricContainer& fabric,
                           const IncastHelper& incast,
                           const VictimHelper& victims,
                           const VictimLoad& load);

    void Run(FabricRun& run, const std::function<void()>& then) override;
    std::vector<VictimMessage> GetVictimMessages() const override;
    void AddFigures(Summary& summary) const override;
    void WriteMessages(RunDirectory& directory) const override;

  private:
    /// A host that writes to another one.
    struct Initiator
    {
        uint32_t src;           ///< Number of its host.
        uint32_t dst;           ///< Number of the target's host.
        bool isVictim;          ///< Or of the incast.
        TimePs openedAt{NEVER}; ///< When its connection was there, ps.
    };

    /// A write that is complete.
    struct Write
    {
        TimePs end;            ///< When its initiator learned of it, ps.
        std::size_t initiator; ///< Number of it.
        RdmaEvent event;       ///< Its completion.
    };

    /// Lets a host write to another one.
    Ptr<Application> Install(const FabricTransportHelper& helper, const Initiator& initiator);
    /// A write is complete.
    void Complete(const Write& write);

    const FabricContainer& m_fabric;     ///< Where it is.
    std::size_t m_senders;               ///< Of the incast.
    std::size_t m_over{0};               ///< Of these, those that are complete.
    std::vector<Initiator> m_initiators; ///< Senders, then victims.
    std::vector<Write> m_writes;         ///< In the order of their ends.
    std::function<void()> m_then;        ///< Called at the end of the incast.
};

} // namespace ns3::fabric

#endif // FABRIC_INCAST_TRAFFIC_H
