/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program-run.h"

#include "fabric-option-value.h"
#include "fabric-rank-link.h"

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
    JoinRanks();
    m_manifest.emplace();
    if (!m_options.Common().out.empty() && OwnRank() == 0)
    {
        m_directory.emplace(m_options.Common().out, m_options.Common().force);
    }
}

void
ProgramRun::JoinRanks() const
{
    if (!m_options.Common().mpi)
    {
        return;
    }
    if (!HasMpi())
    {
        ThrowNotAllowed("--mpi",
                        "true",
                        "false, since the module was built with an ns-3 without MPI");
    }
    m_options.RefuseGiven({"threads", "channels", "pcap"}, "--mpi=false");
    EnableRanks();
}

void
ProgramRun::Run(const ProgressReporter::Source& source) const
{
    const bool isShown = OwnRank() == 0;
    ProgressReporter progress(isShown ? m_options.Common().progress : ProgressMode::OFF, source);
    progress.Start();
    Simulator::Run();
    progress.Stop();
}

void
ProgramRun::RunUntilIdle(const std::function<double()>& done) const
{
    if (RankCount() > 1)
    {
        Simulator::Run();
        return;
    }
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
    if (OwnRank() == 0)
    {
        m_summary.PrintTable(std::cout);
    }
    if (m_directory)
    {
        m_summary.WriteCsv(m_directory->Open("summary.csv"));
    }
    Commit(Simulator::GetEventCount());
    Simulator::Destroy();
    DisableRanks();
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
