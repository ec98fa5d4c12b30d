/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_ERRORS_H
#define FABRIC_LINK_ERRORS_H

#include "fabric-link-rate.h"
#include "fabric-retry-settings.h"
#include "fabric-ring.h"
#include "fabric-types.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// Decides which frames a link damages (WL-4). One object per direction of a link.
class LossModel
{
  public:
    virtual ~LossModel() = default;

    /**
     * @param bytes on the wire of a frame of any kind that is being sent
     * @return whether the receiver finds it damaged
     */
    virtual bool Corrupts(uint32_t bytes) = 0;
};

/// What becomes of a frame that a sender starts.
enum class Attempt : uint8_t
{
    CLEAN,   ///< It arrives undamaged.
    DAMAGED, ///< It arrives damaged, and is not repeated.
    LATER,   ///< The wire is taken by something else until a later time; then it is tried again.
};

/// What a link direction has damaged, but for data frames that their receiver counts, and what it
/// has repeated.
struct ErrorCounts
{
    uint64_t repeats{0};       ///< Attempts that were damaged and repeated.
    uint64_t repeatedBytes{0}; ///< Their bytes on the wire.
    uint64_t timeouts{0};      ///< Among the repeats: those whose request was lost.
    uint64_t givenUp{0};       ///< Frames that were damaged as often as the limit allows.
    uint64_t lostAcks{0};      ///< In ACK frames that were damaged and not repeated.
    uint64_t lostPauses{0};    ///< Pause frames that were.
    uint64_t lostCredits{0};   ///< Credit frames that were.
    uint64_t lostFgfc{0};      ///< Frames of fine-grain flow control that were.

    /// @param other is added
    void Add(const ErrorCounts& other)
    {
        repeats += other.repeats;
        repeatedBytes += other.repeatedBytes;
        timeouts += other.timeouts;
        givenUp += other.givenUp;
        lostAcks += other.lostAcks;
        lostPauses += other.lostPauses;
        lostCredits += other.lostCredits;
        lostFgfc += other.lostFgfc;
    }
};

/// A unit of a frame that is damaged, and repeated until it comes through (WL-6).
struct UnitRepeat
{
    uint32_t byte; ///< First one of the unit, of those of the frame.
    TimePs taken;  ///< Time that the wire is taken before it goes through, ps.
};

/**
 * The errors of a link direction, and its link-level retry (WL-6), at the sender.
 *
 * The receiver of a damaged frame asks for it when its tail is in, and throws away what comes until
 * it is repeated. The sender knows all that when it starts the frame; so nothing is kept or thrown
 * away: the wire is just taken until the repeat starts, and the frame stays where it waits.
 *
 * @verbatim
   sender    |==damaged==|--- thrown away, or nothing ---|==frame==|
             now      tail           request is in: repeat starts
   receiver        |==damaged==| asks                         |==frame==|
   @endverbatim
 *
 * A damaged attempt takes the link for its own time, twice the delay and the latency of both ends;
 * if the request is lost too, for its own time and the time-out.
 *
 * A frame that is sent in pieces is repeated by units, of which the same is true: the wire is taken
 * before the unit, and the rest of the frame follows it.
 *
 * A frame is in the replay buffer from its start until the receiver has confirmed it. If the buffer
 * has no room for a frame, that has to wait.
 */
class LinkErrors
{
  public:
    /// A link without retry. @param loss damages frames; not null
    explicit LinkErrors(LossModel* loss)
        : m_loss(loss)
    {
    }

    /**
     * A link with retry.
     *
     * @param loss damages frames; null for a clean link
     * @param delay of each direction, ps
     * @throws std::invalid_argument if a setting does not fit to the link
     */
    LinkErrors(LossModel* loss, const RetrySettings& settings, LinkRate rate, TimePs delay);

    /// @return whether it may damage frames
    bool HasLoss() const
    {
        return m_loss != nullptr;
    }

    /// @return whether damaged frames are repeated
    bool Repeats() const
    {
        return m_roundTrip != 0;
    }

    /**
     * A frame could start.
     *
     * @param bytes of it on the wire
     * @param now when, ps
     * @param freeAt is set to when the wire is free, if the outcome is LATER, ps
     * @return what becomes of it
     */
    Attempt Try(uint32_t bytes, TimePs now, TimePs& freeAt);

    /**
     * A frame could start that is sent in pieces: a link with retry repeats units of it.
     *
     * @param bytes of it on the wire
     * @param now when, ps
     * @param freeAt is set to when the wire is free, if the outcome is LATER, ps
     * @param repeats gets the units that will be repeated after the first one, by place
     * @return what becomes of it; LATER if its first unit is repeated
     */
    Attempt TryInUnits(uint32_t bytes,
                       TimePs now,
                       TimePs& freeAt,
                       std::vector<UnitRepeat>& repeats);

    /// As Try(), for a control frame: ACKs, a pause or credits.
    Attempt TryControl(uint32_t bytes, TimePs now, TimePs& freeAt)
    {
        return m_sparesControl ? Attempt::CLEAN : Try(bytes, now, freeAt);
    }

    /// @return how damaged frames are repeated
    const RetrySettings& Settings() const
    {
        return m_settings;
    }

    /// Control frames are not damaged.
    void SpareControl()
    {
        m_sparesControl = true;
    }

    /// The link has failed: nothing of what was sent before is confirmed or repeated.
    void Forget();

    /// @return the size of a request for a repeat, bytes: one word of the link
    static constexpr uint32_t REQUEST_BYTES = 8;

    /// @param acks were in a frame that was damaged and is not repeated
    void CountLostAcks(uint32_t acks)
    {
        m_counts.lostAcks += acks;
    }

    /// A pause was damaged and is not repeated.
    void CountLostPause()
    {
        ++m_counts.lostPauses;
    }

    /// A frame of fine-grain flow control was damaged and is not repeated.
    void CountLostFgfc()
    {
        ++m_counts.lostFgfc;
    }

    /// A credit frame was damaged and is not repeated.
    void CountLostCredits()
    {
        ++m_counts.lostCredits;
    }

    const ErrorCounts& Counts() const
    {
        return m_counts;
    }

  private:
    /// A frame in the replay buffer.
    struct Kept
    {
        TimePs until;   ///< When it is confirmed, ps.
        uint32_t bytes; ///< Of it on the wire.
    };

    /// @return when the replay buffer has room for a frame, ps
    TimePs RoomAt(uint32_t bytes, TimePs now);
    /// An attempt is damaged, and repeated. @return how long it takes the wire, ps
    TimePs Repeat(uint32_t bytes);
    /// @return how long attempts of a unit take the wire that are damaged; nothing if it is given
    /// up, ps
    std::optional<TimePs> RepeatUnit(uint32_t bytes);

    LossModel* m_loss;           ///< Damages frames; null for a clean link.
    RetrySettings m_settings;    ///< Of the retry.
    LinkRate m_rate;             ///< Of the link.
    TimePs m_roundTrip{0};       ///< From a tail's departure until it is confirmed; 0: no retry.
    TimePs m_timeout{0};         ///< From a tail's departure until it is repeated unasked, ps.
    bool m_sparesControl{false}; ///< Whether control frames are not damaged.
    uint32_t m_repeats{0};       ///< Of the frame that is tried next.
    uint32_t m_keptBytes{0};     ///< In the replay buffer.
    Ring<Kept> m_kept;           ///< In the replay buffer, if that is limited.
    ErrorCounts m_counts;        ///< Done so far.
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_ERRORS_H
