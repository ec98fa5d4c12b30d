/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RUN_DIRECTORY_H
#define FABRIC_RUN_DIRECTORY_H

#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * The folder of a run's result files (`--out`, PR-2).
 *
 * Files are written as NAME.partial and get their names all together in Commit(), the manifest
 * last: a folder with a manifest is complete, and a run that fails leaves the results that were
 * there before.
 */
class RunDirectory
{
  public:
    /// The file that makes a folder's results complete.
    static constexpr const char* MANIFEST = "manifest.json";

    /**
     * Makes the folder if it is missing.
     *
     * @param path the folder
     * @param force whether results of another run may be replaced
     * @throws std::invalid_argument if it holds results of another run and `force` is false, is no
     * folder, cannot be made or cannot be written to
     */
    RunDirectory(const std::filesystem::path& path, bool force);

    /// Removes the files of a run that was not committed.
    ~RunDirectory();

    RunDirectory(const RunDirectory&) = delete;
    RunDirectory& operator=(const RunDirectory&) = delete;

    /// @return the names that result files may have; only these are ever replaced or removed
    static const std::vector<std::string>& ResultFiles();

    /**
     * For a file that is written by other means than a stream, such as a data base.
     *
     * @param name one of ResultFiles()
     * @return where to write the file before Commit()
     * @throws std::logic_error for another name, or one staged already
     */
    std::filesystem::path Stage(const std::string& name);

    /**
     * @param name one of ResultFiles()
     * @return a stream to the file, open until Commit()
     * @throws std::logic_error for another name, or one staged already
     * @throws std::runtime_error if the file cannot be made
     */
    std::ostream& Open(const std::string& name);

    /**
     * Closes the files and gives them their names; result files of an earlier run go.
     *
     * @throws std::runtime_error if a file could not be written in full
     */
    void Commit();

  private:
    /**
     * @param name one of ResultFiles()
     * @return where the file is written before Commit()
     */
    std::filesystem::path PartialPath(const std::string& name) const;

    std::filesystem::path m_path;                   ///< The folder.
    std::vector<std::string> m_staged;              ///< Names of this run's files.
    std::map<std::string, std::ofstream> m_streams; ///< Those that are written as streams.
};

} // namespace ns3::fabric

#endif // FABRIC_RUN_DIRECTORY_H
