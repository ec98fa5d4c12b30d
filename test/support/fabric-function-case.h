/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FUNCTION_CASE_H
#define FABRIC_FUNCTION_CASE_H

#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ns3::fabric
{

/// Parts of a message, which are put together only if it is needed.
template <typename... Parts>
class LazyText
{
  public:
    /// @param parts what an output stream takes; must stay while this does
    explicit LazyText(const Parts&... parts)
        : m_parts(parts...)
    {
    }

    /// @return the parts one after the other
    std::string Str() const
    {
        std::ostringstream text;
        std::apply([&text](const Parts&... parts) { (text << ... << parts); }, m_parts);
        return text.str();
    }

  private:
    std::tuple<const Parts&...> m_parts;
};

/**
 * @param parts of a message that is used in the same expression
 * @return the message
 */
template <typename... Parts>
LazyText<Parts...>
Text(const Parts&... parts)
{
    return LazyText<Parts...>(parts...);
}

/// A test case made of a function.
class FunctionCase : public TestCase
{
  public:
    using Body = std::function<void(FunctionCase&)>; ///< What is tested.
    using TestCase::CreateTempDirFilename;

    /**
     * @param name begins with the requirement
     * @param body what is tested
     */
    FunctionCase(const std::string& name, Body body)
        : TestCase(name),
          m_body(std::move(body))
    {
    }

    /**
     * @param ok what should be true
     * @param what says what is wrong if it is not
     */
    template <typename What>
    void Expect(bool ok, const What& what)
    {
        if (!ok)
        {
            Fail("", "", what);
        }
    }

    /**
     * @param actual what came out
     * @param expected what should have; numbers are compared by value, whatever their types
     * @param what is compared
     */
    template <typename A, typename B, typename What>
    void ExpectEqual(const A& actual, const B& expected, const What& what)
    {
        if (!IsEqual(actual, expected))
        {
            Fail(Text(actual), Text(expected), what);
        }
    }

    /**
     * @param actual what came out
     * @param expected what should have
     * @param tolerance most by which they may differ
     * @param what is compared
     */
    template <typename What>
    void ExpectNear(double actual, double expected, double tolerance, const What& what)
    {
        if (!(std::abs(actual - expected) <= tolerance))
        {
            Fail(Text(actual), Text(expected, " +- ", tolerance), what);
        }
    }

    /**
     * Expects equal texts, and tells the first line that differs.
     *
     * @param expected another
     * @param what is compared
     */
    void ExpectSame(const std::string& actual, const std::string& expected, const std::string& what)
    {
        std::istringstream a(actual);
        std::istringstream e(expected);
        std::string lineA;
        std::string lineE;
        while (lineA == lineE && (a || e))
        {
            lineA = lineE = "";
            std::getline(a, lineA);
            std::getline(e, lineE);
        }
        ExpectEqual(lineA, lineE, what);
    }

  private:
    static constexpr uint32_t MOST_TOLD = 20; ///< Failures that are told; a loop may have millions.

    static std::string ToText(const std::string& text)
    {
        return text;
    }

    template <typename... Parts>
    static std::string ToText(const LazyText<Parts...>& text)
    {
        return text.Str();
    }

    /// @return whether two values are equal; a negative number equals no unsigned one
    template <typename A, typename B>
    static bool IsEqual(const A& a, const B& b)
    {
        if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
        {
            using Common = std::common_type_t<A, B>;
            return static_cast<Common>(a) == static_cast<Common>(b) && (a < A{}) == (b < B{});
        }
        else
        {
            return a == b;
        }
    }

    /// Tells what is wrong.
    template <typename Actual, typename Expected, typename What>
    void Fail(const Actual& actual, const Expected& expected, const What& what)
    {
        if (m_failures++ < MOST_TOLD)
        {
            ReportTestFailure("",
                              ToText(actual),
                              ToText(expected),
                              ToText(what),
                              __FILE__,
                              __LINE__);
        }
    }

    void DoRun() override
    {
        m_body(*this);
    }

    Body m_body;            ///< What is tested.
    uint32_t m_failures{0}; ///< So far.
};

/// A test suite of functions.
class FunctionSuite : public TestSuite
{
  public:
    using TestSuite::TestSuite;

    /**
     * @param name begins with the requirement
     * @param body what is tested
     */
    void Add(const std::string& name, const FunctionCase::Body& body)
    {
        AddTestCase(new FunctionCase(name, body), kQuick);
    }
};

/**
 * @param name begins with the requirement
 * @param findFault tells what is wrong, empty for nothing
 * @return a new test case
 */
inline FunctionCase*
NewFaultCase(const std::string& name, std::function<std::string()> findFault)
{
    return new FunctionCase(name, [findFault = std::move(findFault)](FunctionCase& self) {
        const std::string fault = findFault();
        self.Expect(fault.empty(), fault);
    });
}

} // namespace ns3::fabric

#endif // FABRIC_FUNCTION_CASE_H
