/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-class-map.h"

#include "fabric-colon-fields.h"

#include <stdexcept>

namespace ns3::fabric
{

ClassMap
ParseClassToVc(const std::string& text)
{
    ClassMap map{};
    uint32_t trafficClass = 0;
    ForEachWord(text, [&](const std::string& word) {
        uint8_t channel = 0;
        if (!ReadColonFields(word, channel) || channel >= VIRTUAL_CHANNELS ||
            trafficClass == TRAFFIC_CLASSES)
        {
            throw std::invalid_argument("ClassToVc: '" + text + "' is not a list of at most " +
                                        std::to_string(TRAFFIC_CLASSES) +
                                        " virtual channels from 0 to " +
                                        std::to_string(VIRTUAL_CHANNELS - 1) + ", as '0,1,1'");
        }
        map[trafficClass++] = channel;
    });
    return map;
}

DscpTable
ParseDscpToClass(const std::string& text)
{
    DscpTable table{};
    ForEachWord(text, [&table](const std::string& pair) {
        uint32_t dscp = 0;
        uint8_t trafficClass = 0;
        if (!ReadColonFields(pair, dscp, trafficClass) || dscp >= table.size() ||
            trafficClass >= TRAFFIC_CLASSES)
        {
            throw std::invalid_argument("DscpToClass: '" + pair +
                                        "' is not a DSCP value from 0 to 63, a colon and a traffic "
                                        "class from 0 to 15, as in '46:1,34:2'");
        }
        table[dscp] = trafficClass;
    });
    return table;
}

} // namespace ns3::fabric
