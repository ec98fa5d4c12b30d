/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ENGINE_GROUP_H
#define FABRIC_ENGINE_GROUP_H

#include "fabric-engine-slot.h"

#include <memory>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// What to say where Nic::TakesEngine() does not hold.
inline constexpr const char* TOO_LATE_FOR_ENGINE =
    "another engine of the NIC has sent already; allowed is to install all of them before";

/**
 * Several engines of a NIC as one: the reliable transport, PIO and command queues side by side.
 *
 *     NIC -- EngineSlot -- EngineGroup -+- EngineSlot -- transport   one packet at a time
 *                                       +- EngineSlot -- PIO         all packets at once
 *
 * Each engine keeps a slot of its own, so that what waits, is held back or needs an alarm is known
 * of each by itself. Together they offer all: the group asks an engine for another packet when its
 * slot would. Who goes first on the wire is up to the NIC's lanes and queues; an engine that offers
 * all has queues of its own, by which its packets are told apart.
 *
 * A NIC with one engine has no group.
 */
class EngineGroup : public NicEngine
{
  public:
    /// @param first the slot of the first engine, which has sent nothing yet
    explicit EngineGroup(const EngineSlot& first);

    /// @copydoc EngineSlot::Put()
    void Add(NicEngine& engine, Alarm* alarm, TimePs sendDelay);

    /// The alarm of one of them has come, and the NIC was run. @param now as EngineSlot, ps
    void TakeAlarm(TimePs now);

    TimePs NextTime() const override;
    void Handle(TimePs at) override;
    std::optional<EnginePacket> NextPacket(TimePs now) override;
    bool OffersAll() const override;
    bool HasPacket() const override;
    void PacketGoes(uint32_t queue, TimePs now, TimePs end) override;
    void StopQueue(uint32_t queue) override;
    void ResumeQueue(uint32_t queue) override;
    FrameKinds Takes() const override;
    void Arrive(const Frame& frame) override;
    TimePs NextReport(TimePs next) const override;
    TimePs ReportDelay() const override;
    void Fetch(uint32_t step) const override;

  private:
    std::vector<std::unique_ptr<EngineSlot>> m_slots; ///< In the order of their installation.
    std::vector<uint8_t> m_ownerOf;                   ///< Place of a packet's engine, by queue.
};

} // namespace ns3::fabric

#endif // FABRIC_ENGINE_GROUP_H
