/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RESEND_ORDER_H
#define FABRIC_RESEND_ORDER_H

#include "fabric-outstanding-packet.h"
#include "fabric-retransmission-engine.h"
#include "fabric-sequence-number.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/**
 * Which packet of both windows is sent again first if that goes by RSN (RT-12). Own requests and
 * the peer's have RSNs of their own, which say nothing of each other, so there are two queues:
 *
 * | packets                       | order                                                         |
 * |-------------------------------|---------------------------------------------------------------|
 * | of own requests: requests and | lowest RSN first; of one RSN the request, then data by PSN    |
 * | push data                     |                                                               |
 * | of the peer's: grants, pull   | lowest RSN first, of one RSN by PSN                           |
 * | data and errors               |                                                               |
 * | the first of either           | the one that was sent longer ago, so that neither waits for   |
 * |                               | all of the other; the own if both were sent at once           |
 */
class ResendOrder
{
  public:
    /// A packet that waits to be resent.
    struct Candidate
    {
        const OutstandingPacket* packet{nullptr}; ///< It; null if there is none.
        uint32_t psn{0};                          ///< Its PSN.
        bool isRequest{false};                    ///< Its window.
    };

    /**
     * @param requests of the connection
     * @param data of the connection; one of both has a packet to resend
     * @return the one to resend next
     */
    static Candidate Next(const RetransmissionEngine& requests, const RetransmissionEngine& data)
    {
        std::array<Candidate, 2> first; // the peer's, own
        for (const RetransmissionEngine* engine : {&requests, &data})
        {
            engine->ForEachResend([&](uint32_t psn, const OutstandingPacket& packet) {
                Candidate& best = first[packet.IsOfOwnRequest()];
                if (best.packet == nullptr || SequenceBefore(packet.rsn, best.packet->rsn))
                {
                    best = {&packet, psn, engine == &requests};
                }
            });
        }
        const auto& [peers, own] = first;
        const bool isOwn =
            peers.packet == nullptr ||
            (own.packet != nullptr && own.packet->SentAt() <= peers.packet->SentAt());
        return isOwn ? own : peers;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_RESEND_ORDER_H
