/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_LOADS_H
#define FABRIC_OUTPUT_LOADS_H

#include "fabric-congestion-marker.h"
#include "fabric-endpoint-detector.h"
#include "fabric-frame.h"
#include "fabric-input-queue.h"
#include "fabric-link-credits.h"
#include "fabric-output-lists.h"
#include "fabric-path-telemetry.h"
#include "fabric-waiting-sources.h"

#include <array>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// What waits for each output of a switch, which frames are marked for it (RT-14), and which links
/// to hosts are congested (CM-1).
class OutputLoads
{
  public:
    /// @param seed of marking
    OutputLoads(uint32_t outputs, const MarkRules& marks, uint32_t seed)
        : m_queuedBytes(outputs, 0),
          m_marker(IsAnyMarked(marks) ? std::make_unique<CongestionMarker>(marks, outputs, seed)
                                      : nullptr),
          m_isWatched(m_marker != nullptr)
    {
    }

    /// Flows of some classes take several ways, before anything waits. @param classes bit mask
    void CountBySource(uint16_t classes)
    {
        m_bySource = classes;
    }

    /// What waits is counted by virtual channel, too, before anything does.
    void CountChannels()
    {
        m_ofChannels.resize(m_queuedBytes.size());
        m_isWatched = true;
    }

    /// Packets of the transport are to say what waits and has left, before anything does.
    void AddTelemetry()
    {
        m_telemetry = std::make_unique<PathTelemetry>(static_cast<uint32_t>(m_queuedBytes.size()));
        m_isWatched = true;
    }

    /// @return what packets say of it; null without AddTelemetry()
    PathTelemetry* Telemetry() const
    {
        return m_telemetry.get();
    }

    /**
     * Congestion of an output is looked for, before anything waits there.
     *
     * @param lists that the output arbitrates between, each of which is judged apart: how they
     * share the link is up to their table; 1 to judge them together
     */
    void Watch(uint32_t output, const EndpointDetector& detector, uint32_t lists)
    {
        m_endpoints.resize(m_queuedBytes.size());
        m_watched.resize(m_queuedBytes.size());
        m_endpoints[output] = std::vector<Endpoint>(lists, Endpoint{detector, {}});
        m_watched[output] = {m_endpoints[output].data(), lists == 1 ? 0 : OutputLists::MOST - 1};
        m_isWatched = true;
    }

    /// @param roundTrip see EndpointDetector::SetRoundTrip(), for all that are watched
    void SetRoundTrip(TimePs roundTrip)
    {
        for (std::vector<Endpoint>& lists : m_endpoints)
        {
            for (Endpoint& endpoint : lists)
            {
                endpoint.detector.SetRoundTrip(roundTrip);
            }
        }
    }

    /// @param credits of the link to a switch there, whose receiver's buffer counts in Ahead()
    void SetCredits(uint32_t output, LinkCredits& credits)
    {
        m_credits.resize(m_queuedBytes.size());
        m_credits[output] = &credits;
    }

    /**
     * Counts a frame among those that wait for an output, and may mark it.
     *
     * @param queue in which it waits now, with this output
     * @param frame that begins to wait
     * @param isFirst whether it is the only one there
     */
    void BeginWait(const InputQueue& queue, Frame& frame, bool isFirst, TimePs now)
    {
        m_queuedBytes[queue.output] += WireBytes(frame.payload);
        if (m_isWatched)
        {
            BeginWatched(queue, frame, isFirst, now);
        }
    }

    /**
     * Counts a frame out of those that wait for an output.
     *
     * @param queue in which it has waited
     * @param frame that waits no longer
     * @param isLast whether none is left there
     */
    void EndWait(const InputQueue& queue, const Frame& frame, bool isLast, TimePs now)
    {
        m_queuedBytes[queue.output] -= WireBytes(frame.payload);
        if (m_isWatched)
        {
            EndWatched(queue, frame, isLast, now);
        }
    }

    /// As EndWait(), of a frame that takes the wire. @param now when it does, ps
    void Depart(const InputQueue& queue, const Frame& frame, bool isLast, TimePs now)
    {
        m_queuedBytes[queue.output] -= WireBytes(frame.payload);
        if (m_isWatched)
        {
            DepartWatched(queue, frame, isLast, now);
        }
    }

    /**
     * Frames of a queue may not go for now, or may again, since holds by severity have come or
     * gone.
     *
     * @param queue whose holds are the new ones
     */
    void HoldsChanged(const InputQueue& queue, const FramePool& pool)
    {
        Endpoint* endpoint = Watching(queue);
        for (uint32_t i = endpoint ? queue.head : NO_FRAME; i != NO_FRAME; i = pool.At(i).next)
        {
            const uint32_t bytes = WireBytes(pool.At(i).payload);
            queue.IsHeldByLimit() ? endpoint->detector.Hold(bytes)
                                  : endpoint->detector.Release(bytes);
        }
    }

    /**
     * Frames of a queue wait in another list of the same output.
     *
     * @param queue that is in the old list, and gets the new one
     */
    void ChangeList(InputQueue& queue, uint8_t list, const FramePool& pool)
    {
        Endpoint* before = Watching(queue);
        queue.list = list & (OutputLists::MOST - 1);
        Endpoint* after = Watching(queue);
        for (uint32_t i = before != after ? queue.head : NO_FRAME; i != NO_FRAME;
             i = pool.At(i).next)
        {
            const Frame& frame = pool.At(i);
            Leave(*before, queue, frame, frame.next == NO_FRAME);
            Join(*after, queue, frame, i == queue.head);
        }
    }

    /// @return bytes that wait for it
    uint32_t QueuedBytes(uint32_t output) const
    {
        return m_queuedBytes[output];
    }

    /// @return bytes that wait for it on a virtual channel of its link, after CountChannels()
    uint32_t QueuedBytes(uint32_t output, uint32_t vc) const
    {
        return m_ofChannels[output][vc];
    }

    /**
     * @param vc virtual channel of the link
     * @return bytes that wait for it, and those of the channel that are on the link or in the
     * buffer of its receiver, as far as credits tell: all that is known here of what is ahead
     */
    uint64_t Ahead(uint32_t output, uint32_t vc, TimePs now) const
    {
        const LinkCredits* credits = CollectCredits(output, now);
        return m_queuedBytes[output] + uint64_t{credits ? credits->Used(vc) : 0};
    }

    /// @return the same of all channels of the link
    uint64_t Ahead(uint32_t output, TimePs now) const
    {
        uint64_t bytes = m_queuedBytes[output];
        const LinkCredits* credits = CollectCredits(output, now);
        for (uint32_t vc = 0; credits && vc < credits->Shares().virtualChannels; ++vc)
        {
            bytes += credits->Used(vc);
        }
        return bytes;
    }

    /// @return what marks frames; null if none are marked
    const CongestionMarker* Marker() const
    {
        return m_marker.get();
    }

    /// @return what looks for congestion where a queue waits, at each frame; null if nobody does
    const EndpointDetector* Detector(const InputQueue& queue) const
    {
        const Endpoint* endpoint = Watching(queue);
        return endpoint ? &endpoint->detector : nullptr;
    }

    /// @return whether congestion of an output is looked for
    bool IsWatched(uint32_t output) const
    {
        return !m_watched.empty() && m_watched[output].first;
    }

    /// @return bytes that wait for an output that is watched, and are not held
    uint64_t WatchedBytes(uint32_t output) const
    {
        uint64_t bytes = 0;
        for (const Endpoint& endpoint : m_endpoints[output])
        {
            bytes += endpoint.detector.Bytes();
        }
        return bytes;
    }

  private:
    /// What waits for a host, or in one of the lists of its output.
    struct Endpoint
    {
        EndpointDetector detector; ///< Looks for congestion.
        WaitingSources sources;    ///< Of m_bySource.
    };

    /// Where what is told of a queue goes to: each frame looks there twice.
    struct Watched
    {
        Endpoint* first{nullptr}; ///< Of the output's lists; null if nobody looks.
        uint32_t mask{0};         ///< Of InputQueue::list; 0 where all are judged together.
    };

    /// @return credits of a link, with those that have come back by now; null where there are none
    const LinkCredits* CollectCredits(uint32_t output, TimePs now) const
    {
        LinkCredits* credits = output < m_credits.size() ? m_credits[output] : nullptr;
        if (credits)
        {
            credits->Collect(now);
        }
        return credits;
    }

    /// @return whether frames of its flow may wait in several queues
    bool IsBySource(const Frame& frame) const
    {
        return (m_bySource >> frame.trafficClass & 1) != 0;
    }

    /// As Detector(), for who tells it what waits.
    Endpoint* Watching(const InputQueue& queue) const
    {
        if (m_watched.empty())
        {
            return nullptr;
        }
        const Watched& watched = m_watched[queue.output];
        return watched.first ? watched.first + (queue.list & watched.mask) : nullptr;
    }

    /// A frame begins to wait. @param isFirst whether it is the only one in its queue
    void Join(Endpoint& endpoint, const InputQueue& queue, const Frame& frame, bool isFirst) const
    {
        const uint32_t bytes = WireBytes(frame.payload);
        endpoint.detector.Join(bytes,
                               IsBySource(frame) ? endpoint.sources.Begin(frame.src) : isFirst);
        if (queue.IsHeldByLimit())
        {
            endpoint.detector.Hold(bytes);
        }
    }

    /// A frame waits no longer. @param isLast whether none is left in its queue
    void Leave(Endpoint& endpoint, const InputQueue& queue, const Frame& frame, bool isLast) const
    {
        const uint32_t bytes = WireBytes(frame.payload);
        endpoint.detector.Leave(bytes,
                                IsBySource(frame) ? endpoint.sources.End(frame.src) : isLast);
        if (queue.IsHeldByLimit())
        {
            endpoint.detector.Release(bytes);
        }
    }

    /// As BeginWait(), for who looks at it.
    [[gnu::noinline]] void BeginWatched(const InputQueue& queue,
                                        Frame& frame,
                                        bool isFirst,
                                        TimePs now)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        if (!m_ofChannels.empty())
        {
            m_ofChannels[queue.output][queue.vc] += bytes;
        }
        if (m_marker && m_marker->Join(queue.output, frame.trafficClass, bytes))
        {
            frame.marked = 1;
        }
        if (Endpoint* endpoint = Watching(queue))
        {
            Join(*endpoint, queue, frame, isFirst);
            endpoint->detector.NoteSource(frame.src, now);
            endpoint->detector.Decide(now);
        }
    }

    /// As Depart(), for who looks at it.
    [[gnu::noinline]] void DepartWatched(const InputQueue& queue,
                                         const Frame& frame,
                                         bool isLast,
                                         TimePs now)
    {
        EndWatched(queue, frame, isLast, now);
        if (m_telemetry)
        {
            m_telemetry->Leave(queue.output, frame, m_queuedBytes[queue.output], now);
        }
    }

    /// As EndWait(), for who looks at it.
    [[gnu::noinline]] void EndWatched(const InputQueue& queue,
                                      const Frame& frame,
                                      bool isLast,
                                      TimePs now)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        if (!m_ofChannels.empty())
        {
            m_ofChannels[queue.output][queue.vc] -= bytes;
        }
        if (m_marker)
        {
            m_marker->Leave(queue.output, frame.trafficClass, bytes);
        }
        if (Endpoint* endpoint = Watching(queue))
        {
            Leave(*endpoint, queue, frame, isLast);
            endpoint->detector.Decide(now);
        }
    }

    // What each hop touches comes first: see SwitchUnits.
    std::vector<uint32_t> m_queuedBytes;        ///< By output.
    std::vector<Watched> m_watched;             ///< By output; empty if nobody looks anywhere.
    std::unique_ptr<CongestionMarker> m_marker; ///< Null if no frame is marked.
    uint16_t m_bySource{0}; ///< Bit mask of the classes whose flows take several ways.
    bool m_isWatched; ///< Whether there is a marker, a detector, telemetry or a count of channels.
    std::vector<LinkCredits*> m_credits; ///< By output, null to hosts; may be empty.
    /// By output, and by list where these are judged apart; empty where nobody looks.
    std::vector<std::vector<Endpoint>> m_endpoints;
    /// Bytes that wait, by output and virtual channel; empty if they are not counted.
    std::vector<std::array<uint32_t, VIRTUAL_CHANNELS>> m_ofChannels;
    std::unique_ptr<PathTelemetry> m_telemetry; ///< Null if packets don't say anything.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_LOADS_H
