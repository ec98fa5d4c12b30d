/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-matcher.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Matching as one would write it down: vectors, and nothing used again.
class ObviousMatcher
{
  public:
    /// An entry, which stays as long as somebody knows it.
    struct Entry
    {
        MatchEntry entry;
        uint64_t used{0};
        uint32_t held{0};
        bool isListed{true};
        bool isSpare{false};

        uint64_t Amount(const MatchHeader& header) const
        {
            return isSpare ? header.eager : header.bytes;
        }

        uint64_t Room() const
        {
            return entry.isLocallyManaged ? entry.bytes - used : entry.bytes;
        }

        bool Takes(const MatchHeader& header) const
        {
            const bool sameBits = (header.bits | entry.ignore) == (entry.bits | entry.ignore);
            const bool sameSource = entry.source == ANY_SOURCE || entry.source == header.source;
            return sameBits && sameSource && !(entry.refusesLong && Amount(header) > Room());
        }

        /// @return offset and bytes of a message
        std::pair<uint64_t, uint64_t> Take(const MatchHeader& header)
        {
            const uint64_t offset = entry.isLocallyManaged ? used : 0;
            const uint64_t bytes = std::min(Amount(header), Room());
            used += bytes;
            isListed = !entry.isUseOnce && !(entry.isLocallyManaged && Room() < entry.leastFree);
            return {offset, bytes};
        }
    };

    using Shared = std::shared_ptr<Entry>;

    struct Message
    {
        MatchHeader header;
        Shared keeper;
        uint64_t offset;
        uint64_t kept;
    };

    /// @return the entry that takes it, and where
    std::pair<Shared, std::pair<uint64_t, uint64_t>> Arrive(const MatchHeader& header)
    {
        for (std::vector<Shared>* list : {&priority, &spare})
        {
            for (const Shared& each : *list)
            {
                if (!each->Takes(header))
                {
                    continue;
                }
                const Shared entry = each;
                const auto where = entry->Take(header);
                if (list == &spare)
                {
                    ++entry->held;
                    unexpected.push_back({header, entry, where.first, where.second});
                }
                Forget(*list);
                return {entry, where};
            }
        }
        return {};
    }

    /// @return the entry, and the messages that it takes with their places
    Shared Append(const MatchEntry& entry,
                  bool isPriority,
                  std::vector<std::pair<Message, std::pair<uint64_t, uint64_t>>>& found)
    {
        auto added = std::make_shared<Entry>(Entry{entry});
        added->isSpare = !isPriority;
        for (std::size_t i = 0; isPriority && added->isListed && i < unexpected.size();)
        {
            if (added->Takes(unexpected[i].header))
            {
                found.emplace_back(unexpected[i], added->Take(unexpected[i].header));
                --unexpected[i].keeper->held;
                unexpected.erase(unexpected.begin() + static_cast<std::ptrdiff_t>(i));
            }
            else
            {
                ++i;
            }
        }
        if (added->isListed)
        {
            (isPriority ? priority : spare).push_back(added);
        }
        return added;
    }

    /// @return the messages that an entry wants
    std::vector<Message> Search(const MatchEntry& entry, bool deletes)
    {
        MatchEntry any = entry;
        any.refusesLong = false;
        std::vector<Message> found;
        for (std::size_t i = 0; i < unexpected.size() && (found.empty() || !entry.isUseOnce);)
        {
            const bool isWanted = Entry{any}.Takes(unexpected[i].header);
            if (isWanted)
            {
                found.push_back(unexpected[i]);
            }
            if (isWanted && deletes)
            {
                --unexpected[i].keeper->held;
                unexpected.erase(unexpected.begin() + static_cast<std::ptrdiff_t>(i));
            }
            else
            {
                ++i;
            }
        }
        return found;
    }

    bool Unlink(const Shared& entry)
    {
        if (!entry->isListed || entry->held != 0)
        {
            return false;
        }
        entry->isListed = false;
        Forget(priority);
        Forget(spare);
        return true;
    }

    std::vector<Shared> priority;
    std::vector<Shared> spare;
    std::vector<Message> unexpected;

  private:
    static void Forget(std::vector<Shared>& list)
    {
        list.erase(std::remove_if(list.begin(),
                                  list.end(),
                                  [](const Shared& each) { return !each->isListed; }),
                   list.end());
    }
};

/// Both, side by side.
class MatchDuel
{
  public:
    MatchDuel(FunctionCase& self, uint32_t seed)
        : m_self(self),
          m_seed(seed),
          m_random(seed),
          m_bits(1 + m_random() % 4),
          m_sources(1 + m_random() % 4)
    {
    }

    void Play(uint32_t draws)
    {
        for (uint32_t i = 0; i < draws; ++i)
        {
            switch (m_random() % 9)
            {
            case 0:
            case 1:
            case 2:
                Arrive();
                break;
            case 3:
            case 4:
                Append(true);
                break;
            case 5:
                Append(m_random() % 3 == 0);
                break;
            case 6:
                Search();
                break;
            case 7:
                Forget();
                break;
            default:
                Unlink();
                break;
            }
            Equal(m_matcher.Unexpected(), m_model.unexpected.size(), "unexpected messages");
        }
    }

    uint64_t Truncated() const
    {
        return m_truncated;
    }

  private:
    uint64_t DrawBits()
    {
        return m_random() % (1U << m_bits) * 0x8000'0001'0000'0001U; // both halves count
    }

    MatchEntry DrawEntry()
    {
        MatchEntry entry;
        entry.bits = DrawBits();
        entry.ignore = m_random() % 2 == 0 ? 0 : DrawBits();
        entry.source = static_cast<LocationId>(m_random() % (m_sources + 1));
        entry.bytes = m_random() % 200;
        entry.isUseOnce = m_random() % 2 == 0;
        entry.isLocallyManaged = m_random() % 2 == 0;
        entry.refusesLong = m_random() % 4 == 0;
        entry.leastFree = m_random() % 60;
        entry.tag = ++m_tags;
        return entry;
    }

    void Arrive()
    {
        const uint64_t bytes = m_random() % 100;
        const MatchHeader header{DrawBits(),
                                 bytes,
                                 std::min<uint64_t>(bytes, 60),
                                 ++m_messages,
                                 static_cast<LocationId>(1 + m_random() % m_sources)};
        const MatchOutcome outcome = m_matcher.Arrive(header);
        const auto [entry, where] = m_model.Arrive(header);
        Equal(outcome.place != MatchPlace::NOWHERE, bool(entry), "taken");
        if (entry)
        {
            Equal(outcome.tag, entry->entry.tag, "entry of a message");
            Equal(outcome.offset, where.first, "offset of a message");
            Equal(outcome.bytes, where.second, "bytes of a message");
            Equal(outcome.isUnlinked, !entry->isListed, "unlinked by a message");
            m_truncated += where.second < header.bytes ? 1 : 0;
        }
    }

    /// An unexpected message, or one that is none, does not come.
    void Forget()
    {
        const uint64_t number = 1 + m_random() % (m_messages + 1);
        const auto place =
            std::find_if(m_model.unexpected.begin(),
                         m_model.unexpected.end(),
                         [number](const auto& each) { return each.header.message == number; });
        const bool isThere = place != m_model.unexpected.end();
        Equal(m_matcher.Forget(number), isThere, "forgotten");
        if (isThere)
        {
            --place->keeper->held;
            m_model.unexpected.erase(place);
        }
    }

    void Append(bool isPriority)
    {
        const MatchEntry entry = DrawEntry();
        std::vector<FoundMessage> found;
        const auto handle =
            m_matcher.Append(entry, isPriority ? MatchPlace::PRIORITY : MatchPlace::SPARE, found);
        std::vector<std::pair<ObviousMatcher::Message, std::pair<uint64_t, uint64_t>>> expected;
        const auto shared = m_model.Append(entry, isPriority, expected);
        m_self.Expect(handle.has_value(), Text("seed ", m_seed, ": there is room"));
        Equal(*handle != NO_ENTRY, shared->isListed, "listed");
        m_known.emplace_back(*handle, shared);
        Equal(found.size(), expected.size(), "messages that an entry finds");
        for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
        {
            Equal(found[i].header.message, expected[i].first.header.message, "found message");
            Equal(found[i].spareTag, expected[i].first.keeper->entry.tag, "its keeper");
            Equal(found[i].spareOffset, expected[i].first.offset, "its place there");
            Equal(found[i].kept, expected[i].first.kept, "what is kept");
            Equal(found[i].offset, expected[i].second.first, "its offset");
            Equal(found[i].bytes, expected[i].second.second, "its bytes");
        }
    }

    void Search()
    {
        const MatchEntry entry = DrawEntry();
        const bool deletes = m_random() % 2 == 0;
        std::vector<FoundMessage> found;
        m_matcher.Search(entry, deletes ? MatchSearch::DELETE : MatchSearch::LOOK, found);
        const auto expected = m_model.Search(entry, deletes);
        Equal(found.size(), expected.size(), "messages that a search finds");
        for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
        {
            Equal(found[i].header.message, expected[i].header.message, "message of a search");
            const ObviousMatcher::Entry& keeper = *expected[i].keeper;
            const bool isLast =
                deletes && keeper.held == 0 && !keeper.isListed &&
                std::none_of(expected.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             expected.end(),
                             [&](const auto& later) { return later.keeper == expected[i].keeper; });
            Equal(found[i].isSpareFree, isLast, "a buffer that is free");
        }
    }

    void Unlink()
    {
        if (!m_known.empty())
        {
            const auto& [handle, shared] = m_known[m_random() % m_known.size()];
            Equal(m_matcher.Unlink(handle), m_model.Unlink(shared), "unlinked");
        }
    }

    template <typename A, typename B>
    void Equal(const A& actual, const B& expected, const char* what)
    {
        m_self.ExpectEqual(actual, expected, Text("seed ", m_seed, ": ", what));
    }

    FunctionCase& m_self;
    uint32_t m_seed;
    std::mt19937 m_random;
    uint32_t m_bits;
    uint32_t m_sources;
    Matcher m_matcher{100'000, 100'000};
    ObviousMatcher m_model;
    std::vector<std::pair<uint64_t, ObviousMatcher::Shared>> m_known;
    uint64_t m_tags{0};
    uint64_t m_messages{0};
    uint64_t m_truncated{0};
};

/// Whatever comes, both say the same.
void
TestAgainstModel(FunctionCase& self)
{
    const TestSeeds seeds(2000);
    uint64_t truncated = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        MatchDuel duel(self, seed);
        duel.Play(200);
        truncated += duel.Truncated();
    }
    self.Expect(truncated > seeds.count, Text("only ", truncated, " messages were truncated"));
}

/// Who has been as full as it gets takes no more memory.
void
TestSteadyMemory(FunctionCase& self)
{
    Matcher matcher(64, 64);
    std::vector<FoundMessage> found;
    MatchEntry spare;
    spare.isUseOnce = false;
    spare.ignore = ~uint64_t{0};
    matcher.Append(spare, MatchPlace::SPARE, found);
    uint32_t places = 0;
    for (uint32_t round = 0; round < 100; ++round)
    {
        for (uint64_t i = 0; i < 20; ++i)
        {
            matcher.Arrive({i, 8, 8, i, 1});
        }
        found.clear();
        for (uint64_t i = 20; i-- > 0;)
        {
            MatchEntry entry;
            entry.bits = i;
            self.ExpectEqual(*matcher.Append(entry, MatchPlace::PRIORITY, found),
                             0,
                             "used at once");
        }
        self.ExpectEqual(found.size(), 20, "found");
        places = round == 0 ? matcher.Places() : places;
    }
    self.ExpectEqual(matcher.Places(), places, "places after the first round and the last");
    self.ExpectEqual(matcher.Entries(), 1, "entries that are left");
}

/// Lists have an end.
void
TestRoom(FunctionCase& self)
{
    Matcher matcher(2, 1);
    std::vector<FoundMessage> found;
    MatchEntry spare;
    spare.isUseOnce = false;
    const auto handle = matcher.Append(spare, MatchPlace::SPARE, found);
    MatchEntry other;
    other.bits = 1;
    self.Expect(matcher.Append(other, MatchPlace::PRIORITY, found).has_value(), "there is room");
    self.Expect(!matcher.Append(other, MatchPlace::PRIORITY, found).has_value(), "there is none");
    self.Expect(matcher.Arrive({0, 0, 0, 1, 1}).place == MatchPlace::SPARE, "kept");
    self.Expect(matcher.Arrive({0, 0, 0, 2, 1}).place == MatchPlace::NOWHERE, "no room for it");
    self.Expect(matcher.Arrive({1, 0, 0, 3, 1}).place == MatchPlace::PRIORITY, "it needs none");
    self.Expect(!matcher.Unlink(*handle), "it holds a message");
    matcher.Search(spare, MatchSearch::DELETE, found);
    self.Expect(matcher.Unlink(*handle), "it holds none");
    self.Expect(!matcher.Unlink(*handle), "it has gone");
    self.ExpectEqual(matcher.Entries(), 0, "nothing is left");
}

/// The suite.
class MatcherSuite : public FunctionSuite
{
  public:
    MatcherSuite()
        : FunctionSuite("fabric-matcher", kUnit)
    {
        Add("NQ-12 matching against an obvious model", TestAgainstModel);
        Add("NQ-12 nothing is allocated in steady state", TestSteadyMemory);
        Add("NQ-12 lists have an end", TestRoom);
    }
};

MatcherSuite g_matcherSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
