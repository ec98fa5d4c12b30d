/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ENUM_ATTRIBUTE_H
#define FABRIC_ENUM_ATTRIBUTE_H

#include "ns3/enum.h"

namespace ns3
{
namespace fabric
{

/**
 * @param member member variable
 * @return the accessor
 */
template <typename E, typename M>
auto
MakeEnumAttributeAccessorFor(M member, int /* preferred */) -> decltype(MakeEnumAccessor<E>(member))
{
    return MakeEnumAccessor<E>(member);
}

/**
 * @param member member variable
 * @return the accessor
 */
template <typename E, typename M>
auto
MakeEnumAttributeAccessorFor(M member, long /* otherwise */) -> decltype(MakeEnumAccessor(member))
{
    return MakeEnumAccessor(member);
}

/**
 * MakeEnumAccessor() takes the enumeration as a template argument from ns-3 3.41 on, and does not
 * before.
 *
 * @tparam E an unscoped enumeration
 * @param member member variable of that type
 * @return the accessor
 */
template <typename E, typename M>
Ptr<const AttributeAccessor>
MakeEnumAttributeAccessor(M member)
{
    return MakeEnumAttributeAccessorFor<E>(member, 0);
}

} // namespace fabric
} // namespace ns3

#endif // FABRIC_ENUM_ATTRIBUTE_H
