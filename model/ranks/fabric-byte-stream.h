/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BYTE_STREAM_H
#define FABRIC_BYTE_STREAM_H

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace ns3::fabric
{

/// What one rank sends another: values as they lie in memory, since all ranks run one program.
using RankBytes = std::vector<uint8_t>;

/// Writes values one after the other.
class ByteWriter
{
  public:
    /// @param value without pointers
    template <typename T>
    void Put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are its value");
        Put(reinterpret_cast<const uint8_t*>(&value), sizeof(T));
    }

    /// @param size of the bytes, which the reader has to know
    void Put(const uint8_t* bytes, std::size_t size)
    {
        m_bytes.insert(m_bytes.end(), bytes, bytes + size);
    }

    /// @param values without pointers, written with their number
    template <typename T>
    void PutAll(const std::vector<T>& values)
    {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are its value");
        Put(static_cast<uint64_t>(values.size()));
        Put(reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T));
    }

    /// @return what was written
    const RankBytes& Written() const
    {
        return m_bytes;
    }

    /// Forgets what was written, and keeps the memory.
    void Clear()
    {
        m_bytes.clear();
    }

  private:
    RankBytes m_bytes; ///< Written so far.
};

/// Reads values in the order in which they were written.
class ByteReader
{
  public:
    /// @param bytes live as long as the reader
    explicit ByteReader(const RankBytes& bytes)
        : m_bytes(bytes)
    {
    }

    /// @return whether all is read
    bool IsAtEnd() const
    {
        return m_at == m_bytes.size();
    }

    /// @return the next value @throws std::logic_error if there are too few bytes
    template <typename T>
    T Get()
    {
        static_assert(std::is_trivially_copyable_v<T>, "its bytes are its value");
        T value;
        std::memcpy(&value, Get(sizeof(T)), sizeof(T));
        return value;
    }

    /// @return the next bytes @throws std::logic_error if there are too few
    const uint8_t* Get(std::size_t size)
    {
        if (size > m_bytes.size() - m_at)
        {
            throw std::logic_error("a message between ranks is shorter than what it should hold");
        }
        const uint8_t* bytes = m_bytes.data() + m_at;
        m_at += size;
        return bytes;
    }

    /// @return values that PutAll() wrote @throws std::logic_error if there are too few bytes
    template <typename T>
    std::vector<T> GetAll()
    {
        const auto count = Get<uint64_t>();
        const uint8_t* bytes = Get(count * sizeof(T));
        std::vector<T> values(count);
        if (count != 0)
        {
            std::memcpy(values.data(), bytes, count * sizeof(T));
        }
        return values;
    }

  private:
    const RankBytes& m_bytes; ///< Are read.
    std::size_t m_at{0};      ///< RankBytes read so far.
};

} // namespace ns3::fabric

#endif // FABRIC_BYTE_STREAM_H
