/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TEXT_LINES_H
#define FABRIC_TEXT_LINES_H

#include "fabric-number-text.h"
#include "fabric-option-type.h"

#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * A text of words between blanks that is read line by line. What follows a # is a comment, and
 * lines that say nothing are passed over. Every mistake is told in one sentence with file and line.
 *
 * @code
 * TextLines lines(is, "flow.txt");
 * lines.NextLine("the number of flows");
 * const auto flows = lines.Count("number of flows", 0U, 1000U);
 * lines.EndLine("one number");
 * @endcode
 */
class TextLines
{
  public:
    /// Characters of a line at most: a list of all nodes has fewer.
    static constexpr std::size_t MOST_CHARACTERS = 4 << 20;

    /// What is no word of a line.
    enum class Comments
    {
        HASH, ///< All that follows a #.
        NONE, ///< Nothing: who reads finds comments itself.
    };

    /**
     * @param is what is read; outlives this object
     * @param name of the file, for sentences
     * @param comments what is no word
     */
    TextLines(std::istream& is, const std::string& name, Comments comments = Comments::HASH);

    /**
     * @param name of a file
     * @param content what should be in it, for the sentence
     * @return the file, open
     * @throws std::invalid_argument with a sentence if it can't be read
     */
    static std::ifstream Open(const std::string& name, const std::string& content);

    /// Goes on to the next line that says anything. @return whether there is one
    bool FindLine();

    /**
     * Goes on to the next line that says anything.
     *
     * @param expected what it should say
     * @throws std::invalid_argument with a sentence if the file ends
     */
    void NextLine(const std::string& expected);

    /// @return number of the line, from 1; 0 before the first
    uint32_t GetLine() const
    {
        return m_line;
    }

    /// @return all words of the line, read or not
    const std::vector<std::string>& GetWords() const
    {
        return m_words;
    }

    /// @return whether the line has words that were not read
    bool HasMore() const
    {
        return m_next < m_words.size();
    }

    /**
     * @param what the word is
     * @return the next word of the line
     * @throws std::invalid_argument with a sentence if there is none
     */
    const std::string& Word(const std::string& what);

    /**
     * @tparam T an unsigned type
     * @param what the number is
     * @param most the greatest that is allowed
     * @return the next word of the line, a whole number
     * @throws std::invalid_argument with a sentence if it is none, or not allowed
     */
    template <typename T>
    T Count(const std::string& what, T least, T most)
    {
        const std::string& word = Word(what);
        const std::optional<T> number = ReadNumber<T>(word);
        // Sentences are put together only where they are needed: files have millions of numbers.
        if (!number || *number < least || *number > most)
        {
            RefuseWord(what, word, CountType<T>(least, most).allowed);
        }
        return *number;
    }

    /// The same for any finite number. @param what it is @param most the greatest that is allowed
    double Number(const std::string& what, double least, double most);

    /**
     * @param what the word is
     * @param type which words are allowed, and what they mean
     * @return what the next word of the line means
     * @throws std::invalid_argument with a sentence if there is none, or it is not allowed
     */
    template <typename T>
    T Read(const std::string& what, const OptionType<T>& type)
    {
        const std::string& word = Word(what);
        const std::optional<T> value = type.parse(word);
        if (!value)
        {
            RefuseWord(what, word, type.allowed);
        }
        return *value;
    }

    /**
     * @param expected what the words of the line should be
     * @throws std::invalid_argument with a sentence if there are more
     */
    void EndLine(const std::string& expected) const;

    /// @throws std::invalid_argument with a sentence: where, and what is wrong and what is allowed
    [[noreturn]] void Refuse(const std::string& what) const;

    /**
     * @param what a word is
     * @param word as it stands in the file
     * @throws std::invalid_argument with a sentence: where, what, the word, and what is allowed
     */
    [[noreturn]] void RefuseWord(const std::string& what,
                                 const std::string& word,
                                 const std::string& allowed) const;

    /// @return a word for sentences: short, and without what can't be shown
    static std::string Shown(const std::string& word);

    /// @return with what sentences begin: file and line
    std::string Where() const;

    /**
     * @param count how many the first line says
     * @param what they are
     * @return the sentence that this line and those after it are left out
     */
    std::string LeftOut(uint32_t count, const std::string& what) const;

  private:
    /// Reads a line. @return whether there is one
    bool ReadText();

    std::istream& m_is;               ///< What is read.
    const std::string m_name;         ///< Of the file.
    const Comments m_comments;        ///< What is no word.
    uint32_t m_line{0};               ///< Where in it.
    std::string m_text;               ///< The line.
    std::vector<std::string> m_words; ///< Its words.
    std::size_t m_next{0};            ///< Which of them is read next.
};

} // namespace ns3::fabric

#endif // FABRIC_TEXT_LINES_H
