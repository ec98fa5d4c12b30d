/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-json-writer.h"

#include <cstdint>
#include <ostream>

namespace ns3
{
namespace fabric
{

namespace
{

/**
 * @param text any bytes
 * @param start where a character begins
 * @return the bytes of the UTF-8 character there (Unicode table 3-7), 0 if there is none
 */
std::size_t
Utf8Length(const std::string& text, std::size_t start)
{
    const auto at = [&text](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const unsigned lead = at(start);
    if (lead < 0x80)
    {
        return 1;
    }
    const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                               : lead >= 0xe0 && lead <= 0xef ? 3
                               : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                              : 0;
    // The second byte rules out long forms, surrogates and what lies beyond U+10FFFF.
    const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    for (std::size_t i = 1; i < length; ++i)
    {
        const unsigned byte = at(start + i);
        if (byte < (i == 1 ? low : 0x80) || byte > (i == 1 ? high : 0xbf))
        {
            return 0;
        }
    }
    return length;
}

} // namespace

JsonWriter::JsonWriter(std::ostream& os)
    : m_os(os)
{
}

std::string
JsonWriter::Quote(const std::string& text)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string quoted = "\"";
    for (std::size_t i = 0; i < text.size();)
    {
        const std::size_t length = Utf8Length(text, i);
        const auto byte = static_cast<unsigned char>(text[i]);
        if (length == 0)
        {
            quoted += "\\ufffd";
        }
        else if (byte < 0x20)
        {
            quoted += "\\u00";
            quoted += digits[byte >> 4];
            quoted += digits[byte & 15];
        }
        else
        {
            quoted += byte == '"' || byte == '\\' ? "\\" : "";
            quoted += text.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
    return quoted + '"';
}

void
JsonWriter::Write(const std::string& token)
{
    if (!m_isAfterKey && !m_hasMembers.empty())
    {
        m_os << (m_hasMembers.back() ? ",\n" : "\n") << std::string(2 * m_hasMembers.size(), ' ');
        m_hasMembers.back() = true;
    }
    m_isAfterKey = false;
    m_os << token;
}

void
JsonWriter::Begin(char bracket)
{
    Write(std::string(1, bracket));
    m_hasMembers.push_back(false);
}

void
JsonWriter::End(char bracket)
{
    const bool hadMembers = m_hasMembers.back();
    m_hasMembers.pop_back();
    if (hadMembers)
    {
        m_os << '\n' << std::string(2 * m_hasMembers.size(), ' ');
    }
    m_os << bracket;
    if (m_hasMembers.empty())
    {
        m_os << '\n';
    }
}

void
JsonWriter::BeginObject()
{
    Begin('{');
}

void
JsonWriter::EndObject()
{
    End('}');
}

void
JsonWriter::BeginArray()
{
    Begin('[');
}

void
JsonWriter::EndArray()
{
    End(']');
}

void
JsonWriter::Key(const std::string& name)
{
    Write(Quote(name) + ": ");
    m_isAfterKey = true;
}

void
JsonWriter::Value(const std::string& text)
{
    Write(Quote(text));
}

void
JsonWriter::Value(const char* text)
{
    Write(Quote(text));
}

} // namespace fabric
} // namespace ns3
