/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-helper.h"
#include "fabric-option-type.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include <cstring>
#include <limits>
#include <random>

namespace ns3::fabric
{

namespace
{

/// Reads texts that are taken.
template <typename T>
void
ExpectTaken(FunctionCase& self,
            const OptionType<T>& type,
            const std::vector<std::pair<std::string, T>>& texts)
{
    for (const auto& [text, value] : texts)
    {
        self.Expect(type.parse(text) == value, text + " is taken as it is meant");
    }
}

/// Reads texts that are refused with a sentence.
template <typename T>
void
ExpectRefused(FunctionCase& self,
              const OptionType<T>& type,
              const std::string& allowed,
              const std::vector<std::string>& texts)
{
    for (const std::string& text : texts)
    {
        const std::string expected = "--x=" + text + ": allowed is " + allowed;
        const std::string sentence = Refusal([&] { type.Read("--x", text); });
        self.Expect(sentence == expected, "'" + sentence + "' instead of '" + expected + "'");
    }
}

void
TestSizes(FunctionCase& self)
{
    const OptionType<uint64_t> size = SizeType(0, 1ULL << 40);
    ExpectTaken(self,
                size,
                {{"64", 64},
                 {"64B", 64},
                 {"4KiB", 4096},
                 {"1MB", 1'000'000},
                 {"1MiB", 1'048'576},
                 {"2GiB", 2'147'483'648},
                 {"3GB", 3'000'000'000},
                 {"1TiB", 1'099'511'627'776},
                 {"0.5TB", 500'000'000'000},
                 {"9kB", 9000},
                 {"9KB", 9000},
                 {"1.5KiB", 1536},
                 {"0.3MB", 300'000},
                 {"1e6", 1'000'000},
                 {"0", 0}});
    ExpectRefused(self,
                  size,
                  "a size from 0 to 1TiB in bytes, such as 64, 4KiB or 1MB",
                  {"",
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
                   "1025GiB",
                   "1.5B"});
    self.Expect(size.show(4096) == "4KiB" && size.show(1000) == "1000" &&
                    size.show(uint64_t{1} << 40) == "1TiB",
                "the largest unit");
}

void
TestTimes(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    ExpectTaken(self,
                TimeType(std::nullopt, std::nullopt),
                {{"1us", MicroSeconds(1)},
                 {"0.1us", NanoSeconds(100)},
                 {"1.28ns", PicoSeconds(1280)},
                 {"0.3ns", PicoSeconds(300)},
                 {"350ns", NanoSeconds(350)},
                 {"+5ps", PicoSeconds(5)},
                 {"1fs", Time(0)},
                 {"1e-6", MicroSeconds(1)},
                 {"2", Seconds(2)},
                 {"1min", Minutes(1)}});
    ExpectRefused(self,
                  TimeType(Time(0), MilliSeconds(2)),
                  "a time from 0ps to 2ms, such as 350ns or 1.5us",
                  {"",
                   "1u",
                   "us",
                   "1 us",
                   "1US",
                   "--1us",
                   "+-1us",
                   "-1ps",
                   "nan",
                   "1e9",
                   "3ms",
                   "-1e9",
                   ".",
                   "1us2"});
    const std::vector<std::pair<Time, std::string>> texts{
        {NanoSeconds(350), "350ns"},
        {Time(0), "0ps"},
        {NanoSeconds(1500), "1500ns"},
        {NanoSeconds(12000), "12us"},
        {PicoSeconds(5'151'600), "5.1516us"},
        {PicoSeconds(-5'151'600), "-5.1516us"},
        {PicoSeconds(14'793), "14.793ns"},
        {PicoSeconds(1'000'000'000'001), "1.000000000001s"},
    };
    self.Expect(TimeText(Time::Max()) == "9223372036854775807ps", "what would not be exact");
    for (const auto& [time, text] : texts)
    {
        self.Expect(TimeText(time) == text, text + ", not " + TimeText(time));
        ExpectTaken(self, TimeType(std::nullopt, std::nullopt), {{text, time}});
    }
    ExpectRefused(self,
                  TimeType(NanoSeconds(1), std::nullopt),
                  "a time of at least 1ns, such as 350ns or 1.5us",
                  {"0", "-1us", "x"});
    ExpectTaken(self, TimeType(NanoSeconds(1), std::nullopt), {{"100d", Hours(2400)}});
    ExpectRefused(self,
                  TimeType(std::nullopt, Time(0)),
                  "a time of at most 0ps, such as 350ns or 1.5us",
                  {"1ps", "x"});
    ExpectTaken(self, TimeType(std::nullopt, Time(0)), {{"-1us", MicroSeconds(-1)}});
    ExpectRefused(self,
                  TimeType(std::nullopt, std::nullopt),
                  "a time, such as 350ns or 1.5us",
                  {"", "200d"});
}

void
TestRates(FunctionCase& self)
{
    ExpectTaken(self,
                RateType(0),
                {{"200Gbps", DataRate(200'000'000'000)},
                 {"0.3Gb/s", DataRate(300'000'000)},
                 {"25GB/s", DataRate(200'000'000'000)},
                 {"25GBps", DataRate(200'000'000'000)},
                 {"25000000000.0", DataRate(25'000'000'000)},
                 {"1Kib/s", DataRate(1024)},
                 {"1KiB/s", DataRate(8192)},
                 {"5bps", DataRate(5)},
                 {"1kbps", DataRate(1000)},
                 {"1Kbps", DataRate(1000)}});
    ExpectRefused(self,
                  RateType(),
                  "a rate from 1Mbps to 100000Gbps, such as 200Gbps",
                  {"",
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
                   "-0.4",
                   "1",
                   "1 Gbps",
                   "1..5Gbps",
                   "1Gbps5",
                   "999kbps",
                   "100001Gbps"});
    self.Expect(RateType().show(DataRate(200'000'000'000)) == "200Gbps", "the largest unit");
}

void
TestNumbers(FunctionCase& self)
{
    ExpectTaken(self,
                CountType(uint64_t{0}),
                {{"18446744073709551615", UINT64_MAX}, {"0", 0}, {"007", 7}});
    ExpectRefused(self,
                  CountType(4U, 64U),
                  "a whole number from 4 to 64",
                  {"", "-1", "+5", "5.0", "5e0", "5x", " 5", "3", "65", "4294967301"});
    ExpectTaken(self, NumberType(0, 1), {{"0.8", 0.8}, {"1e-6", 1e-6}, {"1", 1}});
    ExpectRefused(self,
                  NumberType(0, 1),
                  "a number from 0 to 1",
                  {"", "1.1", "-0.1", "0.5x", "inf", "nan"});
    ExpectRefused(self, NumberType(1, std::nullopt), "a number of at least 1", {"0.9", "inf"});
    ExpectTaken(self, NumberType(1, std::nullopt), {{"1e308", 1e308}});
    ExpectRefused(self, NumberType(std::nullopt, 1), "a number of at most 1", {"1.1", "-inf"});
    ExpectTaken(self, NumberType(std::nullopt, 1), {{"-1e308", -1e308}});
    ExpectRefused(self, NumberType(std::nullopt, std::nullopt), "a number", {"x", "nan"});
    using Bound = std::optional<uint32_t>;
    ExpectRefused(self, CountType(Bound(3), Bound()), "a whole number of at least 3", {"2", "x"});
    ExpectTaken(self, CountType(Bound(3), Bound()), {{"4294967295", UINT32_MAX}});
    ExpectRefused(self, CountType(Bound(), Bound(3)), "a whole number of at most 3", {"4", "-1"});
    ExpectRefused(self, CountType(Bound(), Bound()), "a whole number", {"4294967296", "x"});
    self.Expect(SpanText(2U, 5U) == "2 to 5" && SpanText(2U, 2U) == "2", "of one number");
}

void
TestWords(FunctionCase& self)
{
    ExpectTaken(self, BooleanType(), {{"on", true}, {"t", true}, {"f", false}, {"0", false}});
    ExpectRefused(self,
                  BooleanType(),
                  "true, on, t, 1, false, off, f or 0",
                  {"", "yes", "True", "2"});
    self.Expect(BooleanType().show(true) == "true" && BooleanType().show(false) == "false",
                "shown");
    ExpectTaken<std::string>(self, ChoiceType({"a", "b"}), {{"b", "b"}});
    ExpectRefused(self, ChoiceType({"a", "b"}), "one of a, b", {"", "c", "A", "a,b"});

    using Words = std::vector<std::string>;
    const OptionType<Words> some = ChoicesType({"a", "b", "c"});
    ExpectTaken<Words>(
        self,
        some,
        {{"c,a", {"a", "c"}}, {"b,b", {"b"}}, {"all", {"a", "b", "c"}}, {"none", {}}});
    ExpectRefused(self, some, "none, all or any of a,b,c", {"", "a,", "a,d", "none,a"});
    ExpectRefused(self, ChoicesType({"a", "b"}, 1), "all or any of a,b", {"none", "", "c"});
    self.Expect(some.show({}) == "none" && some.show({"a", "c"}) == "a,c", "shown");

    using Counts = std::vector<uint64_t>;
    const OptionType<Counts> counts = CountsType(1, 3, 0, 9);
    ExpectTaken<Counts>(self, counts, {{"3,0,9", {3, 0, 9}}, {"1", {1}}});
    ExpectRefused(self,
                  counts,
                  "a list of 1 to 3 numbers with commas, each a whole number from 0 to 9",
                  {"", ",", "1,,2", "1,2,3,4", "10", "1;2", "x"});
    self.Expect(counts.show({3, 0}) == "3,0", "shown");
}

/// Values to text and back.
void
TestRoundTrip(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    for (uint32_t seed = 1; seed <= 2000; ++seed)
    {
        const std::string name = "seed " + std::to_string(seed);
        std::mt19937_64 random(seed);
        const uint64_t bits = random();
        double number;
        std::memcpy(&number, &bits, sizeof(number));
        self.Expect(!std::isfinite(number) || ReadNumber<double>(NumberText(number)) == number,
                    name + " number");
        // 53 bits, since a quantity with a unit is read as a double.
        const uint64_t whole = (random() >> 11) << (seed % 8);
        const OptionType<uint64_t> size = SizeType(0, 1ULL << 62);
        self.Expect(size.parse(size.show(whole)) == whole, name + " size");
        const Time time(static_cast<int64_t>(whole >> 8) - (1LL << 50));
        const OptionType<Time> anyTime = TimeType(std::nullopt, std::nullopt);
        self.Expect(anyTime.parse(anyTime.show(time)) == time, name + " time");
        const DataRate rate(whole >> 8);
        const OptionType<DataRate> anyRate = RateType(0, 1ULL << 62);
        self.Expect(anyRate.parse(anyRate.show(rate)) == rate, name + " rate");
    }
    self.Expect(NumberText(0.1) == "0.1", "the shortest form");
    self.Expect(NumberText(1.0 / 3) == "0.3333333333333333", "enough digits");
    self.Expect(NumberText(-std::numeric_limits<double>::quiet_NaN()) == "nan", "one form of NaN");
}

/// The suite.
class OptionTypeSuite : public FunctionSuite
{
  public:
    OptionTypeSuite()
        : FunctionSuite("fabric-option-type", kUnit)
    {
        Add("PR-1 PR-4 sizes are taken with units, and anything else refused", TestSizes);
        Add("PR-1 PR-4 times are taken as ns-3 writes them, and anything else refused", TestTimes);
        Add("PR-1 PR-4 rates are taken as ns-3 writes them, and anything else refused", TestRates);
        Add("PR-1 PR-4 counts and numbers are taken within bounds", TestNumbers);
        Add("PR-1 PR-4 words and lists are taken if they are known", TestWords);
        Add("PR-3 numbers, sizes, times and rates read back as they were written", TestRoundTrip);
    }
};

const OptionTypeSuite g_optionTypeSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
