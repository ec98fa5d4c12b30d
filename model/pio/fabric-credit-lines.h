/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_LINES_H
#define FABRIC_CREDIT_LINES_H

#include "fabric-credit-line.h"
#include "fabric-pio-settings.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/**
 * The words of all contexts in host memory, several of which share a line of 64 bytes (hfi1).
 *
 * A core that polls its word has the line in its cache until the adaptor writes into it, whichever
 * word that is. Then its next read is a miss, and what comes in the meantime is seen by the read
 * after that one only:
 *
 *     another word is written   its own word is written   it sees that
 *               |--------- miss -----|-----------------------|--- miss ---|
 *
 * Without the first write it would see its own word a miss after that was written.
 */
class CreditLines
{
  public:
    /// @param settings that are valid
    explicit CreditLines(const PioSettings& settings)
        : m_wordsPerLine(settings.wordsPerLine),
          m_missTime(settings.memoryLookTime),
          m_words(settings.contexts),
          m_reads(settings.contexts)
    {
    }

    /// @param context number of one @return its word
    CreditLine& operator[](uint32_t context)
    {
        return m_words[context];
    }

    /// @copydoc operator[](uint32_t)
    const CreditLine& operator[](uint32_t context) const
    {
        return m_words[context];
    }

    /**
     * The adaptor writes a word.
     *
     * @param context whose it is
     * @param update comes later than those before of all contexts; its readFrom is set
     */
    void Write(uint32_t context, CreditUpdate& update)
    {
        const Read& own = m_reads[context];
        // A read that has not begun sees it; one that has makes it wait for the next.
        update.readFrom = std::max(update.at, own.begin > update.at ? own.begin : own.end);
        m_words[context].Write(update);
        if (m_wordsPerLine > 1)
        {
            Disturb(context, update.at);
        }
    }

  private:
    /// The newest read of a core that polls, if another word has caused it.
    struct Read
    {
        TimePs begin{0}; ///< ps.
        TimePs end{0};   ///< ps.
    };

    /// Pollers of the other words in the line of a context have to read again. @param at when, ps
    void Disturb(uint32_t context, TimePs at)
    {
        const auto contexts = static_cast<uint32_t>(m_reads.size());
        const uint32_t first = context - context % m_wordsPerLine;
        const uint32_t end = std::min(first + m_wordsPerLine, contexts);
        for (uint32_t other = first; other < end; ++other)
        {
            Read& read = m_reads[other];
            if (other != context && at > read.begin)
            {
                const TimePs begin = std::max(at, read.end);
                read = {begin, begin + m_missTime};
            }
        }
    }

    uint32_t m_wordsPerLine;         ///< See PioSettings.
    TimePs m_missTime;               ///< Of a read, ps.
    std::vector<CreditLine> m_words; ///< By context.
    std::vector<Read> m_reads;       ///< By context.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_LINES_H
