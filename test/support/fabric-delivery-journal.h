/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DELIVERY_JOURNAL_H
#define FABRIC_DELIVERY_JOURNAL_H

#include "fabric-message-table.h"
#include "fabric-network.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"

#include <ostream>

namespace ns3::fabric
{

/**
 * Writes a line for each message that is delivered, so that runs can be compared.
 *
 * @param network whose messages
 * @param journal gets the lines; must stay until the simulation is over
 */
inline void
JournalDeliveries(const Ptr<FabricNetwork>& network, std::ostream& journal)
{
    network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&journal](const Message& message, Time now) {
            journal << now.GetPicoSeconds() << " " << message.src << " " << message.dst << " "
                    << message.sequence << " " << message.bytes << "\n";
        }));
}

} // namespace ns3::fabric

#endif // FABRIC_DELIVERY_JOURNAL_H
