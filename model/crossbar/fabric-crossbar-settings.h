/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CROSSBAR_SETTINGS_H
#define FABRIC_CROSSBAR_SETTINGS_H

#include "fabric-age-queue-places.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What is between the inputs and the outputs of a switch (SW-4).
enum CrossbarModel
{
    CROSSBAR_IDEAL, ///< An output takes a frame from any input whenever its wire is free.
    CROSSBAR_TILED, ///< Tiles with buses and buffers, as the chip is built (SW-5 to SW-7).
};

/// The crossbar of a switch. All but `model` is of the tiled one.
struct CrossbarSettings
{
    static constexpr uint32_t LARGEST_FRAME = WireBytes(MAX_PAYLOAD);   ///< But jumbo frames.
    static constexpr uint32_t LARGEST_JUMBO = WireBytes(JUMBO_PAYLOAD); ///< Of all.
    static constexpr uint32_t MOST_BUFFER_BYTES = 1U << 24;             ///< Of any buffer.

    CrossbarModel model{CROSSBAR_IDEAL}; ///< Which it is.
    uint32_t rows{4};                    ///< Rows of tiles; a Rosetta switch has 4 (SC'20).
    uint32_t portsPerTile{2};            ///< Ports of a tile; 2 in a Rosetta switch.
    /// Rate of each bus, as a multiple of the switch's fastest link. Not published; chosen.
    double speedup{1.25};
    /// Time of a frame's head through an idle crossbar, half of it to its tile, ps. Part of the
    /// switch's latency. Not published; chosen.
    TimePs transit{50'000};
    /// Buffer that an input has in each tile of its row. Not published; chosen: a jumbo frame that
    /// leaves, one that comes and one that waits.
    uint32_t tileBufferBytes{3 * LARGEST_JUMBO};
    /// OBUF of each output. Not published; chosen: likewise.
    uint32_t outputBufferBytes{3 * LARGEST_JUMBO};
    AgeQueueSettings ageQueue{}; ///< Places of requests at each output.

    /// @return whether the crossbar is the tiled one
    bool IsTiled() const
    {
        return model == CROSSBAR_TILED;
    }

    /// @return name of an attribute of the tiled crossbar that is not its default, though the
    /// crossbar is ideal; null for none
    const char* IdleAttribute() const;

    /// @return the part of the switch's latency in which a frame is in the crossbar, ps
    TimePs TransitTime() const
    {
        return IsTiled() ? transit : 0;
    }

    /// @return bytes of frames of an output that have been granted and still leave by it
    uint32_t GrantedBytes() const
    {
        return IsTiled() ? outputBufferBytes : 0;
    }

    /**
     * @param latency of the switch, ps
     * @param ports of the switch
     * @param lists in which queues wait at each output
     * @throws std::invalid_argument with a sentence if they can't go with these settings
     */
    void Validate(TimePs latency, uint32_t ports, uint32_t lists) const;
};

} // namespace ns3::fabric

#endif // FABRIC_CROSSBAR_SETTINGS_H
