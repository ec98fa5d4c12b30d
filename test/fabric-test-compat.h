/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TEST_COMPAT_H
#define FABRIC_TEST_COMPAT_H

#include "ns3/test.h"

#include <type_traits>

namespace ns3::fabric
{

// ns-3 3.42 turned the plain enums of TestCase and TestSuite into scoped ones and deprecated the
// old names. Both spellings are tried here, so that the tests need neither.

/// Finds TestSuite::Type::UNIT or TestSuite::UNIT.
template <typename T, typename = void>
struct TestEnums
{
    static constexpr auto UNIT = T::UNIT; ///< A unit test.
};

/// The scoped form, newer releases.
template <typename T>
struct TestEnums<T, std::enable_if_t<!std::is_convertible_v<typename T::Type, int>>>
{
    static constexpr auto UNIT = T::Type::UNIT; ///< A unit test.
};

/// Finds TestCase::Duration::QUICK or TestCase::QUICK.
template <typename T, typename = void>
struct DurationEnums
{
    static constexpr auto QUICK = T::QUICK; ///< A test of at most seconds.
};

/// The scoped form, newer releases.
template <typename T>
struct DurationEnums<T, std::void_t<typename T::Duration>>
{
    static constexpr auto QUICK = T::Duration::QUICK; ///< A test of at most seconds.
};

inline constexpr auto kUnit = TestEnums<TestSuite>::UNIT;      ///< Type of a unit test suite.
inline constexpr auto kQuick = DurationEnums<TestCase>::QUICK; ///< Duration of a quick test case.

} // namespace ns3::fabric

#endif // FABRIC_TEST_COMPAT_H
