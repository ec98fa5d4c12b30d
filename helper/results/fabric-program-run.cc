/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program-run.h"

#include "ns3/simulator.h"

#include <iostream>

namespace ns3
{
namespace fabric
{

ProgramRun::ProgramRun(const std::string& file, const std::string& usage)
    : m_options(file, usage)
{
}

ProgramOptions&
ProgramRun::GetOptions()
{
    return m_options;
}

const ProgramOptions&
ProgramRun::GetOptions() const
{
    return m_options;
}

void
ProgramRun::Parse(int argc, char* argv[], const std::function<void()>& check)
{
    m_options.Parse(argc, argv);
    if (check)
    {
        check();
    }
    m_results = std::make_unique<RunResults>(m_options);
}

Summary&
ProgramRun::GetSummary()
{
    return m_results->GetSummary();
}

RunDirectory*
ProgramRun::GetDirectory()
{
    return m_results->GetDirectory();
}

void
ProgramRun::Run(const ProgressReporter::Source& source) const
{
    ProgressReporter progress(m_options.GetProgress(), source);
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
    if (m_results->GetDirectory() && write)
    {
        write(*m_results->GetDirectory());
    }
    m_results->Finish(totals, Simulator::GetEventCount(), std::cout);
    Simulator::Destroy();
}

void
ProgramRun::WriteResults(uint64_t events, const WriteFiles& write)
{
    if (m_results->GetDirectory())
    {
        write(*m_results->GetDirectory());
    }
    m_results->Commit(events);
}

} // namespace fabric
} // namespace ns3
