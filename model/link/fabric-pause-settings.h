/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_SETTINGS_H
#define FABRIC_PAUSE_SETTINGS_H

#include "fabric-link-rate.h"
#include "fabric-pause-controller.h"

#include <string>

namespace ns3::fabric
{

/// How the receiver of a link keeps the sender from overrunning its input buffer (WL-5).
enum LinkFlowControl
{
    LINK_CREDITS,        ///< Link credits.
    LINK_PAUSE,          ///< Pause of the whole link, IEEE 802.3x.
    LINK_PRIORITY_PAUSE, ///< Pause of each priority, IEEE 802.1Qbb; the priority is the class
                         ///< modulo 8.
};

/// What a user chooses of an input that pauses its sender.
struct PauseSettings
{
    /// Of the input buffer: per priority, or of the port where the whole link is stopped. Buffers
    /// and thresholds are not published; chosen: a quarter of the default buffer, so that three
    /// priorities can be full and the headroom of a 200 Gb/s link of 1 us (115 kB) is left.
    PauseThresholds thresholds{128 * 1024, 96 * 1024};
    /// The frames that wait for a flow_id stop the host above this, and let it go at half of it
    /// (FC-9), bytes. Chosen: a quarter of the above.
    uint32_t eiqPauseBytes{32 * 1024};
    /// Length of a pause in units of 512 bit times. It is lifted or repeated in time, so the
    /// longest costs nothing and saves frames.
    uint16_t quanta{MAX_PAUSE_QUANTA};
    /// How long a host may take from the arrival of a pause frame to the last start of a frame,
    /// in units of 512 bit times. IEEE Std 802.3, 31B.3.7, allows 67 at 10 Gb/s, 80 at 25, 118 at
    /// 40, 147 at 50, 394 at 100, 453 at 200, 905 at 400 (as tabulated in SONiC's
    /// buffer_headroom_mellanox.lua).
    uint16_t responseQuanta{453};
};

/// The link and the buffer that a pause has to protect.
struct PausedLink
{
    LinkRate rate;            ///< Rate, both ways.
    TimePs delay{0};          ///< Propagation, one way, ps.
    TimePs dataLatency{0};    ///< From a frame's arrival to its being counted in the buffer, ps.
    uint32_t largestFrame{0}; ///< Bytes of the largest frame on the wire, either way.
    uint32_t bufferBytes{0};  ///< Input buffer.
    /// Frames that may have been begun besides the lowest, both ways together (VA-9).
    uint32_t nestedBytes{0};
    /// From the arrival of a pause frame to the last start of a frame, ps.
    TimePs response{0};
    /// What has been granted before that, and still goes: the output buffer of a switch whose
    /// crossbar has tiles.
    uint32_t grantedBytes{0};
};

/**
 * The room that must be left above an XOFF threshold so that nothing is lost: what can still arrive
 * after it is passed.
 *
 *   rate (2 delay + dataLatency + response)  on the way, there and back, and until the sender obeys
 *   + largestFrame + PAUSE_FRAME_BYTES       while the pause frame waits for the wire and takes it
 *   + 2 largestFrame                         the one that passes the threshold, the one in progress
 *   + nestedBytes                            those that have interrupted the one in progress, or
 *                                            that for which the pause frame waits
 *   + grantedBytes                           those that no pause holds back any more
 *
 * @param link what is protected
 * @return bytes
 */
uint64_t PauseHeadroom(const PausedLink& link);

/**
 * Where a switch pauses another. By default XOFF leaves the headroom free for a pause of the whole
 * link; a priority gets half of the rest, as one that is congested alone gets by dynamic thresholds
 * with alpha = 1 (Choudhury and Hahne, IEEE/ACM Trans. Networking 6(2), 1998), so that others find
 * room. XON is a largest frame below XOFF. So Mellanox sets them (mlx5 of Linux,
 * en/port_buffer.c: xoff is the buffer without the headroom, xon is xoff less the largest MTU), but
 * for the half.
 *
 * @param mode LINK_PAUSE or LINK_PRIORITY_PAUSE
 * @param chosen by the user, bytes; each 0 for the default
 * @param link what is protected
 * @return thresholds; an XOFF of 0 if the buffer does not hold the headroom
 */
PauseThresholds LinkThresholds(LinkFlowControl mode,
                               const PauseThresholds& chosen,
                               const PausedLink& link);

/**
 * @param mode LINK_PAUSE or LINK_PRIORITY_PAUSE
 * @param settings the user's
 * @param link what is protected
 * @return what decides about the pauses. All priorities together are stopped when only the headroom
 * is left, so that it is needed once and not for each priority; or at the threshold of one, if that
 * leaves less.
 * @throw std::invalid_argument if the pause is too short to be repeated in time
 */
PauseConfig MakePauseConfig(LinkFlowControl mode,
                            const PauseSettings& settings,
                            const PausedLink& link);

/**
 * @param settings the user's; thresholds don't count beside a memory that ports share
 * @param what begins the names of the thresholds in sentences
 * @param memory that ports share, beside which each priority has its headroom; null for none
 * @return what decides about the pauses, as MakePauseConfig() says
 * @throw std::invalid_argument if the thresholds leave less than the headroom or are in the wrong
 * order, and as MakePauseConfig()
 */
PauseController MakePauseController(LinkFlowControl mode,
                                    const PauseSettings& settings,
                                    const PausedLink& link,
                                    const std::string& what = "Pause",
                                    SharedMemory* memory = nullptr);

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_SETTINGS_H
