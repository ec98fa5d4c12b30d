/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANDOM_SHAPING_H
#define FABRIC_RANDOM_SHAPING_H

#include "fabric-shaping-table.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ns3::fabric
{

/// @return a bucket of any kind @param mustFill whether it gets tokens, in a time that tests have
inline BucketSettings
RandomBucket(std::mt19937_64& random, bool mustFill)
{
    BucketSettings bucket;
    switch (random() % 6)
    {
    case 0:
        bucket.rate = mustFill ? 1'000'000'000 : 0;
        break;
    case 1:
        bucket.rate = BucketSettings::UNLIMITED;
        break;
    case 2:
        bucket.rate = 100'000'000 + random() % 900'000'000; // bytes last no whole ps
        break;
    case 3:
        bucket.rate = (1 + random() % 400) * 1'000'000'000;
        break;
    case 4:
        bucket.rate = 1'000'000'000 + random() % 400'000'000'000;
        break;
    default:
        bucket.rate = 400'000'000'000 + random() % 100'000'000'000'000;
        break;
    }
    const uint32_t range = random() % 2 == 0 ? 2'000 : 60'000;
    bucket.burst = random() % 5 == 0 ? 0 : static_cast<uint32_t>(random() % range);
    bucket.priority = bucket.IsOff() || random() % 2 == 0 ? 0 : static_cast<uint8_t>(random() % 8);
    return bucket;
}

/**
 * @param queues that a port can have
 * @param trafficClasses that are used
 * @return a table that is right; each queue has tokens sooner or later
 */
inline ShapingTable
RandomShapingTable(std::mt19937_64& random, uint32_t queues, uint32_t trafficClasses)
{
    ShapingTable table;
    table.head = RandomBucket(random, random() % 2 == 0);
    const bool needsMore = table.head.IsOff();
    std::vector<uint8_t> used{0};
    const auto most = static_cast<uint32_t>(1 + random() % 8);
    for (uint32_t i = 0; i < most; ++i)
    {
        const auto queue = static_cast<uint8_t>(random() % queues);
        if (std::find(used.begin(), used.end(), queue) == used.end())
        {
            used.push_back(queue);
        }
    }
    uint8_t branches = 0;
    for (const uint8_t queue : used)
    {
        const BucketSettings bucket = RandomBucket(random, needsMore);
        const auto branch = static_cast<uint8_t>(random() % SHAPING_BRANCHES);
        table.leaves.push_back({queue, bucket, branch});
        branches |= 1 << branch;
    }
    for (uint8_t branch = 0; branch < SHAPING_BRANCHES; ++branch)
    {
        if ((branches >> branch & 1) != 0 && random() % 2 == 0)
        {
            table.branches.push_back({branch, RandomBucket(random, false)});
        }
    }
    uint16_t number = 0;
    for (const uint8_t queue : used)
    {
        if (queue != 0)
        {
            FlowRule rule;
            rule.mask.trafficClass = 0xFF;
            rule.value.trafficClass = static_cast<uint8_t>(number % TRAFFIC_CLASSES);
            if (number >= trafficClasses)
            {
                rule.mask.vni = 0xFFFF;
                rule.value.vni = static_cast<uint16_t>(number + 1);
            }
            table.classes.push_back({number++, rule, queue});
        }
    }
    return table;
}

} // namespace ns3::fabric

#endif // FABRIC_RANDOM_SHAPING_H
