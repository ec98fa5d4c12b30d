# SPDX-License-Identifier: GPL-2.0-only
"""WL-9: what tshark shows of captures with the project's dissector is what stands in the files."""
import collections
import os
import shutil
import struct
import subprocess

import pytest

from programs import ROOT, run_well

DISSECTOR = ROOT / "utils/wireshark/fabric.lua"
TSHARK = os.environ.get("FABRIC_TSHARK") or shutil.which("tshark")
LEAD, HEADER, FCS = 4, 20, 4

needs_tshark = pytest.mark.skipif(not TSHARK, reason="there is no tshark: install the package of that name (utils/setup.sh does)")


def read_capture(path):
    """@return time in ns, size and bytes of each record"""
    data = path.read_bytes()
    magic, _, _, _, _, _, link_type = struct.unpack_from("<IHHiIII", data)
    assert (magic, link_type) == (0xA1B23C4D, 147)
    at, records = 24, []
    while at < len(data):
        seconds, fraction, included, size = struct.unpack_from("<IIII", data, at)
        records.append((seconds * 10**9 + fraction, size, data[at + 16:at + 16 + included]))
        at += 16 + included
    return records


def bits(data, first, count):
    """@return a field, numbered as in the manual"""
    end = (first + count + 7) // 8
    return int.from_bytes(data[:end], "big") >> (8 * end - first - count) & ((1 << count) - 1)


def shown(path, *fields, only=""):
    """@return the fields of each frame that tshark shows, as texts"""
    arguments = [TSHARK, "-X", f"lua_script:{DISSECTOR}", "-r", path, "-T", "fields", "-E", "separator=;", "-E", "occurrence=a",
                 "-o", "eth.check_fcs:TRUE"]
    arguments += ["-Y", only] if only else []
    for field in fields:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "Lua" not in done.stderr, done.stderr
    return [line.split(";") for line in done.stdout.splitlines()]


def data_fields(record):
    """@return what tshark should show of a data frame, by the tables of the manual"""
    frame = record[LEAD:]
    sent = "1" if record[1] & 1 else ""
    return [sent] + [str(bits(frame, first, count)) for first, count in
                     ((0, 16), (16, 16), (32, 4), (36, 2), (38, 4), (42, 11), (53, 32), (85, 16), (101, 14), (115, 3))]


@pytest.fixture(scope="module")
def incast(tmp_path_factory):
    """Captures of an incast, whole and cut off."""
    folder = tmp_path_factory.mktemp("incast")
    arguments = ["--k=4", "--senders=6", "--bytes=64KiB"]
    whole = run_well("fabric-incast", *arguments, f"--pcap={folder}/whole")
    cut = run_well("fabric-incast", *arguments, f"--pcap={folder}/cut", "--ns3::PcapFileWrapper::CaptureSize=64")
    assert whole == cut == run_well("fabric-incast", *arguments)
    return folder


def test_frames_that_are_cut_off_keep_their_size(incast):
    for path in incast.glob("whole-*.pcap"):
        whole = read_capture(path)
        cut = read_capture(incast / path.name.replace("whole", "cut"))
        assert [(time, size, data[:64]) for time, size, data in whole] == cut
        assert all(size == len(data) for _, size, data in whole)
        assert [time for time, _, _ in whole] == sorted(time for time, _, _ in whole)


@needs_tshark
@pytest.mark.parametrize("name", ["whole-16-0", "whole-16-3", "cut-16-3"])
def test_tshark_shows_data_frames(incast, name):
    path = incast / f"{name}.pcap"
    fields = ("sent fabric.src fabric.dst fabric.lane fabric.vc fabric.ftag fabric.flow_id fabric.data_flow fabric.vni fabric.length "
              "fabric.type").replace("sent", "fabric.capture.sent").split()
    rows = shown(path, *fields, "fabric.check.ok", "fabric.fcs.ok", only="fabric.src")
    expected = [data_fields(data) for _, _, data in read_capture(path) if data[LEAD:LEAD + 2] != b"\0\0"]
    assert [[{"1": "1", "True": "1"}.get(row[0], "")] + row[1:11] for row in rows] == expected
    checks = collections.Counter(tuple(row[11:]) for row in rows)
    assert set(checks) == {("1", "" if name.startswith("cut") else "1")}


@needs_tshark
def test_tshark_shows_acks(incast):
    path = incast / "whole-16-3.pcap"
    rows = shown(path, "fabric.ack.count", "fabric.ack.flow_id", "fabric.ack.type", "fabric.ack.flow", "fabric.ack.crc.ok",
                 "fabric.fcs.ok", only="fabric.ack.count")
    expected = []
    for _, _, data in read_capture(path):
        frame = data[LEAD:]
        if frame[:2] == b"\0\0":
            starts = [40 + 25 * i for i in range(bits(frame, 20, 6))]
            fields = [",".join(str(bits(frame, start + first, count)) for start in starts) for first, count in
                      ((0, 11), (11, 3), (14, 8))]
            expected.append([str(len(starts)), *fields, ",".join("1" for _ in starts), "1"])
    assert rows == expected and len(rows) > 100


@needs_tshark
def test_damage_is_shown(incast, tmp_path):
    data = bytearray((incast / "whole-16-3.pcap").read_bytes())
    data[24 + 16 + LEAD + 8] ^= 0x10  # in the header of the first frame
    damaged = tmp_path / "damaged.pcap"
    damaged.write_bytes(data)
    assert len(shown(damaged, "frame.number", only="fabric.check.ok == 0")) == 1
    assert len(shown(damaged, "frame.number", only="fabric.wrong_check")) == 1


WARNING = 0x600000  # Wireshark's severity; errors are above it


def errors(path):
    """@return what tshark finds wrong with frames"""
    return shown(path, "frame.number", "_ws.expert.message", only=f"_ws.malformed || _ws.expert.severity >= {WARNING}")


@pytest.fixture(scope="module")
def tcp(tmp_path_factory):
    """A whole capture of TCP, and what makes one."""
    prefix = tmp_path_factory.mktemp("tcp") / "w"
    options = ["--k=4", "--bytes=200000", "--transport=tcp"]
    run_well("fabric-permutation", *options, f"--pcap={prefix}")
    return prefix.parent / "w-16-0.pcap", options


@needs_tshark
@pytest.mark.parametrize("size", [5, 20, 24, 64, 90, 140])
def test_a_cut_capture_of_tcp_has_no_losses_and_all_lengths(tcp, tmp_path, size):
    """Of what was cut off the headers say all; headers that are cut themselves are shown as bytes, and nothing is called damaged."""
    whole, options = tcp
    run_well("fabric-permutation", *options, f"--pcap={tmp_path}/c", f"--ns3::PcapFileWrapper::CaptureSize={size}")
    cut = tmp_path / whole.name.replace("w", "c")
    fields = ("tcp.srcport", "tcp.seq_raw", "tcp.ack_raw", "tcp.len")
    lengths = shown(whole, *fields, only="tcp.len > 0")
    assert sum(int(row[3]) for row in lengths) == 400000
    assert shown(cut, *fields, only="tcp.len > 0") == (lengths if size >= 64 else [])
    assert not errors(whole) and not errors(cut)
    assert not shown(cut, "frame.number", only="tcp.analysis.flags && tcp.len > 0")
    cuts = [[str(number)] for number, (_, length, data) in enumerate(read_capture(cut), 1) if len(data) < length and data[LEAD:LEAD + 2] != b"\0\0"]
    assert shown(cut, "frame.number", only="fabric.cut_off && (fabric.src || frame.cap_len < 24)") == cuts or size == 5
    assert not shown(whole, "frame.number", only="fabric.cut_off")


@needs_tshark
@pytest.mark.parametrize("size", [20, 30, 64, 90])
def test_cut_packets_of_the_transport_are_not_damaged(tmp_path, size):
    options = ["--senders=4", "--count=8", "--bytes=64KiB", "--over=fabric"]
    run_well("fabric-transport", *options, f"--pcap={tmp_path}/c", f"--ns3::PcapFileWrapper::CaptureSize={size}")
    shown_packets = 0
    for path in tmp_path.glob("c-*.pcap"):
        assert not errors(path)
        shown_packets += len(shown(path, "frame.number", only="fabric_transport.type"))
        assert not shown(path, "frame.number", only="fabric_transport.check.ok == 0")
    assert size < 64 or shown_packets > 50


@needs_tshark
def test_frames_that_are_too_short_are_still_told(incast, tmp_path):
    """A record whose length on the wire is less than its header says is malformed, however much was captured."""
    data = bytearray((incast / "whole-16-3.pcap").read_bytes())
    included, size = struct.unpack_from("<II", data, 24 + 8)
    struct.pack_into("<II", data, 24 + 8, included - 1, size - 1)
    del data[24 + 16 + included - 1]
    short = tmp_path / "short.pcap"
    short.write_bytes(data)
    assert shown(short, "frame.number", only="fabric.too_short") == [["1"]]


@needs_tshark
@pytest.mark.parametrize("size", [30, 42, 60, 66])
def test_cut_pauses_and_frames_of_flow_control_are_shown_as_far_as_they_go(tmp_path, size):
    cut = f"--ns3::PcapFileWrapper::CaptureSize={size}"
    run_well("fabric-chain", "--sources=3", "--duration=100us", "--flowChannels=off", f"--pcap={tmp_path}/p", "--ns3::FabricSwitch::EdgeFlowControl=priority-pause", cut)
    run_well("fabric-transport", "--over=fabric", "--protocol=tcp", "--senders=4", "--count=8", "--bytes=64KiB", f"--pcap={tmp_path}/f", cut)
    pauses = [row for path in tmp_path.glob("p-*.pcap") for row in shown(path, "macc.opcode", "eth.fcs.status", only="macc")]
    orders = [row for path in tmp_path.glob("f-*.pcap") for row in shown(path, "fabric_fgfc.dst", "fabric_fgfc.ip.src", only="fabric_fgfc")]
    assert not [row for path in tmp_path.glob("*.pcap") for row in errors(path)]
    assert {tuple(row) for row in pauses} == ({("0x0101", "")} if size >= 42 else set())
    assert bool(orders) == (size >= 42) and all(bool(row[1]) == (size >= 60) for row in orders)


@needs_tshark
def test_pauses_are_those_of_ethernet(tmp_path):
    run_well("fabric-chain", "--sources=3", "--duration=100us", "--flowChannels=off", f"--pcap={tmp_path}/p",
             "--ns3::FabricSwitch::EdgeFlowControl=priority-pause")
    rows = [row for path in tmp_path.glob("p-*.pcap") for row in
            shown(path, "eth.dst", "macc.opcode", "eth.fcs.status", only="macc")]
    assert rows and {tuple(row) for row in rows} == {("01:80:c2:00:00:01", "0x0101", "1")}, rows[:3]


@needs_tshark
def test_tshark_shows_credit_frames(tmp_path):
    """What a port was told of is what it has sent, less what is under way; counts only rise."""
    run_well("fabric-incast", "--k=4", "--senders=6", "--bytes=64KiB", f"--pcap={tmp_path}/c", "--ns3::FabricChannel::CreditFrames=true")
    shown_frames = 0
    for path in tmp_path.glob("c-*.pcap"):
        rows = shown(path, "fabric.capture.sent", "fabric.type", "fabric.credit.channels", "fabric.credit.freed", "fabric.fcs.ok",
                     only="fabric.credit.channels")
        credits = [data for _, _, data in read_capture(path) if data[LEAD:LEAD + 2] == b"\0\0" and data[LEAD + 2] >> 4 == 9]
        assert [row[1:] for row in rows] == [["9", "1", str(bits(data[LEAD:], 40, 32)), "1"] for data in credits]
        for is_sent in (0, 1):
            freed = [bits(data[LEAD:], 40, 32) for data in credits if data[1] & 1 == is_sent]
            frames = [size - LEAD for _, size, data in read_capture(path)
                      if data[1] & 1 != is_sent and data[LEAD:LEAD + 2] != b"\0\0"]
            assert freed == sorted(freed) and len(set(freed)) == len(freed)
            untold = sum(frames) - freed[-1] if freed else 0
            assert 0 <= untold <= 2 * 4120, "at the end nearly all that came the other way has left"
        shown_frames += len(rows)
    assert shown_frames > 100


@needs_tshark
def test_packets_of_the_transport_are_shown(tmp_path):
    run_well("fabric-transport", "--senders=2", "--count=20", "--bytes=16KiB", f"--pcap={tmp_path}/t")
    types = collections.Counter()
    for path in tmp_path.glob("t-*.pcap"):
        records = [data for _, _, data in read_capture(path) if data[LEAD:LEAD + 2] != b"\0\0"]
        packets = [data[LEAD + HEADER:-FCS] for data in records if bits(data[LEAD:], 115, 3) == 4]
        rows = shown(path, "fabric_transport.type", "fabric_transport.check.ok", "fabric_transport.psn", only="fabric.type == 4")
        assert [row[:2] for row in rows] == [[str(packet[0] & 15), "1"] for packet in packets]
        types.update(row[0] for row in rows)
    assert {"9", "10", "7"} <= set(types) and sum(types.values()) > 50, types  # connect, accept, ACK


FGFC = ("form", "ftag", "pause", "credit", "dst", "vni", "vlan", "process")
FGFC_IPV4 = ("ip.src", "ip.dst", "protocol", "srcport", "dstport")


def fgfc_fields(record):
    """@return what tshark should show of a frame of fine-grain flow control, by the tables of the manual"""
    content = record[LEAD + 14:]
    assert content[:6] == bytes.fromhex("024642000101")
    fields = [str(value) for value in struct.unpack_from(">BBIHHHHI", content, 6)]
    if content[6] == 2:
        pair = [".".join(map(str, content[at:at + 4])) for at in (24, 28)]
        return fields + pair + [str(value) for value in struct.unpack_from(">BHH", content, 32)]
    return fields + [""] * len(FGFC_IPV4)


@needs_tshark
@pytest.mark.parametrize("protocol, form", [("rt", "0"), ("tcp", "2")])
def test_tshark_shows_fine_grain_flow_control(tmp_path, protocol, form):
    run_well("fabric-transport", "--over=fabric", f"--protocol={protocol}", "--senders=4", "--count=8", "--bytes=64KiB",
             f"--pcap={tmp_path}/f")
    forms, restrained, lifted = collections.Counter(), set(), set()
    for path in tmp_path.glob("f-*.pcap"):
        records = [data for _, _, data in read_capture(path) if data[1] & 2]
        rows = shown(path, *(f"fabric_fgfc.{field}" for field in FGFC + FGFC_IPV4), "eth.dst", "eth.fcs.status", only="fabric_fgfc")
        hosts = [":".join(f"{byte:02x}" for byte in data[LEAD:LEAD + 6]) for data in records]
        assert rows == [fgfc_fields(data) + [host, "1"] for data, host in zip(records, hosts)]
        assert all(size == LEAD + 64 for _, size, data in read_capture(path) if data[1] & 2)
        for row in rows:
            forms[row[0]] += 1
            (lifted if row[2] == "0" else restrained).add(row[4])
    assert set(forms) == {form} and restrained and lifted <= restrained, forms
