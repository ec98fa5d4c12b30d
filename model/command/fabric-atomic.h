/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ATOMIC_H
#define FABRIC_ATOMIC_H

#include <cstdint>

namespace ns3::fabric
{

/// What an atomic operation does with a word.
enum class AtomicOp : uint8_t
{
    SUM,  ///< The operand is added.
    MIN,  ///< The lesser of both is kept.
    MAX,  ///< The greater of both is kept.
    SWAP, ///< The operand is written.
    CAS,  ///< The operand is written if the word is what it is compared with.
};

inline constexpr uint8_t ATOMIC_OPS = 5; ///< How many there are.

/// An atomic operation on a word of the target's memory.
struct AtomicRequest
{
    uint64_t operand{0};        ///< What the word meets.
    uint64_t compare{0};        ///< CAS: what the word is compared with.
    uint32_t address{0};        ///< Of the word at the target, bytes.
    uint32_t localAddress{0};   ///< Of the operand, with `readsOperand`.
    AtomicOp op{AtomicOp::SUM}; ///< What is done.
    bool isWide{true};          ///< Whether words have 64 bits, and not 32.
    bool isSigned{false};       ///< MIN, MAX: whether words are signed.
    bool fetches{false};        ///< Whether the initiator gets the word as it was.
    bool readsOperand{false};   ///< Whether the operand is read from the initiator's memory when
                                ///< the NIC does the command, and not when it is made.

    /// @return bytes of the word
    uint32_t Bytes() const
    {
        return isWide ? sizeof(uint64_t) : sizeof(uint32_t);
    }
};

/// @return a word after an operation @param word before it, of as many bits as the request says
inline uint64_t
ApplyAtomic(const AtomicRequest& request, uint64_t word)
{
    const uint64_t sign = request.isSigned ? uint64_t{1} << (8 * request.Bytes() - 1) : 0;
    const uint64_t mask = request.isWide ? ~uint64_t{0} : 0xFFFFFFFF;
    const uint64_t operand = request.operand & mask;
    const bool isLess = (operand ^ sign) < (word ^ sign); // signed words in the order of numbers
    switch (request.op)
    {
    case AtomicOp::SUM:
        return (word + operand) & mask;
    case AtomicOp::MIN:
        return isLess ? operand : word;
    case AtomicOp::MAX:
        return isLess ? word : operand;
    case AtomicOp::SWAP:
        return operand;
    default:
        return word == (request.compare & mask) ? operand : word;
    }
}

} // namespace ns3::fabric

#endif // FABRIC_ATOMIC_H
