/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DRAGONFLY_OPTIONS_H
#define FABRIC_DRAGONFLY_OPTIONS_H

#include "fabric-dragonfly.h"
#include "fabric-program-options.h"

#include "ns3/nstime.h"

#include <string>

namespace ns3::fabric
{

/// Options of a program for `--topology=dragonfly` alone.
class DragonflyOptions
{
  public:
    /// @param options of the program; refer to this object
    void Add(ProgramOptions& options);

    /// Refuses options that were given. @param needed topology that they need
    static void Refuse(const ProgramOptions& options, const std::string& needed);

    /**
     * @param routing the word of `--routing`
     * @return what the options say
     * @throws std::invalid_argument with a sentence that names the options if there is no such
     * dragonfly
     */
    Dragonfly Make(uint32_t hostsPerSwitch, const std::string& routing) const;

    /// @return propagation delay of links between groups; 0 for that of all links
    Time GetGlobalDelay() const
    {
        return m_globalDelay;
    }

  private:
    DragonflyConfig m_config; ///< Numbers.
    Time m_globalDelay;       ///< `--globalDelay`
};

} // namespace ns3::fabric

#endif // FABRIC_DRAGONFLY_OPTIONS_H
