/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DEPENDENT_ATTRIBUTES_H
#define FABRIC_DEPENDENT_ATTRIBUTES_H

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

/// An attribute that is read only beside another.
struct DependentAttribute
{
    const char* name; ///< Of the attribute.
    bool isSet;       ///< Whether it is not its default.
};

/**
 * Refuses attributes that nobody reads.
 *
 * @param attributes that need something
 * @param lack what there is not, as a part of a sentence
 * @param needed what is allowed beside their defaults
 * @throws std::invalid_argument with a sentence if one is set
 */
inline void
RequireDefaults(std::initializer_list<DependentAttribute> attributes,
                const std::string& lack,
                const std::string& needed)
{
    for (const DependentAttribute& attribute : attributes)
    {
        if (attribute.isSet)
        {
            throw std::invalid_argument(std::string(attribute.name) + " is set, and " + lack +
                                        "; allowed is its default, or " + needed);
        }
    }
}

} // namespace ns3::fabric

#endif // FABRIC_DEPENDENT_ATTRIBUTES_H
