/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_JOB_LIST_H
#define FABRIC_JOB_LIST_H

#include "fabric-collective-plan.h"
#include "fabric-types.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// A job: hosts that carry out a collective.
struct CollectiveJob
{
    Collective collective; ///< Which one.
    uint32_t ranks;        ///< Hosts that take part.
    uint64_t bytes;        ///< Of the buffer of each; of a face.
    TimePs start{0};       ///< When it begins, ps.
    uint32_t pieces{1};    ///< Of the buffer, or of each half of it, if the collective HasPieces().
};

/**
 * Jobs of different kinds that run beside each other, from a text: a line for each says the
 * collective, how many hosts take part, the bytes of each one's buffer, and when it begins, if that
 * is not at once. What follows a # is a comment.
 *
 * @code
 * # collective     hosts bytes  start
 * allreduce-ring   16    4MiB
 * alltoall         8     256KiB 10us
 * @endcode
 */
class JobList
{
  public:
    /**
     * @param name of a file
     * @return the jobs in it, with one piece each
     * @throws std::invalid_argument with a sentence if it can't be read, or says something that is
     * not allowed
     */
    static std::vector<CollectiveJob> Read(const std::string& name);

    /// The same from a stream. @param name of what is read, for sentences
    static std::vector<CollectiveJob> Read(std::istream& is, const std::string& name);
};

} // namespace ns3::fabric

#endif // FABRIC_JOB_LIST_H
