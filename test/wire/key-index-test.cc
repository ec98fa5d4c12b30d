/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-key-index.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// An index of words beside a std::map.
class KeyIndexProperty
{
  public:
    /// @param bits that hashes have: few make runs of full slots, 0 makes one run of all
    KeyIndexProperty(uint32_t seed, uint32_t bits)
        : m_random(seed),
          m_mask((uint64_t{1} << bits) - 1)
    {
    }

    /// @return what differed, empty if nothing did
    std::string Run()
    {
        for (uint32_t step = 0; step < 1000; ++step)
        {
            const uint32_t key = m_random() % KEYS;
            if (!Agrees(key))
            {
                return Text("step ", step, ": key ", key).Str();
            }
            // It fills up and empties in turns.
            if (m_expected.count(key) == 0 && m_random() % 400 > step % 400)
            {
                m_index.Add(Hash(key), NewNumber(key));
            }
            else if (m_expected.count(key) != 0 && m_random() % 400 < step % 400)
            {
                m_index.Remove(Hash(key), m_expected[key]);
                m_free.push_back(m_expected[key]);
                m_expected.erase(key);
            }
        }
        for (uint32_t key = 0; key < KEYS; ++key)
        {
            if (!Agrees(key))
            {
                return Text("at the end: key ", key).Str();
            }
        }
        return m_index.Size() == m_expected.size() ? "" : "another size";
    }

  private:
    static constexpr uint32_t KEYS = 100; ///< Keys are below it.

    uint32_t Hash(uint32_t key) const
    {
        return static_cast<uint32_t>(key * 0x9e3779b97f4a7c15 >> 32 & m_mask);
    }

    /// @return a number that no key has, used again as flows' are
    uint32_t NewNumber(uint32_t key)
    {
        if (m_free.empty())
        {
            m_free.push_back(static_cast<uint32_t>(m_keys.size()));
            m_keys.push_back(0);
        }
        const uint32_t number = m_free.back();
        m_free.pop_back();
        m_keys[number] = key;
        m_expected[key] = number;
        return number;
    }

    /// @return whether the index finds for a key what the map has
    bool Agrees(uint32_t key) const
    {
        const auto place = m_expected.find(key);
        const uint32_t number = place == m_expected.end() ? KeyIndex::NONE : place->second;
        return number == m_index.Find(Hash(key), [&](uint32_t i) { return m_keys[i] == key; });
    }

    std::mt19937 m_random;                   ///< Decides.
    uint64_t m_mask;                         ///< Bits of hashes.
    KeyIndex m_index;                        ///< What is tested.
    std::map<uint32_t, uint32_t> m_expected; ///< Numbers by key.
    std::vector<uint32_t> m_keys;            ///< By number.
    std::vector<uint32_t> m_free;            ///< Numbers that no key has.
};

void
TestEmpty(FunctionCase& test)
{
    const KeyIndex index;
    test.ExpectEqual(index.Find(7, [](uint32_t) { return true; }), KeyIndex::NONE, "nothing");
    test.ExpectEqual(index.Size(), 0, "numbers");
}

void
TestProperty(FunctionCase& test)
{
    const TestSeeds seeds(50);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (const uint32_t bits : {0U, 2U, 5U, 32U})
        {
            const std::string fault = KeyIndexProperty(seed, bits).Run();
            test.ExpectEqual(fault, "", Text("seed ", seed, ", ", bits, " bits"));
        }
    }
}

/// The suite.
class KeyIndexSuite : public FunctionSuite
{
  public:
    KeyIndexSuite()
        : FunctionSuite("fabric-key-index", kUnit)
    {
        Add("FC-2 an index without keys finds none", TestEmpty);
        Add("FC-2 an index finds what a map has, with hashes of any number of bits", TestProperty);
    }
};

KeyIndexSuite g_keyIndexSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
