/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-run-directory.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace ns3::fabric
{

namespace
{

/**
 * @param path a folder
 * @throws std::invalid_argument if no file can be made in it
 */
void
CheckWritable(const std::filesystem::path& path)
{
    // Permissions are not the whole truth (read-only file systems, the superuser), so it is tried.
    const std::filesystem::path probe = path / "writable.partial";
    const bool isWritable = std::ofstream(probe).put('\n').flush().good();
    std::error_code ignored;
    std::filesystem::remove(probe, ignored);
    if (!isWritable)
    {
        throw std::invalid_argument("--out=" + path.string() + ": cannot write into this folder");
    }
}

} // namespace

RunDirectory::RunDirectory(const std::filesystem::path& path, bool force)
    : m_path(path)
{
    std::error_code error;
    std::filesystem::create_directories(m_path, error);
    if (error || !std::filesystem::is_directory(m_path, error))
    {
        throw std::invalid_argument("--out=" + m_path.string() + ": cannot make this folder (" +
                                    (error ? error.message() : "it is a file") + ")");
    }
    for (const std::string& name : ResultFiles())
    {
        if (!force && std::filesystem::exists(m_path / name, error))
        {
            throw std::invalid_argument("--out=" + m_path.string() +
                                        ": holds results of another run (" + name +
                                        "): take another folder, or --force to replace them");
        }
    }
    CheckWritable(m_path);
    for (const std::string& name : ResultFiles())
    {
        // Left by a run that was killed.
        std::filesystem::remove(PartialPath(name), error);
    }
}

RunDirectory::~RunDirectory()
{
    m_streams.clear();
    for (const std::string& name : m_staged)
    {
        std::error_code ignored;
        std::filesystem::remove(PartialPath(name), ignored);
    }
}

const std::vector<std::string>&
RunDirectory::ResultFiles()
{
    static const std::vector<std::string> names{
        "summary.csv",  "flows.csv",   "messages.csv", "ports.csv",     "buffers.csv",
        "channels.csv", "packets.csv", "stages.csv",   "windows.csv",   "lanes.csv",
        "ranks.csv",    "jobs.csv",    "queues.csv",   "topology.txt",  "flow.txt",
        "fct.txt",      "pfc.txt",     "qlen.txt",     "timeline.json", "results.sqlite",
        "bench.csv",    MANIFEST};
    return names;
}

std::filesystem::path
RunDirectory::PartialPath(const std::string& name) const
{
    return m_path / (name + ".partial");
}

std::filesystem::path
RunDirectory::Stage(const std::string& name)
{
    const auto& allowed = ResultFiles();
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
    {
        throw std::logic_error(name + " is not in the list of result files");
    }
    if (std::find(m_staged.begin(), m_staged.end(), name) != m_staged.end())
    {
        throw std::logic_error(name + " is written twice");
    }
    m_staged.push_back(name);
    return PartialPath(name);
}

std::ostream&
RunDirectory::Open(const std::string& name)
{
    const std::filesystem::path path = Stage(name);
    std::ofstream& stream = m_streams[name];
    // Binary, so that the bytes are the same on every platform.
    stream.open(path, std::ios::binary | std::ios::trunc);
    if (!stream)
    {
        throw std::runtime_error("cannot write " + path.string());
    }
    return stream;
}

void
RunDirectory::Commit()
{
    for (auto& [name, stream] : m_streams)
    {
        stream.close();
        if (!stream)
        {
            throw std::runtime_error("cannot write " + PartialPath(name).string() +
                                     ", is the disk full?");
        }
    }
    // The old manifest goes first and the new one comes last: in between the folder is not
    // complete.
    std::filesystem::remove(m_path / MANIFEST);
    for (const std::string& name : ResultFiles())
    {
        if (std::find(m_staged.begin(), m_staged.end(), name) == m_staged.end())
        {
            std::filesystem::remove(m_path / name);
        }
        else
        {
            std::filesystem::rename(PartialPath(name), m_path / name);
        }
    }
    m_streams.clear();
    m_staged.clear();
}

} // namespace ns3::fabric
