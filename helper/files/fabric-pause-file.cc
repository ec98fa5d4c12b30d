/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pause-file.h"

#include <algorithm>

namespace ns3::fabric
{

void
PauseFile::Write(std::ostream& os, TimePs end)
{
    std::sort(m_rows.begin(), m_rows.end());
    for (const Row& row : m_rows)
    {
        if (row.time < end)
        {
            os << row.time / 1000 << " " << row.node << " " << row.isSwitch << " " << row.port + 1
               << " " << row.isPause << "\n";
        }
    }
}

} // namespace ns3::fabric
