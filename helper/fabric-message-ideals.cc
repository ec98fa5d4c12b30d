/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-ideals.h"

#include "fabric-net-device.h"
#include "fabric-pio.h"
#include "fabric-store-clock.h"
#include "fabric-topology.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

using fabric::EmptyPath;
using fabric::Message;
using fabric::StoreClock;
using fabric::TimePs;

FabricMessageIdeals::FabricMessageIdeals(Ptr<FabricNetwork> network)
    : m_network(network)
{
}

Ptr<FabricPio>
FabricMessageIdeals::PioOf(const Message& message) const
{
    return message.isPio ? m_network->GetDevices()[fabric::HostOf(message.src)]
                               ->GetNode()
                               ->GetObject<FabricPio>()
                         : nullptr;
}

bool
FabricMessageIdeals::IsBySdma(const Message& message) const
{
    const Ptr<FabricPio> pio = PioOf(message);
    return pio && pio->GetSettings().IsForSdma(message.bytes);
}

std::optional<TimePs>
FabricMessageIdeals::TimeOf(const Message& message, const EmptyPath& path) const
{
    if (!message.isPio)
    {
        return path.CompletionTime(message.bytes);
    }
    Message alone = message;
    alone.sentAt = 0;
    return EndOf({&alone}, path);
}

std::optional<TimePs>
FabricMessageIdeals::EndOf(const Messages& messages, EmptyPath path) const
{
    if (std::any_of(messages.begin(), messages.end(), [this](const Message* message) {
            return IsBySdma(*message);
        }))
    {
        return std::nullopt;
    }
    TimePs end = 0;
    for (const Piece& piece : PiecesOf(messages))
    {
        end = path.Send(piece.at, piece.bytes);
    }
    return end;
}

std::vector<FabricMessageIdeals::Piece>
FabricMessageIdeals::PiecesOf(const Messages& messages) const
{
    std::vector<Piece> pieces;
    std::map<uint32_t, StoreClock> threads;
    for (const Message* message : messages)
    {
        const Ptr<FabricPio> pio = PioOf(*message);
        if (!pio)
        {
            pieces.push_back({message->sentAt, message->bytes});
            continue;
        }
        const auto thread =
            threads.try_emplace(message->process, pio->GetSettings(), pio->GetPcieSettings()).first;
        thread->second.Store(message->sentAt, message->bytes, [&](TimePs at, uint32_t bytes) {
            pieces.push_back({at, bytes});
        });
    }
    // Packets of several threads come to the NIC by turns.
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
        return a.at < b.at;
    });
    return pieces;
}

} // namespace ns3
