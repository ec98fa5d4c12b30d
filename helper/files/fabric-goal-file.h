/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GOAL_FILE_H
#define FABRIC_GOAL_FILE_H

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * A GOAL trace as text, which LogGOPSim and ATLAHS take (FF-7): what each rank of a program does,
 * and what waits for what.
 *
 * @verbatim
   num_ranks 2
   rank 0 {
   l1: calc 100                    takes 100 ns of a CPU
   l2: send 8b to 1 tag 5 cpu 0    tag and cpu are 0 if they are missing
   l2 requires l1                  l2 starts when l1 is done
   }
   rank 1 {
   l1: recv 8b from 0 tag 5
   l2: calc 50
   l2 irequires l1                 l2 starts when l1 has started
   }
   @endverbatim
 *
 * What follows a # or // is a comment. So is, on several lines, too, what stands between a slash
 * with a star and a star with a slash. A ; is as good as the end of a line. The `nic` of an
 * operation is left out. `recv 8b from -1` takes a message of any rank, and `tag -1` of a receive
 * one with any tag.
 */
struct GoalFile
{
    static constexpr uint32_t ANY = 0xFFFFFFFF; ///< Any rank, or any tag.

    /// What an operation does.
    enum class Kind : uint8_t
    {
        CALC, ///< Takes time of a CPU.
        SEND, ///< Sends a message to another rank.
        RECV, ///< Waits for a message of another rank.
    };

    /// An operation of a rank.
    struct Operation
    {
        Kind kind{Kind::CALC};             ///< What it does.
        uint64_t amount{0};                ///< Time, ns, or bytes.
        uint32_t peer{0};                  ///< SEND, RECV: the other rank; RECV: or ANY.
        uint32_t tag{0};                   ///< SEND, RECV: of the message; RECV: or ANY.
        uint32_t cpu{0};                   ///< On which it runs.
        std::vector<uint32_t> afterEnds;   ///< Operations of the rank that have to be done before.
        std::vector<uint32_t> afterStarts; ///< Those that have to have started before.
        uint32_t line{0};                  ///< Where it stands in the file.
    };

    std::vector<std::vector<Operation>> ranks; ///< Operations of each rank.
    std::vector<std::string> warnings;         ///< Sentences of what was left out.

    /**
     * @param name of the file, for sentences
     * @throws std::invalid_argument with a sentence that says where a mistake is, and what is
     * allowed
     */
    static GoalFile Read(std::istream& is, const std::string& name);

    /// The same of a file. @param name where it is
    static GoalFile Read(const std::string& name);

    /// @return whether a receive takes messages of any rank, or with any tag
    bool HasWildcards() const;

    /// Writes the file, with labels of its own; read again, it says the same.
    void Write(std::ostream& os) const;
};

} // namespace ns3::fabric

#endif // FABRIC_GOAL_FILE_H
