/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_RECORDER_H
#define FABRIC_MESSAGE_RECORDER_H

#include "fabric-message-table.h"
#include "fabric-network.h"

#include <functional>
#include <ostream>
#include <vector>

namespace ns3
{

/**
 * Keeps the messages that a fabric has delivered, and writes them as tables (SC-5).
 */
class FabricMessageRecorder
{
  public:
    /// A message with the time of its last byte.
    struct Record
    {
        fabric::Message message;    ///< The message.
        fabric::TimePs deliveredAt; ///< Time of its last byte, ps.

        /// @return time from its send to its last byte, ps
        fabric::TimePs CompletionTime() const
        {
            return deliveredAt - message.sentAt;
        }
    };

    /// @param network is listened to from now on; the recorder has to live as long as it runs
    explicit FabricMessageRecorder(Ptr<FabricNetwork> network);
    ~FabricMessageRecorder();

    FabricMessageRecorder(const FabricMessageRecorder&) = delete;
    FabricMessageRecorder& operator=(const FabricMessageRecorder&) = delete;

    /**
     * Keeps some messages only: those of a part of the traffic.
     *
     * @param keeps says whether a message is kept; callbacks are told of all
     */
    void SetFilter(std::function<bool(const fabric::Message&)> keeps);

    /// @param onDelivery is called for each message, after it is kept
    void SetCallback(std::function<void(const Record&)> onDelivery);

    /// @param onLoss is called for each message of which a part is lost, when nothing of it is
    /// under way any more
    void SetLossCallback(std::function<void(const fabric::Message&)> onLoss);

    /// Gets what was delivered on other ranks; all ranks have to call it, when the simulation is
    /// over.
    void AddRanks();

    /// @return what was delivered, by time, then source, then number
    const std::vector<Record>& GetRecords() const;

    /// One row per message: messages.csv. @param os where to write
    void WriteMessages(std::ostream& os) const;

    /// One row per source, destination and class: flows.csv. @param os where to write
    void WriteFlows(std::ostream& os) const;

  private:
    /// A message was delivered.
    void Delivered(const fabric::Message& message, Time now);
    /// A message was lost.
    void Lost(const fabric::Message& message);

    Ptr<FabricNetwork> m_network;                         ///< Is listened to.
    mutable std::vector<Record> m_records;                ///< Sorted when asked for.
    std::size_t m_known{0};                               ///< Records that all ranks have.
    mutable bool m_isSorted{true};                        ///< Whether it is sorted.
    std::function<bool(const fabric::Message&)> m_keeps;  ///< Of which messages; empty for all.
    std::function<void(const Record&)> m_onDelivery;      ///< Is told.
    std::function<void(const fabric::Message&)> m_onLoss; ///< Is told.
};

} // namespace ns3

#endif // FABRIC_MESSAGE_RECORDER_H
