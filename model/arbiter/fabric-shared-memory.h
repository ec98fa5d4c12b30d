/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHARED_MEMORY_H
#define FABRIC_SHARED_MEMORY_H

#include <cstddef>
#include <memory>

namespace ns3
{
namespace fabric
{

/**
 * For who adds up memory: each of those that share something counts an equal part of it, so that
 * together they count it once.
 *
 * @param shared something with MemoryBytes(); not null
 * @return bytes of one holder's part
 */
template <typename Shared>
std::size_t
PartOf(const std::shared_ptr<Shared>& shared)
{
    return shared->MemoryBytes() / static_cast<std::size_t>(shared.use_count());
}

} // namespace fabric
} // namespace ns3

#endif // FABRIC_SHARED_MEMORY_H
