/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RESULTS_CASES_H
#define RESULTS_CASES_H

#include "ns3/test.h"

#include <vector>

// The cases of the suite "fabric-results", one function a file.

namespace ns3
{
namespace fabric
{

/// @return cases of text to value
std::vector<TestCase*> OptionTextCases();

/// @return cases of the options of programs
std::vector<TestCase*> ProgramOptionsCases();

/// @return cases of result files
std::vector<TestCase*> ResultFilesCases();

/// @return cases of statistics and ideal completion
std::vector<TestCase*> FiguresCases();

/// @return cases of progress
std::vector<TestCase*> ProgressCases();

} // namespace fabric
} // namespace ns3

#endif // RESULTS_CASES_H
