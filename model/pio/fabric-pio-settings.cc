/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-settings.h"

#include "fabric-pcie-settings.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// Below, forced returns of one thread fill PCIe and nothing else comes through. Chosen, ps.
constexpr TimePs LEAST_FORCE_AFTER = 100'000;
constexpr uint32_t MOST_COUNTER_BITS = 32;   ///< That a counter may have.
constexpr uint32_t LEAST_DESCRIPTORS = 64;   ///< Of a ring (hfi1's driver).
constexpr uint32_t MOST_DESCRIPTORS = 32768; ///< Of a ring (hfi1's driver).

void
RequireCount(const char* what, uint64_t value, uint64_t least, uint64_t most, const char* why = "")
{
    if (value < least || value > most)
    {
        throw std::invalid_argument("PIO: " + std::string(what) + " is " + std::to_string(value) +
                                    "; allowed is " + std::to_string(least) + " to " +
                                    std::to_string(most) + why);
    }
}

void
RequireTime(const char* what, TimePs value, TimePs least)
{
    if (value < least || value > LONGEST_STEP)
    {
        throw std::invalid_argument("PIO: " + std::string(what) + " is " + std::to_string(value) +
                                    " ps; allowed is " + std::to_string(least) + " to " +
                                    std::to_string(LONGEST_STEP));
    }
}

/// @return so many times, or a time that no run reaches if they are longer, ps
TimePs
TimeOf(uint64_t count, TimePs time)
{
    constexpr TimePs LONGEST = TimePs{1} << 52; // an hour; of this, too, hundreds can be added up
    return count > static_cast<uint64_t>(LONGEST) / static_cast<uint64_t>(std::max<TimePs>(time, 1))
               ? LONGEST
               : static_cast<TimePs>(count) * time;
}

} // namespace

void
SendContextSettings::Validate() const
{
    RequireCount("the width of the credit counter", counterBits, 1, MOST_COUNTER_BITS);
    RequireCount("the number of blocks of a context", blocks, 1, MOST_BLOCKS);
    // Full and empty must differ.
    RequireCount("the number of blocks of a context",
                 blocks,
                 1,
                 std::min(CounterMask(), MOST_BLOCKS),
                 ", which the credit counter can tell apart");
    RequireCount("the threshold of credit returns",
                 threshold,
                 0,
                 blocks,
                 ", the blocks of the context");
    RequireTime("the interval of returns", interval, 0);
}

TimePs
PioSettings::LeastTime(uint64_t bytes) const
{
    const uint64_t whole = bytes / packetBytes;
    const auto rest = static_cast<uint32_t>(bytes % packetBytes);
    const uint64_t packets = std::max<uint64_t>(whole + (rest != 0), 1);
    if (IsForSdma(bytes))
    {
        return TimeOf(packets, descriptorTime);
    }
    const bool hasRest = rest != 0 || whole == 0;
    const uint64_t blocks = whole * BlocksOf(packetBytes) + (hasRest ? BlocksOf(rest) : 0);
    return TimeOf(packets, packetTime) + TimeOf(blocks, blockTime);
}

void
PioSettings::ValidateContexts() const
{
    constexpr uint32_t MEMORY_BLOCKS = SEND_MEMORY_BYTES / BLOCK_BYTES;
    context.Validate();
    if (eachContext.empty())
    {
        RequireCount("the number of contexts",
                     contexts,
                     1,
                     MEMORY_BLOCKS / context.blocks,
                     ", for which the send memory of 1 MiB has room");
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < contexts; ++i)
    {
        Context(i).Validate();
        sum += Context(i).blocks;
        RequireCount("the number of blocks of a packet",
                     BlocksOf(packetBytes),
                     1,
                     Context(i).blocks,
                     ", the blocks of the context");
    }
    RequireCount("the number of blocks of all contexts",
                 sum,
                 1,
                 MEMORY_BLOCKS,
                 ", for which the send memory of 1 MiB has room");
}

void
PioSettings::ValidateTimes() const
{
    if (forceAfter != 0 && (forceAfter < LEAST_FORCE_AFTER || forceAfter > LONGEST_STEP))
    {
        throw std::invalid_argument("PIO: the time after which a return is forced is " +
                                    std::to_string(forceAfter) + " ps; allowed is 0, or " +
                                    std::to_string(LEAST_FORCE_AFTER) + " to " +
                                    std::to_string(LONGEST_STEP));
    }
    RequireTime("the time to store a block", blockTime, 1);
    RequireTime("the time of a packet", packetTime, 0);
    RequireTime("the time of a look at the shared counter", sharedLookTime, 0);
    RequireTime("the time of a look in memory", memoryLookTime, 0);
    RequireTime("the time of an interrupt", interruptTime, 0);
    RequireTime("the time to write an SDMA descriptor", descriptorTime, 1);
    RequireTime("the delay of a return", returnDelay, 0);
}

void
PioSettings::Validate(uint32_t mtu) const
{
    RequireCount("the number of contexts", contexts, 1, MOST_CONTEXTS);
    RequireCount("the number of threads", threads, 1, MOST_PIO_THREADS);
    RequireCount("the payload of a packet", packetBytes, 1, mtu, ", the MTU");
    ValidateContexts();
    RequireCount("the number of credit words in a line", wordsPerLine, 1, MOST_WORDS_PER_LINE);
    RequireCount("the number of SDMA engines", sdmaEngines, 1, MOST_CONTEXTS);
    RequireCount("the packets that an SDMA engine reads ahead", sdmaPackets, 1, 65536);
    RequireCount("the number of packets that SDMA engines read at a time", sdmaReads, 1, 65536);
    if (sdmaDescriptors < LEAST_DESCRIPTORS || sdmaDescriptors > MOST_DESCRIPTORS ||
        (sdmaDescriptors & (sdmaDescriptors - 1)) != 0)
    {
        throw std::invalid_argument(
            "PIO: the number of descriptors of an SDMA engine's ring is " +
            std::to_string(sdmaDescriptors) + "; allowed is a power of two from " +
            std::to_string(LEAST_DESCRIPTORS) + " to " + std::to_string(MOST_DESCRIPTORS));
    }
    ValidateTimes();
}

} // namespace ns3::fabric
