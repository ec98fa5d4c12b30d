/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SCRATCH_FOLDER_H
#define FABRIC_SCRATCH_FOLDER_H

#include "fabric-function-case.h"

#include <filesystem>
#include <string>

namespace ns3::fabric
{

/// A place for a folder of results, where nothing is at first and in the end. ns-3 gives the same
/// one to two runs of a suite within a second.
class ScratchFolder
{
  public:
    /// @param self the test case
    ScratchFolder(FunctionCase& self, const std::string& name)
        : m_path(self.CreateTempDirFilename(name))
    {
        std::filesystem::remove_all(m_path);
    }

    ~ScratchFolder()
    {
        std::filesystem::remove_all(m_path);
    }

    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& Get() const
    {
        return m_path;
    }

  private:
    std::filesystem::path m_path; ///< Of the folder.
};

} // namespace ns3::fabric

#endif // FABRIC_SCRATCH_FOLDER_H
