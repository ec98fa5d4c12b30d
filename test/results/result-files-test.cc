/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-csv-writer.h"
#include "fabric-json-writer.h"
#include "fabric-program.h"
#include "fabric-run-directory.h"
#include "fabric-run-results.h"
#include "fabric-summary.h"
#include "results-cases.h"

#include <clocale>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

namespace
{

namespace fs = std::filesystem;

/**
 * @param path a file
 * @return what it holds
 */
std::string
Contents(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/**
 * @tparam E an exception
 * @param function may throw it
 * @return its sentence, `accepted` if nothing is thrown
 */
template <typename E>
std::string
SentenceOf(const std::function<void()>& function)
{
    try
    {
        function();
    }
    catch (const E& error)
    {
        return error.what();
    }
    return "accepted";
}

/// Commas as decimal points, as in many languages.
class CommaPoint : public std::numpunct<char>
{
  protected:
    char do_decimal_point() const override
    {
        return ',';
    }

    std::string do_grouping() const override
    {
        return "\3";
    }
};

/// The folder of a run.
class RunDirectoryTestCase : public TestCase
{
  public:
    RunDirectoryTestCase()
        : TestCase("PR-2 --out: made if missing, refused if it holds results, complete or nothing")
    {
    }

  private:
    void DoRun() override
    {
        const fs::path base = CreateTempDirFilename("run-directory");
        const fs::path path = base / "a" / "b";
        {
            RunDirectory directory(path, false);
            directory.Open("summary.csv") << "one";
            directory.Open("flows.csv") << "flows";
            directory.Open("manifest.json") << "{}";
            NS_TEST_EXPECT_MSG_EQ(fs::exists(path / "summary.csv"), false, "not before Commit");
            directory.Commit();
        }
        NS_TEST_EXPECT_MSG_EQ(Contents(path / "summary.csv"), "one", "complete");
        NS_TEST_EXPECT_MSG_EQ(CountFiles(path), 3, "no partial files stay");

        const std::string refused = SentenceOf<BadInput>([&path] { RunDirectory(path, false); });
        NS_TEST_EXPECT_MSG_NE(refused.find("results of another run"), std::string::npos, refused);
        NS_TEST_EXPECT_MSG_NE(refused.find(path.string()), std::string::npos, refused);
        NS_TEST_EXPECT_MSG_NE(refused.find("--force"), std::string::npos, refused);

        std::ofstream(path / "notes.txt") << "mine";
        {
            RunDirectory directory(path, true);
            directory.Open("summary.csv") << "half";
        }
        NS_TEST_EXPECT_MSG_EQ(Contents(path / "summary.csv"),
                              "one",
                              "a run that failed leaves all");
        NS_TEST_EXPECT_MSG_EQ(CountFiles(path), 4, "and nothing of its own");
        {
            RunDirectory directory(path, true);
            std::ofstream(directory.Stage("results.sqlite")) << "data base";
            directory.Open("summary.csv") << "two";
            directory.Open("manifest.json") << "{}";
            directory.Commit();
        }
        NS_TEST_EXPECT_MSG_EQ(Contents(path / "summary.csv"), "two", "replaced");
        NS_TEST_EXPECT_MSG_EQ(Contents(path / "results.sqlite"), "data base", "staged by name");
        NS_TEST_EXPECT_MSG_EQ(fs::exists(path / "flows.csv"), false, "of another run");
        NS_TEST_EXPECT_MSG_EQ(Contents(path / "notes.txt"), "mine", "not a result");

        fs::remove(path / "manifest.json");
        NS_TEST_EXPECT_MSG_NE(SentenceOf<BadInput>([&path] { RunDirectory(path, false); }),
                              "accepted",
                              "results without a manifest are results");
        std::ofstream(base / "file") << "x";
        for (const fs::path& bad : {base / "file", base / "file" / "below", fs::path("/proc/none")})
        {
            const std::string sentence = SentenceOf<BadInput>([&bad] { RunDirectory(bad, false); });
            NS_TEST_EXPECT_MSG_NE(sentence.find("--out=" + bad.string()),
                                  std::string::npos,
                                  sentence);
        }
        RunDirectory killed(base / "killed", false);
        killed.Open("summary.csv") << "partial";
        RunDirectory next(base / "killed", false);
        NS_TEST_EXPECT_MSG_EQ(CountFiles(base / "killed"),
                              0,
                              "the partial file of a killed run goes");
        NS_TEST_EXPECT_MSG_NE(SentenceOf<std::logic_error>([&next] { next.Open("other.csv"); }),
                              "accepted",
                              "not in the list of result files");
        next.Open("flows.csv");
        NS_TEST_EXPECT_MSG_NE(SentenceOf<std::logic_error>([&next] { next.Open("flows.csv"); }),
                              "accepted",
                              "written twice");
        fs::remove_all(base);
    }

    /**
     * @param path a folder
     * @return how many files it holds
     */
    static std::ptrdiff_t CountFiles(const fs::path& path)
    {
        return std::distance(fs::directory_iterator(path), fs::directory_iterator());
    }
};

/// Rows of CSV.
class CsvTestCase : public TestCase
{
  public:
    CsvTestCase()
        : TestCase("PR-3 CSV: quoting, numbers that read back, no locale")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream os;
        os.imbue(std::locale(std::locale::classic(), new CommaPoint));
        CsvWriter csv(os, {"flow", "name", "bytes", "end"});
        csv.Row(1, "plain", uint64_t{1} << 63, 1e-6);
        csv.Row(2u, std::string("a,b"), std::optional<double>(), 0.1 + 0.2);
        csv.Row(uint8_t{65}, "say \"hi\"\n", std::optional<int>(-3), 1234567.0);
        NS_TEST_EXPECT_MSG_EQ(os.str(),
                              "flow,name,bytes,end\n"
                              "1,plain,9223372036854775808,1e-06\n"
                              "2,\"a,b\",,0.30000000000000004\n"
                              "65,\"say \"\"hi\"\"\n\",-3,1234567\n",
                              "rows");
        NS_TEST_EXPECT_MSG_NE(SentenceOf<std::logic_error>([&csv] { csv.Row(1, 2, 3); }),
                              "accepted",
                              "a field too few");
    }
};

/// The summary.
class SummaryTestCase : public TestCase
{
  public:
    SummaryTestCase()
        : TestCase("PR-3 summary.csv and the table for people")
    {
    }

  private:
    void DoRun() override
    {
        Summary summary;
        summary.AddTime("completion_time", {}, 12'500'000);
        summary.AddDistribution("fct", {{"tier", "edge"}}, {3e-6, 1e-6, 2e-6}, "s");
        summary.AddDistribution("none", {}, {}, "s");
        summary.Add("goodput", {{"phase", "alone"}}, 199'123'456'789.0, "bit/s");
        RunTotals totals;
        totals.bytesOffered = 3'145'728;
        totals.bytesDelivered = 3'145'720;
        totals.bytesDropped = {{"loss", 5}, {"full", 3}};
        totals.simulatedTime = 20'000'000;
        totals.dataHops = 12345678;
        summary.AddTotals(totals);
        std::ostringstream csv;
        summary.WriteCsv(csv);
        NS_TEST_EXPECT_MSG_EQ(csv.str(),
                              "metric,subject,value,unit\n"
                              "completion_time,,1.25e-05,s\n"
                              "fct,tier=edge;stat=min,1e-06,s\n"
                              "fct,tier=edge;stat=mean,2e-06,s\n"
                              "fct,tier=edge;stat=p50,2e-06,s\n"
                              "fct,tier=edge;stat=p90,3e-06,s\n"
                              "fct,tier=edge;stat=p99,3e-06,s\n"
                              "fct,tier=edge;stat=p99.9,3e-06,s\n"
                              "fct,tier=edge;stat=max,3e-06,s\n"
                              "goodput,phase=alone,199123456789,bit/s\n"
                              "bytes_offered,,3145728,B\n"
                              "bytes_delivered,,3145720,B\n"
                              "bytes_dropped,cause=full,3,B\n"
                              "bytes_dropped,cause=loss,5,B\n"
                              "bytes_in_flight,,0,B\n"
                              "simulated_time,,2e-05,s\n"
                              "data_hops,,12345678,\n"
                              "control_hops,,0,\n",
                              "summary.csv");
        std::ostringstream table;
        summary.PrintTable(table);
        for (const char* words : {"completion_time                           12.5 us\n",
                                  "fct              tier=edge;stat=max          3 us\n",
                                  "199.1 Gbps",
                                  "3 MiB",
                                  "12345678"})
        {
            NS_TEST_EXPECT_MSG_NE(table.str().find(words), std::string::npos, table.str());
        }
        const std::vector<std::pair<std::string, std::string>> human{
            {HumanText(0, "s"), "0 s"},
            {HumanText(1.2345678e-9, "s"), "1.235 ns"},
            {HumanText(0.9999999e-6, "s"), "1 us"},
            {HumanText(1e-15, "s"), "0.001 ps"},
            {HumanText(90, "s"), "90 s"},
            {HumanText(1536, "B"), "1.5 KiB"},
            {HumanText(7, "B"), "7 B"},
            {HumanText(2e12, "bit/s"), "2 Tbps"},
            {HumanText(123456.7, ""), "123457"},
            {HumanText(0.123456, ""), "0.1235"},
            {HumanText(3, "1/s"), "3 1/s"},
            {HumanText(-2e-6, "s"), "-2 us"},
            {HumanText(std::numeric_limits<double>::infinity(), "s"), "inf s"},
        };
        for (const auto& [text, expected] : human)
        {
            NS_TEST_EXPECT_MSG_EQ(text, expected, "for people");
        }
        NS_TEST_EXPECT_MSG_NE(SentenceOf<std::logic_error>([&summary] {
                                  summary.Add("goodput", {{"phase", "alone"}}, 1, "bit/s");
                              }),
                              "accepted",
                              "the same figure twice");
        NS_TEST_EXPECT_MSG_NE(SentenceOf<std::logic_error>([&summary] {
                                  summary.Add("goodput", {{"phase", "a;b"}}, 1, "bit/s");
                              }),
                              "accepted",
                              "a subject that cannot be read back");
    }
};

/// JSON by hand; Python reads the same in test/python.
class JsonTestCase : public TestCase
{
  public:
    JsonTestCase()
        : TestCase("SC-5 JSON: escapes, UTF-8, numbers")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream os;
        JsonWriter json(os);
        json.BeginObject();
        json.Member("text", "a\"\\\n\x01/");
        json.Member("count", uint64_t{18446744073709551615u});
        json.Member("yes", true);
        json.Member("nan", std::numeric_limits<double>::quiet_NaN());
        json.Key("list");
        json.BeginArray();
        json.Value(0.1);
        json.Value(-1);
        json.EndArray();
        json.Key("empty");
        json.BeginObject();
        json.EndObject();
        json.EndObject();
        NS_TEST_EXPECT_MSG_EQ(os.str(),
                              "{\n"
                              "  \"text\": \"a\\\"\\\\\\u000a\\u0001/\",\n"
                              "  \"count\": 18446744073709551615,\n"
                              "  \"yes\": true,\n"
                              "  \"nan\": null,\n"
                              "  \"list\": [\n"
                              "    0.1,\n"
                              "    -1\n"
                              "  ],\n"
                              "  \"empty\": {}\n"
                              "}\n",
                              "JSON");
        const std::vector<std::pair<std::string, std::string>> texts{
            {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
            {"\xe9", "\\ufffd"},                                  // Latin-1
            {"\xc0\xaf", "\\ufffd\\ufffd"},                       // long form
            {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"},            // surrogate
            {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"}, // beyond U+10FFFF
            {"\xe2\x82", "\\ufffd\\ufffd"},                       // cut short
        };
        for (const auto& [text, expected] : texts)
        {
            NS_TEST_EXPECT_MSG_EQ(JsonWriter::Quote(text), "\"" + expected + "\"", "UTF-8");
        }
    }
};

/// A whole run.
class RunResultsTestCase : public TestCase
{
  public:
    RunResultsTestCase()
        : TestCase("PR-3 PR-4 a run ends with table, summary and manifest, or with a breach")
    {
    }

  private:
    /**
     * @param arguments arguments without the program's name
     * @param totals the common figures
     * @param events events that were run
     * @return the table for people
     */
    std::string Run(std::vector<std::string> arguments, const RunTotals& totals, uint64_t events)
    {
        arguments.insert(arguments.begin(), "fabric-example");
        ProgramOptions options("fabric-example.cc", "An example.");
        options.Parse(arguments);
        RunResults results(options);
        results.GetSummary().AddTime("completion_time", {}, 1000);
        if (RunDirectory* directory = results.GetDirectory())
        {
            CsvWriter(directory->Open("flows.csv"), {"flow", "bytes"}).Row(0, 64);
        }
        std::ostringstream table;
        results.Finish(totals, events, table);
        return table.str();
    }

    void DoRun() override
    {
        const fs::path base = CreateTempDirFilename("run-results");
        RunTotals totals;
        totals.bytesOffered = totals.bytesDelivered = 64;
        const std::string table = Run({}, totals, 1);
        NS_TEST_EXPECT_MSG_NE(table.find("completion_time"), std::string::npos, table);
        NS_TEST_EXPECT_MSG_NE(table.find("control_hops"), std::string::npos, table);

        Run({"--out=" + (base / "a").string()}, totals, 1);
        Run({"--out=" + (base / "b").string(), "--lookahead=off", "--check"}, totals, 1000);
        NS_TEST_EXPECT_MSG_EQ(Contents(base / "a" / "summary.csv"),
                              Contents(base / "b" / "summary.csv"),
                              "the same bytes however it was run");
        const std::string manifest = Contents(base / "b" / "manifest.json");
        for (const char* words : {"\"program\": \"fabric-example\"",
                                  "\"events\": 1000",
                                  "\"lookahead\": false",
                                  "\"compiler\": \"",
                                  "\"build_type\": \"",
                                  "\"check\": \"true\"",
                                  "\"wall_seconds\": ",
                                  "\"peak_memory_bytes\": "})
        {
            NS_TEST_EXPECT_MSG_NE(manifest.find(words), std::string::npos, manifest);
        }

        totals.bytesDropped["loss"] = 1;
        const std::string breach = SentenceOf<InvariantError>([this, &totals, &base] {
            Run({"--check", "--out=" + (base / "c").string()}, totals, 1);
        });
        NS_TEST_EXPECT_MSG_EQ(
            breach,
            "conservation: 64 bytes were offered, but 64 delivered, 1 dropped and 0 "
            "in flight",
            "a breach");
        NS_TEST_EXPECT_MSG_EQ(fs::is_empty(base / "c"), true, "nothing is written then");
        fs::remove_all(base);
    }
};

} // namespace

std::vector<TestCase*>
ResultFilesCases()
{
    return {new RunDirectoryTestCase,
            new CsvTestCase,
            new SummaryTestCase,
            new JsonTestCase,
            new RunResultsTestCase};
}

} // namespace fabric
} // namespace ns3
