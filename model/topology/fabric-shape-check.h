/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHAPE_CHECK_H
#define FABRIC_SHAPE_CHECK_H

#include <cstdint>
#include <string>

namespace ns3::fabric
{

/// Refuses what no topology of a kind can be, with a sentence.
class ShapeCheck
{
  public:
    /// @param topology its kind, with which sentences begin
    explicit constexpr ShapeCheck(const char* topology)
        : m_topology(topology)
    {
    }

    /// @throws std::invalid_argument with the sentence
    [[noreturn]] void Refuse(const std::string& what) const;

    /// @throws std::invalid_argument if a number is not in its range
    void RequireRange(const char* what, uint32_t number, uint32_t least, uint32_t most) const;

    /// @throws std::invalid_argument if switches have more ports than there can be
    void RequirePorts(uint64_t ports) const;

    /// @throws std::invalid_argument if there are more hosts than addresses
    void RequireHosts(uint64_t hosts) const;

  private:
    const char* m_topology; ///< Its kind.
};

} // namespace ns3::fabric

#endif // FABRIC_SHAPE_CHECK_H
