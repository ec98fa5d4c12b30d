/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-run-results.h"

namespace ns3
{
namespace fabric
{

RunResults::RunResults(const ProgramOptions& options)
    : m_options(options),
      m_manifest(options)
{
    if (!options.GetOut().empty())
    {
        m_directory.emplace(options.GetOut(), options.GetForce());
    }
}

Summary&
RunResults::GetSummary()
{
    return m_summary;
}

RunDirectory*
RunResults::GetDirectory()
{
    return m_directory ? &*m_directory : nullptr;
}

void
RunResults::Finish(const RunTotals& totals, uint64_t events, std::ostream& os)
{
    if (m_options.GetCheck())
    {
        totals.CheckConservation();
    }
    m_summary.AddTotals(totals);
    m_summary.PrintTable(os);
    if (m_directory)
    {
        m_summary.WriteCsv(m_directory->Open("summary.csv"));
    }
    Commit(events);
}

void
RunResults::Commit(uint64_t events)
{
    if (m_directory)
    {
        m_manifest.Write(m_directory->Open(RunDirectory::MANIFEST), events);
        m_directory->Commit();
    }
}

} // namespace fabric
} // namespace ns3
