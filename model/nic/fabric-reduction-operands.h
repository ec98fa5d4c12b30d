/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_OPERANDS_H
#define FABRIC_REDUCTION_OPERANDS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * The values that frames of reductions carry (SW-14), by the frames' handles.
 *
 * Each member and each switch of a reduction's tree has as many entries as the window has frames,
 * writes them before it sends a frame, and uses an entry again a window later: then all who have
 * got that frame have read it, since otherwise no member could be a window further. So threads need
 * no locks, and nothing is allocated in a run.
 *
 * The entries of a window begin at a multiple of its size. So a handle modulo the window is the
 * place of the frame in it, in all tables alike.
 */
class ReductionOperands
{
  public:
    /// @param window entries @return handle of the first of them
    uint32_t Reserve(uint32_t window)
    {
        const std::size_t first = (m_bits.size() + window - 1) / window * window;
        m_bits.resize(first + window);
        return static_cast<uint32_t>(first);
    }

    /// @return the bits of a value
    uint64_t& At(uint32_t handle)
    {
        return m_bits[handle];
    }

  private:
    std::vector<uint64_t> m_bits; ///< By handle.
};

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_OPERANDS_H
