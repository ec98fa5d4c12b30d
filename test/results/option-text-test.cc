/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-number-text.h"
#include "fabric-option-text.h"
#include "results-cases.h"

#include <charconv>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

namespace
{

/**
 * @param parse reads something
 * @return the sentence that it throws, `accepted` if it throws none
 */
std::string
SentenceOf(const std::function<void()>& parse)
{
    try
    {
        parse();
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "accepted";
}

/// Texts that are taken, and their values.
class GoodTextTestCase : public TestCase
{
  public:
    GoodTextTestCase()
        : TestCase("PR-1 sizes, rates, times, counts and numbers as ns-3 writes them")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, uint64_t>> sizes{
            {"64", 64},
            {"64B", 64},
            {"4KiB", 4096},
            {"1MB", 1'000'000},
            {"1MiB", 1'048'576},
            {"2GiB", 2'147'483'648},
            {"3GB", 3'000'000'000},
            {"9kB", 9000},
            {"9KB", 9000},
            {"1.5KiB", 1536},
            {"0.3MB", 300'000},
            {"1e6", 1'000'000},
            {"0", 0},
        };
        for (const auto& [text, bytes] : sizes)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseSize("--b", text, {0, 1ULL << 40}), bytes, text);
        }
        const std::vector<std::pair<std::string, TimePs>> times{
            {"1us", 1'000'000},
            {"0.1us", 100'000},
            {"1.28ns", 1280},
            {"350ns", 350'000},
            {"+5ps", 5},
            {"-5ps", -5},
            {"1fs", 0},
            {"1e-6", 1'000'000},
            {"2", 2'000'000'000'000},
            {"1min", 60'000'000'000'000},
        };
        for (const auto& [text, time] : times)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseTime("--t", text), time, text);
        }
        const std::vector<std::pair<std::string, uint64_t>> rates{
            {"200Gbps", 200'000'000'000},
            {"0.3Gb/s", 300'000'000},
            {"25GB/s", 200'000'000'000},
            {"25GBps", 200'000'000'000},
            {"25000000000.0", 25'000'000'000},
            {"1Kib/s", 1024},
            {"1KiB/s", 8192},
            {"5bps", 5},
            {"1kbps", 1000},
            {"1Kbps", 1000},
        };
        for (const auto& [text, rate] : rates)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseRate("--r", text), rate, text);
        }
        NS_TEST_EXPECT_MSG_EQ(ParseCount("--c", "18446744073709551615", {0, UINT64_MAX}),
                              UINT64_MAX,
                              "the largest count");
        NS_TEST_EXPECT_MSG_EQ(ParseNumber("--n", "0.8", {0, 1}), 0.8, "a number");
        NS_TEST_EXPECT_MSG_EQ(ParseBoolean("--f", "on"), true, "on");
        NS_TEST_EXPECT_MSG_EQ(ParseBoolean("--f", "f"), false, "f");
    }
};

/// Texts that are refused.
class BadTextTestCase : public TestCase
{
  public:
    BadTextTestCase()
        : TestCase("PR-4 texts that are no size, rate, time, count or number are refused")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* text : {"",
                                 "x",
                                 "4kib",
                                 "4KB/s",
                                 "1.5",
                                 "-1",
                                 "1 KiB",
                                 "0x10",
                                 "inf",
                                 "nan",
                                 "1e30",
                                 "1e400",
                                 "4KiBB",
                                 "9223372036854775808",
                                 "1.5B"})
        {
            const std::string sentence = SentenceOf([text] {
                ParseSize("--bytes", text, {0, 1ULL << 40});
            });
            NS_TEST_EXPECT_MSG_EQ(sentence,
                                  "--bytes=" + std::string(text) +
                                      ": allowed is a size from 0 to 1024GiB in bytes, such as 64, "
                                      "4KiB or 1MB",
                                  "size '" << text << "'");
        }
        for (const char* text : {"",
                                 "1u",
                                 "us",
                                 "1 us",
                                 "1US",
                                 "--1us",
                                 "+-1us",
                                 "nan",
                                 "1e9",
                                 "1y",
                                 "-1e9",
                                 ".",
                                 "1us2"})
        {
            const std::string sentence = SentenceOf([text] { ParseTime("--delay", text); });
            NS_TEST_EXPECT_MSG_NE(sentence.find(": allowed is a time from"),
                                  std::string::npos,
                                  "time '" << text << "': " << sentence);
        }
        for (const char* text : {"",
                                 "Gbps",
                                 "1Tbps",
                                 "1Gibps",
                                 "1gbps",
                                 "-1Gbps",
                                 "1G",
                                 "1e30",
                                 "/s",
                                 "1b/",
                                 "1KKbps",
                                 "-0.4"})
        {
            const std::string sentence = SentenceOf([text] { ParseRate("--rate", text); });
            NS_TEST_EXPECT_MSG_NE(sentence.find(": allowed is a rate from"),
                                  std::string::npos,
                                  "rate '" << text << "': " << sentence);
        }
        for (const char* text :
             {"", "-1", "+1", "1.0", "1e3", "5x", " 5", "3", "18446744073709551616"})
        {
            NS_TEST_EXPECT_MSG_EQ(SentenceOf([text] {
                                      ParseCount("--k", text, {4, 64});
                                  }),
                                  "--k=" + std::string(text) +
                                      ": allowed is a whole number from 4 to 64",
                                  "count '" << text << "'");
        }
        for (const char* text : {"", "1.1", "-0.1", "0.5x", "inf", "nan"})
        {
            NS_TEST_EXPECT_MSG_EQ(SentenceOf([text] {
                                      ParseNumber("--load", text, {0, 1});
                                  }),
                                  "--load=" + std::string(text) +
                                      ": allowed is a number from 0 to 1",
                                  "number '" << text << "'");
        }
    }
};

/// Values to text and back.
class RoundTripTestCase : public TestCase
{
  public:
    RoundTripTestCase()
        : TestCase("PR-3 numbers, sizes, times and rates read back as they were written")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 2000; ++seed)
        {
            std::mt19937_64 random(seed);
            const uint64_t bits = random();
            double number;
            std::memcpy(&number, &bits, sizeof(number));
            if (number == number)
            {
                const std::string text = NumberText(number);
                double back = 0;
                std::from_chars(text.data(), text.data() + text.size(), back);
                NS_TEST_EXPECT_MSG_EQ(back, number, "seed " << seed << " " << text);
            }
            // 53 bits, since a size with a unit is read as a double.
            const uint64_t whole = (random() >> 11) << (seed % 8);
            NS_TEST_EXPECT_MSG_EQ(ParseSize("s", SizeText(whole), {0, 1ULL << 62}),
                                  whole,
                                  "seed " << seed);
            const TimePs time = static_cast<TimePs>(whole >> 8) - (1LL << 50);
            NS_TEST_EXPECT_MSG_EQ(ParseTime("t", TimeText(time)), time, "seed " << seed);
            const uint64_t rate = whole >> 8;
            NS_TEST_EXPECT_MSG_EQ(ParseRate("r", RateText(rate)), rate, "seed " << seed);
        }
        NS_TEST_EXPECT_MSG_EQ(NumberText(0.1), "0.1", "the shortest form");
        NS_TEST_EXPECT_MSG_EQ(NumberText(1.0 / 3), "0.3333333333333333", "enough digits");
        NS_TEST_EXPECT_MSG_EQ(NumberText(-std::numeric_limits<double>::quiet_NaN()),
                              "nan",
                              "one form of NaN");
        NS_TEST_EXPECT_MSG_EQ(SizeText(4096), "4KiB", "the largest unit");
        NS_TEST_EXPECT_MSG_EQ(SizeText(1000), "1000", "no unit divides it");
        NS_TEST_EXPECT_MSG_EQ(TimeText(350'000), "350ns", "the largest unit");
        NS_TEST_EXPECT_MSG_EQ(RateText(200'000'000'000), "200Gbps", "the largest unit");
    }
};

} // namespace

std::vector<TestCase*>
OptionTextCases()
{
    return {new GoodTextTestCase, new BadTextTestCase, new RoundTripTestCase};
}

} // namespace fabric
} // namespace ns3
