/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-totals.h"

#include "fabric-nic.h"
#include "fabric-rank-link.h"
#include "fabric-switch-chip.h"

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3
{

using fabric::DropCause;
using fabric::RefusalCause;

void
FabricTotals::AddHops(const fabric::Transmitter& transmitter)
{
    dataHops += transmitter.Counts().frames;
    controlHops += transmitter.Counts().controlFrames;
}

void
FabricTotals::Drop(DropCause cause, uint64_t bytes)
{
    dropped[fabric::NameOf(cause)] += bytes;
}

void
FabricTotals::Add(const fabric::SwitchChip& chip, bool linksFail)
{
    inFlight += chip.InFlightPayload();
    copied += chip.Counts().copiedPayload;
    combined += chip.Counts().combinedPayload;
    const auto& bytes = chip.Counts().droppedPayload;
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        const auto cause = static_cast<DropCause>(i);
        const bool isRare =
            cause == DropCause::LINK_DOWN ? !linksFail : cause >= DropCause::BUFFER_FULL;
        if (!isRare || bytes[i] > 0)
        {
            Drop(cause, bytes[i]);
        }
    }
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        AddHops(chip.Output(port));
    }
}

void
FabricTotals::Add(const fabric::Nic& nic,
                  const fabric::RefusedBytes& refused,
                  fabric::TimePs now,
                  bool linksFail)
{
    const fabric::NicCounts counts = nic.Counts();
    const uint64_t arrived = nic.DeliveredBy(now);
    offered += counts.offered;
    delivered += arrived;
    inFlight += nic.Backlog() + (counts.arrived - arrived);
    Drop(DropCause::CORRUPT, counts.corrupt);
    if (linksFail)
    {
        Drop(DropCause::LINK_DOWN, counts.linkDown);
    }
    if (counts.bufferFull > 0)
    {
        Drop(DropCause::BUFFER_FULL, counts.bufferFull);
    }
    for (std::size_t i = 0; i < refused.size(); ++i)
    {
        if (refused[i] > 0)
        {
            offered += refused[i];
            dropped[fabric::NameOf(static_cast<RefusalCause>(i))] += refused[i];
        }
    }
    AddHops(nic.Uplink());
}

void
FabricTotals::AddRanks()
{
    const std::array<uint64_t*, 7>
        figures{&offered, &copied, &combined, &delivered, &inFlight, &dataHops, &controlHops};
    fabric::ByteWriter writer;
    for (uint64_t* figure : figures)
    {
        writer.Put(std::exchange(*figure, 0));
    }
    for (const auto& [cause, bytes] : std::exchange(dropped, {}))
    {
        writer.PutAll(std::vector<char>(cause.begin(), cause.end()));
        writer.Put(bytes);
    }
    for (const fabric::RankBytes& ofRank : fabric::GatherFromRanks(writer.Written()))
    {
        fabric::ByteReader reader(ofRank);
        for (uint64_t* figure : figures)
        {
            *figure += reader.Get<uint64_t>();
        }
        while (!reader.IsAtEnd())
        {
            const std::vector<char> cause = reader.GetAll<char>();
            dropped[std::string(cause.begin(), cause.end())] += reader.Get<uint64_t>();
        }
    }
}

void
FabricTotals::CheckConservation() const
{
    uint64_t accounted = delivered + combined + inFlight;
    for (const auto& [cause, bytes] : dropped)
    {
        accounted += bytes;
    }
    if (accounted != offered + copied)
    {
        throw std::logic_error(
            "offered " + std::to_string(offered) + " bytes and copied " + std::to_string(copied) +
            ", but delivered, combined, dropped and in flight are " + std::to_string(accounted));
    }
}

} // namespace ns3
