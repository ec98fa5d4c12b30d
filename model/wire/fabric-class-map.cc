/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-class-map.h"

#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

ClassMap
ParseClassToVc(const std::string& text)
{
    ClassMap map{};
    std::istringstream words(text);
    std::string word;
    uint32_t trafficClass = 0;
    while (std::getline(words, word, ','))
    {
        const bool isChannel =
            word.size() == 1 && word[0] >= '0' && word[0] < '0' + int{VIRTUAL_CHANNELS};
        if (!isChannel || trafficClass == TRAFFIC_CLASSES)
        {
            throw std::invalid_argument("ClassToVc: '" + text + "' is not a list of at most " +
                                        std::to_string(TRAFFIC_CLASSES) +
                                        " virtual channels from 0 to " +
                                        std::to_string(VIRTUAL_CHANNELS - 1) + ", as '0,1,1'");
        }
        map[trafficClass++] = static_cast<uint8_t>(word[0] - '0');
    }
    return map;
}

DscpTable
ParseDscpToClass(const std::string& text)
{
    DscpTable table{};
    std::istringstream pairs(text);
    std::string pair;
    while (std::getline(pairs, pair, ','))
    {
        std::istringstream numbers(pair);
        uint32_t dscp = 0;
        uint32_t trafficClass = 0;
        char colon = 0;
        const bool isPair = numbers >> dscp >> colon >> trafficClass && numbers.eof();
        if (!isPair || colon != ':' || dscp >= table.size() || trafficClass >= TRAFFIC_CLASSES)
        {
            throw std::invalid_argument("DscpToClass: '" + pair +
                                        "' is not a DSCP value from 0 to 63, a colon and a traffic "
                                        "class from 0 to 15, as in '46:1,34:2'");
        }
        table[dscp] = static_cast<uint8_t>(trafficClass);
    }
    return table;
}

} // namespace ns3::fabric
