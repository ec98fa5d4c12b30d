/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_STREAMS_H
#define FABRIC_STREAMS_H

#include <cstdint>

namespace ns3
{

class ObjectBase;

namespace fabric
{

/**
 * AssignStreams() of any object, which not all types of ns-3 have. Random variables with a stream
 * of their own keep it.
 *
 * @param object its attributes are the random variables
 * @param stream number of the first stream
 * @return how many streams they have
 */
int64_t AssignStreams(const ObjectBase& object, int64_t stream);

} // namespace fabric

} // namespace ns3

#endif // FABRIC_STREAMS_H
