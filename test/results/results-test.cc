/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-test-compat.h"
#include "results-cases.h"

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Programs and their results.
class ResultsTestSuite : public TestSuite
{
  public:
    ResultsTestSuite()
        : TestSuite("fabric-results", kUnit)
    {
        for (const auto& cases : {OptionTextCases(),
                                  ProgramOptionsCases(),
                                  ResultFilesCases(),
                                  FiguresCases(),
                                  ProgressCases()})
        {
            for (TestCase* testCase : cases)
            {
                AddTestCase(testCase, kQuick);
            }
        }
    }
};

ResultsTestSuite g_resultsTestSuite; ///< The suite.

} // namespace
