/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_IS_LOGGED_H
#define FABRIC_IS_LOGGED_H

#include "ns3/log.h"

namespace ns3::fabric
{

/// @return whether a level of a component is logged: enabled, and compiled in
inline bool
IsLogged(const LogComponent& component, LogLevel level)
{
#ifdef NS3_LOG_ENABLE
    return component.IsEnabled(level);
#else
    (void)component;
    (void)level;
    return false;
#endif
}

} // namespace ns3::fabric

#endif // FABRIC_IS_LOGGED_H
