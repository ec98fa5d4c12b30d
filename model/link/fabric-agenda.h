/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_AGENDA_H
#define FABRIC_AGENDA_H

#include "fabric-fetch.h"
#include "fabric-few-tasks.h"
#include "fabric-types.h"

#include <algorithm>
#include <memory>

namespace ns3::fabric
{

/**
 * Who runs a switch: is told when it has to run earlier than planned.
 */
class Alarm
{
  public:
    virtual ~Alarm() = default;

    /// @param time the switch has something to do then, ps
    virtual void WakeBy(TimePs time) = 0;
};

/// What a switch does at a port at some time, in the order of equal times (DP-7).
enum class Task : uint32_t
{
    CONTROL, ///< An ACK frame takes effect.
    DATA,    ///< A data frame takes effect.
    DECIDE,  ///< The output decides what to send.
    COUNT    ///< Number of tasks.
};

/**
 * When a switch has something to do: the next time of each task at each port.
 *
 * | tasks in a window        | what is due next is found                                          |
 * |--------------------------|--------------------------------------------------------------------|
 * | a few                    | at the end of a sorted list of those that come next; when it is    |
 * |                          | empty, the next few of the later ones are listed                   |
 * | more than FewTasks::MOST | by a look at all times, side by side, for each window anew         |
 *
 * The neighbours write here: a push into an empty ring, or a credit for a port that starves. So it
 * is in two lines of the cache.
 */
class alignas(CACHE_LINE) Agenda
{
  public:
    /// Before everything else. @param ports number of ports of the switch
    void Resize(uint32_t ports)
    {
        m_ports = static_cast<uint16_t>(ports);
        Allocate(static_cast<uint32_t>(Task::COUNT) * ports);
    }

    /// Adds a task that is of no port; of equal times it comes after all others.
    /// @return its number, as EntryOf() gives
    uint32_t AddEntry()
    {
        Allocate(m_entries + 1);
        return m_entries - 1;
    }

    /// @return whether a task of no port has a time
    bool HasOwnTask() const
    {
        const TimePs* const first = m_times + static_cast<std::size_t>(Task::COUNT) * m_ports;
        const TimePs* const end = m_times + m_entries;
        return std::any_of(first, end, [](TimePs time) { return time != NEVER; });
    }

    /// @param alarm is told of what comes earlier than the planned time; may be null
    void SetAlarm(Alarm* alarm)
    {
        m_alarm = alarm;
    }

    /// @param time the switch will run at this time anyway, ps
    void PlanRun(TimePs time)
    {
        m_planned = time;
    }

    /// @param task that the switch has to do
    void Note(Task task, uint32_t port, TimePs time)
    {
        const uint32_t entry = EntryOf(task, port);
        if (time < m_times[entry])
        {
            Set(entry, time);
        }
        Wake(time);
    }

    /// As Note(), of a task that has no time yet: what is planned need not be read, which is a line
    /// of a neighbour.
    void Begin(Task task, uint32_t port, TimePs time)
    {
        Put(EntryOf(task, port), time);
        Wake(time);
    }

    /// @param time the switch has something to do then, ps
    void Wake(TimePs time)
    {
        if (time < m_planned && m_alarm)
        {
            m_alarm->WakeBy(time);
        }
    }

    /**
     * @param entry number of a task at a port, see EntryOf()
     * @return when, NEVER for not at all
     */
    TimePs At(uint32_t entry) const
    {
        return m_times[entry];
    }

    /**
     * Only the switch itself may use it.
     *
     * @param entry number of a task that is being done, see EntryOf()
     * @param time when it is due again, NEVER for not at all, ps
     */
    void Move(uint32_t entry, TimePs time)
    {
        m_times[entry] = time;
        if (m_isList && time != NEVER)
        {
            AddToList({entry, time});
        }
    }

    /**
     * Only the switch itself may use it.
     *
     * @param entry number of a task at a port, see EntryOf()
     * @param time when, NEVER for not at all, ps
     */
    void Set(uint32_t entry, TimePs time)
    {
        if (m_isList && DueTask{entry, m_times[entry]}.Precedes(m_list.Bound()))
        {
            m_list.Remove(entry);
        }
        Put(entry, time);
    }

    /// @return whether tasks are listed, and TakeFirst() gives them
    bool IsList() const
    {
        return m_isList;
    }

    /// @return when the first that is listed is due; if none is, nothing else is due before, ps
    TimePs First() const
    {
        return m_list.Earliest();
    }

    /// @return number of the first that is listed; any if none is
    uint32_t FirstEntry() const
    {
        return m_list.First().entry;
    }

    /// @return whether none is listed
    bool IsListEmpty() const
    {
        return m_list.Size() == 0;
    }

    /// @return the first that is listed, which there is; its time stays until Move()
    DueTask TakeFirst()
    {
        return m_list.Take();
    }

    /// Nothing is listed any more: the next few are.
    void ListNext();

    /// There are a few tasks in a window: they are listed.
    void BeginList()
    {
        m_isList = true;
        ListNext();
    }

    /// There are more than a few tasks in a window: all are looked at.
    void EndList()
    {
        m_isList = false;
        while (m_list.Size() != 0)
        {
            Arm(m_list.Take().entry);
        }
        m_list.SetBound({0, NEVER});
    }

    /// @return how many numbers EntryOf() gives
    uint32_t Entries() const
    {
        return m_entries;
    }

    /// @return number of the two; equal times come in its order (DP-7)
    uint32_t EntryOf(Task task, uint32_t port) const
    {
        return static_cast<uint32_t>(task) * m_ports + port;
    }

    /// @param port has a NIC from now on
    /// @return when it decides what to send, NEVER for not at all; the place stays
    const TimePs& AddHost(uint32_t port)
    {
        if (!m_hosts) // a switch without hosts has nothing to look at
        {
            m_hosts = std::make_unique<TimePs[]>(m_ports);
            std::fill_n(m_hosts.get(), m_ports, NEVER);
        }
        m_hostPorts = std::max(m_hostPorts, static_cast<uint16_t>(port + 1));
        return m_hosts[port];
    }

    /// @return ports up to the last one of a host
    uint32_t HostPorts() const
    {
        return m_hostPorts;
    }

    /// @param port below HostPorts()
    /// @return when the NIC at the port decides, NEVER for not at all, ps
    TimePs HostTime(uint32_t port) const
    {
        return m_hosts[port];
    }

    /// @param time the NIC at the port, which was added, decides then what to send, NEVER for not
    /// at all, ps
    void SetHost(uint32_t port, TimePs time)
    {
        m_hosts[port] = time;
        m_firstHost = std::min(m_firstHost, time);
    }

    /// @param time the NIC at the port, which was added, decides no later, ps
    void BringHostForward(uint32_t port, TimePs time)
    {
        SetHost(port, std::min(m_hosts[port], time));
    }

    /// @return no NIC decides before, ps
    TimePs FirstHost() const
    {
        return m_firstHost;
    }

    /// NICs have been run: FirstHost() is looked for.
    void FindFirstHost()
    {
        m_firstHost = m_hostPorts == 0
                          ? NEVER
                          : *std::min_element(m_hosts.get(), m_hosts.get() + m_hostPorts);
    }

    /// Only between windows. @return the earliest of all tasks, NEVER for none, ps
    TimePs Earliest()
    {
        if (!m_isList)
        {
            return EarliestOfMany();
        }
        if (IsListEmpty() && First() != NEVER)
        {
            ListNext();
        }
        return First();
    }

    /// Not for a list. @param visit is called with number (see EntryOf()) and time of all before
    /// `until`
    template <typename Visit>
    void ForEachBefore(TimePs until, Visit&& visit) const
    {
        ForEachArmed([until, &visit](DueTask task) {
            if (task.time < until)
            {
                visit(task.entry, task.time);
            }
        });
    }

    /// Fetches what a window reads first.
    void FetchTimes() const
    {
        FetchMemory(m_memory.get(), (Words(m_entries) + m_entries) * sizeof(TimePs));
        FetchMemory(m_hosts.get(), m_hostPorts * sizeof(TimePs));
    }

  private:
    /// @return words of a bit mask with so many entries
    static uint32_t Words(uint32_t entries)
    {
        return (entries + WORD - 1) / WORD;
    }

    /// @return that of an entry in its word
    static TimePs Bit(uint32_t entry)
    {
        return static_cast<TimePs>(uint64_t{1} << entry % WORD);
    }

    /// @param visit is called with all that are not listed, by number: `void visit(DueTask)`
    template <typename Visit>
    void ForEachArmed(Visit&& visit) const
    {
        for (uint32_t word = 0; word < Words(m_entries); ++word)
        {
            for (auto armed = static_cast<uint64_t>(m_memory[word]); armed != 0; armed &= armed - 1)
            {
                const uint32_t entry = word * WORD + static_cast<uint32_t>(__builtin_ctzll(armed));
                visit(DueTask{entry, m_times[entry]});
            }
        }
    }

    /// An entry that is not listed gets a time. @param time NEVER for none, ps
    void Put(uint32_t entry, TimePs time)
    {
        Move(entry, time);
        if (!m_isList)
        {
            Arm(entry);
        }
    }

    /// An entry has a time, and is not listed.
    void Arm(uint32_t entry)
    {
        m_memory[entry / WORD] |= Bit(entry);
    }

    /// An entry is listed, or has no time.
    void Disarm(uint32_t entry)
    {
        m_memory[entry / WORD] &= ~Bit(entry);
    }

    /// Out of line, since it is called at ten places. @param task is not there, if there is a list
    void AddToList(DueTask task);

    /// The list is full: the latest is listed no longer.
    void ReplaceLatest(DueTask task);

    /// Lists a task, if only a few are before it. @param task was not listed
    void ListIfNext(DueTask task);

    /// See Earliest().
    TimePs EarliestOfMany()
    {
        TimePs earliest = NEVER;
        for (uint32_t word = 0; word < Words(m_entries); ++word)
        {
            const auto armed = static_cast<uint64_t>(m_memory[word]);
            uint64_t left = armed; // in the mask
            const TimePs* const times = m_times + static_cast<std::size_t>(word) * WORD;
            for (uint64_t next = armed; next != 0; next &= next - 1)
            {
                const TimePs time = times[__builtin_ctzll(next)];
                earliest = std::min(earliest, time);
                left &= ~(time == NEVER ? next & -next : 0);
            }
            m_memory[word] = static_cast<TimePs>(left);
        }
        return earliest;
    }

    /// Takes the memory for so many entries, of which the present ones stay as they are.
    void Allocate(uint32_t entries)
    {
        const uint32_t words = Words(entries);
        auto memory = std::make_unique<TimePs[]>(words + entries);
        std::fill_n(memory.get() + words, entries, NEVER);
        std::copy_n(m_memory.get(), Words(m_entries), memory.get());
        std::copy_n(m_times, m_entries, memory.get() + words);
        m_memory = std::move(memory);
        m_entries = static_cast<uint16_t>(entries);
        m_times = m_memory.get() + words;
    }

    static constexpr uint32_t WORD = 64; ///< Entries in a word of the bit mask.

    /// So many are listed at once: less than fit, so that others can come between them.
    static constexpr uint32_t LISTED = 4;

    TimePs* m_times{nullptr}; ///< In m_memory: by task, then by port; last what is of no port.
    /// First a bit mask of the entries that are not NEVER and not listed, then the times, so that
    /// they share a line. Entries that have become NEVER, or were listed meanwhile, may still be in
    /// the mask: that is cheaper than to take them out.
    std::unique_ptr<TimePs[]> m_memory;
    TimePs m_planned{NEVER};           ///< When the switch runs next.
    Alarm* m_alarm{nullptr};           ///< Runs the switch.
    std::unique_ptr<TimePs[]> m_hosts; ///< Decisions of NICs, by port.
    TimePs m_firstHost{NEVER};         ///< See FirstHost().
    uint16_t m_ports{0};               ///< Ports of the switch.
    uint16_t m_hostPorts{0};           ///< See HostPorts().
    bool m_isList{true};               ///< See IsList().
    uint16_t m_entries{0};             ///< Numbers that are given.
    FewTasks m_list; ///< The tasks that come next, none if they are more than a few. Its bound is
                     ///< the first of the others, or before it.
};

static_assert(sizeof(Agenda) == 2 * CACHE_LINE, "neighbours read all of it");

} // namespace ns3::fabric

#endif // FABRIC_AGENDA_H
