/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-csv-writer.h"
#include "fabric-helper.h"
#include "fabric-program-run.h"
#include "fabric-program.h"
#include "support/fabric-command.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-scratch-folder.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

namespace fs = std::filesystem;

/// @return what a file holds
std::string
Contents(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// @return how many files a folder holds
std::ptrdiff_t
CountFiles(const fs::path& path)
{
    return std::distance(fs::directory_iterator(path), fs::directory_iterator());
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
void
TestRunDirectory(FunctionCase& self)
{
    const ScratchFolder folder(self, "run-directory");
    const fs::path& base = folder.Get();
    const fs::path path = base / "a" / "b";
    {
        RunDirectory directory(path, false);
        directory.Open("summary.csv") << "one";
        directory.Open("flows.csv") << "flows";
        directory.Open("manifest.json") << "{}";
        self.Expect(!fs::exists(path / "summary.csv"), "not before Commit");
        directory.Commit();
    }
    self.Expect(Contents(path / "summary.csv") == "one", "complete");
    self.Expect(CountFiles(path) == 3, "no partial files stay");
    const std::string refused = Refusal([&path] { RunDirectory(path, false); });
    for (const std::string& words :
         {std::string("results of another run"), path.string(), std::string("--force")})
    {
        self.Expect(refused.find(words) != refused.npos, refused);
    }

    std::ofstream(path / "notes.txt") << "mine";
    {
        RunDirectory directory(path, true);
        directory.Open("summary.csv") << "half";
    }
    self.Expect(Contents(path / "summary.csv") == "one", "a run that failed leaves all");
    self.Expect(CountFiles(path) == 4, "and nothing of its own");
    {
        RunDirectory directory(path, true);
        std::ofstream(directory.Stage("results.sqlite")) << "data base";
        directory.Open("summary.csv") << "two";
        directory.Open("manifest.json") << "{}";
        directory.Commit();
    }
    self.Expect(Contents(path / "summary.csv") == "two", "replaced");
    self.Expect(Contents(path / "results.sqlite") == "data base", "staged by name");
    self.Expect(!fs::exists(path / "flows.csv"), "of another run");
    self.Expect(Contents(path / "notes.txt") == "mine", "not a result");

    fs::remove(path / "manifest.json");
    self.Expect(!Refusal([&path] { RunDirectory(path, false); }).empty(),
                "results without a manifest are results");
    std::ofstream(base / "file") << "x";
    for (const fs::path& bad : {base / "file", base / "file" / "below", fs::path("/proc/none")})
    {
        const std::string sentence = Refusal([&bad] { RunDirectory(bad, false); });
        self.Expect(sentence.find("--out=" + bad.string()) != sentence.npos, sentence);
    }
    RunDirectory killed(base / "killed", false);
    killed.Open("summary.csv") << "partial";
    RunDirectory next(base / "killed", false);
    self.Expect(CountFiles(base / "killed") == 0, "the partial file of a killed run goes");
    self.Expect(!Refusal<std::logic_error>([&next] { next.Open("other.csv"); }).empty(),
                "not a result file");
    next.Open("flows.csv");
    self.Expect(!Refusal<std::logic_error>([&next] { next.Open("flows.csv"); }).empty(),
                "written twice");
}

/// Rows of CSV.
void
TestCsv(FunctionCase& self)
{
    std::ostringstream os;
    os.imbue(std::locale(std::locale::classic(), new CommaPoint));
    CsvWriter csv(os, {"flow", "name", "bytes", "end"});
    csv.Row(1, "plain", uint64_t{1} << 63, 1e-6);
    csv.Row(2u, std::string("a,b"), std::optional<double>(), 0.1 + 0.2);
    csv.Row(uint8_t{65}, "say \"hi\"\n", std::optional<int>(-3), 1234567.0);
    self.ExpectSame(os.str(),
                    "flow,name,bytes,end\n"
                    "1,plain,9223372036854775808,1e-06\n"
                    "2,\"a,b\",,0.30000000000000004\n"
                    "65,\"say \"\"hi\"\"\n\",-3,1234567\n",
                    "rows");
    self.Expect(!Refusal<std::logic_error>([&csv] { csv.Row(1, 2, 3); }).empty(),
                "a field too few");
}

void
TestSummary(FunctionCase& self)
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
    self.ExpectSame(csv.str(),
                    "metric,tier,stat,phase,cause,value,unit\n"
                    "completion_time,,,,,1.25e-05,s\n"
                    "fct,edge,min,,,1e-06,s\n"
                    "fct,edge,mean,,,2e-06,s\n"
                    "fct,edge,p50,,,2e-06,s\n"
                    "fct,edge,p90,,,3e-06,s\n"
                    "fct,edge,p99,,,3e-06,s\n"
                    "fct,edge,p99.9,,,3e-06,s\n"
                    "fct,edge,max,,,3e-06,s\n"
                    "goodput,,,alone,,199123456789,bit/s\n"
                    "bytes_offered,,,,,3145728,B\n"
                    "bytes_delivered,,,,,3145720,B\n"
                    "bytes_dropped,,,,full,3,B\n"
                    "bytes_dropped,,,,loss,5,B\n"
                    "bytes_in_flight,,,,,0,B\n"
                    "simulated_time,,,,,2e-05,s\n"
                    "data_hops,,,,,12345678,1\n"
                    "control_hops,,,,,0,1\n",
                    "summary.csv");
    std::ostringstream table;
    summary.PrintTable(table);
    for (const char* words : {"completion_time                           12.5 us\n",
                              "fct              tier=edge;stat=max          3 us\n",
                              "199.1 Gbps",
                              "3 MiB",
                              "12345678"})
    {
        self.Expect(table.str().find(words) != std::string::npos, words);
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
        {HumanText(123456.7, "1"), "123457"},
        {HumanText(0.123456, "1"), "0.1235"},
        {HumanText(3, "1/s"), "3 1/s"},
        {HumanText(-2e-6, "s"), "-2 us"},
        {HumanText(std::numeric_limits<double>::infinity(), "s"), "inf s"},
    };
    for (const auto& [text, expected] : human)
    {
        self.ExpectSame(text, expected, "for people");
    }
    const auto refuses = [&summary](const Summary::Subject& subject, const std::string& unit) {
        return !Refusal<std::logic_error>([&] {
                    summary.Add("goodput", subject, 1, unit);
                }).empty();
    };
    self.Expect(refuses({{"phase", "alone"}}, "bit/s"), "the same figure twice");
    self.Expect(refuses({{"phase", "later"}}, ""), "no unit");
    for (const char* column : {"metric", "value", "unit"})
    {
        self.Expect(refuses({{column, "x"}}, "bit/s"), "a key like another column");
    }
    self.Expect(!refuses({{"phase", "a;b=c"}}, "bit/s"), "any text as the value of a key");
}

/// @return what a run prints, that sends nothing in no time
std::string
RunProgramWith(const std::vector<std::string>& arguments, const RunTotals& totals)
{
    Command command(arguments);
    ProgramRun run("fabric-example.cc", "An example.");
    run.Parse(command.Count(), command.Arguments());
    run.GetSummary().AddTime("completion_time", {}, 1000);
    return Printed([&run, &totals] {
        std::cout << Refusal<InvariantError>([&run, &totals] {
            run.Finish(totals, [](RunDirectory& directory) {
                CsvWriter(directory.Open("flows.csv"), {"flow", "bytes"}).Row(0, 64);
            });
        });
    });
}

/// A whole run.
void
TestProgramRun(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    const ScratchFolder folder(self, "program-run");
    const fs::path& base = folder.Get();
    RunTotals totals;
    totals.bytesOffered = totals.bytesDelivered = 64;
    const std::string table = RunProgramWith({}, totals);
    self.Expect(table.find("completion_time") < table.find("control_hops") &&
                    table.find("control_hops") != table.npos,
                table);

    RunProgramWith({"--out=" + (base / "a").string()}, totals);
    RunProgramWith({"--out=" + (base / "b").string(), "--lookahead=off", "--check"}, totals);
    self.Expect(CountFiles(base / "b") == 3, "summary, manifest, and its own");
    self.Expect(Contents(base / "a" / "summary.csv") == Contents(base / "b" / "summary.csv"),
                "the same bytes however it was run");
    const std::string manifest = Contents(base / "b" / "manifest.json");
    for (const char* words : {"{\n  \"program\": \"fabric-example\",\n",
                              "\"events\": 0,\n",
                              "\"lookahead\": false,\n",
                              "\"attributes\": {},\n",
                              "\"compiler\": \"",
                              "\"build_type\": \"",
                              "    \"check\": true\n",
                              "\"wall_seconds\": ",
                              "\"peak_memory_bytes\": "})
    {
        self.Expect(manifest.find(words) != manifest.npos, std::string(words) + " in " + manifest);
    }
    RunProgramWith({"--out=" + (base / "\xe9").string()}, totals);
    self.Expect(Contents(base / "\xe9" / "manifest.json").find("/\xef\xbf\xbd\"") !=
                    std::string::npos,
                "what is not UTF-8 becomes U+FFFD");

    totals.bytesDropped["loss"] = 1;
    self.ExpectSame(RunProgramWith({"--out=" + (base / "c").string()}, totals),
                    "conservation: 64 bytes were offered and 0 copied, but 64 delivered, 0 "
                    "combined, 1 dropped and 0 in "
                    "flight",
                    "a breach");
    self.Expect(fs::is_empty(base / "c"), "nothing is written then");
}

/// The suite.
class ResultFilesSuite : public FunctionSuite
{
  public:
    ResultFilesSuite()
        : FunctionSuite("fabric-result-files", kUnit)
    {
        Add("PR-2 --out: made if missing, refused if it holds results, complete or nothing",
            TestRunDirectory);
        Add("PR-3 CSV: quoting, numbers that read back, no locale", TestCsv);
        Add("PR-3 summary.csv and the table for people", TestSummary);
        Add("PR-3 PR-4 a run ends with table, summary and manifest, or with a breach",
            TestProgramRun);
    }
};

const ResultFilesSuite g_resultFilesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
