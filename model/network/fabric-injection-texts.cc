/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-injection-texts.h"

#include "fabric-colon-fields.h"
#include "fabric-number-list.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

std::array<LimitId, APPLICATION_GROUPS>
ParseLimitIds(const std::string& text)
{
    std::array<LimitId, APPLICATION_GROUPS> ids = InjectionSettings().limitIds;
    ForEachWord(text, [&ids](const std::string& word) {
        uint32_t group = 0;
        LimitId id = 0;
        if (!ReadColonFields(word, group, id) || group >= NO_FLOW_GROUP || id > UNLIMITED_ID)
        {
            throw std::invalid_argument("GroupLimitIds: '" + word +
                                        "' is not an application group from 0 to 126 and an "
                                        "injection limit from 0 to 7, or 8 for none, with a colon "
                                        "between, as in '1:0,2:1'");
        }
        ids[group] = id;
    });
    return ids;
}

void
ParseLimits(const std::string& name,
            const std::string& text,
            std::pair<uint32_t, uint32_t> range,
            std::array<uint32_t, INJECTION_LIMITS>& values)
{
    std::vector<uint32_t> read;
    bool isList = ReadNumberList(text, read) && read.size() <= values.size();
    for (const uint32_t value : read)
    {
        isList = isList && value >= range.first && value <= range.second;
    }
    if (!isList)
    {
        throw std::invalid_argument(name + ": '" + text + "' is not a list of at most " +
                                    std::to_string(values.size()) + " numbers from " +
                                    std::to_string(range.first) + " to " +
                                    std::to_string(range.second) + ", as in '3,1'");
    }
    std::copy(read.begin(), read.end(), values.begin());
}

} // namespace ns3::fabric
