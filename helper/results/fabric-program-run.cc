/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program-run.h"

#include "ns3/simulator.h"

#include <iostream>

namespace ns3::fabric
{

ProgramRun::ProgramRun(const std::string& file, const std::string& usage)
    : m_options(file, usage)
{
}

void
ProgramRun::Parse(int argc, char* argv[], const std::function<void()>& check)
{
    m_options.Parse(argc, argv);
    if (check)
    {
        check();
    }
    m_manifest.emplace();
    if (!m_options.Common().out.empty())
    {
        m_directory.emplace(m_options.Common().out, m_options.Common().force);
    }
}

void
ProgramRun::Run(const ProgressReporter::Source& source) const
{
    ProgressReporter progress(m_options.Common().progress, source);
    progress.Start();
    Simulator::Run();
    progress.Stop();
}

void
ProgramRun::RunUntilIdle(const std::function<double()>& done) const
{
    Run({[&done] { return done() < 1; }, done});
}

void
ProgramRun::RunTo(Time end) const
{
    Run({[] { return true; }, [end] { return Simulator::Now().GetSeconds() / end.GetSeconds(); }});
}

void
ProgramRun::Finish(const RunTotals& totals, const WriteFiles& write)
{
    totals.CheckConservation();
    if (m_directory && write)
    {
        write(*m_directory);
    }
    m_summary.AddTotals(totals);
    m_summary.PrintTable(std::cout);
    if (m_directory)
    {
        m_summary.WriteCsv(m_directory->Open("summary.csv"));
    }
    Commit(Simulator::GetEventCount());
    Simulator::Destroy();
}

void
ProgramRun::WriteResults(uint64_t events, const WriteFiles& write)
{
    if (m_directory)
    {
        write(*m_directory);
    }
    Commit(events);
}

void
ProgramRun::Commit(uint64_t events)
{
    if (m_directory)
    {
        m_manifest->Write(m_directory->Open(RunDirectory::MANIFEST), m_options, events);
        m_directory->Commit();
    }
}

} // namespace ns3::fabric
