/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-text-lines.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace ns3::fabric
{

namespace
{

constexpr const char* BLANKS = " \t\r\v\f"; ///< What is between words.
/// What some editors write first into a file of UTF-8.
constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";
constexpr std::size_t MOST_SHOWN = 60; ///< Characters of a word in sentences.

} // namespace

TextLines::TextLines(std::istream& is, const std::string& name, Comments comments)
    : m_is(is),
      m_name(name),
      m_comments(comments)
{
}

std::ifstream
TextLines::Open(const std::string& name, const std::string& content)
{
    std::ifstream file(name);
    std::error_code ignored; // ns-3's file streams open folders, too
    if (!file || std::filesystem::is_directory(name, ignored))
    {
        throw std::invalid_argument(name + ": can't be read; allowed is a file with " + content);
    }
    return file;
}

std::string
TextLines::Where() const
{
    return m_name + ":" + std::to_string(std::max(m_line, 1U)) + ": "; // an empty file has none
}

std::string
TextLines::LeftOut(uint32_t count, const std::string& what) const
{
    return Where() + "this line and all after it are left out, since the first line says " +
           std::to_string(count) + " " + what;
}

void
TextLines::Refuse(const std::string& what) const
{
    throw std::invalid_argument(Where() + what);
}

void
TextLines::RefuseWord(const std::string& what,
                      const std::string& word,
                      const std::string& allowed) const
{
    ThrowNotAllowed(Where() + what, Shown(word), allowed);
}

std::string
TextLines::Shown(const std::string& word)
{
    std::string shown = word.substr(0, MOST_SHOWN);
    for (char& letter : shown)
    {
        letter = letter < ' ' || letter > '~' ? '?' : letter;
    }
    return word.size() > MOST_SHOWN ? shown + "..." : shown;
}

bool
TextLines::ReadText()
{
    constexpr int END = std::char_traits<char>::eof();
    m_text.clear();
    int letter = m_is.get();
    if (letter == END)
    {
        return false;
    }
    ++m_line;
    for (; letter != '\n' && letter != END; letter = m_is.get())
    {
        if (m_text.size() == MOST_CHARACTERS)
        {
            Refuse("the line has more than " + std::to_string(MOST_CHARACTERS) +
                   " characters; allowed are at most so many");
        }
        m_text += static_cast<char>(letter);
    }
    if (m_line == 1 && m_text.compare(0, BYTE_ORDER_MARK.size(), BYTE_ORDER_MARK) == 0)
    {
        m_text.erase(0, BYTE_ORDER_MARK.size());
    }
    return true;
}

bool
TextLines::FindLine()
{
    m_words.clear();
    m_next = 0;
    while (m_words.empty() && ReadText())
    {
        const std::size_t end = m_comments == Comments::HASH ? m_text.find('#') : m_text.size();
        const std::string_view said = std::string_view(m_text).substr(0, end);
        for (std::size_t begin = said.find_first_not_of(BLANKS); begin != std::string_view::npos;)
        {
            const std::size_t next = std::min(said.find_first_of(BLANKS, begin), said.size());
            m_words.emplace_back(said.substr(begin, next - begin));
            begin = said.find_first_not_of(BLANKS, next);
        }
    }
    return !m_words.empty();
}

void
TextLines::NextLine(const std::string& expected)
{
    if (!FindLine())
    {
        Refuse("the file ends; allowed is a line with " + expected);
    }
}

const std::string&
TextLines::Word(const std::string& what)
{
    if (!HasMore())
    {
        Refuse("the line has no " + what + "; allowed are lines that have one");
    }
    return m_words[m_next++];
}

double
TextLines::Number(const std::string& what, double least, double most)
{
    const std::string& word = Word(what);
    const std::optional<double> number = ReadNumber<double>(word);
    if (!number || *number < least || *number > most)
    {
        RefuseWord(what, word, NumberType(least, most).allowed);
    }
    return *number;
}

void
TextLines::EndLine(const std::string& expected) const
{
    if (HasMore())
    {
        Refuse("'" + Shown(m_words[m_next]) + "' is one word too many; allowed are " + expected);
    }
}

} // namespace ns3::fabric
