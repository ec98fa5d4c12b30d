/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-known-cdfs.h"
#include "fabric-size-cdf.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return what a text says
SizeCdf
ReadCdf(const std::string& text)
{
    std::istringstream is(text);
    return SizeCdf::Read(is, "c.txt");
}

/// @return what is written of it
std::string
WriteCdf(const SizeCdf& cdf)
{
    std::ostringstream os;
    cdf.Write(os);
    return os.str();
}

/// Percent and parts of 1 are told apart by the last line; between points sizes are even.
void
TestCdf(FunctionCase& test)
{
    for (const std::string text : {"0 0\n1000 50\n1000 75\n3000 75 # nobody between\n5000 100",
                                   "0 0\n1000 0.5\n1000 0.75\n3000 0.75\n5000 1\n"})
    {
        const SizeCdf cdf = ReadCdf(text);
        // Half of them 500 on average, a quarter of 1000, a quarter from 3000 to 5000.
        test.ExpectNear(cdf.Mean(), 0.5 * 500 + 0.25 * 1000 + 0.25 * 4000, 1e-9, "mean");
        const std::vector<std::pair<double, double>> quantiles{{0, 0},
                                                               {0.25, 500},
                                                               {0.5, 1000},
                                                               {0.6, 1000},
                                                               {0.75, 1000},
                                                               {0.875, 4000},
                                                               {1, 5000}};
        for (const auto& [part, bytes] : quantiles)
        {
            test.ExpectNear(cdf.Quantile(part), bytes, 1e-9, "quantile " + std::to_string(part));
        }
        test.ExpectNear(cdf.Quantile(0.750001), 3000, 0.1, "beyond the gap");
        test.ExpectEqual(cdf.BytesAt(0), 1U, "at least one byte");
        test.ExpectEqual(cdf.BytesAt(0.5001), 1000U, "whole bytes");
        test.ExpectEqual(WriteCdf(cdf), "0 0\n1000 0.5\n1000 0.75\n3000 0.75\n5000 1\n", "written");
        test.ExpectEqual(WriteCdf(ReadCdf(WriteCdf(cdf))), WriteCdf(cdf), "read again");
    }
    const SizeCdf one = ReadCdf("64 1");
    test.ExpectEqual(one.Mean(), 64.0, "all of one size");
    test.ExpectEqual(one.BytesAt(0.3), 64U, "all of one size");
    const SizeCdf first = ReadCdf("100 20\n200 100");
    test.ExpectNear(first.Mean(), 0.2 * 100 + 0.8 * 150, 1e-9, "a fifth of the first size");
    test.ExpectEqual(first.Quantile(0.1), 100.0, "a fifth of the first size");
}

/// Means of published distributions.
void
TestKnownMeans(FunctionCase& test)
{
    const std::vector<std::pair<std::string, double>> means{{"alistorage", 40'870},
                                                            {"hadoop", 120'421},
                                                            {"websearch", 1'711'250}};
    std::vector<std::string> names;
    for (const auto& [name, mean] : means)
    {
        test.ExpectNear(KnownCdfs::Find(name).Mean(), mean, 0.6, name);
        names.push_back(name);
    }
    test.Expect(KnownCdfs::Names() == names, "and no others");
    test.ExpectEqual(Refusal([] { KnownCdfs::Find("no/file"); }),
                     "no/file: can't be read; allowed is a file with a cumulative distribution",
                     "no file");
}

/// A mistake is told with file, line and what is allowed.
void
TestCdfMistakes(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "c.txt:1: the file ends; allowed is a line with bytes and cumulative part"},
        {"0 0\n10 97\n", "c.txt:2: the last cumulative part is 97; allowed is 1 or 100"},
        {"0 0\n10 101\n", "c.txt:2: cumulative part=101: allowed is a number from 0 to 100"},
        {"0 0\n-1 1\n", "c.txt:2: bytes=-1: allowed is a number from 0 to 1099511627776"},
        {"0 0\n1e13 1\n", "c.txt:2: bytes=1e13: allowed is a number from 0 to 1099511627776"},
        {"0 0\ninf 1\n", "c.txt:2: bytes=inf: allowed is a number"},
        {"5 0\n4 1\n", "c.txt:2: the line has less than the one before; allowed are bytes and par"},
        {"5 0.5\n6 0.4\n7 1\n", "c.txt:2: the line has less than the one before"},
        {"0 0\n10 1 100\n", "c.txt:2: '100' is one word too many; allowed are bytes and cumulativ"},
        {"0 0\n10\n", "c.txt:2: the line has no cumulative part"},
        {"0 0\n0 100\n",
         "c.txt:2: all flows have 0 bytes; allowed are distributions with other si"},
    };
    for (const auto& [text, sentence] : mistakes)
    {
        const std::string refusal = Refusal([&text = text] { ReadCdf(text); });
        test.ExpectEqual(refusal.substr(0, sentence.size()), sentence, "refused");
    }
    test.ExpectEqual(Refusal([] { SizeCdf::Read("no/file"); }),
                     "no/file: can't be read; allowed is a file with a cumulative distribution",
                     "no file");
}

/// Suite of distributions of sizes.
class SizeCdfSuite : public FunctionSuite
{
  public:
    SizeCdfSuite()
        : FunctionSuite("fabric-size-cdf", kUnit)
    {
        Add("FF-3 FF-8 a distribution", TestCdf);
        Add("FF-3 means of published distributions", TestKnownMeans);
        Add("FF-3 mistakes in a file", TestCdfMistakes);
    }
};

SizeCdfSuite g_sizeCdfSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
