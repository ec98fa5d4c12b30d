/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_JSON_WRITER_H
#define FABRIC_JSON_WRITER_H

#include "fabric-number-text.h"

#include <cmath>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Writes JSON (RFC 8259), one member a line. Boost's property trees turn numbers into texts, and
 * Boost.JSON is newer than the oldest platform; for writing, this is all that is needed.
 *
 * Calls must nest as the text does: in an object each value follows a Key().
 */
class JsonWriter
{
  public:
    /// @param os where to write; outlives the writer
    explicit JsonWriter(std::ostream& os);

    /// Opens an object.
    void BeginObject();

    /// Closes an object.
    void EndObject();

    /// Opens an array.
    void BeginArray();

    /// Closes an array.
    void EndArray();

    /// @param name name of the member that comes next
    void Key(const std::string& name);

    /// @param text a text; bytes that are not UTF-8 become U+FFFD
    void Value(const std::string& text);

    /// @copydoc Value(const std::string&)
    void Value(const char* text);

    /**
     * @tparam T an integer, floating-point or boolean type
     * @param value a number or boolean; `null` for infinities and NaN, which JSON does not have
     */
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    void Value(T value)
    {
        bool isFinite = true;
        if constexpr (std::is_floating_point_v<T>)
        {
            isFinite = std::isfinite(value);
        }
        Write(isFinite ? NumberText(value) : "null");
    }

    /**
     * Writes Key() and Value().
     *
     * @tparam T what Value() takes
     * @param name name of the member
     * @param value its value
     */
    template <typename T>
    void Member(const std::string& name, const T& value)
    {
        Key(name);
        Value(value);
    }

    /**
     * @param text any bytes
     * @return the text between quotes, escaped
     */
    static std::string Quote(const std::string& text);

  private:
    /// @param bracket opens an object or array
    void Begin(char bracket);

    /// @param bracket closes an object or array
    void End(char bracket);

    /// @param token a value or key, with what separates it from the one before
    void Write(const std::string& token);

    std::ostream& m_os;             ///< Where to write.
    std::vector<bool> m_hasMembers; ///< For each open object or array, whether it has members yet.
    bool m_isAfterKey{false};       ///< Whether a value must follow.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_JSON_WRITER_H
