/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-class-map.h"

#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace fabric
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

} // namespace fabric
} // namespace ns3
