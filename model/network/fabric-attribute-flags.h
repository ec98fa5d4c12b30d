/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ATTRIBUTE_FLAGS_H
#define FABRIC_ATTRIBUTE_FLAGS_H

#include "ns3/type-id.h"

#include <cstdint>

namespace ns3
{
namespace fabric
{

/// Attributes with this may be set until ports, arbiters or tables are made of them, and not after.
constexpr uint32_t BEFORE_INSTALL = TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT;

} // namespace fabric
} // namespace ns3

#endif // FABRIC_ATTRIBUTE_FLAGS_H
