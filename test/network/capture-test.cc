/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-capture-format.h"
#include "fabric-capture-order.h"
#include "fabric-crc.h"
#include "fabric-credit-header.h"
#include "fabric-ether-type.h"
#include "fabric-fgfc-header.h"
#include "fabric-header.h"
#include "fabric-helper.h"
#include "fabric-net-device.h"
#include "fabric-network-scenario.h"
#include "fabric-random-network.h"
#include "fabric-small-tree.h"
#include "fabric-switch-capture.h"
#include "fabric-switch-port.h"
#include "fabric-test-seeds.h"
#include "fabric-transmitter.h"
#include "support/fabric-error-streams.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-scratch-folder.h"

#include "ns3/buffer.h"
#include "ns3/pcap-file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t ETHERNET_BYTES = 14; ///< Ethernet header.

/// A record of a file.
struct Record
{
    int64_t time{0};            ///< ns.
    std::vector<uint8_t> bytes; ///< With the lead.
    uint32_t size{0};           ///< Bytes of the whole record.

    /// @return whether the port sends it
    bool IsSent() const
    {
        return (bytes[1] & CAPTURE_FLAG_SENT) != 0;
    }

    /// @return whether it is a pause, or of fine-grain flow control
    bool IsEthernet() const
    {
        return (bytes[1] & CAPTURE_FLAG_ETHERNET) != 0;
    }

    /// @return whether it is of fine-grain flow control
    bool IsFgfc() const
    {
        return IsEthernet() && bytes[2] == ETHERTYPE_OUI_EXTENDED >> 8 &&
               bytes[3] == (ETHERTYPE_OUI_EXTENDED & 0xFF);
    }

    /// @return whether it is an ACK frame
    bool IsAcks() const
    {
        return IsControl(FrameType::ACK);
    }

    /// @return whether it is a credit frame
    bool IsCredits() const
    {
        return IsControl(FrameType::CREDIT);
    }

    /// @return bytes of the frame itself
    std::vector<uint8_t> Frame() const
    {
        return {bytes.begin() + CAPTURE_LEAD_BYTES, bytes.end()};
    }

  private:
    /// @return whether it is a control frame of a link, of this type
    bool IsControl(FrameType type) const
    {
        return !IsEthernet() && bytes[4] == 0 && bytes[5] == 0 &&
               bytes[6] >> 4 == static_cast<uint8_t>(type);
    }
};

/// @return all records of a file
std::vector<Record>
ReadCapture(FunctionCase& test, const std::filesystem::path& path)
{
    PcapFile file;
    file.Open(path.string(), std::ios::in);
    test.Expect(!file.Fail() && file.GetDataLinkType() == CAPTURE_LINK_TYPE && file.IsNanoSecMode(),
                path.string() + " is no capture");
    std::vector<Record> records;
    while (true)
    {
        std::vector<uint8_t> bytes(70'000);
        uint32_t seconds;
        uint32_t fraction;
        uint32_t included;
        uint32_t original;
        uint32_t read;
        file.Read(bytes.data(), 70'000, seconds, fraction, included, original, read);
        if (file.Eof() || file.Fail())
        {
            return records;
        }
        bytes.resize(read);
        records.push_back({int64_t{seconds} * 1'000'000'000 + fraction, bytes, original});
    }
}

/// @return the header at the beginning of bytes
template <typename HeaderType>
HeaderType
HeaderOf(const std::vector<uint8_t>& bytes)
{
    Buffer buffer;
    buffer.AddAtStart(static_cast<uint32_t>(bytes.size()));
    buffer.Begin().Write(bytes.data(), static_cast<uint32_t>(bytes.size()));
    HeaderType header;
    header.Deserialize(buffer.Begin());
    return header;
}

/// The last bytes of a frame are its FCS.
void
ExpectCheck(FunctionCase& test, const std::vector<uint8_t>& frame, const std::string& where)
{
    const std::size_t covered = frame.size() - FCS_BYTES;
    const uint32_t check = Crc32c(frame.data(), covered);
    for (uint32_t i = 0; i < FCS_BYTES; ++i)
    {
        const auto byte = static_cast<uint8_t>(check >> (24 - 8 * i));
        test.ExpectEqual(frame[covered + i], byte, where + ": FCS");
    }
}

/// @return what a frame of fine-grain flow control says
FabricFgfcHeader
FgfcOf(const Record& record)
{
    std::vector<uint8_t> frame = record.Frame();
    frame.erase(frame.begin(), frame.begin() + ETHERNET_BYTES);
    return HeaderOf<FabricFgfcHeader>(frame);
}

/// Each frame reads back, and its checks are right.
void
ExpectSound(FunctionCase& test, const Record& record, const std::string& where)
{
    const std::vector<uint8_t> frame = record.Frame();
    test.ExpectEqual(record.size, record.bytes.size(), where + ": nothing is cut off");
    test.ExpectEqual(record.bytes[0], CAPTURE_VERSION, where + ": version");
    if (record.IsFgfc())
    {
        const FabricFgfcHeader header = FgfcOf(record);
        test.Expect(header.IsValid(), where + ": a frame of fine-grain flow control");
        test.ExpectEqual(frame.size(),
                         ETHERNET_BYTES + header.GetSerializedSize() + FCS_BYTES,
                         where + ": its size");
        return;
    }
    if (record.IsAcks())
    {
        const bool isGreeting = frame.size() == AckFrameBytes(0); // which is no valid header
        test.Expect(isGreeting || HeaderOf<FabricAckHeader>(frame).IsValid(),
                    where + ": an ACK frame");
        ExpectCheck(test, frame, where);
        return;
    }
    if (record.IsEthernet())
    {
        test.ExpectEqual(frame.size(), 64U, where + ": an Ethernet frame");
        const std::vector<uint8_t> content(frame.begin() + 14, frame.end());
        test.Expect(HeaderOf<FabricPauseHeader>(content).IsValid(), where + ": a pause");
        return;
    }
    if (record.IsCredits())
    {
        test.Expect(HeaderOf<FabricCreditHeader>(frame).IsValid(), where + ": a credit frame");
        ExpectCheck(test, frame, where);
        return;
    }
    const auto header = HeaderOf<FabricHeader>(frame);
    test.Expect(header.IsValid(), where + ": a data frame");
    test.ExpectEqual(frame.size(), WireBytes(header.GetPayloadBytes()), where + ": its size");
    ExpectCheck(test, frame, where);
}

/// What a switch's port sends, as its transmitter and a file count it.
TransmitCounts
CountSent(const std::vector<Record>& records)
{
    TransmitCounts counts;
    for (const Record& record : records)
    {
        if (!record.IsSent())
        {
            continue;
        }
        const uint32_t bytes = record.size - CAPTURE_LEAD_BYTES;
        if (record.IsEthernet())
        {
            counts.pauses += record.IsFgfc() ? 0 : 1;
            ++counts.controlFrames;
            counts.controlBytes += bytes + PAUSE_FRAME_BYTES - 64; // preamble and gap
        }
        else if (record.IsCredits())
        {
            ++counts.credits;
            ++counts.controlFrames;
            counts.controlBytes += bytes;
        }
        else if (record.IsAcks())
        {
            ++counts.controlFrames;
            counts.controlBytes += bytes;
            counts.acks += HeaderOf<FabricAckHeader>(record.Frame()).GetAcks().size();
        }
        else
        {
            ++counts.frames;
            counts.bytes += bytes;
        }
    }
    return counts;
}

/// The name of a port's file.
std::string
CaptureName(const NetDevice& device)
{
    return "c-" + std::to_string(device.GetNode()->GetId()) + "-" +
           std::to_string(device.GetIfIndex()) + ".pcap";
}

/// What is known of the links of a fabric when its run is over.
struct LinkNotes
{
    std::map<std::string, TransmitCounts> sent; ///< Of switches' ports, by file.
    /// Both files of each link, and its delay, ns.
    std::vector<std::tuple<std::string, std::string, double>> links;
};

/// Notes what is known of the links.
LinkNotes
NoteLinks(const FabricContainer& fabric)
{
    LinkNotes notes;
    std::vector<Ptr<FabricChannel>> all = fabric.links;
    all.insert(all.end(), fabric.hostLinks.begin(), fabric.hostLinks.end());
    for (const Ptr<FabricChannel>& link : all)
    {
        notes.links.emplace_back(CaptureName(*link->GetDevice(0)),
                                 CaptureName(*link->GetDevice(1)),
                                 static_cast<double>(link->GetDelay()) / 1000);
    }
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const Ptr<FabricSwitch> fabricSwitch = fabric.GetSwitch(i);
        for (uint32_t port = 0; port < fabricSwitch->GetChip().Config().ports; ++port)
        {
            const Ptr<FabricSwitchPort> device = fabricSwitch->GetPort(port);
            if (device->GetChannel())
            {
                notes.sent[CaptureName(*device)] = fabricSwitch->GetChip().Output(port).Counts();
            }
        }
    }
    return notes;
}

/// What one end of a link sends the other receives, a delay later.
void
ExpectSameLink(FunctionCase& test,
               const std::vector<Record>& from,
               const std::vector<Record>& to,
               double delay,
               const std::string& where)
{
    std::vector<const Record*> sent;
    std::vector<const Record*> received;
    const auto select = [](const std::vector<Record>& all, bool isSent, auto& selected) {
        for (const Record& record : all)
        {
            if (record.IsSent() == isSent)
            {
                selected.push_back(&record);
            }
        }
    };
    select(from, true, sent);
    select(to, false, received);
    test.ExpectEqual(sent.size(), received.size(), where + ": frames of a link");
    for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
    {
        test.Expect(sent[i]->Frame() == received[i]->Frame(), where + ": a frame");
        test.ExpectNear(static_cast<double>(received[i]->time - sent[i]->time),
                        delay,
                        1,
                        where + ": delay, ns");
    }
}

/// @return the bytes of a file
std::string
BytesOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// @return the bytes of all files of a folder, by name
std::map<std::string, std::string>
FilesOf(const std::filesystem::path& folder)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        files[entry.path().filename().string()] = BytesOf(entry.path());
    }
    return files;
}

/// Runs a random network with a file for each port.
/// @return what it does
std::string
RunCaptured(FunctionCase& test,
            RandomRun run,
            const std::filesystem::path& folder,
            LinkNotes& notes)
{
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    run.installed = [&folder](const FabricContainer&) {
        FabricHelper().EnablePcapAll((folder / "c").string());
    };
    run.ended = [&notes](const FabricContainer& fabric) { notes = NoteLinks(fabric); };
    return RunRandom(test, run);
}

/// Captures of random networks agree with the ports' counters and with each other.
void
TestRandomCaptures(FunctionCase& test)
{
    const ScratchFolder scratch(test, "captures");
    const TestSeeds seeds(8);
    uint64_t records = 0;
    uint64_t credits = 0;
    uint64_t pauses = 0;
    uint32_t runsWithCredits = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        run.outages = seed % 4 == 1;
        run.lanes = seed % 4 == 2;
        run.creditFrames = seed % 4 >= 2;
        runsWithCredits += run.creditFrames ? 1 : 0;
        run.slowHosts = seed % 4 == 3;
        run.tools = seed % 4 == 0;
        run.linkPauses = seed % 4 < 2;
        LinkNotes notes;
        const std::string plain = RunRandom(test, run);
        const std::filesystem::path first = scratch.Get() / "first";
        const std::string where = "seed " + std::to_string(seed);
        test.ExpectSame(RunCaptured(test, run, first, notes), plain, where + ", captured");
        std::map<std::string, std::vector<Record>> files;
        for (const auto& [name, counts] : notes.sent)
        {
            files[name] = ReadCapture(test, first / name);
            const TransmitCounts sent = CountSent(files[name]);
            records += files[name].size();
            test.ExpectEqual(sent.frames, counts.frames, where + ", frames of " + name);
            test.ExpectEqual(sent.bytes, counts.bytes, where + ", bytes of " + name);
            test.ExpectEqual(sent.controlFrames, counts.controlFrames, where + ", control " + name);
            test.ExpectEqual(sent.controlBytes, counts.controlBytes, where + ", bytes " + name);
            test.ExpectEqual(sent.acks, counts.acks, where + ", ACKs of " + name);
            test.ExpectEqual(sent.credits, counts.credits, where + ", credit frames of " + name);
            test.ExpectEqual(sent.pauses, counts.pauses, where + ", pauses of " + name);
            credits += sent.credits;
            pauses += sent.pauses;
        }
        for (const auto& [one, other, delay] : notes.links)
        {
            for (const std::string& name : {one, other})
            {
                files.try_emplace(name, ReadCapture(test, first / name));
                const std::vector<Record>& all = files[name];
                const bool isSorted =
                    std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) {
                        return a.time < b.time;
                    });
                test.Expect(isSorted, where + ", times of " + name);
                for (const Record& record : all)
                {
                    ExpectSound(test, record, where + ", " + name);
                }
            }
            if (!run.outages)
            {
                ExpectSameLink(test, files[one], files[other], delay, where + ", " + one);
                ExpectSameLink(test, files[other], files[one], delay, where + ", " + other);
            }
        }
        const auto expected = FilesOf(first);
        for (const uint32_t threads : {1, 2})
        {
            run.lookahead = threads != 1;
            run.threads = threads;
            const std::filesystem::path second = scratch.Get() / "second";
            test.ExpectSame(RunCaptured(test, run, second, notes), plain, where + ", again");
            test.Expect(FilesOf(second) == expected,
                        where + ", other files with threads " + std::to_string(threads));
        }
    }
    test.Expect(records > 2'000 * seeds.count, "there are frames");
    test.Expect(credits >= 400 * runsWithCredits, "there are credit frames");
    // Not many in runs whose tools keep buffers from filling.
    test.Expect(pauses >= 10 * seeds.count,
                std::to_string(pauses) + " pauses between switches are too few");
}

/// Records come out in the order of their times, and none is held longer than it must.
void
TestCaptureOrder(FunctionCase& test)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const TimePs bound = 1 + static_cast<TimePs>(random() % 100);
        CaptureOrder order(bound);
        std::vector<CaptureOrder::Key> all;
        std::vector<CaptureOrder::Key> written;
        TimePs now = 1000;
        TimePs awaited = NEVER; // a record that comes as late as it likes
        for (uint32_t i = 0; i < 200; ++i)
        {
            now += static_cast<TimePs>(random() % 40);
            const auto note = [&written](const auto& key, const auto& bytes) {
                written.push_back(key);
                return bytes;
            };
            order.WriteSettled(now, awaited, note);
            const auto settled = std::count_if(all.begin(), all.end(), [&](const auto& key) {
                return key.first < std::min(now - bound, awaited);
            });
            test.ExpectEqual(written.size(), static_cast<std::size_t>(settled), "held too long");
            const bool isSent = random() % 2 == 0;
            const TimePs late = isSent ? 0 : static_cast<TimePs>(random() % (bound + 1));
            const CaptureOrder::Key key(now - late,
                                        isSent ? CaptureDirection::SENT
                                               : CaptureDirection::RECEIVED);
            all.push_back(key);
            order.Put(key.first, key.second, {});
            if (awaited == NEVER && random() % 20 == 0)
            {
                awaited = now;
            }
            else if (awaited != NEVER && (random() % 10 == 0 || i == 199))
            {
                all.emplace_back(awaited, CaptureDirection::RECEIVED);
                order.Put(awaited, CaptureDirection::RECEIVED, {});
                awaited = NEVER;
            }
            if (i == 199)
            {
                order.WriteSettled(NEVER, NEVER, note);
            }
        }
        std::sort(all.begin(), all.end());
        test.Expect(written == all, "order, seed " + std::to_string(seed));
    }
}

/// What TCP sends stands in the files, and the files of a host and of its port say the same.
void
TestCapturedPackets(FunctionCase& test)
{
    const ScratchFolder scratch(test, "packets");
    std::filesystem::create_directories(scratch.Get());
    constexpr uint64_t BYTES = 300'000;
    std::string hostName;
    std::string portName;
    double delay = 0;
    {
        Simulation simulation;
        const FabricContainer fabric = SmallTree().Install();
        IpHosts hosts(fabric);
        const Ptr<PacketSink> sink = hosts.AddSink(0, 9);
        hosts.AddBulkSend(5, 0, 9, BYTES);
        const Ptr<NetDevice> host = fabric.GetDevice(0);
        const Ptr<NetDevice> port = host->GetChannel()->GetDevice(0);
        FabricHelper helper;
        helper.EnablePcap((scratch.Get() / "c").string(), host);
        helper.EnablePcap((scratch.Get() / "c").string(), port);
        delay = std::get<2>(NoteLinks(fabric).links.back());
        hostName = CaptureName(*host);
        portName = CaptureName(*port);
        Simulator::Run();
        test.ExpectEqual(sink->GetTotalRx(), BYTES, "TCP");
    }
    const std::vector<Record> host = ReadCapture(test, scratch.Get() / hostName);
    const std::vector<Record> port = ReadCapture(test, scratch.Get() / portName);
    uint64_t payload = 0;
    uint32_t arps = 0;
    for (const Record& record : host)
    {
        ExpectSound(test, record, "host");
        const std::vector<uint8_t> frame = record.Frame();
        const auto header = HeaderOf<FabricHeader>(frame);
        const uint32_t etherType = record.bytes[2] * 256U + record.bytes[3];
        arps += etherType == 0x0806 && header.GetFrameType() == FrameType::ETHERNET;
        if (!record.IsSent() && etherType == 0x0800)
        {
            test.Expect(header.GetFrameType() == FrameType::IPV4, "frame type of IPv4");
            const uint32_t ip = (frame[HEADER_BYTES] & 0xFU) * 4;
            const uint32_t tcp = (frame[HEADER_BYTES + ip + 12] >> 4U) * 4;
            payload += header.GetPayloadBytes() - ip - tcp;
        }
    }
    test.ExpectEqual(payload, BYTES, "payload of TCP in the file of the receiver");
    test.Expect(arps >= 2, "ARP is there");

    ExpectSameLink(test, host, port, delay, "host to switch");
    ExpectSameLink(test, port, host, delay, "switch to host");
}

/// Frames in pieces that are stored stand in the files with the time of their first bit, though
/// interruptions and repeats hold them up for longer than the bound of other records.
void
TestStoredPieces(FunctionCase& test)
{
    const ScratchFolder scratch(test, "pieces");
    std::filesystem::create_directories(scratch.Get());
    LinkNotes notes;
    {
        Simulation simulation;
        FatTreeHelper helper = SmallTree();
        LaneTable table;
        table.lanes = {{0, 1, 0, 0, false}, {1, 0, 1, 0, true}};
        table.groups = {{0, GroupSettings::FULL_SHARE}};
        helper.SetLaneTable(table);
        helper.SetSwitchAttribute("LanePreemption", BooleanValue(true));
        helper.SetSwitchAttribute("Forwarding", StringValue("store-and-forward"));
        helper.SetChannelAttribute("Retry", BooleanValue(true));
        helper.SetHostChannelAttribute("Retry", BooleanValue(true));
        helper.SetErrorModel(FrameErrors(0.05));
        const FabricContainer fabric = helper.Install();
        for (uint32_t host = 0; host < 8; ++host)
        {
            const Ptr<FabricNetDevice> device = fabric.GetDevice(host);
            const LocationId destination = LocationOf((host + 3) % 8);
            device->SendMessage(destination, 60'000);
            for (uint32_t i = 1; i < 40; ++i)
            {
                Simulator::Schedule(NanoSeconds(500 * i + 37 * host), [device, destination] {
                    device->SendMessage(destination, 200, 1);
                });
            }
        }
        FabricHelper().EnablePcapAll((scratch.Get() / "c").string());
        Simulator::Run();
        notes = NoteLinks(fabric);
    }
    for (const auto& [one, other, delay] : notes.links)
    {
        const auto here = ReadCapture(test, scratch.Get() / one);
        const auto there = ReadCapture(test, scratch.Get() / other);
        for (const auto* const records : {&here, &there})
        {
            const bool isSorted =
                std::is_sorted(records->begin(), records->end(), [](const auto& a, const auto& b) {
                    return a.time < b.time;
                });
            test.Expect(isSorted, "times of " + one + " or " + other);
        }
        ExpectSameLink(test, here, there, delay, one);
        ExpectSameLink(test, there, here, delay, other);
    }
}

/// A frame that its link damages is whole at its sender, and its checks are wrong at its receiver.
void
TestCapturedDamage(FunctionCase& test)
{
    const ScratchFolder scratch(test, "damage");
    std::filesystem::create_directories(scratch.Get());
    LinkNotes notes;
    {
        Simulation simulation;
        FatTreeHelper helper = SmallTree();
        helper.SetErrorModel(FrameErrors(0.1));
        const FabricContainer fabric = helper.Install();
        for (uint32_t host = 1; host < 8; ++host)
        {
            fabric.GetDevice(host)->SendMessage(LocationOf(0), 100'000);
        }
        FabricHelper().EnablePcapAll((scratch.Get() / "c").string());
        Simulator::Run();
        notes = NoteLinks(fabric);
    }
    uint32_t damaged = 0;
    for (const auto& link : notes.links)
    {
        for (const std::string& name : {std::get<0>(link), std::get<1>(link)})
        {
            for (const Record& record : ReadCapture(test, scratch.Get() / name))
            {
                const std::vector<uint8_t> frame = record.Frame();
                if (record.IsAcks() || record.IsFgfc() || HeaderOf<FabricHeader>(frame).IsCrcOk())
                {
                    ExpectSound(test, record, name);
                    continue;
                }
                ++damaged;
                test.Expect(!record.IsSent(), "a frame that was damaged before it was sent");
                const uint32_t check = Crc32c(frame.data(), frame.size() - FCS_BYTES);
                test.Expect(frame.back() != static_cast<uint8_t>(check), "FCS of a damaged frame");
            }
        }
    }
    test.Expect(damaged > 10, "there are damaged frames");
}

/// Pauses are Ethernet frames, and the attribute of ns-3's files cuts frames off.
void
TestPausesAndSnapLength(FunctionCase& test)
{
    const ScratchFolder scratch(test, "pauses");
    std::filesystem::create_directories(scratch.Get());
    for (const std::string mode : {"pause", "priority-pause"})
    {
        std::map<std::string, TransmitCounts> counts;
        uint64_t ofHost = 0;
        {
            Simulation simulation;
            Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(68));
            FatTreeHelper helper = SmallTree(false);
            helper.SetSwitchAttribute("EdgeFlowControl", StringValue(mode));
            helper.SetDeviceAttribute(0, "ReceiveRate", DataRateValue(DataRate("20Gbps")));
            const FabricContainer fabric = helper.Install();
            for (uint32_t host = 1; host < 8; ++host)
            {
                fabric.GetDevice(host)->SendMessage(LocationOf(0), 1 << 20);
            }
            FabricHelper().EnablePcap((scratch.Get() / "c").string(), fabric.switches);
            Simulator::Run();
            counts = NoteLinks(fabric).sent;
            ofHost = fabric.GetDevice(0)->GetNic().Uplink().Counts().pauses;
        }
        uint64_t pauses = 0;
        uint64_t fromHosts = 0;
        for (const auto& [name, sent] : counts)
        {
            bool isPaused = false; // class 0
            const std::vector<Record> records = ReadCapture(test, scratch.Get() / name);
            const TransmitCounts found = CountSent(records);
            test.ExpectEqual(found.pauses, sent.pauses, mode + ": pauses of " + name);
            test.ExpectEqual(found.controlBytes, sent.controlBytes, mode + ": bytes of " + name);
            test.ExpectEqual(found.bytes, sent.bytes, mode + ": data of " + name);
            pauses += found.pauses;
            for (const Record& record : records)
            {
                test.Expect(record.bytes.size() <= 68, "the snap length");
                if (record.IsEthernet())
                {
                    std::vector<uint8_t> frame = record.Frame();
                    test.Expect(frame.size() == 64 && frame[0] == 0x01 && frame[5] == 0x01 &&
                                    frame[12] == 0x88 && frame[13] == 0x08,
                                "Ethernet header of a pause");
                    frame.erase(frame.begin(), frame.begin() + 14);
                    const auto pause = HeaderOf<FabricPauseHeader>(frame);
                    test.Expect(pause.IsValid() &&
                                    (pause.GetOpcode() == FabricPauseHeader::LINK_PAUSE) ==
                                        (mode == "pause"),
                                "a pause");
                    ofHost -= record.IsSent() ? 0 : 1;
                    test.Expect(!record.IsSent() || pause.GetQuanta(0) != 0 || isPaused,
                                "an end comes after a pause");
                    isPaused = record.IsSent() ? pause.GetQuanta(0) != 0 : isPaused;
                    fromHosts += record.IsSent() ? 0 : 1;
                }
            }
        }
        test.Expect(pauses > 0, mode + ": there are pauses");
        test.Expect(fromHosts > 0 && ofHost == 0, mode + ": pauses of the slow host");
    }
}

/// What a switch tells of a frame of fine-grain flow control.
struct FgfcNote
{
    Mac48Address host; ///< That it is for.
    FlowKey flow;      ///< That it restrains, without MAC addresses.
    FgfcOrder order;   ///< What it says.
    int64_t time;      ///< Of its first bit, ns.
};

/// Such frames, by the file of the port.
using FgfcNotes = std::map<std::string, std::vector<FgfcNote>>;

/// Runs an incast with fine-grain flow control and a file for each port.
/// @param rules of flows @param told gets what switches tell
LinkNotes
RunFgfc(const std::filesystem::path& folder, const std::string& rules, FgfcNotes& told)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree();
    helper.SetSwitchAttribute("Fgfc", BooleanValue(true));
    helper.SetSwitchAttribute("FlowRules", StringValue(rules));
    const FabricContainer fabric = helper.Install();
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const auto note = [one = PeekPointer(fabric.GetSwitch(i)),
                           &told](uint32_t port, const FgfcOrder& order, Time now) {
            const Nic& host = *one->GetChip().Host(port);
            told[CaptureName(*one->GetPort(port))].push_back(
                {FabricNetDevice::MacOf(host.Location()),
                 host.Restraints()->Pattern(order.flow).Select(FLOW_ALL & ~FLOW_MAC),
                 order,
                 now.GetNanoSeconds()});
        };
        fabric.GetSwitch(i)->TraceConnectWithoutContext(
            "Fgfc",
            Callback<void, uint32_t, const FgfcOrder&, Time>(note));
    }
    for (uint32_t host = 1; host < 8; ++host)
    {
        fabric.GetDevice(host)->SendMessage(LocationOf(0), 1 << 20);
    }
    FabricHelper().EnablePcapAll((folder / "c").string());
    Simulator::Run();
    return NoteLinks(fabric);
}

/// The frames of fine-grain flow control in the file of a port are those that its switch told of.
void
ExpectFgfcFrames(FunctionCase& test,
                 const std::vector<Record>& records,
                 const std::vector<FgfcNote>& told,
                 const std::string& where)
{
    std::vector<Record> frames;
    std::copy_if(records.begin(), records.end(), std::back_inserter(frames), [](const Record& r) {
        return r.IsFgfc();
    });
    test.ExpectEqual(frames.size(), told.size(), where + ": frames");
    for (std::size_t i = 0; i < std::min(frames.size(), told.size()); ++i)
    {
        ExpectSound(test, frames[i], where);
        const FabricFgfcHeader header = FgfcOf(frames[i]);
        test.Expect(header.GetFlow() == told[i].flow, where + ": flow");
        test.ExpectEqual(told[i].flow.flowLabel, 0, where + ": of no IPv6 packets");
        test.ExpectEqual(header.GetPause(), told[i].order.lasts, where + ": pause");
        test.ExpectEqual(header.GetCredit(), told[i].order.credit, where + ": credit");
        test.Expect(frames[i].IsSent(), where + ": direction");
        test.ExpectEqual(frames[i].time, told[i].time, where + ": time");
        Mac48Address destination;
        destination.CopyFrom(frames[i].Frame().data());
        test.Expect(destination == told[i].host, where + ": for its host");
    }
}

/// Frames of fine-grain flow control stand in the files of the port and of its host.
void
ExpectFgfcOnWire(FunctionCase& test, const std::string& rules)
{
    const ScratchFolder scratch(test, "fgfc");
    std::filesystem::create_directories(scratch.Get());
    FgfcNotes told;
    const LinkNotes notes = RunFgfc(scratch.Get(), rules, told);
    for (const auto& [name, sent] : notes.sent)
    {
        const std::vector<Record> records = ReadCapture(test, scratch.Get() / name);
        ExpectFgfcFrames(test, records, told[name], name);
        const TransmitCounts found = CountSent(records);
        test.ExpectEqual(found.pauses, 0, name + ": no pauses");
        test.ExpectEqual(found.controlFrames, sent.controlFrames, name + ": control frames");
        test.ExpectEqual(found.controlBytes, sent.controlBytes, name + ": their bytes");
    }
    for (const auto& [one, other, delay] : notes.links)
    {
        const std::vector<Record> here = ReadCapture(test, scratch.Get() / one);
        const std::vector<Record> there = ReadCapture(test, scratch.Get() / other);
        ExpectSameLink(test, here, there, delay, one);
        ExpectSameLink(test, there, here, delay, other);
    }
    uint32_t frames = 0;
    uint32_t lifts = 0;
    uint32_t credits = 0;
    for (const auto& [name, notesOfPort] : told)
    {
        for (const FgfcNote& note : notesOfPort)
        {
            ++frames;
            lifts += note.order.lasts == 0 ? 1 : 0;
            credits += note.order.credit != 0 ? 1 : 0;
        }
    }
    test.Expect(frames > 100 && lifts > 0 && credits > 0,
                Text("frames of all kinds: ", frames, ", ", lifts, ", ", credits));
}

/// Whatever tells flows apart, they are named by their fields alone.
void
TestFgfcFrames(FunctionCase& test)
{
    for (const char* rules : {"", "dst=1 -> process; -> all"})
    {
        ExpectFgfcOnWire(test, rules);
    }
}

/// Files that can't be written, and ports without a link, are refused.
void
TestCaptureRefusals(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    const std::string sentence =
        Refusal([&fabric] { FabricHelper().EnablePcap("/nowhere/at/all", fabric.devices.Get(0)); });
    test.ExpectEqual(sentence,
                     std::string("the file /nowhere/at/all-0-0.pcap can't be written; allowed is "
                                 "one in a folder that exists"),
                     "a folder that is not there");
    const std::string unlinked =
        Refusal([] { FabricSwitchCapture::Start(CreateObject<FabricSwitchPort>(), "x"); });
    test.Expect(unlinked.find("has no link; allowed are") != std::string::npos,
                "'" + unlinked + "'");
}

/// All that the manual captures: one host's device, one switch, and containers of them.
void
TestCapturedNodes(FunctionCase& test)
{
    const ScratchFolder scratch(test, "nodes");
    std::filesystem::create_directories(scratch.Get());
    const auto files = [&scratch](const std::string& prefix) {
        std::set<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(scratch.Get()))
        {
            const std::string name = entry.path().filename().string();
            if (name.compare(0, prefix.size(), prefix) == 0)
            {
                found.insert(name.substr(prefix.size()));
            }
        }
        return found;
    };
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    const auto path = [&scratch](const char* name) { return (scratch.Get() / name).string(); };
    FabricHelper helper;
    helper.EnablePcap(path("host"), fabric.GetDevice(0));
    test.Expect(files("host") == std::set<std::string>{"-0-0.pcap"}, "one device");
    helper.EnablePcap(path("switch"), fabric.switches.Get(0));
    helper.EnablePcap(path("same"), NodeContainer(fabric.switches.Get(0)));
    test.Expect(files("switch").size() > 1 && files("switch") == files("same"),
                "all ports of a switch");
    helper.EnablePcap(path("node"), fabric.hosts.Get(1));
    test.Expect(files("node") == std::set<std::string>{"-1-0.pcap"}, "the device of a host");
    helper.EnablePcap(path("all"), fabric.devices);
    test.ExpectEqual(files("all").size(), size_t{fabric.devices.GetN()}, "a container");
    FatTreeHelper(4).EnablePcap(path("derived"), fabric.switches.Get(0));
    test.Expect(files("derived") == files("same"), "a helper of a topology");
}

/// The suite.
class CaptureSuite : public FunctionSuite
{
  public:
    CaptureSuite()
        : FunctionSuite("fabric-capture", kUnit)
    {
        Add("WL-9 records are written in the order of their times", TestCaptureOrder);
        Add("WL-9 captures agree with counters and with each other, and change nothing",
            TestRandomCaptures);
        Add("WL-9 packets of TCP stand in the files of a host and of its port",
            TestCapturedPackets);
        Add("WL-9 VA-9 frames in pieces that are stored have the time of their first bit",
            TestStoredPieces);
        Add("WL-9 WL-4 damage shows where a frame is received", TestCapturedDamage);
        Add("WL-9 pauses are Ethernet frames, and frames are cut off", TestPausesAndSnapLength);
        Add("WL-9 CM-4 frames of fine-grain flow control are Ethernet frames of port and host",
            TestFgfcFrames);
        Add("WL-9 one switch, one host and one device are captured", TestCapturedNodes);
        Add("WL-9 what can't be captured is refused", TestCaptureRefusals);
    }
};

const CaptureSuite g_captureSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
