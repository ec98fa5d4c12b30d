/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FGFC_SETTINGS_H
#define FABRIC_FGFC_SETTINGS_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// Fine-grain flow control of an edge port: how it restrains single flows of its host (CM-4).
struct FgfcSettings
{
    bool isOn{false}; ///< Whether it does.
    /// How long a flow is restrained by the first frame, ps; see FgfcTeller for later ones. Only a
    /// flow whose last frame was lost waits for its end. Not published; chosen: some ten round
    /// trips through a large fabric.
    TimePs pauseTime{100'000'000};
    /// From the arrival of a frame at the host until it is obeyed, ps. Not published; chosen: some
    /// ten clock cycles of parsing, and the look at the queue.
    TimePs responseTime{50'000};
    /// How often a host is told again of a flow of which no frame goes on; then the flow is free
    /// until one does, and a fabric that has come to a stand has nothing to do. Chosen: 50 ms.
    uint32_t repeats{125};
    /// Credit is told when there is so much of it, units of 256 bytes. Chosen: 8 KiB, so that the
    /// frames which tell it take 1 % of the link.
    uint32_t creditUnits{32};

    /// @throws std::invalid_argument if a frame can't tell the time
    void Validate() const;
};

} // namespace ns3::fabric

#endif // FABRIC_FGFC_SETTINGS_H
