/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_SETTINGS_H
#define FABRIC_PIO_SETTINGS_H

#include "fabric-types.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

inline constexpr uint32_t BLOCK_BYTES = 64;                ///< A send block (hfi1).
inline constexpr uint32_t MOST_BLOCKS = 1024;              ///< Of a send context (hfi1).
inline constexpr uint32_t SEND_MEMORY_BYTES = 1024 * 1024; ///< Of an adaptor (hfi1).
inline constexpr uint32_t MOST_CONTEXTS = 160;             ///< Of an adaptor (hfi1).
inline constexpr uint32_t MOST_PIO_THREADS = 4096;         ///< Of a host; chosen.
inline constexpr uint32_t CONTROL_WORD_BYTES = 8;          ///< Begins a packet (hfi1's PBC).
inline constexpr uint32_t CREDIT_WORD_BYTES = 8;           ///< Of a context in host memory (hfi1).
inline constexpr uint32_t MOST_WORDS_PER_LINE = 8;         ///< Of 64 bytes.

/// How the adaptor gives blocks back to software (PC-5, PC-8).
enum CreditScheme : uint8_t
{
    CREDITS_ABSOLUTE, ///< The running total of blocks freed, in FIFO order; merged as policies say.
    CREDITS_RELATIVE, ///< One credit for each block, in FIFO order.
    CREDITS_BY_EGRESS, ///< Each packet's slots when it has left, in whatever order.
};

/// What a thread does that has to wait for credits (PC-7).
enum CreditWait : uint8_t
{
    WAIT_POLLS,  ///< It reads the word in memory again and again.
    WAIT_SLEEPS, ///< It sleeps until an interrupt, which is on only while somebody waits.
};

/// Settings of a send context, which both sides know.
struct SendContextSettings
{
    uint32_t blocks{64};                   ///< Of the ring.
    uint32_t counterBits{11};              ///< Of the absolute counter (hfi1).
    CreditScheme scheme{CREDITS_ABSOLUTE}; ///< How credits come back.

    /// Unreturned blocks that cause a return; 0 and 1 stand for every change. 33 % is that of
    /// hfi1's user contexts.
    uint32_t threshold{21};

    TimePs interval{0}; ///< No block stays unreturned longer; 0 for no such limit, ps.
    /// Whether blocks are free when their packet starts, or when it has left. Chosen; hfi1: the
    /// former for user contexts.
    bool isEarly{false};

    /// @return the largest value of the counter, modulo which both sides count
    uint32_t CounterMask() const
    {
        return static_cast<uint32_t>((uint64_t{1} << counterBits) - 1);
    }

    /// @throws std::invalid_argument with a sentence that says what is allowed
    void Validate() const;
};

/// Settings of PIO at a host.
struct PioSettings
{
    SendContextSettings context; ///< Of each context, if no others are given.
    /// Of each context by number, where they differ in blocks and threshold; otherwise none.
    std::vector<SendContextSettings> eachContext;
    uint32_t contexts{1};       ///< Of the adaptor.
    uint32_t threads{1};        ///< That send; thread i uses context i modulo their number.
    uint32_t packetBytes{2040}; ///< Most payload of a packet: with a control word 32 blocks.

    uint64_t sdmaBytes{0};    ///< Messages of at least this go by SDMA; 0 for none.
    uint32_t sdmaEngines{16}; ///< Of the adaptor (hfi1).
    uint32_t sdmaPackets{16}; ///< That an engine has read ahead at most; chosen.
    uint32_t sdmaReads{64};   ///< Packets whose data all engines read at a time; chosen.

    /// Slots of the ring of an engine, of which one stays free. hfi1's driver (its sdma.c:
    /// SDMA_DESCQ_CNT, module parameter sdma_descq_cnt): a power of two from 64 to 32768, 2048 if
    /// nobody says.
    uint32_t sdmaDescriptors{2048};

    uint32_t wordsPerLine{8}; ///< Credit words of contexts in a line of 64 bytes (hfi1).

    uint32_t requestEvery{0};    ///< So many packets ask for a return; 0 for none.
    TimePs forceAfter{0};        ///< Who waits longer forces a return; 0 for never, ps.
    CreditWait wait{WAIT_POLLS}; ///< How a thread waits.
    TimePs returnDelay{0};       ///< Of the adaptor before it writes credits, ps.
    uint32_t loseEvery{0};       ///< So many writes of credits, one is lost; 0 for none.

    /// Time in which a core stores a block into write-combining memory: eight stores and the flush
    /// of the buffer. Chosen: 3.2 GB/s for a core, ps.
    TimePs blockTime{20'000};
    TimePs packetTime{10'000};     ///< Of software for a packet besides; chosen, ps.
    TimePs sharedLookTime{20'000}; ///< A look at another core's line; chosen, ps.
    /// Until who polls sees what was written into memory: a cache miss. Who does not wait reads
    /// ahead while it stores the packet before. Chosen, ps.
    TimePs memoryLookTime{92'000};
    TimePs interruptTime{2'000'000}; ///< From an interrupt to the thread's going on; chosen, ps.
    TimePs descriptorTime{100'000};  ///< Of software for an SDMA descriptor; chosen, ps.

    /// @param number of a context @return its settings
    const SendContextSettings& Context(uint32_t number) const
    {
        return eachContext.empty() ? context : eachContext[number];
    }

    /// @param payload bytes of a packet @return blocks that it takes
    static uint32_t BlocksOf(uint32_t payload)
    {
        return (CONTROL_WORD_BYTES + payload + BLOCK_BYTES - 1) / BLOCK_BYTES;
    }

    /// @param bytes of a message @return whether it goes by SDMA
    bool IsForSdma(uint64_t bytes) const
    {
        return sdmaBytes != 0 && bytes >= sdmaBytes;
    }

    /// @param bytes of a message @return the shortest time in which a thread writes it, ps
    TimePs LeastTime(uint64_t bytes) const;

    /**
     * @param mtu most payload of a frame
     * @throws std::invalid_argument with a sentence that says what is allowed
     */
    void Validate(uint32_t mtu) const;

  private:
    /// Times are in their ranges. @copydetails Validate()
    void ValidateTimes() const;

    /// The contexts have room in the send memory, and packets in them. @copydetails Validate()
    void ValidateContexts() const;
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_SETTINGS_H
