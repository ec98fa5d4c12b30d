/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FUNCTION_CASE_H
#define FABRIC_FUNCTION_CASE_H

#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <functional>
#include <sstream>
#include <string>

namespace ns3
{
namespace fabric
{

/// A test case made of a function.
class FunctionCase : public TestCase
{
  public:
    using Body = std::function<void(FunctionCase&)>; ///< What is tested.

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
    void Expect(bool ok, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(ok, true, what);
    }

    /**
     * Expects equal texts, and tells the first line that differs.
     *
     * @param actual a text
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
        NS_TEST_EXPECT_MSG_EQ(lineA, lineE, what);
    }

  private:
    void DoRun() override
    {
        m_body(*this);
    }

    Body m_body; ///< What is tested.
};

/// A test suite of functions.
class FunctionSuite : public TestSuite
{
  public:
    using TestSuite::TestSuite;

  protected:
    /**
     * Adds a case.
     *
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

} // namespace fabric
} // namespace ns3

#endif // FABRIC_FUNCTION_CASE_H
